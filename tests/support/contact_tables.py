"""Tables that `tacit init` had not seen when they were written: the first batch of what strangers may bring.

Roles are what somebody who knows the table would say; what init made of them at first is in docs/init.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from support.first_tables import ES_FIRST, ES_LAST, US_FIRST, US_LAST, Draw, Made, roles_of

PL_FIRST = "Agnieszka Bartosz Celina Dawid Ewa Filip Grażyna Hubert Iwona Jacek Kinga Łukasz Małgorzata Norbert Oliwia"
PL_LAST = "Nowak Kowalska Wiśniewski Wójcik Kamiński Lewandowska Zieliński Szymańska Woźniak Dąbrowski Kozłowska Mazur"
NL_FIRST = "Daan Femke Sjoerd Anouk Bram Lotte Ruben Sanne Thijs Marloes Jeroen Wouter Fleur Maarten Esmée"
NL_LAST = "de Vries|van den Berg|Bakker|Visser|Smit|Meijer|de Boer|Mulder|Bos|Vos|Peters|Hendriks|Dekker|Brouwer"
SE_FIRST = "Astrid Lars Ingrid Nils Maja Gustav Elsa Axel Freja Oskar Linnéa Viggo"
SE_LAST = "Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson"


def _eleven_proof(draw: Draw) -> list[str]:
    """Dutch citizens' numbers that pass their check."""
    made = []
    while len(made) < draw.rows:
        digits = [int(each) for each in draw.rng.integers(0, 10, 8)]
        check = sum(d * f for d, f in zip(digits, range(9, 1, -1), strict=True)) % 11
        if check < 10 and digits[0]:
            made.append("".join(map(str, [*digits, check])))
    return made


def _codice(draw: Draw) -> list[str]:
    letters = list("BCDFGLMNPRSTVZ")
    return [
        "".join(draw.rng.choice(letters, 6))
        + f"{draw.rng.integers(20, 99):02d}"
        + str(draw.rng.choice(list("ABCDEHLMPRST")))
        + f"{draw.rng.integers(1, 28):02d}"
        + str(draw.rng.choice(list("FHLG")))
        + f"{draw.rng.integers(100, 999)}"
        + str(draw.rng.choice(letters))
        for _ in range(draw.rows)
    ]


def _dni(draw: Draw) -> list[str]:
    numbers = draw.rng.integers(10_000_000, 80_000_000, draw.rows)
    return [f"{each}{'TRWAGMYFPDXBNJZSQVHLCKE'[each % 23]}" for each in numbers]


def _some(draw: Draw, values: Sequence[str], share: float) -> list[str]:
    """The values, and nothing in some rows."""
    return [each if draw.rng.random() < share else "" for each in values]


def padron() -> Made:
    """A Spanish municipal register."""
    draw = Draw(420, 101)
    columns = {
        "NHOP": [str(200 + row // 3) for row in range(draw.rows)],
        "NIA": draw.counting("{:07d}", 310_225, 7),
        "PARTI1": draw.of("", "", "DE", "DE LA"),
        "APE1": [each.upper() for each in draw.words(ES_LAST)],
        "APE2": [each.upper() for each in draw.words(ES_LAST)],
        "NOMB": [each.upper() for each in draw.words(ES_FIRST)],
        "DNI/NIE": _dni(draw),
        "FNAC": draw.dates("%d/%m/%Y"),
        "SEXO": draw.of("H", "M"),
        "NACI": draw.of("ESPAÑA", "MARRUECOS", "RUMANÍA", "ECUADOR", odds=(0.8, 0.1, 0.05, 0.05)),
        "CVIA": draw.of("CALLE", "AVDA", "PLAZA", "CMNO"),
        "VIA": draw.of("MAYOR", "DEL SOL", "CONSTITUCIÓN", "DOS DE MAYO", "SAN ISIDRO", "LAS ERAS", "DEL POZO"),
        "NUMER": draw.numbers(1, 80),
        "PISO": draw.of("1º A", "1º B", "BAJO", "2º C", "3º D", ""),
        "DIST-SECC": draw.of("01-001", "01-002", "02-001", "02-003"),
        "NESTUD": draw.of("10", "20", "30", "41", "48"),
        "FALTA": draw.dates("%d/%m/%Y", "1996-05-01", 9000),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="NIA APE1 APE2 NOMB DNI/NIE VIA", quasi="FNAC SEXO NACI NESTUD FALTA DIST-SECC"),
            **roles_of(identifier_or_quasi="PARTI1 CVIA NUMER PISO", household_or_identifier="NHOP"),
        },
    )


