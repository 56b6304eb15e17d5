"""Classes told from names by words that nobody is called, and answers from remarks by how many have them."""

from __future__ import annotations

import random

import pytest

from support.drawn_columns import ROWS, drawn, role, roles
from tacit.init.vocabulary import common_words, names_of_people


def test_the_lists_have_nothing_in_common() -> None:
    assert not common_words() & names_of_people()
    assert {"recuperado", "gesetzlich", "improvement", "betaald"} <= common_words()
    assert {"hernandez", "kowalski", "becker", "stone"} <= names_of_people()


_CLASSES = {
    "Spanish": "Curado|Importado|Comunitario|Relacionado",
    "German": "Gesetzlich|Privat|Ausland|Freiwillig",
    "English": "Exceeds|Meets|Needs improvement|Insufficient",
    "Dutch": "Betaald|Geannuleerd|Verzonden",
    "one unknown of five": "Gesetzlich|Privat|Ausland|Freiwillig|Xorvelt",
}
_PEOPLE = {
    "families": "Brinkschulte|Hülsmann|Wieczorek|Oehlke|Kampmann",
    "in small letters": "brinkschulte|hülsmann|wieczorek|oehlke|kampmann",
    "in capitals": "GUILLORY|KARASEK|HOSTETTER|KREYSSIG",
    "half of them": "Gesetzlich|Privat|Brinkschulte|Oehlke",
    "a word and a family in small letters": "Familie joubert|Familie pasquier|Familie delorme|Ohne familie",
    "a word and a family": "Praxis Wieczorek|Praxis Kampmann|Praxis Oehlke",
}
_DRAWERS = (
    "x1", "Tipo", "dept", "department", "station", "region", "ward", "branch", "store", "Abteilung", "Filiale",
    "service", "sede", "reparto", "afdeling", "location", "team",
)  # fmt: skip


@pytest.mark.parametrize("header", _DRAWERS)
@pytest.mark.parametrize("classes", _CLASSES)
def test_classes_are_published_whatever_the_drawer(header: str, classes: str) -> None:
    assert role(header, drawn(_CLASSES[classes])) in ("quasi", "sensitive")


@pytest.mark.parametrize("header", _DRAWERS)
@pytest.mark.parametrize("people", _PEOPLE)
def test_families_are_asked_about_whatever_the_drawer(header: str, people: str) -> None:
    assert role(header, drawn(_PEOPLE[people])) == "identifier"


_ONE_NAME = {
    "told by": "Neighbour|Sister|Son Peter|Landlord",
    "source": "Website|Newspaper advert|Radio|Peter Novak",
    "origen": "Escuela|Vecino|Policía|Raúl Ortega",
    "dept": "Kitchen|Garden|Laundry|Transport|Security|Maintenance|Kowalski",
    "room": "Kitchen|Garden|Laundry|Transport|Security|Maintenance|jens|olga",
    "complaint": "Noise from the flat of Linda|Broken lift|Water leak|Heating failure",
    "reason": "Fight with Jamal|Late arrival|Missing homework|Smoking on campus",
    "grund": "Streit mit Cem|Verspätung|Fehlende Hausaufgaben|Rauchen",
    "answer": "Yes, with Linda|No|Yes, alone|No, later",
    "consent": "YES (SIGNED BY AHMED YILMAZ)|NO|YES",
}


@pytest.mark.parametrize("header", _ONE_NAME)
def test_one_name_among_classes_is_asked_about(header: str) -> None:
    assert role(header, drawn(_ONE_NAME[header])) == "identifier"


def test_saints_are_places() -> None:
    assert role("estado", drawn("Veracruz|Sonora|San Luis Potosí")) == "quasi"
    assert role("departamento", drawn("Santa Cruz|San Martín|Boyacá|Tolima")) == "quasi"


_QUESTION = "How should neighbours settle a quarrel about noise at night?"
_CHOICES = "They should talk it over first|Somebody else should decide|It does not matter to me|Never"


