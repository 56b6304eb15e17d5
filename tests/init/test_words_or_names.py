"""Words of classes are told from names of people by all values together, and by how words are spelled."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from support.drawn_columns import ROWS, drawn, role
from tacit.init.columns import look_at
from tacit.init.odds import odds_of_names
from tacit.init.spelling import like_a_name
from tacit.init.vocabulary import common_words, names_of_people

_NAMES_NO_LIST_HAS = "Zwiebelmayr|Oskarovic|Kvistgaardsen|Brennwaldner|Hagedornsen|Lindqvistsson"


def odds(values: str) -> float:
    return odds_of_names(look_at(pa.table({"x": drawn(values)})).evidence["x"])


def test_words_that_no_list_has_are_spelled_like_words() -> None:
    words = ("aanmaning", "insatisfecho", "uzaklastirma", "galerijflat")
    assert not common_words() & {*words} and all(like_a_name(word) < -1 for word in words)
    names = ("lindqvistsson", "brennwaldner", "oskarovic")
    assert not names_of_people() & {*names} and all(like_a_name(name) > 0 for name in names)


@pytest.mark.parametrize(
    "values",
    ["Prospect|Inactif|Occasionnel|Fidèle|VIP", "Geen|Herinnering|Aanmaning|Deurwaarder", "Residential|SME|Industrial"],
)
def test_classes_are_rather_words(values: str) -> None:
    assert odds(values) < -3
    assert role("segm", drawn(values)) == "quasi"


@pytest.mark.parametrize("values", ["Rossi|Ferrari|Lindqvist|Okafor|Kowalczyk", _NAMES_NO_LIST_HAS])
@pytest.mark.parametrize("header", ["segm", "segment", "Wijk", "Einrichtung"])
def test_names_are_rather_names(header: str, values: str) -> None:
    assert odds(values) > 0
    assert role(header, drawn(values)) == "identifier"


def test_more_values_of_one_language_tell_no_more_than_ten() -> None:
    words = ["Herinnering", "Aanmaning", "Deurwaarder", "Betaling", "Afspraak", "Verlenging", "Opzegging", "Wijziging"]
    doubled = [f"{one} {other}" for one in words for other in words]
    assert odds("|".join(doubled)) >= -3 * 10


@pytest.mark.parametrize(
    "values",
    [
        pytest.param("Es ist warm.|Das ist richtig.|Ich bin müde.|Guten Abend!", id="sentences"),
        pytest.param("Nordic Shipping Ltd|Building Audit GmbH|Carpet Court Inc", id="firms"),
        pytest.param("s. obermajer|a. jerabek|v. hrozny|b. misek", id="initials before names"),
        pytest.param("Studio Draskovits|Studio Zsivoczky|Studio Szigethy", id="names behind one word"),
        pytest.param("promotions_1915|lemon_1927|care_1840", id="logins made of words"),
    ],
)
def test_what_is_made_of_words_may_still_be_somebody_s(values: str) -> None:
    assert role("x7", drawn(values)) == "identifier"


def test_places_that_no_list_has_are_told_by_the_header() -> None:
    assert role("Wijk", drawn("Rivierenwijk|Hoograven|Zuilen|Overvecht-Zuid")) == "quasi"
    assert role("Wijk", drawn("Rossi|Ferrari|Lindqvist|Okafor")) == "identifier"


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        ("EthnicCategory", "A|J|K|Z|H|C|M|S|N", "quasi"),
        ("x7", "A|J|K|Z|H|C|M|S|N", "identifier"),
        ("STATION", "K1|U2|ITS1|ITS2|C2|STROKE|K2", "quasi"),
        ("x7", "KB3|RR4|LW1|KB4", "identifier"),
        ("x7", "PERSO|VSAB|AUCUN|SMUR|FO", "quasi"),
        ("BRANCH_CD", "BR013|BR039|BR004|BR025", "quasi"),
        ("AA_IMM", "2021/2022|2022/2023|2020/2021", "quasi"),
        ("age", "35|36|37|38|39|41|42|43|44|89 or older", "quasi"),
    ],
)
def test_codes_that_are_nobody_s_initials(header: str, values: str, expected: str) -> None:
    assert role(header, drawn(values)) == expected


def test_days_in_eight_digits_in_any_order() -> None:
    rng = random.Random(3)
    days = [f"{rng.randint(1, 28):02}{rng.randint(1, 12):02}{rng.randint(2019, 2023)}" for _ in range(ROWS)]
    assert role("FECING", days) == "quasi"


_STAFF = "JSM|KD|PLB|AW|RTGH|HVK|EB|JVDB"


@pytest.mark.parametrize(
    "header", ["Health worker", "Medical officer", "Medical staff", "Head of family", "med", "work id"]
)
@pytest.mark.parametrize("values", [_STAFF, "JSM|KDA|PLB|AMW|RTG|HVK", "1000|1037|1129|1442|1833|2211"])
def test_those_who_serve_are_nobody_s_property(header: str, values: str) -> None:
    assert role(header, drawn(values)) == "identifier"


@pytest.mark.parametrize("header", ["col7", "Station", "unit", "Team", "type", "group"])
@pytest.mark.parametrize(
    "values", [_STAFF, "JSM|JSM1|KDA|KDA2|PLB|AMW|RTG|HVK", "KOCH1|KOCH2|MEIER|HUBER1|HUBER2|LENZ"]
)
def test_short_names_of_staff_are_no_codes_of_places(header: str, values: str) -> None:
    assert role(header, drawn(values)) == "identifier"


@pytest.mark.parametrize("header", ["outcome", "therapy", "religion"])
def test_numbers_of_files_are_no_years(header: str) -> None:
    rng = random.Random(9)
    assert role(header, [f"{rng.randint(2018, 2020)}/{rng.randint(20, 99)}" for _ in range(ROWS)]) == "identifier"


@pytest.mark.parametrize("header", ["therapy", "hospital", "Wohnort"])
def test_few_phones_are_phones(header: str) -> None:
    assert role(header, drawn("24117893|51234888|33901127|48820914|71120335")) == "identifier"


def test_one_number_with_a_letter_makes_no_quantities_of_the_others() -> None:
    rng = random.Random(10)
    assert role("ward", drawn([*(str(number) for number in rng.sample(range(101, 999), 30)), "117a"])) == "identifier"


def test_names_among_words_are_names() -> None:
    trades = "Maurer|Bäcker|Lehrer|Ärztin|Tischler|Elektriker|Hagedorn|Lindqvist|Vukovic|Petra|Jamal"
    assert role("Beruf", drawn(trades)) == "identifier"
