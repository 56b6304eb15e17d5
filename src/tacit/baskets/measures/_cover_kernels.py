"""Answers queries about baskets by the names that they show."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.grouped import grouped
from tacit.arrays.jit import kernel


class _Asked(NamedTuple):
    """What is asked: a query is a row of items, then −1 where it has fewer; item i may be shown by the names
    names[start[i]:start[i + 1]]. `bits[i]` is how many bits of i are set."""

    queries: np.ndarray
    start: np.ndarray
    names: np.ndarray
    bits: np.ndarray


class _Shown(NamedTuple):
    """Record r, of which there are weight[r], shows names[indptr[r]:indptr[r + 1]]; name n is shown by the records
    records[start[n]:start[n + 1]]. `none[way, n, i]` is the chance that none of i items are among those of name n."""

    indptr: np.ndarray
    names: np.ndarray
    weight: np.ndarray
    start: np.ndarray
    records: np.ndarray
    none: np.ndarray


class _Work(NamedTuple):
    """Room for one query: the items of it that each name may stand for, as bits, the query that last met each record,
    the names at hand of this record and of the one before, and the chance in each way."""

    asked: np.ndarray
    seen: np.ndarray
    held: np.ndarray
    before: np.ndarray
    chance: np.ndarray


def count_covered(
    queries: np.ndarray,
    names_of_item: tuple[np.ndarray, np.ndarray],
    records: tuple[np.ndarray, np.ndarray, np.ndarray],
    none: np.ndarray,
) -> np.ndarray:
    """For each query the expected number of records whose names cover all of its items, in each way to estimate.

    Of the records that show a name of a query's rarest item, each counts with the chance that none of the items is
    missing. By inclusion and exclusion that is 1 less the chances that one item is missing, plus those that two are,
    and so on; that some are missing is the product of the chances `none` over the names of the record.
    """
    indptr, names, weight = records
    n_ways, n_names, n_items = none.shape
    lengths = np.diff(indptr)
    of_record = np.repeat(np.arange(weight.size, dtype=np.int32), lengths)
    bits = np.array([subset.bit_count() for subset in range(1 << (n_items - 1))])
    asked = _Asked(queries, *names_of_item, bits)
    shown = _Shown(indptr, names, weight, *grouped(names, of_record, n_names), none)
    longest = lengths.max(initial=0) + 1
    work = _Work(
        np.zeros(n_names, np.int32), np.full(weight.size, -1, np.int32),
        np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(n_ways),
    )  # fmt: skip
    expected = np.zeros((n_ways, len(queries)))
    for first, last in spans(len(queries), "queries", first=8):
        _count_covered(first, last, asked, shown, work, expected)
    return expected


@kernel
def _count_covered(first, last, asked, shown, work, expected):
    """The same for some of the queries."""
    queries, start, records, none, bits = asked.queries, shown.start, shown.records, shown.none, asked.bits
    may_be, seen, held, before, chance = work.asked, work.seen, work.held, work.before, work.chance
    for q in range(first, last):
        everything, rarest, fewest, n_before = 0, -1, 0, 0
        for i in range(queries.shape[1]):
            item = queries[q, i]
            if item < 0:
                break
            everything |= 1 << i
            times = 0
            for p in range(asked.start[item], asked.start[item + 1]):
                name = asked.names[p]
                may_be[name] |= 1 << i
                times += start[name + 1] - start[name]
            if times < fewest or rarest < 0:
                rarest, fewest = item, times
        is_plain = everything == 1  # one item, and no record shows two names that may stand for it
        for p in range(asked.start[rarest], asked.start[rarest + 1] if is_plain else 0):
            for j in range(start[asked.names[p]], start[asked.names[p] + 1]):
                is_plain &= seen[records[j]] != -2 - q
                seen[records[j]] = -2 - q
        for p in range(asked.start[rarest], asked.start[rarest + 1]):
            name = asked.names[p]
            for j in range(start[name], start[name + 1]):
                r = records[j]
                if seen[r] == q:
                    continue
                if is_plain:
                    for way in range(chance.size):
                        expected[way, q] += (1.0 - none[way, name, 1]) * shown.weight[r]
                    continue
                seen[r] = q
                n_held, covered = 0, 0
                for n in range(shown.indptr[r], shown.indptr[r + 1]):
                    held[n_held] = shown.names[n]
                    n_held += may_be[shown.names[n]] != 0
                    covered |= may_be[shown.names[n]]
                if covered != everything:
                    continue
                is_known = n_held == n_before  # the same names as of the record before, so the same chance
                for h in range(n_held):
                    is_known &= held[h] == before[h]
                    before[h] = held[h]
                n_before = n_held
                for way in range(chance.size):
                    if not is_known:
                        chance[way] = 1.0
                        for subset in range(1, everything + 1):
                            missing = 1.0 - 2.0 * (bits[subset] & 1)
                            for h in range(n_held):
                                missing *= none[way, held[h], bits[may_be[held[h]] & subset]]
                            chance[way] += missing
                    expected[way, q] += chance[way] * shown.weight[r]
        for i in range(queries.shape[1]):
            if queries[q, i] >= 0:
                for p in range(asked.start[queries[q, i]], asked.start[queries[q, i] + 1]):
                    may_be[asked.names[p]] = 0
