"""A sixth batch: five times fresh tables, in nine languages, with what is easily given away.

Short answers with few different texts, logins, initials of staff, rooms, names in small letters. `init` was run on each
batch once before anything was mended, and these figures stand in `docs/init.md`; this is a part of them.
"""

from __future__ import annotations

from collections.abc import Callable

from support.first_tables import ES_FIRST, ES_LAST, IT_FIRST, IT_LAST, US_FIRST, US_LAST, Draw, Made
from support.third_contact import made_of

_TR = "Mehmet Fatma Mustafa Ayşe Emine Hatice Hüseyin Zeynep Elif İbrahim"
_PL = "Nowak Kowalski Wiśniewska Wójcik Kamiński Zieliński Mazur Dąbrowski"


def laboratory() -> Made:
    d = Draw(300, 601)
    return made_of(
        "records",
        {
            "MRN": ("i", d.counting("00{}", 412345, 7)),
            "DOB": ("q", d.dates("%m/%d/%Y")),
            "WBC": ("s", d.numbers(3, 12, 1)),
            "NA": ("s", d.numbers(130, 148)),
            "K": ("s", d.numbers(3, 6, 1)),
            "GLU": ("s", d.numbers(70, 200)),
            "HIV_AB": ("s", d.of("NONREACTIVE", "REACTIVE", odds=[0.95, 0.05])),
            "CLINIC": ("q", d.of("ED", "ICU", "4 West", "Outpatient")),
            "ORD_PROV": ("i", d.joined(", ", d.words(US_LAST), d.words(US_FIRST))),
            "TECH": ("i", d.words("jsm kpo adw mlb rtt")),
            "COLL_DT": ("q", d.dates("%d-%b-%y", "2024-01-01", 300)),
        },
    )


def study_without_words() -> Made:
    d = Draw(320, 602)
    return made_of(
        "records",
        {
            "ID": ("i", d.counting("{}")),
            "V1": ("q", d.of(1, 2)),
            "V2": ("q", d.numbers(18, 90)),
            **{f"v12{letter}": ("s", d.of(1, 2, 3, 4, 5, 9)) for letter in "abcd"},
            "V6": ("s", d.skewed(2000, 2)),
            "V7": ("i", d.of("", "mehr Busse bitte", "weniger Lärm im Viertel", "kein Müll auf der Straße")),
            "V8": ("i", d.words("svenja thies mbali olu yannic ragna")),
            "V9": ("i", d.words("amuller kkoch lschmidt tweber dfischer pwagner")),
            "V10": ("i", d.words("lk fm sb ar")),
            "V11": ("i", d.words("A B D G K M R T W")),
        },
    )


def pay_of_staff() -> Made:
    d = Draw(260, 603)
    return made_of(
        "records",
        {
            "EEID": ("i", d.counting("{}", 10021)),
            "LName": ("i", [name.upper() for name in d.words(US_LAST)]),
            "MI": ("i", d.words("A B C D E J L M R")),
            "Dept": ("q", d.of("4100 - Nursing", "4200 - Facilities", "4300 - IT")),
            "Gross YTD": ("s", d.skewed(50_000, 2)),
            "401k %": ("s", d.of(0, 3, 4, 5, 6, 10)),
            "Supv": ("i", d.joined(",", d.words(US_LAST), d.words(US_FIRST))),
            "Garnish": ("s", d.of("0.00", "120.50", "88.10", odds=[0.9, 0.05, 0.05])),
        },
    )


