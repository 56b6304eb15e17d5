"""Mined threats against counting every itemset, on baskets of which many have the same ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from support.seeds import in_parts
from tacit.arrays import blocks
from tacit.baskets.solvers import _threats
from tacit.baskets.solvers._threats import mine

ALL = np.iinfo(np.int64).max


def mined(baskets: list[tuple[int, ...]], n: int, k: int, m: int) -> tuple[set[frozenset[int]], int]:
    """The threats among items 0..n−1 that the kernel finds, and the baskets it looked at."""
    indptr = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    items = np.array([item for basket in baskets for item in basket], np.int32)
    nobody, nodes = np.full(n, -1, np.int32), np.arange(n, dtype=np.int32)
    sets = indptr, items, np.ones(len(baskets), np.int64)
    found, ends, _, visits = mine(sets, n, nobody, nodes, k, m, -1, ALL, ALL)
    return {frozenset(threat.tolist()) for threat in np.split(found, ends[:-1]) if threat.size}, visits


def counted(baskets: list[tuple[int, ...]], k: int, m: int) -> set[frozenset[int]]:
    """All threats, literally."""
    support: dict[frozenset[int], int] = {}
    for basket in baskets:
        for size in range(1, m + 1):
            for itemset in combinations(basket, size):
                support[frozenset(itemset)] = support.get(frozenset(itemset), 0) + 1
    return {itemset for itemset, people in support.items() if people < k}


def minimal(threats: set[frozenset[int]]) -> set[frozenset[int]]:
    return {
        threat
        for threat in threats
        if not any(frozenset(part) in threats for n in range(1, len(threat)) for part in combinations(threat, n))
    }


def random_baskets(seed: int) -> tuple[list[tuple[int, ...]], int]:
    """Few rare items, and behind them frequent ones, so that baskets end alike; in some cases too many for a key."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 14)) if seed % 3 else 40
    density = np.linspace(0.05, 0.9, n) if n < 40 else np.concatenate([np.full(28, 0.02), np.full(12, 0.9)])
    rows = rng.random((int(rng.integers(5, 60)), n)) < density
    return [tuple(np.flatnonzero(row).tolist()) for row in rows if row.any()], n


@in_parts(range(75), 8)
@pytest.mark.parametrize("m", [2, 3, 5])
def test_every_minimal_threat_is_found_and_nothing_that_is_none(m: int, seeds: Sequence[int]) -> None:
    met = 0
    for seed in seeds:
        baskets, n = random_baskets(seed)
        k = 1 + seed % 5
        threats, found = counted(baskets, k, m), mined(baskets, n, k, m)[0]
        assert found <= threats, seed
        assert minimal(threats) <= found, seed
        met += len(found)
    assert met > 3 * len(seeds)


def test_a_search_that_stops_every_few_steps_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [(*random_baskets(seed), 1 + seed % 5) for seed in range(6)]
    at_once = [mined(*case, 3) for case in cases]
    monkeypatch.setattr(_threats, "_FIRST_BLOCK", 5)
    monkeypatch.setattr(blocks, "_MOST", 5)
    assert [mined(*case, 3) for case in cases] == at_once


def test_baskets_that_end_alike_are_looked_at_as_one() -> None:
    baskets = [(0, 1, 3, 4, 5), (0, 2, 3, 4, 5)] * 20
    found, visits = mined(baskets, 6, 5, 4)
    assert not found
    assert visits < 2 * len(baskets)  # once as they are; then two rests behind item 0, which 20 share, are all there is


def test_too_many_labels_for_a_key_change_nothing() -> None:
    """A hundred thousand items take 17 bits each: the last three of a basket are compared, and longer rests never."""
    far = 100_000
    baskets = [(0, 1, far - 4, far - 3, far - 2, far - 1)] * 3 + [(0, 2, far - 4, far - 3, far - 2, far - 1)] * 2
    threats = counted(baskets, 3, 4)
    found = mined(baskets, far, 3, 4)[0]
    assert minimal(threats) <= found <= threats
    assert frozenset({2}) in found
