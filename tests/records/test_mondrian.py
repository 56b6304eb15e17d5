"""Mondrian: its promise, its bookkeeping, and how near it comes to the best there is."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import tacit
from naive import relational as naive
from support.grouping_cases import as_attributes, members, ncp, random_columns
from support.seeds import in_parts
from tacit.arrays.attributes import Attribute
from tacit.arrays.order import joint_codes
from tacit.arrays.reading import read_attribute
from tacit.errors import PromiseError
from tacit.job import Column
from tacit.records.asked import Asked, reached
from tacit.records.solvers.diversity import need_of
from tacit.records.solvers.grouping import Grouping
from tacit.records.solvers.mondrian import _group_crowds, mondrian
from tacit.records.solvers.units import Table
from tacit.taxonomy import read_hierarchy

SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
NINE = (*SEVEN, "occupation", "salary-class")


@pytest.mark.compiled
@in_parts(range(100), 15)
def test_groups_are_large_and_diverse_enough(seeds: Sequence[int]) -> None:
    diverse = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows, k = int(rng.integers(8, 120)), int(rng.integers(1, 9))
        columns = random_columns(rng, rows)
        kind = str(rng.choice(["frequency", "distinct", "entropy"]))
        sensitive = [rng.integers(0, int(rng.integers(1, 7)), rows).astype(np.int32) for _ in range(rng.integers(0, 3))]
        l = int(rng.integers(2, 5)) if kind == "distinct" else float(rng.uniform(1.1, 3))  # noqa: E741
        try:
            found = members(mondrian(as_attributes(columns), k, l=l, sensitive=sensitive, kind=kind, seed=seed))
        except PromiseError:
            assert min(naive.reached(codes.tolist(), kind) for codes in sensitive) < l
            continue
        assert {r for group in found for r in group} == set(range(rows))
        assert min(map(len, found)) >= k
        for codes in sensitive:
            assert min(naive.reached(codes[group].tolist(), kind) for group in found) >= l - 1e-9
        texts = [naive.published(columns, group) for group in found]
        assert len(set(texts)) == len(texts)
        diverse += len(found) > 1 and len(sensitive) > 0
    assert diverse > len(seeds) // 4


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("promise", "starts"), [(tacit.KAnonymity(5), 3), (tacit.KAnonymity(50), 8), (tacit.TCloseness(5, 0.5), 8)], ids=str
)
def test_groups_that_are_not_formed_anew_are_the_best_of_several(
    promise: tacit.Promise, starts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = import_module("tacit.records.solvers.mondrian")
    grouped, calls = module._grouped, []

    def counted(*given: Any, **named: Any) -> Grouping:
        calls.append(named)
        return grouped(*given, **named)

    monkeypatch.setattr(module, "_grouped", counted)
    rng = np.random.default_rng(1)
    table = pa.table({"x": rng.permutation(600), "y": rng.integers(0, 600, 600), "s": rng.choice(["a", "b"], 600)})
    sensitive = "s" if promise.name == "t" else None
    tacit.anonymize(table, promise, quasi=["x", "y"], sensitive=sensitive, method="mondrian", seed=1)
    assert len(calls) == starts


def test_too_many_records_with_one_sensitive_value_go_to_several_groups() -> None:
    """Twelve with one value between six and six with another: as one unit they would need all others."""
    columns: list[naive.Column] = [(["4"] * 6 + ["5"] * 12 + ["6"] * 6, "number")]
    sensitive = np.repeat([1, 0, 1], [6, 12, 6]).astype(np.int32)
    found = members(mondrian(as_attributes(columns), 4, l=2.0, sensitive=[sensitive], seed=1))
    assert len(found) > 1
    assert all(len({columns[0][0][r] for r in group}) == 2 for group in found)


def test_pieces_of_units_are_as_equal_as_can_be_and_of_the_same_values() -> None:
    cut = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        columns = random_columns(rng, 60)[:1]
        whole = Table.of(as_attributes(columns), [rng.integers(0, 2, 60).astype(np.int32)])
        least = int(rng.integers(1, 5))
        pieces = whole.in_pieces(least, 12)
        assert np.array_equal(np.bincount(pieces.unit_of_record), pieces.units.weight)
        for name in ("box", "sensitive"):
            before, after = (getattr(table.units, name)[table.unit_of_record] for table in (whole, pieces))
            assert np.array_equal(before, after)
        for unit in range(whole.units.weight.size):
            weights = pieces.units.weight[np.unique(pieces.unit_of_record[whole.unit_of_record == unit])]
            assert weights.max() - weights.min() <= 1
            assert weights.size == 1 or weights.min() >= least
            cut += weights.size > 1
    assert cut > 30


def test_a_group_that_lacks_one_record_is_merged_and_one_of_k_is_not() -> None:
    for size, sizes in ((4, [9]), (5, [5, 5])):
        rng = np.random.default_rng(size)
        table = Table.of(as_attributes(random_columns(rng, 5 + size))).record_by_record()
        grouping = Grouping(table.measure, table.units, need_of(5, (), "frequency", table.units), rng)
        grouping.put(np.repeat([0, 1], [5, size]))
        grouping.complete()
        assert grouping.groups.size[grouping.groups.size > 0].tolist() == sizes


def _completed(numbers: list[int], sensitive: list[int], group: list[int], l: float, kind: str) -> np.ndarray:  # noqa: E741
    """The group of each record, when those that are given have become diverse (k = 5)."""
    table = Table.of(as_attributes([([str(n) for n in numbers], "number")]), [np.array(sensitive, np.int32)])
    asked = [Asked.plainly(np.array(sensitive, np.int32), l)]
    grouping = Grouping(
        table.measure, table.units, need_of(5, asked, kind, table.units), np.random.default_rng(len(numbers))
    )
    of_unit = np.empty(table.units.weight.size, np.int64)
    of_unit[table.unit_of_record] = group
    grouping.put(of_unit)
    grouping.complete()
    return np.unique(grouping.groups.of[table.unit_of_record], return_inverse=True)[1]


@pytest.mark.compiled
@pytest.mark.parametrize(("kind", "l"), [("frequency", 2), ("distinct", 2), ("entropy", 2)])
def test_a_group_that_is_not_diverse_goes_to_a_near_one_however_many_there_are(kind: str, l: float) -> None:  # noqa: E741
    """3,000 villages far apart, each with six people in a group and one left over, who is welcome there."""
    villages, people = 3_000, 7
    numbers = [1000 * v + p for v in range(villages) for p in range(people)]
    sensitive = [p % 6 for _ in range(villages) for p in range(people)]
    group = [2 * v + (p == 6) for v in range(villages) for p in range(people)]
    found = _completed(numbers, sensitive, group, l, kind).reshape(villages, people)
    assert (found == found[:, :1]).all()
    assert np.unique(found[:, 0]).size == villages


def test_who_needs_several_groups_to_be_diverse_takes_those_that_help() -> None:
    """Six people with one value between groups of which half have it, too; further away nobody has it."""
    numbers, sensitive, group = [100] * 6, [0] * 6, [0] * 6
    for number, place in enumerate((94, 96, 98, 102, 104, 106), start=1):
        numbers, sensitive, group = numbers + [place] * 6, [*sensitive, 0, 0, 0, 1, 2, 3], group + [number] * 6
    for number, place in enumerate((70, 130), start=7):
        numbers, sensitive, group = numbers + [place] * 5, [*sensitive, 1, 2, 3, 4, 5], group + [number] * 5
    found = members(_completed(numbers, sensitive, group, 2, "frequency"))
    assert sorted(map(len, found)) == [6] * 6 + [16]
    assert {numbers[r] for each in found if len(each) == 16 for r in each} == {70, 100, 130}


def test_what_kernels_keep_about_groups_is_what_the_members_say() -> None:
    steps = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        rows, k = int(rng.integers(10, 150)), int(rng.integers(2, 7))
        columns = random_columns(rng, rows)
        table = Table.of(as_attributes(columns))
        grouping = Grouping(table.measure, table.units, need_of(k, (), "frequency", table.units), rng)
        _group_crowds(grouping)
        grouping.complete()
        before = grouping.loss
        grouping.improve()
        steps += grouping.loss < before
        assert grouping.loss <= before + 1e-6
        group = grouping.groups.of[table.unit_of_record]
        for index in np.flatnonzero(grouping.groups.size):
            held = np.flatnonzero(group == index).tolist()
            assert len(held) == grouping.groups.size[index]
            assert naive.loss(columns, held) == pytest.approx(grouping.groups.loss[index], abs=1e-6), (seed, index)
        assert naive.total_loss(columns, [np.flatnonzero(group == g).tolist() for g in np.unique(group)]) == (
            pytest.approx(grouping.loss, abs=1e-4)
        )
    assert steps > 60


def test_near_the_optimum_of_small_tables() -> None:
    best_there_is = found_here = 0.0
    as_good = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows, k = int(rng.integers(4, 9)), int(rng.integers(2, 4))
        columns = random_columns(rng, rows)
        best = min(naive.total_loss(columns, groups) for groups in naive.partitions(list(range(rows)), k))
        found = naive.total_loss(columns, members(mondrian(as_attributes(columns), k, seed=seed)))
        assert found >= best - 1e-9
        best_there_is, found_here, as_good = best_there_is + best, found_here + found, as_good + (found < best + 1e-9)
    assert as_good >= 40
    assert found_here <= 1.1 * best_there_is


def test_near_units_are_the_nearest_if_all_fit_into_one_part() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        columns = random_columns(rng, 60)
        table = Table.of(as_attributes(columns))
        grouping = Grouping(table.measure, table.units, need_of(2, (), "frequency", table.units), rng)
        record = np.unique(table.unit_of_record, return_index=True)[1].tolist()
        for unit in range(len(record)):
            others = [naive.loss(columns, [record[unit], r]) for i, r in enumerate(record) if i != unit]
            known = min(len(others), grouping.n_near)
            assert sorted(others)[:known] == pytest.approx(grouping.found.loss[unit, :known].tolist(), abs=1e-6)


@pytest.mark.compiled
def test_large_k_is_reached_by_groups_of_groups() -> None:
    rng = np.random.default_rng(5)
    columns = [([str(n) for n in rng.integers(0, 5000, 3000)], "number")]
    group = mondrian(as_attributes(columns), 500, seed=1)
    assert np.bincount(group).min() >= 500
    assert naive.total_loss(columns, members(group)) / 3000 < 0.35


def test_large_trees_and_many_numbers_are_measured_without_tables() -> None:
    rng = np.random.default_rng(9)
    numbers = [str(n) for n in rng.permutation(1025)[:600]] + ["0", "1024"]
    columns = [(numbers, "number"), (numbers[::-1], "number")]
    table = Table.of(as_attributes(columns))
    grouping = Grouping(table.measure, table.units, need_of(5, (), "frequency", table.units), rng)
    _group_crowds(grouping)
    grouping.complete()
    grouping.improve()
    group = grouping.groups.of[table.unit_of_record]
    groups = [np.flatnonzero(group == g).tolist() for g in np.unique(group)]
    assert naive.total_loss(columns, groups) == pytest.approx(grouping.loss, abs=1e-3)


def test_equal_records_stay_as_they_are_if_they_are_enough() -> None:
    columns = [(["a"] * 5 + ["b"] * 5 + ["x0"] * 5, "category"), ([str(n // 5) for n in range(15)], "number")]
    found = members(mondrian(as_attributes(columns), 5, seed=1))
    assert found == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]]


def test_constant_and_missing_columns_and_no_record() -> None:
    columns = [(["same"] * 12, "category"), ([None] * 12, "number"), ([str(n) for n in range(12)], "number")]
    assert np.bincount(mondrian(as_attributes(columns), 3, seed=1)).min() >= 3
    assert np.bincount(mondrian(as_attributes(columns[:2]), 3, seed=1)).tolist() == [12]
    assert mondrian(as_attributes([([], "category")]), 3, seed=1).tolist() == []


@pytest.mark.compiled
def test_weights_say_which_attribute_matters() -> None:
    rng = np.random.default_rng(4)
    texts = [[str(n) for n in rng.integers(0, 50, 200)] for _ in range(2)]
    kept = []
    for weights in ((1.0, 0.01), (0.01, 1.0)):
        attributes = [
            read_attribute(pa.array(values), Column(f"q{i}", "quasi", weight=weight))
            for i, (values, weight) in enumerate(zip(texts, weights, strict=True))
        ]
        group = mondrian(attributes, 5, seed=1)
        kept.append([ncp([attribute], group) for attribute in attributes])
    assert kept[0][0] < kept[0][1]
    assert kept[1][1] < kept[1][0]


@pytest.mark.parametrize(("kind", "reach"), [("frequency", "1.5"), ("distinct", "2"), ("entropy", "1.88")])
def test_what_cannot_be_reached_is_refused_with_what_can(kind: str, reach: str) -> None:
    attributes = as_attributes([([str(n) for n in range(6)], "number")])
    sensitive = np.array([0, 0, 0, 0, 1, 1], np.int32)
    with pytest.raises(PromiseError, match=f"Set l to {reach}"):
        mondrian(attributes, 2, l=3, sensitive=[sensitive], kind=kind)
    with pytest.raises(PromiseError, match="Set k to 6"):
        mondrian(attributes, 7)
    highest = reached(Asked.plainly(sensitive, 2), kind)
    for group in members(mondrian(attributes, 2, l=highest, sensitive=[sensitive], kind=kind)):
        assert naive.reached(sensitive[group].tolist(), kind) >= highest - 1e-9


def test_one_value_for_all_is_never_diverse() -> None:
    attributes = as_attributes([([str(n) for n in range(6)], "number")])
    with pytest.raises(PromiseError, match="no l above 1"):
        mondrian(attributes, 2, l=1.5, sensitive=[np.zeros(6, np.int32)])


def test_rows_are_coded_in_their_order_however_many_values_there_are() -> None:
    for seed, top in enumerate((3, 50, 2**20, 2**40)):
        rng = np.random.default_rng(seed)
        columns = [rng.integers(0, min(top, 2**30), 50) // rng.integers(1, 5) for _ in range(4)]
        code, count = joint_codes(columns, [int(column.max()) + 1 for column in columns], 50)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        ranks = {row: rank for rank, row in enumerate(sorted(set(rows)))}
        assert code.tolist() == [ranks[row] for row in rows]
        assert count == len(ranks)


@pytest.fixture(scope="module")
def adult(shared_data: Path) -> dict[str, Attribute]:
    options = pa.csv.ParseOptions(delimiter=";")
    text = pa.csv.ConvertOptions(column_types=dict.fromkeys(NINE, pa.string()))
    table = pa.csv.read_csv(
        shared_data / "relational" / "adult_arx.csv.gz", parse_options=options, convert_options=text
    )
    trees = {name: read_hierarchy(shared_data / "taxonomies" / f"adult_hierarchy_{name}.csv") for name in NINE}
    return {name: read_attribute(table[name], Column(name, "quasi"), tree=trees[name]) for name in NINE}


def test_on_real_people_less_is_lost_than_by_other_tools(adult: dict[str, Attribute]) -> None:
    seven = [adult[name] for name in SEVEN]
    group = mondrian(seven, 5, seed=1)
    assert np.bincount(group).min() == 5
    assert ncp(seven, group) < 0.031


@pytest.mark.slow
def test_so_it_is_with_more_attributes_and_with_diversity(adult: dict[str, Attribute]) -> None:
    seven, nine = [adult[name] for name in SEVEN], [adult[name] for name in NINE]
    occupation = adult["occupation"].codes
    assert ncp(nine, mondrian(nine, 5, seed=1)) < 0.061
    assert ncp(seven, mondrian(seven, 5, l=2, kind="distinct", sensitive=[occupation], seed=1)) < 0.032


def test_many_more_equal_people_with_a_larger_k_are_grouped_alike(adult: dict[str, Attribute]) -> None:
    some = [
        Attribute(a.name, a.codes[:2000], a.texts, tree=a.tree, leaf_of_code=a.leaf_of_code) for a in adult.values()
    ]
    more = [Attribute(a.name, np.tile(a.codes, 10), a.texts, tree=a.tree, leaf_of_code=a.leaf_of_code) for a in some]
    assert ncp(more, mondrian(more, 50, seed=1)) == pytest.approx(ncp(some, mondrian(some, 5, seed=1)), rel=0.05)
