"""Inner loops over clusters: a core of k − 1 people close to each other, and others close to all of the core.

Nobody of a cluster depends on who else is outside the core, so anybody may join one who rated all that it keeps, and a
cluster may be closed if its people are cheaper off in others. Cluster c keeps issues[indptr[c]:indptr[c + 1]]; the
core's ratings of them lie in [low, high], and those of others in [least, most], which count from "not rated".

What it costs to join a cluster stays the same until the cluster does not. So bounds[p * clusters + c], where there is
room for that, remembers what person p is known to pay at least; 0 if nothing is known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, spans
from tacit.arrays.jit import inner, kernel, part
from tacit.ratings.solvers._core_kernels import Settled, Settling, settle_groups, take_members
from tacit.ratings.solvers._grouping_kernels import Block
from tacit.ratings.solvers._improving_kernels import Groups

NOWHERE = 2**62
"""The cost of joining a cluster that one cannot join."""
_LARGEST_BOUND = 2**31 - 1
_AT, _MEMBER, _TOGETHER, _CLOSED = range(4)
"""Where the closing of clusters is: the place in the order, the member whose way out is sought, what the members
before pay together, and how many clusters were closed."""

Clusters = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""(indptr, issues, low, high, least, most), all int64."""


class State(NamedTuple):
    """Clusters of a block under way."""

    block: Block
    groups: Groups
    is_open: np.ndarray  # bool per cluster
    is_fixed: np.ndarray  # bool per cluster: it stays, whoever leaves it
    is_core: np.ndarray  # bool per person
    row: np.ndarray  # int64 per issue: 0, before and after
    bounds: np.ndarray  # int32


@part
def joining_cost(row, total, clusters, c, fill, limit):
    """What it costs the person of this row to join cluster c outside its core; at least `limit` if it is not less."""
    issues, least, most = clusters[1], clusters[4], clusters[5]
    kept = away = 0
    for at in range(clusters[0][c], clusters[0][c + 1]):
        value = row[issues[at]]
        if value == 0 and not fill:
            return NOWHERE
        kept += value
        away += max(least[at] - value, value - most[at], 0)
        if away >= limit:
            return away
    return total - kept + away


@inner
def cheapest_other(state, person, clusters, own, fill, limit):
    """The open cluster other than `own` that is cheapest to join below `limit`, and its cost; −1 if there is none.

    A negative limit is what it costs to be in `own` outside its core. Returns the limit, too.
    """
    block, row, is_open, bounds = state.block, state.row, state.is_open, state.bounds
    begin, end = block.indptr[person], block.indptr[person + 1]
    total = np.int64(0)
    for i in range(begin, end):  # how far above "not rated" the person rated, over all issues
        row[block.issues[i]] = block.values[i] - block.null[block.issues[i]]
        total += row[block.issues[i]]
    if limit < 0:
        limit = joining_cost(row, total, clusters, own, fill, np.int64(NOWHERE))
    best, least, at = -1, limit, person * is_open.size
    for c in range(is_open.size):
        if is_open[c] and c != own and (bounds.size == 0 or bounds[at + c] < least):
            cost = joining_cost(row, total, clusters, c, fill, least)
            if bounds.size:
                bounds[at + c] = min(cost, _LARGEST_BOUND)
            if cost < least:
                best, least = c, cost
    for i in range(begin, end):
        row[block.issues[i]] = 0
    return best, least, limit


def take_in(state: State, clusters: Clusters, fill: bool) -> bool:
    """Whoever is in no cluster (too few to make one) joins the cheapest; False if somebody cannot."""
    return all(
        _take_in(start, stop, state, clusters, bool(fill)) for start, stop in spans(state.block.people, first=64)
    )


@kernel
def _take_in(start, stop, state, clusters, fill):
    nobody, nowhere = np.int64(-1), np.int64(NOWHERE)
    for person in range(start, stop):
        if state.groups.of[person] < 0:
            to, price, _ = cheapest_other(state, person, clusters, nobody, fill, nowhere)
            if to < 0:
                return False
            _move(state, person, to, price)
    return True


@part
def _move(state, person, to, price):
    group, first, follow, cost = state.groups
    group[person] = to
    state.is_core[person] = False
    follow[person] = first[to]
    first[to] = person
    cost[to] += price


def close_clusters(state: State, clusters: Clusters, fill: bool, order: np.ndarray) -> int:
    """Closes each cluster whose people are cheaper off in others, in this order; returns how many were."""
    at, room = np.zeros(4, np.int64), tuple(np.empty(state.block.people, np.int64) for _ in range(3))
    for steps in blocks():
        if _close_clusters(steps, at, state, clusters, bool(fill), order, *room):
            break
    return int(at[_CLOSED])


