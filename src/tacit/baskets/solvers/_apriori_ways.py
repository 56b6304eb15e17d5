"""The cheapest way to make an itemset safe: which of its items climb the taxonomy, and how far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._room import DONE, GO_ON, ROOM

NEVER = -1  # a label that extends nothing


class Cut(NamedTuple):
    """A cut on its way up the taxonomy."""

    parent: np.ndarray
    end: np.ndarray
    generalize: np.ndarray  # cost of publishing a node
    is_below: np.ndarray  # whether the node is below the cut
    below: np.ndarray  # what the cut publishes at and below a node costs, unless the node is below the cut


class CountTree(NamedTuple):
    """Baskets with all that is above their items: labels in order by basket, and baskets by label."""

    indptr: np.ndarray
    labels: np.ndarray
    weight: np.ndarray  # people
    start: np.ndarray  # of each label's entries in the next two
    basket: np.ndarray
    place: np.ndarray  # where the basket goes on behind the label
    sensitive_indptr: np.ndarray
    sensitive: np.ndarray  # sensitive items by basket; they are no labels
    head: np.ndarray  # room for a chain of places for each sensitive item, empty (−1) between its uses,
    link: np.ndarray  # whose links are by place,
    where: np.ndarray  # like the place in the list of baskets at hand
    node: np.ndarray  # of each label
    label: np.ndarray  # of each node
    visited: np.ndarray  # labels that an itemset to visit may hold; others serve to repair


class Rule(NamedTuple):
    """An itemset is safe if k people hold it and at most one in numerator ÷ denominator of them any sensitive item."""

    k: int
    numerator: int
    denominator: int


@inner
def _is_safe(itemset, size, tree, rule, people_with):
    """Whether the rule holds for labels in rising order; `people_with` is room for a count per sensitive item."""
    rarest = itemset[size - 1]
    people = most = np.int64(0)
    enough = False
    for pass_ in range(2):  # the second one clears the counts
        for e in range(tree.start[rarest], tree.start[rarest + 1]):
            t = tree.basket[e]
            found = 0
            j = tree.indptr[t]
            while found < size - 1 and j < tree.place[e]:
                if tree.labels[j] == itemset[found]:
                    found += 1
                j += 1
            if found < size - 1:
                continue
            people += tree.weight[t]
            if tree.head.size == 0 and people >= rule.k:
                return True
            for p in range(tree.sensitive_indptr[t], tree.sensitive_indptr[t + 1]):
                s = tree.sensitive[p]
                people_with[s] = people_with[s] + tree.weight[t] if pass_ == 0 else 0
                most = max(most, people_with[s])
        if pass_ == 0:
            enough = people >= rule.k and most * rule.numerator <= people * rule.denominator
            if tree.head.size == 0:
                break
    return enough


# A way to generalize an itemset of n labels is a row of 2 + 3n: its cost, the last item that climbed, how many steps
# each item climbs, the nodes that they reach, and whether that node counts: not if another item reaches it too, or
# one above.
@inner
def _weigh(ways, w, size, cut):
    """Fills in which nodes of a way count, and what it costs."""
    ways[w, 0] = 0
    for p in range(size):
        mine, counts = ways[w, 2 + size + p], 1
        for q in range(size):
            other = ways[w, 2 + size + q]
            if (other < mine and mine < cut.end[other]) or (other == mine and q < p):
                counts = 0
        ways[w, 2 + 2 * size + p] = counts
        if counts and ways[w, 2 + p]:
            ways[w, 0] += cut.generalize[mine] - cut.below[mine]


@inner
def _before(ways, a, b, size):
    """The cheaper way first; of equals the one whose first items climb least."""
    if ways[a, 0] != ways[b, 0]:
        return ways[a, 0] < ways[b, 0]
    for p in range(2, 2 + size):
        if ways[a, p] != ways[b, p]:
            return ways[a, p] < ways[b, p]
    return False


@inner
def _push(heap, n, ways, w, size):
    """Adds way w to the n ways of the heap."""
    at = n
    while at > 0 and _before(ways, w, heap[(at - 1) // 2, 0], size):
        heap[at, 0] = heap[(at - 1) // 2, 0]
        at = (at - 1) // 2
    heap[at, 0] = w


@inner
def _pop(heap, n, ways, size):
    """Takes the first of the heap's n ways."""
    first, moved = heap[0, 0], heap[n - 1, 0]
    at = np.int64(0)
    while 2 * at + 1 < n - 1:
        child = 2 * at + 1
        if child + 1 < n - 1 and _before(ways, heap[child + 1, 0], heap[child, 0], size):
            child += 1
        if not _before(ways, heap[child, 0], moved, size):
            break
        heap[at, 0] = heap[child, 0]
        at = child
    heap[at, 0] = moved
    return first


