"""Kernels of t-closeness: how far the sensitive values of a group are from those of all records.

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


@inner
def _member(groups, g, other, extra, part):
    """The first unit of a part: of the group, of the other one, or the one that comes to them (−1: none)."""
    if part == 0:
        return groups.first[g]
    if part == 1:
        return groups.first[other] if other >= 0 else np.int32(-1)
    return extra


@inner
def _distance_on_tree(units, groups, need, g, other, s, absent, extra, size):
    close, away = need.close, need.close.base[s]
    start = close.start[s]
    for step in range(3):  # count the records below each node; look at each count; make it 0 again
        for part in range(3):
            v = _member(groups, g, other, extra, part)
            while v >= 0:
                node = np.int64(units.secret[v, s]) if v != absent else np.int64(-1)
                while node >= 0:
                    count = need.tally[node]
                    if step == 0:
                        need.tally[node] = count + units.weight[v]
                    elif step == 2:
                        need.tally[node] = 0
                    elif count > 0:
                        share = close.share[start + node]
                        away += close.climb[start + node] * (abs(count / size - share) - share)
                        need.tally[node] = -count
                    node = close.parent[start + node]
                v = np.int32(-1) if part == 2 else groups.after[v]
    return away


@inner
def _distance_on_line(units, groups, need, g, other, s, absent, extra, size):
    close, values = need.close, need.close.size[s]
    start, known, away = close.start[s], np.int64(0), 0.0
    for step in range(2):  # count the records of each value, and go along them; make the counts 0 again
        for part in range(3):
            v = _member(groups, g, other, extra, part)
            while v >= 0:
                value = np.int64(units.secret[v, s])
                if v != absent and value < values:
                    if step == 0:
                        need.tally[value] += units.weight[v]
                        known += units.weight[v]
                    else:
                        need.tally[value] = 0
                v = np.int32(-1) if part == 2 else groups.after[v]
        if step == 0 and known > 0 and values > 1:
            up_to = np.int64(0)
            for at in range(values - 1):
                up_to += need.tally[at]
                away += abs(up_to / known - close.share[start + at])
            away /= values - 1
    return max(away, abs(known / size - close.base[s]))


@inner
def is_close(units, groups, need, g, other, s, absent, extra, size):
    """Whether a sensitive attribute of groups g and `other` together, without one unit and with another, is as in all
    records."""
    if need.close.t >= 1:
        return True
    if need.close.form[s] == ON_LINE:
        away = _distance_on_line(units, groups, need, g, other, s, absent, extra, size)
    else:
        away = _distance_on_tree(units, groups, need, g, other, s, absent, extra, size)
    return away <= need.close.t - _STRICTER
