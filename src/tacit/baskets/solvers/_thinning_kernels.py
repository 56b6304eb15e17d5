"""Kernels of thinning: goes through baskets and counts the sets of nodes that those which stay hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._labelled import sort
from tacit.baskets.solvers._room import DONE, GO_ON, ROOM

BITS = 20
"""Of a node's code, so that three of them are one key."""
_MOST_SETS = 1 << 14  # of a basket; one that has more is not looked at, and stays


class Counts(NamedTuple):
    """How many people of the baskets that stay hold each set of nodes, and each leaf."""

    key: np.ndarray  # 0: a free slot
    people: np.ndarray
    of_leaf: np.ndarray
    nodes: np.ndarray  # room for those of a basket
    state: np.ndarray  # the next basket, slots that are used


@inner
def _slot(key, table):
    """Where a key is, or the free slot where it belongs."""
    mask = np.uint64(table.size - 1)
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    at = (mixed ^ (mixed >> np.uint64(32))) & mask
    while table[at] != np.uint64(0) and table[at] != key:
        at = (at + np.uint64(1)) & mask
    return at


@kernel
def moved(key, people, new_key, new_people):
    """Puts all that is counted into larger tables."""
    for i in range(key.size):
        if key[i] != np.uint64(0):
            at = _slot(key[i], new_key)
            new_key[at] = key[i]
            new_people[at] = people[i]


@inner
def _stand_ins(begin, stop, items, rule, nodes):
    """Writes the stand-ins of a basket, in order, each once and none above another; how many they are."""
    n = 0
    for j in range(begin, stop):
        node = rule.stand_in[items[j]]
        if node >= 0 and (n == 0 or nodes[n - 1] != node):
            nodes[n] = node
            n += 1
    sort(nodes, np.int64(0), n)
    lowest = 0
    for i in range(n):
        if i + 1 == n or nodes[i + 1] >= rule.end[nodes[i]]:
            nodes[lowest] = nodes[i]
            lowest += 1
    return lowest


@inner
def _sets(n, m, k, weight, nodes, counts, counting):
    """Whether fewer than k people hold some of a basket's sets; `counting` adds its people to all of them."""
    shift, one = np.uint64(BITS), np.uint64(1)
    thirds = n if m > 2 and n > 2 else 1
    for a in range(n):
        first = (np.uint64(nodes[a]) + one) << shift
        for b in range(a + 1, n):
            pair = (first | (np.uint64(nodes[b]) + one)) << shift
            for c in range(b + 1 if thirds > 1 else 0, thirds):
                key = pair | (np.uint64(nodes[c]) + one) if thirds > 1 else pair
                at = _slot(key, counts.key)
                if not counting:
                    if counts.people[at] < k:
                        return True
                    continue
                if counts.key[at] != key:
                    counts.key[at] = key
                    counts.state[1] += 1
                counts.people[at] += weight
    return False


@kernel
def thin(steps, baskets, rule, counts, stays):
    """Goes on with so many sets of nodes; says whether it is done, or needs room."""
    order, indptr, items, weight = baskets
    while counts.state[0] < order.size:
        if steps <= 0:
            return GO_ON
        t = order[counts.state[0]]
        begin, stop = indptr[t], indptr[t + 1]
        n = _stand_ins(begin, stop, items, rule, counts.nodes) if rule.m > 1 else 0
        of_basket = n * (n - 1) // 2
        if rule.m > 2 and n > 2:
            of_basket = of_basket * (n - 2) // 3
        steps -= 1 + of_basket // 8
        if of_basket > _MOST_SETS:
            stays[t] = True
            counts.state[0] += 1
            continue
        if 2 * (counts.state[1] + of_basket) > counts.key.size:
            return ROOM
        is_new = _sets(n, rule.m, rule.k, weight[t], counts.nodes, counts, False)
        for j in range(begin, stop):
            is_new |= counts.of_leaf[items[j]] < rule.k
        if is_new:
            stays[t] = True
            for j in range(begin, stop):
                counts.of_leaf[items[j]] += weight[t]
            _sets(n, rule.m, rule.k, weight[t], counts.nodes, counts, True)
        counts.state[0] += 1
    return DONE
