"""Baskets as the audits look at them, against the same in plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise

import numpy as np
import pytest

from support.seeds import each_seed
from tacit.audits import _sets, _trie_kernels


def arrays(baskets: list[list[int]]) -> _sets.Sets:
    starts = np.array([0, *accumulate(map(len, baskets))], np.int64)
    return starts, np.array([item for basket in baskets for item in basket], np.int32)


def lists(starts: np.ndarray, items: np.ndarray) -> list[list[int]]:
    return [items[start:stop].tolist() for start, stop in pairwise(starts.tolist())]


def random_baskets(seed: int, *, as_sets: bool) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    baskets = [rng.integers(0, 4, rng.integers(0, 4)).tolist() for _ in range(rng.integers(0, 12))]
    return [sorted(set(basket)) for basket in baskets] if as_sets else baskets


@each_seed(range(60))
def test_sets(seed: int) -> None:
    for as_sets in (False, True):
        baskets = random_baskets(seed, as_sets=as_sets)
        found = _sets.as_sets(*arrays(baskets))
        assert found[1].dtype == np.int32
        assert lists(*found) == [sorted(set(basket)) for basket in baskets]


@each_seed(range(30))
def test_only_some(seed: int) -> None:
    baskets = random_baskets(seed, as_sets=False)
    starts, items = arrays(baskets)
    for most in (1, 4):
        few = _sets.only(starts, items, items < most)
        assert lists(*few) == [[item for item in basket if item < most] for basket in baskets]
    rows = np.random.default_rng(seed).permutation(len(baskets))[:5]
    assert lists(*_sets.some(starts, items, rows)) == [baskets[row] for row in rows.tolist()]


@each_seed(range(30))
def test_some_arrays_side_by_side_are_taken_in_pieces(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sets, "_AT_ONCE", 2)
    baskets = random_baskets(seed, as_sets=False)
    starts, items = arrays(baskets)
    rows = np.random.default_rng(seed).permutation(len(baskets))[:5]
    ends, found = _sets.some_beside(starts, (items, items.astype(np.int64) * 10), rows)
    wanted = [baskets[row] for row in rows.tolist()]
    assert [lists(ends, each) for each in found] == [wanted, [[10 * item for item in basket] for basket in wanted]]
    assert [each.dtype for each in found] == [np.int32, np.int64]


@pytest.mark.parametrize("how", ["sorted", "all alike", "in a kernel"])
def test_equal_ones(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if different sets should have the same number, or there are many."""
    if how == "all alike":
        monkeypatch.setattr(_sets, "mixed", lambda values: np.zeros(values.size, np.uint64))
    if how == "in a kernel":
        monkeypatch.setattr(_sets, "_MANY", -1)
    for seed in range(40):
        baskets = random_baskets(seed, as_sets=True)
        first, people = _sets.equal_ones(*arrays(baskets))
        found = {tuple(baskets[row]): count for row, count in zip(first.tolist(), people.tolist(), strict=True)}
        assert found == Counter(map(tuple, baskets))
        assert len(found) == first.size


@each_seed(range(20))
def test_few_items_are_sorted_as_many_are_counted(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    starts, items = arrays(random_baskets(seed, as_sets=True))
    few = _trie_kernels.sort_baskets(starts, items, 4)
    monkeypatch.setattr(_trie_kernels, "_FEW", -1)
    many = _trie_kernels.sort_baskets(starts, items, 4)
    assert few.dtype == many.dtype == np.int32
    assert few.tolist() == many.tolist()
    assert lists(starts, few) == [basket[::-1] for basket in lists(starts, items)]


@each_seed(range(40))
def test_the_prefix_tree_holds_every_prefix_once(seed: int) -> None:
    falling = [basket[::-1] for basket in random_baskets(seed, as_sets=True) if basket]
    weights = np.random.default_rng(seed).integers(1, 9, len(falling))
    item, parent, depth, passing, own = _trie_kernels.plant(*arrays(falling), weights)
    prefixes = [()]
    for node in range(1, item.size):
        assert parent[node] < node
        prefixes.append((*prefixes[parent[node]], int(item[node])))
    assert len(set(prefixes)) == len(prefixes)
    assert prefixes == sorted(prefixes)  # in preorder: what begins with a prefix stands right behind it
    assert set(prefixes) == {(), *(tuple(basket[:size]) for basket in falling for size in range(1, len(basket) + 1))}
    for prefix, steps, through, ending in zip(prefixes, depth, passing, own, strict=True):
        pairs = list(zip(falling, weights.tolist(), strict=True))
        assert steps == len(prefix)
        assert through == sum(people for basket, people in pairs if tuple(basket[: len(prefix)]) == prefix)
        assert ending == sum(people for basket, people in pairs if tuple(basket) == prefix)
