"""Codes that are told by what they are, whatever the header; and what looks like them, and may be somebody's."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from support.drawn_columns import ROWS, drawn, role, roles
from tacit.init.plan import make_plan
from tacit.init.source import RawData
from tacit.job import Input

_ILLS = "I10.90|E11.90|M54.5|J18.9|F32.1|K35.8|S82.6"
_MEDICINES = "A02BC01|C09AA05|N02BE01|J01CA04|B01AC06"
_MEASURES = "Hb|Na|K|Kreat|CRP|Gluc|TSH"


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        pytest.param("HD", _ILLS, "sensitive", id="illnesses"),
        pytest.param("x1", "N40X|I48X|H259|M171|L400", "sensitive", id="illnesses without points"),
        pytest.param("x2", _MEDICINES, "sensitive", id="medicines"),
        pytest.param("bep", _MEASURES, "sensitive", id="what laboratories measure"),
        pytest.param("vlag", "H|L", "sensitive", id="too high and too low"),
        pytest.param("FT/PT", "FT|PT", "quasi", id="values that the header names"),
        pytest.param("cond_occ", "OCC|DIS|PENS|CAS", "quasi", id="codes of work"),
        pytest.param("CoverTyp", "Comp|TPFT|TPO", "quasi", id="types of something"),
        pytest.param("SiteCode", "RXX01|RXX02|RXX07", "quasi", id="codes of places"),
        pytest.param("PCDistrict", "B12|LE3|NG27|CV4|DE1", "quasi", id="the first half of postcodes"),
        pytest.param("MUNIC", "Getafe|Alcorcón|Móstoles|Leganés", "quasi", id="a header cut short"),
        pytest.param("Einschr", "Knie|Rücken|Asthma|Schulter", "sensitive", id="where it hurts"),
        pytest.param("alcfreq", "Never|Rarely|Monthly|Weekly|Daily", "sensitive", id="how often"),
    ],
)
def test_codes_speak_for_themselves(header: str, values: str, expected: str) -> None:
    assert role(header, drawn(values)) == expected


_OF_STAFF = {
    "pairs": "KD|JS|MB|TW|AL",
    "pairs and threes": "KD|JS|AMB|TW|LKR",
    "in small letters": "jvd|mbk|pse|awi|hdg",
    "four letters": "ZUVE|OYKA|SEFU|KUJO",
    "names of several lengths": "KOCH|WOLF|LANG|SOMMER|KIM",
}


@pytest.mark.parametrize("header", ["bep", "clerk_type", "Bearbeiter", "x1", "reason", "MUNIC", "unit"])
@pytest.mark.parametrize("staff", _OF_STAFF)
def test_letters_of_people_are_asked_about(header: str, staff: str) -> None:
    assert role(header, drawn(_OF_STAFF[staff])) == "identifier"


@pytest.mark.parametrize("header", ["cond_occ", "CoverTyp", "Familienstand"])
def test_capitals_under_a_word_for_a_class_are_its_codes(header: str) -> None:
    assert role(header, drawn("CN|SE|CL|DV|VD")) == role(header, drawn("PENS|UNEM|SELF")) == "quasi"
    assert role(header, drawn(_OF_STAFF["in small letters"])) == "identifier"
    assert role(header, drawn(_OF_STAFF["names of several lengths"])) == "identifier"


@pytest.mark.parametrize("form", ["{:06}", "M{:04}"])
def test_a_word_that_may_stand_for_a_doctor_vouches_for_no_numbers(form: str) -> None:
    rng = random.Random(2)
    doctors = [form.format(rng.randrange(1000, 10_000)) for _ in range(14)]
    assert role("COD_MED", drawn(doctors)) == "identifier"
    assert role("COD_MED", drawn(_MEDICINES)) == "sensitive"


def test_a_section_of_a_code_book_asks_one_thing() -> None:
    smoking = {"V10_SMK": drawn("1|2|3", 1), "V11_XQZ": drawn("0|5|10|20|30", 2)}
    assert roles(**smoking, V21_XQZ=drawn("0|5|10|20|30", 3)) | {"age": ""} == {
        "age": "",
        "V10_SMK": "sensitive",
        "V11_XQZ": "sensitive",
        "V21_XQZ": "quasi",
    }


def test_weights_of_people_with_a_code_for_no_answer() -> None:
    rng = random.Random(5)
    kilos = [str(rng.randint(45, 120)) if rng.random() < 0.95 else "999" for _ in range(ROWS)]
    measured = {"height_cm": [str(rng.randint(150, 195)) for _ in range(ROWS)], "V21_WGT": kilos}
    assert roles(**measured)["V21_WGT"] == "quasi"


def test_births_and_sexes_are_known_in_a_table_of_patients_too() -> None:
    ills = {name: drawn("0|1|2", seed) for seed, name in enumerate(("diabetes", "asthma", "cancer"))}
    born = [str(1930 + row % 60) for row in range(ROWS)]
    found = roles(J=born, G=drawn("M|W", 4), zz=drawn("1|2|3", 5), **ills)
    assert (found["J"], found["G"], found["zz"]) == ("quasi", "quasi", "sensitive")


def whose(**columns: list[str]) -> list[str]:
    plan = make_plan(RawData(pa.table(columns), Input("table.csv")), "auto")
    return [choice.name for choice in plan.choices if choice.role == "person"]


def test_a_number_with_which_nobody_changes_is_whose_row_it_is() -> None:
    rng = random.Random(6)
    people = [(str(n), rng.choice("HF"), str(rng.randint(1960, 2002))) for n in rng.sample(range(1000, 9999), 90)]
    matr, sex, born = map(list, zip(*(rng.choice(people) for _ in range(240)), strict=True))
    days = [str(rng.randint(1, 30)) for _ in matr]
    assert whose(MATR=matr, SX=sex, AN_NAIS=born, NB_J=days) == ["MATR"]
    rng.shuffle(sex)
    assert whose(MATR=matr, SX=sex, AN_NAIS=born, NB_J=days) == [], "a room, in which people change"


def _with_check_digit(rng: random.Random) -> str:
    digits = f"{rng.randint(50, 99):02}{rng.randint(1, 12):02}{rng.randint(1, 28):02}{rng.randrange(10**4):04}"
    weighted = sum(int(digit) * factor for digit, factor in zip(digits, (1, 3, 7, 9) * 3, strict=False))
    return f"{digits}{-weighted % 10}"


def test_numbers_of_citizens_that_come_back_are_people() -> None:
    rng = random.Random(7)
    numbers = [_with_check_digit(rng) for _ in range(60)]
    rows = [rng.choice(numbers) for _ in range(200)]
    assert whose(x9=rows, wiek=[str(rng.randint(18, 80)) for _ in rows]) == ["x9"]
    sweden = [f"19{each[:6]}-{each[6:10]}" for each in rows]
    assert whose(x9=sweden, alder=[str(rng.randint(18, 80)) for _ in rows]) == ["x9"]
