"""Near units: of those that a unit meets it knows the nearest, with the loss together, whatever the attributes."""

from __future__ import annotations

import numpy as np
import pytest

from support.grouping_cases import as_attributes, ncp
from tacit.arrays.attributes import Attribute
from tacit.records.solvers import near, units
from tacit.records.solvers.units import Table
from tacit.taxonomy import Taxonomy

ROWS, WANTED = 300, 6
DEEP = Taxonomy.from_paths([[f"x{i:03}", f"x{i // 7:02}.", f"x{i // 70}..", "*"] for i in range(400)])


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many places are what would be few without it."""
    monkeypatch.setattr(units, "_LARGEST_TABLE", 16)


def of_all_forms(seed: int) -> list[Attribute]:
    """Many leaves, many numbers of which one is missing, few leaves, and values without order."""
    rng = np.random.default_rng(seed)
    numbers: list[str | None] = [str(n) for n in rng.permutation(5000)[:ROWS]]
    numbers[3] = None
    return as_attributes(
        [
            ([f"x{i:03}" for i in rng.integers(0, 400, ROWS)], DEEP),
            (numbers, "number"),
            ([f"x{i:03}" for i in rng.integers(0, 9, ROWS)], DEEP),
            ([f"c{n}" for n in rng.integers(0, 5, ROWS)], "category"),
        ]
    )


def loss_of_pair(attributes: list[Attribute], one: int, other: int) -> float:
    """By the measure of what is published, for everybody else alone."""
    group = np.arange(ROWS, dtype=np.int32)
    group[max(one, other)] = min(one, other)
    _, group = np.unique(group, return_inverse=True)
    return ncp(attributes, group.astype(np.int32)) * ROWS / 2


def test_whoever_meets_all_others_knows_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    attributes = of_all_forms(1)
    table = Table.of(attributes).record_by_record()
    monkeypatch.setattr(near, "_PARTS", ROWS)  # all are one part
    monkeypatch.setattr(near, "_MEETINGS", ROWS)
    found = near.neighbours(table.measure, table.units, np.random.default_rng(2), WANTED)
    for unit in range(0, ROWS, 40):
        losses = sorted(loss_of_pair(attributes, unit, other) for other in range(ROWS) if other != unit)
        assert found.loss[unit].tolist() == pytest.approx(losses[:WANTED], abs=1e-6)
        told = [loss_of_pair(attributes, unit, other) for other in found.near[unit].tolist()]
        assert told == pytest.approx(found.loss[unit].tolist(), abs=1e-6)


@pytest.mark.parametrize("meetings", [ROWS, 5])
def test_lists_are_in_order_and_name_nobody_twice(monkeypatch: pytest.MonkeyPatch, meetings: int) -> None:
    """With few meetings, parts fall to pieces, and a unit meets those of its piece."""
    attributes = of_all_forms(4)
    alike = [each.at(np.repeat(np.arange(ROWS // 4), 4)) for each in attributes]
    table = Table.of(alike).record_by_record()
    monkeypatch.setattr(near, "_MEETINGS", meetings)
    found = near.neighbours(table.measure, table.units, np.random.default_rng(6), WANTED)
    for unit in range(ROWS):
        known = found.near[unit][found.near[unit] >= 0].tolist()
        assert unit not in known and len({*known}) == len(known) > 0
        assert np.isinf(found.loss[unit, len(known) :]).all()
        assert found.loss[unit].tolist() == sorted(found.loss[unit].tolist())
    if meetings == ROWS:
        assert (found.loss[:, :3] == 0).all()  # the three that are alike


def test_the_radius_is_the_loss_with_the_last_of_the_nearest_that_are_k_records() -> None:
    nearest = np.array([[1, 2, 3], [2, -1, -1], [0, 1, -1], [0, 1, 2]], np.int32)
    loss = np.where(nearest < 0, np.inf, [0.1, 0.2, 0.3]).astype(np.float32)
    radius = near.Neighbours(nearest, loss).radius(np.array([1, 2, 1, 5]), 4).tolist()
    assert radius == [loss[0, 1], np.inf, loss[2, 1], 0]
