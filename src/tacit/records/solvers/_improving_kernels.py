"""Kernels that improve groups, step by step, as long as each step loses less and leaves all groups as they must be."""

from __future__ import annotations

import numpy as np

from tacit.records.solvers._box_kernels import fits, inner, join, kernel, leave, loss_around, rest_of_group
from tacit.records.solvers._forming_kernels import best_group, cost_of_joining, lost

_GAIN = 1e-6


@inner
def _best_exchange(measure, units, groups, near, need, u, here, there):
    """The unit near u that it had best change places with; −1 if with none. `here` is the rest of u's group."""
    best, best_cost, g = -1, -_GAIN, groups.of[u]
    for j in range(near.shape[1]):
        v = near[u, j]
        if v < 0:
            break
        h, more = groups.of[v], units.weight[v] - units.weight[u]
        if h == g or groups.size[h] == units.weight[v]:
            continue
        cost, size = -lost(groups, g) - lost(groups, h), groups.size[g] + more
        cost += size * loss_around(measure, here, 0, units.box, v, np.float32((best_cost - cost) / size))
        if cost >= best_cost:
            continue
        rest_of_group(measure, units, groups, v, there)
        size = groups.size[h] - more
        cost += size * loss_around(measure, there, 0, units.box, u, np.float32((best_cost - cost) / size))
        if cost < best_cost and fits(units, groups, need, g, u, v) and fits(units, groups, need, h, v, u):
            best, best_cost = v, cost
    return best


@inner
def _move(measure, units, groups, near, need, u, seen, here, there):
    """Moves unit u to a better group, or exchanges it with another unit; gives that group, −1 if there is none."""
    g = groups.of[u]
    rest = groups.size[g] - units.weight[u]
    if rest == 0:
        return -1
    gain = lost(groups, g) - rest * rest_of_group(measure, units, groups, u, here)
    if fits(units, groups, need, g, u, -1):
        h, _ = best_group(measure, units, groups, near, need, u, g, gain - _GAIN, seen)
        if h >= 0:
            leave(measure, units, groups, u, here)
            join(measure, units, groups, h, u)
            return h
    v = _best_exchange(measure, units, groups, near, need, u, here, there)
    if v < 0:
        return -1
    h = groups.of[v]
    leave(measure, units, groups, u, here)
    leave(measure, units, groups, v, here)
    join(measure, units, groups, h, u)
    join(measure, units, groups, g, v)
    return h


@inner
def _dissolve(measure, units, groups, near, need, g, seen, here, members):
    """Gives up group g if its members cost less elsewhere; gives how many `members` there were, −1 if it stays."""
    n, before, v = 0, lost(groups, g), groups.first[g]
    while v >= 0:
        members[n] = v
        n, v = n + 1, groups.after[v]
    for really in range(2):  # first as if each were the only one to move: that costs less than to move all
        cost, placed = 0.0, 0
        while placed < n:
            h, more = best_group(measure, units, groups, near, need, members[placed], g, before - _GAIN - cost, seen)
            if h < 0:
                break
            cost += more
            if really:
                leave(measure, units, groups, members[placed], here)
                join(measure, units, groups, h, members[placed])
            placed += 1
        if placed < n:
            if really:
                for j in range(placed):
                    leave(measure, units, groups, members[j], here)
                    join(measure, units, groups, g, members[j])
            return -1
    return n


@inner
def _found(measure, units, groups, near, need, seed, g, here, members, source):
    """Founds group g of units near the seed that can leave their groups; gives how many, −1 if that costs more."""
    n, gain, v, is_whole = 0, 0.0, seed, False
    while v >= 0:
        home = groups.of[v]
        members[n], source[n] = v, home
        gain += lost(groups, home)
        leave(measure, units, groups, v, here)
        gain -= lost(groups, home)
        join(measure, units, groups, g, v)
        n, v, is_whole = n + 1, -1, fits(units, groups, need, g, -1, -1)
        if is_whole:
            break
        best_cost = np.inf
        for j in range(near.shape[1]):
            u = near[seed, j]
            if u < 0:
                break
            home = groups.of[u]
            if home == g or not fits(units, groups, need, home, u, -1):
                continue
            rest = groups.size[home] - units.weight[u]
            cost = cost_of_joining(measure, units, groups, g, u, np.inf) - lost(groups, home)
            cost += rest * rest_of_group(measure, units, groups, u, here)
            missing = need.k - groups.size[g]
            cost /= min(units.weight[u], missing) if missing > 0 else units.weight[u]
            if cost < best_cost:
                v, best_cost = u, cost
    if is_whole and lost(groups, g) < gain - _GAIN:
        return n
    for j in range(n):
        leave(measure, units, groups, members[j], here)
        join(measure, units, groups, source[j], members[j])
    return -1


@inner
def _is_settled(groups, near, u, changed, since):
    """Whether nothing has changed near u since a round."""
    if changed[groups.of[u]] >= since:
        return False
    for j in range(near.shape[1]):  # noqa: SIM110 (Numba has no any())
        if near[u, j] >= 0 and changed[groups.of[near[u, j]]] >= since:
            return False
    return True


@kernel
def improve(measure, units, groups, near, need, order, seen, changed, now, rest, there, members, source, tried):
    """One round over the units of an order: moves and exchanges, groups given up, groups founded; gives the steps.

    `changed` has for each group the round in which it changed last, `now` is this one; what follows is scratch.
    """
    steps, empty = 0, 0
    for kind_of_step in range(3):
        stamp = 3 * now + kind_of_step
        for u in order:
            g, n, h = groups.of[u], 0, -1
            if groups.loss[g] == 0 or tried[g] == stamp or _is_settled(groups, near, u, changed, now - 1):
                continue
            if kind_of_step == 0:
                h = _move(measure, units, groups, near, need, u, seen, rest, there)
            elif kind_of_step == 1:
                tried[g] = stamp
                n = _dissolve(measure, units, groups, near, need, g, seen, rest, members)
            elif fits(units, groups, need, g, u, -1):
                tried[g] = stamp
                while empty < groups.size.size and groups.size[empty] > 0:
                    empty += 1
                if empty == groups.size.size:
                    break
                n = _found(measure, units, groups, near, need, u, empty, rest, members, source)
            if h >= 0:
                changed[h] = now
            if h >= 0 or n > 0:
                changed[g] = now
                steps += 1
            for j in range(n):
                changed[groups.of[members[j]]] = now
                if kind_of_step == 2:
                    changed[source[j]] = now
    return steps
