"""A fourth batch, written after the third was mended and before `init` was run on it."""

from __future__ import annotations

from collections.abc import Callable

from support.first_tables import Draw, Made
from support.third_contact import hashes, made_of, repeated, uuids


def lab_orders() -> Made:
    d = Draw(340, 401)
    return made_of(
        "records",
        {
            "Auftragsnr": ("i", d.counting("{:09d}", 240_112_001, 11)),
            "Pat.": (
                "i",
                d.joined(
                    ", ",
                    d.words("Röhrig Nüsslein Aschenbrenner Çakır Wójcik"),
                    d.words("Edeltraud Ömer Kazimierz Wiebke"),
                ),
            ),
            "*": ("q", d.dates("%d.%m.%Y")),
            "Station": ("q", d.of("Innere 2", "Chirurgie 1", "Intensiv", "Ambulanz")),
            "Material": ("q", d.of("EDTA-Blut", "Serum", "Urin", "Liquor")),
            "HIV-Suchtest": ("s", d.of("negativ", "positiv", odds=[0.97, 0.03])),
            "Krea mg/dl": ("s", [x.replace(".", ",") for x in d.numbers(0.5, 4, 2)]),
            "Quick %": ("s", d.numbers(20, 120)),
            "Anforderer": ("i", d.words("röhriga wiebkem oemerk kazw")),
            "Klin. Angaben": (
                "i",
                d.sentences("Z.n. Sturz zu Hause V.a. Infekt bitte um rasche Befundung da Patient verlegt wird"),
            ),
        },
    )


def payroll_switzerland() -> Made:
    d = Draw(300, 402)
    return made_of(
        "records",
        {
            "AHV-Nr.": (
                "i",
                d.joined(".", d.of("756"), d.numbers(1000, 9999), d.numbers(1000, 9999), d.numbers(10, 99)),
            ),
            "Mitarbeitende": (
                "i",
                d.joined(" ", d.words("Reto Urs Beat Corina Flurina"), d.words("Caduff Bürgi Aebischer Gschwend")),
            ),
            "Zivilstand": ("q", d.of("ledig", "verheiratet", "geschieden")),
            "Pensum %": ("q", d.of("40", "60", "80", "100")),
            "Bruttolohn CHF": ("s", [f"{int(x):,}".replace(",", "'") + ".00" for x in d.numbers(3200, 14_000)]),
            "Quellensteuer": ("sq", d.of("ja", "nein")),
            "Kinderzulage": ("sq", d.of("0", "200", "400", "600")),
            "Heimatort": ("q", d.of("Chur", "Thun", "Aarau", "Wil SG")),
            "BVG-Abzug": ("s", d.numbers(80, 900, 2)),
            "Austrittsgrund": ("sq", d.of("", "Kündigung AN", "Pensionierung", "Kündigung AG")),
            "Konto": ("i", d.joined("-", d.numbers(10, 90), d.numbers(100_000, 999_999), d.numbers(1, 9))),
        },
    )


def school_uk() -> Made:
    d = Draw(310, 403)
    return made_of(
        "records",
        {
            "UPN": ("i", d.joined("", d.of("H", "K", "T"), d.numbers(100_000_000_000, 999_999_999_999))),
            "Pupil": (
                "i",
                d.joined(
                    " ",
                    d.words("Aoife Zainab Kacper Imogen Tyrese"),
                    d.words("Gallagher Mahmood Nowak Adeyemi Whitcombe"),
                ),
            ),
            "YrGrp": ("q", d.of("7", "8", "9", "10", "11")),
            "Reg": ("q", d.of("7A", "8B", "9C", "10A")),
            "FSM": ("s", d.of("Y", "N")),
            "SEN": ("s", d.of("N", "K", "E")),
            "EAL": ("qs", d.of("Y", "N")),
            "Att %": ("qs", d.numbers(60, 100, 1)),
            "KS2 Maths": ("s", d.numbers(80, 120)),
            "Predicted 8": ("s", d.of("3", "4", "5", "6", "7")),
            "Behaviour pts": ("s", d.numbers(0, 60)),
            "LAC": ("s", d.of("", "Y", odds=[0.96, 0.04])),
            "Safeguarding log": (
                "i",
                d.sentences("mum called to say that he was upset after seeing dad at the weekend and will not come in"),
            ),
            "Parent mob": ("i", d.joined("", d.of("07"), d.numbers(100_000_000, 999_999_999))),
        },
    )