def huisartsen() -> Made:
    """A Dutch practice, one line a contact."""
    draw = Draw(500, 102)
    columns = {
        "BSN": _eleven_proof(draw),
        "Voorl.": draw.of("A.B.", "C.", "J.M.", "P.", "H.K.", "M."),
        "Achternaam": draw.of(*NL_LAST.split("|")),
        "Gebdat": draw.dates("%d-%m-%Y"),
        "M/V": draw.of("M", "V"),
        "PC": draw.joined("", draw.numbers(3500, 3599), draw.of("AB", "KL", "XZ", "HG")),
        "Huisnr": draw.numbers(1, 200),
        "Contactdatum": draw.dates("%d-%m-%Y", "2023-01-01", 365),
        "Soort": draw.of("C", "V", "T", "E"),
        "ICPC": draw.of("R05", "K86", "T90.02", "L03", "P76", "S88", "U71", "D01"),
        "ATC": draw.of("", "C07AB02", "A02BC01", "N02BE01", "R03AC02"),
        "S-regel": draw.sentences(
            "mevrouw komt met hoest en is moe sinds een week ook koorts geen pijn bij het plassen"
        ),
        "Mdw": draw.of("FvdB", "SK", "HJa"),
        "Verz.": draw.of("VGZ", "CZ", "Menzis", "Zilveren Kruis"),
    }
    return Made(
        "records",
        columns,
        {
            **dict.fromkeys(("BSN", "Voorl.", "Achternaam", "Huisnr", "S-regel"), "identifier"),
            **dict.fromkeys(("Gebdat", "M/V", "PC", "Contactdatum", "Soort", "Verz."), "quasi"),
            "ICPC": "sensitive",
            "ATC": "sensitive",
            "Mdw": "identifier|quasi",
        },
    )


def szkola() -> Made:
    """A Polish list of pupils: a language without a word list."""
    draw = Draw(260, 103)
    columns = {
        "Lp.": draw.counting("{}"),
        "Nazwisko": draw.words(PL_LAST),
        "Imię": draw.words(PL_FIRST),
        "PESEL": draw.joined("", draw.numbers(10, 14), draw.of("21", "25", "31"), draw.numbers(1_000_000, 9_999_999)),
        "Data urodzenia": draw.dates("%d.%m.%Y", "2009-01-01", 1500),
        "Płeć": draw.of("K", "M"),
        "Klasa": draw.of("6a", "6b", "7a", "7b", "8c"),
        "Adres zamieszkania": draw.joined(
            " ", draw.of("ul. Długa", "ul. Polna", "os. Leśne", "al. Lipowa"), draw.numbers(1, 90)
        ),
        "Telefon rodzica": draw.joined(" ", draw.numbers(500, 899), draw.numbers(100, 999), draw.numbers(100, 999)),
        "Średnia ocen": [each.replace(".", ",") for each in draw.numbers(2, 6, 2)],
        "Zachowanie": draw.of("wzorowe", "bardzo dobre", "dobre", "poprawne"),
        "Wychowawca": draw.joined(" ", draw.words(PL_FIRST), draw.words(PL_LAST)),
        "Dysleksja": draw.of("tak", "nie", odds=(0.15, 0.85)),
    }
    return Made(
        "records",
        columns,
        {
            **dict.fromkeys(
                ("Lp.", "Nazwisko", "Imię", "PESEL", "Adres zamieszkania", "Telefon rodzica", "Wychowawca"),
                "identifier",
            ),
            **dict.fromkeys(("Data urodzenia", "Płeć", "Klasa"), "quasi"),
            **dict.fromkeys(("Średnia ocen", "Zachowanie", "Dysleksja"), "sensitive|quasi"),
        },
    )


