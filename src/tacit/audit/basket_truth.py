"""Whether the baskets of published records are true, when each group of records may have its own recoding.

Every published name must cover an item that the person has, and sensitive items are published as they are. An item
that no name covers was suppressed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tacit.audit._published_names import Names, read_names

if TYPE_CHECKING:
    from tacit.encode import Baskets
    from tacit.records import RecordData, SeenRecords

_PAIRS_AT_ONCE = 1 << 24


def strange_items(before: RecordData, after: SeenRecords) -> list[str]:
    """Published names that stand for no item of the data."""
    if before.baskets is None or after.items is None:
        return []
    return list(read_names(before.baskets, after.items).strays)


def false_items(before: RecordData, after: SeenRecords, original: np.ndarray) -> list[str]:
    """What is not true in the baskets, in sentences."""
    if before.baskets is None or after.items is None:
        return []
    names = read_names(before.baskets, after.items)
    was, now = before.baskets.items.baskets, after.items.baskets
    problems = list(names.strays)
    if false := _count_uncovering(was, now, names, original):
        problems.append(f"published items that stand for none of their record's: {false:,}")
    if hidden := _count_hidden(was, now, names, original):
        problems.append(f"records whose sensitive items are not published as they are: {hidden:,}")
    return problems


def _count_uncovering(was: Baskets, now: Baskets, names: Names, original: np.ndarray) -> int:
    """Published names, known ones, that cover no item of their record."""
    n_units = max(names.is_secret.size, 1)
    covered = np.sort(
        np.concatenate([np.empty(0, np.int64), *(name * n_units + units for name, units in names.units.items())])
    )
    is_known = np.isin(np.arange(len(now.vocabulary)), list(names.units))
    count = 0
    for start, stop in _pieces(was.lengths[original], now.lengths):
        rows, shown = original[start:stop], now.items[now.indptr[start] : now.indptr[stop]]
        n_shown = now.lengths[start:stop]
        had = np.repeat(was.lengths[rows], n_shown)  # for each published name the items that it may stand for
        owner = np.repeat(np.arange(had.size), had)
        offset = np.arange(owner.size) - np.repeat(np.cumsum(had) - had, had)
        item = was.items[np.repeat(np.repeat(was.indptr[rows], n_shown), had) + offset]
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


def _count_hidden(was: Baskets, now: Baskets, names: Names, original: np.ndarray) -> int:
    """Records whose sensitive items differ from those of the original."""
    unit_of_name = np.full(max(len(now.vocabulary), 1), -1, np.int64)
    for name, units in names.units.items():
        if names.is_secret[units[0]]:
            unit_of_name[name] = units[0]
    place = np.empty(original.size, np.int64)
    place[original] = np.arange(original.size)
    then_units = names.unit_of_item[was.items]
    then_units = np.where(names.is_secret[then_units], then_units, -1) if then_units.size else then_units
    now_units = unit_of_name[now.items]
    then = np.repeat(place, was.lengths)[then_units >= 0] << 32 | then_units[then_units >= 0]
    shown = np.repeat(np.arange(len(now)), now.lengths)[now_units >= 0] << 32 | now_units[now_units >= 0]
    return int(np.unique(np.setxor1d(then, shown) >> 32).size)
