"""Published baskets as the audits look at them: (starts, items), a set in each row. No code of the methods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Sets = tuple[np.ndarray, np.ndarray]

_AT_ONCE = 1 << 12
"""So many baskets are taken at once, of which some may hold thousands of items."""
_MANY = 1 << 20
"""So many baskets are worth a kernel, which takes longer to load than fewer of them to sort."""


def as_sets(starts: np.ndarray, items: np.ndarray) -> Sets:
    """Each basket sorted, every item once, in whatever order and however often they are given."""
    if _are_sets(starts, items):
        return starts, items.astype(np.int32, copy=False)
    return sets_of(np.repeat(np.arange(starts.size - 1), np.diff(starts)), items, starts.size - 1)


def sets_of(rows: np.ndarray, items: np.ndarray, count: int) -> Sets:
    """So many baskets, of pairs of a basket and an item in whatever order."""
    cells = np.sort((rows << 32) | items)
    cells = cells[np.diff(cells, prepend=-1) > 0]
    return np.searchsorted(cells, np.arange(count + 1) << 32), (cells & 0xFFFFFFFF).astype(np.int32)


def _are_sets(starts: np.ndarray, items: np.ndarray) -> bool:
    """Whether the items rise in every basket."""
    rises = np.ones(items.size, bool)
    np.greater(items[1:], items[:-1], out=rises[1:])
    rises[starts[starts < items.size]] = True
    return bool(rises.all())


def only(starts: np.ndarray, items: np.ndarray, wanted: np.ndarray) -> Sets:
    """The baskets with nothing but the wanted occurrences."""
    if wanted.all():
        return starts, items
    return np.concatenate(([0], np.cumsum(wanted)))[starts], items[wanted]


def some(starts: np.ndarray, items: np.ndarray, rows: np.ndarray) -> Sets:
    """The baskets of these rows."""
    ends, at = _places(starts, rows)
    return ends, items[at]


def some_beside(
    starts: np.ndarray, columns: Sequence[np.ndarray], rows: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The same of several arrays side by side, in little more room than comes out."""
    ends = np.concatenate(([0], np.cumsum(starts[rows + 1] - starts[rows])))
    found = [np.empty(ends[-1], column.dtype) for column in columns]
    for first in range(0, rows.size, _AT_ONCE):
        own = rows[first : first + _AT_ONCE]
        at = _places(starts, own)[1]
        here = slice(ends[first], ends[first + own.size])
        for column, target in zip(columns, found, strict=True):
            target[here] = column[at]
    return ends, found


def _places(starts: np.ndarray, rows: np.ndarray) -> Sets:
    """Where the baskets of these rows begin if they stand one after the other, and where each occurrence stood."""
    begin = starts[rows]
    lengths = starts[rows + 1] - begin
    ends = np.concatenate(([0], np.cumsum(lengths)))
    return ends, np.arange(ends[-1]) + np.repeat(begin - ends[:-1], lengths)


def equal_ones(starts: np.ndarray, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One row of each different set, and how many rows are equal to it."""
    if starts.size <= _MANY:
        prints = fingerprints(starts, mixed(np.arange(items.max(initial=-1) + 1))[items])
        _, first, which, people = np.unique(prints, return_index=True, return_inverse=True, return_counts=True)
        if _are_equal(starts, items, first[which]):
            return first, people
    from tacit.audits._trie_kernels import merge_equal

    return merge_equal(starts, items)


def weighed(starts: np.ndarray, items: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One row of each different set, and how many people have it, where each row stands for several."""
    prints = fingerprints(starts, mixed(np.arange(items.max(initial=-1) + 1))[items])
    _, first, which = np.unique(prints, return_index=True, return_inverse=True)
    if not _are_equal(starts, items, first[which]):  # two sets with one fingerprint: each row for itself is as true
        return np.arange(people.size), people
    held = np.zeros(first.size, np.int64)
    np.add.at(held, which, people)
    return first, held


def _are_equal(starts: np.ndarray, items: np.ndarray, other: np.ndarray) -> bool:
    """Whether every row holds the same as its other row."""
    if (np.diff(starts) != (starts[other + 1] - starts[other])).any():
        return False
    return bool((items == some(starts, items, other)[1]).all())


def fingerprints(starts: np.ndarray, mixed_items: np.ndarray) -> np.ndarray:
    """A number for each set, the sum of its items, each well mixed: two sets share one with a chance of 2^-64."""
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed_items, dtype=np.uint64)))[starts]
    return sums[1:] - sums[:-1]


def mixed(values: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64: any two numbers get results that have nothing in common."""
    values = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(factor)
    return values ^ (values >> np.uint64(31))
