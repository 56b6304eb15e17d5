"""Single records that move to another cluster, or two that change places, where their clusters lose less by it.

Cuts and merges see parts as a whole. At the end each record is held beside those that are nearest to it by values: for
every two of different clusters either may go to the other's cluster, or both may change places. What pays most is done
first; only what touches a changed cluster is looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.attributes import losses, spans
from tacit.records.solvers.clusters import sensitive_counts
from tacit.records.solvers.mending import TOO_SURE, state_of
from tacit.records.solvers.parts import BySets, Parts
from tacit.records.solvers.persons import fits_persons
from tacit.records.solvers.problem import RecordProblem

_NEAR = 8
"""So many of the nearest records each one is held beside."""
_ROUNDS = 40
_LOOKS, _ALL_LOOKS = 40, 1_000_000
"""Records of clusters, as these would be, that are looked at in all: for each record, and in small data."""
_SLOW, _ALL_SLOW = 0.25, 2_000
"""Changes whose clusters get a slower look, where that is needed for sensitive items or persons, in the same way."""
_DIGITS = 9
"""Gains, as shares of all that one record can lose, are compared by so many: equal ones differ in the last ones."""
_NOBODY = -1


class Change(NamedTuple):
    """Clusters as they would be: each without one record of its own, or with another one, or both."""

    cluster: np.ndarray
    out: np.ndarray  # record, −1: none
    into: np.ndarray

    def at(self, places: np.ndarray) -> Change:
        return Change(*(each[places] for each in self))


class Weighing:
    """What clusters lose: (1 − balance) · NCP of their values + balance · NCP of their items, as shares of all data."""

    def __init__(self, problem: RecordProblem, parts: Parts, balance: float) -> None:
        self.problem, self.parts, self.balance = problem, parts, balance
        everybody = np.zeros(len(problem), np.int32)
        beside = sensitive_counts(problem, everybody, 1)[1]
        filled = np.count_nonzero(np.diff(problem.indptr))
        self.diverse_as_one = bool(int(beside.max(initial=0)) * problem.bound <= filled)
        self.slow_looks = max(int(_SLOW * len(problem)), _ALL_SLOW)

    def values(self, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """What the values of each piece of these records lose; infinitely much if it cannot be a cluster."""
        sizes = np.diff(ends, prepend=0)
        group, lost = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes), np.zeros(sizes.size)
        for attribute, weight in zip(self.problem.attributes, self.problem.weights.tolist(), strict=True):
            some = attribute.at(rows)
            lost += weight * losses(some, spans(some, group, sizes.size)) * sizes
        lost[~self._can_be(rows, ends)] = np.inf
        return (1 - self.balance) * lost / len(self.problem)

    def items(self, rows: np.ndarray, ends: np.ndarray, *, exactly: bool) -> np.ndarray:
        """What the items lose; infinitely much if nobody can tell quickly. Not `exactly`: as if records had no
        sensitive items, and were of as many persons."""
        lost = self._items_exactly(rows, ends) if exactly and self.parts.asks_more else self._items(rows, ends)
        return self.balance * lost / max(self.problem.items.size, 1)

    def _items(self, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
        assert isinstance(self.parts.how, BySets)
        lost = self.parts.how.losses_at_once(_apart(rows, ends))
        lost[(lost < 0) | self.parts.is_large(np.diff(ends, prepend=0))] = np.inf
        return lost

    def _items_exactly(self, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
        from tacit.records.solvers.frontier import item_loss

        return np.array([item_loss(self.parts, np.sort(piece)) for piece in _apart(rows, ends)])

    def _can_be(self, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Which pieces keep what no generalizing of items can mend."""
        problem, sizes = self.problem, np.diff(ends, prepend=0)
        if problem.persons is not None:
            return np.array([fits_persons(problem, piece) for piece in _apart(rows, ends)], bool)
        if problem.bound == 1:
            return sizes >= problem.promise.k
        some, group = problem.at(rows), np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
        filled = np.bincount(group[np.diff(some.indptr) > 0], minlength=sizes.size)
        counts = sensitive_counts(some, group, sizes.size)
        state = state_of(problem, sizes, filled, *counts, diverse_as_one=self.diverse_as_one)
        return (sizes >= problem.promise.k) & (state != TOO_SURE)


def moved(problem: RecordProblem, parts: Parts, group: np.ndarray, balance: float, seed: int) -> np.ndarray:
    """The clusters of all records, with records moved while that loses less in all; equal ones if nothing does."""
    if not isinstance(parts.how, BySets) or not parts.how.at_once or group.max(initial=0) < 1:
        return group
    weighing, group = Weighing(problem, parts, balance), group.copy()
    near = nearest_records(problem, seed)
    order = np.argsort(group, kind="stable")
    everybody = order, np.cumsum(np.bincount(group))
    lost = np.stack((weighing.values(*everybody), weighing.items(*everybody, exactly=True)))
    changed, left = np.ones(lost.shape[1], bool), max(_LOOKS * len(problem), _ALL_LOOKS)
    for _ in range(_ROUNDS):
        pairs = _pairs(group, near, lost, changed)
        one, other = _changes(problem, group, pairs, left)
        left -= int(np.bincount(group)[np.concatenate((one.cluster, other.cluster))].sum())
        changed = _do_the_best(weighing, group, lost, one, other)
        if not changed.any():
            break
    return group


