"""Kernels of t-closeness: how far the sensitive values of a group are from those of all records.

Where persons have several records, each person counts once for each different value.

Two forms, as in the audit's definition. On a tree: over all nodes but the root, what the group has below it more or
less than all, times half of what its parent is higher. On a line: what crosses from each value to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner

ON_TREE, ON_LINE = 0, 1
_STRICTER = 1e-12
"""What rounding may cost; a group that is just as far as it may be is not taken."""


class Closeness(NamedTuple):
    """What all records hold. The arrays of one sensitive attribute after the other, from `start` on."""

    t: float
    form: np.ndarray  # int64 per attribute
    start: np.ndarray  # int64
    size: np.ndarray  # int64: nodes, or values on a line; a missing value is one more
    base: np.ndarray  # float64: on a tree the distance of no record at all, on a line the share of known values
    parent: np.ndarray  # int64 per node, counted from `start`; −1 for the root
    climb: np.ndarray  # float64 per node: half of what the parent is higher, in heights of the root
    share: np.ndarray  # float64: of all records below a node; of all known values up to one
    tally: np.ndarray  # int64 scratch, all 0: a place for every node or value


@inner
def member(groups, g, other, extra, part):
    """The first unit of a part: of the group, of the other one, or the one that comes to them (−1: none)."""
    if part == 0:
        return groups.first[g]
    if part == 1:
        return groups.first[other] if other >= 0 else np.int32(-1)
    return extra


@inner
def newly_held(units, met, v, s):
    """How many more people have the value of unit v: its records, or its person if that one was not met with it yet."""
    if met is None:
        return units.weight[v]
    is_new = np.int64(0 if met[units.held[v, s]] else 1)
    met[units.held[v, s]] = True
    return is_new


@inner
def forget(units, met, v, s):
    """Makes the person of unit v one who was not met with the value."""
    if met is not None:
        met[units.held[v, s]] = False


@inner
def _distance_on_tree(units, groups, met, close, g, other, s, absent, extra):
    start, away, size = close.start[s], close.base[s], np.int64(0)
    for step in range(3):  # count the records below each node; look at each count; make it 0 again
        for part in range(3):
            v = member(groups, g, other, extra, part)
            while v >= 0:
                node, brings = np.int64(units.sensitive[v, s]) if v != absent else np.int64(-1), np.int64(0)
                if step == 0 and v != absent:
                    brings = newly_held(units, met, v, s)
                    size += brings
                elif step == 2 and v != absent:
                    forget(units, met, v, s)
                while node >= 0:
                    count = close.tally[node]
                    if step == 0:
                        close.tally[node] = count + brings
                    elif step == 2:
                        close.tally[node] = 0
                    elif count > 0:
                        share = close.share[start + node]
                        away += close.climb[start + node] * (abs(count / size - share) - share)
                        close.tally[node] = -count
                    node = close.parent[start + node]
                v = np.int32(-1) if part == 2 else groups.after[v]
    return away


@inner
def _distance_on_line(units, groups, met, close, g, other, s, absent, extra):
    start, values, known, size, away = close.start[s], close.size[s], np.int64(0), np.int64(0), 0.0
    for step in range(2):  # count the records of each value, and go along them; make the counts 0 again
        for part in range(3):
            v = member(groups, g, other, extra, part)
            while v >= 0:
                value = np.int64(units.sensitive[v, s])
                if v != absent and step == 0:
                    brings = newly_held(units, met, v, s)
                    size += brings
                    if value < values:
                        close.tally[value] += brings
                        known += brings
                elif v != absent:
                    forget(units, met, v, s)
                    if value < values:
                        close.tally[value] = 0
                v = np.int32(-1) if part == 2 else groups.after[v]
        if step == 0 and known > 0 and values > 1:
            up_to = np.int64(0)
            for at in range(values - 1):
                up_to += close.tally[at]
                away += abs(up_to / known - close.share[start + at])
            away /= values - 1
    return max(away, abs(known / size - close.base[s]))


@inner
def is_close(units, groups, met, close, g, other, s, absent, extra):
    """Whether a sensitive attribute of groups g and `other` together, without one unit and with another, is as in all
    records."""
    if close.t >= 1:
        return True
    if close.form[s] == ON_LINE:
        away = _distance_on_line(units, groups, met, close, g, other, s, absent, extra)
    else:
        away = _distance_on_tree(units, groups, met, close, g, other, s, absent, extra)
    return away <= close.t - _STRICTER
