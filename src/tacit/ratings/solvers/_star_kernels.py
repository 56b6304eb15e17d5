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

from tacit.arrays.blocks import blocks, spans, up_to
from tacit.arrays.jit import inner, kernel, part
from tacit.ratings.solvers._grouping_kernels import Block, Settling, settle
from tacit.ratings.solvers._improving_kernels import Groups, take_members

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
def spread_row(block, person, row):
    """Writes how far above "not rated" a person rated into a row over all issues; returns the sum."""
    total = np.int64(0)
    for i in range(block.indptr[person], block.indptr[person + 1]):
        row[block.issues[i]] = block.values[i] - block.null[block.issues[i]]
        total += row[block.issues[i]]
    return total


@part
def clear_row(block, person, row):
    """Makes the row zero again."""
    for i in range(block.indptr[person], block.indptr[person + 1]):
        row[block.issues[i]] = 0


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
def cheapest_other(state, total, clusters, own, fill, limit, person):
    """The open cluster other than `own` that is cheapest to join below `limit`, and its cost; −1 if there is none."""
    is_open, bounds = state.is_open, state.bounds
    best = -1
    at = person * is_open.size
    for c in range(is_open.size):
        if is_open[c] and c != own and (bounds.size == 0 or bounds[at + c] < limit):
            cost = joining_cost(state.row, total, clusters, c, fill, limit)
            if bounds.size:
                bounds[at + c] = min(cost, _LARGEST_BOUND)
            if cost < limit:
                best, limit = c, cost
    return best, limit


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
            total = spread_row(state.block, person, state.row)
            to, price = cheapest_other(state, total, clusters, nobody, fill, nowhere, person)
            clear_row(state.block, person, state.row)
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
                total = spread_row(state.block, members[j], state.row)
                to[j], price[j] = cheapest_other(state, total, clusters, c, fill, limit, members[j])
                clear_row(state.block, members[j], state.row)
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
    nowhere = np.int64(NOWHERE)
    moved = 0
    for person in range(start, stop):
        own = group[person]
        if own < 0 or state.is_core[person] or (size[own] <= k and not state.is_fixed[own]):
            continue
        total = spread_row(state.block, person, state.row)
        here = joining_cost(state.row, total, clusters, own, fill, nowhere)
        to, price = cheapest_other(state, total, clusters, own, fill, here, person)
        clear_row(state.block, person, state.row)
        if to >= 0:
            group[person] = to
            size[own] -= 1
            size[to] += 1
            cost[own] -= here
            cost[to] += price
            moved += 1
    return moved


def settle_clusters(
    state: State, is_changed: np.ndarray, clusters: Clusters, k: int, fill: bool, room: Settling, settled: Clusters
) -> None:
    """Settles open clusters that changed anew, if that is cheaper; fills `settled`, which is as `clusters`."""
    members, at = np.empty(state.block.people, np.int64), np.zeros(1, np.int64)
    for steps in up_to(at, state.is_open.size):
        _settle_clusters(steps, at, state, is_changed, clusters, int(k), bool(fill), room, settled, members)


@kernel
def _settle_clusters(steps, at, state, is_changed, clusters, k, fill, room, settled, members):
    """Goes on until so many people were settled, from cluster at[0] on."""
    block, (_, first, follow, cost), bounds = state.block, state.groups, state.bounds
    indptr, issues, low, high, least, most = settled
    none = np.int64(0)
    while at[0] < first.size and steps > 0:
        c = at[0]
        at[0] += 1
        steps -= 1
        filled = indptr[c + 1] = indptr[c]
        if not state.is_open[c]:
            continue
        if is_changed[c]:
            size = take_members(first, follow, c, members, none)
            steps -= size
            price, stays = settle(block, members, size, k, fill, room)
            if price < cost[c]:
                cost[c] = price
                for i in range(c, bounds.size, first.size):
                    bounds[i] = 0
                for j in range(size):
                    state.is_core[members[j]] = room.is_core[j]
                for s in range(stays):
                    issue = room.kept[s]
                    issues[filled], low[filled], high[filled] = issue, room.low[s], room.high[s]
                    least[filled] = max(room.high[s] - block.reach[issue], 0) - block.null[issue]
                    most[filled] = room.low[s] + block.reach[issue] - block.null[issue]
                    filled += 1
                indptr[c + 1] = filled
                continue
        for i in range(clusters[0][c], clusters[0][c + 1]):
            issues[filled], low[filled], high[filled] = clusters[1][i], clusters[2][i], clusters[3][i]
            least[filled], most[filled] = clusters[4][i], clusters[5][i]
            filled += 1
        indptr[c + 1] = filled
