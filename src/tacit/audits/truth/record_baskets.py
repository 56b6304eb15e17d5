"""Whether the baskets of published records are true, when each group of records may have its own recoding.

Every published name must cover an item that the person has, and sensitive items are published as they are. An item
that no name covers was suppressed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from tacit.audits._sets import Sets, some
from tacit.audits.truth import few
from tacit.audits.truth.baskets import fingerprints
from tacit.audits.truth.matching import Column
from tacit.audits.truth.names import Names, read_names
from tacit.audits.views.baskets import BasketView
from tacit.audits.views.records import RecordOriginal, RecordView

_PAIRS_AT_ONCE = 1 << 24


def uncounted_items(before: RecordOriginal, after: RecordView) -> list[str]:
    """What the baskets say against being true when it is not known which record is which.

    A name is in no more records than hold an item of it, and sensitive items are as frequent as they were.
    """
    if before.baskets is None or after.baskets is None:
        return []
    names = read_names(before.baskets, after.baskets)
    was, now = before.baskets.held, after.baskets
    problems, units = list(names.strays), names.unit_of_item[was.items]
    holders = _Holders(units, np.repeat(np.arange(len(was)), np.diff(was.starts)), names.is_sensitive.size)
    held_by, shown_by = was.counted_people(), now.counted_people()
    shown = np.zeros(len(now.labels), np.int64)
    np.add.at(shown, now.items, np.repeat(shown_by, np.diff(now.starts)))
    often = [
        now.labels[name] for name, of_name in names.units.items() if shown[name] > held_by[holders.of(of_name)].sum()
    ]
    if often:
        problems.append(f"shown in more records than hold an item of it ({len(often):,}): {few(sorted(often))}")
    then = np.zeros(names.is_sensitive.size, np.int64)
    np.add.at(then, units, np.repeat(held_by, np.diff(was.starts)))
    counts = np.zeros(names.is_sensitive.size, np.int64)
    for name, of_name in names.units.items():
        counts[of_name] += shown[name] * names.is_sensitive[of_name]
    if hidden := int(np.maximum(then - counts, 0)[names.is_sensitive].sum()):
        problems.append(f"sensitive items that are not shown as they are: {hidden:,}")
    return problems


def basket_column(before: RecordOriginal, after: RecordView) -> list[Column]:
    """The baskets as a column to pair records by; none where there are too many different ones to compare all."""
    if before.baskets is None or after.baskets is None:
        return []
    names = read_names(before.baskets, after.baskets)
    was, now = before.baskets.held, after.baskets
    then, first_then, code_then = _different(was)
    shown, first_shown, code_shown = _different(now)
    if first_then.size * first_shown.size > _PAIRS_AT_ONCE:
        return []
    units = names.unit_of_item[then[1]]
    holders = _Holders(units, np.repeat(np.arange(first_then.size), np.diff(then[0])), names.is_sensitive.size)
    fits = np.ones((first_shown.size, first_then.size), bool)
    holds = {name: np.isin(np.arange(first_then.size), holders.of(of_name)) for name, of_name in names.units.items()}
    sensitive = [name for name, of_name in names.units.items() if names.is_sensitive[of_name[0]]]
    public = np.isin(np.arange(max(len(now.labels), 1)), sensitive, invert=True)
    n_sensitive_then = np.bincount(holders.row[names.is_sensitive[holders.unit]], minlength=first_then.size)
    for index, (start, stop) in enumerate(pairwise(shown[0].tolist())):
        here = shown[1][start:stop]
        for name in here.tolist():
            if name in holds:
                fits[index] &= holds[name]
        fits[index] &= n_sensitive_then == np.count_nonzero(~public[here])
    return [(code_then, code_shown, lambda code, label: fits[label, code])]


class _Holders:
    """Which records hold a unit (see `Names`)."""

    def __init__(self, units: np.ndarray, row: np.ndarray, n_units: int) -> None:
        order = np.argsort(units, kind="stable")
        self.unit, self.row = units[order], row[order]
        self.start = np.searchsorted(self.unit, np.arange(n_units + 1))

    def of(self, units: np.ndarray) -> np.ndarray:
        """The records that hold one of these or more, each once."""
        return np.unique(np.concatenate([self.row[self.start[unit] : self.start[unit + 1]] for unit in units.tolist()]))


def _different(baskets: BasketView) -> tuple[Sets, np.ndarray, np.ndarray]:
    """The different baskets, the first record of each, and the code of each record's."""
    _, first, code = np.unique(
        fingerprints(baskets, np.arange(len(baskets.labels))), return_index=True, return_inverse=True
    )
    return some(baskets.starts, baskets.items, first), first, code


