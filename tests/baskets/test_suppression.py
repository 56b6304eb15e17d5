"""MM against Fig. 1(a) of Liu & Wang (2010), its literal twin, and its promise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from naive import suppression as naive_suppression
from support.cases import RUNNING_EXAMPLE, running_taxonomy
from tacit.baskets.solvers import suppression
from tacit.baskets.solvers.suppression import suppress_moles

SEEDS = 800


class Case(NamedTuple):
    n_items: int
    baskets: list[set[int]]
    k: int
    p: float
    h: Fraction
    sensitive: set[int]
    loss: np.ndarray | None


def random_case(seed: int) -> Case:
    """Sparse and dense baskets, some of them often, p up to infinity, with and without sensitive items and losses."""
    rng = np.random.default_rng(seed)
    n_items = int(rng.integers(1, 12))
    density = rng.uniform(0.2, 0.8, n_items)
    baskets = [set(np.flatnonzero(rng.random(n_items) < density).tolist()) for _ in range(int(rng.integers(0, 40)))]
    if baskets and rng.random() < 0.3:
        baskets = [baskets[i] for i in rng.integers(0, len(baskets), int(rng.integers(1, 30)))]
    return Case(
        n_items,
        baskets,
        k=int(rng.integers(1, 8)),
        p=[1, 2, 3, 4, math.inf, math.inf][rng.integers(0, 6)],
        h=Fraction(int(rng.integers(4, 11)), 10) if rng.random() < 0.6 else Fraction(1),
        sensitive=set(np.flatnonzero(rng.random(n_items) < 0.2).tolist()),
        loss=rng.integers(0, 5, n_items) if rng.random() < 0.3 else None,
    )


def arrays(baskets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    indptr = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    return indptr, np.array([x for basket in baskets for x in sorted(basket)], np.int32)


def suppressed(case: Case) -> set[int]:
    sensitive = np.isin(np.arange(case.n_items), list(case.sensitive))
    is_suppressed = suppress_moles(
        *arrays(case.baskets),
        case.n_items,
        case.k,
        case.p,
        h=float(case.h),
        is_sensitive=sensitive,
        item_loss=case.loss,
    )
    return set(np.flatnonzero(is_suppressed).tolist())


def literally_suppressed(case: Case) -> set[int]:
    loss = None if case.loss is None else dict(enumerate(case.loss.tolist()))
    return naive_suppression.suppress_moles(case.baskets, case.k, case.p, case.h, case.sensitive, loss)


def assert_no_mole_is_left(case: Case, left_out: set[int]) -> None:
    left = [basket - left_out for basket in case.baskets]
    assert not left_out & case.sensitive
    assert not naive_suppression.minimal_moles(left, case.sensitive, case.h, case.k, case.p)


def test_figure_1_column_5() -> None:
    tree = running_taxonomy()
    names = [tree.names[leaf] for leaf in tree.leaves]
    baskets = [{names.index(item) for item in basket} for basket in RUNNING_EXAMPLE]
    is_suppressed = suppress_moles(*arrays(baskets), len(names), k=2, p=math.inf)
    assert {names[x] for x in np.flatnonzero(is_suppressed)} == set("bcixyz")


def test_a_sensitive_item_is_guarded() -> None:
    """Four of five who have item 0 have the sensitive item 2: too many for h = 0.7, not for h = 0.8."""
    baskets = [{0, 2}] * 4 + [{0}] + [{1}] * 5 + [{1, 2}]
    sensitive = np.array([False, False, True])
    assert suppress_moles(*arrays(baskets), 3, 2, 2, h=0.7, is_sensitive=sensitive).tolist() == [True, False, False]
    assert not suppress_moles(*arrays(baskets), 3, 2, 2, h=0.8, is_sensitive=sensitive).any()


def test_a_share_of_exactly_h_is_no_mole() -> None:
    """29 of 100 at h = 0.29, where 0.29 · 100 is a little less than 29 in floating point."""
    baskets = [{0, 1}] * 29 + [{0}] * 71
    sensitive = np.array([False, True])
    assert 0.29 * 100 < 29
    assert not suppress_moles(*arrays(baskets), 2, 2, 2, h=0.29, is_sensitive=sensitive).any()
    assert suppress_moles(*arrays(baskets), 2, 2, 2, h=0.28, is_sensitive=sensitive).tolist() == [True, False]


def test_same_items_as_the_literal_twin() -> None:
    for seed in range(SEEDS):
        case = random_case(seed)
        assert suppressed(case) == literally_suppressed(case), seed


@pytest.mark.slow
def test_same_as_the_literal_twin_on_many_more_cases() -> None:
    for seed in range(SEEDS, SEEDS + 8000):
        case = random_case(seed)
        assert suppressed(case) == literally_suppressed(case), seed


@pytest.mark.slow
def test_the_random_cases_are_worth_comparing() -> None:
    """Moles of one, of two and of more items, and ones for a sensitive item's sake, all of it occurs."""
    sizes, exposing = [0] * 10, 0
    for seed in range(300):
        case = random_case(seed)
        moles = naive_suppression.minimal_moles(case.baskets, case.sensitive, case.h, case.k, case.p)
        exposing += bool(moles - naive_suppression.minimal_moles(case.baskets, set(), case.h, case.k, case.p))
        for size in {len(mole) for mole in moles}:
            sizes[size] += 1
    assert all(found > least for found, least in zip(sizes[1:5], [100, 60, 30, 15], strict=True)), sizes
    assert exposing > 25


@pytest.mark.parametrize("limit", [0, 5, 15])
def test_no_mole_is_left_where_sizes_are_taken_one_after_another(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr(suppression, "_TOGETHER", limit)
    differing = 0
    for seed in range(200):
        case = random_case(seed)
        left_out = suppressed(case)
        assert_no_mole_is_left(case, left_out)
        differing += left_out != literally_suppressed(case)
    assert differing > 0, "the limit was never met"


def test_items_that_nobody_has_and_empty_data() -> None:
    assert not suppress_moles(np.zeros(1, np.int64), np.empty(0, np.int32), 3, 2, 2).any()
    assert not suppress_moles(*arrays([set(), set()]), 3, 2, 2).any()
    assert suppress_moles(*arrays([{1}]), 3, 2, 2).tolist() == [False, True, False]


def test_baskets_that_k_people_share_are_no_work() -> None:
    """Itemsets of 3000 items cannot be counted one by one; here they need not be."""
    everything = set(range(3000))
    assert not suppress_moles(*arrays([everything] * 5), 3000, 5, math.inf).any()
    assert suppress_moles(*arrays([everything] * 5), 3000, 6, 2).all()


@pytest.mark.compiled
def test_long_baskets_that_differ_a_little_end_in_good_time() -> None:
    """Too many itemsets to count: whole baskets are looked at. Each lacks one item, so any k − 1 of those must go."""
    everything = set(range(200))
    baskets = [everything - {x} for x in range(12)]
    is_suppressed = suppress_moles(*arrays(baskets), 200, 10, math.inf)
    left = [frozenset(basket - set(np.flatnonzero(is_suppressed).tolist())) for basket in baskets]
    assert all(sum(basket <= other for other in left) >= 10 for basket in left)
    assert is_suppressed.sum() == 10


def test_progress_is_told() -> None:
    told: list[str] = []
    suppress_moles(*arrays([{0, 1}, {0}, {1}, {0}]), 2, 2, 2, progress=told.append)
    assert any("up to 2" in line for line in told)