def care_home() -> Made:
    d = Draw(220, 604)
    return made_of(
        "records",
        {
            "Bewohner": ("i", d.joined(" ", d.words("Ilse Erna Kurt Hilde"), d.words("Voss Kern Lüders Thoma"))),
            "Zi.": ("i", d.words("101 102 103a 103b 204")),
            "Jahrg.": ("q", d.numbers(1925, 1950)),
            "PG": ("s", d.of(2, 3, 4, 5)),
            "Demenz": ("s", d.of("ja", "nein")),
            "Sturz 6M": ("s", d.numbers(0, 4)),
            "Gew.": ("q", [each.replace(".", ",") for each in d.numbers(45, 95, 1)]),
            "Konf.": ("s", d.words("ev rk keine musl")),
            "Betreuung durch": ("i", d.of("Tochter Ilse", "Sohn", "Frau Kern (Amt)", "RA Voss")),
            "Vorlieben": ("i", d.of("hört gern Schlager", "früher Bäcker", "Enkel Tim besucht sonntags")),
        },
    )


def orders_in_turkish() -> Made:
    d = Draw(280, 605)
    return made_of(
        "records",
        {
            "MUSTERI": ("i", d.joined(" ", d.words(_TR), d.words("Yılmaz Kaya Demir Çelik Şahin"))),
            "IL": ("q", d.words("İstanbul Ankara İzmir Adana")),
            "YAS": ("q", d.numbers(18, 70)),
            "KATEGORI": ("qs", d.of("Elektronik", "Giyim", "Kozmetik", "Kitap")),
            "TUTAR": ("s", d.skewed(300, 2)),
            "ODEME_TIPI": ("q", d.of("Kredi Kartı", "Havale", "Kapıda Ödeme")),
            "IADE": ("s", d.of("H", "E", odds=[0.9, 0.1])),
            "KAN_GRUBU": ("s", d.of("A Rh+", "0 Rh+", "B Rh+")),
            "SIPARIS_NOTU": ("i", d.of("", "kapıya bırakın", "komşuya verin", "zili çalmayın")),
        },
    )


def social_services() -> Made:
    d = Draw(260, 606)
    story = d.of("Il richiedente riferisce di aver perso il lavoro.", "Visita con la vicina presente, due minori.")
    return made_of(
        "records",
        {
            "Richiedente": ("i", d.joined(" ", d.words(IT_LAST), d.words(IT_FIRST))),
            "Nato il": ("q", d.dates("%d/%m/%Y")),
            "Nucleo": ("q", d.numbers(1, 8)),
            "Contributo": ("s", d.of("150,00", "300,00", "500,00")),
            "Motivo richiesta": ("s", d.words("affitto bollette alimenti")),
            "Violenza": ("s", d.of("no", "sì", odds=[0.9, 0.1])),
            "Esito": ("s", d.of("accolta", "respinta", "in corso")),
            "Relazione": ("i", story),
        },
    )


def workshop() -> Made:
    d = Draw(240, 607)
    ails = d.of("squeaks when braking", "shakes at 70 mph", "won't start in the morning", "smells, wife drives it")
    return made_of(
        "records",
        {
            "VIN": ("i", d.joined("", d.of("1HGCM"), d.numbers(100_000, 999_999))),
            "make": ("q", d.words("Honda Toyota Ford Kia")),
            "mdl": ("q", d.of("Civic", "Corolla", "F-150", "Soul")),
            "yr": ("q", d.numbers(2005, 2023)),
            "tot": ("s", d.skewed(300, 2)),
            "advisor": ("i", d.words("Rick Deb Marcus T.J.")),
            "complaint": ("i", ails),
            "client_notes": ("i", d.of("call son first", "owner cries easily", "dog bites", "cash only")),
        },
    )


def emergency_room() -> Made:
    d = Draw(320, 608)
    return made_of(
        "records",
        {
            "NHC": ("i", d.numbers(100_000, 999_999)),
            "Edad": ("q", d.numbers(0, 97)),
            "Triaje": ("s", d.of(1, 2, 3, 4, 5)),
            "TAS": ("s", d.numbers(90, 190)),
            "SatO2": ("s", d.numbers(85, 100)),
            "Motivo": ("s", d.of("dolor torácico", "disnea", "caída", "fiebre")),
            "Destino": ("s", d.words("domicilio ingreso traslado")),
            "Médico resp.": ("i", d.joined(", ", d.words(ES_LAST), d.words(ES_FIRST))),
            "Enf.": ("i", d.words("mgarcia jlopez aruiz pdiaz")),
        },
    )