def nearest_records(problem: RecordProblem, seed: int) -> np.ndarray:
    """For each record the nearest others by values, −1 behind the last."""
    from tacit.records.solvers.near import neighbours
    from tacit.records.solvers.units import Table

    table = Table.of(problem.attributes).record_by_record()
    return neighbours(table.measure, table.units, np.random.default_rng(seed), _NEAR).near


def _pairs(group: np.ndarray, near: np.ndarray, lost: np.ndarray, changed: np.ndarray) -> np.ndarray:
    """Near records (pairs × 2) of different clusters, whose items lose something, if one of the two has changed; the
    nearest first."""
    one, other = np.tile(np.arange(len(near)), near.shape[1]), near.T.ravel().astype(np.int64)
    one, other = one[other >= 0], other[other >= 0]
    a, b = group[one], group[other]
    known, loses = np.isfinite(lost).all(axis=0), lost[1] > 0
    wanted = (a != b) & (changed[a] | changed[b]) & known[a] & known[b] & (loses[a] | loses[b])
    return np.stack((one[wanted], other[wanted]), axis=1)


def _changes(problem: RecordProblem, group: np.ndarray, pairs: np.ndarray, most: int) -> tuple[Change, Change]:
    """What near records might do: the clusters of both as they would be. Only the first, of so many records in all."""
    sizes = np.bincount(group)
    looks = np.cumsum(sizes[group[pairs]].sum(axis=1))
    one, other = pairs[: np.searchsorted(looks, most // 2, side="right")].T
    may_go = sizes[group[one]] > problem.promise.k
    out = np.concatenate((one[may_go], one))  # one goes to the other's cluster; both change places
    into = np.concatenate((np.full(np.count_nonzero(may_go), _NOBODY), other))
    here, there = np.concatenate((group[one[may_go]], group[one])), np.concatenate((group[other[may_go]], group[other]))
    return Change(here, out, into), Change(there, into, out)


def _do_the_best(weighing: Weighing, group: np.ndarray, lost: np.ndarray, one: Change, other: Change) -> np.ndarray:
    """Does what gains most, then what gains most of the rest and touches neither of its clusters, and so on. Which
    clusters are changed; what they lose (values and items) is kept up to date."""
    clusters = np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))
    before = (lost[:, one.cluster] + lost[:, other.cluster]).sum(axis=0)
    values = np.stack([weighing.values(*_pieces(each, *clusters)) for each in (one, other)])
    hopeful = np.flatnonzero(_rounded(before - values.sum(axis=0), len(group)) > 0)
    one, other, before, values = one.at(hopeful), other.at(hopeful), before[hopeful], values[:, hopeful]
    items = np.stack([weighing.items(*_pieces(each, *clusters), exactly=False) for each in (one, other)])
    gain = _rounded(before - (values + items).sum(axis=0), len(group))
    some = np.flatnonzero(gain > 0)
    changed = np.zeros(lost.shape[1], bool)
    for i in some[np.argsort(-gain[some], kind="stable")].tolist():
        touched, now = [one.cluster[i], other.cluster[i]], items[:, i]
        if changed[touched].any():
            continue
        if weighing.parts.asks_more:
            if weighing.slow_looks == 0:
                break
            weighing.slow_looks -= 1
            both = (each.at(np.array([i])) for each in (one, other))
            now = np.concatenate([weighing.items(*_pieces(each, *clusters), exactly=True) for each in both])
            if _rounded(before[i] - values[:, i].sum() - now.sum(), len(group)) <= 0:
                continue
        lost[:, touched], changed[touched] = (values[:, i], now), True
        group[one.out[i]] = touched[1]
        if one.into[i] != _NOBODY:
            group[one.into[i]] = touched[0]
    return changed


def _pieces(change: Change, order: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The records of clusters as they would be, cluster by cluster as in `order`, and where each ends."""
    sizes = np.diff(ends, prepend=0)[change.cluster]
    piece = np.repeat(np.arange(sizes.size), sizes)
    first = np.cumsum(sizes) - sizes
    rows = order[np.arange(piece.size) - first[piece] + (ends[change.cluster] - sizes)[piece]]
    stays, comes = rows != change.out[piece], np.flatnonzero(change.into >= 0)
    rows, piece = np.concatenate((rows[stays], change.into[comes])), np.concatenate((piece[stays], comes))
    return rows[np.argsort(piece, kind="stable")], np.cumsum(np.bincount(piece, minlength=sizes.size))


def _rounded(gain: np.ndarray, records: int) -> np.ndarray:
    return np.round(gain * records, _DIGITS)


def _apart(rows: np.ndarray, ends: np.ndarray) -> list[np.ndarray]:
    """Each piece by itself."""
    return np.split(rows, ends[:-1]) if ends.size else []
