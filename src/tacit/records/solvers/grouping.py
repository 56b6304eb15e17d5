"""Groups of units that lose little: near units, groups of them, and steps that make the groups better.

Mondrian and Cluster share this. All of it is near-linear in the number of units.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, side_by_side, spans, tell, up_to
from tacit.records.solvers._box_kernels import FLAT, Groups, Measure, Need, Units
from tacit.records.solvers._forming_kernels import form_groups, merge_unfit, put_into_groups
from tacit.records.solvers._improving_kernels import Improving, improve
from tacit.records.solvers._near_kernels import cut_into_parts, meet_in_parts
from tacit.records.solvers.units import Table

_FEWEST_NEAR, _MOST_NEAR = 32, 64
"""How many near units each unit knows."""
_NEAR_A_MEMBER, _NEAR_A_VALUE = 8, 16
"""So many for each unit that a group needs, and for each sensitive value, within these bounds."""
_ROUNDS_OF_CUTS = 6
"""How often all units are cut into parts, each time otherwise, to find near ones."""
_PARTS = 2
"""Units of a part at most, unless all are alike, as a multiple of the near units that are wanted."""
_MEETINGS = 1024
"""How many units of a part a unit is compared with at most: parts of units that are all alike may be large."""
_UNITS_OF_A_GROUP = 8
"""Of so many units groups are formed first, if a group needs more units than have near ones in common."""
_ROUNDS = 3
"""Rounds of improvement."""
_ENOUGH = 0.002
"""A round that gains less than this share of the loss is the last."""
_CANDIDATES = 2048
"""How many groups are looked at for one that has to be merged."""
_COUNTED_UNITS = 1 << 14
"""About how many units' sensitive values are counted to find it."""


class Neighbours(NamedTuple):
    """For each unit the nearest ones that were found, nearest first (−1 behind the last), and the loss together."""

    near: np.ndarray  # int32
    loss: np.ndarray  # float32; infinite behind the last