def lab_long() -> Made:
    """A row for each result of a laboratory."""
    draw = Draw(900, 104)
    mrn = [f"M{700_000 + 13 * (row // 6)}" for row in range(draw.rows)]
    columns = {
        "mrn": mrn,
        "accession": draw.counting("L24-{:06d}", 5200),
        "collected_at": draw.joined(" ", draw.dates("%Y-%m-%d", "2024-01-01", 300), draw.of("07:12", "08:40", "13:05")),
        "loinc": draw.of("2345-7", "718-7", "2160-0", "4548-4", "1742-6", "2951-2"),
        "component": draw.of("Glucose", "Hemoglobin", "Creatinine", "HbA1c", "ALT", "Sodium"),
        "value": draw.skewed(10, 1),
        "unit": draw.of("mg/dL", "g/dL", "mmol/L", "%", "U/L"),
        "flag": draw.of("", "H", "L", odds=(0.8, 0.15, 0.05)),
        "ordering_provider": draw.joined(", ", draw.words(US_LAST), draw.words(US_FIRST)),
        "ward": draw.of("4W", "ICU", "ED", "OPD"),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="accession ordering_provider", identifier_or_person="mrn"),
            **roles_of(quasi="ward", quasi_or_sensitive="loinc component unit flag collected_at", sensitive="value"),
            "collected_at": "quasi|identifier",
        },
    )


def mitarbeiter() -> Made:
    """A list of staff whose names stand in odd columns."""
    draw = Draw(310, 105)
    people = draw.joined(
        " ",
        draw.words("Anke Bernd Clara Dirk Eva Frank Gisela Holger"),
        draw.words("Albrecht Böttcher Carstens Dorn Ehlers Franke Gerlach Hinz"),
    )
    columns = {
        "Mitarbeiter/in": [
            f"{name} ({number})" for name, number in zip(people, draw.counting("{}", 4711), strict=True)
        ],
        "Kürzel": ["".join(part[:2] for part in name.split()) for name in people],
        "Abteilung": draw.of("Vertrieb", "Einkauf", "IT", "Lager", "Personal"),
        "Leitung": draw.joined(" ", draw.of("Hr.", "Fr."), draw.words("Dorn Ehlers Franke")),
        "Vertretung durch": people[::-1],
        "Eintritt": draw.dates("%d.%m.%y", "1995-01-01", 9000),
        "Wochenstunden": [each.replace(".", ",") for each in draw.of("38.5", "20.0", "30.0", "19.25")],
        "Entgeltgruppe": draw.of("E5", "E8", "E9b", "E11", "E13"),
        "Jahresbrutto": [f"{int(each):,}".replace(",", ".") + ",00 €" for each in draw.skewed(48_000)],
        "Steuer-ID": draw.numbers(10_000_000_000, 99_999_999_999),
        "SB": draw.of("ja", "nein", odds=(0.07, 0.93)),
        "Krankheitstage 2023": draw.numbers(0, 40),
        "Firmenwagen": draw.joined("", draw.of("HH-AB ", "HH-XY ", ""), draw.numbers(100, 999)),
    }
    return Made(
        "records",
        columns,
        {
            **dict.fromkeys(
                ("Mitarbeiter/in", "Kürzel", "Leitung", "Vertretung durch", "Steuer-ID", "Firmenwagen"), "identifier"
            ),
            **dict.fromkeys(("Abteilung", "Eintritt", "Wochenstunden", "Entgeltgruppe"), "quasi"),
            "Jahresbrutto": "sensitive",
            "SB": "quasi|sensitive",
            "Krankheitstage 2023": "sensitive|quasi",
        },
    )


