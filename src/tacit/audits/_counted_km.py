"""The audit of k^m-anonymity from counts: how many baskets hold each itemset of up to m items, counted elsewhere.

Where baskets are too many for one process, others count all itemsets of up to m items in their shares, and the counts
are summed: nothing is left out, so that the verdict is as exact as the search of `km`. What is not looked for is a
larger m that would hold, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tacit.audits._sets import Sets
from tacit.audits.km import explain, nothing_to_find
from tacit.audits.result import AuditResult
from tacit.promises import KmAnonymity

LONGEST = 3
"""Items of an itemset that is counted; of longer ones a basket has too many."""
MOST_ITEMS = 1 << 20
"""Different items that the keys of itemsets tell apart."""
_BITS = 21
_AT_ONCE = 1 << 22


class Counts(NamedTuple):
    """What others counted."""

    records: int
    empty: int
    itemsets: list[tuple[int, ...]]
    """The weakest ones, the weakest first; of all there are, if they are fewer than were asked for."""
    supports: list[int]


def keys_of(sets: Sets, size: int, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The itemsets of so many items in some baskets, as numbers, and how many people hold each."""
    starts, items = sets
    found, often = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    lengths = np.diff(starts)
    for length in np.unique(lengths[lengths >= size]).tolist():
        rows = np.flatnonzero(lengths == length)
        places = _places(length, size)
        step = max(1, _AT_ONCE // max(places.shape[1], 1))
        for first in range(0, rows.size, step):
            some = rows[first : first + step]
            key = np.zeros((some.size, places.shape[1]), np.int64)
            for place in places:
                key = (key << _BITS) | (items[starts[some][:, None] + place].astype(np.int64) + 1)
            unique, which = np.unique(key.ravel(), return_inverse=True)
            weights = np.bincount(which.ravel(), weights=np.repeat(people[some], places.shape[1]).astype(float))
            found.append(unique)
            often.append(np.rint(weights).astype(np.int64))
    keys, which = np.unique(np.concatenate(found), return_inverse=True)
    total = np.zeros(keys.size, np.int64)
    np.add.at(total, which, np.concatenate(often))
    return keys, total


def itemset_of(key: int) -> tuple[int, ...]:
    """The items that a number stands for."""
    items: list[int] = []
    while key:
        items.append((key & ((1 << _BITS) - 1)) - 1)
        key >>= _BITS
    return tuple(reversed(items))


def _places(length: int, size: int) -> np.ndarray:
    """Where the items of each itemset of a basket of that length stand: one row for each of its items."""
    if size == 1:
        return np.arange(length)[None]
    if size == 2:
        return np.stack(np.triu_indices(length, 1))
    a, b = np.triu_indices(length, 1)
    more = length - 1 - b
    third = np.arange(int(more.sum())) - np.repeat(np.cumsum(more) - more, more) + np.repeat(b + 1, more)
    return np.stack([np.repeat(a, more), np.repeat(b, more), third])


def minimal_violations(counts: Counts, k: int) -> list[tuple[tuple[int, ...], int]]:
    """Of the itemsets that fewer than k hold those of which no part is one."""
    rare = {frozenset(each): often for each, often in zip(counts.itemsets, counts.supports, strict=True) if often < k}
    return [
        (tuple(sorted(each)), often)
        for each, often in rare.items()
        if not any(each - {item} in rare for item in each if len(each) > 1)
        and not any(frozenset({item}) in rare for item in each if len(each) > 1)
    ]


def judged(
    counts: Counts, names: Sequence[str], promise: KmAnonymity, affected: int, *, limit: int = 1000, asked_for: int
) -> AuditResult:
    """The verdict; so many people are `affected` by the minimal violations, and so many itemsets were `asked_for`."""
    if not counts.itemsets:
        return nothing_to_find(counts.records, promise, asked_for)
    violations = minimal_violations(counts, promise.k)
    satisfied, is_exact = not violations, len(counts.itemsets) < asked_for or counts.supports[-1] >= promise.k
    named = sorted((often, len(each), sorted(names[item] for item in each)) for each, often in violations)
    listed: list[dict[str, Any]] = [{"itemset": each, "support": often} for often, _, each in named]
    pairs = zip(counts.supports, counts.itemsets, strict=True)
    least, _, worst = min((often, len(each), sorted(names[item] for item in each)) for often, each in pairs)
    m = int(promise.m) if satisfied else min(len(each) for each, _ in violations) - 1 if is_exact else 0
    result = AuditResult(
        model=promise.name,
        parameters=promise.parameters(),
        satisfied=satisfied,
        worst={"itemset": worst, "support": least},
        violations=listed[:limit],
        facts={
            "records": counts.records,
            "empty_baskets": counts.empty,
            "violation_count": len(violations),
            "violation_count_is_exact": is_exact,
            "violation_count_in_words": f"{'' if is_exact else 'at least '}{len(violations):,}",
            "violation_unit": "minimal itemsets",
            "records_affected": affected,
            "violation_count_limit": asked_for,
            "level": {
                "k_for_this_m": least, "k_is_exact": True,
                "m_for_this_k": m, "m_is_exact": is_exact and not satisfied, "m_cap": int(promise.m),
            },
        },
    )  # fmt: skip
    return replace(result, explanation=explain(result, promise, some_sensitive=False))
