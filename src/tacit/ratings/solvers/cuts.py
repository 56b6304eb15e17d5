"""The search for cuts: each issue's scale into ranges, the same for everybody, so that known ratings fit k people.

Every issue has cells, the smallest parts of its scale, and one of those who did not rate it. A cut joins cells that are
next to each other to ranges, and blanks others. Who is in a range of one issue and in a range of another one is a sum
over pairs of cells, and those are counted once.

Cutting begins with every cell by itself, and goes over all issues again and again. Each takes the cheapest cut while
all others are as they are: what it loses, and a price for each threat, which is a pair of groups that some but fewer
than k people are in. The price rises, until there are no threats. At last it is more than anything can cost; then no
cut makes a threat, each turn can only lose less, and it ends when no cut changes.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tacit.arrays.blocks import side_by_side, spans
from tacit.ratings.solvers import _cut_kernels as _kernels
from tacit.ratings.solvers._cut_kernels import Room, Scales, Terms

WHOLE = 1 << 12
"""What a blanked rating costs. One of which is only known that it is there costs a quarter of it."""
_LAST_PRICE = 1 << 40
"""No cut of an issue costs as much."""
_FIRST_PRICE = 1 << 4
_RISES = 2
_THREADS, _PIECES = 2, 16
"""Pairs are counted in so many threads, in pieces with as many ratings: earlier issues have more later ones."""
_TILE = 1 << 9
_MOST_TURNS = 20
"""So often all issues are gone over at the last price, unless no cut changes before."""


def count_type(most: int) -> type[np.unsignedinteger[Any]]:
    """The smallest numbers that count people up to so many."""
    return next((kind for kind in (np.uint8, np.uint16) if most <= np.iinfo(kind).max), np.uint32)


class Rated(NamedTuple):
    """Person p is in cells[indptr[p]:indptr[p + 1]], ascending: one of each issue that was rated."""

    indptr: np.ndarray  # int64
    cells: np.ndarray  # int32

    @property
    def people(self) -> int:
        return self.indptr.size - 1


class Cutting(NamedTuple):
    """Cuts of all scales, as they are now: see `_cut_kernels.sweep`."""

    cut: np.ndarray  # int64 per cell
    group: np.ndarray  # int64 per cell

    def copy(self) -> Cutting:
        return Cutting(self.cut.copy(), self.group.copy())


class Table(NamedTuple):
    """What all cuts are chosen by."""

    rated: Rated
    scales: Scales
    near: np.ndarray  # how many people two cells have in common, up to a number; empty if only one rating is known
    order: np.ndarray  # int64: the issues in the order in which they are cut, those with the fewest ratings first
    room: Room

    def sweep(self, now: Cutting, k: int, price: int, *, what: str | None = None) -> int:
        """Goes over all issues; returns how many cuts changed."""
        none, changed = np.zeros((0, 0), np.int32), 0
        terms = Terms(int(k), int(price), WHOLE, False)
        for start, stop in spans(self.order.size, what, first=16):
            changed += _kernels.sweep(
                self.order[start:stop], self.scales, self.near, now.group, none, terms, self.room, now.cut
            )
        return changed

    def threats(self, now: Cutting, k: int) -> int:
        """How many pairs of groups too few people are in, each of them twice."""
        found, first = 0, self.scales.first
        for start, stop in spans(first.size - 1 if self.near.size else 0, first=16):
            found += _kernels.count_threats(
                start, stop, first, self.near, now.group, int(k), self.room.slot, self.room.runs, self.room.sums
            )
        return found

    def loss(self, cut: np.ndarray) -> int:
        """What cuts lose in all."""
        is_scale = np.ones(cut.size, bool)
        is_scale[self.scales.first[1:] - 1] = False
        blanked = int(self.scales.counts[is_scale & (cut < 0)].sum()) * WHOLE
        shown = np.flatnonzero(cut >= 0)
        last = np.zeros(cut.size, np.int64)
        last[cut[shown]] = shown  # the last one stays
        wide = self.scales.right[last[cut[shown]]] - self.scales.left[cut[shown]]
        return blanked + int((self.scales.counts[shown] * wide).sum())


def tabled(rated: Rated, scales: Scales, most: int, *, pairs: bool) -> Table:
    """What is needed to cut; two cells' people are counted up to `most`, if pairs are to be known at all."""
    near = counted_near(rated, scales, most) if pairs else np.zeros((0, 0), np.uint8)
    return table_of(rated, scales, near)


