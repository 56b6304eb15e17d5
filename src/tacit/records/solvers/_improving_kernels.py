"""Kernels that improve groups, step by step, as long as each step loses less and leaves all groups as they must be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.records.solvers._box_kernels import NONE, fits, join, leave, loss_around, rest_of_group
from tacit.records.solvers._forming_kernels import best_group, cost_of_joining

_GAIN = 1e-6


class Improving(NamedTuple):
    """What is known of the steps so far, and room for the next one."""

    changed: np.ndarray  # int64 per group: the round in which it changed last
    tried: np.ndarray  # int64 per group: when it was tried as a whole last
    seen: np.ndarray  # int64 per group, and a number more: see `best_group`
    here: np.ndarray  # int32, 2 × attributes × 2: what a group is without a unit
    there: np.ndarray  # the same, of another group
    members: np.ndarray  # int32 per unit: those that a step moves
    source: np.ndarray  # int32: where they came from


@inner
def _best_exchange(measure, units, groups, near, k, met, diverse, close, u, here, there):
    """The unit near u that it had best change places with; −1 if with none. `here` is the rest of u's group."""
    best, best_cost, g = NONE, -_GAIN, np.int64(groups.of[u])
    for j in range(near.shape[1]):
        v = np.int64(near[u, j])
        if v < 0:
            break
        h, more = np.int64(groups.of[v]), units.weight[v] - units.weight[u]
        if h == g or groups.size[h] == units.weight[v]:
            continue
        cost = -groups.size[g] * groups.loss[g] - groups.size[h] * groups.loss[h]
        for turn in range(2):  # v into the group of u, then u into that of v
            rest, size, comes = here, groups.size[g] + more, v
            if turn == 1:
                rest_of_group(measure, units, groups, v, there)
                rest, size, comes = there, groups.size[h] - more, u
            enough = np.float32((best_cost - cost) / size)
            cost += size * loss_around(measure, rest, np.int64(0), units.box, comes, enough)
            if cost >= best_cost:
                break
        for turn in range(2):
            if cost < best_cost:
                where, goes, comes = (g, u, v) if turn == 0 else (h, v, u)
                if not fits(units, groups, k, met, diverse, close, where, NONE, goes, comes):
                    cost = np.inf
        if cost < best_cost:
            best, best_cost = v, cost
    return best


@inner
def _move(measure, units, groups, near, k, met, diverse, close, u, room):
    """Moves unit u to a better group, or exchanges it with another unit; gives that group, −1 if there is none."""
    g = np.int64(groups.of[u])
    rest = groups.size[g] - units.weight[u]
    if rest == 0:
        return NONE
    gain = groups.size[g] * groups.loss[g] - rest * rest_of_group(measure, units, groups, u, room.here)
    h, v = NONE, NONE
    if fits(units, groups, k, met, diverse, close, g, NONE, u, NONE):
        h, _ = best_group(measure, units, groups, near, k, met, diverse, close, u, g, gain - _GAIN, room.seen)
    if h < 0:
        v = _best_exchange(measure, units, groups, near, k, met, diverse, close, u, room.here, room.there)
        if v < 0:
            return NONE
        h = np.int64(groups.of[v])
    for turn in range(2):
        goes = u if turn == 0 else v
        if goes >= 0:
            leave(measure, units, groups, goes, room.here)
    for turn in range(2):
        comes, to = (u, h) if turn == 0 else (v, g)
        if comes >= 0:
            join(measure, units, groups, to, comes)
    return h


@inner
def _moved(measure, units, groups, u, to, rest):
    """Takes unit u out of its group and puts it into another."""
    leave(measure, units, groups, u, rest)
    join(measure, units, groups, to, u)