def false_items(before: RecordOriginal, after: RecordView, rows: np.ndarray) -> list[str]:
    """What is not true in the baskets, in sentences."""
    if before.baskets is None or after.baskets is None:
        return []
    names = read_names(before.baskets, after.baskets)
    was, now = before.baskets.held, after.baskets
    problems = list(names.strays)
    if false := _count_uncovering(was, now, names, rows):
        problems.append(f"items shown that stand for none of their record's: {false:,}")
    if hidden := _count_hidden(was, now, names, rows):
        problems.append(f"records whose sensitive items are not shown as they are: {hidden:,}")
    return problems


def _count_uncovering(was: BasketView, now: BasketView, names: Names, rows: np.ndarray) -> int:
    """Published names, known ones, that cover no item of their record."""
    n_units = max(names.is_sensitive.size, 1)
    covered = np.sort(
        np.concatenate([np.empty(0, np.int64), *(name * n_units + units for name, units in names.units.items())])
    )
    is_known = np.isin(np.arange(len(now.labels)), list(names.units))
    n_held, n_shown = np.diff(was.starts)[rows], np.diff(now.starts)
    count = 0
    for start, stop in _pieces(n_held, n_shown):
        shown, each = now.items[now.starts[start] : now.starts[stop]], n_shown[start:stop]
        had = np.repeat(n_held[start:stop], each)  # for each published name the items that it may stand for
        owner = np.repeat(np.arange(had.size), had)
        offset = np.arange(owner.size) - np.repeat(np.cumsum(had) - had, had)
        item = was.items[np.repeat(np.repeat(was.starts[rows[start:stop]], each), had) + offset]
        wanted = shown[owner].astype(np.int64) * n_units + names.unit_of_item[item]
        fits = np.append(covered, -1)[np.searchsorted(covered, wanted)] == wanted
        count += int(np.count_nonzero((np.bincount(owner[fits], minlength=had.size) == 0) & is_known[shown]))
    return count


def _pieces(before: np.ndarray, after: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of records with few enough pairs of an original and a published item."""
    pairs = np.concatenate(([0], np.cumsum(before * after)))
    start = 0
    while start < before.size:
        stop = int(np.searchsorted(pairs, pairs[start] + _PAIRS_AT_ONCE, side="right")) - 1
        stop = min(max(stop, start + 1), before.size)
        yield start, stop
        start = stop


def _count_hidden(was: BasketView, now: BasketView, names: Names, rows: np.ndarray) -> int:
    """Records whose sensitive items differ from those of the original."""
    unit_of_name = np.full(max(len(now.labels), 1), -1, np.int64)
    for name, units in names.units.items():
        if names.is_sensitive[units[0]]:
            unit_of_name[name] = units[0]
    place = np.empty(rows.size, np.int64)
    place[rows] = np.arange(rows.size)
    then_units = names.unit_of_item[was.items]
    then_units = np.where(names.is_sensitive[then_units], then_units, -1) if then_units.size else then_units
    now_units = unit_of_name[now.items]
    then = np.repeat(place, np.diff(was.starts))[then_units >= 0] << 32 | then_units[then_units >= 0]
    shown = np.repeat(np.arange(len(now)), np.diff(now.starts))[now_units >= 0] << 32 | now_units[now_units >= 0]
    return int(np.unique(np.setxor1d(then, shown) >> 32).size)