def library_es() -> Made:
    d = Draw(420, 404)
    return made_of(
        "records",
        {
            "N.º carné": ("i", d.numbers(10_000, 99_999)),
            "Lector/a": (
                "i",
                d.joined(" ", d.words("Itziar Fermín Macarena Jacobo"), d.words("Olmedo Salcedo Barrientos")),
            ),
            "Año nac.": ("q", d.numbers(1935, 2016)),
            "Barrio": ("q", d.of("Triana", "Nervión", "Macarena", "Los Remedios")),
            "Signatura": ("qsi", d.of("821.134.2-31", "616.89", "329.15", "28-2")),
            "Título": ("qs", d.of("La depresión", "Cien años de soledad", "El embarazo", "Historia del PSOE")),
            "F. préstamo": ("q", d.dates("%d/%m/%Y", "2024-01-01", 200)),
            "Retraso (días)": ("q", d.numbers(0, 40)),
            "Multa": ("sq", [f"{x} €" for x in d.of("0", "1,50", "3", "6")]),
            "Obs.": ("i", d.of("", "avisar a su hija Carmen", "no prestar más", "carné perdido", "moroso según Paco")),
        },
    )


def sports_tracking() -> Made:
    d = Draw(450, 405)
    return made_of(
        "records",
        {
            "athlete": ("ip", repeated(d, [f"runner-{n}" for n in Draw(60, 1).numbers(1, 999)], 60)),
            "Bib#": ("i", d.numbers(1, 4000)),
            "Cat": ("q", d.of("M40", "F35", "M50", "F20")),
            "Club": ("q", d.of("LG Nord", "TSV 1860", "unattached", "AC Milano")),
            "Net time": ("qs", d.joined(":", d.numbers(1, 4), d.numbers(10, 59), d.numbers(10, 59))),
            "start_lat": ("i", d.numbers(47, 49, 6)),
            "start_lon": ("i", d.numbers(8, 11, 6)),
            "avg_hr": ("s", d.numbers(110, 180)),
            "VO2max": ("s", d.numbers(30, 68, 1)),
            "shoe": ("q", d.of("Pegasus", "Novablast", "Ghost")),
            "caption": ("i", d.of("Morning Run", "Lauf mit Anke", "tired...", "Long run w/ the boys", "Reha!")),
            "emergency_no": ("i", d.joined(" ", d.of("+49"), d.numbers(150, 179), d.numbers(1_000_000, 9_999_999))),
        },
    )


def municipal_fines() -> Made:
    d = Draw(380, 406)
    return made_of(
        "records",
        {
            "verbale": ("i", d.counting("V/2024/{:06d}", 31)),
            "trasgressore": (
                "i",
                d.joined(" ", d.words("MARCHETTI COLOMBO GALLO LOMBARDI"), d.words("LUDOVICA FABRIZIO AZZURRA")),
            ),
            "targa": ("i", d.joined("", d.of("FA", "GB", "EX"), d.numbers(100, 999), d.of("KL", "ZT", "WM"))),
            "articolo_cds": ("sq", d.of("142", "158", "7", "186")),
            "importo": ("s", [x.replace(".", ",") for x in d.of("42.00", "87.00", "173.00", "543.00")]),
            "via_infrazione": ("i", d.joined(" ", d.of("via Roma", "corso Italia", "viale Europa"), d.numbers(1, 200))),
            "ora": ("q", d.joined(":", d.numbers(10, 23), d.numbers(10, 59))),
            "punti": ("sq", d.of("0", "2", "3", "10")),
            "agente": ("i", d.of("0231", "0417", "0822", "0119")),
            "ricorso": ("sq", d.of("S", "N")),
            "eta_conducente": ("q", d.numbers(18, 90)),
        },
    )


def webshop_pl() -> Made:
    d = Draw(360, 407)
    return made_of(
        "records",
        {
            "nr_zam": ("i", d.counting("ZAM-{:06d}", 99_120)),
            "klient": (
                "i",
                d.joined(" ", d.words("Ewelina Sławomir Bożena Radosław"), d.words("Krawczyk Mazur Jankowski")),
            ),
            "e-mail": ("i", d.joined("", d.words("ewel slaw boz rad"), d.numbers(1, 999), d.of("@poczta.example"))),
            "data_zam": ("q", d.dates("%Y-%m-%d", "2024-01-01", 300)),
            "kwota_zl": ("s", [x.replace(".", ",") for x in d.skewed(180, 2)]),
            "platnosc": ("q", d.of("BLIK", "karta", "przelew", "pobranie")),
            "kategoria": ("q", d.of("zabawki", "odzież", "dom", "zdrowie")),
            "ulica": ("i", d.joined(" ", d.of("ul. Długa", "al. Niepodległości", "ul. Polna"), d.numbers(1, 150))),
            "wojew.": ("q", d.of("mazowieckie", "śląskie", "podkarpackie", "pomorskie")),
            "NIP": ("i", d.numbers(1_000_000_000, 9_999_999_999)),
            "opinia": (
                "i",
                d.sentences("szybka dostawa ale paczka była uszkodzona i kurier nie chciał czekać pod domem"),
            ),
        },
    )


