"""Six more tables for `tacit init`, written after its rules and never used to change them but for plain mistakes."""

from __future__ import annotations

from collections.abc import Callable

from support.first_tables import Draw, Made, roles_of


def dutch_practice() -> Made:
    draw = Draw(300, 21)
    last = draw.of("de Vries", "van der Meer", "Bakker", "Yıldız", "Jansen", "van den Berg", "Hoekstra", "El Amrani")
    columns = {
        "BSN": [str(each) for each in (int(n) for n in draw.numbers(100_000_000, 899_999_999))],
        "Achternaam": last,
        "Voorletters": draw.of("J.P.", "M.", "A.B.", "K.", "S.T."),
        "Geb.datum": draw.dates("%d-%m-%Y"),
        "Geslacht": draw.of("man", "vrouw"),
        "Postcode": draw.joined(" ", draw.numbers(1000, 1030), draw.of("AB", "CD", "EX", "ZZ")),
        "Huisnr": draw.numbers(1, 300),
        "Verzekeraar": draw.of("CZ", "VGZ", "Menzis", "Zilveren Kruis"),
        "ICPC": draw.of("K86", "T90", "R96", "L84", "P76", "A04"),
        "ATC-code": draw.of("C09AA02", "A10BA02", "R03AC02", "N02BE01", "N06AB04", "C07AB02"),
        "Bloeddruk": draw.numbers(95, 180),
        "Opmerkingen": draw.sentences("de patient heeft last van pijn in het been en wil niet met medicatie beginnen"),
    }
    return Made("records", columns, {
        **roles_of(identifier="BSN Achternaam Voorletters Huisnr Opmerkingen", sensitive="ATC-code Bloeddruk"),
        **roles_of(quasi="Geb.datum Geslacht Postcode Verzekeraar"), "ICPC": "sensitive|quasi"})  # fmt: skip


def portuguese_loans() -> Made:
    draw = Draw(400, 22)
    columns = {
        "num_contrato": draw.counting("{}", 880012, 17),
        "NIF": draw.numbers(200_000_000, 299_999_999),
        "nome_completo": draw.joined(
            " ", draw.words("Ana Rui Joana Tiago Inês Vasco"), draw.words("Silva Matos Gonçalves Faria Brandão")),
        "data_nascimento": draw.dates("%Y-%m-%d"),
        "sexo": draw.of("F", "M"),
        "estado_civil": draw.of("solteiro", "casado", "divorciado", "viúvo"),
        "profissao": draw.of("professor", "motorista", "enfermeiro", "vendedor", "engenheiro"),
        "concelho": draw.of("Sintra", "Amadora", "Loures", "Almada", "Seixal", "Oeiras"),
        "rendimento_mensal": [each.replace(".", ",") for each in draw.skewed(1200, 2)],
        "valor_emprestimo": draw.skewed(90_000),
        "prazo_meses": draw.of(120, 180, 240, 300, 360),
        "IBAN": [f"PT{98 - (int(f'{n:021d}252900') % 97):02d}{n:021d}" for n in range(10**18, 10**18 + 400 * 7, 7)],
        "incumprimento": draw.of("sim", "não", odds=(0.1, 0.9)),
        "email": [f"cliente{n}@correio.example" for n in range(400)],
    }  # fmt: skip
    return Made("records", columns, {
        **roles_of(identifier="num_contrato NIF nome_completo IBAN email"),
        **roles_of(sensitive="rendimento_mensal valor_emprestimo"),
        **roles_of(quasi="data_nascimento sexo estado_civil profissao concelho prazo_meses"),
        "incumprimento": "sensitive|quasi"})  # fmt: skip


def hotel_guests() -> Made:
    draw = Draw(260, 23)
    columns = {
        "booking_ref": draw.counting("BK{:07X}", 99_000, 191),
        "guest": draw.joined(" ", draw.words("Tom Yuki Ravi Elif Ana"), draw.words("Hale Sato Iyer Demir Zielinski")),
        "nationality": draw.of("British", "Japanese", "Indian", "Turkish", "Spanish", "Polish"),
        "passport": draw.joined("", draw.of("X", "P", "K"), draw.numbers(1_000_000, 9_999_999)),
        "date of birth": draw.dates("%Y-%m-%d"),
        "check in": draw.dates("%Y-%m-%d", "2024-01-01", 300),
        "nights": draw.numbers(1, 15),
        "room type": draw.of("single", "double", "suite"),
        "room rate": draw.of(80, 95, 120, 160, 240),
        "mobile": draw.joined(" ", draw.of("+44 7700"), draw.numbers(100_000, 999_999)),
        "home address": draw.joined(" ", draw.numbers(1, 400), draw.of("Elm Road", "Rue Haute", "Park Lane")),
        "credit card": [f"4{n:015d}" for n in range(10**13, 10**13 + 260 * 37, 37)],
        "special requests": draw.sentences("we would like a quiet room with a view of the sea and a bed for the baby"),
    }  # fmt: skip
    roles = dict.fromkeys(("booking_ref", "guest", "passport", "mobile", "home address", "credit card",
                           "special requests"), "identifier")  # fmt: skip
    quasi = dict.fromkeys(("nationality", "date of birth", "check in", "nights", "room type"), "quasi")
    return Made("records", columns, roles | quasi | {"room rate": "sensitive|quasi"})