@inner
def _dissolve(measure, units, groups, near, k, met, diverse, close, g, room):
    """Gives up group g if its members cost less elsewhere; gives how many `members` there were, −1 if it stays."""
    members, n, before, v = room.members, 0, groups.size[g] * groups.loss[g], groups.first[g]
    while v >= 0:
        members[n] = v
        n, v = n + 1, groups.after[v]
    for really in range(2):  # first as if each were the only one to move: that costs less than to move all
        cost, placed = 0.0, 0
        while placed < n:
            u = np.int64(members[placed])
            below = before - _GAIN - cost
            h, more = best_group(measure, units, groups, near, k, met, diverse, close, u, g, below, room.seen)
            if h < 0:
                break
            cost += more
            if really:
                _moved(measure, units, groups, u, h, room.here)
            placed += 1
        if placed < n:
            if really:
                for j in range(placed):
                    _moved(measure, units, groups, np.int64(members[j]), g, room.here)
            return -1
    return n


@inner
def _found(measure, units, groups, near, k, met, diverse, close, seed, g, room):
    """Founds group g of units near the seed that can leave their groups; gives how many, −1 if that costs more."""
    members, source = room.members, room.source
    n, gain, v, is_whole = 0, 0.0, seed, False
    while v >= 0:
        home = np.int64(groups.of[v])
        members[n], source[n] = v, home
        gain += groups.size[home] * groups.loss[home]
        _moved(measure, units, groups, v, g, room.here)
        gain -= groups.size[home] * groups.loss[home]
        n, v, is_whole = n + 1, NONE, fits(units, groups, k, met, diverse, close, g, NONE, NONE, NONE)
        if is_whole:
            break
        best_cost = np.inf
        for j in range(near.shape[1]):
            u = np.int64(near[seed, j])
            if u < 0:
                break
            home = np.int64(groups.of[u])
            if home == g or not fits(units, groups, k, met, diverse, close, home, NONE, u, NONE):
                continue
            rest = groups.size[home] - units.weight[u]
            cost = cost_of_joining(measure, units, groups, g, u, np.inf) - groups.size[home] * groups.loss[home]
            cost += rest * rest_of_group(measure, units, groups, u, room.here)
            missing, brings = k - groups.size[g], units.weight[u]
            cost /= missing if 0 < missing < brings else brings
            if cost < best_cost:
                v, best_cost = u, cost
    if is_whole and groups.size[g] * groups.loss[g] < gain - _GAIN:
        return n
    for j in range(n):
        _moved(measure, units, groups, np.int64(members[j]), np.int64(source[j]), room.here)
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
def improve(steps, at, measure, units, groups, near, k, met, diverse, close, order, now, room):
    """A round over the units of an order, three times: moves and exchanges, groups given up, groups founded.

    `now` is the number of the round, at[0] the place in the order three times over; no group below at[1] is empty.
    """
    i, empty = at[0], at[1]
    while i < 3 * order.size and steps > 0:
        kind_of_step, u = i // order.size, np.int64(order[i % order.size])
        i += 1
        steps -= 1
        stamp = 3 * now + kind_of_step
        g, n, h = np.int64(groups.of[u]), 0, NONE
        if groups.loss[g] == 0 or room.tried[g] == stamp or _is_settled(groups, near, u, room.changed, now - 1):
            continue
        steps -= near.shape[1]
        if kind_of_step == 0:
            h = _move(measure, units, groups, near, k, met, diverse, close, u, room)
        elif kind_of_step == 1:
            room.tried[g] = stamp
            steps -= near.shape[1] * groups.size[g]
            n = _dissolve(measure, units, groups, near, k, met, diverse, close, g, room)
        elif fits(units, groups, k, met, diverse, close, g, NONE, u, NONE):
            room.tried[g] = stamp
            while empty < groups.size.size and groups.size[empty] > 0:
                empty += 1
            if empty == groups.size.size:
                i = 3 * order.size
                break
            steps -= near.shape[1] * k
            n = _found(measure, units, groups, near, k, met, diverse, close, u, empty, room)
        if h >= 0:
            room.changed[h] = now
        if h >= 0 or n > 0:
            room.changed[g] = now
        for j in range(n):
            room.changed[groups.of[room.members[j]]] = now
            if kind_of_step == 2:
                room.changed[room.source[j]] = now
    at[0], at[1] = i, empty