def voters() -> Made:
    """A file of voters in the United States."""
    draw = Draw(600, 106)
    columns = {
        "VUID": draw.numbers(1_000_000_000, 2_100_000_000),
        "LNAME": [each.upper() for each in draw.words(US_LAST)],
        "FNAME": [each.upper() for each in draw.words(US_FIRST)],
        "MNAME": draw.of("A", "J", "LYNN", "MARIE", "", "L"),
        "SUFFIX": draw.of("", "", "", "JR", "SR", "III"),
        "RES_ADDR1": draw.joined(
            " ", draw.numbers(100, 9999), draw.of("OAK ST", "ELM AVE", "N MAIN ST", "COUNTY RD 12")
        ),
        "RES_CITY": draw.of("AUSTIN", "ROUND ROCK", "PFLUGERVILLE", "CEDAR PARK"),
        "RES_ZIP5": draw.of("78701", "78660", "78613", "78681", "78704"),
        "DOB": draw.dates("%m/%d/%Y"),
        "GENDER": draw.of("F", "M", "U"),
        "EDR": draw.dates("%m/%d/%Y", "1980-01-01", 15_000),
        "PCT": draw.of("101", "102", "226", "337", "412"),
        "PARTY": draw.of("DEM", "REP", "LIB", "", odds=(0.4, 0.4, 0.02, 0.18)),
        "G20": draw.of("V", "M", "", "A"),
        "P22": draw.of("D", "R", "", odds=(0.2, 0.2, 0.6)),
        "STATUS_CODE": draw.of("A", "S", odds=(0.9, 0.1)),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="VUID LNAME FNAME RES_ADDR1", identifier_or_quasi="MNAME SUFFIX", sensitive="PARTY"),
            **roles_of(quasi="RES_CITY RES_ZIP5 DOB GENDER EDR PCT", quasi_or_sensitive="G20 P22 STATUS_CODE"),
        },
    )


def claims() -> Made:
    """Claims of an insurance, with codes of several systems."""
    draw = Draw(700, 107)
    columns = {
        "CLM_ID": draw.counting("{}", 887_123_400_001, 17),
        "MBI": draw.joined("", draw.of("1EG4", "2AB7", "3CX9"), draw.of("TE5", "KD2", "MN8"), draw.numbers(1000, 9999)),
        "BENE_BIRTH_DT": draw.dates("%Y%m%d", "1925-01-01", 12_000),
        "BENE_SEX_IDENT_CD": draw.of("1", "2"),
        "BENE_RACE_CD": draw.of("1", "2", "3", "5"),
        "SP_STATE_CODE": draw.of("05", "33", "10", "45"),
        "CLM_FROM_DT": draw.dates("%Y%m%d", "2008-01-01", 700),
        "PRVDR_NUM": draw.of(*(f"{n}" for n in range(330_101, 330_160, 3))),
        "AT_PHYSN_NPI": draw.numbers(1_000_000_000, 1_999_999_999),
        "ICD9_DGNS_CD_1": draw.of("4019", "25000", "2724", "V5861", "42731", "4280"),
        "HCPCS_CD": draw.of("99213", "99214", "80053", "G0008", "36415"),
        "NDC": draw.of("00093-1048-01", "00378-0321-10", "63304-0827-90", "55111-0158-60"),
        "CLM_PMT_AMT": draw.skewed(300, 2),
        "UTLZTN_DAY_CNT": draw.numbers(0, 30),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="CLM_ID MBI AT_PHYSN_NPI", identifier_or_quasi="PRVDR_NUM"),
            **roles_of(quasi="BENE_BIRTH_DT BENE_SEX_IDENT_CD BENE_RACE_CD SP_STATE_CODE CLM_FROM_DT"),
            **roles_of(sensitive="ICD9_DGNS_CD_1 CLM_PMT_AMT", sensitive_or_quasi="HCPCS_CD NDC UTLZTN_DAY_CNT"),
        },
    )


