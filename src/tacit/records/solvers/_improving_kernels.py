"""Kernels that improve groups, step by step, as long as each step loses less and leaves all groups as they must be.

A step is about two groups. Whether it pays hangs on these alone, so nobody looks again at what has not changed since.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel, part, within
from tacit.records.solvers._box_kernels import (
    NONE,
    fits,
    join,
    leave,
    loss_around,
    loss_exchanged,
    loss_without,
    n_sensitive,
    span_without,
)
from tacit.records.solvers._forming_kernels import best_group, cost_of_joining

_GAIN = 1e-6
_UNKNOWN = np.float32(-1)


class Improving(NamedTuple):
    """What is known of the steps so far, and room for the next one. Times are counted in changes."""

    changed: np.ndarray  # int64 per group: when it changed last
    looked: np.ndarray  # int64 per unit: when all steps it could take were looked at last
    tried: np.ndarray  # int64 per group: in which round it was tried as a whole last
    rest: np.ndarray  # float32 per unit: the loss of its group without it, −1 if that is not known
    now: np.ndarray  # int64: the time
    members: np.ndarray  # int32 per unit: those that a step moves
    source: np.ndarray  # int32: where they came from
    without: np.ndarray  # int32, 1 × attributes × 2: the box of a group without the unit that looks for a better one


@inner
def _rest(measure, box, weight, groups, u, rest):
    """The loss of the group of unit u without u."""
    if rest[u] < 0:
        g = np.int64(groups.of[u])
        alone = groups.size[g] == weight[u]
        rest[u] = np.float32(0) if alone else loss_without(measure, box, groups.box, g, u)
    return rest[u]


@inner
def _forget_rests(v, after, rest):
    """The group of v and those after it is another one now: what its members leave behind is not known."""
    while v >= 0:
        rest[v] = _UNKNOWN
        v = after[v]


@inner
def _moved(measure, box, weight, groups, u, to, rest):
    """Takes unit u out of its group and puts it into another."""
    home = np.int64(groups.of[u])
    leave(measure, box, weight, groups, u)
    join(measure, box, weight, groups, to, u)
    _forget_rests(groups.first[home], groups.after, rest)
    _forget_rests(groups.first[to], groups.after, rest)


@inner
def _are_alike(units, met, diverse, close, u, v):
    """Whether one unit in place of the other changes nothing but the values that are generalized."""
    if units.weight[u] != units.weight[v]:
        return False
    if met is not None and units.person[u] != units.person[v]:
        return False
    if diverse is None and close is None:
        return True
    for s in range(units.sensitive.shape[1]):  # noqa: SIM110 (Numba has no any())
        if units.sensitive[u, s] != units.sensitive[v, s]:
            return False
    return True


@within
def _cost_of_exchange(measure, units, groups, k, met, diverse, close, u, v, below, rests, without):
    """What all records lose more if u and v change places; any number from `below` on if it is not below that.

    Neither group loses less than it does without the unit that leaves it. The box of u's is known without u.
    """
    g, h, more = np.int64(groups.of[u]), np.int64(groups.of[v]), units.weight[v] - units.weight[u]
    size, other_size = groups.size[g] + more, groups.size[h] - more
    rest = _rest(measure, units.box, units.weight, groups, v, rests)
    before = groups.size[g] * groups.loss[g] + groups.size[h] * groups.loss[h]
    cost = other_size * rest - before
    if cost + size * rests[u] >= below:
        return below
    enough = np.float32((below - cost) / size)
    cost = size * loss_around(measure, without, NONE + 1, units.box, v, enough) - before
    if cost + other_size * rest >= below:
        return below
    enough = np.float32((below - cost) / other_size)
    cost += other_size * loss_exchanged(measure, units.box, groups.box, h, v, u, enough)
    if cost >= below or _are_alike(units, met, diverse, close, u, v):
        return cost
    for turn in range(2):
        where, goes, comes = (g, u, v) if turn == 0 else (h, v, u)
        if not fits(units, groups, k, met, diverse, close, where, NONE, goes, comes):
            return below
    return cost


@inner
def _has_looked(near, u, v, since, looked):
    """Whether v has looked at what it could do with its neighbour u since some time, and found nothing."""
    if looked[v] < since:
        return False
    for j in range(near.shape[1]):  # noqa: SIM110 (Numba has no any())
        if near[v, j] == u:
            return True
    return False


@part
def _move(measure, units, groups, near, k, met, diverse, close, u, block, room):
    """Moves unit u to a better group, or exchanges it with another unit, whatever gains more; whether it did."""
    g, best_group_, best_unit, best_cost, all_seen = np.int64(groups.of[u]), NONE, NONE, -_GAIN, True
    size, rest = groups.size[g] - units.weight[u], _rest(measure, units.box, units.weight, groups, u, room.rest)
    if size == 0:
        return False
    gain, can_leave, unknown = groups.size[g] * groups.loss[g] - size * rest, False, True
    block.look[0] += 1
    for j in range(near.shape[1]):
        v = np.int64(near[u, j])
        if v < 0:
            break
        h = np.int64(groups.of[v])
        if h < 0 or block.owner[h] != block.number:  # another thread may just be moving it
            all_seen = False
            continue
        since = room.changed[g] if room.changed[g] > room.changed[h] else room.changed[h]
        if h == g or since <= room.looked[u]:
            continue
        if unknown:
            for a in range(measure.shape.shape[0]):
                low, high = span_without(measure.shape, units.box, groups.box, g, a, u)
                room.without[0, a, 0], room.without[0, a, 1] = low, high
            can_leave, unknown = fits(units, groups, k, met, diverse, close, g, NONE, u, NONE), False
        if can_leave and block.seen[h] != block.look[0]:
            block.seen[h] = block.look[0]
            cost = cost_of_joining(measure, units.box, units.weight, groups, h, u, best_cost + gain) - gain
            if cost < best_cost and (
                n_sensitive(units, diverse, close) == 0 or fits(units, groups, k, met, diverse, close, h, NONE, NONE, u)
            ):
                best_group_, best_unit, best_cost = h, NONE, cost
        if groups.size[h] > units.weight[v] and not _has_looked(near, u, v, since, room.looked):
            rests, without = room.rest, room.without
            cost = _cost_of_exchange(measure, units, groups, k, met, diverse, close, u, v, best_cost, rests, without)
            if cost < best_cost:
                best_group_, best_unit, best_cost = h, v, cost
    if best_group_ < 0:
        if all_seen:
            room.looked[u] = room.now[0]
        return False
    room.now[0] += 1
    if best_unit >= 0:
        _moved(measure, units.box, units.weight, groups, best_unit, g, room.rest)
    _moved(measure, units.box, units.weight, groups, u, best_group_, room.rest)
    room.changed[g] = room.changed[best_group_] = room.now[0]
    return True


@part
def _dissolve(measure, units, groups, near, k, met, diverse, close, g, block, room):
    """Gives up group g if its members cost less elsewhere; gives how many `members` there were, 0 if it stays."""
    members, n, before, v = room.members, 0, groups.size[g] * groups.loss[g], groups.first[g]
    while v >= 0:
        members[n] = v
        n, v = n + 1, groups.after[v]
    for really in range(2):  # first as if each were the only one to move: that costs less than to move all
        cost, placed = 0.0, 0
        while placed < n:
            u = np.int64(members[placed])
            below = before - _GAIN - cost
            h, more = best_group(measure, units, groups, near, k, met, diverse, close, u, g, below, block)
            if h < 0:
                break
            cost += more
            if really:
                _moved(measure, units.box, units.weight, groups, u, h, room.rest)
            placed += 1
        if placed < n:
            if really:
                for j in range(placed):
                    _moved(measure, units.box, units.weight, groups, np.int64(members[j]), g, room.rest)
            return 0
    return n


@part
def _found(measure, units, groups, near, k, met, diverse, close, seed, g, block, room):
    """Founds group g of units near the seed that can leave their groups; gives how many, 0 if that costs more."""
    members, source = room.members, room.source
    n, gain, v, is_whole = 0, 0.0, seed, False
    while v >= 0:
        home = np.int64(groups.of[v])
        members[n], source[n] = v, home
        gain += groups.size[home] * groups.loss[home]
        _moved(measure, units.box, units.weight, groups, v, g, room.rest)
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
            if home < 0 or home == g or block.owner[home] != block.number:
                continue
            if not fits(units, groups, k, met, diverse, close, home, NONE, u, NONE):
                continue
            rest = groups.size[home] - units.weight[u]
            cost = cost_of_joining(measure, units.box, units.weight, groups, g, u, np.inf)
            cost -= groups.size[home] * groups.loss[home]
            cost += rest * _rest(measure, units.box, units.weight, groups, u, room.rest)
            missing, brings = k - groups.size[g], units.weight[u]
            cost /= missing if 0 < missing < brings else brings
            if cost < best_cost:
                v, best_cost = u, cost
    if is_whole and groups.size[g] * groups.loss[g] < gain - _GAIN:
        return n
    for j in range(n):
        _moved(measure, units.box, units.weight, groups, np.int64(members[j]), np.int64(source[j]), room.rest)
    return 0


@inner
def _is_settled(of, near, u, since, number, owner, changed):
    """Whether no group of the block has changed near u since some time."""
    if changed[of[u]] >= since:
        return False
    for j in range(near.shape[1]):
        h = of[near[u, j]] if near[u, j] >= 0 else np.int32(-1)
        if h >= 0 and owner[h] == number and changed[h] >= since:
            return False
    return True


@kernel
def improve(steps, at, measure, units, groups, near, k, met, diverse, close, order, turn, since, block, room):
    """A round over the units of a block, three times: moves and exchanges, groups given up, groups founded.

    `turn` is the number of the round, `since` the time before which what changed was looked at. at[0] is the place in
    the order three times over. Groups have the numbers of the block's units; none of those before at[1] is free.
    """
    i, slot = at[0], at[1]
    while i < 3 * order.size and steps > 0:
        kind_of_step, u = i // order.size, np.int64(order[i % order.size])
        i += 1
        steps -= 1
        stamp, g, n = 3 * turn + kind_of_step, np.int64(groups.of[u]), 0
        if block.owner[g] != block.number or groups.loss[g] == 0:
            continue
        if kind_of_step == 0:
            steps -= near.shape[1]
            _move(measure, units, groups, near, k, met, diverse, close, u, block, room)
            continue
        if room.tried[g] == stamp or _is_settled(groups.of, near, u, since, block.number, block.owner, room.changed):
            continue
        if kind_of_step == 1:
            room.tried[g] = stamp
            steps -= near.shape[1] * groups.size[g]
            n = _dissolve(measure, units, groups, near, k, met, diverse, close, g, block, room)
        elif fits(units, groups, k, met, diverse, close, g, NONE, u, NONE):
            room.tried[g] = stamp
            while slot < order.size and (block.owner[order[slot]] != block.number or groups.size[order[slot]] > 0):
                slot += 1
            if slot == order.size:
                i = 3 * order.size
                break
            steps -= near.shape[1] * k
            n = _found(measure, units, groups, near, k, met, diverse, close, u, np.int64(order[slot]), block, room)
        room.now[0] += n > 0
        for j in range(n):
            room.changed[groups.of[room.members[j]]] = room.now[0]
            room.changed[g if kind_of_step == 1 else room.source[j]] = room.now[0]
    at[0], at[1] = i, slot
