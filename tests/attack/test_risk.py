"""Risk figures: other tools' numbers to the digit, and what they are by hand."""

from __future__ import annotations

import csv
import gzip
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from tacit import KAnonymity
from tacit.attack.risk.classes import classes_of, prosecutor
from tacit.attack.risk.columns import by_number_known, distinction, per_column_set
from tacit.attack.risk.population import pitman, population_uniqueness, snb, zayatz
from tacit.attack.risk.suda import suda2
from tacit.attack.risk.weights import household_risk, individual_risk

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the data sets are not beside the project")


def rows_of(file: str, delimiter: str = ",") -> list[dict[str, str]]:
    path = DATA / file
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter))


def coded(rows: list[dict[str, str]], names: list[str]) -> list[np.ndarray]:
    return [np.unique([row[name] for row in rows], return_inverse=True)[1] for name in names]


@pytest.fixture(scope="module")
def adult() -> np.ndarray:
    rows = rows_of("relational/adult_arx.csv.gz", ";")
    return classes_of(coded(rows, list(rows[0])), len(rows)).sizes


@needs_data
def test_adult_as_arx_has_it(adult: np.ndarray) -> None:
    people = int(adult.sum())
    assert people == 30_162
    classes = classes_of([np.repeat(np.arange(adult.size), adult)], people)
    assert prosecutor(classes)["average"] == pytest.approx(0.6465751607983555, abs=1e-12)
    assert classes.uniques / people == pytest.approx(0.5142895033485844, abs=1e-15)
    assert round(pitman(adult, people / 0.1) or 0, 8) == 0.27684994
    assert round(pitman(adult, people / 0.01) or 0, 8) == 0.14460835
    assert round(zayatz(adult, people / 0.1) or 0, 8) == 0.32074024
    assert round(zayatz(adult, people / 0.2) or 0, 8) == 0.35770992


@needs_data
def test_the_rule_chooses_a_model(adult: np.ndarray) -> None:
    people = int(adult.sum())
    few, many = population_uniqueness(adult, people / 0.01), population_uniqueness(adult, people / 0.2)
    assert (few["model"], few["uniqueness"]) == ("pitman", few["pitman"])
    assert many["uniqueness"] == min(many["zayatz"], many["snb"]) and many["model"] in ("zayatz", "snb")
    assert population_uniqueness(adult, people)["uniqueness"] == pytest.approx(0.5142895033)
    assert population_uniqueness(np.array([2, 3]), 100)["uniqueness"] == 0


def test_slide_negative_binomial_finds_what_was_drawn() -> None:
    """A population of 1 + NB(0.7, 0.2) people a class, of whom a fifth are in the sample."""
    rng = np.random.default_rng(3)
    population = 1 + rng.negative_binomial(0.7, 0.2, 40_000)
    sample = rng.binomial(population, 0.2)
    truth = (population == 1).sum() / population.sum()
    assert snb(sample[sample > 0], 0.2) == pytest.approx(truth, rel=0.1)


@needs_data
def test_individual_risk_as_sdcmicro_has_it() -> None:
    rows = rows_of("reference/individual_risk.csv")
    classes = classes_of(coded(rows, ["A", "B", "C"]), len(rows))
    weights = np.array([float(row["weight"]) for row in rows])
    for exact, column in ((True, "expected_exact"), (False, "expected_approx")):
        found = individual_risk(classes, weights, exact=exact)
        assert np.round(found, 8).tolist() == [float(row[column]) for row in rows]


def test_individual_risk_is_the_mean_of_one_in_f() -> None:
    """By simulation: given f of the sample, the class of the population is f and a negative binomial number."""
    rng, size, share = np.random.default_rng(1), 3, 0.1
    classes = classes_of([np.zeros(size, np.int64)], size)
    drawn = size + rng.negative_binomial(size, share, 400_000)
    assert individual_risk(classes, np.full(size, 1 / share))[0] == pytest.approx((1 / drawn).mean(), rel=0.01)
    assert individual_risk(classes, np.ones(size)).tolist() == pytest.approx([1 / 3] * 3), "all are in the sample"


def test_a_household_is_found_by_any_of_its_members() -> None:
    found = household_risk(np.array([0.5, 0.5, 0.2]), np.array([0, 0, 1]))
    assert found.tolist() == pytest.approx([0.75, 0.75, 0.2])