def traces() -> Made:
    """Where phones were, and when."""
    draw = Draw(1000, 108)
    columns = {
        "device": draw.of(*(f"{n:x}" for n in range(0xA3F19C, 0xA3F19C + 40))),
        "ts": draw.numbers(1_700_000_000, 1_702_000_000),
        "lat": draw.numbers(52.3, 52.7, 5),
        "lon": draw.numbers(13.1, 13.7, 5),
        "accuracy_m": draw.numbers(3, 60),
        "speed": draw.numbers(0, 28, 1),
        "mode": draw.of("walk", "bus", "car", "bike"),
        "home_cell": draw.of("u33d", "u33e", "u336", "u337"),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="lat lon", identifier_or_person="device", identifier_or_quasi="ts"),
            **roles_of(quasi="accuracy_m speed mode home_cell"),
        },
    )


def access_log() -> Made:
    """A log of a web server."""
    draw = Draw(800, 109)
    agents = (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36",
        "Mozilla/5.0 (X11; Linux x86_64)",
        "curl/8.5.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15",
    )
    columns = {
        "remote": draw.joined(".", draw.of("84", "91", "2"), draw.numbers(1, 250), draw.numbers(1, 250), draw.of("7")),
        "v6": draw.joined(":", draw.of("2001:db8", "fe80:"), draw.of("a1", "b2"), draw.of("0", "12ab"), draw.of("1")),
        "mac": draw.joined(":", *(draw.of("0a", "1f", "b3", "c4", "7e") for _ in range(6))),
        "user": draw.of("-", "-", "jdoe", "mmuster", "k.tanaka", "svc_backup"),
        "time": draw.dates("[%d/%b/%Y:10:15:32 +0100]", "2024-03-01", 30),
        "method": draw.of("GET", "POST", "HEAD"),
        "path": draw.of("/", "/login", "/cart", "/search?q=shoes", "/account/1881", "/account/2012"),
        "status": draw.of(200, 301, 404, 500),
        "bytes": draw.skewed(4000),
        "referer": draw.of("-", "https://example.org/", "https://example.com/a?u=17"),
        "agent": draw.of(*agents),
        "session": [f"{int(n):032x}" for n in draw.rng.integers(1 << 40, 1 << 60, draw.rows)],
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="remote v6 mac user session referer", identifier_or_quasi="agent time"),
            **roles_of(quasi_or_sensitive="method status bytes", identifier_or_quasi_or_sensitive="path"),
        },
    )


def followers() -> Made:
    """People of a social network, by handles and nicknames."""
    draw = Draw(400, 110)
    stems = draw.words("sunny dark_knight moon.child xX_slayer coffeeaddict the_real gamer night-owl pixel lil")
    columns = {
        "handle": [f"@{stem}{number}" for stem, number in zip(stems, draw.numbers(1, 999), strict=True)],
        "display": draw.joined(
            " ", draw.words("✨Lena Big_Joe Chris🔥 mia. Tom-Tom Ari"), draw.of("", "☀", "xo", "🇩🇪")
        ),
        "aka": draw.words("Bunny Ace Doc Smokey Tiny Red Slim Peaches Buzz"),
        "bio": draw.sentences("love my dog and coffee living in the city views are my own dm for collabs he him"),
        "joined": draw.dates("%b %Y", "2012-01-01", 4000),
        "followers": draw.skewed(300),
        "verified": draw.of("True", "False", odds=(0.05, 0.95)),
        "lang": draw.of("en", "de", "pt", "tr"),
        "avatar": [f"https://cdn.example/a/{n}.jpg" for n in draw.numbers(10_000, 99_999)],
        "employer": draw.of("Siemens", "Lidl", "self", "Uni Mainz", "", "ACME GmbH", "Deutsche Bahn"),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="handle display bio avatar aka", quasi="joined lang"),
            **roles_of(quasi_or_sensitive="followers verified"),
            **roles_of(quasi_or_identifier="employer"),
        },
    )


