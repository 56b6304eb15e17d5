"""Verbs on baskets as (indptr, items) arrays: basket i is items[indptr[i]:indptr[i + 1]]. No loop over rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Sparse = tuple[np.ndarray, np.ndarray]

_LOW = np.int64(0xFFFFFFFF)


def keep_where(indptr: np.ndarray, items: np.ndarray, stays: np.ndarray) -> Sparse:
    """The baskets without the occurrences that do not stay."""
    if stays.all():
        return indptr, items
    before = np.zeros(items.size + 1, np.int64)
    np.cumsum(stays, out=before[1:])
    return before[indptr], items[stays]


def take_rows(indptr: np.ndarray, items: np.ndarray, rows: np.ndarray) -> Sparse:
    """The baskets of these rows, in their order."""
    lengths = np.diff(indptr)[rows]
    taken = np.zeros(rows.size + 1, np.int64)
    np.cumsum(lengths, out=taken[1:])
    return taken, items[np.arange(taken[-1]) + np.repeat(indptr[rows] - taken[:-1], lengths)]


def as_sets(indptr: np.ndarray, items: np.ndarray) -> Sparse:
    """Each basket sorted, every item once."""
    keys = np.repeat(np.arange(indptr.size - 1, dtype=np.int64) << 32, np.diff(indptr))
    keys |= items
    keys.sort()
    first = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    keys &= _LOW
    return keep_where(indptr, keys.astype(np.int32), first)


def side_by_side(parts: Sequence[Sparse], sizes: Sequence[int]) -> Sparse:
    """One basket a row out of several: items of part p are raised by the sizes of the parts before it."""
    if len(parts) == 1:
        return parts[0]
    lengths = [np.diff(indptr) for indptr, _ in parts]
    joined = np.zeros(lengths[0].size + 1, np.int64)
    np.cumsum(np.sum(lengths, axis=0), out=joined[1:])
    items = np.empty(joined[-1], np.int32)
    start, raised = joined[:-1].copy(), 0
    for (indptr, part), length, size in zip(parts, lengths, sizes, strict=True):
        items[np.arange(part.size) + np.repeat(start - indptr[:-1], length)] = part + raised
        start += length
        raised += size
    return joined, items