def neighbours(measure: Measure, units: Units, rng: np.random.Generator, wanted: int) -> Neighbours:
    """So many near units of each unit."""
    n_units, part = units.weight.size, _PARTS * wanted
    near = np.full((n_units, wanted), -1, np.int32)
    loss = np.full((n_units, wanted), np.inf, np.float32)
    place, rounds = places(measure, units.box), _ROUNDS_OF_CUTS if n_units > part else 1
    for turn in range(rounds):
        order = rng.permutation(n_units).astype(np.int32)
        bounds = _parts(measure, place, order, part, rng.random(1021))
        ends, middle = np.repeat(bounds[1:], np.diff(bounds)), int(bounds[bounds.searchsorted(n_units // 2)])
        meet, at = partial(_meet, measure, units.box, order, ends, near, loss), np.array([[0], [middle]])
        halves = [partial(meet, at[0], middle), partial(meet, at[1], n_units)]
        done = partial(_tell_met, at, turn * n_units - middle, rounds * n_units)
        side_by_side(halves[: 1 + (middle < n_units)], done)
    return Neighbours(near, loss)


def _tell_met(at: np.ndarray, before: int, of: int) -> None:
    tell("near records", (before + at.sum()) / of)


def _parts(measure: Measure, place: np.ndarray, order: np.ndarray, most: int, lots: np.ndarray) -> np.ndarray:
    """Orders the units so that parts of at most so many stand together; gives where they begin, and the end."""
    bounds, waiting, at = np.empty(order.size + 1, np.int64), np.zeros((order.size + 1, 2), np.int64), np.zeros(3, int)
    waiting[0, 1], at[0] = order.size, order.size > 0
    for steps in blocks():
        if at[0] == 0:
            break
        cut_into_parts(steps, at, measure, place, order, bounds, most, lots, waiting)
    bounds[at[1]] = order.size
    return bounds[: at[1] + 1]


def _meet(
    measure: Measure,
    box: np.ndarray,
    order: np.ndarray,
    ends: np.ndarray,
    near: np.ndarray,
    loss: np.ndarray,
    at: np.ndarray,
    stop: int,
) -> None:
    """Has the units of whole parts, from place at[0] of an order to another, meet each other."""
    for steps in up_to(at, stop):
        meet_in_parts(steps, at, stop, measure, box, order, ends, near, loss, _MEETINGS)


def places(measure: Measure, box: np.ndarray) -> np.ndarray:
    """Where units lie, units × attributes: at the lowest place of their box, of a set at its first value."""
    place = np.ascontiguousarray(box[:, :, 0])
    for a in np.flatnonzero(measure.shape[:, 0] == FLAT).tolist():
        bits = box[:, a, 0].astype(np.int64) | box[:, a, 1].astype(np.int64) << 31
        place[:, a] = np.log2(np.maximum(bits & -bits, 1)).astype(np.int32)
    return place


class Grouping:
    """Groups of units under way."""

    def __init__(self, measure: Measure, units: Units, need: Need, rng: np.random.Generator) -> None:
        self.measure, self.units, self.need, self.rng = measure, units, need, rng
        n_units, n_attributes = units.box.shape[:2]
        absent = np.full(n_units, -1, np.int32)
        self.groups = Groups(
            of=absent,
            first=absent.copy(),
            after=absent.copy(),
            size=np.zeros(n_units, np.int64),
            box=np.zeros((n_units, n_attributes, 2), np.int32),
            edge=np.zeros((n_units, n_attributes, 2), np.int32),
            loss=np.zeros(n_units),
        )
        self.typical = _typical_weight(units, need.k)
        diverse = float(need.diverse.l.max(initial=0.0)) if need.diverse is not None else 0.0
        wanted = max(_NEAR_A_MEMBER * need.k / self.typical, _NEAR_A_VALUE * diverse)
        self.n_near = int(min(max(wanted, _FEWEST_NEAR), _MOST_NEAR))
        self._seen = np.zeros(n_units + 1, np.int64)

    @property
    def loss(self) -> float:
        """Of all records together."""
        return float((self.groups.size * self.groups.loss).sum())

    def put(self, group_of_unit: np.ndarray) -> None:
        """Puts units, none of which has a group yet, into the groups of these numbers (−1: none)."""
        given = np.flatnonzero(group_of_unit >= 0)
        into = group_of_unit[given].astype(np.int64)
        for start, stop in spans(given.size):
            put_into_groups(self.measure, self.units, self.groups, given[start:stop], into[start:stop])

    @cached_property
    def found(self) -> Neighbours:
        """The near units of each unit."""
        return neighbours(self.measure, self.units, self.rng, self.n_near)

    def form(self, near: np.ndarray, order: np.ndarray, *, nearest_to_seed: bool = False, settle: bool = True) -> None:
        """Forms groups around the units of an order; `settle` puts the others into groups of their neighbours."""
        arguments = (self.measure, self.units, self.groups, near, *self.need, order.astype(np.int32), nearest_to_seed)
        at, stop = np.zeros(2, np.int64), (1 + settle) * order.size
        for steps in up_to(at, stop, "groups"):
            form_groups(steps, at, stop, *arguments, self._seen)

    def complete(self) -> None:
        """Units without a group get one of their own; groups that are not what they must be are merged with others."""
        groups = self.groups
        alone, empty = np.flatnonzero(groups.of < 0), np.flatnonzero(groups.size == 0)
        own = np.full(groups.of.size, -1)
        own[alone] = empty[: alone.size]
        self.put(own)
        waiting = self.rng.permutation(np.flatnonzero(groups.size > 0))
        for start in range(0, waiting.size, _CANDIDATES):
            candidates = self.rng.permutation(np.flatnonzero(groups.size > 0))[:_CANDIDATES]
            self._merge(waiting[start : start + _CANDIDATES], candidates)
        everything = np.flatnonzero(groups.size > 0)
        self._merge(everything, everything)

    def _merge(self, waiting: np.ndarray, candidates: np.ndarray) -> None:
        """Merges those of some groups that are not what they must be with candidates."""
        if self.need.met is None and self.units.sensitive.shape[1] == 0:
            # most often none is too small, and no kernel is needed to tell
            waiting = waiting[self.groups.size[waiting] < self.need.k]
        effort, at = int(_COUNTED_UNITS * self.units.weight.sum() / max(self.groups.of.size, 1)), np.zeros(1, np.int64)
        for steps in up_to(at, waiting.size, "groups that are too small"):
            merge_unfit(steps, at, self.measure, self.units, self.groups, *self.need, waiting, candidates, effort)

    def improve(self, rounds: int = _ROUNDS) -> None:
        """Steps that lose less, until a round of them gains little."""
        (n_units, n_attributes), loss = self.units.box.shape[:2], self.loss
        room = Improving(
            changed=np.zeros(n_units, np.int64),
            tried=np.zeros(n_units, np.int64),
            seen=self._seen,
            here=np.empty((2, n_attributes, 2), np.int32),
            there=np.empty((2, n_attributes, 2), np.int32),
            members=np.empty(n_units, np.int32),
            source=np.empty(_MOST_NEAR + 1, np.int32),
        )
        for now in range(1, rounds + 1):
            order, at = self.rng.permutation(n_units).astype(np.int32), np.zeros(2, np.int64)
            arguments = (self.measure, self.units, self.groups, self.found.near, *self.need, order, now, room)
            for steps in up_to(at, 3 * n_units, f"improving groups, round {now} of {rounds} at most"):
                improve(steps, at, *arguments)
            if self.loss > loss * (1 - _ENOUGH):
                break
            loss = self.loss


def form_by_size(grouping: Grouping, form: Callable[[Grouping], None]) -> None:
    """Forms groups by `form` that are large enough, whatever their sensitive values: these are asked for later, when
    groups are merged. Few near records are seldom distributed as all are."""
    units = grouping.units
    plain = units._replace(sensitive=units.sensitive[:, :0], held=units.held[:, :0])
    large = Grouping(grouping.measure, plain, grouping.need, grouping.rng)
    form_large_groups(large, form)
    large.complete()
    grouping.found = large.found
    grouping.put(large.groups.of)


def form_large_groups(grouping: Grouping, form: Callable[[Grouping], None]) -> None:
    """Forms groups by `form`. Those of more units than have near ones in common are made of groups of few units.

    Diversity is asked for only where groups are made of the units themselves.
    """
    units, need = grouping.units, grouping.need
    typical, n_near = grouping.typical, grouping.n_near
    if 2 * need.k <= n_near * typical or units.weight.size <= 2 * n_near:
        form(grouping)
        return
    none = units.person[:0], units.held[:0, :0]
    plain = Units(units.box, units.weight, units.sensitive[:, :0], *none)
    few = need._replace(k=int(_UNITS_OF_A_GROUP * typical) + 1, met=None)
    lower = Grouping(grouping.measure, plain, few, grouping.rng)
    lower.found = grouping.found
    form(lower)
    lower.complete()
    formed = np.flatnonzero(lower.groups.size)
    unit_of = np.empty(lower.groups.size.size, np.int32)
    unit_of[formed] = np.arange(formed.size, dtype=np.int32)
    as_units = Units(lower.groups.box[formed], lower.groups.size[formed], plain.sensitive[: formed.size], *none)
    upper = Grouping(grouping.measure, as_units, need._replace(met=None), grouping.rng)
    form_large_groups(upper, form)
    upper.complete()
    grouping.put(upper.groups.of[unit_of[lower.groups.of]])


def settled(table: Table, grouping: Grouping) -> np.ndarray:
    """The group of each record. Groups that are published with equal values are one.

    Two of them that keep the promise may break it together where a person is in both. They are merged with others.
    """
    group = table.groups_of_records(grouping.groups.of)
    while table.units.person.size:
        found = int(group.max(initial=-1)) + 1
        of_unit = np.empty(table.units.weight.size, np.int32)
        of_unit[table.unit_of_record] = group
        again = Grouping(table.measure, table.units, grouping.need, grouping.rng)
        again.put(of_unit)
        again.complete()
        group = table.groups_of_records(again.groups.of)
        if group.max(initial=-1) + 1 == found:
            break
    return group


def _typical_weight(units: Units, k: int) -> float:
    """The mean weight of the units that need others to be a group."""
    small = units.weight[units.weight < k]
    return float(small.mean()) if small.size else float(k)