def cohort_abbrev() -> Made:
    d = Draw(500, 408)
    return made_of(
        "records",
        {
            "pid": ("ip", d.counting("{:06d}", 100_231, 7)),
            "hid": ("h", [str(200_000 + r // 3) for r in range(500)]),
            "syear": ("q", d.of("2019", "2020", "2021")),
            "phrf": ("w", d.skewed(2500, 3)),
            "gebjahr": ("q", d.numbers(1930, 2003)),
            "pgisced": ("q", d.of("1", "2", "3", "4", "5", "6", "-1")),
            "pglabgro": ("s", d.skewed(2800)),
            "plh0182": ("sq", d.numbers(0, 11)),
            "ple0008": ("sq", d.of("1", "2", "3", "4", "5", "-1")),
            "bula": ("q", d.numbers(1, 17)),
            "migback": ("q", d.of("1", "2", "3")),
            "int_id": ("i", d.numbers(1000, 1090)),
        },
    )


def charity_donors() -> Made:
    d = Draw(330, 409)
    return made_of(
        "records",
        {
            "URN": ("i", d.numbers(100_000, 999_999)),
            "Addressee": (
                "i",
                d.joined(
                    " ",
                    d.of("Mr & Mrs", "Dr", "Lady"),
                    d.of(*"ABCDG"),
                    d.words("Fotheringham Okonkwo Szczepański Ó Briain"),
                ),
            ),
            "Addr1": (
                "i",
                d.joined(
                    " ",
                    d.of("The Old Rectory", "Flat 3", "Rose Cottage"),
                    d.of("Church Lane", "Station Rd", "The Green"),
                ),
            ),
            "Town": ("q", d.of("Ludlow", "Hexham", "Frome", "Totnes")),
            "P/code": ("q", d.of("SY8 1AA", "NE46 3NS", "BA11 1EB", "TQ9 5NE")),
            "GiftAid": ("qs", d.of("Y", "N")),
            "LastGift": ("s", d.numbers(5, 500)),
            "Legacy pledger": ("sq", d.of("Y", "N")),
            "WealthBand": ("s", d.of("A", "B", "C", "D")),
            "Relig.": ("s", d.of("CofE", "RC", "none", "Quaker")),
            "Phoned by": ("i", d.words("tracey gaz philippa moh")),
            "Call notes": (
                "i",
                d.of("left msg", "husband died in May", "v keen on donkeys", "call back", "do not ring before 10"),
            ),
        },
    )


def no_headers_german() -> Made:
    d = Draw(280, 410)
    return made_of(
        "records",
        {
            "Spalte1": ("i", d.joined(" ", d.words("Torsten Ute Malte Roswitha"), d.words("Kötter Hagedorn Jahnke"))),
            "Spalte2": ("q", d.of("weiblich", "männlich", "divers")),
            "Spalte3": ("q", d.dates("%d.%m.%y")),
            "Spalte4": ("q", d.of("10115", "10117", "10243", "10999", "12043")),
            "Spalte5": ("i", d.joined(" ", d.of("Torstr.", "Karl-Marx-Allee", "Sonnenallee"), d.numbers(1, 250))),
            "Spalte6": ("qs", [x.replace(".", ",") for x in d.skewed(2400, 2)]),
            "Spalte7": (
                "i",
                d.joined(
                    "",
                    d.of("DE"),
                    d.numbers(10, 99),
                    d.of(" 1001 0010 "),
                    d.numbers(1000, 9999),
                    d.of(" "),
                    d.numbers(1000, 9999),
                    d.of(" "),
                    d.numbers(10, 99),
                ),
            ),
            "Spalte8": (
                "qs",
                d.of("Diabetes mellitus Typ 2", "Asthma bronchiale", "arterielle Hypertonie", "Depression"),
            ),
            "Spalte9": ("i", uuids(d)),
            "Spalte10": ("i", hashes(d, 40)),
            "Spalte11": ("qs", d.of("ja", "nein")),
            "Spalte12": (
                "i",
                d.of("ok", "ruft zurück, Tochter erreicht", "nicht da", "will Frau Jahnke sprechen", "erledigt"),
            ),
        },
    )


FOURTH: dict[str, Callable[[], Made]] = {
    each.__name__: each
    for each in (
        lab_orders, payroll_switzerland, school_uk, library_es, sports_tracking, municipal_fines, webshop_pl,
        cohort_abbrev, charity_donors, no_headers_german,
    )
}  # fmt: skip