def garage() -> Made:
    """Cars and their keepers."""
    draw = Draw(330, 111)
    vin = ["".join(draw.rng.choice(list("ABCDEFGHJKLMNPRSTUVWXYZ0123456789"), 17)) for _ in range(draw.rows)]
    columns = {
        "Kennzeichen": draw.joined("", draw.of("B-", "M-", "HH-"), draw.of("AB ", "XK ", "T "), draw.numbers(1, 9999)),
        "FIN": vin,
        "Halter": draw.joined(" ", draw.words(SE_FIRST), draw.words(SE_LAST)),
        "IBAN": ["DE89370400440532013000", "FR1420041010050500013M02606", "NL91ABNA0417164300"] * 110,
        "Erstzulassung": draw.dates("%m/%Y", "2003-01-01", 7000),
        "Marke": draw.of("VW", "BMW", "Opel", "Dacia", "Skoda"),
        "km-Stand": [f"{int(each):,}".replace(",", ".") for each in draw.skewed(90_000)],
        "HU bis": draw.dates("%m.%y", "2024-01-01", 700),
        "Rechnung netto": [f"{float(each):.2f} €".replace(".", ",") for each in draw.skewed(400, 2)],
        "Mangel": draw.of("Bremse vorn", "Ölverlust", "kein", "Reifen", "Licht hinten links", "Auspuff"),
    }
    return Made(
        "records",
        columns,
        {
            **dict.fromkeys(("Kennzeichen", "FIN", "Halter", "IBAN"), "identifier"),
            **dict.fromkeys(("Erstzulassung", "Marke", "HU bis"), "quasi"),
            "km-Stand": "quasi|sensitive",
            "Rechnung netto": "sensitive|quasi",
            "Mangel": "quasi|identifier",
        },
    )


def complaints() -> Made:
    """Short complaints, some of which name people."""
    draw = Draw(300, 112)
    said = draw.of(
        "too loud",
        "Mr. Okafor shouted at me",
        "late again",
        "dog on stairs, flat 12",
        "heating broken",
        "call me 0171 555123",
        "rude to Mrs. Lindqvist",
        "no reply",
        "smell in hall",
        "broken lift",
        "ask Petra in 4B",
        "mail: k.lund@post.example",
        "parking",
    )
    columns = {
        "case": draw.counting("2024/{:04d}"),
        "what happened": said,
        "initials": draw.of("J.K.", "M.B.", "A.L.", "P.O.", "S.T.", "R.W."),
        "unit": draw.of("1A", "2B", "3C", "4B", "12", "7"),
        "severity": draw.of("low", "medium", "high"),
        "tenant since": draw.numbers(1985, 2024),
        "handled by": draw.of("Ines", "Tariq", "Wanda"),
        "closed": draw.of("y", "n"),
    }
    return Made(
        "records",
        columns,
        {
            **dict.fromkeys(("case", "what happened", "initials", "handled by"), "identifier"),
            **dict.fromkeys(("severity", "closed"), "quasi|sensitive"),
            "tenant since": "quasi",
            "unit": "identifier|quasi",
        },
    )


def likert7() -> Made:
    """Answers from 1 to 7 under headers that say nothing."""
    draw = Draw(280, 113)
    issues = {f"SC{block}_{number:02d}": draw.of(1, 2, 3, 4, 5, 6, 7, -1) for block in (1, 2) for number in range(1, 9)}
    columns = {
        "CASE": draw.counting("{}", 31),
        "SERIAL": [f"{int(each):06X}" for each in draw.rng.integers(1 << 20, 1 << 24, draw.rows)],
        "STARTED": draw.joined(" ", draw.dates("%d.%m.%Y", "2024-05-01", 20), draw.of("10:15", "18:44", "21:03")),
        **issues,
        "TIME_SUM": draw.numbers(120, 1500),
    }
    return Made(
        "ratings",
        columns,
        {**dict.fromkeys(issues, "rating"), **dict.fromkeys(("CASE", "SERIAL", "STARTED", "TIME_SUM"), "identifier")},
    )


