"""Which original values a published one stands for: itself, a range, a set, the values below a node, or all (`*`).

A label that is a value of the original and reads as something wider, too, stands for both: no one can tell.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.audits.values import ANYTHING, all_ends, members_of, number_of
from tacit.audits.views.columns import KnownColumn


@dataclass(frozen=True, eq=False)
class Coverage:
    """For each published label the codes of the original that it may stand for."""

    anything: np.ndarray  # bool per label
    same: np.ndarray  # int32 per label: the code that it is by its very text, −1 if none
    first: np.ndarray  # float64 per label: it covers codes with a place from `first` to `last`; NaN if it is no range
    last: np.ndarray
    place: np.ndarray  # float64 per code: its leaf, or its rank among numbers; NaN if it has neither
    members: np.ndarray  # int64, ascending: label * codes + code of what is listed

    def holds(self, code: np.ndarray, label: np.ndarray) -> np.ndarray:
        """Whether each label covers the code beside it; the two arrays are broadcast."""
        found = self.anything[label] | (self.same[label] == code)
        found |= (self.first[label] <= self.place[code]) & (self.place[code] <= self.last[label])
        if self.members.size:
            keys = label.astype(np.int64) * self.place.size + code
            found |= np.append(self.members, -1)[np.searchsorted(self.members, keys)] == keys
        return found

    def something(self) -> np.ndarray:
        """Whether each label covers any code at all."""
        return self.anything | (self.same >= 0) | (self._between() > 0) | (self._listed() > 0)

    def is_exact(self) -> bool:
        """Whether no label covers anything but the code whose text it is."""
        first, last = self.first, self.last
        own = np.append(self.place, math.nan)[self.same]  # −1 takes the NaN
        wider = self._between() - ((first <= own) & (own <= last)) > 0
        return not (self.anything.any() or wider.any() or self.members.size)

    def _between(self) -> np.ndarray:
        """How many codes lie in the range of each label."""
        places = np.sort(self.place)  # NaN at the end, where the ends of labels without a range are found, too
        inside = np.searchsorted(places, self.last, side="right") - np.searchsorted(places, self.first)
        return np.where(np.isnan(self.first), 0, inside)

    def _listed(self) -> np.ndarray:
        return np.bincount(self.members // max(self.place.size, 1), minlength=self.same.size)


def covers(column: KnownColumn, labels: Sequence[str]) -> Coverage:
    """What published labels mean for a column that may be generalized."""
    found = equals(column, labels)
    code_of, absent = _texts(column)
    nodes = {} if column.tree is None else {name: node for node, name in enumerate(column.tree.names)}
    rank = _Ranks(column) if column.numbers is not None else None
    if column.leaves is not None:
        found.place[:] = column.leaves
    elif rank is not None:
        found.place[:] = rank.of_code
    if rank is not None:
        found.first[:], found.last[:] = rank.between(labels)
    is_range, members = ~np.isnan(found.first), list[int]()
    for index in np.flatnonzero(~is_range).tolist():
        label = labels[index]
        if label == ANYTHING:
            found.anything[index] = True
        elif label in nodes:
            found.first[index], found.last[index] = _below(column, nodes[label])
        else:
            held = members_of(label)
            codes = {code_of[text] for text in held if text in code_of}
            codes |= {column.cells.missing} if absent & {*held} else set()
            members += [index * found.place.size + code for code in codes]
    listed = np.unique(np.append(found.members, np.array(members, np.int64)))
    return Coverage(found.anything, found.same, found.first, found.last, found.place, listed)


def equals(column: KnownColumn, labels: Sequence[str]) -> Coverage:
    """What published labels mean for a column that is published as it is."""
    code_of, absent = _texts(column)
    size, missing = len(column.cells.texts), column.cells.missing
    same = np.array([code_of.get(label, missing if label in absent else -1) for label in labels], np.int32)
    both = [index for index, label in enumerate(labels) if label in absent and same[index] != missing]
    nothing = np.full(len(labels), math.nan)
    listed = np.array(both, np.int64) * size + missing
    return Coverage(np.zeros(len(labels), bool), same, nothing, nothing.copy(), np.full(size, math.nan), listed)


class _Ranks:
    """Numbers of a column in their order. Ends of a range are any numbers, compared digit by digit."""

    def __init__(self, column: KnownColumn) -> None:
        assert column.numbers is not None
        order = column.order()
        self.of_code = np.full(column.numbers.size, math.nan)
        self.of_code[order] = np.arange(order.size)
        texts = (column.cells.texts[code] for code in order.tolist())
        self.numbers = [number for text in texts if (number := number_of(text)) is not None]  # all of them are

    def between(self, labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last rank that each label holds if it is a range; NaN for others."""
        ends = all_ends(labels)
        around = np.array([*map(self._around, ends.texts), (0, 0)], float).reshape(-1, 2)  # −1, open, takes the last
        first = around[ends.low, 0]
        last = np.where(ends.high < 0, len(self.numbers), around[ends.high, 1]) - 1.0
        is_none = ~ends.is_range | np.isnan(first) | np.isnan(last)
        return np.where(is_none, math.nan, first), np.where(is_none, math.nan, last)

    def _around(self, end: str) -> tuple[float, float]:
        """How many numbers are less than an end, and how many are no more; NaN if it is none."""
        number = number_of(end)
        if number is None:
            return math.nan, math.nan
        return bisect_left(self.numbers, number), bisect_right(self.numbers, number)


def _below(column: KnownColumn, node: int) -> tuple[int, int]:
    """The first and the last leaf below a node; a missing value that the hierarchy lacks is below the root."""
    assert column.tree is not None
    return node, len(column.tree) if node == 0 else int(column.tree.end[node]) - 1


def _texts(column: KnownColumn) -> tuple[dict[str, int], set[str]]:
    """The code of each text that is a value, and the texts that mean a missing one, if some record misses it."""
    cells = column.cells
    known = cells.texts[: cells.missing] if cells.missing >= 0 else cells.texts
    code_of = {text: code for code, text in enumerate(known)} | dict(column.spellings)
    return code_of, {"", *column.markers, cells.texts[cells.missing]} if cells.missing >= 0 else set()
