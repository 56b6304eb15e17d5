"""A third batch of tables that `tacit init` had not seen when they were written; roles were written down first."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Sequence

from support.first_tables import Draw, Made

_ROLES = {"i": "identifier", "q": "quasi", "s": "sensitive", "w": "weight", "h": "household", "p": "person",
          "t": "items", "r": "rating"}  # fmt: skip
Told = dict[str, tuple[str, Sequence[str]]]

PL_FIRST = "Wojciech Agnieszka Zbigniew Małgorzata Krzysztof Ewelina Sławomir Bożena Radosław Grażyna"
PL_LAST = "Kowalczyk Wiśniewska Dąbrowski Zielińska Szymański Woźniak Kozłowska Jankowski Mazur Krawczyk"
IT_FIRST = "Ludovica Tommaso Ginevra Matteo Azzurra Niccolò Beatrice Fabrizio Donatella Pierluigi"
IT_LAST = "Esposito Bianchi Colombo Ricci Marchetti Gallo Conti Giordano Mancini Lombardi"
DE_FIRST = "Heiner Ute Jürgen Gisela Torsten Annegret Detlef Bärbel Holger Roswitha Malte Svenja"
DE_LAST = "Brinkmann Oberländer Kötter Pfeiffer Hagedorn Wittmann Sauer Kaltenbach Jahnke Rottmann"
ES_FIRST = "Itziar Gonzalo Rocío Ignacio Macarena Andrés Lourdes Jacobo Inmaculada Fermín"
ES_LAST = "Etxeberria Olmedo Villalba Carrasco Barrientos Quintana Palacios Zubizarreta Salcedo"
NL_FIRST = "Joost Femke Sietske Bram Marijke Wouter Anouk Gijs Liesbeth Ruben"
NL_LAST = "Hoekstra Kuipers Postma Dijkstra Veenstra Brouwer Wiersma Scholten Terpstra"
IN_FIRST = "Aarav Priyanka Rohan Lakshmi Vikram Ananya Suresh Meera Arjun Kavita"
IN_LAST = "Iyer Banerjee Reddy Chatterjee Nair Kulkarni Bhatt Deshpande Menon Agarwal"
NG = "Chukwuemeka Ngozi Oluwaseun Amina Tunde Folake Ifeanyi Yetunde Musa Halima"


def made_of(kind: str, told: Told) -> Made:
    roles = {name: "|".join(_ROLES[letter] for letter in letters) for name, (letters, _) in told.items()}
    return Made(kind, {name: values for name, (_, values) in told.items()}, roles)


def hashes(draw: Draw, length: int = 64) -> list[str]:
    return [hashlib.sha256(bytes(str(each), "ascii")).hexdigest()[:length] for each in draw.numbers(0, 1e9)]


def uuids(draw: Draw) -> list[str]:
    return [str(uuid.UUID(bytes=draw.rng.bytes(16))) for _ in range(draw.rows)]


def repeated(draw: Draw, values: Sequence[str], count: int) -> list[str]:
    return [values[int(each)] for each in draw.rng.integers(0, count, draw.rows)]


def krankenhaus() -> Made:
    d = Draw(420, 301)
    return made_of(
        "records",
        {
            "FALLNR": ("i", d.counting("{:08d}", 10482231, 7)),
            "PATNR": ("i", d.numbers(4_000_000, 4_999_999)),
            "NNAME": ("i", d.words(DE_LAST)),
            "VNAME": ("i", d.words(DE_FIRST)),
            "GEBDAT": ("q", d.dates("%d.%m.%Y")),
            "GSCHL": ("q", d.of("W", "M", "D", odds=[0.5, 0.49, 0.01])),
            "PLZ": ("q", d.of("48143", "48145", "48147", "48149", "48151", "48159")),
            "AUFNDAT": ("q", d.dates("%d.%m.%Y", "2024-01-01", 300)),
            "ENTLDAT": ("q", d.dates("%d.%m.%Y", "2024-11-01", 60)),
            "HDIA": ("s", d.of("I21.0", "J18.9", "S72.01", "K80.2", "C34.1", "I50.1", "N39.0")),
            "NDIA1": ("s", d.of("E11.90", "I10.00", "N18.3", "Z92.1", "F17.2", "")),
            "FABT": ("qs", d.of("0100", "0300", "1500", "2800")),
            "EINWEISER": ("i", d.joined(" ", d.of("Dr.", "Dr. med."), d.words(DE_LAST))),
            "KASSE": ("qs", d.of("AOK Nordwest", "TK", "Barmer", "DAK", "privat")),
            "VNR": ("i", d.joined("", d.of("A", "K", "T", "M"), d.numbers(100_000_000, 999_999_999))),
            "BEM": ("i", d.sentences("Pat. wünscht Rücksprache mit Ehefrau wegen Reha und kommt am Montag wieder")),
            "VWD": ("q", d.numbers(1, 30)),
            "BEATM": ("s", d.of("0", "1")),
        },
    )


def hospitalisation_fr() -> Made:
    d = Draw(380, 302)
    return made_of(
        "records",
        {
            "IPP": ("i", d.numbers(80_000_000, 89_999_999)),
            "Nom usuel": ("i", d.words("Lefebvre Garnier Chevalier Rousseau Blanchard Fontaine Mercier Boulanger")),
            "Prénom": ("i", d.words("Maxence Solène Thibault Clémence Bastien Océane Gauthier Capucine")),
            "DDN": ("q", d.dates("%d/%m/%Y")),
            "Sexe": ("q", d.of("F", "H")),
            "Code commune": ("q", d.of("69123", "69381", "69266", "69029", "42218")),
            "Dt entrée": ("q", d.dates("%d/%m/%Y", "2023-01-01", 360)),
            "DP": ("s", d.of("I500", "J441", "E119", "C509", "N189", "K35")),
            "GHM": ("s", d.of("05M092", "04M052", "06C091", "13C041")),
            "UF": ("qi", d.of("3410", "3422", "3477", "3501")),
            "Médecin": ("i", d.joined(" ", d.of("Pr", "Dr"), d.words("Vasseur Delmas Roche Jacquet Perrin"))),
            "Tél. mobile": ("i", d.joined(" ", d.of("06", "07"), *(d.numbers(10, 99) for _ in range(4)))),
            "IMC": ("qs", [x.replace(".", ",") for x in d.numbers(17, 42, 1)]),
            "Poids (kg)": ("qs", d.numbers(45, 120)),
            "Observations": (
                "i",
                d.sentences("patient vu ce jour par le kiné il se plaint de la hanche et ne dort pas"),
            ),
        },
    )


def urgencias() -> Made:
    d = Draw(350, 303)
    return made_of(
        "records",
        {
            "NHC": ("i", d.numbers(100_000, 999_999)),
            "Apellidos, Nombre": (
                "i",
                d.joined(", ", d.joined(" ", d.words(ES_LAST), d.words(ES_LAST)), d.words(ES_FIRST)),
            ),
            "CIP": (
                "i",
                d.joined("", d.of("OLVI", "CABA", "QUPA"), d.of("0", "1"), d.numbers(100_000_000, 999_999_999)),
            ),
            "F.Nac": ("q", d.dates("%d-%m-%Y")),
            "Sexo": ("q", d.of("Mujer", "Hombre")),
            "CP": ("q", d.of("48001", "48003", "48007", "48012", "20001")),
            "Triaje": ("sq", d.of("I", "II", "III", "IV", "V")),
            "Motivo consulta": ("s", d.of("dolor torácico", "disnea", "fiebre", "caída", "cefalea")),
            "Diag. principal": ("s", d.of("R07.4", "J18.9", "R50.9", "S52.5", "G43.9")),
            "TA sist": ("s", d.numbers(90, 190)),
            "Tº": ("s", [x.replace(".", ",") for x in d.numbers(35.5, 40, 1)]),
            "Destino alta": ("qs", d.of("domicilio", "ingreso", "traslado", "éxitus")),
            "Facultativo": ("i", d.joined(". ", d.of(*"MJCAL"), d.words(ES_LAST))),
            "Tfno contacto": ("i", d.numbers(600_000_000, 699_999_999)),
        },
    )


def pronto_soccorso() -> Made:
    d = Draw(330, 304)
    return made_of(
        "records",
        {
            "nosografico": ("i", d.counting("2024{:06d}", 1711, 3)),
            "assistito": ("i", d.joined(" ", d.words(IT_LAST), d.words(IT_FIRST))),
            "eta": ("q", d.numbers(0, 98)),
            "sesso": ("q", d.of("1", "2")),
            "comune_res": ("q", d.of("Bologna", "Imola", "Casalecchio di Reno", "San Lazzaro di Savena")),
            "cittadinanza": ("q", d.of("italiana", "rumena", "marocchina", "albanese")),
            "codice_colore": ("sq", d.of("bianco", "verde", "giallo", "rosso")),
            "diagnosi_icd9": ("s", d.of("786.50", "845.00", "599.0", "780.60", "410.91")),
            "ticket": ("qs", [x.replace(".", ",") for x in d.of("0.00", "25.00", "36.15", "48.20")]),
            "medico_dimettente": ("i", d.joined(" ", d.words(IT_LAST), d.of("A.", "G.", "M.", "F."))),
            "nota_triage": (
                "i",
                d.sentences("arriva con la moglie per dolore al fianco da ieri sera non assume farmaci"),
            ),
        },
    )


def dutch_ggz() -> Made:
    d = Draw(300, 305)
    return made_of(
        "records",
        {
            "Cliëntnr": ("i", d.numbers(20_000, 60_000)),
            "Achternaam": ("i", d.words(NL_LAST)),
            "Tussenv.": ("i", d.of("", "van", "de", "van der", odds=[0.7, 0.1, 0.1, 0.1])),
            "Voorl.": ("i", d.of("A.", "J.M.", "P.", "S.A.C.", "W.")),
            "Geb.datum": ("q", d.dates("%d-%m-%Y")),
            "M/V": ("q", d.of("M", "V")),
            "Wijk": ("q", d.of("Centrum", "Noord", "Zuidoost", "Nieuw-West")),
            "DSM-5": ("s", d.of("296.32", "300.02", "309.81", "301.83", "314.01")),
            "GAF": ("s", d.of("35", "45", "55", "65", "75")),
            "Start beh.": ("q", d.dates("%d-%m-%Y", "2022-01-01", 700)),
            "Regiebehandelaar": ("i", d.joined(" ", d.of("drs.", "dr."), d.words(NL_LAST))),
            "Verwijzer": ("i", d.joined(" ", d.of("huisarts"), d.words(NL_LAST))),
            "Zorgzwaarte": ("sq", d.of("1", "2", "3", "4")),
            "Voortgang": (
                "i",
                d.sentences("cliënt is boos op zijn vader en wil niet meer komen maar slaapt wel beter"),
            ),
        },
    )


def przychodnia() -> Made:
    d = Draw(340, 306)
    return made_of(
        "records",
        {
            "Lp.": ("i", d.counting("{}")),
            "PESEL": ("i", d.numbers(40_000_000_000, 99_999_999_999)),
            "Imię i nazwisko": ("i", d.joined(" ", d.words(PL_FIRST), d.words(PL_LAST))),
            "Data ur.": ("q", d.dates("%d.%m.%Y")),
            "Płeć": ("q", d.of("K", "M")),
            "Miejscowość": ("q", d.of("Rzeszów", "Łańcut", "Dębica", "Mielec")),
            "Kod pocztowy": ("q", d.of("35-001", "35-310", "37-100", "39-200")),
            "Rozpoznanie": ("s", d.of("J06.9", "I10", "M54.4", "E03.9", "K21.0")),
            "Lekarz": ("i", d.joined(" ", d.of("lek."), d.words(PL_LAST))),
            "Nr tel.": ("i", d.joined(" ", *(d.numbers(100, 999) for _ in range(3)))),
            "Ubezpieczenie": ("qs", d.of("NFZ", "prywatne", "brak")),
            "Uwagi": ("i", d.sentences("pacjent prosi o kontakt z córką bo nie słyszy i nie przyjdzie w piątek")),
        },
    )


def payroll_india() -> Made:
    d = Draw(310, 307)
    return made_of(
        "records",
        {
            "Emp_Code": ("i", d.counting("TEC{:05d}", 812, 3)),
            "Emp Name": ("i", d.joined(" ", d.words(IN_FIRST), d.words(IN_LAST))),
            "DOJ": ("q", d.dates("%d-%b-%Y", "2008-01-01", 5500)),
            "PAN": (
                "i",
                [
                    "".join(d.rng.choice(list("ABCDEFGHKLPRT"), 5))
                    + str(d.rng.integers(1000, 9999))
                    + str(d.rng.choice(list("ABCDEFGH")))
                    for _ in range(d.rows)
                ],
            ),
            "UAN": ("i", d.numbers(100_000_000_000, 101_999_999_999)),
            "Grade": ("qs", d.of("E1", "E2", "M1", "M2")),
            "Location": ("q", d.of("Pune", "Chennai", "Noida", "Kochi")),
            "Basic": ("s", d.numbers(22_000, 140_000)),
            "HRA": ("s", d.numbers(9_000, 60_000)),
            "Net Payable": ("s", d.numbers(30_000, 180_000)),
            "Bank A/c": ("i", d.numbers(10_000_000_000, 99_999_999_999)),
            "IFSC": ("iq", d.of("SBIN0001234", "HDFC0000456", "ICIC0000012")),
            "Reporting Mgr": ("i", d.joined(" ", d.words(IN_FIRST), d.words(IN_LAST))),
            "Attrition_Risk": ("s", d.of("Low", "Medium", "High")),
        },
    )


def road_stops() -> Made:
    d = Draw(520, 308)
    return made_of(
        "records",
        {
            "stop_id": ("i", d.counting("S-{:07d}", 44120)),
            "dt": ("q", d.dates("%Y-%m-%d", "2023-01-01", 365)),
            "tm": ("q", d.joined(":", d.numbers(10, 23), d.numbers(10, 59))),
            "subj_name": (
                "i",
                d.joined(", ", d.words("OKAFOR VANCE TRUJILLO MCBRIDE PHAM STOKES"), d.words(NG.upper())),
            ),
            "subj_race": ("q", d.of("W", "B", "H", "A", "O")),
            "subj_sex": ("q", d.of("M", "F")),
            "subj_age": ("q", d.numbers(16, 78)),
            "veh_plate": ("i", d.joined("", d.of("7"), d.of("XKL", "ABT", "HJV"), d.numbers(100, 999))),
            "veh_make": ("q", d.of("TOYT", "FORD", "HOND", "CHEV")),
            "dl_no": ("i", d.joined("", d.of("D", "F", "Y"), d.numbers(1_000_000, 9_999_999))),
            "beat": ("q", d.of("11A", "12B", "14C", "21A")),
            "reason": ("qs", d.of("speeding", "equipment", "BOLO", "lane change")),
            "outcome": ("s", d.of("warning", "citation", "arrest", "none")),
            "search": ("sq", d.of("Y", "N")),
            "narrative": (
                "i",
                d.sentences("driver stated he was late for work and became agitated when asked to step out"),
            ),
            "badge": ("i", d.numbers(1000, 1060)),
        },
    )


def telecom_cdr() -> Made:
    d = Draw(700, 309)
    people = [f"4179{each}" for each in Draw(120, 1309).numbers(1_000_000, 9_999_999)]
    imei = [str(each) for each in Draw(120, 2309).numbers(350_000_000_000_000, 359_999_999_999_999)]
    return made_of(
        "records",
        {
            "CALLING_NR": ("ip", repeated(d, people, 120)),
            "CALLED_NR": ("i", d.joined("", d.of("4178", "4176"), d.numbers(1_000_000, 9_999_999))),
            "IMEI": ("ip", repeated(d, imei, 120)),
            "IMSI": ("ip", repeated(d, [f"22801{e}" for e in Draw(120, 3309).numbers(1e9, 9e9)], 120)),
            "START_TS": (
                "qi",
                d.joined(
                    "T",
                    d.dates("%Y-%m-%d", "2024-03-01", 20),
                    d.joined(":", d.numbers(10, 23), d.numbers(10, 59), d.numbers(10, 59)),
                ),
            ),
            "DUR_SEC": ("q", d.numbers(1, 3600)),
            "CELL_ID": ("qi", d.of("228-01-4711", "228-01-4712", "228-01-5001", "228-01-5044")),
            "CALL_TYPE": ("q", d.of("MOC", "MTC", "SMS-MO", "SMS-MT")),
            "ROAMING": ("qs", d.of("0", "1")),
            "CHARGE_CHF": ("s", d.numbers(0, 4, 2)),
        },
    )


def motor_claims() -> Made:
    d = Draw(360, 310)
    return made_of(
        "records",
        {
            "ClaimRef": ("i", d.counting("CLM/24/{:05d}", 211, 3)),
            "PolicyHolder": (
                "i",
                d.joined(
                    " ",
                    d.of("Mr", "Mrs", "Ms"),
                    d.of(*"ABDJKM"),
                    d.words("Featherstone Ogunleye Braithwaite Cholmondeley Pritchard"),
                ),
            ),
            "Reg": (
                "i",
                d.joined(
                    " ", d.joined("", d.of("LK", "BD", "MX"), d.numbers(10, 74)), d.of("ZFA", "OVT", "HPJ", "XEC")
                ),
            ),
            "DOL": ("q", d.dates("%d/%m/%y", "2023-06-01", 400)),
            "Postcode": ("q", d.of("LS6 3HN", "M14 5TQ", "B29 6PU", "CF10 3AT", "EH8 9YL")),
            "Driver Age": ("q", d.numbers(17, 88)),
            "NCD Yrs": ("q", d.of("0", "1", "2", "3", "4", "5", "9+")),
            "Peril": ("qs", d.of("Collision", "Theft", "Windscreen", "Fire")),
            "Fault?": ("sq", d.of("Y", "N", "Split")),
            "Paid £": ("s", [f"£{int(x):,}.00" for x in d.numbers(120, 18_000)]),
            "Injury": ("s", d.of("None", "Whiplash", "Fracture", "None")),
            "TP Name": (
                "i",
                d.joined(
                    " ", d.words("Gareth Imogen Callum Aoife Rhys"), d.words("Llewellyn Abernathy Kinsella Donoghue")
                ),
            ),
            "Circumstances": (
                "i",
                d.sentences("TP pulled out of side road and hit our insured on the nearside wing at speed"),
            ),
            "Handler": ("i", d.of("JSP", "RKM", "AOB", "TLW")),
        },
    )


def hr_survey() -> Made:
    d = Draw(260, 311)
    return made_of(
        "records",
        {
            "ResponseID": ("i", [f"R_{h}" for h in hashes(d, 15)]),
            "IPAddress": ("i", d.joined(".", *(d.numbers(11, 240) for _ in range(4)))),
            "Dept": ("q", d.of("Finance", "Ops", "Legal", "R&D")),
            "Tenure band": ("q", d.of("<1y", "1-3y", "3-5y", "5y+")),
            "Gender": ("q", d.of("Woman", "Man", "Non-binary", "Prefer not to say", odds=[0.5, 0.46, 0.02, 0.02])),
            "Remote days/wk": ("q", d.of("0", "1", "2", "3", "5")),
            "I trust my manager": ("sq", d.of("Strongly agree", "Agree", "Neutral", "Disagree")),
            "What would you change?": (
                "i",
                d.of("nothing", "more pay", "Greg in sales", "the coffee", "my line manager", "parking"),
            ),
            "Anything else we should know?": (
                "i",
                d.of("", "", "no", "I am going through a divorce", "n/a", "Sheila bullies us"),
            ),
            "Burnout (1-10)": ("s", d.numbers(1, 10)),
            "Have you looked for another job?": ("sq", d.of("Yes", "No")),
        },
    )


def crm_export() -> Made:
    d = Draw(330, 312)
    return made_of(
        "records",
        {
            "Id": ("i", [f"003{h.upper()}" for h in hashes(d, 15)]),
            "Salutation": ("q", d.of("Mr.", "Ms.", "Dr.", "")),
            "FirstName": ("i", d.words(IN_FIRST)),
            "LastName": ("i", d.words(NL_LAST)),
            "Account.Name": ("iq", d.joined(" ", d.words(NL_LAST), d.of("GmbH", "BV", "Ltd", "SARL"))),
            "Title": ("q", d.of("CEO", "Head of IT", "Buyer", "CFO")),
            "LeadSource": ("q", d.of("Web", "Trade Show", "Referral")),
            "MailingCity": ("q", d.of("Utrecht", "Ghent", "Lyon", "Basel")),
            "MailingStreet": ("i", d.joined(" ", d.of("Oudegracht", "Veldstraat", "Rue Mercière"), d.numbers(1, 200))),
            "HasOptedOutOfEmail": ("qs", d.of("true", "false")),
            "OwnerId": ("i", d.of("0058A00000AbCdE", "0058A00000FgHiJ", "0058A00000KlMnO")),
            "AnnualRevenue": ("sq", d.numbers(100_000, 9_000_000)),
            "Birthdate": ("q", d.dates("%Y-%m-%d")),
            "Description": (
                "i",
                d.sentences("met at fair likes golf call him after the summer his wife works for our rival"),
            ),
            "LastModifiedDate": (
                "qi",
                d.joined("T", d.dates("%Y-%m-%d", "2024-01-01", 200), d.of("08:11:02.000Z", "14:20:44.000Z")),
            ),
        },
    )


def sports_club() -> Made:
    d = Draw(240, 313)
    return made_of(
        "records",
        {
            "Mitgl.-Nr.": ("i", d.counting("{:04d}", 1003, 3)),
            "Mitglied": ("i", d.joined(", ", d.words(DE_LAST), d.words(DE_FIRST))),
            "Spitzname": ("i", d.of("Locke", "Bulle", "Schorsch", "Floh", "Kalle", "Mücke", "Zecke", "Ente")),
            "Jg.": ("q", d.numbers(1948, 2015)),
            "Abt.": ("q", d.of("Fußball", "Turnen", "Tennis", "Schach")),
            "Mannschaft": ("q", d.of("Herren I", "Herren II", "Damen", "A-Jugend")),
            "Eintritt": ("q", d.dates("%d.%m.%Y", "1990-01-01", 12_000)),
            "Beitrag": ("sq", d.of("120,00", "96,00", "60,00")),
            "IBAN": ("i", d.joined("", d.of("DE"), d.numbers(10, 99), d.numbers(1e17, 9e17))),
            "Trikotnr": ("qi", d.numbers(1, 23)),
            "Verletzung": ("s", d.of("", "Kreuzband", "Meniskus", "Muskelfaserriss")),
            "Handy": ("i", d.joined("/", d.of("0171", "0160", "0152"), d.numbers(1_000_000, 9_999_999))),
        },
    )


def cancer_registry() -> Made:
    d = Draw(450, 314)
    return made_of(
        "records",
        {
            "PAT_PSEUDO": ("i", [h.upper() for h in hashes(d, 32)]),
            "REG_SOURCE": ("q", d.of("01", "02", "07")),
            "DOB_M_Y": ("q", d.dates("%m/%Y", "1930-01-01", 22_000)),
            "SEX_CD": ("q", d.of("1", "2")),
            "ICDO3_TOPO": ("s", d.of("C50.4", "C34.1", "C61.9", "C18.7", "C44.5")),
            "ICDO3_MORPH": ("s", d.of("8500/3", "8140/3", "8070/3", "8720/3")),
            "cT": ("s", d.of("1", "2", "3", "4", "X")),
            "cN": ("s", d.of("0", "1", "2", "X")),
            "UICC": ("s", d.of("I", "IIA", "IIB", "III", "IV")),
            "GRADE": ("s", d.of("1", "2", "3", "9")),
            "DX_DATE": ("q", d.dates("%Y-%m-%d", "2015-01-01", 2500)),
            "VITAL_STATUS": ("s", d.of("alive", "dead")),
            "SURV_MONTHS": ("sq", d.numbers(0, 120)),
            "ECOG": ("s", d.of("0", "1", "2", "3")),
            "NUTS3": ("q", d.of("DE212", "DE21H", "DE21C", "DE21K")),
            "Tumor conference note": (
                "i",
                d.sentences("discussed in board pt prefers no chemo wife agrees recommend follow up in three months"),
            ),
        },
    )


def vaccinations() -> Made:
    d = Draw(400, 315)
    return made_of(
        "records",
        {
            "person_key": ("ip", d.numbers(1, 2_000_000_000)),
            "forename": ("i", d.words(NG)),
            "surname_soundex": ("iq", d.of("O216", "A350", "M200", "B653", "O421")),
            "yob": ("q", d.numbers(1935, 2019)),
            "lsoa11": ("q", d.of("E01004736", "E01004763", "E01000905", "E01033595")),
            "vacc_product": ("sq", d.of("Comirnaty", "Vaxzevria", "Spikevax")),
            "batch_no": ("iq", d.of("FD0168", "PV46664", "EW3344", "214003")),
            "dose_seq": ("qs", d.of("1", "2", "3")),
            "dose_date": ("q", d.dates("%Y-%m-%d", "2021-01-01", 300)),
            "site_ods": ("qi", d.of("RJ1", "RJZ", "Y02696")),
            "vaccinator": ("i", d.joined(" ", d.words(IN_FIRST), d.words(IN_LAST))),
            "adverse_event": ("s", d.of("", "", "syncope", "myocarditis", "rash")),
            "jcvi_group": ("q", d.of("1", "2", "4", "6", "9")),
        },
    )


def church_register() -> Made:
    d = Draw(220, 316)
    return made_of(
        "records",
        {
            "Folio": ("iq", d.joined("", d.numbers(1, 90), d.of("r", "v"))),
            "Baptizandus": (
                "i",
                d.of("Anna Barbara", "Johann Georg", "Maria Magdalena", "Hans Jakob", "Christian", "Agatha"),
            ),
            "Pater": (
                "i",
                d.joined(
                    " ",
                    d.words("Hans Georg Christoph Veit Melchior"),
                    d.words("Stöcklin Räbmann Zehnder Höfliger Ammann"),
                ),
            ),
            "Mater": (
                "i",
                d.joined(" ", d.words("Verena Ursula Apollonia Dorothea"), d.words("Meyer Huber Zürcher Fröhlich")),
            ),
            "Patrini": ("i", d.joined(" & ", d.words("Ulrich Kaspar Balthasar"), d.words("Regula Elsbeth Margaretha"))),
            "Datum": ("q", d.dates("%d.%m.1%y".replace("1%y", "%Y"), "1880-01-01", 7000)),
            "Stand": ("q", d.of("ehelich", "unehelich")),
            "Ort": ("q", d.of("Einsiedeln", "Schwyz", "Lachen", "Wollerau")),
            "Beruf Vater": ("q", d.of("Bauer", "Schneider", "Taglöhner", "Müller")),
            "Bemerkungen": (
                "i",
                d.of("", "Zwilling", "nottauf durch hebamme", "pater ignotus sagt sie", "starb am selben tag"),
            ),
        },
    )


def taxi_trips() -> Made:
    d = Draw(600, 317)
    return made_of(
        "records",
        {
            "medallion": ("ip", repeated(d, [h.upper() for h in hashes(Draw(60, 5317), 32)], 60)),
            "hack_license": ("ip", repeated(d, [h.upper() for h in hashes(Draw(80, 6317), 32)], 80)),
            "pickup_datetime": (
                "qi",
                d.joined(
                    " ",
                    d.dates("%Y-%m-%d", "2013-01-01", 30),
                    d.joined(":", d.numbers(10, 23), d.numbers(10, 59), d.numbers(10, 59)),
                ),
            ),
            "passenger_count": ("q", d.of("1", "2", "3", "5")),
            "trip_distance": ("qs", d.numbers(0.3, 22, 2)),
            "pickup_longitude": ("i", d.numbers(-74.02, -73.77, 6)),
            "pickup_latitude": ("i", d.numbers(40.63, 40.85, 6)),
            "dropoff_longitude": ("i", d.numbers(-74.02, -73.77, 6)),
            "dropoff_latitude": ("i", d.numbers(40.63, 40.85, 6)),
            "payment_type": ("q", d.of("CRD", "CSH", "DIS")),
            "fare_amount": ("s", d.numbers(3, 60, 1)),
            "tip_amount": ("s", d.numbers(0, 15, 2)),
        },
    )


def card_transactions() -> Made:
    d = Draw(650, 318)
    cards = [f"5{e}" for e in Draw(90, 7318).numbers(100_000_000_000_000, 999_999_999_999_999)]
    return made_of(
        "records",
        {
            "trans_num": ("i", hashes(d, 32)),
            "cc_num": ("ip", repeated(d, cards, 90)),
            "merchant": (
                "q",
                d.of("fraud_Kirlin and Sons", "fraud_Sporer-Keebler", "fraud_Haley Group", "fraud_Kuhn LLC"),
            ),
            "category": ("q", d.of("grocery_pos", "gas_transport", "misc_net", "health_fitness")),
            "amt": ("s", d.skewed(60, 2)),
            "first": ("i", d.words("Jennifer Stephanie Edward Jeremy Tyler")),
            "last": ("i", d.words("Banks Gill Sanchez White Garcia")),
            "street": (
                "i",
                d.joined(
                    " ", d.numbers(100, 9999), d.of("Perry Cove", "Riley Greens Apt. 393", "White Dale Suite 530")
                ),
            ),
            "zip": ("q", d.of("28654", "99160", "83252", "59632")),
            "city_pop": ("q", d.of("3495", "149", "4154", "1939")),
            "job": (
                "q",
                d.of("Psychologist, counselling", "Special educational needs teacher", "Nature conservation officer"),
            ),
            "dob": ("q", d.dates("%Y-%m-%d")),
            "unix_time": ("qi", d.numbers(1_325_376_018, 1_371_816_817)),
            "merch_lat": ("i", d.numbers(30, 48, 6)),
            "is_fraud": ("s", d.of("0", "1", odds=[0.97, 0.03])),
        },
    )


def wearables() -> Made:
    d = Draw(500, 319)
    people = [str(e) for e in Draw(35, 8319).numbers(1_500_000_000, 8_900_000_000)]
    return made_of(
        "records",
        {
            "Id": ("ip", repeated(d, people, 35)),
            "ActivityDate": (
                "q",
                [f"{int(m)}/{int(t)}/2016" for m, t in zip(d.numbers(3, 6), d.numbers(1, 29), strict=True)],
            ),
            "device_mac": (
                "ip",
                repeated(d, [":".join(h[i : i + 2] for i in range(0, 12, 2)) for h in hashes(Draw(35, 9319), 12)], 35),
            ),
            "TotalSteps": ("qs", d.numbers(0, 28_000)),
            "SedentaryMinutes": ("qs", d.numbers(300, 1440)),
            "Calories": ("qs", d.numbers(1200, 4500)),
            "resting_hr": ("s", d.numbers(48, 90)),
            "hrv_rmssd": ("s", d.numbers(15, 110, 1)),
            "SleepMinutes": ("qs", d.numbers(200, 600)),
            "WeightKg": ("qs", d.numbers(48, 120, 1)),
            "menstrual_phase": ("s", d.of("", "luteal", "follicular", "ovulation")),
        },
    )


def biobank() -> Made:
    d = Draw(280, 320)
    return made_of(
        "records",
        {
            "SampleID": ("i", d.joined("-", d.of("BB"), d.numbers(10, 24), d.numbers(100_000, 999_999))),
            "FID": ("ih", d.numbers(1000, 1090)),
            "IID": ("i", d.counting("NA{:05d}", 18_500)),
            "PAT": ("i", d.counting("NA{:05d}", 21_500)),
            "MAT": ("i", d.counting("NA{:05d}", 23_500)),
            "SEX": ("q", d.of("1", "2")),
            "PHENO": ("s", d.of("1", "2", "-9")),
            "rs7903146": ("sq", d.of("CC", "CT", "TT")),
            "rs429358": ("sq", d.of("TT", "TC", "CC")),
            "BRCA1": ("s", d.of("wt", "c.68_69del", "c.5266dup", odds=[0.9, 0.05, 0.05])),
            "PRS_CAD": ("s", d.numbers(-3, 3, 3)),
            "Ethnicity": ("q", d.of("NFE", "FIN", "SAS", "AFR")),
            "Plate_Well": ("iq", d.joined("", d.of(*"ABCDEFGH"), d.numbers(1, 12))),
            "Consent_version": ("q", d.of("v1.2", "v2.0")),
        },
    )


def student_grades() -> Made:
    d = Draw(320, 321)
    return made_of(
        "records",
        {
            "Matrikel": ("i", d.numbers(1_000_000, 1_999_999)),
            "Login": (
                "i",
                d.joined("", d.of(*"abcdehkmst"), d.words("brinkma kotter sauer jahnke witt"), d.numbers(1, 99)),
            ),
            "Studiengang": ("q", d.of("B.Sc. Informatik", "M.Sc. Mathematik", "LA Gym Physik")),
            "FS": ("q", d.of("1", "3", "5", "7")),
            "Versuch": ("qs", d.of("1", "2", "3")),
            "Aufg1": ("s", [x.replace(".", ",") for x in d.of("0.0", "2.5", "4.0", "5.5")]),
            "Aufg2": ("s", [x.replace(".", ",") for x in d.of("0.0", "1.5", "3.0", "6.0")]),
            "Klausurnote": ("s", d.of("1,0", "1,7", "2,3", "3,0", "4,0", "5,0")),
            "Nachteilsausgleich": ("s", d.of("ja", "nein", odds=[0.1, 0.9])),
            "Tutor": ("i", d.joined(" ", d.words(DE_FIRST), d.words(DE_LAST))),
            "Kommentar Korrektor": (
                "i",
                d.of("", "abgeschrieben?", "schrift unleserlich", "siehe mail von frau sauer", "gut"),
            ),
        },
    )


def court_cases() -> Made:
    d = Draw(290, 322)
    return made_of(
        "records",
        {
            "Az.": (
                "i",
                d.joined("/", d.joined(" ", d.of("12 Ls", "3 Cs", "24 KLs"), d.numbers(100, 999)), d.of("23", "24")),
            ),
            "Beschuldigter": ("i", d.joined(" ", d.words(DE_FIRST), d.words(DE_LAST))),
            "geb. am": ("q", d.dates("%d.%m.%Y")),
            "StA": ("q", d.of("Jsin", "Kassel", "Gera")),
            "Tatvorwurf": ("s", d.of("§ 242 StGB", "§ 223 StGB", "§ 316 StGB", "§ 29 BtMG")),
            "Verteidiger": ("i", d.joined(" ", d.of("RA", "RAin"), d.words(DE_LAST))),
            "Richter": ("i", d.words(DE_LAST)),
            "Urteil": ("s", d.of("Geldstrafe", "Freispruch", "Bewährung", "Einstellung")),
            "Tagessätze": ("s", d.of("0", "30", "60", "90")),
            "Dauer (Tage)": ("q", d.numbers(20, 600)),
            "Nebenklage": ("qs", d.of("ja", "nein")),
            "Sachverhalt": (
                "i",
                d.sentences("der Angeklagte entwendete am Abend aus dem Geschäft des Zeugen eine Jacke und floh"),
            ),
        },
    )


def reviews() -> Made:
    d = Draw(380, 323)
    return made_of(
        "records",
        {
            "reviewerID": ("ip", ["A" + h.upper() for h in hashes(d, 13)]),
            "asin": ("qsi", d.of("B00004Y2UT", "B0002E1G5C", "1384719342", "B00005ML71")),
            "reviewerName": (
                "i",
                d.of(
                    "cassandra tu", "Rick Bennette", "RustyBill", "SEAN MASLANKA", "bassplayer_1978", "Amazon Customer"
                ),
            ),
            "helpful": ("qis", d.of("[0, 0]", "[13, 14]", "[1, 1]")),
            "reviewText": (
                "i",
                d.sentences(
                    "not much to write about here but it does exactly what it is supposed to my husband loves it"
                ),
            ),
            "overall": ("qs", d.of("1.0", "2.0", "3.0", "4.0", "5.0")),
            "summary": (
                "i",
                d.of(
                    "good",
                    "Jake",
                    "It Does The Job Well",
                    "GOOD WINDSCREEN FOR THE MONEY",
                    "No more pops",
                    "The Best Cable",
                ),
            ),
            "unixReviewTime": ("qi", d.numbers(1_300_000_000, 1_400_000_000)),
            "reviewTime": ("q", d.dates("%m %d, %Y", "2012-01-01", 900)),
            "verified": ("qs", d.of("True", "False")),
        },
    )


def app_accounts() -> Made:
    d = Draw(350, 324)
    return made_of(
        "records",
        {
            "uid": ("i", uuids(d)),
            "handle": (
                "i",
                d.joined(
                    "", d.words("xX_ dark neo lil queen mr"), d.words("wolf kitty byte panda raven"), d.numbers(1, 99)
                ),
            ),
            "display": ("i", d.of("Mia 🌸", "jonny", "T-Bone", "Åsa", "D.", "the real Sven", "Oma Inge")),
            "signup_ts": ("qi", d.numbers(1_600_000_000_000, 1_700_000_000_000)),
            "locale": ("q", d.of("de_DE", "en_GB", "sv_SE")),
            "os_ver": ("q", d.of("iOS 17.1", "Android 14", "Android 13")),
            "adid": ("i", uuids(d)),
            "last_ip": ("i", d.joined(".", *(d.numbers(11, 240) for _ in range(4)))),
            "prefs": ("i", [f'{{"theme": "dark", "kids": {n}}}' for n in d.of("0", "1", "2")]),
            "bio": (
                "i",
                d.of(
                    "", "mum of 2 from Leeds", "he/him", "nurse @ St Mary", "just here for the cats", "Ich liebe Anna"
                ),
            ),
            "premium": ("qs", d.of("t", "f")),
            "mood_score": ("s", d.numbers(1, 10)),
            "referrer": ("iq", d.of("", "friend:raven22", "ad", "friend:mrbyte7", "friend:lilpanda3")),
        },
    )


def without_headers() -> Made:
    d = Draw(300, 325)
    return made_of(
        "records",
        {
            "V1": ("i", d.counting("{}", 1)),
            "V2": ("i", d.joined(" ", d.words(IN_FIRST), d.words(ES_LAST))),
            "V3": ("q", d.of("F", "M")),
            "V4": ("q", d.dates("%Y-%m-%d")),
            "V5": ("q", d.numbers(18, 90)),
            "V6": (
                "i",
                d.joined(
                    "",
                    d.words("ngozi rohan itziar femke"),
                    d.numbers(10, 999),
                    d.of("@"),
                    d.of("mail.example", "post.example"),
                ),
            ),
            "V7": ("i", d.joined(" ", d.numbers(1, 240), d.of("Hill Rd", "Mill Lane", "Park Ave"))),
            "V8": ("qs", d.of("I10", "E11.9", "J45.0", "F32.1", "M54.5", "K21.9")),
            "V9": ("qs", d.skewed(3000, 2)),
            "V10": (
                "i",
                d.sentences("she said that the house was too small and they want to move next year with the dog"),
            ),
            "V11": ("qs", d.of("0", "1")),
            "V12": ("i", d.numbers(100_000_000, 999_999_999)),
            "V13": ("i", d.joined("", d.of("X", "K", "L"), d.numbers(1_000_000, 9_999_999))),
            "V14": ("q", d.of("Leeds", "York", "Hull", "Bradford")),
        },
    )


def sap_hr() -> Made:
    d = Draw(330, 326)
    return made_of(
        "records",
        {
            "PERNR": ("i", d.counting("{:08d}", 70_000_112, 9)),
            "ENAME": ("i", d.joined(" ", d.words(DE_FIRST), d.words(DE_LAST))),
            "GBDAT": ("q", d.dates("%Y%m%d")),
            "GESCH": ("q", d.of("1", "2")),
            "NATIO": ("q", d.of("DE", "TR", "PL", "IT")),
            "FAMST": ("q", d.of("0", "1", "2", "3")),
            "KONFE": ("s", d.of("11", "12", "99")),
            "WERKS": ("q", d.of("1000", "1100", "2000")),
            "BTRTL": ("q", d.of("0001", "0002", "0010")),
            "PERSG": ("q", d.of("1", "2", "8")),
            "TRFGR": ("q", d.of("E9", "E11", "E13", "AT")),
            "BET01": ("s", [x.replace(".", ",") for x in d.skewed(4200, 2)]),
            "BANKN": ("i", d.numbers(100_000_000, 999_999_999)),
            "STRAS": ("i", d.joined(" ", d.of("Am Markt", "Lindenallee", "Hauptstr."), d.numbers(1, 120))),
            "PSTLZ": ("q", d.of("68159", "68161", "69115", "69117")),
            "SBEHI": ("s", d.of("", "X", odds=[0.93, 0.07])),
            "EINDT": ("q", d.dates("%Y%m%d", "1995-01-01", 9000)),
            "TELNR": ("i", d.joined("-", d.of("0621", "06221"), d.numbers(100_000, 999_999))),
        },
    )


THIRD: dict[str, Callable[[], Made]] = {
    each.__name__: each
    for each in (
        krankenhaus, hospitalisation_fr, urgencias, pronto_soccorso, dutch_ggz, przychodnia, payroll_india,
        road_stops, telecom_cdr, motor_claims, hr_survey, crm_export, sports_club, cancer_registry, vaccinations,
        church_register, taxi_trips, card_transactions, wearables, biobank, student_grades, court_cases, reviews,
        app_accounts, without_headers, sap_hr,
    )
}  # fmt: skip
