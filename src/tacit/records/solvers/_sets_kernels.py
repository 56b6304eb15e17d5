"""Merging of items into sets, cluster after cluster of records; the records that hold an item are bits.

A row is an item, those of a cluster one after another and from the rarest on. A set goes by its lowest row, and what is
not published is in set −1. Of what is too rare that comes first which fewest records hold, the first of equals. Merges
never make that fewer, so one pass mends all that one record holds, the next one all that two hold, and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel, part
from tacit.baskets.solvers._merging import compare_costs
from tacit.records.solvers._cluster_kernels import ones


class Sets(NamedTuple):
    """The rows, and what is known of a set in the row by which it goes."""

    bits: np.ndarray  # uint64, rows × words: which records hold one of its items
    held: np.ndarray  # int64: how many that are
    size: np.ndarray  # int64: how many items it has
    column: np.ndarray  # int32: only sets with the same may be merged
    label: np.ndarray  # int32: the set of each row


# Where the merging is: in which cluster, with sets of how many items, how many of these are too rare, at which of them
# the pass is, whether that one is being mended, how many hold what this pass mends, and what the next one does
CLUSTER, SIZE, RARE, AT, MENDING, PEOPLE, NEXT, STATES = range(8)


@inner
def _both(bits, one, other):
    """How many records hold two sets."""
    people = np.int64(0)
    for w in range(bits.shape[1]):
        people += ones(bits[one, w] & bits[other, w])
    return people


@inner
def _cheapest(sets, mass, start, stop, c):
    """The set with which one is merged at the least cost, the lowest of equals; −1 if there is none."""
    best, best_size, best_cost = -1, np.int64(0), np.int64(0)
    for d in range(start, stop):
        if d == c or sets.label[d] != d or sets.column[d] != sets.column[c]:
            continue
        if mass.size:
            size, cost = np.int64(0), sets.size[c] * mass[d] + sets.size[d] * mass[c]
            is_less = cost < best_cost
        else:
            size, cost = sets.size[c] + sets.size[d], sets.held[c] + sets.held[d] - _both(sets.bits, c, d)
            is_less = best >= 0 and compare_costs(size, cost, best_size, best_cost) < 0
        if best < 0 or is_less:
            best, best_size, best_cost = d, size, cost
    return best


@part
def _put_into(sets, mass, start, stop, c, other):
    """Merges a set into a lower one, or takes it out (−1)."""
    if other >= 0:
        sets.held[other] += sets.held[c] - _both(sets.bits, c, other)
        sets.size[other] += sets.size[c]
        if mass.size:
            mass[other] += mass[c]
        for w in range(sets.bits.shape[1]):
            sets.bits[other, w] |= sets.bits[c, w]
    for i in range(start, stop):
        if sets.label[i] == c:
            sets.label[i] = other


@part
def _mend(sets, mass, start, stop, one, other):
    """Merges the set of two that fewer records hold, or the other one if there is nothing to merge it with; takes it
    out if there is nothing for either."""
    c, d = (one, other) if one < other else (other, one)
    if sets.held[d] < sets.held[c]:
        c, d = d, c
    rarest, partner = c, _cheapest(sets, mass, start, stop, c)
    if partner < 0 and d != c:
        c, partner = d, _cheapest(sets, mass, start, stop, d)
    if partner < 0:
        c = rarest
    low, high = (c, partner) if c < partner else (partner, c)
    _put_into(sets, mass, start, stop, high, low)


@part
def _list_rare(sets, start, stop, k, size, rare):
    """Writes down the sets, or the pairs of sets, that somebody holds, but fewer than k do; how many there are."""
    n = 0
    for i in range(start, stop):
        if sets.label[i] != i:
            continue
        for j in range(i, stop if size == 2 else i + 1):
            if sets.label[j] == j and (i < j or size == 1):
                people = _both(sets.bits, i, j)
                if 0 < people < k:
                    rare[n, 0], rare[n, 1], rare[n, 2] = i, j, people
                    n += 1
    return n


@part
def _people(sets, one, other):
    """How many records hold two sets, or one; nobody holds what is not published."""
    if one < 0 or other < 0:
        return np.int64(0)
    return sets.held[one] if one == other else _both(sets.bits, one, other)


@kernel
def merge_sets(steps, state, starts, stops, k, m, sets, mass, rare):
    """Merges until k records or none hold each set, and for m = 2 any two of them, in each cluster: cluster c has the
    rows from starts[c] to stops[c]. Goes on for about so many steps.

    `mass` is what the occurrences of a set's items weigh, int64: merges are chosen by what these lose. If it is empty,
    they are chosen as COAT does. `rare` has room for two rows, and how many hold them.
    """
    while state[CLUSTER] < starts.size and steps > 0:
        start, stop, at = starts[state[CLUSTER]], stops[state[CLUSTER]], state[AT]
        steps -= 1
        if at < state[RARE]:
            one, other = np.int64(sets.label[rare[at, 0]]), np.int64(sets.label[rare[at, 1]])
            people = np.int64(rare[at, 2])
            if people <= state[PEOPLE]:
                people = _people(sets, one, other)
                steps -= sets.bits.shape[1]
            if 0 < people < k and (people == state[PEOPLE] or state[MENDING]):
                _mend(sets, mass, start, stop, one, other)
                state[MENDING] = 1
                steps -= (stop - start) * sets.bits.shape[1]
            else:
                rare[at, 2] = people if people > 0 else k
                if 0 < people < state[NEXT]:
                    state[NEXT] = people
                state[MENDING] = 0
                state[AT] += 1
            continue
        if state[NEXT] < k:
            state[PEOPLE] = state[NEXT]
        elif state[SIZE] < m:
            state[SIZE] += 1
            state[PEOPLE] = 0
            state[RARE] = _list_rare(sets, start, stop, k, state[SIZE], rare)
            steps -= (stop - start) * (stop - start) * sets.bits.shape[1] // 2
        else:
            state[CLUSTER] += 1
            state[SIZE] = state[RARE] = 0
        state[AT], state[NEXT] = 0, k