def expenditure_survey() -> Made:
    draw = Draw(500, 24)
    columns = {
        "urbrur": draw.of(1, 2),
        "roof": draw.of(2, 4, 5, 6, 9),
        "walls": draw.of(2, 3, 9),
        "water": draw.of(1, 2, 3, 4, 8),
        "electcon": draw.of(0, 1, 2),
        "relat": draw.of(*range(1, 8)),
        "sex": draw.of(1, 2),
        "age": draw.numbers(0, 96),
        "hhcivil": draw.of(1, 2, 3, 4),
        "expend": draw.skewed(50_000_000),
        "income": draw.skewed(60_000_000),
        "savings": draw.skewed(5_000_000),
        "ori_hid": [str(row // 4 + 1) for row in range(500)],
        "sampling_weight": draw.of(50, 60, 75, 100),
        "household_weights": draw.of(25.0, 16.667, 20.0),
    }
    return Made("records", columns, {
        **roles_of(quasi="urbrur roof walls water electcon relat sex age hhcivil", sensitive="expend income savings"),
        **roles_of(weight="sampling_weight household_weights"), "ori_hid": "household|identifier"})  # fmt: skip


def library_loans() -> Made:
    draw = Draw(800, 25)
    columns = {
        "Leser-Nr": draw.of(*(str(40_000 + 3 * n) for n in range(120))),
        "Buch": draw.of(*(f"ISBN 97{n:06d}" for n in range(70))),
        "Ausleihdatum": draw.dates("%d.%m.%Y", "2024-01-01", 200),
    }
    return Made("baskets", columns, {"Leser-Nr": "person", "Buch": "items", "Ausleihdatum": "identifier"})


def shouting_export() -> Made:
    """Capitals, abbreviations, and names with few different values."""
    draw = Draw(450, 26)
    columns = {
        "PAT_NACHNAME": [
            name.upper() for name in draw.words("Aydın Böhm Czerny Dietz Eder Frühauf Gruber Hájek Imhof")
        ],
        "PAT_VORNAME": draw.words("Mia Noah Zoe Ole Ida Finn Ella Jan"),
        "PAT_GEBDAT": draw.dates("%Y%m%d"),
        "GESCHL_KZ": draw.of("1", "2"),
        "STAT_BEZ": draw.of("Innere", "Chirurgie", "Geriatrie"),
        "ARZT_KUERZEL": draw.of("MUE", "SCH", "KRA", "BEC"),
        "ICD_HAUPT": draw.of("I50.1", "J44.0", "I21.4", "N18.5", "C34.9", "E86"),
        "OPS_CODE": draw.of("5-511.1", "1-632.0", "8-930", "5-820.0"),
        "KG": draw.numbers(45, 120),
        "CM": draw.numbers(150, 200),
        "RR_SYS": draw.numbers(95, 180),
        "ENTL_GRUND": draw.of("01", "02", "07", odds=(0.8, 0.15, 0.05)),
        "KOSTEN_EUR": [each.replace(".", ",") for each in draw.skewed(4000, 2)],
    }
    return Made("records", columns, {
        **roles_of(identifier="PAT_NACHNAME PAT_VORNAME", identifier_or_quasi="ARZT_KUERZEL OPS_CODE STAT_BEZ"),
        **roles_of(quasi="PAT_GEBDAT GESCHL_KZ KG CM", sensitive="ICD_HAUPT RR_SYS KOSTEN_EUR"),
        "OPS_CODE": "sensitive|quasi", "ENTL_GRUND": "sensitive|quasi", "STAT_BEZ": "quasi"})  # fmt: skip


UNSEEN: dict[str, Callable[[], Made]] = {
    made.__name__: made
    for made in (dutch_practice, portuguese_loans, hotel_guests, expenditure_survey, library_loans, shouting_export)
}
