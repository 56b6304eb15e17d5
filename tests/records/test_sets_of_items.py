"""Sets of items in clusters of records, merged in bits: those that the general method makes of lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from support.rt_cases import arrays
from support.seeds import in_parts
from tacit.arrays.attributes import Attribute
from tacit.arrays.sparse import take_rows
from tacit.promises import KKmAnonymity
from tacit.records.solvers import sets
from tacit.records.solvers.frontier import item_loss
from tacit.records.solvers.parts import BySets, Parts
from tacit.records.solvers.problem import RecordProblem


def random_baskets(rng: np.random.Generator, *, columns: int = 1) -> RecordProblem:
    """Up to 150 records with up to 60 items, some of which nearly everybody has; some have none."""
    n, n_items, most = int(rng.integers(2, 150)), int(rng.integers(1, 60)), int(rng.integers(1, 7))
    popular = 1 / np.arange(1, n_items + 1) ** rng.uniform(0, 1.5)
    baskets = [
        set(rng.choice(n_items, rng.integers(0, most + 1), p=popular / popular.sum()).tolist()) for _ in range(n)
    ]
    column = np.sort(rng.integers(0, columns, n_items)).astype(np.int32)
    age = Attribute("age", np.zeros(n, np.int32), ("1",), numbers=np.ones(1))
    promise = KKmAnonymity(int(rng.integers(1, 9)), [1, 2, 2, 2, 3, float("inf")][rng.integers(0, 6)])
    return RecordProblem((age,), *arrays(baskets), column, *arrays([set()] * n), promise)


@in_parts(range(300), 60)
@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize(("method", "power"), [("coat", 1), ("sets", 1), ("sets", 1.5)])
def test_bits_give_the_sets_that_lists_give(
    method: str, power: float, columns: int, seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    merged = suppressed = left_to_lists = 0
    for seed in seeds:
        problem = random_baskets(np.random.default_rng([seed, columns]), columns=columns)
        if not problem.items.size:
            continue
        how, items = BySets(problem, method, power), np.unique(problem.items)
        baskets = problem.indptr, np.searchsorted(items, problem.items).astype(np.int32)
        with monkeypatch.context() as patch:
            if seed % 2:  # by kernels, as of many items
                patch.setattr("tacit.baskets.solvers.merging.are_few_items", lambda n_items, size, people: False)
            expected = how._in_lists(baskets, items)
        found = how._in_bits(baskets, items)
        if found is None:
            left_to_lists += 1
            continue
        assert found.tolist() == expected.tolist(), seed
        merged += bool((found != items).any())
        suppressed += bool((found < 0).any())
    assert merged > len(seeds) // 2
    assert 0 < left_to_lists < len(seeds) // 3
    assert suppressed > 0


@in_parts(range(120), 24)
@pytest.mark.parametrize("method", ["coat", "sets"])
def test_parts_lose_at_once_what_each_loses_alone(
    method: str, seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of all sizes, which may overlap; the bounds are lowered, so that some parts are beyond them."""
    monkeypatch.setattr(sets, "_FEW_RECORDS", 100)
    monkeypatch.setattr(sets, "_FEW_ITEMS", 30)
    monkeypatch.setattr(sets, "_AT_ONCE", 200)
    decided = undecided = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 7])
        problem = random_baskets(rng)
        everybody, how = np.arange(len(problem)), BySets(problem, method)
        how.ways = (how,)
        clusters = [rows for _ in range(4) for rows in np.split(rng.permutation(everybody), rng.integers(0, 150, 3))]
        losses, hidden = how.losses_at_once(clusters), how.hidden_at_once(clusters)
        for index, rows in enumerate(clusters):
            if index not in hidden:
                many = rows.size > 100 or np.unique(held(problem, rows)).size > 30
                assert losses[index] == sets.UNDECIDED and (many or problem.promise.m > 2)
                undecided += 1
                continue
            parts, expected = Parts(problem, how), Parts(problem, how).hidden(np.sort(rows))
            assert losses[index] == pytest.approx(item_loss(parts, np.sort(rows)), rel=1e-12), (seed, index)
            assert [array.tolist() for array in hidden[index]] == [array.tolist() for array in expected[:2]]
            decided += 1
    assert decided > 3 * undecided > 0


def held(problem: RecordProblem, rows: np.ndarray) -> np.ndarray:
    return take_rows(problem.indptr, problem.items, rows)[1]


@pytest.mark.parametrize("bound", ["_WORDS", "_PAIRS"])
def test_very_many_items_are_left_to_lists(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_baskets(np.random.default_rng([4, 1]))
    how, items = BySets(problem, "sets"), np.unique(problem.items)
    baskets = problem.indptr, np.searchsorted(items, problem.items).astype(np.int32)
    in_bits = how._in_bits(baskets, items)
    monkeypatch.setattr(sets, bound, 1)
    assert in_bits is not None and how._in_bits(baskets, items) is None
    assert how.hide(baskets, items).tolist() == in_bits.tolist()