def panel() -> Made:
    """A row a person and year."""
    draw = Draw(900, 114)
    columns = {
        "pid": [str(10_203 + 7 * (row // 5)) for row in range(draw.rows)],
        "hid": [str(900 + 3 * (row // 10)) for row in range(draw.rows)],
        "syear": [str(2015 + row % 5) for row in range(draw.rows)],
        "pgbilzeit": draw.of("7", "9", "10.5", "12", "15", "18", "-1"),
        "pglabgro": draw.numbers(0, 6000),
        "plh0182": draw.of(*range(11), -1, -2),
        "pgemplst": draw.of("1", "2", "4", "5"),
        "bula": draw.of(*range(1, 17)),
        "phrf": draw.skewed(2500, 4),
        "gebjahr": draw.numbers(1930, 2000),
    }
    return Made(
        "records",
        columns,
        {
            "pid": "identifier|person",
            "hid": "household|identifier",
            "phrf": "weight|identifier",
            **roles_of(quasi="syear pgbilzeit pgemplst bula gebjahr", quasi_or_sensitive="pglabgro plh0182"),
        },
    )


def web_shop() -> Made:
    """Orders with an address in a column of JSON."""
    draw = Draw(350, 115)
    to = [
        json.dumps({"to": name, "zip": code})
        for name, code in zip(
            draw.joined(" ", draw.words(US_FIRST), draw.words(US_LAST)), draw.numbers(10_000, 99_999), strict=True
        )
    ]
    lines = [json.dumps([{"sku": sku, "qty": 1}]) for sku in draw.of("A-1", "B-2", "C-3", "D-4")]
    columns = {
        "order": draw.counting("#{}", 10_045),
        "ship_to": to,
        "lines": lines,
        "note": _some(draw, draw.of("please ring twice", "leave with Mr. Hansen", "gift"), 0.3),
        "currency": draw.of("EUR", "USD"),
        "total": draw.skewed(80, 2),
        "coupon": draw.of("", "", "SPRING", "VIP10"),
        "placed": draw.dates("%Y-%m-%dT08:%M:00Z", "2024-01-01", 200),
        "first_order": draw.of("t", "f"),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="order ship_to note", identifier_or_quasi="lines placed", sensitive_or_quasi="total"),
            **roles_of(quasi="currency", quasi_or_sensitive="coupon first_order"),
        },
    )


def genotypes() -> Made:
    """Genotypes by the names of their places."""
    draw = Draw(250, 116)
    places = {
        f"rs{number}": draw.of(*pair)
        for number, pair in (
            (429358, ("TT", "CT", "CC")),
            (7412, ("CC", "CT", "TT")),
            (1801133, ("GG", "AG", "AA")),
            (1800562, ("GG", "GA", "AA")),
            (334, ("TT", "TA")),
        )
    }
    columns = {
        "IID": draw.counting("HG{:05d}", 96, 3),
        "FID": [f"F{row // 4:03d}" for row in range(draw.rows)],
        "PAT": draw.counting("HG{:05d}", 97, 3),
        "SEX": draw.of(1, 2),
        "PHENO": draw.of(1, 2),
        "POP": draw.of("GBR", "FIN", "CHS", "PUR"),
        **places,
        "PC1": draw.numbers(-0.05, 0.05, 6),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="IID PAT", household_or_identifier="FID", quasi="SEX POP"),
            **dict.fromkeys(("PHENO", *places), "sensitive|quasi"),
            "PC1": "identifier|sensitive|quasi",
        },
    )


def ids_of_europe() -> Made:
    """Numbers of citizens of several countries under headers that say nothing."""
    draw = Draw(260, 117)
    columns = {
        "Var1": _codice(draw),
        "Var2": draw.joined("-", draw.dates("%Y%m%d"), draw.numbers(1000, 9999)),
        "Var3": draw.joined(
            "", draw.of("AB", "JK", "QQ", "SZ"), draw.numbers(100_000, 999_999), draw.of("A", "B", "C")
        ),
        "Var4": draw.joined(
            "", draw.of("1", "2"), draw.numbers(40, 99), draw.of("01", "05", "11"), draw.numbers(10_000_000, 99_999_999)
        ),
        "Var5": draw.numbers(10_000_000_000, 99_999_999_999),
        "Var6": draw.joined("", draw.of("C01X", "L01X", "T220"), draw.numbers(10_000, 99_999)),
        "Var7": draw.of("a", "b", "c"),
        "Var8": draw.numbers(18, 90),
        "Var9": draw.dates("%d%m%y", "1950-01-01", 18_000),
        "Var10": draw.joined("/", draw.numbers(600_101, 991_231), draw.numbers(1000, 9999)),
    }
    return Made(
        "records",
        columns,
        {**roles_of(identifier="Var1 Var2 Var3 Var4 Var5 Var6 Var10", quasi="Var7 Var8", quasi_or_identifier="Var9")},
    )


def nothing_said() -> Made:
    """No header says anything."""
    draw = Draw(380, 118)
    columns = {
        "x_1": draw.numbers(1, 99),
        "x_2": draw.words(SE_LAST),
        "x_3": draw.of("Q1", "Q2", "Q3"),
        "x_4": draw.words(
            "Wrzeszcz Oliwa Brzeźno Zaspa Przymorze Żabianka Chełm Orunia Stogi Letnica Osowa Jasień Suchanino"
        ),
        "x_17": [
            f"{stem}.{last}".lower() for stem, last in zip(draw.words(SE_FIRST), draw.words(SE_LAST), strict=True)
        ],
        "x_18": draw.skewed(30_000),
        "x_19": [
            f"{first} said on {day} that {last} is better"
            for first, day, last in zip(draw.words(SE_FIRST), draw.dates("%d %B"), draw.words(SE_LAST), strict=True)
        ],
        "x_20": draw.of("+", "-", "0"),
        "x_21": draw.joined(" ", draw.of("E2", "N16", "SW1A"), draw.of("8JL", "5QT", "2AA", "4HX")),
        "x_22": draw.of("Acme Ltd", "Globex", "Initech plc", "Umbrella", "Hooli", "Stark & Sons"),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="x_2 x_17 x_19", identifier_or_quasi="x_4 x_22", quasi="x_1 x_3 x_20 x_21"),
            "x_18": "quasi|sensitive",
        },
    )


