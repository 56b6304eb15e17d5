"""What no header vouches for: names under places and trades, ids under counts and measures. What tables for statistics
call their columns."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from support.drawn_columns import ROWS, drawn, role, roles
from tacit.init.plan import make_plan
from tacit.init.source import RawData
from tacit.init.vocabulary import names_of_people, topics_of, towns
from tacit.job import Input


def test_towns_are_nobody() -> None:
    assert not towns() & names_of_people()
    assert {"pirna", "milton keynes", "sneek", "wien"} <= towns()


_HEADERS = (
    "city", "district", "school", "employer", "hospital", "birthplace", "parish", "origin", "occupation", "course",
    "brand",
)  # fmt: skip
_UNKNOWN = {
    "families": "Zwiebelmayr|Oskarovic|Tannhauserich|Kvistgaardel|Brennwaldner",
    "in small letters": "zwiebelmayr|oskarovic|tannhauserich|kvistgaardel|brennwaldner",
    "in another script": "Жукаренко|Абрамиченко|Безбородюк|Антонищук",
    "with a first name": "Zwiebelmayr, Udokar|Oskarovic, Mirelda|Tannhauserich, Odwin",
    "with a letter": "Zwiebelmayr U|Oskarovic M|Tannhauserich O|Brennwaldner K",
    "with a title": "Dr. Zwiebelmayr|Frau Oskarovic|Prof. Tannhauserich",
    "firms": "Zwiebelmayr GmbH|Autohaus Oskarovic|Tannhauserich Ltd",
    "streets": "Zwiebelmayrova 33|Oskarovicka 7|Tannhauserich 91|Kvistgaardel 12",
    "phones": "+420 864 548 491|307 964 484|737 209 376|216 970 388",
    "letters of one sign": "印|平|屈|松",
    "a title before one sign": "Prof. 印|Mme 平|Mr 屈|Mme 松",
}


@pytest.mark.parametrize("header", _HEADERS)
@pytest.mark.parametrize("names", _UNKNOWN)
def test_no_header_vouches_for_names(header: str, names: str) -> None:
    assert role(header, drawn(_UNKNOWN[names])) == "identifier"


@pytest.mark.parametrize("header", _HEADERS)
@pytest.mark.parametrize("form", ["{:06}", "K{:05}", "{:04}ZQ", "AB-{:03}"])
def test_no_header_vouches_for_ids(header: str, form: str) -> None:
    rng = random.Random(3)
    numbers = [form.format(rng.randrange(10**5, 10**6) % 10 ** int(form[form.index(":") + 2])) for _ in range(150)]
    assert role(header, drawn(numbers)) == "identifier"


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        ("city", "Pirna|Freital|Radebeul|Coswig", "quasi"),
        ("RES_CITY", "ROUND ROCK|CEDAR PARK|AUSTIN|PFLUGERVILLE", "quasi"),
        ("school", "North High School|Central Primary School|Riverside Academy", "quasi"),
        ("occupation", "plumber|bricklayer|accountant|dental hygienist", "quasi"),
        ("blood", "A Rh+|0 Rh-|AB Rh+|B Rh+", "sensitive"),
        ("pclass", "1st|2nd|3rd", "quasi"),
        ("mark", "A|A-|B+|B|C-|F|W", "sensitive"),
        ("M.I", "Metric|Imperial", "quasi"),
    ],
)
def test_what_is_known_as_such_is_published(header: str, values: str, expected: str) -> None:
    assert role(header, drawn(values)) == expected


@pytest.mark.parametrize("header", ["x", "laufwert", "ilosc", "amount"])
def test_numbers_that_never_come_back_or_too_often_are_ids(header: str) -> None:
    rng = random.Random(2)
    once = [str(number) for number in rng.sample(range(2000, 9000), ROWS)]
    several = drawn([str(number) for number in rng.sample(range(1000, 9999), 180)])
    amounts = [str(int(1000 + rng.gammavariate(2, 1500))) for _ in range(ROWS)]
    assert role(header, once) == role(header, several) == "identifier"
    assert role(header, amounts) == "sensitive"


def test_numbers_that_rise_with_the_rows_and_stay() -> None:
    rising = [str(11 + 7 * (row // 5)) for row in range(ROWS)]
    assert role("s", rising) == "identifier"


@pytest.mark.parametrize(
    ("header", "topic"),
    [("nwifeinc", "money"), ("lwage", "money"), ("motheduc", "education"), ("smsa", "place"), ("yngkid", "family"),
     ("nonwhite", "origin"), ("BLBMI", "measure"), ("spwrk75", "job")],
)  # fmt: skip
def test_headers_are_read_in_pieces(header: str, topic: str) -> None:
    assert topics_of(header) == {topic}


@pytest.mark.parametrize("header", ["zzq", "narr", "qwertz", "x17"])
def test_what_pieces_do_not_make_up_is_not_told(header: str) -> None:
    assert not topics_of(header)


def test_shares_and_logarithms_are_no_places_on_the_map() -> None:
    rng = random.Random(6)
    assert role("zz", [f"{rng.random():.6f}" for _ in range(ROWS)]) == "sensitive"
    assert role("zz", [f"{rng.uniform(2, 5):.14f}" for _ in range(ROWS)]) == "sensitive"
    assert role("zz", [f"{rng.uniform(48, 49):.6f}" for _ in range(ROWS)]) == "identifier"


def test_several_columns_on_one_scale_are_answers() -> None:
    scale = {name: drawn("1|2|3|4|5", seed) for seed, name in enumerate(("zza", "qqb", "wwc", "kkd"))}
    assert {*roles(**scale).values()} == {"quasi", "sensitive"}
    assert role("zza", scale["zza"]) == "quasi"


def test_a_last_name_and_a_first_are_no_set() -> None:
    names = drawn([f"{last}, {first}" for last in ("Zwiebelmayr", "Oskarovic") for first in ("Udokar", "Mirelda")])
    plan = make_plan(RawData(pa.table({"product": names, "id": [str(n) for n in range(ROWS)]}), Input("t.csv")), "auto")
    assert not plan.with_role("items")