def police_control() -> Made:
    d = Draw(240, 609)
    return made_of(
        "records",
        {
            "Kierujący": ("i", d.joined(" ", d.words("Anna Piotr Ewa Jan"), d.words(_PL))),
            "Wiek": ("q", d.numbers(18, 80)),
            "Pojazd": ("q", d.words("osobowy ciężarowy motocykl autobus")),
            "Wykroczenie": ("s", d.words("prędkość pasy telefon")),
            "Mandat zł": ("s", d.of(100, 200, 500, 1000)),
            "Funkcjonariusz": ("i", d.of("st. post. Wilk", "asp. Zając", "sierż. Lis")),
            "Uwagi": ("i", d.of("", "odmówił podpisu", "żona w ciąży")),
        },
    )


def survey_with_weights() -> Made:
    """Half of the columns share a scale, but the rows are people of a sample."""
    d = Draw(300, 610)
    return made_of(
        "records",
        {
            "respnr": ("i", d.counting("{}")),
            "weegfac": ("w", d.numbers(0.3, 3, 3)),
            "lftkl": ("q", d.of(1, 2, 3, 4, 5, 6)),
            "opl": ("q", d.of(1, 2, 3, 4, 5)),
            **{f"v12{letter}": ("s", d.of(1, 2, 3, 4, 5)) for letter in "abcd"},
            "v13_open": ("i", d.of("", "meer groen", "te druk", "buurman geeft overlast")),
            "gezond": ("s", d.of(1, 2, 3, 4, 5)),
        },
    )


def admissions() -> Made:
    d = Draw(300, 611)
    return made_of(
        "records",
        {
            "applicant_id": ("i", d.counting("A{}", 10_000_000, 3)),
            "home_state": ("q", d.words("CA TX NY FL")),
            "hs_gpa": ("s", d.numbers(2, 4, 2)),
            "essay_topic": ("i", d.joined(" ", d.of("losing", "moving with"), d.of("my brother", "my team", "Dad"))),
            "reader1": ("i", d.words("kb tjm sal rdp")),
            "reader1_score": ("s", d.of(1, 2, 3, 4, 5)),
            "decision": ("s", d.words("Deny Admit Waitlist")),
            "GANG": ("s", d.of("", "Y", odds=[0.9, 0.1])),
        },
    )


def headers_that_do_not_vouch() -> Made:
    """A word for a count, a birth or a job stands above an id, a wish and a story."""
    d = Draw(280, 613)
    shots = d.joined(" ", d.of("Grandma at", "Sunset over", "My dog in"), d.of("Coney Island", "Astoria", "the window"))
    return made_of(
        "records",
        {
            "NUMALLOC": ("i", d.numbers(1_000_000, 9_999_999)),
            "AGERESP": ("q", d.numbers(18, 80)),
            "MTAPL": ("s", d.of("0.00", "120.50", "230.10", "310.00")),
            "birth_plan": ("i", d.of("water birth please", "no epidural", "mum to attend", "husband faints")),
            "best shot title": ("i", shots),
            "consultant_inits": ("i", d.words("PRB SKM JAH LTO")),
        },
    )


def stars_of_films() -> Made:
    d = Draw(900, 612)
    return made_of(
        "ratings",
        {
            "usr": ("p", d.joined("", d.of("u"), d.numbers(1, 150))),
            "film_id": ("t", d.numbers(1, 40)),
            "sterne": ("r", d.of(1, 2, 3, 4, 5)),
            "datum": ("i", d.dates("%Y-%m-%d", "2022-01-01", 700)),
        },
    )


SIXTH: dict[str, Callable[[], Made]] = {
    make.__name__: make
    for make in (
        laboratory, study_without_words, pay_of_staff, care_home, orders_in_turkish, social_services, workshop,
        emergency_room, police_control, survey_with_weights, admissions,
        headers_that_do_not_vouch, stars_of_films,
    )
}  # fmt: skip
