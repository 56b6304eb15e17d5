"""Whether baskets of a local recoding are true: each record is compared with what *it* may become.

Every item of a record is below exactly one of its published names, and every name is above one of its items. The only
other thing that may happen to a record is to lose all items that are not sensitive. Sensitive items stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._published_names import Names
from tacit.audit._sets import some

if TYPE_CHECKING:
    from tacit.encode import Baskets

_SHOWN = 3


def false_in_parts(before: Baskets, after: Baskets, names: Names, original: np.ndarray | None) -> list[str]:
    """What is not true, in sentences; without `original`, as far as counts of names and items tell."""
    if names.sets:
        shown = ", ".join(repr(name) for name in sorted(names.sets.values())[:_SHOWN])
        return [f"shown, but neither an item nor a node of the hierarchy ({len(names.sets):,}): {shown}"]
    first = np.zeros(len(after.vocabulary) + 1, np.int64)
    size = np.zeros(first.size, np.int64)
    for name, units in names.units.items():
        first[name], size[name] = units[0], units.size
    if original is None:
        return _by_counts(before, after, names, first, size)
    starts, items = some(before.indptr, before.items, original)
    units = names.unit_of_item[items]
    row, row_of_name = _rows(starts), _rows(after.indptr)
    wrong = np.zeros(len(after) + 1, bool)
    wrong[np.setxor1d(*_secrets(names, units, row, first[after.items], row_of_name)) >> 32] = True
    public, public_name = ~names.is_secret[units], ~names.is_secret[first[after.items]]
    _mark_uncovered(
        row[public], units[public], row_of_name[public_name],
        first[after.items[public_name]], size[after.items[public_name]], wrong,
    )  # fmt: skip
    n_wrong = int(np.count_nonzero(wrong))
    return [f"records that are not what their original becomes: {n_wrong:,}"] if n_wrong else []


def _rows(starts: np.ndarray) -> np.ndarray:
    return np.repeat(np.arange(starts.size - 1), np.diff(starts))


def _secrets(
    names: Names, units: np.ndarray, row: np.ndarray, shown: np.ndarray, row_of_name: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A number for (record, sensitive item), as they were and as they are published."""
    then, now = names.is_secret[units], names.is_secret[shown]
    return (row[then] << 32) + units[then], (row_of_name[now] << 32) + shown[now]


def _mark_uncovered(
    row: np.ndarray, units: np.ndarray, row_of_name: np.ndarray, first: np.ndarray, size: np.ndarray, wrong: np.ndarray
) -> None:
    """Marks records with names that overlap, items below no name (unless nothing is left), or names above no item."""
    order = np.lexsort((first, row_of_name))
    row_of_name, first, end = row_of_name[order], first[order], (first + size)[order]
    same_row = row_of_name[1:] == row_of_name[:-1]
    wrong[row_of_name[1:][same_row & (first[1:] < end[:-1])]] = True

    n_units = 1 + max(int(units.max(initial=0)), int(end.max(initial=0)))
    place = np.searchsorted(row_of_name * n_units + first, row * n_units + units, side="right") - 1
    covered = (place >= 0) & (np.append(row_of_name, -1)[place] == row) & (units < np.append(end, -1)[place])
    holds_something = np.zeros(wrong.size, bool)
    holds_something[row_of_name] = True
    wrong[row[~covered & holds_something[row]]] = True
    used = np.bincount(place[covered], minlength=row_of_name.size) > 0
    wrong[row_of_name[~used]] = True


def _by_counts(before: Baskets, after: Baskets, names: Names, first: np.ndarray, size: np.ndarray) -> list[str]:
    """What the file and the original tell when it is not known which record is which.

    A name is in no more records than hold an item below it; an item is in no more records than have a name above it
    or nothing left; sensitive items are as frequent as they were.
    """
    units = names.unit_of_item[before.items]
    order = np.argsort(units, kind="stable")
    row, sorted_units = _rows(before.indptr)[order], units[order]
    shown = np.bincount(after.items, minlength=len(after.vocabulary))
    held = np.bincount(units, minlength=names.is_secret.size)
    too_often, covered = [], np.zeros(names.is_secret.size + 1, np.int64)
    for name in sorted(names.units):
        below = slice(*np.searchsorted(sorted_units, [first[name], first[name] + size[name]]))
        if shown[name] > np.unique(row[below]).size:
            too_often.append(after.vocabulary[name])
        covered[first[name]] += shown[name]
        covered[first[name] + size[name]] -= shown[name]
    public_name = ~names.is_secret[first[after.items]]
    emptied = len(after) - np.unique(_rows(after.indptr)[public_name]).size
    allowed = np.cumsum(covered)[:-1] + np.where(names.is_secret, 0, emptied)
    problems = []
    if too_often:
        shown_names = ", ".join(map(repr, sorted(too_often)[:_SHOWN])) + ", ..." * (len(too_often) > _SHOWN)
        problems.append(f"shown in more records than hold an item of it ({len(too_often):,}): {shown_names}")
    if missing := int(np.count_nonzero(held > allowed)):
        problems.append(f"items that are in more records than any name shows: {missing:,}")
    return problems