@needs_data
def test_suda2_as_sdcmicro_has_it() -> None:
    for name in ("book", "guideline"):
        rows = rows_of(f"reference/suda2_{name}.csv")
        columns = coded(rows, [each for each in rows[0] if each != "expected_score"])
        assert suda2(columns, len(rows)).score.tolist() == [float(row["expected_score"] or 0) for row in rows]
    rows = rows_of("reference/suda2_contributions.csv")
    assert suda2(coded(rows, ["a", "b", "c"]), len(rows)).contribution.tolist() == [50, 37.5, 37.5]


def test_suda2_against_the_definition() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        columns = [rng.integers(0, 3, 12) for _ in range(4)]
        rows = list(zip(*(column.tolist() for column in columns), strict=True))

        def single_out(some: tuple[int, ...], row: int, rows: list[tuple[int, ...]] = rows) -> bool:
            return sum(all(other[i] == rows[row][i] for i in some) for other in rows) == 1

        expected: dict[tuple[int, ...], int] = {}
        for size in range(1, 5):
            for some in combinations(range(4), size):
                own = [
                    r for r in range(12)
                    if single_out(some, r) and not any(single_out(part, r) for part in combinations(some, size - 1))
                ]  # fmt: skip
                expected |= {some: len(own)} if own else {}
        assert suda2(columns, 12).smallest == expected


@needs_data
def test_distinction_and_separation_as_arx_has_them() -> None:
    rows = rows_of("reference/distinction.csv")
    expected = {"sex": (0.4, 0.6), "state": (0.6, 0.7), "age": (0.6, 0.8), "sex + state": (0.8, 0.9)}
    for size in range(1, 4):
        for some in combinations(["age", "sex", "state"], size):
            key = " + ".join(some)
            assert distinction(coded(rows, list(some)), 5) == pytest.approx(expected.get(key, (1, 1))), key
    columns = list(zip(rows[0], coded(rows, list(rows[0])), strict=True))
    assert per_column_set(columns, 5)["sex + state"] == {"distinction": 0.8, "separation": pytest.approx(0.9)}