def table_of(rated: Rated, scales: Scales, near: np.ndarray) -> Table:
    """What is needed to cut where pairs are counted already, wherever that was."""
    first, widest = scales.first, int(np.diff(scales.first).max(initial=0))
    cells = int(first[-1])
    raters = -scales.counts[first[1:] - 1]
    room = Room(
        np.zeros(cells, np.int64), np.zeros((3, cells), np.int64), np.zeros((widest + 3, cells), np.int32),
        np.zeros((widest + 2, widest + 2), np.int64), np.zeros((6, widest + 2), np.int64), np.zeros(widest + 2, bool),
    )  # fmt: skip
    return Table(rated, scales, near, np.argsort(raters, kind="stable"), room)


def counted_near(rated: Rated, scales: Scales, most: int) -> np.ndarray:
    """How many people each two cells of different issues have in common, up to `most`."""
    first, counts = scales.first, scales.counts
    is_scale = np.ones(counts.size, bool)
    is_scale[first[1:] - 1] = False
    starts = np.concatenate(([0], np.cumsum(np.where(is_scale, counts, 0))))
    holders = np.empty(rated.cells.size, np.int32)
    _kernels.fill_holders(rated.indptr, rated.cells, starts[:-1].copy(), holders)
    near = np.zeros((counts.size, counts.size), count_type(most))
    ratings = np.cumsum(starts[first[1:]] - starts[first[:-1]])
    bounds = [0, *np.searchsorted(ratings, ratings[-1] * np.arange(1, _PIECES) / _PIECES).tolist(), first.size - 1]
    widest = int(np.diff(first).max())

    def piece(begin: int, end: int) -> Callable[[], None]:
        def job() -> None:
            met = np.zeros(widest * counts.size, np.int32)
            for start, stop in spans(end - begin, "pairs of ratings", first=1):
                _kernels.count_near(
                    begin + start, begin + stop, rated.indptr, rated.cells, starts, holders, first, counts,
                    rated.people, int(most), met, near,
                )  # fmt: skip

        return job

    side_by_side([piece(*ends) for ends in pairwise(bounds)], threads=_THREADS)
    _mirror(near)
    return near


def _mirror(near: np.ndarray) -> None:
    """Fills what is below the diagonal as it is above, tile by tile: both sides of a tile are near in memory."""
    tiles = [slice(start, start + _TILE) for start in range(0, len(near), _TILE)]
    for at, row in enumerate(tiles):
        near[row, row] |= near[row, row].T.copy()
        for column in tiles[at + 1 :]:
            near[column, row] = near[row, column].T


def begun(table: Table) -> Cutting:
    """Every cell by itself."""
    cut = np.arange(table.scales.counts.size)
    cut[table.scales.first[1:] - 1] = -1
    return Cutting(cut, cut.copy())


def cut_scales(table: Table, k: int) -> Cutting:
    """Cuts in which any two groups have nobody in common, or at least k people; and none has fewer."""
    now, price = begun(table), _FIRST_PRICE
    while price < _LAST_PRICE:
        table.sweep(now, k, price, what="cuts")
        if not table.threats(now, k):
            break
        price *= _RISES
    for _ in range(_MOST_TURNS):
        if not table.sweep(now, k, _LAST_PRICE, what="cuts, at last"):
            break
    return now