class Ways(NamedTuple):
    """Ways to generalize the itemset at hand, and a heap of those to look at, the first of them on top."""

    ways: np.ndarray
    heap: np.ndarray
    image: np.ndarray  # room for labels
    state: np.ndarray  # how many ways and how many in the heap, and the way that was found


@kernel
def cheapest(steps, itemset, size, tree, cut, rule, to_root, people_with, room):
    """Finds the first way, in the order of `_before`, that makes the itemset safe: its row, −1 if there is none.

    Best first: no way costs less than one on the way to it, for no cost falls on the way up.
    """
    ways, heap, image = room.ways, room.heap, room.image
    n_ways, n_heap = room.state[0], room.state[1]
    if n_ways == 0:
        for column in range(2 + 3 * size):
            ways[0, column] = 0
        for p in range(size):
            ways[0, 2 + size + p] = tree.node[itemset[p]]
        heap[0, 0] = 0
        _weigh(ways, n_ways, size, cut)
        n_ways, n_heap = np.int64(1), np.int64(1)
    while n_heap > 0 and steps > 0 and n_ways + size <= ways.shape[0]:
        w = _pop(heap, n_heap, ways, size)
        n_heap -= 1
        n = np.int64(0)
        for p in range(size):
            if ways[w, 2 + 2 * size + p]:
                y = tree.label[ways[w, 2 + size + p]]
                if y < 0:
                    room.state[2] = w  # the root
                    return DONE
                i = n
                while i > 0 and image[i - 1] > y:
                    image[i] = image[i - 1]
                    i -= 1
                image[i] = y
                n += 1
        steps -= 1 + tree.start[image[n - 1] + 1] - tree.start[image[n - 1]]
        if w > 0 and _is_safe(image, n, tree, rule, people_with):
            room.state[2] = w
            return DONE
        for p in range(ways[w, 1], size):
            up = cut.parent[ways[w, 2 + size + p]]
            if ways[w, 2 + 2 * size + p] and (tree.label[up] >= 0 or to_root):
                for column in range(2 + 2 * size):
                    ways[n_ways, column] = ways[w, column]
                ways[n_ways, 1] = p
                ways[n_ways, 2 + p] += 1
                ways[n_ways, 2 + size + p] = up
                _weigh(ways, n_ways, size, cut)
                _push(heap, n_heap, ways, n_ways, size)
                n_ways += 1
                n_heap += 1
    room.state[0], room.state[1], room.state[2] = n_ways, n_heap, -1
    if n_heap == 0:
        return DONE
    return ROOM if n_ways + size > ways.shape[0] else GO_ON


@kernel
def raise_cut(ways, w, size, tree, cut, allowed):
    """Raises the cut by a way; counts the entries of labels that are below it now."""
    dead = np.int64(0)
    for p in range(size):
        if ways[w, 2 + p] == 0 or ways[w, 2 + 2 * size + p] == 0:
            continue
        node = ways[w, 2 + size + p]
        rise = cut.generalize[node] - cut.below[node]
        above = np.int32(node)
        while above >= 0:
            cut.below[above] += rise
            above = cut.parent[above]
        for v in range(node + 1, cut.end[node]):
            if not cut.is_below[v]:
                cut.is_below[v] = True
                y = tree.label[v]
                if y >= 0:
                    allowed[y] = NEVER
                    dead += tree.start[y + 1] - tree.start[y]
    return dead
