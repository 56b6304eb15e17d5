"""Inner loops over clusters: a core of k − 1 people close to each other, and others close to all of the core.

Nobody of a cluster depends on who else is outside the core, so anybody may join one who rated all that it keeps, and a
cluster may be closed if its people are cheaper off in others. Cluster c keeps issues[indptr[c]:indptr[c + 1]]; the
core's ratings of them lie in [low, high], and those of others in [least, most], which count from "not rated".

What it costs to join a cluster stays the same until the cluster does not. So bounds[p * clusters + c], where there is
room for that, remembers what person p is known to pay at least; 0 if nothing is known.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.ratings.solvers._grouping_kernels import settle
from tacit.ratings.solvers._improving_kernels import take_members

# compiled with tacit.ratings.solvers._improving_kernels 2a7d49eadf46
# compiled with tacit.ratings.solvers._grouping_kernels 8479302ba5a5

NOWHERE = 2**62
"""The cost of joining a cluster that one cannot join."""
_LARGEST_BOUND = 2**31 - 1


@njit(cache=True, nogil=True)
def spread_row(block, person, row):
    """Writes how far above "not rated" a person rated into a row over all issues; returns the sum."""
    total = 0
    for i in range(block.indptr[person], block.indptr[person + 1]):
        row[block.issues[i]] = block.values[i] - block.null[block.issues[i]]
        total += row[block.issues[i]]
    return total


@njit(cache=True, nogil=True)
def clear_row(block, person, row):
    """Makes the row zero again."""
    for i in range(block.indptr[person], block.indptr[person + 1]):
        row[block.issues[i]] = 0


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def cheapest_other(row, total, clusters, is_open, own, fill, limit, bounds, person):
    """The open cluster other than `own` that is cheapest to join below `limit`, and its cost; −1 if there is none."""
    best = -1
    at = person * is_open.size
    for c in range(is_open.size):
        if is_open[c] and c != own and (bounds.size == 0 or bounds[at + c] < limit):
            cost = joining_cost(row, total, clusters, c, fill, limit)
            if bounds.size:
                bounds[at + c] = min(cost, _LARGEST_BOUND)
            if cost < limit:
                best, limit = c, cost
    return best, limit


@njit(cache=True, nogil=True)
def take_in(block, group, first, follow, cost, clusters, is_open, is_core, fill, row, bounds):
    """Whoever is in no cluster (too few to make one) joins the cheapest; False if somebody cannot."""
    for person in range(group.size):
        if group[person] < 0:
            total = spread_row(block, person, row)
            to, price = cheapest_other(row, total, clusters, is_open, -1, fill, NOWHERE, bounds, person)
            clear_row(block, person, row)
            if to < 0:
                return False
            _move(person, to, group, first, follow, is_core)
            cost[to] += price
    return True


@njit(cache=True, nogil=True)
def close_clusters(
    block, group, first, follow, cost, clusters, is_open, is_fixed, is_core, k, fill, row, bounds, order
):
    """Closes each cluster whose people are cheaper off in others, in this order; returns how many were."""
    members = np.empty(group.size, np.int64)
    to, price = np.empty(group.size, np.int64), np.empty(group.size, np.int64)
    closed = 0
    for c in order:
        if not is_open[c] or is_fixed[c]:
            continue
        size = take_members(first, follow, c, members, 0)
        together = 0
        for j in range(size):
            if together >= cost[c]:
                break
            total = spread_row(block, members[j], row)
            limit = cost[c] - together
            to[j], price[j] = cheapest_other(row, total, clusters, is_open, c, fill, limit, bounds, members[j])
            clear_row(block, members[j], row)
            together = NOWHERE if to[j] < 0 else together + price[j]
        if together < cost[c]:
            closed += 1
            is_open[c] = False
            first[c] = -1
            for j in range(size):
                _move(members[j], to[j], group, first, follow, is_core)
                cost[to[j]] += price[j]
            cost[c] = 0
    return closed


@njit(cache=True, nogil=True)
def _move(person, to, group, first, follow, is_core):
    group[person] = to
    is_core[person] = False
    follow[person] = first[to]
    first[to] = person


@njit(cache=True, nogil=True)
def move_others(block, group, first, follow, cost, clusters, is_open, is_fixed, is_core, k, fill, row, bounds):
    """Who is outside a core moves where that is cheaper, if at least k people stay; returns how many moved."""
    size = np.zeros(first.size, np.int64)
    for person in range(group.size):
        if group[person] >= 0:
            size[group[person]] += 1
    moved = 0
    for person in range(group.size):
        own = group[person]
        if own < 0 or is_core[person] or (size[own] <= k and not is_fixed[own]):
            continue
        total = spread_row(block, person, row)
        here = joining_cost(row, total, clusters, own, fill, NOWHERE)
        to, price = cheapest_other(row, total, clusters, is_open, own, fill, here, bounds, person)
        clear_row(block, person, row)
        if to >= 0:
            group[person] = to
            size[own] -= 1
            size[to] += 1
            cost[own] -= here
            cost[to] += price
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def settle_clusters(
    block, first, follow, cost, is_open, is_changed, clusters, k, fill, scratch, settled, is_core, bounds
):
    """Settles open clusters that changed anew, if that is cheaper; fills `settled`, which is as `clusters`."""
    indptr, issues, low, high, least, most = settled
    count, kept, new_low, new_high, in_core = scratch
    members = np.empty(is_core.size, np.int64)
    filled = 0
    for c in range(first.size):
        indptr[c] = filled
        if not is_open[c]:
            continue
        if is_changed[c]:
            size = take_members(first, follow, c, members, 0)
            price, stays = settle(block, members, size, k, fill, count, kept, new_low, new_high, in_core)
            if price < cost[c]:
                cost[c] = price
                for at in range(c, bounds.size, first.size):
                    bounds[at] = 0
                for j in range(size):
                    is_core[members[j]] = in_core[j]
                for s in range(stays):
                    issue = kept[s]
                    issues[filled], low[filled], high[filled] = issue, new_low[s], new_high[s]
                    least[filled] = max(new_high[s] - block.reach[issue], 0) - block.null[issue]
                    most[filled] = new_low[s] + block.reach[issue] - block.null[issue]
                    filled += 1
                continue
        for at in range(clusters[0][c], clusters[0][c + 1]):
            issues[filled], low[filled], high[filled] = clusters[1][at], clusters[2][at], clusters[3][at]
            least[filled], most[filled] = clusters[4][at], clusters[5][at]
            filled += 1
    indptr[first.size] = filled
