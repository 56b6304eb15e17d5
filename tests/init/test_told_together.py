"""What headers say as phrases and of whom, what values say by themselves, and what columns tell of each other."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from support.drawn_columns import ROWS, drawn, role, roles
from tacit.init.encodings import encoding_of
from tacit.init.plan import make_plan
from tacit.init.source import RawData, read_raw
from tacit.init.vocabulary import topics_of
from tacit.init.whose import told_of_whom
from tacit.job import Input


def test_a_phrase_is_more_than_its_words() -> None:
    assert "crime" in topics_of("charge") and "crime" not in topics_of("nb enf. à charge")
    assert topics_of("customer id") >= {"id", "person"}, "what is said beside it is still said"


@pytest.mark.parametrize(
    ("header", "told"),
    [("SUSPECT_HEIGHT", "height"), ("co-applicant_age", "age"), ("patient name", "patient name"), ("Kunde", "Kunde")],
)
def test_what_is_told_of_somebody_counts(header: str, told: str) -> None:
    assert told_of_whom(header) == told


def test_a_suspect_s_height_is_no_name() -> None:
    assert role("SUSPECT_EYE_COLOR", drawn("BLK|BRO|BLU|GRN|HAZ")) == "quasi"
    assert role("suspect", drawn("Rossi|Ferrari|Okafor")) == "identifier"


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        ("grass", "legal|not legal", "sensitive"),
        ("gov_approval", "Approve|Disapprove|Strongly approve", "sensitive"),
        ("zz", "ledig|verh|gesch|verw", "quasi"),
        ("zz", "Genehmigt|Abgelehnt|Zurückgezogen", "sensitive"),
    ],
)
def test_values_say_what_they_are(header: str, values: str, expected: str) -> None:
    assert role(header, drawn(values)) == expected


def test_subjects_with_the_same_marks_are_results() -> None:
    marks = {name: drawn("1|2|3|4|5|6|7|8|9|U", seed) for seed, name in enumerate(("Art", "Ks", "French", "RS", "PE"))}
    assert {*roles(**marks).values()} == {"quasi", "sensitive"}
    assert roles(**marks)["French"] == "sensitive"
    assert role("French", marks["French"]) == "quasi"


def test_numbers_behind_a_street_are_those_of_houses() -> None:
    rng = random.Random(4)
    numbers = [str(rng.randint(1, 140)) for _ in range(ROWS)]
    streets = [f"Calle {rng.choice(('Mayor', 'Nueva', 'Ancha'))} {row % 90}" for row in range(ROWS)]
    assert roles(calle=streets, numero=numbers)["numero"] == "identifier"
    assert roles(numero=numbers)["numero"] == "quasi"


def test_two_columns_that_end_with_x_and_y_are_a_place() -> None:
    rng = random.Random(5)
    places = {f"STOP_LOCATION_{end}": [str(rng.randint(900_000, 1_100_000)) for _ in range(ROWS)] for end in "XY"}
    assert {name: roles(**places)[name] for name in places} == dict.fromkeys(places, "identifier")


def _planned(**columns: list[str]) -> dict[str, str]:
    plan = make_plan(RawData(pa.table(columns), Input("table.csv")), "auto")
    return {choice.name: choice.role for choice in plan.choices} | {"": plan.kind}


def test_several_codes_of_illnesses_in_a_cell_are_a_set() -> None:
    rng = random.Random(6)
    ills = ["F03", "Z95.5", "E87.6", "I10.00", "N18.3", "E78.0"]
    sets = [",".join(rng.sample(ills, rng.randint(1, 4))) for _ in range(ROWS)]
    found = _planned(alter=[str(rng.randint(20, 90)) for _ in sets], geschlecht=drawn("m|w"), nebendiag=sets)
    assert (found[""], found["nebendiag"]) == ("records", "items")


def test_orders_with_what_was_bought_in_a_cell_are_baskets() -> None:
    rng = random.Random(7)
    wares = ["Yogurt", "Lentils", "Beer", "Condoms", "Nappies", "Tomatoes", "Bread"]
    found = _planned(
        **{
            "Invoice No": [f"INV-{row:05}" for row in range(ROWS)],
            "Invoice Date": [f"2024-02-{rng.randint(1, 28):02}" for _ in range(ROWS)],
            "Articles": ["; ".join(rng.sample(wares, rng.randint(1, 4))) for _ in range(ROWS)],
            "Total incl. VAT": [f"{rng.uniform(3, 90):.2f}" for _ in range(ROWS)],
            "Status": drawn("paid|open"),
        }
    )
    assert (found[""], found["Articles"]) == ("baskets", "items")


def test_an_address_is_nobody_s_number() -> None:
    """A street with a number comes back with the same sex and birth, too; the number of the person is meant."""
    rng = random.Random(8)
    people = [(str(2_400_000 + 7919 * n % 90_001), f"{100 + n} ARCADE ST", rng.choice("MF"), f"19{n % 60 + 30}-03-04")
              for n in range(120)]  # fmt: skip
    rows = [rng.choice(people) for _ in range(ROWS)]
    number, street, sex, born = map(list, zip(*rows, strict=True))
    found = _planned(RECIP_ADDRESS_STREET=street, RECIP_ID=number, SEX=sex, DOB=born, LOT=drawn("A1|B2|C3"))
    assert (found["RECIP_ID"], found["RECIP_ADDRESS_STREET"]) == ("person", "identifier")


@pytest.mark.parametrize("encoding", ["cp1250", "cp1251", "cp1252", "cp1254"])
def test_the_encoding_of_a_region_is_told_by_its_words(tmp_path: Path, encoding: str) -> None:
    towns = {
        "cp1250": "Łódź|Kraków|Częstochowa|Świnoujście",
        "cp1251": "Москва|Казань|Тула|Пермь",
        "cp1252": "Köln|Nürnberg|Düsseldorf|Würzburg",
        "cp1254": "Eskişehir|Muğla|Iğdır|Ağrı",
    }[encoding].split("|")
    text = "town;age\n" + "".join(f"{towns[row % 4]};{20 + row % 50}\n" for row in range(200))
    assert encoding_of(text.encode(encoding)) == encoding
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    raw = read_raw(str(tmp_path / "t.csv"))
    assert {*raw.table["town"].to_pylist()} == {*towns}


@pytest.mark.parametrize(
    ("header", "items"),
    [
        pytest.param("network", ["mother", "father", "sister", "Petra", "Lindqvist", "Jamal"], id="relatives"),
        pytest.param(
            "network", [*["mother", "father", "sister", "brother", "neighbour", "doctor"], "Vukovic"], id="one of them"
        ),
        pytest.param("contacts", ["P17", "P21", "P45", "P31", "P58", "P12"], id="numbers of others"),
        pytest.param("services", ["Petra", "Jamal", "Olga", "Ahmed", "Maria"], id="names under things"),
    ],
)
def test_sets_of_people_are_no_items(header: str, items: list[str]) -> None:
    rng = random.Random(11)
    sets = [";".join(rng.sample(items, rng.randint(1, 4))) for _ in range(ROWS)]
    found = _planned(age=[str(rng.randint(20, 90)) for _ in sets], sex=drawn("m|w"), **{header: sets})
    assert found[header] == "identifier"


def test_who_is_related_is_no_shipping() -> None:
    """Lines with prices and articles are orders only where nothing tells of a person."""
    rng = random.Random(12)
    found = _planned(
        customer_id=[str(1000 + rng.randrange(120)) for _ in range(ROWS)],
        article=drawn("Tea|Milk|Bread|Soap|Rice|Salt|Oil|Flour|Eggs|Beer"),
        price=[f"{rng.uniform(1, 9):.2f}" for _ in range(ROWS)],
        relationship_status=drawn("married|single|widowed"),
        birth_year=[str(rng.randint(1940, 2005)) for _ in range(ROWS)],
    )
    assert found[""] == "records"


def test_long_words_stop_no_look_at_the_encoding() -> None:
    assert encoding_of(b"K\xf6ln," + b"ACGT" * 500_000) == "cp1252"
