"""Sets of items for clusters of few records: as `tacit.baskets.solvers.merging` makes them, without its preparations.

The records that hold an item are bits. Where a cluster has more records or items than there is room for, or sets of
three items would have to be looked at, it is left to the general method.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._merging import compare_costs
from tacit.records.solvers._cluster_kernels import ones

WORDS, ITEMS = 16, 256
"""For so many words of 64 records, and so many different items, there is room."""
UNDECIDED = -1


class Bench(NamedTuple):
    """Scratch for one cluster. Its items are numbered from the rarest on, of equals the lower first."""

    code_of: np.ndarray  # int32 by item of the data: its number, −1 outside
    item: np.ndarray  # int32: the items of the cluster,
    often: np.ndarray  # int64: how many records hold each,
    bits: np.ndarray  # uint64, items × words: and which; of a set, in the row of its lowest item, who holds one of it
    held: np.ndarray  # int64: how many hold a set
    size: np.ndarray  # int64: items of a set
    label: np.ndarray  # int32: the lowest item of each item's set
    pair: np.ndarray  # int32, × 2: sets that fewer than k records hold both of
    mass: np.ndarray  # int64: occurrences of the items of a set; empty: merges are chosen as COAT does


def bench_for(n_items: int, *, by_loss: bool = False) -> Bench:
    """`by_loss`: merges are chosen by what occurrences lose, not as the paper of COAT does."""
    return Bench(
        np.full(max(n_items, 1), -1, np.int32), np.zeros(ITEMS, np.int32), np.zeros(ITEMS, np.int64),
        np.zeros((ITEMS, WORDS), np.uint64), np.zeros(ITEMS, np.int64), np.zeros(ITEMS, np.int64),
        np.zeros(ITEMS, np.int32), np.zeros((ITEMS * ITEMS // 2, 2), np.int32),
        np.zeros(ITEMS if by_loss else 0, np.int64),
    )  # fmt: skip


@inner
def _lay_out(indptr, items, records, start, stop, bench):
    """The items of some records; how many there are (−1: too many), how many records have any, occurrences."""
    n, filled, occurrences, first, fits = 0, np.int64(0), np.int64(0), 0, True
    for i in range(start, stop):
        record = records[i]
        occurrences += indptr[record + 1] - indptr[record]
        filled += indptr[record + 1] > indptr[record]
        for j in range(indptr[record], indptr[record + 1]):
            item = items[j]
            if fits and bench.code_of[item] < 0:
                fits = n < ITEMS
                if fits:
                    bench.code_of[item], bench.item[n], bench.often[n] = n, item, 0
                    n += 1
            if fits:
                bench.often[bench.code_of[item]] += 1
    for i in range(n):
        bench.code_of[bench.item[i]] = -1
    if not fits:
        return UNDECIDED, filled, occurrences
    for i in range(1, n):
        item, count, place = bench.item[i], bench.often[i], i
        while place > 0 and (
            bench.often[place - 1] > count or (bench.often[place - 1] == count and bench.item[place - 1] > item)
        ):
            bench.item[place], bench.often[place] = bench.item[place - 1], bench.often[place - 1]
            place -= 1
        bench.item[place], bench.often[place] = item, count
    for i in range(n):
        bench.code_of[bench.item[i]] = i
        bench.held[i], bench.size[i], bench.label[i] = bench.often[i], 1, i
        if bench.mass.size:
            bench.mass[i] = bench.often[i]
        for w in range(WORDS):
            bench.bits[i, w] = np.uint64(0)
    for i in range(start, stop):
        record, bit = records[i], np.uint64(1) << np.uint64(first % 64)
        for j in range(indptr[record], indptr[record + 1]):
            bench.bits[bench.code_of[items[j]], first // 64] |= bit
        first += indptr[record + 1] > indptr[record]
    for i in range(n):
        bench.code_of[bench.item[i]] = -1
    return n, filled, occurrences


@inner
def _both(bench, one, other):
    """How many records hold two sets."""
    people = np.int64(0)
    for w in range(WORDS):
        people += ones(bench.bits[one, w] & bench.bits[other, w])
    return people


@inner
def _cheapest(bench, n, c):
    """The set with which one is merged at the least cost, the lowest of equals; −1 if there is none."""
    best, best_size, best_people = -1, np.int64(0), np.int64(0)
    for d in range(n):
        if d == c or bench.label[d] != d:
            continue
        if bench.mass.size:
            lost = bench.size[c] * bench.mass[d] + bench.size[d] * bench.mass[c]
            if best < 0 or lost < best_size:
                best, best_size = d, lost
            continue
        people = bench.held[c] + bench.held[d] - _both(bench, c, d)
        size = bench.size[c] + bench.size[d]
        if best < 0 or compare_costs(size, people, best_size, best_people) < 0:
            best, best_size, best_people = d, size, people
    return best


@inner
def _merge_cheapest(bench, n, c):
    """Merges a set with the one with which it is cheapest; whether there was one."""
    best = _cheapest(bench, n, c)
    if best < 0:
        return False
    low, high = (c, best) if c < best else (best, c)
    bench.held[low] += bench.held[high] - _both(bench, low, high)
    bench.size[low] += bench.size[high]
    if bench.mass.size:
        bench.mass[low] += bench.mass[high]
    for w in range(WORDS):
        bench.bits[low, w] |= bench.bits[high, w]
    for i in range(n):
        bench.label[i] = low if bench.label[i] == high else bench.label[i]
    return True


@inner
def _make_frequent(bench, n, k):
    """Merges until k records hold each set: always the rarest one, the first of equals."""
    while True:
        rarest, least = -1, k
        for i in range(n):
            here = bench.held[bench.label[i]]
            if here < least:
                rarest, least = i, here
        if rarest < 0:
            return
        while bench.held[bench.label[rarest]] < k:
            if not _merge_cheapest(bench, n, bench.label[rarest]):
                return


@inner
def _together(bench, i):
    """The sets of a pair as they are now, and how many records hold them."""
    one, other = bench.label[bench.pair[i, 0]], bench.label[bench.pair[i, 1]]
    return one, other, bench.held[one] if one == other else _both(bench, one, other)


@inner
def _make_pairs_frequent(bench, n, k):
    """Merges until k records hold any two sets that somebody holds both of: the rarest pair first, again and again."""
    n_pairs = 0
    for i in range(n):
        for j in range(i + 1, n):
            if bench.label[i] == i and bench.label[j] == j and 0 < _both(bench, i, j) < k:
                bench.pair[n_pairs, 0], bench.pair[n_pairs, 1] = i, j
                n_pairs += 1
    while n_pairs > 0:
        rarest, least, left = -1, k, 0
        for i in range(n_pairs):
            _, _, people = _together(bench, i)
            if people < k:  # a pair that holds does so for good
                bench.pair[left, 0], bench.pair[left, 1] = bench.pair[i, 0], bench.pair[i, 1]
                if people < least:
                    rarest, least = left, people
                left += 1
        n_pairs = left
        while rarest >= 0:
            one, other, people = _together(bench, rarest)
            if people >= k:
                break
            low, high = (one, other) if one < other else (other, one)
            _merge_cheapest(bench, n, high if bench.held[high] < bench.held[low] else low)


@inner
def _is_short(indptr, items, records, start, stop, bench, n):
    """Whether no record shows three sets."""
    for i in range(n):
        bench.code_of[bench.item[i]] = bench.label[i]
    is_short = True
    for i in range(start, stop):
        record = records[i]
        first = second = -1
        for j in range(indptr[record], indptr[record + 1]):
            label = bench.code_of[items[j]]
            if first < 0 or label == first:
                first = label
            elif second < 0 or label == second:
                second = label
            else:
                is_short = False
    for i in range(n):
        bench.code_of[bench.item[i]] = -1
    return is_short


@inner
def _merge_all(indptr, items, records, start, stop, k, m, bench, n):
    """The sets of a cluster that has been laid out; whether they are right."""
    _make_frequent(bench, n, k)
    if m > 1:
        _make_pairs_frequent(bench, n, k)
    return m < 3 or _is_short(indptr, items, records, start, stop, bench, n)


def small_sets(indptr: np.ndarray, items: np.ndarray, k: int, m: int, bench: Bench) -> bool:
    """Whether the general method need not be asked for all of some records, of which k have items: then `bench.item`
    and `bench.label` tell what each of their items becomes."""
    records, out = np.arange(indptr.size - 1, dtype=np.int32), np.empty(1)
    at, start, stop = np.zeros(1, np.int64), np.zeros(1, np.int64), np.full(1, records.size)
    small_losses(1, at, indptr, items, records, start, stop, k, m, 1.0, bench, out)
    return bool(out[0] >= 0)


@kernel
def small_losses(steps, at, indptr, items, records, starts, stops, k, m, everything, bench, out):
    """For each part what its items lose: the sum over occurrences of (items of its set − 1) ÷ (all items − 1); 1 each
    where fewer than k have any. `out` is UNDECIDED where the general method must say."""
    while at[0] < starts.size and steps > 0:
        part = at[0]
        start, stop = starts[part], stops[part]
        at[0] += 1
        steps -= 1 + stop - start
        out[part] = UNDECIDED
        if stop - start > 64 * WORDS:
            continue
        n, filled, occurrences = _lay_out(indptr, items, records, start, stop, bench)
        if filled < k:
            out[part] = occurrences
        elif n >= 0 and _merge_all(indptr, items, records, start, stop, k, m, bench, n):
            lost = 0.0
            for i in range(n):
                lost += bench.often[i] * (bench.size[bench.label[i]] - 1)
            out[part] = lost / everything
