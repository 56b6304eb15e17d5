"""Kernels that form groups: around units with near neighbours first; what is left over goes where it costs least."""

from __future__ import annotations

import numpy as np

from tacit.records.solvers._box_kernels import (
    DISTINCT,
    NEVER,
    fit_together,
    fits,
    inner,
    join,
    kernel,
    leave,
    loss_around,
)


@inner
def lost(groups, g):
    """Loss of all records of group g."""
    return groups.size[g] * groups.loss[g]


@inner
def cost_of_joining(measure, units, groups, g, u, below):
    """How much all records lose more if unit u joins group g; any number from `below` on if it is not below that."""
    size, before = groups.size[g] + units.weight[u], lost(groups, g)
    return size * loss_around(measure, groups.box, g, units.box, u, np.float32((below + before) / size)) - before


@inner
def best_group(measure, units, groups, near, need, u, unlike, below, seen):
    """Of the groups of units near u the one where u costs least, and the cost.

    −1 if none but `unlike` can take it for less than `below`. `seen` notes which groups were looked at; its last
    number is that of this look.
    """
    best, best_cost = -1, below
    seen[-1] += 1
    for j in range(near.shape[1]):
        if near[u, j] < 0:
            break
        g = groups.of[near[u, j]]
        if g < 0 or g == unlike or seen[g] == seen[-1]:
            continue
        seen[g] = seen[-1]
        cost = cost_of_joining(measure, units, groups, g, u, best_cost)
        if cost < best_cost and (units.secret.shape[1] == 0 or fits(units, groups, need, g, -1, u)):
            best, best_cost = g, cost
    return best, best_cost


@inner
def _helps(units, groups, need, g, v):
    """Whether unit v makes group g no less diverse than it may be at its size."""
    now = groups.size[g] + units.weight[v]
    size = max(need.k, now)
    for s in range(units.secret.shape[1]):
        count, u = 0, groups.first[g]
        while u >= 0:
            if units.secret[u, s] == units.secret[v, s]:
                count += units.weight[u]
            u = groups.after[u]
        if need.kind == DISTINCT:
            if count > 0 and now + need.l > size + 1:
                return False
        elif (count + units.weight[v]) * need.l > size:
            return False
    return True


@inner
def _next_member(measure, units, groups, near, need, seed, g, nearest_to_seed):
    """The free unit near the seed that costs group g least for what it brings; one that helps diversity if any."""
    best, best_cost, best_helps = -1, np.inf, False
    for j in range(near.shape[1]):
        v = near[seed, j]
        if v < 0:
            break
        if groups.of[v] >= 0:
            continue
        helps = _helps(units, groups, need, g, v)
        if best_helps and (nearest_to_seed or not helps):
            continue
        missing = need.k - groups.size[g]
        brings = min(units.weight[v], missing) if missing > 0 else units.weight[v]
        cost = j if nearest_to_seed else cost_of_joining(measure, units, groups, g, v, np.inf) / brings
        if helps > best_helps or cost < best_cost:
            best, best_cost, best_helps = v, cost, helps
    return best


@kernel
def form_groups(measure, units, groups, near, need, order, nearest_to_seed, settle, rest, seen):
    """Groups around the units of an order. Units whose neighbours do not suffice stay without one.

    With `nearest_to_seed` a group takes the units nearest to its first one, otherwise those that fit all of it best.
    With `settle` units left over join the best of their neighbours' groups, if one can take them.
    """
    g = 0
    for seed in order:
        if groups.of[seed] >= 0:
            continue
        within_reach = units.weight[seed]
        for j in range(near.shape[1]):
            if near[seed, j] >= 0 and groups.of[near[seed, j]] < 0:
                within_reach += units.weight[near[seed, j]]
        if within_reach < need.k:
            continue
        while groups.size[g] > 0:
            g += 1
        v, is_whole = seed, False
        while v >= 0:
            join(measure, units, groups, g, v)
            is_whole = fits(units, groups, need, g, -1, -1)
            v = -1 if is_whole else _next_member(measure, units, groups, near, need, seed, g, nearest_to_seed)
        while not is_whole and groups.first[g] >= 0:
            leave(measure, units, groups, groups.first[g], rest)
    for u in order:
        if settle and groups.of[u] < 0:
            g, _ = best_group(measure, units, groups, near, need, u, -1, np.inf, seen)
            if g >= 0:
                join(measure, units, groups, g, u)


@kernel
def put_into_groups(measure, units, groups, group_of_unit):
    """Puts units into the groups of these numbers (−1: none)."""
    for u in range(group_of_unit.size):
        if group_of_unit[u] >= 0:
            join(measure, units, groups, group_of_unit[u], u)


@kernel
def merge_unfit(measure, units, groups, need, waiting, candidates, effort):
    """Merges groups that are not what they must be with others, until they are.

    That is one with which they are it, if one is found: of these the one that loses least by it. It is looked for by
    counting the sensitive values of no more than `effort` records.
    """
    for g in waiting:
        while groups.size[g] > 0 and not fits(units, groups, need, g, -1, -1):
            best, best_cost, best_fits, counted = -1, np.inf, False, 0
            for h in candidates:
                if h == g or groups.size[h] == 0:
                    continue
                size = groups.size[g] + groups.size[h]
                cost = size * loss_around(measure, groups.box, g, groups.box, h, NEVER) - lost(groups, h)
                if best_fits and cost >= best_cost:
                    continue
                fit = counted < effort and fit_together(units, groups, need, g, h, -1, -1)
                counted += size
                if fit > best_fits or (fit == best_fits and cost < best_cost):
                    best, best_cost, best_fits = h, cost, fit
            if best < 0:
                break
            u = groups.first[best]
            groups.first[best], groups.size[best], groups.loss[best] = -1, 0, 0.0
            while u >= 0:
                after = groups.after[u]
                join(measure, units, groups, g, u)
                u = after