@kernel
def _close_clusters(steps, at, state, clusters, fill, order, members, to, price):
    """Goes on until so many clusters were looked at; returns whether all were tried."""
    _, first, follow, cost = state.groups
    none = np.int64(0)
    while at[_AT] < order.size:
        c = order[at[_AT]]
        if state.is_open[c] and not state.is_fixed[c]:
            size = take_members(first, follow, c, members, none)
            while at[_MEMBER] < size and at[_TOGETHER] < cost[c]:
                if steps <= 0:
                    return False
                j, limit = at[_MEMBER], cost[c] - at[_TOGETHER]
                to[j], price[j], _ = cheapest_other(state, members[j], clusters, c, fill, limit)
                at[_TOGETHER] = NOWHERE if to[j] < 0 else at[_TOGETHER] + price[j]
                at[_MEMBER] += 1
                steps -= first.size
            if at[_TOGETHER] < cost[c]:
                at[_CLOSED] += 1
                state.is_open[c] = False
                first[c] = -1
                for j in range(size):
                    _move(state, members[j], to[j], price[j])
                cost[c] = 0
        at[_AT], at[_MEMBER], at[_TOGETHER] = at[_AT] + 1, 0, 0
    return True


def move_others(state: State, clusters: Clusters, k: int, fill: bool) -> int:
    """Who is outside a core moves where that is cheaper, if at least k people stay; returns how many moved.

    The lists of members are left as they are.
    """
    group = state.groups.of
    size = np.bincount(group[group >= 0], minlength=state.is_open.size)
    return sum(
        _move_others(start, stop, state, clusters, int(k), bool(fill), size)
        for start, stop in spans(group.size, first=64)
    )


@kernel
def _move_others(start, stop, state, clusters, k, fill, size):
    group, _, _, cost = state.groups
    unknown = np.int64(-1)
    moved = 0
    for person in range(start, stop):
        own = group[person]
        if own < 0 or state.is_core[person] or (size[own] <= k and not state.is_fixed[own]):
            continue
        to, price, here = cheapest_other(state, person, clusters, own, fill, unknown)
        if to >= 0:
            group[person] = to
            size[own] -= 1
            size[to] += 1
            cost[own] -= here
            cost[to] += price
            moved += 1
    return moved


def settle_clusters(
    state: State, is_changed: np.ndarray, clusters: Clusters, k: int, fill: bool, room: Settling
) -> Clusters:
    """The clusters, of which those that are open and changed are settled anew, if that is cheaper."""
    block, groups, count = state.block, state.groups, state.is_open.size
    most = 3 * block.issues.size + block.reach.size
    kept, low, high = (np.zeros(most, np.int64) for _ in range(3))
    is_core = np.zeros(block.people, bool)
    new = Settled(np.full(count, NOWHERE), np.zeros(count + 1, np.int64), kept, low, high, is_core)
    settle_groups(block, groups.first, groups.follow, state.is_open & is_changed, -1, k, fill, room, new)
    is_cheaper = new.price < groups.cost
    groups.cost[is_cheaper] = new.price[is_cheaper]
    if state.bounds.size:
        state.bounds.reshape(-1, count)[:, is_cheaper] = 0
    moved = (groups.of >= 0) & is_cheaper[groups.of]
    state.is_core[moved] = new.is_core[moved]
    return _merged(state, clusters, new, is_cheaper)


def _merged(state: State, old: Clusters, new: Settled, is_new: np.ndarray) -> Clusters:
    """Of each cluster that is open what is new of it, or else what it was."""
    lengths = np.where(is_new, np.diff(new.indptr), np.diff(old[0]) * state.is_open)
    indptr = np.append(0, np.cumsum(lengths))
    begins = np.where(is_new, new.indptr[:-1], old[0][:-1] + new.kept.size)
    at = np.arange(indptr[-1]) + np.repeat(begins - indptr[:-1], lengths)
    issues, low, high = (np.concatenate(both)[at] for both in zip((new.kept, new.low, new.high), old[1:4], strict=True))
    return (indptr, issues, low, high, *outside_core(low, high, state.block.reach[issues], state.block.null[issues]))


def outside_core(
    low: np.ndarray, high: np.ndarray, reach: np.ndarray, null: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where ratings of people outside a core go, from "not rated" on."""
    return np.maximum(high - reach, 0) - null, low + reach - null
