"""Frequencies, ranks, itemsets and queries of baskets, against their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive import measures as naive
from support.seeds import in_parts
from tacit.baskets.measures import SAMPLE, itemsets, measure_loss, sample
from tacit.baskets.measures.frequencies import estimated, mean_ranks, measure_frequencies, rank_correlation
from tacit.baskets.measures.queries import Estimates, draw_queries, none_of, true_counts
from tacit.baskets.measures.shown import Shown
from tacit.report.meanings import MEASURES


class Case(NamedTuple):
    """A release as arrays, and the same as sets."""

    seen: Shown
    original: list[set[int]]
    published: list[list[naive.Occurrence]]  # in the records that they are published in
    stands_for: list[list[int]]

    @property
    def names(self) -> list[set[int]]:
        return [{name for _, name in record if name >= 0} for record in self.published]


def random_release(seed: int, *, moves: bool = False) -> Case:
    """Any recoding: each occurrence by any name that stands for its item, names that overlap, some suppressed."""
    rng = np.random.default_rng(seed)
    n_items, n_records = int(rng.integers(2, 6)), int(rng.integers(1, 9))
    stands_for = [[item] for item in range(n_items)]
    stands_for += [sorted(rng.choice(n_items, int(rng.integers(2, n_items + 1)), replace=False).tolist()) for _ in "ab"]
    original = [
        set(rng.choice(n_items, int(rng.integers(0, min(4, n_items) + 1)), replace=False).tolist())
        for _ in range(n_records)
    ]
    items = [item for basket in original for item in sorted(basket)]
    names = [
        int(rng.choice([-1, *(name for name, leaves in enumerate(stands_for) if item in leaves)])) for item in items
    ]
    lengths = [len(basket) for basket in original]
    own = np.repeat(np.arange(n_records), lengths)
    record = own.copy()
    if moves:  # anywhere, but no item twice in a record
        record = rng.integers(n_records, size=own.size)
    published: list[list[naive.Occurrence]] = [[] for _ in original]
    taken = set()
    for i, item in enumerate(items):
        if (int(record[i]), item) in taken:
            record[i] = own[i]
        taken.add((int(record[i]), item))
    if len(taken) < len(items):
        record = own
    for item, name, where in zip(items, names, record.tolist(), strict=True):
        published[where].append((item, name))
    seen = Shown(
        np.cumsum([0, *lengths]), np.array(items, np.int32), np.array(names, np.int32),
        np.cumsum([0, *map(len, stands_for)]), np.concatenate(stands_for).astype(np.int32),
        np.array([len(leaves) for leaves in stands_for]), n_items, np.zeros(n_items, bool), record if moves else None,
    )  # fmt: skip
    return Case(seen, original, published, stands_for)


CASES = [(seed, moves) for seed in range(60) for moves in (False, True)]


@in_parts(range(60), fast=15)
def test_expected_counts_are_those_of_all_ways_to_fill_the_names(seeds: Sequence[int]) -> None:
    compared = 0
    for seed, moves in product(seeds, (False, True)):
        case = random_release(seed, moves=moves)
        queries = sorted(set(draw_queries(case.seen, np.random.default_rng(seed))))[:6]
        estimate = Estimates(case.seen)
        for even, found in zip((False, True), estimate(queries), strict=True):
            wanted = [naive.expected(set(query), case.names, case.stands_for, even=even) for query in queries]
            assert found == pytest.approx(wanted), seed
        wanted = [sum(set(query) <= basket for basket in case.original) for query in queries]
        assert true_counts(case.seen, queries).tolist() == wanted
        compared += len(queries)
    assert compared > 5 * len(seeds)


def test_queries_may_ask_for_more_items() -> None:
    compared = 0
    for seed, moves in CASES:
        case = random_release(seed, moves=moves)
        queries = [tuple(sorted(basket)) for basket in case.original if len(basket) > 3] + [(0,), (0, 1)]
        for even, found in zip((False, True), Estimates(case.seen)(queries), strict=True):
            wanted = [naive.expected(set(query), case.names, case.stands_for, even=even) for query in queries]
            assert found == pytest.approx(wanted), seed
        wanted = [sum(set(query) <= basket for basket in case.original) for query in queries]
        assert true_counts(case.seen, queries).tolist() == wanted
        compared += len(queries) - 2
    assert compared > 50


def test_frequencies_are_shared_out_evenly() -> None:
    for seed, moves in CASES:
        case = random_release(seed, moves=moves)
        wanted = naive.frequencies(case.names, case.stands_for, case.seen.n_items)
        assert estimated(case.seen) == pytest.approx(wanted), seed
        truth = [sum(item in basket for basket in case.original) for item in range(case.seen.n_items)]
        error = sum(abs(w - t) for w, t in zip(wanted, truth, strict=True) if t) / max(sum(truth), 1)
        assert measure_frequencies(case.seen)["item_frequency_error"] == pytest.approx(error), seed


def test_frequent_itemsets_are_those_that_enough_records_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itemsets, "SUPPORTS", (0.2, 0.4, 0.7))
    shares = set()
    for seed, moves in CASES:
        case = random_release(seed, moves=moves)
        found = itemsets.measure_itemsets(case.seen)
        for support in (0.2, 0.4, 0.7):
            wanted = math.ceil(support * len(case.original) - 1e-9)
            before = naive.frequent(case.original, wanted, case.seen.n_items)
            kept = [
                sum(naive.holds_by_own_names(record, each, case.stands_for) for record in case.published) >= wanted
                for each in before
            ]
            seen = [
                sum(naive.holds_by_some_names(record, each) for record in case.published) >= wanted for each in before
            ]
            for key, still in (("kept", kept), ("generalized", seen)):
                share = sum(still) / len(still) if still else None
                assert found[f"frequent_itemsets_{key}"][str(support)] == pytest.approx(share), (seed, support)
                shares.add(share)
    assert len(shares) > 10


def test_a_support_with_too_many_pairs_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(itemsets, "SUPPORTS", (0.1, 0.6))
    monkeypatch.setattr(itemsets, "_MOST_PAIRS", 2)
    frame = pa.table({"basket": [["a", "b", "c"], ["a", "b"], ["a", "b"], ["c"]]})
    utility = tacit.anonymize(frame, tacit.KmAnonymity(k=1, m=1), items="basket").utility
    assert utility["frequent_itemsets_kept"] == {"0.6": 1.0}


@pytest.mark.parametrize("leaves", [1, 2, 5, 5000])
def test_the_chance_that_a_set_lacks_items(leaves: int) -> None:
    assert none_of(0, leaves, even=False) == pytest.approx(1)
    lacks_one = 0.5 if leaves > 60 else (2 ** (leaves - 1) - 1) / (2**leaves - 1)
    assert none_of(1, leaves, even=False) == pytest.approx(lacks_one)
    assert none_of(1, leaves, even=True) == pytest.approx(1 - 1 / leaves)


def test_ranks() -> None:
    def ranked(one: list[float], other: list[float]) -> float:
        return rank_correlation(np.array(one, float), np.array(other, float))

    assert ranked([1, 2, 3], [10, 20, 90]) == pytest.approx(1)
    assert ranked([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert ranked([1, 2, 3], [5, 5, 5]) == 0
    assert ranked([4, 4], [5, 5]) == 1
    assert ranked([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)


def test_estimates_that_are_equal_but_for_rounding_share_a_rank() -> None:
    """Of a local recoding: 2/3 + 1/6 is not 5/6 in floats."""
    shares = np.array([2 / 3 + 1 / 6, 5 / 6, 1e-7, 2e-7, 0, 0])
    assert shares[0] != shares[1]
    assert mean_ranks(shares).tolist() == [5.5, 5.5, 3, 4, 1.5, 1.5]
    assert mean_ranks(np.array([])).size == 0


def test_ranks_are_those_of_exact_estimates() -> None:
    several = 0
    for seed, moves in CASES:
        case = random_release(seed, moves=moves)
        exact = [Fraction()] * case.seen.n_items
        for name in (name for record in case.names for name in record):
            for item in case.stands_for[name]:
                exact[item] += Fraction(1, len(case.stands_for[name]))
        truth = np.bincount(case.seen.items, minlength=case.seen.n_items).astype(float)
        held = np.flatnonzero(truth).tolist()
        steps = sorted({exact[item] for item in held})
        wanted = rank_correlation(truth[held], np.array([steps.index(exact[item]) for item in held], float))
        assert measure_frequencies(case.seen)["rank_correlation"] == pytest.approx(wanted), seed
        several += len(steps) < len(held)
    assert several > 10


def test_baskets_are_empty_where_items_are_published() -> None:
    """Of records that exchange items, one that had some may be published with none."""
    emptied = 0
    for seed, moves in CASES:
        case = random_release(seed, moves=moves)
        wanted = sum(bool(basket) and not names for basket, names in zip(case.original, case.names, strict=True))
        assert measure_loss(case.seen)["emptied_baskets"] == wanted, seed
        emptied += moves and wanted
    assert emptied > 10


def test_what_is_not_changed_has_no_error() -> None:
    frame = pa.table({"basket": [["a", "b"], ["a", "c"], [], ["b", "c", "a"]]})
    utility = tacit.anonymize(frame, tacit.KmAnonymity(k=1, m=2), items="basket").utility
    assert (utility["item_frequency_error"], utility["rank_correlation"]) == (0, 1)
    assert (utility["are"], utility["are_even"]) == (0, 0)
    assert set(utility["frequent_itemsets_kept"].values()) == {1.0}
    assert set(utility["frequent_itemsets_generalized"].values()) == {1.0}
    assert utility["ncp_lower_bound"] == 0
    assert set(utility) <= set(MEASURES)


def test_queries_hold_a_sensitive_item_and_others() -> None:
    case = random_release(3)
    sensitive = np.zeros(case.seen.n_items, bool)
    sensitive[0] = True
    seen = Shown(**{**{f: getattr(case.seen, f) for f in case.seen.__dataclass_fields__}, "sensitive": sensitive})
    queries = draw_queries(seen, np.random.default_rng(1), sensitive=True)
    assert all(0 in query and 2 <= len(query) <= 3 for query in queries)
    assert bool(queries) == any(0 in basket and len(basket) > 1 for basket in case.original)


def test_big_data_is_sampled_and_that_is_said() -> None:
    rows = SAMPLE + 10
    frame = pa.table({"basket": [["a"], ["b"]] * (rows // 2)})
    release = tacit.anonymize(frame, tacit.KmAnonymity(k=2, m=2), items="basket")
    assert release.utility["records_sampled"] == SAMPLE
    assert release.utility["records"] == rows


def test_moved_items_are_never_sampled() -> None:
    seen = random_release(5, moves=True).seen
    assert sample(seen) is seen