def posts() -> Made:
    """A log of posts."""
    draw = Draw(700, 119)
    columns = {
        "tweet_id": draw.numbers(1_500_000_000_000_000_000, 1_700_000_000_000_000_000),
        "author": draw.of(*(f"user_{n}" for n in range(80))),
        "created_at": draw.dates("%a %b %d 12:30:00 +0000 %Y", "2023-01-01", 300),
        "text": draw.sentences("just saw the match @kim_w what a day lol http://t.example/x1 so happy and tired"),
        "likes": draw.skewed(5),
        "reply_to": _some(draw, draw.of(*(f"user_{n}" for n in range(80))), 0.4),
        "source": draw.of("iPhone", "Android", "Web"),
    }
    return Made(
        "records",
        columns,
        {
            **roles_of(identifier="tweet_id text reply_to", identifier_or_person="author"),
            **roles_of(quasi="likes source", quasi_or_identifier="created_at"),
        },
    )


CONTACT: dict[str, Callable[[], Made]] = {
    made.__name__: made
    for made in (
        padron,
        huisartsen,
        szkola,
        lab_long,
        mitarbeiter,
        voters,
        claims,
        traces,
        access_log,
        followers,
        garage,
        complaints,
        likert7,
        panel,
        web_shop,
        genotypes,
        ids_of_europe,
        nothing_said,
        posts,
    )
}
