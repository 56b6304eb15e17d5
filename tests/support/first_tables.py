"""Tables as people have them, for `tacit init`: each with the kind of data and the role that every column should get.

Values are drawn from small lists with a fixed seed; no row is about anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

Column = Sequence[Any]
PUBLISHED = ("quasi", "sensitive", "items", "rating", "plain")


class Made(NamedTuple):
    """A table by column, its kind, the roles that are right for each column, and what must never be published."""

    kind: str
    columns: dict[str, Column]
    roles: dict[str, str]  # several, with a bar between, where more than one is right

    @property
    def private(self) -> set[str]:
        """Names, addresses, ids and free text."""
        never = {"identifier", "household", "weight", "person"}
        return {name for name, role in self.roles.items() if never.issuperset(role.split("|"))}


class Draw:
    """Columns of so many rows."""

    def __init__(self, rows: int, seed: int) -> None:
        self.rows, self.rng = rows, np.random.default_rng(seed)

    def of(self, *values: Any, odds: Sequence[float] | None = None) -> list[str]:
        return [str(value) for value in self.rng.choice(np.array(values, object), self.rows, p=odds)]

    def words(self, text: str) -> list[str]:
        return self.of(*text.split())

    def numbers(self, low: float, high: float, digits: int = 0) -> list[str]:
        drawn = self.rng.uniform(low, high, self.rows)
        return [str(int(each)) if not digits else f"{each:.{digits}f}" for each in drawn]

    def skewed(self, middle: float, digits: int = 0) -> list[str]:
        return [f"{each:.{digits}f}" for each in self.rng.lognormal(np.log(middle), 0.5, self.rows)]

    def dates(self, form: str, first: str = "1940-01-01", days: int = 25_000) -> list[str]:
        drawn = np.datetime64(first) + self.rng.integers(0, days, self.rows)
        return [day.strftime(form) for day in drawn.astype(object)]

    def counting(self, form: str, start: int = 1, step: int = 1) -> list[str]:
        return [form.format(start + step * row) for row in range(self.rows)]

    def joined(self, between: str, *parts: Sequence[str]) -> list[str]:
        return [between.join(row) for row in zip(*parts, strict=True)]

    def baskets(self, between: str, items: str, share: float = 0.3) -> list[str]:
        known = items.split()
        return [between.join(each for each in known if self.rng.random() < share) for _ in range(self.rows)]

    def sentences(self, words: str) -> list[str]:
        known = words.split()
        return [" ".join(self.rng.choice(known, self.rng.integers(5, 14))) for _ in range(self.rows)]


def roles_of(**groups: str) -> dict[str, str]:
    """Roles by column, from columns by role; a space between names, `_or_` for several roles."""
    return {name: role.replace("_or_", "|") for role, names in groups.items() for name in names.split()}


DE_FIRST = "Anna Björn Cem Dagmar Emil Frauke Gerd Heike Ingo Jutta Karl Lena Maik Nele Oskar Petra Ralf Silke Timo Ute"
DE_LAST = (
    "Fischer Müller Öztürk Schmidt Weber Lehmann Kowalski Vogt Zander Huber Nowak Brandt Krämer Seidel Pohl Maurer"
)
FR_FIRST = "Amélie Bruno Chloé Didier Élodie Fabien Gaëlle Hugo Inès Jérôme Karim Léa Mathis Nadia Océane Pascal Rémi"
FR_LAST = "Dupont Lefèvre Moreau Nguyen Petit Benali Rousseau Garnier Chevalier Bonnet Diallo Perrin Blanchard Colin"
US_FIRST = "James Maria Linda Robert Aisha Wei Carlos Emily Jamal Olivia Priya Noah Ethan Grace Kevin Laura Omar Ruth"
US_LAST = "Smith Johnson Garcia Lee Patel Brown Davis Nguyen Martinez Wilson Clark Lopez Hall Young King Wright Scott"
ES_FIRST = "Lucía Hugo Martín Sofía Pablo Daniela Álvaro Carmen Iker Nerea Javier Alba Mateo Rocío Sergio Inés Raúl"
ES_LAST = "García Fernández López Martínez Ruiz Ortega Navarro Iglesias Castro Serrano Molina Vega Prieto Campos Gil"
IT_FIRST = "Giulia Marco Chiara Luca Francesca Matteo Elena Paolo Sara Davide Anna Stefano Laura Giorgio Marta Enrico"
IT_LAST = "Rossi Ferrari Esposito Bianchi Romano Ricci Greco Conti Gallo Costa Fontana Caruso Rinaldi Moretti Villa"


def german_clinic() -> Made:
    draw = Draw(400, 1)
    first, last = draw.words(DE_FIRST), draw.words(DE_LAST)
    street = draw.of("Lindenstraße", "Hauptstr.", "Am Markt", "Bahnhofstraße", "Goethestraße", "Ringweg")
    columns = {
        "Fallnummer": draw.counting("{:08d}", 20230001),
        "Name": draw.joined(", ", last, first),
        "Geburtsdatum": draw.dates("%d.%m.%Y"),
        "Geschlecht": draw.of("m", "w", "d", odds=(0.49, 0.5, 0.01)),
        "Straße": draw.joined(" ", street, draw.numbers(1, 120)),
        "PLZ": draw.of(*(f"{n:05d}" for n in range(1067, 1099))),
        "Wohnort": draw.of("Dresden", "Radebeul", "Freital", "Pirna", "Meißen"),
        "Telefon": draw.joined("", draw.of("0351/"), draw.numbers(1_000_000, 9_999_999)),
        "Krankenkasse": draw.of("AOK", "TK", "Barmer", "DAK", "privat"),
        "Hauptdiagnose": draw.of("I10.9", "E11.9", "J18.9", "M54.5", "K35.8", "S72.0", "C50.9", "F32.1", "N39.0"),
        "Aufnahmedatum": draw.dates("%d.%m.%Y", "2023-01-01", 365),
        "Verweildauer": draw.numbers(1, 21),
        "Hausarzt": draw.joined(" ", draw.of("Dr."), draw.words(DE_LAST)),
        "Bemerkung": draw.sentences("Patient ist mit der Familie und nach Hause sehr stabil Kontrolle in zwei Wochen"),
    }  # fmt: skip
    return Made("records", columns, roles_of(
        identifier="Fallnummer Name Straße Telefon Hausarzt Bemerkung", sensitive="Hauptdiagnose",
        quasi="Geburtsdatum Geschlecht PLZ Wohnort Krankenkasse Aufnahmedatum",
        quasi_or_sensitive="Verweildauer"))  # fmt: skip


def french_shop() -> Made:
    draw = Draw(300, 2)
    first, last = draw.words(FR_FIRST), draw.words(FR_LAST)
    rue = draw.of("rue des Lilas", "avenue Foch", "boulevard Voltaire", "impasse du Moulin", "chemin Vert")
    columns = {
        "N° client": draw.counting("C{:06d}", 1010, 3),
        "Nom": [name.upper() for name in last],
        "Prénom": first,
        "Courriel": [f"{a}.{b}@exemple.fr".lower() for a, b in zip(first, last, strict=True)],
        "Adresse": draw.joined(" ", draw.numbers(1, 200), rue),
        "Code postal": draw.of("75011", "69003", "13006", "31000", "44000", "33000", "59000", "67000"),
        "Ville": draw.of("Paris", "Lyon", "Marseille", "Toulouse", "Nantes", "Bordeaux", "Lille", "Strasbourg"),
        "Date de naissance": draw.dates("%d/%m/%Y"),
        "Civilité": draw.of("M.", "Mme"),
        "Nombre d'enfants": draw.numbers(0, 5),
        "Mode de paiement": draw.of("carte", "chèque", "espèces"),
        "Montant total": [each.replace(".", ",") for each in draw.skewed(60, 2)],
        "Avis": draw.sentences("le service est très bien et la livraison pas rapide dans les temps avec soin"),
    }  # fmt: skip
    return Made("records", columns, {
        **dict.fromkeys(("N° client", "Nom", "Prénom", "Courriel", "Adresse", "Avis"), "identifier"),
        **dict.fromkeys(("Code postal", "Ville", "Date de naissance", "Civilité", "Nombre d'enfants",
                         "Mode de paiement"), "quasi"), "Montant total": "sensitive"})  # fmt: skip


def us_payroll() -> Made:
    draw = Draw(350, 3)
    ssn = draw.joined("-", draw.numbers(100, 899), draw.numbers(10, 99), draw.numbers(1000, 9999))
    columns = {
        "EmpNo": draw.counting("{}", 41007, 13),
        "LastName": draw.words(US_LAST),
        "FirstName": draw.words(US_FIRST),
        "SSN": ssn,
        "HireDate": draw.dates("%m/%d/%Y", "1998-01-01", 9000),
        "Department": draw.of("Sales", "Engineering", "HR", "Finance", "Legal", "Support"),
        "JobTitle": draw.of("Clerk", "Manager", "Engineer", "Analyst", "Counsel", "Assistant", "Director"),
        "Gender": draw.of("Male", "Female"),
        "ZipCode": draw.of("02139", "02140", "02141", "10001", "10002", "60601", "60602", "94103"),
        "AnnualSalary": draw.skewed(70_000),
        "Bonus": draw.of(0, 500, 1000, 2500, 5000),
        "BankAccount": draw.numbers(10**9, 9 * 10**9),
        "Manager": draw.joined(" ", draw.words("Jack Donna Bill Sue"), draw.words("Kowalczyk Abernathy Zhou Delgado")),
        "Phone": draw.joined("-", draw.numbers(200, 999), draw.numbers(200, 999), draw.numbers(1000, 9999)),
    }
    return Made("records", columns, roles_of(
        identifier="EmpNo LastName FirstName SSN BankAccount Manager Phone", sensitive="AnnualSalary Bonus",
        quasi="HireDate Department JobTitle Gender ZipCode"))  # fmt: skip


def household_panel() -> Made:
    draw = Draw(600, 4)
    home = [str(100_000 + 7 * (row // 3)) for row in range(600)]
    columns = {
        "hhid": home,
        "persnr": [str(row % 3 + 1) for row in range(600)],
        "wave": draw.of(2019, 2020, 2021),
        "urbrural": draw.of("urban", "rural"),
        "hhsize": draw.numbers(1, 7),
        "sex": draw.of(1, 2),
        "age": draw.numbers(0, 95),
        "marital": draw.of(1, 2, 3, 4, 5),
        "educ": draw.numbers(0, 18),
        "empstat": draw.of(1, 2, 3, 4),
        "income": draw.skewed(21_000),
        "dweight": draw.skewed(1.1, 4),
        "pweight": draw.skewed(1450.0, 3),
    }
    return Made("records", columns, {
        **roles_of(household="hhid", weight="dweight pweight", sensitive="income", identifier_or_quasi="persnr"),
        **roles_of(quasi="wave urbrural hhsize sex age marital educ empstat")})  # fmt: skip


def code_book() -> Made:
    draw = Draw(500, 5)
    columns = {
        "CASEID": draw.counting("{}"),
        "SEX": draw.of(1, 2, -9, odds=(0.5, 0.49, 0.01)),
        "AGEGRP": draw.of(1, 2, 3, 4, 5, 6, -8),
        "REGION": draw.of(*range(1, 17)),
        "MARSTAT": draw.of(1, 2, 3, 4, -8, -9),
        "SCHOOL": draw.of(1, 2, 3, 4, 5, -9),
        "OCC": draw.of(*(range(110, 990, 11))),
        "RELIGION": draw.of(1, 2, 3, 4, -9),
        "HEALTH": draw.of(1, 2, 3, 4, 5, -8, -9),
        "INCGRP": draw.of(*range(1, 9), -8),
        "NCHILD": draw.of(0, 1, 2, 3, 4, -9),
        "WGT": draw.skewed(1.0, 5),
    }
    return Made("records", columns, {
        **roles_of(identifier="CASEID", weight="WGT", sensitive="RELIGION HEALTH"),
        **roles_of(quasi="SEX AGEGRP REGION MARSTAT SCHOOL OCC NCHILD"), "INCGRP": "sensitive|quasi"})  # fmt: skip


def invoices() -> Made:
    draw = Draw(300, 6)
    columns = {
        "invoice_no": draw.counting("INV-{:06d}", 5000),
        "customer_name": draw.joined(" ", draw.words(US_FIRST), draw.words(US_LAST)),
        "country": draw.of("Germany", "France", "Norway", "Spain", "Italy"),
        "invoice_date": draw.dates("%Y-%m-%d", "2023-01-01", 300),
        "payment_method": draw.of("card", "cash", "transfer"),
        "products": draw.baskets(";", "pen ink paper ruler glue tape clip folder"),
        "total": draw.skewed(40, 2),
    }
    return Made("records", columns, roles_of(
        identifier="invoice_no customer_name", quasi="country invoice_date payment_method", items="products",
        sensitive="total"))  # fmt: skip


def spanish_school() -> Made:
    draw = Draw(320, 7)
    letters = "TRWAGMYFPDXBNJZSQVHLCKE"
    numbers = [int(each) for each in draw.numbers(10_000_000, 79_999_999)]
    columns = {
        "DNI": [f"{number}{letters[number % 23]}" for number in numbers],
        "Apellidos": draw.joined(" ", draw.words(ES_LAST), draw.words(ES_LAST)),
        "Nombre": draw.words(ES_FIRST),
        "Fecha nacimiento": draw.dates("%d/%m/%Y", "2006-01-01", 2000),
        "Sexo": draw.of("H", "M"),
        "Curso": draw.of("1º ESO", "2º ESO", "3º ESO", "4º ESO"),
        "Grupo": draw.of("A", "B", "C"),
        "Municipio": draw.of("Getafe", "Leganés", "Parla", "Pinto", "Móstoles"),
        "Domicilio": draw.joined(" ", draw.of("Calle Mayor", "Avda. de la Paz", "Plaza España"), draw.numbers(1, 90)),
        "Teléfono": draw.numbers(600_000_000, 699_999_999),
        "Tutor": draw.joined(" ", draw.words("Rosa Félix Marta"), draw.words("Quiroga Benítez Arroyo")),
        "Nota media": draw.numbers(2, 10, 1),
        "Beca": draw.of("sí", "no"),
        "Observaciones": draw.sentences("el alumno muestra interés por la materia y no presenta problemas"),
    }  # fmt: skip
    identifiers = ("DNI", "Apellidos", "Nombre", "Domicilio", "Teléfono", "Tutor", "Observaciones")
    quasi = ("Fecha nacimiento", "Sexo", "Curso", "Grupo", "Municipio")
    return Made("records", columns, dict.fromkeys(identifiers, "identifier") | dict.fromkeys(quasi, "quasi")
                | {"Nota media": "sensitive", "Beca": "sensitive"})  # fmt: skip


def italian_discharges() -> Made:
    draw = Draw(380, 8)
    letters = "ABCDEFGHLMNPRSTZ"
    pick = lambda count: "".join(draw.rng.choice(list(letters), count))  # noqa: E731
    fiscal = [f"{pick(6)}{row % 90 + 10}{'ABCDEHLMPRST'[row % 12]}{row % 28 + 1:02d}{pick(1)}{row % 900 + 100}{pick(1)}"
              for row in range(380)]  # fmt: skip
    columns = {
        "num_nosologico": draw.counting("{}", 2023000100, 3),
        "codice_fiscale": fiscal,
        "cognome": draw.words(IT_LAST),
        "nome": draw.words(IT_FIRST),
        "sesso": draw.of("M", "F"),
        "eta": draw.numbers(0, 98),
        "comune_residenza": draw.of("Bologna", "Imola", "Modena", "Ferrara", "Ravenna", "Forlì"),
        "cittadinanza": draw.of("IT", "RO", "MA", "AL"),
        "stato_civile": draw.of("celibe", "coniugato", "vedovo", "divorziato"),
        "data_ricovero": draw.dates("%d/%m/%Y", "2023-01-01", 300),
        "giorni_degenza": draw.numbers(1, 30),
        "diagnosi_principale": draw.of("428.0", "486", "820.21", "574.10", "410.71", "V57.1", "585.6", "250.00"),
        "drg": draw.of(*(range(100, 160, 4))),
        "reparto": draw.of("medicina", "chirurgia", "ortopedia", "cardiologia"),
        "modalita_dimissione": draw.of(1, 2, 3, 4),
        "medico_curante": draw.joined(" ", draw.of("Dott."), draw.words(IT_LAST)),
    }
    return Made("records", columns, {
        **roles_of(identifier="num_nosologico codice_fiscale cognome nome medico_curante"),
        **roles_of(sensitive="diagnosi_principale drg", sensitive_or_quasi="modalita_dimissione"),
        **roles_of(quasi="sesso eta comune_residenza cittadinanza stato_civile data_ricovero reparto"),
        **roles_of(quasi_or_sensitive="giorni_degenza"),
    })  # fmt: skip


def downloads() -> Made:
    draw = Draw(900, 9)
    columns = {
        "timestamp": draw.dates("%Y-%m-%dT08:15:00", "2024-01-01", 90),
        "user_id": draw.of(*(f"u{n:04d}" for n in range(150))),
        "file": draw.of(*(f"/data/set{n:02d}.zip" for n in range(40))),
        "bytes": draw.skewed(500_000),
    }
    return Made("baskets", columns, roles_of(person="user_id", items="file", identifier="timestamp bytes"))


def odd_ratings() -> Made:
    draw = Draw(700, 10)
    pairs = [(person, film) for person in range(90) for film in range(30) if draw.rng.random() < 0.3]
    columns = {
        "Kunden-Kennung": [f"K{person:03d}" for person, _ in pairs],
        "Artikel": [f"A-{film}" for _, film in pairs],
        "Sterne": [str(draw.rng.integers(1, 6)) for _ in pairs],
        "Zeitpunkt": [str(1_600_000_000 + 977 * row) for row in range(len(pairs))],
    }
    return Made("ratings", columns, {"Kunden-Kennung": "person", "Artikel": "items", "Sterne": "rating",
                                     "Zeitpunkt": "identifier"})  # fmt: skip


def wide_survey() -> Made:
    draw = Draw(250, 11)
    answers = {f"q{number}": draw.of(1, 2, 3, 4, 5) for number in range(1, 15)}
    columns = {
        "respondent_id": draw.counting("R{:05d}"),
        "age": draw.numbers(18, 80),
        "gender": draw.of("f", "m", "x", odds=(0.5, 0.48, 0.02)),
        **answers,
        "comment": draw.sentences("the course was very good but I did not like the room and the food in the evening"),
    }
    return Made("ratings", columns, roles_of(identifier="respondent_id age gender comment", rating=" ".join(answers)))


def nameless() -> Made:
    """Headers that say nothing: values alone must tell."""
    draw = Draw(400, 12)
    columns = {
        "V1": draw.counting("{}", 1),
        "V2": draw.joined(" ", draw.words(US_FIRST), draw.words(US_LAST)),
        "V3": draw.numbers(18, 90),
        "V4": draw.of("male", "female"),
        "V5": draw.joined(" ", draw.numbers(1, 999), draw.of("Oak Street", "Main Road", "Lake Avenue", "Hill Lane")),
        "V6": draw.of("Berlin", "Hamburg", "München", "Köln", "Leipzig"),
        "V7": [f"{a}@mail.example".lower() for a in draw.counting("person{}", 7)],
        "V8": draw.of(1, 2, 3, 4),
        "V9": draw.skewed(2500.0, 2),
        "V10": draw.dates("%Y-%m-%d"),
        "V11": draw.of("yes", "no"),
        "V12": draw.of("I10.0", "E11.9", "J45.1", "K21.0", "M17.1", "F41.2", "G43.9"),
        "V13": draw.sentences("the patient was seen in the morning and is to come back with the results of the test"),
        "V14": draw.words(DE_LAST),
        "V15": draw.words(FR_FIRST),
        "V16": draw.joined(" ", draw.of("+49 170"), draw.numbers(1_000_000, 9_999_999)),
        "V17": draw.of(0, 1),
        "V18": draw.of("low", "middle", "high"),
        "V19": draw.numbers(0, 12),
        "V20": draw.of(*(f"{n:08x}-0000-4000-8000-{n:012x}" for n in range(7, 7000, 3))),
    }
    return Made("records", columns, roles_of(
        identifier="V1 V2 V5 V7 V13 V14 V15 V16 V20", sensitive="V12",
        quasi="V3 V4 V6 V8 V10 V18 V19", quasi_or_sensitive="V9 V11 V17"))  # fmt: skip


TWELVE: dict[str, Callable[[], Made]] = {
    made.__name__: made
    for made in (german_clinic, french_shop, us_payroll, household_panel, code_book, invoices, spanish_school,
                 italian_discharges, downloads, odd_ratings, wide_survey, nameless)
}  # fmt: skip
