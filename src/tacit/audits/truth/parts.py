"""Whether baskets of a local recoding are true: each record is compared with what *it* may become.

Every item of a record is below exactly one of its published names, and every name is above one of its items. The only
other thing that may happen to a record is to lose all items that are not sensitive, or, where the job says that
records are reallocated, some of them. Sensitive items stay as they are.
"""

from __future__ import annotations

import numpy as np

from tacit.audits._sets import some
from tacit.audits.truth import few
from tacit.audits.truth.names import Names
from tacit.audits.views.baskets import BasketView


def false_in_parts(
    before: BasketView, after: BasketView, names: Names, rows: np.ndarray | None, *, leaves_out: bool = False
) -> list[str]:
    """What is not true, in sentences; without `rows`, as far as counts of names and items tell."""
    if names.sets:
        shown = ", ".join(map(repr, sorted(names.sets.values())[:3]))
        return [f"shown, but neither an item nor a node of the hierarchy ({len(names.sets):,}): {shown}"]
    first = np.zeros(len(after.labels) + 1, np.int64)
    size = np.zeros(first.size, np.int64)
    for name, units in names.units.items():
        first[name], size[name] = units[0], units.size
    if rows is None:
        return _by_counts(before, after, names, first, size, leaves_out=leaves_out)
    published = np.full(len(before), -1, np.int64)
    published[rows] = np.arange(rows.size)
    wrong = published < 0  # another record is shown twice
    starts, held = some(after.starts, after.items, np.maximum(published, 0))
    units = names.unit_of_item[before.items]
    row, row_of_name = _rows(before.starts), _rows(starts)
    if names.is_sensitive.any():
        then, now = names.is_sensitive[units], names.is_sensitive[first[held]]
        wrong[np.setxor1d((row[then] << 32) + units[then], (row_of_name[now] << 32) + first[held[now]]) >> 32] = True
        row, units, row_of_name, held = row[~then], units[~then], row_of_name[~now], held[~now]
    _mark_uncovered(row, units, row_of_name, held, first, size, wrong, leaves_out=leaves_out)
    n_wrong = int(np.count_nonzero(wrong))
    return [f"records that are not what their original becomes: {n_wrong:,}"] if n_wrong else []


def _rows(starts: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(starts.size - 1), np.diff(starts))


def _mark_uncovered(
    row: np.ndarray, units: np.ndarray, row_of_name: np.ndarray, held: np.ndarray,
    first: np.ndarray, size: np.ndarray, wrong: np.ndarray, *, leaves_out: bool,
) -> None:  # fmt: skip
    """Marks records with names that overlap, items below no name (unless nothing is left), or names above no item.

    Items below no name are as they should be where records may leave some out.

    Name x stands for the units from first[x] on. A record and the rank of a name in the order of `first` are one
    number, so that a sort of numbers has the names of each record in order.
    """
    by_first = np.argsort(first, kind="stable")
    rank = np.empty_like(by_first)
    rank[by_first] = np.arange(by_first.size)
    bits = by_first.size.bit_length()
    kind = np.int32 if wrong.size << bits < 2**31 else np.int64
    start, end = first[by_first], (first + size)[by_first]

    shown = np.sort(_keys(row_of_name, rank[held].astype(kind), bits))
    row_of_name, ranks = shown >> bits, shown & ((1 << bits) - 1)
    wrong[row_of_name[1:][(row_of_name[1:] == row_of_name[:-1]) & (start[ranks[1:]] < end[ranks[:-1]])]] = True

    ranks_upto = np.searchsorted(start, np.arange(1 + units.max(initial=0)), side="right").astype(kind)
    place = np.searchsorted(shown, _keys(row, ranks_upto[units], bits))
    last = np.concatenate((np.full(1, -1 << bits, kind), shown))[place]  # name that begins no later than an item
    covered = (last >> bits == row) & (units < end[last & ((1 << bits) - 1)])
    holds_something = np.zeros(wrong.size, bool)
    holds_something[row_of_name] = True
    uncovered = row[~covered]
    if not leaves_out:
        wrong[uncovered[holds_something[uncovered]]] = True
    used = np.zeros(shown.size + 1, bool)
    used[place[covered]] = True
    wrong[row_of_name[~used[1:]]] = True


def _keys(row: np.ndarray, rank: np.ndarray, bits: int) -> np.ndarray:
    return (row.astype(rank.dtype) << bits) | rank


def _count_overlapping(after: BasketView, first: np.ndarray, size: np.ndarray) -> int:
    """How many records show two names of which one stands for items of the other."""
    row = _rows(after.starts)
    order = np.lexsort((first[after.items], row))
    row, start = row[order], first[after.items][order]
    end = start + size[after.items][order]
    return np.unique(row[1:][(row[1:] == row[:-1]) & (start[1:] < end[:-1])]).size


def _by_counts(
    before: BasketView, after: BasketView, names: Names, first: np.ndarray, size: np.ndarray, *, leaves_out: bool
) -> list[str]:
    """What the file and the original tell when it is not known which record is which.

    No record has two names that one item could have; a name is in no more records than hold an item below it; an item
    is in no more records than have a name above it or nothing left (unless records may leave some out); sensitive items
    are as frequent as they were.
    """
    units = names.unit_of_item[before.items]
    order = np.argsort(units, kind="stable")
    row, sorted_units = _rows(before.starts)[order], units[order]
    shown = np.bincount(after.items, minlength=len(after.labels))
    held = np.bincount(units, minlength=names.is_sensitive.size)
    too_often, covered = [], np.zeros(names.is_sensitive.size + 1, np.int64)
    for name in sorted(names.units):
        below = slice(*np.searchsorted(sorted_units, [first[name], first[name] + size[name]]))
        if shown[name] > np.unique(row[below]).size:
            too_often.append(after.labels[name])
        covered[first[name]] += shown[name]
        covered[first[name] + size[name]] -= shown[name]
    public_name = ~names.is_sensitive[first[after.items]]
    emptied = len(after) - np.unique(_rows(after.starts)[public_name]).size
    allowed = np.cumsum(covered)[:-1] + np.where(names.is_sensitive, 0, emptied)
    problems = []
    if doubled := _count_overlapping(after, first, size):
        problems.append(f"records with two names for one item: {doubled:,}")
    if too_often:
        problems.append(f"shown in more records than hold an item of it ({len(too_often):,}): {few(sorted(too_often))}")
    asked = names.is_sensitive if leaves_out else True  # who may leave items out may leave out no sensitive one
    if missing := int(np.count_nonzero((held > allowed) & asked)):
        problems.append(f"items that are in more records than any name shows: {missing:,}")
    return problems