@needs_data
def test_nist_s_uniques() -> None:
    rows = rows_of("nist/national2019.csv.gz")
    names = ["AGEP", "SEX", "MSP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "PINCP_DECILE", "DVET", "DEYE"]
    assert classes_of(coded(rows, names), len(rows)).uniques == 14_918


def test_risk_grows_with_the_columns_known() -> None:
    rng = np.random.default_rng(2)
    columns = [(f"c{i}", rng.integers(0, 4, 300)) for i in range(6)]
    found = by_number_known(columns, 300, rng)
    averages = [each["average"] for each in found]
    assert averages == sorted(averages) and [each["known"] for each in found] == [1, 2, 3, 4, 5, 6]
    assert found[-1]["average"] == classes_of([c for _, c in columns], 300).sizes.size / 300


def test_above_means_above() -> None:
    """Of 4 + 10 + 1 records, 5 have a risk above 0.2, or 5 above 0.09 and 10 at 0.1."""
    code = np.repeat([0, 1, 2], [4, 10, 1])
    found = prosecutor(classes_of([code], 15), (0.09, 0.1, 0.25))
    assert found["records_above"] == {"0.09": 15, "0.1": 5, "0.25": 1}
    assert (found["highest"], found["average"]) == (1, pytest.approx(3 / 15))


def frame(ages: list[int]) -> pa.Table:
    return pa.table({"age": ages})


def test_k_map_and_presence_against_a_reference() -> None:
    """[30:39] is 2 of 4 people, 40 is 2 of 2: δ from 1/2 to 1, and 2-map."""
    original, population = frame([31, 32, 40, 40]), frame([30, 31, 32, 39, 40, 40, 50])
    published = pa.table({"age": ["[30:39]", "[30:39]", "40", "40"]})
    found = tacit.attack(
        original, published, KAnonymity(k=2), quasi="age", reference=population, attackers="known-values"
    )["risk"]
    assert (found["k_map"], found["delta_presence"]) == (2, [0.5, 1.0])
    assert found["journalist"]["highest"] == 0.5 and found["marketer"] == pytest.approx((2 / 4 + 2 / 2) / 4)
    other = tacit.attack(
        original, published, KAnonymity(k=2), quasi="age", reference=frame([31]), attackers="known-values"
    )["risk"]
    assert (other["k_map"], other["classes_without_any"]) == (0, 1)


def test_weights_give_a_population() -> None:
    people = frame([1, 1, 2, 3]).append_column("w", pa.array([10.0, 10.0, 50.0, 30.0]))
    found = tacit.attack(people, None, KAnonymity(k=2), quasi="age", weight="w", attackers="known-values")["risk"]
    assert found["population"]["size"] == 100 and found["journalist"]["highest"] == pytest.approx(1 / 20)
    assert found["individual"]["highest"] == pytest.approx(individual_risk(
        classes_of([np.array([0, 0, 1, 2])], 4), np.array([10.0, 10.0, 50.0, 30.0])).max())  # fmt: skip


def test_a_population_smaller_than_the_file_is_refused() -> None:
    with pytest.raises(tacit.InputError, match="population is 3, but the file has 4 records"):
        tacit.attack(frame([1, 2, 3, 4]), None, KAnonymity(k=2), quasi="age", population=3)


def _visits() -> pa.Table:
    """Five records of 30 are of one person, five of 40 of three, two of 50 of two; a and f live together."""
    ids = [*"aaaaa", *"bbbcd", *"ef"]
    homes = [*("h" * 5), *"bbbcd", *"eh"]
    return pa.table({"id": ids, "home": homes, "age": [30] * 5 + [40] * 5 + [50] * 2, "w": [20.0] * 12})


_VISITS = {"quasi": "age", "weight": "w", "attackers": ("known-values", "uniques")}


@pytest.mark.parametrize("is_published", [False, True])
def test_records_of_one_person_do_not_hide_each_other(is_published: bool) -> None:
    table = _visits()
    order = np.random.default_rng(3).permutation(12)
    published = table.select(["age"]).take(pa.array(order)) if is_published else None
    rows = order if is_published else None
    found = tacit.attack(table, published, KAnonymity(k=2), person="id", rows=rows, **_VISITS)
    risk = found["risk"]
    expected = (5 * 1 + 5 / 3 + 2 / 2) / 12
    assert (risk["uniques"], risk["smallest_class"], risk["prosecutor"]["highest"]) == (5, 1, 1)
    assert risk["prosecutor"]["average"] == pytest.approx(expected)
    assert risk["all_columns"]["uniques"] == 5 and risk["all_columns"]["suda2"]["records_with_any"] == 5
    assert [each["success"] for each in found["attacks"]] == pytest.approx([expected, expected])
    assert risk["population"]["size"] == 120, "six people of weight 20 each"
    assert risk["journalist"]["highest"] == pytest.approx(1 / 20)


def test_households_are_counted_as_the_promise_does_and_weights_are_of_persons() -> None:
    found = tacit.attack(_visits(), None, KAnonymity(k=2), household="home", person="id", **_VISITS)["risk"]
    assert (found["uniques"], found["population"]["size"]) == (5, 120)
    alone = tacit.attack(_visits(), None, KAnonymity(k=2), household="home", **_VISITS)["risk"]
    assert (alone["uniques"], alone["population"]["size"]) == (5, 240), "of a household each record is a person"


def test_who_has_several_records_is_not_known_without_rows() -> None:
    table = _visits()
    found = tacit.attack(table, table.select(["age"]), KAnonymity(k=2), person="id", **_VISITS)
    assert (found["risk"]["uniques"], found["before"]["uniques"]) == (0, 5)
    assert "records are counted" in found["risk"]["classes_of"]


def test_the_population_is_one_of_people() -> None:
    assert tacit.attack(_visits(), None, KAnonymity(k=2), person="id", population=6, **_VISITS)["risk"]["population"]
    with pytest.raises(tacit.InputError, match="population is 5, but the file has 6 people"):
        tacit.attack(_visits(), None, KAnonymity(k=2), person="id", population=5, **_VISITS)


@pytest.mark.parametrize(("given", "size"), [({"population": 12}, 12), ({"weight": "w"}, 12), ({"population": 4}, 4)])
def test_who_is_in_several_classes_is_one_of_the_population(given: dict[str, Any], size: int) -> None:
    """Four people with three stays each at different ages; whose records differ in their weight has its mean."""
    table = pa.table({"id": [*"aaabbbcccddd"], "age": [1, 2, 3, 1, 2, 4, 5, 6, 3, 7, 8, 9], "w": [2.0, 3.0, 4.0] * 4})
    asked = {"quasi": "age", "person": "id", "attackers": ("uniques",), **given}
    found = tacit.attack(table, None, KAnonymity(k=2), **asked)["risk"]
    assert (found["population"]["size"], found["population"]["sampling_fraction"]) == (size, pytest.approx(4 / size))
    assert (found["population"]["model"] == "the sample is the population") is (size == 4)
    back = tacit.attack(table.take(pa.array(range(11, -1, -1))), None, KAnonymity(k=2), **asked)["risk"]
    assert found["population"] == pytest.approx(back["population"])
    if found["individual"] is not None:
        assert found["individual"] == pytest.approx(back["individual"])
