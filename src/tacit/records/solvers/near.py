"""Who is near whom: Mondrian cuts, several times over, and all pairs of a part each time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, cores, side_by_side, tell, up_to
from tacit.records.solvers._box_kernels import FLAT, Measure, Units
from tacit.records.solvers._near_kernels import Desk, cut_into_parts, meet_in_parts
from tacit.records.solvers.units import Table

_ROUNDS_OF_CUTS = 6
"""How often all units are cut into parts, each time otherwise, to find near ones."""
_PARTS = 2
"""Units of a part at most, unless all are alike, as a multiple of the near units that are wanted."""
_MEETINGS = 128
"""Units of a part at most that meet each other: parts of units that are all alike may be larger, and fall to pieces."""
_NOBODY = 0x7F800000FFFFFFFF
"""An infinite loss, and −1 for a unit, as `nearest` of the kernel has them."""
LOTS = 1021
"""Numbers from 0 to 1 by lot that cuts take in turn."""
_ROWS_AT_ONCE = 1 << 14
_BESIDE = 64
"""Units of a part at most where units, or groups of them, are put beside each other."""


class Parts(NamedTuple):
    """Units cut into parts: those of part i are order[bounds[i]:bounds[i + 1]]. Parts that are near stand together."""

    order: np.ndarray  # int32
    bounds: np.ndarray  # int64


class Neighbours(NamedTuple):
    """For each unit the nearest ones that were found, nearest first (−1 behind the last), and the loss together."""

    near: np.ndarray  # int32
    loss: np.ndarray  # float32; infinite behind the last

    def radius(self, weight: np.ndarray, k: int) -> np.ndarray:
        """The loss with the nearest ones of each unit that are k records with it; infinite if they are not so many."""
        found, met = np.zeros(weight.size, np.float32), weight.copy()
        lacking = np.flatnonzero(met < k)
        for near, loss in zip(self.near.T, self.loss.T, strict=True):
            if not lacking.size:
                break
            found[lacking], who = loss[lacking], near[lacking]
            met[lacking] += np.where(who < 0, 0, weight[who])
            lacking = lacking[met[lacking] < k]
        found[lacking] = np.inf
        return found


def neighbours(measure: Measure, units: Units, rng: np.random.Generator, wanted: int) -> Neighbours:
    """So many near units of each unit."""
    n_units, most, threads = units.weight.size, _PARTS * wanted, cores()
    nearest = np.empty((n_units, wanted), np.int64)
    _in_slices(lambda rows: nearest[rows].fill(_NOBODY), n_units, threads)
    rounds = _ROUNDS_OF_CUTS if n_units > most else 1
    place, lots = places(measure, units.box), [rng.random(LOTS) for _ in range(rounds)]
    parts = side_by_side([partial(cut, measure, place, most, each) for each in lots], threads=threads)
    for turn, part in enumerate(parts):
        order, bounds = _in_pieces(part, rng)
        stops = np.unique(bounds.searchsorted(np.linspace(0, n_units, 2 * threads + 1)))
        at = stops[:-1, None].copy()
        meet = partial(_meet, measure, units.box, order, bounds, nearest)
        jobs = [partial(meet, here, stop) for here, stop in zip(at, stops[1:].tolist(), strict=True)]
        done = partial(_tell_met, at, turn * (bounds.size - 1) - int(at.sum()), rounds * (bounds.size - 1))
        side_by_side(jobs, done, threads)
    return _told_apart(nearest, threads)


def _told_apart(nearest: np.ndarray, threads: int) -> Neighbours:
    """The units and the losses of what the kernel keeps in one number."""
    near, loss = np.empty(nearest.shape, np.int32), np.empty(nearest.shape, np.float32)
    bits = loss.view(np.int32)

    def tell_apart(rows: slice) -> None:
        near[rows] = nearest[rows]
        bits[rows] = nearest[rows] >> 32

    _in_slices(tell_apart, len(nearest), threads)
    return Neighbours(near, loss)


def _in_slices(work: Callable[[slice], None], rows: int, threads: int) -> None:
    """Does some work on a few rows at a time: what they need stays in fast memory."""
    starts = range(0, rows, _ROWS_AT_ONCE)
    side_by_side([partial(work, slice(start, start + _ROWS_AT_ONCE)) for start in starts], threads=threads)


def _in_pieces(parts: Parts, rng: np.random.Generator) -> Parts:
    """The same with parts that are too large cut into pieces by lot, of about equal sizes."""
    order, bounds = parts
    more = []
    for large in np.flatnonzero(np.diff(bounds) > _MEETINGS).tolist():
        start, stop = bounds[large : large + 2].tolist()
        rng.shuffle(order[start:stop])
        more.append(np.linspace(start, stop, -(-(stop - start) // _MEETINGS) + 1).astype(np.int64)[1:-1])
    return Parts(order, np.sort(np.concatenate((bounds, *more))))


def _tell_met(at: np.ndarray, before: int, of: int) -> None:
    tell("near records", (before + at.sum()) / of)


def cut(measure: Measure, place: np.ndarray, most: int, lots: np.ndarray) -> Parts:
    """Cuts all units into parts of at most so many, as the lots fall."""
    order, at = np.arange(len(place), dtype=np.int32), np.zeros(3, np.int64)
    bounds, waiting = np.empty(order.size + 1, np.int64), np.zeros((order.size + 1, 2), np.int64)
    waiting[0, 1], at[0] = order.size, order.size > 0
    for steps in blocks():
        if at[0] == 0:
            break
        cut_into_parts(steps, at, measure, place, order, bounds, most, lots, waiting)
    bounds[at[1]] = order.size
    return Parts(order, bounds[: at[1] + 1].copy())


def in_space(table: Table, rng: np.random.Generator) -> Table:
    """The same with near units beside each other, so that what a search needs lies together in memory."""
    return table.in_order(in_a_row(table.measure, table.units.box, rng))


def in_a_row(measure: Measure, box: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An order of boxes, as the lots fall, in which most near ones stand beside each other."""
    return cut(measure, places(measure, box), _BESIDE, rng.random(LOTS)).order


def _meet(
    measure: Measure,
    units_box: np.ndarray,
    order: np.ndarray,
    bounds: np.ndarray,
    nearest: np.ndarray,
    at: np.ndarray,
    stop: int,
) -> None:
    """Has the units of parts, from number at[0] to another, meet each other."""
    n = int(np.diff(bounds).max(initial=1))
    box, number, loss = np.empty((3, n), np.int32), np.empty((3, n), np.float32), np.empty((n, n), np.float32)
    fresh, merged = np.empty(n, np.int64), np.empty(nearest.shape[1], np.int64)
    desk = Desk(box, number, loss, loss.view(np.int32), fresh, merged)
    for steps in up_to(at, stop):
        meet_in_parts(steps, at, stop, measure, units_box, order, bounds, nearest, desk)


def places(measure: Measure, box: np.ndarray) -> np.ndarray:
    """Where units lie, units × attributes: at the lowest place of their box, of a set at its first value."""
    place = np.ascontiguousarray(box[:, :, 0])
    for a in np.flatnonzero(measure.shape[:, 0] == FLAT).tolist():
        bits = box[:, a, 0].astype(np.int64) | box[:, a, 1].astype(np.int64) << 31
        place[:, a] = np.log2(np.maximum(bits & -bits, 1)).astype(np.int32)
    return place
