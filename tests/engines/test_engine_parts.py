"""Where records are divided: those alike stay together, and nobody can reckon who is where."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute
from tacit.engines.columns import Quasi
from tacit.engines.parts import split
from tacit.taxonomy import Taxonomy


def _steps(*texts: str, tree: Taxonomy | None = None, numbers: list[float] | None = None) -> list[float]:
    """What neighbours cost, in the order of the values."""
    leaves = None if tree is None else np.array([tree.node(text) for text in texts], np.int32)
    known = None if numbers is None else np.array(numbers)
    attribute = Attribute("x", np.empty(0, np.int32), texts, numbers=known, tree=tree, leaf_of_code=leaves)
    steps = Quasi(attribute, pa.array([], pa.large_string()), np.empty(0, np.int32)).steps()
    return steps[np.sort(attribute.keys)].round(3).tolist()


def test_a_step_costs_what_both_values_cost_as_one() -> None:
    assert _steps("1", "2", "7", numbers=[1, 2, 7]) == [0.167, 0.833, 0]
    assert _steps("f", "m") == [1, 0]
    assert _steps("x") == [0]
    tree = Taxonomy.from_parents(["*", "A", "B", "a", "b", "c"], [-1, 0, 0, 1, 1, 2])
    assert _steps("c", "a", "b", tree=tree) == [0.667, 1, 0]


def test_splits_are_where_records_would_not_have_been_together() -> None:
    """Women and men are further apart than neighbouring ages; but a value that few have divides nothing evenly."""
    draw = np.random.default_rng(0)
    age, sex, rare = draw.integers(0, 70, 9000), draw.random(9000) < 0.67, draw.random(9000) < 0.05
    keys = np.stack([age, sex, rare], axis=1).astype(np.int64)
    steps = [np.full(70, 1 / 69), np.ones(2), np.ones(2)]
    splits = split(keys, 9000, 3000, None, steps)
    assert splits.column.tolist() == [1, 0]
    assert split(keys, 9000, 3000).column.tolist()[0] == 0  # without steps the widest
    gap = np.where(age < 32, age, age + 60)[:, None]  # which is not in the middle
    assert split(gap, 9000, 4500, None, [np.where(np.arange(130) == 31, 0.5, 0.01)]).limit.tolist() == [31]
    uneven = np.stack([age, age > 30], axis=1).astype(np.int64)
    sizes = np.bincount(split(uneven, 9000, 1000, None, steps[:2]).part_of(uneven, pa.table({"a": age}), bytes(32)))
    assert sizes.size == 9
    assert sizes.max() < 1600


def test_splits_tear_few_persons_apart() -> None:
    """Of two columns that divide as well, the one that a person's records agree in."""
    draw = np.random.default_rng(0)
    persons = np.repeat(np.arange(1000), 4)
    keys = np.stack([draw.integers(0, 50, 4000), draw.integers(0, 40, 1000)[persons]], axis=1)
    assert set(split(keys, 4000, 500).column.tolist()) == {0, 1}
    apart = split(keys, 4000, 500, persons)
    assert set(apart.column.tolist()) == {1}
    torn = apart.part_of(keys, pa.table({"person": persons}), bytes(32))
    assert all(np.unique(torn[persons == person]).size == 1 for person in range(1000))


def test_who_is_in_a_divided_part_goes_there_with_all_records() -> None:
    """Everybody is alike, so that a hash says who goes where: of persons, one for all of their records."""
    persons = np.repeat(np.arange(100), 3)
    table = pa.table({"who": persons, "note": np.arange(300)})
    splits = split(np.zeros((300, 1), np.int64), 300, 60, persons)
    assert splits.pieces.tolist() == [5]
    part = splits.part_of(np.zeros((300, 1), np.int64), table.select(["who"]), bytes(32))
    assert all(np.unique(part[persons == person]).size == 1 for person in range(100))
    assert np.unique(part).size == 5


def test_splits_send_everybody_somewhere() -> None:
    draw = np.random.default_rng(0)
    keys = np.stack([draw.integers(0, 50, 4000), draw.integers(0, 4, 4000)], axis=1)
    table = pa.table({"a": keys[:, 0], "b": keys[:, 1]})
    splits = split(keys, 4000, 500)
    sizes = np.bincount(splits.part_of(keys, table, bytes(32)))
    assert sizes.size == splits.pieces.sum() == 8
    assert sizes.min() > 300
    alike = np.zeros((4000, 2), np.int64)  # one group with all records: divided by content, and no task has it all
    table = pa.table({"a": np.arange(4000)})
    splits = split(alike, 4000, 500)
    assert np.bincount(splits.part_of(alike, table, bytes(32))).max() < 700


def test_nobody_can_reckon_the_part_of_a_record_with_this_or_that_illness() -> None:
    """The attacker knows all of somebody but the illness, and who else is in the group: which one fits the part?"""
    rows, ills = 400, ["flu", "cold"]
    same = np.zeros((rows, 1), np.int64)  # so that parts are of contents alone
    splits = split(same, rows, rows // 2)
    tables = [pa.table({"age": np.arange(rows), "ill": [ill] * rows}) for ill in ills]
    true, guessed = (
        [splits.part_of(same, table, secret) for table in tables] for secret in (bytes([1] * 32), bytes([2] * 32))
    )
    telling = guessed[0] != guessed[1]  # where another illness would be in another part
    assert telling.sum() > rows / 3
    assert 0.4 < (true[0] == guessed[0])[telling].mean() < 0.6