def test_what_many_have_word_for_word_nobody_wrote_himself() -> None:
    answers = drawn(_CHOICES)
    assert role(_QUESTION, answers) in ("quasi", "sensitive")
    assert role(_QUESTION, [*answers[1:], "I once had to call the police on them"]) == "identifier"
    assert role(_QUESTION, [answer.lower() for answer in answers]) == "identifier", "typed, not chosen"


def test_choices_that_begin_with_yes_or_no() -> None:
    choices = "No, nunca he fumado|No, pero he fumado antes|Sí, todos los días"
    assert role("x3", drawn(choices)) == "sensitive"
    assert role("x3", [*drawn(choices)[1:], "Sí, con mi vecina Remedios cada noche"]) == "identifier"


@pytest.mark.parametrize("header", ["city", "town", "district", "school"])
def test_names_of_people_are_no_places(header: str) -> None:
    assert role(header, drawn("Vasseur|Guillot|Joubert|Baudry|Delorme|Pasquier")) == "identifier"
    assert role(header, drawn("Husum|Itzehoe|Eutin|Ratzeburg|Jever|Soltau")) == "quasi"


@pytest.mark.parametrize("header", ["city", "region", "x1"])
def test_streets_without_a_number_are_addresses(header: str) -> None:
    assert role(header, drawn("Brunnengasse|Mühlenweg|Rosenallee|rue Pasteur|Maple Street")) == "identifier"


def test_numbers_of_three_digits_that_lie_evenly() -> None:
    rng = random.Random(3)
    given_out = [str(number) for number in rng.sample(range(100, 1000), ROWS)]
    measured = [str(min(999, max(100, int(rng.gauss(450, 90))))) for _ in range(ROWS)]
    for header in ("x4", "area", "city"):
        assert role(header, given_out) == "identifier"
        assert role(header, drawn([str(number) for number in range(101, 999, 40)])) == "quasi", "codes of many"
    assert role("x4", measured) in ("quasi", "sensitive")


def test_columns_with_the_codes_of_illnesses_beside_them() -> None:
    codes = {name: drawn("1|2", seed) for seed, name in enumerate(("diabetes", "asthma", "cancer", "zz", "yy"))}
    assert roles(**codes)["zz"] == "sensitive"
    assert roles(zz=codes["zz"], diabetes=codes["diabetes"])["zz"] == "quasi"


def test_what_a_table_of_patients_tells_is_not_to_be_learnt() -> None:
    marks = {"zz": drawn("0|1"), "yy": drawn("mild|moderate|severe|none")}
    ills = {name: drawn("0|1|2", seed) for seed, name in enumerate(("diabetes", "asthma", "cancer"))}
    others = {name: drawn("0|1|2", 9) for name in ("income", "tax", "rent")}
    assert roles(**marks, **ills)["zz"] == roles(**marks, **ills)["yy"] == "sensitive"
    assert roles(**marks, **others)["zz"] == "quasi", "0 and 1 mark a class"
    assert roles(released=marks["zz"], **others)["released"] == "sensitive", "what became of somebody"


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        ("Nombre departamento", "BOGOTA|CALDAS|HUILA|TOLIMA", "quasi"),
        ("Nombre", "BOGOTA|CALDAS|HUILA|TOLIMA", "identifier"),
        ("addr_state", "CA|NY|TX|WA|OR|NV", "quasi"),
        ("suspect_age", [str(number) for number in range(18, 70)], "quasi"),
        ("suspect", [str(number) for number in range(18, 70)], "identifier"),
        ("Neumonia", "1|2|3", "sensitive"),
        ("tea", "1|2|3", "quasi"),
        ("Household size", "1 to 9 employees|10 to 499 employees", "quasi"),
    ],
)
def test_headers_beside_their_values(header: str, values: str | list[str], expected: str) -> None:
    assert role(header, drawn(values)) == expected
