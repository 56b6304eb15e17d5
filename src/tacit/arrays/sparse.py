"""Verbs on baskets as (indptr, items) arrays: basket i is items[indptr[i]:indptr[i + 1]]. No loop over rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

Sparse = tuple[np.ndarray, np.ndarray]

_ROWS_AT_ONCE = 1 << 16
_NARROW = 15
"""Items of so many bits leave enough bits for many baskets in a number of 32."""


def keep_where(indptr: np.ndarray, items: np.ndarray, stays: np.ndarray) -> Sparse:
    """The baskets without the occurrences that do not stay."""
    if stays.all():
        return indptr, items
    before = np.zeros(items.size + 1, np.int32 if items.size < 1 << 31 else np.int64)
    np.cumsum(stays, out=before[1:])
    return before[indptr].astype(np.int64, copy=False), np.compress(stays, items)


def take_rows(indptr: np.ndarray, items: np.ndarray, rows: np.ndarray) -> Sparse:
    """The baskets of these rows, in their order."""
    taken, places = places_of_rows(indptr, rows)
    return taken, items[places]


def take_all_rows(indptr: np.ndarray, columns: Sequence[np.ndarray], rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """The same for several arrays side by side: where each row starts, then the arrays, in little more room."""
    starts = np.zeros(rows.size + 1, np.int64)
    np.cumsum(indptr[1:][rows] - indptr[rows], out=starts[1:])
    taken = tuple(np.empty(starts[-1], column.dtype) for column in columns)
    for first in range(0, rows.size, _ROWS_AT_ONCE):
        some = slice(first, first + _ROWS_AT_ONCE)
        places = places_of_rows(indptr, rows[some])[1]
        here = slice(starts[first], starts[min(first + _ROWS_AT_ONCE, rows.size)])
        for column, target in zip(columns, taken, strict=True):
            target[here] = column[places]
    return starts, *taken


def places_of_rows(indptr: np.ndarray, rows: np.ndarray) -> Sparse:
    """Where the baskets of these rows start when they stand one after the other, and what stood at each place."""
    start = indptr[rows]
    lengths = indptr[1:][rows] - start
    taken = np.zeros(rows.size + 1, np.int64)
    np.cumsum(lengths, out=taken[1:])
    start -= taken[:-1]
    places = np.repeat(start, lengths)
    places += np.arange(places.size)
    return taken, places


def as_sets(indptr: np.ndarray, items: np.ndarray) -> Sparse:
    """Each basket sorted, every item once."""
    bits = int(items.max(initial=0)).bit_length()
    parts = []
    for rows in _pieces(indptr, bits):
        keys, starts = _sorted_keys(indptr[rows], items, bits), indptr[rows] - indptr[rows.start]
        first = np.ones(keys.size, bool)
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        keys &= (1 << bits) - 1
        parts.append(keep_where(starts, keys.view(np.int32) if keys.itemsize == 4 else keys.astype(np.int32), first))
    if len(parts) == 1:
        return parts[0]
    joined = np.zeros(indptr.size, np.int64)
    np.cumsum(np.concatenate([np.diff(part) for part, _ in parts]), out=joined[1:])
    return joined, np.concatenate([sets for _, sets in parts])


def sorted_sets(indptr: np.ndarray, items: np.ndarray) -> np.ndarray:
    """The items of baskets that have none twice, each basket sorted."""
    bits, found = int(items.max(initial=0)).bit_length(), np.empty(items.size, np.int32)
    for rows in _pieces(indptr, bits):
        ends = indptr[rows]
        found[ends[0] : ends[-1]] = _sorted_keys(ends, items, bits) & ((1 << bits) - 1)
    return found


def _pieces(indptr: np.ndarray, bits: int) -> Iterator[slice]:
    """Where the bounds of some baskets stand that are sorted at once; their items have so many bits."""
    at_once = 1 << (min(20, 31 - bits) if bits <= _NARROW else 20)
    for row in range(0, max(indptr.size - 1, 1), at_once):
        yield slice(row, row + at_once + 1)


def _sorted_keys(indptr: np.ndarray, items: np.ndarray, bits: int) -> np.ndarray:
    """Numbers that stand for basket and item, sorted; the last bits are the item."""
    items = items[indptr[0] : indptr[-1]]
    is_narrow = bits + indptr.size.bit_length() <= 32  # such keys are sooner sorted
    row: np.ndarray = np.arange(indptr.size - 1, dtype=np.uint32 if is_narrow else np.uint64)
    keys = np.repeat(row << bits, np.diff(indptr))
    keys |= items.astype(np.int32, copy=False).view(np.uint32)
    keys.sort()
    return keys


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
