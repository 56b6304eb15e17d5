"""Kernels that form groups: around units with near neighbours first; what is left over goes where it costs least.

Those with `steps` do about so many and keep in `at` where they are; they are called again until all is done.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.records.solvers._box_kernels import DISTINCT, NEVER, NONE, fits, join, lack, loss_around, n_sensitive


class Block(NamedTuple):
    """Units, and groups of them alone, that one thread works on; what it sees of others it leaves as it is."""

    number: int
    owner: np.ndarray  # int32 per group: the number of the block that may change it, -1 if none may
    seen: np.ndarray  # int64 per group: the look at which it was seen last; threads look at groups of their own
    look: np.ndarray  # int64: the number of the last look


@inner
def cost_of_joining(measure, box, weight, groups, g, u, below):
    """How much all records lose more if unit u joins group g; any number from `below` on if it is not below that."""
    size, before = groups.size[g] + weight[u], groups.size[g] * groups.loss[g]
    return size * loss_around(measure, groups.box, g, box, u, np.float32((below + before) / size)) - before


@inner
def best_group(measure, units, groups, near, k, met, diverse, close, u, unlike, below, block):
    """Of the block's groups of units near u the one where u costs least, and the cost.

    −1 if none but `unlike` can take it for less than `below`.
    """
    best, best_cost = NONE, below
    block.look[0] += 1
    look = block.look[0]
    for j in range(near.shape[1]):
        if near[u, j] < 0:
            break
        g = np.int64(groups.of[near[u, j]])
        if g < 0 or g == unlike or block.owner[g] != block.number or block.seen[g] == look:
            continue
        block.seen[g] = look
        cost = cost_of_joining(measure, units.box, units.weight, groups, g, u, best_cost)
        if cost >= best_cost:
            continue
        if n_sensitive(units, diverse, close) == 0 or fits(units, groups, k, met, diverse, close, g, NONE, NONE, u):
            best, best_cost = g, cost
    return best, best_cost


@inner
def _is_there(persons, u, after, person):
    """Whether a person has unit u, or one after it."""
    while u >= 0:
        if persons[u] == person:
            return True
        u = after[u]
    return False


@inner
def _helps(units, groups, k, met, diverse, g, v):
    """Whether unit v brings somebody new to group g, and makes it no less diverse than it may be at its size."""
    if met is not None and _is_there(units.person, groups.first[g], groups.after, units.person[v]):
        return False
    if diverse is None:
        return True
    now = groups.size[g] + units.weight[v]
    size = now if now > k else k
    for s in range(units.sensitive.shape[1]):
        count, u, value = np.int64(0), groups.first[g], np.int64(units.sensitive[v, s])
        if diverse.harmless[s, value]:
            continue
        while u >= 0:
            other = np.int64(units.sensitive[u, s])
            if diverse.reach[s, min(value, other)] > max(value, other):
                count += units.weight[u]
            u = groups.after[u]
        if diverse.kind == DISTINCT:
            if count > 0 and now + diverse.l[s] > size + 1:
                return False
        elif (count + units.weight[v]) * diverse.l[s] > size:
            return False
    return True


@inner
def _next_member(measure, units, groups, near, k, met, diverse, seed, g, nearest_to_seed, block):
    """The free unit near the seed that costs group g least for what it brings; one that helps diversity if any."""
    best, best_cost, best_helps, cost = NONE, np.inf, False, 0.0
    for j in range(near.shape[1]):
        v = np.int64(near[seed, j])
        if v < 0:
            break
        if block.owner[v] != block.number or groups.of[v] >= 0:
            continue
        helps = _helps(units, groups, k, met, diverse, g, v)
        if best_helps and (nearest_to_seed or not helps):
            continue
        if nearest_to_seed:
            cost = np.float64(j)
        else:
            missing, brings = k - groups.size[g], units.weight[v]
            brings = missing if 0 < missing < brings else brings
            cost = cost_of_joining(measure, units.box, units.weight, groups, g, v, np.inf) / brings
        if helps > best_helps or cost < best_cost:
            best, best_cost, best_helps = v, cost, helps
    return best


@kernel
def form_groups(
    steps, at, stop, measure, units, groups, near, k, met, diverse, close, order, slots, nearest_to_seed, block
):
    """Groups around the units of an order. Units whose neighbours do not suffice stay without one.

    With `nearest_to_seed` a group takes the units nearest to its first one, otherwise those that fit all of it best.
    at[0] goes over the order up to `stop`; if that is behind its end, once more: units left over join the best of
    their neighbours' groups, if one can take them. Units and groups of other blocks stay as they are. Groups
    get numbers of `slots`; no group of those before at[1] is empty.
    """
    i, slot = at[0], at[1]
    while i < stop and steps > 0:
        seed = np.int64(order[i % order.size])
        i += 1
        steps -= 1
        if groups.of[seed] >= 0:
            continue
        steps -= near.shape[1]
        if i > order.size:
            h, _ = best_group(measure, units, groups, near, k, met, diverse, close, seed, NONE, np.inf, block)
            if h >= 0:
                join(measure, units.box, units.weight, groups, h, seed)
            continue
        within_reach = units.weight[seed]
        for j in range(near.shape[1]):
            v = np.int64(near[seed, j])
            if v >= 0 and block.owner[v] == block.number and groups.of[v] < 0:
                within_reach += units.weight[v]
        if within_reach < k:
            continue
        while groups.size[slots[slot]] > 0:
            slot += 1
        g = np.int64(slots[slot])
        v, is_whole = seed, False
        while v >= 0:
            join(measure, units.box, units.weight, groups, g, v)
            steps -= near.shape[1]
            is_whole = fits(units, groups, k, met, diverse, close, g, NONE, NONE, NONE)
            v = NONE
            if not is_whole:
                v = _next_member(measure, units, groups, near, k, met, diverse, seed, g, nearest_to_seed, block)
        if not is_whole:
            v = np.int64(groups.first[g])
            groups.first[g], groups.size[g], groups.loss[g] = -1, 0, 0.0
            while v >= 0:
                groups.of[v] = -1
                v = np.int64(groups.after[v])
    at[0], at[1] = i, slot


@kernel
def put_into_groups(measure, box, weight, groups, some, into):
    """Puts some units into the groups of these numbers."""
    for i in range(some.size):
        join(measure, box, weight, groups, into[i], some[i])


@kernel
def find_unfit(start, stop, units, groups, k, met, diverse, close, unfit):
    """Notes which of the groups from `start` up to `stop` are not what they must be."""
    for g in range(start, stop):
        unfit[g] = groups.size[g] > 0 and not fits(units, groups, k, met, diverse, close, g, NONE, NONE, NONE)


@inner
def _merge(measure, box, weight, groups, g, into):
    """Puts all of group g into another."""
    u = np.int64(groups.first[g])
    groups.first[g], groups.size[g], groups.loss[g] = -1, 0, 0.0
    while u >= 0:
        after = np.int64(groups.after[u])
        join(measure, box, weight, groups, into, u)
        u = after


@kernel
def merge_unfit(steps, at, measure, units, groups, k, met, diverse, close, waiting, candidates, effort):
    """Merges groups that are not what they must be with others, until they are; at[0] of those `waiting` are done.

    That is one with which they are it, if one is found: of these the one that loses least by it. It is looked for by
    counting the sensitive values of no more than `effort` records.
    """
    i = at[0]
    while i < waiting.size and steps > 0:
        g = waiting[i]
        steps -= 1 + groups.size[g]
        if groups.size[g] == 0 or fits(units, groups, k, met, diverse, close, g, NONE, NONE, NONE):
            i += 1
            continue
        best, best_cost, best_fits, counted = NONE, np.inf, False, np.int64(0)
        for h in candidates:
            if h == g or groups.size[h] == 0:
                continue
            size = groups.size[g] + groups.size[h]
            cost = size * loss_around(measure, groups.box, g, groups.box, h, NEVER) - groups.size[h] * groups.loss[h]
            if best_fits and cost >= best_cost:
                continue
            fit = counted < effort and fits(units, groups, k, met, diverse, close, g, h, NONE, NONE)
            counted += size
            if fit > best_fits or (fit == best_fits and cost < best_cost):
                best, best_cost, best_fits = h, cost, fit
        steps -= candidates.size + (counted if counted < effort else effort)
        if best < 0:
            i += 1
            continue
        _merge(measure, units.box, units.weight, groups, best, g)
    at[0] = i


@kernel
def merge_with_near(steps, at, measure, units, groups, k, met, diverse, waiting, rows, place, reach, effort):
    """Merges groups that are not diverse with near ones, until they are; at[0] of those `waiting` are done.

    `rows` has the other groups several times over, each time near ones beside each other, and `place` where each group
    stands or would stand. They are looked at from there on: up to `reach` places away, and further until one is found
    with which all is well, or the sensitive values of about `effort` records are counted. Of those with which all is
    well the one that costs least is taken, or else the one that costs least for what it takes off the lack. Who finds
    none that takes anything off it stays as it is.
    """
    i = at[0]
    while i < waiting.size and steps > 0:
        g = np.int64(waiting[i])
        missing = lack(units, groups, k, met, diverse, g, NONE) if groups.size[g] > 0 else 0.0
        steps -= 1 + groups.size[g]
        best, best_price, best_lack, counted, away = NONE, np.inf, np.inf, np.int64(0), 0
        while missing > 0 and counted < effort and away < 2 * (reach if best_lack == 0 else rows.shape[1]):
            step = away // 2 if away % 2 == 0 else -1 - away // 2
            away += 1
            for r in range(rows.shape[0]):
                there = place[r, g] + step
                if there < 0 or there >= rows.shape[1]:
                    continue
                h = np.int64(rows[r, there])
                if h == g or groups.size[h] == 0:
                    continue
                size = groups.size[g] + groups.size[h]
                cost = size * loss_around(measure, groups.box, g, groups.box, h, NEVER)
                cost -= groups.size[h] * groups.loss[h] + groups.size[g] * groups.loss[g]
                if best_lack == 0 and cost >= best_price * missing:
                    continue
                left = lack(units, groups, k, met, diverse, g, h)
                counted += size
                price = cost / (missing - left) if left < missing else np.inf
                if price < best_price if (left == 0) == (best_lack == 0) else left == 0:
                    best, best_price, best_lack = h, price, left
        steps -= rows.shape[0] * away + counted
        if best < 0:
            i += 1
            continue
        _merge(measure, units.box, units.weight, groups, g, best)
        waiting[i] = best
    at[0] = i
