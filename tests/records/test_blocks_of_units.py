"""Groups that are made in blocks, by several threads: the same whatever their number, and as they must be."""

from __future__ import annotations

import numpy as np
import pytest

from naive import relational as naive
from support.grouping_cases import as_attributes, members, random_columns
from support.seeds import first_fast
from tacit.arrays.attributes import Attribute
from tacit.records.solvers import grouping, near
from tacit.records.solvers.apart import blocks_of
from tacit.records.solvers.diversity import need_of
from tacit.records.solvers.mondrian import mondrian
from tacit.records.solvers.units import Table

ROWS = 1500


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of so few units that most groups have neighbours in others."""
    monkeypatch.setattr(grouping, "_UNITS_OF_A_BLOCK", ROWS // 16)
    monkeypatch.setattr(grouping, "_UNITS_OF_A_WINDOW", 32)


def numbers(seed: int, rows: int = ROWS) -> list[Attribute]:
    """Two columns of numbers and one of a few categories: no cut is free."""
    rng = np.random.default_rng(seed)
    columns = [([str(n) for n in rng.integers(0, 900, rows)], "number") for _ in range(2)]
    return as_attributes([*columns, ([f"c{n}" for n in rng.integers(0, 5, rows)], "category")])


@pytest.mark.compiled
@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("threads", first_fast([5, 2]))
def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    found = []
    for number in (1, threads):
        for module in (grouping, near):
            monkeypatch.setattr(module, "cores", lambda number=number: number)
        found.append(mondrian(numbers(1), 4, seed=3).tolist())
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
def test_groups_of_blocks_keep_every_promise() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        sensitive, persons = rng.integers(0, 4, ROWS).astype(np.int32), rng.integers(0, ROWS // 2, ROWS)
        for kind in ("frequency", "distinct", "entropy"):
            found = members(mondrian(numbers(seed), 3, l=2, sensitive=[sensitive], kind=kind, seed=seed))
            assert min(map(len, found)) >= 3
            assert min(naive.reached(sensitive[group].tolist(), kind) for group in found) >= 2 - 1e-9
        found = members(mondrian(numbers(seed), 3, persons=persons.astype(np.int32), seed=seed))
        assert sorted(r for group in found for r in group) == list(range(ROWS))
        assert min(len({*persons[group].tolist()}) for group in found) >= 3


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
def test_blocks_cost_little() -> None:
    """Each round has other blocks, so that what lay at the edge of some is mended in others."""
    attributes = numbers(7)
    table = Table.of(attributes).record_by_record()

    def loss(group: np.ndarray) -> float:
        made = grouping.Grouping(
            table.measure, table.units, need_of(1, (), "frequency", table.units), np.random.default_rng(0)
        )
        made.put(group)
        return made.loss

    in_blocks = loss(mondrian(attributes, 5, seed=1))
    grouping._UNITS_OF_A_BLOCK = ROWS  # the fixture puts it back
    assert in_blocks < 1.04 * loss(mondrian(attributes, 5, seed=1))


def test_blocks_are_halves_of_all_units_and_free_cuts_come_first() -> None:
    rng = np.random.default_rng(4)
    tree = random_columns(rng, 400)
    table = Table.of(as_attributes(tree))
    made = grouping.Grouping(table.measure, table.units, need_of(2, (), "frequency", table.units), rng)
    place = near.places(table.measure, table.units.box)
    blocks = blocks_of(table.measure, place, made.found.near, 2, rng)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(place)))
    assert all((np.diff(block) > 0).all() for block in blocks)
    apart = np.array([[0, 0], [0, 9], [1, 0], [1, 9]] * 100, np.int32)  # the first column tells who is near
    shape = np.array([[2, 0, 2, 0], [2, 2, 10, 2]])
    measure = table.measure._replace(shape=shape, border=np.ones(12, np.float32))
    friends = np.array([[0, 1, 4, 5] if row[0] == 0 else [2, 3, 6, 7] for row in apart], np.int32)
    halves = blocks_of(measure, apart, friends, 1, rng)
    assert [np.unique(apart[half, 0]).size for half in halves] == [1, 1]
