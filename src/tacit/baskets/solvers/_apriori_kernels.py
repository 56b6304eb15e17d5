"""Kernels of AA: the count tree, walked in preorder, and the cheapest way to make an itemset safe.

The paper builds the count tree of all itemsets of one size, over items and everything above them, and then visits it.
Here a branch is counted when it is visited. The visits are the same: which baskets hold a node of the taxonomy does not
depend on the cut, so no count ever changes.

A label is a node's place in the order of the count tree; −1 means none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.baskets.solvers._threats import _grown

# compiled with tacit.baskets.solvers._threats af54a8cd0dd2

GONE = -1

_inner = njit(cache=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)  # called by kernels only: quicker to compile


class Cut(NamedTuple):
    """A cut on its way up the taxonomy."""

    parent: np.ndarray
    end: np.ndarray
    generalize: np.ndarray  # cost of publishing a node
    gone: np.ndarray  # whether the cut is above the node
    below: np.ndarray  # what the cut publishes at and below a node costs, unless the node is gone


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


@njit(cache=True)
def extended(indptr, nodes, parent, label, n_labels):
    """Baskets with the labelled nodes above their items: indptr, labels, start, basket and place of a `CountTree`."""
    n = indptr.size - 1
    seen = np.full(n_labels, -1, np.int64)
    start = np.zeros(n_labels + 1, np.int64)
    fill = np.zeros(n_labels, np.int64)
    out_indptr = np.zeros(n + 1, np.int64)
    basket = np.empty(0, np.int32)
    for pass_ in range(2):  # first count, then write
        for t in range(n):
            for j in range(indptr[t], indptr[t + 1]):
                v = nodes[j]
                while v < label.size and label[v] >= 0 and seen[label[v]] != t:
                    y = label[v]
                    seen[y] = t
                    if pass_ == 1:
                        basket[fill[y]] = t
                    else:
                        out_indptr[t + 1] += 1
                    fill[y] += 1
                    v = parent[v]
        if pass_ == 0:
            for y in range(n_labels):
                start[y + 1] = start[y] + fill[y]
                fill[y] = start[y]
                seen[y] = -1
            basket = np.empty(start[n_labels], np.int32)
    for t in range(n):
        out_indptr[t + 1] += out_indptr[t]
    labels = np.empty(basket.size, np.int32)
    place = np.empty(basket.size, np.int64)
    end = out_indptr[:n].copy()
    for y in range(n_labels):
        for e in range(start[y], start[y + 1]):
            t = basket[e]
            labels[end[t]] = y
            end[t] += 1
            place[e] = end[t]
    return out_indptr, labels, start, basket, place


@_inner
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
@_inner
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


@_inner
def _before(ways, a, b, size):
    """The cheaper way first; of equals the one whose first items climb least."""
    if ways[a, 0] != ways[b, 0]:
        return ways[a, 0] < ways[b, 0]
    for p in range(2, 2 + size):
        if ways[a, p] != ways[b, p]:
            return ways[a, p] < ways[b, p]
    return False


@_inner
def _push(heap, n, ways, w, size):
    """Adds way w to the n ways of the heap."""
    at = n
    while at > 0 and _before(ways, w, heap[(at - 1) // 2, 0], size):
        heap[at, 0] = heap[(at - 1) // 2, 0]
        at = (at - 1) // 2
    heap[at, 0] = w


@_inner
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


@_inner
def _cheapest(itemset, size, tree, cut, rule, to_root, people_with):
    """The first way, in the order of `_before`, that makes the itemset safe: (ways, its row), or row −1.

    Best first: no way costs less than one on the way to it, for no cost falls on the way up.
    """
    ways = np.zeros((8, 2 + 3 * size), np.int64)
    heap = np.zeros((8, 1), np.int64)
    image = np.empty(size, np.int32)
    for p in range(size):
        ways[0, 2 + size + p] = tree.node[itemset[p]]
    n_ways, n_heap = np.int64(1), np.int64(1)
    _weigh(ways, np.int64(0), size, cut)
    while n_heap > 0:
        w = _pop(heap, n_heap, ways, size)
        n_heap -= 1
        n = np.int64(0)
        for p in range(size):
            if ways[w, 2 + 2 * size + p]:
                y = tree.label[ways[w, 2 + size + p]]
                if y < 0:
                    return ways, w  # the root
                i = n
                while i > 0 and image[i - 1] > y:
                    image[i] = image[i - 1]
                    i -= 1
                image[i] = y
                n += 1
        if w > 0 and _is_safe(image, n, tree, rule, people_with):
            return ways, w
        for p in range(ways[w, 1], size):
            up = cut.parent[ways[w, 2 + size + p]]
            if ways[w, 2 + 2 * size + p] and (tree.label[up] >= 0 or to_root):
                ways = _grown(ways, n_ways + 1)
                heap = _grown(heap, n_heap + 1)
                for column in range(2 + 2 * size):
                    ways[n_ways, column] = ways[w, column]
                ways[n_ways, 1] = p
                ways[n_ways, 2 + p] += 1
                ways[n_ways, 2 + size + p] = up
                _weigh(ways, n_ways, size, cut)
                _push(heap, n_heap, ways, n_ways, size)
                n_ways += 1
                n_heap += 1
    return ways, np.int64(-1)


@_inner
def _repair(itemset, size, tree, cut, rule, to_root, people_with, allowed):
    """Raises the cut the cheapest way that makes the itemset safe; counts the entries of labels that are gone with it.

    −1 if there is no way.
    """
    ways, w = _cheapest(itemset, size, tree, cut, rule, to_root, people_with)
    if w < 0:
        return np.int64(-1)
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
            if not cut.gone[v]:
                cut.gone[v] = True
                y = tree.label[v]
                if y >= 0:
                    allowed[y] = GONE
                    dead += tree.start[y + 1] - tree.start[y]
    return dead


@_inner
def _count(arena, start, stop, tree, exposed, allowed, size, tally, touched):
    """Over the baskets of an itemset: people, baskets, and exposed baskets of each label that may extend it."""
    n = 0
    for a in range(start, stop):
        t = arena[a, 0]
        for j in range(arena[a, 1], tree.indptr[t + 1]):
            y = tree.labels[j]
            if allowed[y] < size:
                continue
            if tally[y, 1] == 0:
                touched[n] = y
                n += 1
            tally[y, 0] += tree.weight[t]
            tally[y, 1] += 1
            tally[y, 2] += exposed[t]
    return n


@_inner
def _mark_safe(arena, start, stop, tree, rule, allowed, size, tally, touched, n_touched, people_with):
    """Sets the third count of each label to whether the itemset with it is safe: 1 or 0.

    The places of each sensitive item among the baskets at hand are chained.
    """
    for i in range(n_touched):
        tally[touched[i], 2] = tally[touched[i], 0] >= rule.k
    if tree.head.size == 0:
        return
    head, link, where = tree.head, tree.link, tree.where
    for a in range(start, stop):
        t = arena[a, 0]
        for p in range(tree.sensitive_indptr[t], tree.sensitive_indptr[t + 1]):
            link[p] = head[tree.sensitive[p]]
            head[tree.sensitive[p]] = p
            where[p] = a
    for a in range(start, stop):
        t = arena[a, 0]
        for first in range(tree.sensitive_indptr[t], tree.sensitive_indptr[t + 1]):
            s = tree.sensitive[first]
            for pass_ in range(2):  # count, then clear
                p = head[s]
                while p >= 0:
                    b = arena[where[p], 0]
                    for j in range(arena[where[p], 1], tree.indptr[b + 1]):
                        y = tree.labels[j]
                        if allowed[y] >= size:
                            people_with[y] = people_with[y] + tree.weight[b] if pass_ == 0 else 0
                            if people_with[y] * rule.numerator > tally[y, 0] * rule.denominator:
                                tally[y, 2] = 0
                    p = link[p]
            head[s] = -1


@_inner
def _below_any(node, itemset, size, node_of, end):
    for p in range(size):  # noqa: SIM110 - a generator costs a kernel its speed
        if node_of[itemset[p]] <= node < end[node_of[itemset[p]]]:
            return True
    return False


@_inner
def _hand_on(arena, start, stop, indptr, labels, n_usable, place):
    """Writes each basket, cut off behind y, to the place of each extension y it holds."""
    for a in range(start, stop):
        t = arena[a, 0]
        for j in range(arena[a, 1], indptr[t + 1]):
            y = labels[j]
            if y >= n_usable:
                break
            if place[y] >= 0 and j + 1 < indptr[t + 1]:
                arena[place[y], 0] = t
                arena[place[y], 1] = j + 1
                place[y] += 1


@njit(cache=True)
def visit(size, tree, cut, rule, to_root, first):
    """Visits the itemsets of this size in the count tree's order, from label `first` on, and repairs the unsafe ones.

    Passes over an itemset with a node that is gone, or with a node and one below it. Returns whether all were
    repaired, and the label to go on with: there are more to visit if half of this count tree is gone, and a new one
    shall be made.

    Only what an exposed basket holds can be unsafe: a basket that k people share, or one without sensitive items, gives
    nothing away.
    """
    n_labels, n_baskets = tree.node.size, tree.weight.size
    exposed = np.empty(n_baskets, np.int64)
    arena = np.empty((n_baskets, 2), np.int64)  # basket, first position not yet used
    for t in range(n_baskets):
        arena[t, 0] = t
        arena[t, 1] = tree.indptr[t]
        exposed[t] = tree.weight[t] < rule.k or tree.sensitive_indptr[t + 1] > tree.sensitive_indptr[t]
    allowed = np.empty(n_labels, np.int32)  # the largest itemset, of those on the way down, that y may extend
    for y in range(n_labels):
        allowed[y] = 0 if tree.visited[y] and y >= first else GONE
    people_with = np.zeros(n_labels + tree.head.size, np.int64)
    tally = np.zeros((n_labels, 3), np.int64)
    touched = np.empty(n_labels, np.int32)
    room = np.full(n_labels, -1, np.int64)

    # The itemset at hand, and for each of its beginnings the extensions: label, from and to where in the arena.
    itemset = np.empty(size, np.int32)
    extensions = np.empty((16, 3), np.int64)
    levels = np.zeros((4, size + 1), np.int64)
    begin, done, finish, top = levels[0], levels[1], levels[2], levels[3]
    start, stop, d = np.int64(0), np.int64(n_baskets), np.int64(0)
    dead, all_repaired = np.int64(0), True
    while True:
        begin[d] = done[d] = finish[d] = finish[d - 1] if d else 0
        top[d] = top[d - 1] if d else stop
        n_touched = _count(arena, start, stop, tree, exposed, allowed, d, tally, touched)
        last = d == size - 1
        if last:
            _mark_safe(arena, start, stop, tree, rule, allowed, d, tally, touched, n_touched, people_with)
        n = 0
        for i in range(n_touched):
            y = touched[i]
            wanted = tally[y, 2] == 0 if last else tally[y, 2] > 0 and tally[y, 0] >= rule.k
            if wanted and not _below_any(tree.node[y], itemset, d, tree.node, cut.end):
                touched[n] = y
                n += 1
            else:
                tally[y, 0] = tally[y, 1] = tally[y, 2] = 0
        touched[:n].sort()
        intact = d  # how long a beginning of the itemset has no node that is gone
        for i in range(n):
            y = touched[i]
            if not last:
                extensions = _grown(extensions, finish[d] + 1)
                extensions[finish[d], 0] = y
                extensions[finish[d], 1] = room[y] = top[d]
                finish[d] += 1
                top[d] += tally[y, 1]
                allowed[y] = d + 1
            elif intact == d and allowed[y] != GONE:
                itemset[d] = y
                more = _repair(itemset, size, tree, cut, rule, to_root, people_with, allowed)
                all_repaired &= more >= 0
                dead += max(more, 0)
                for p in range(d - 1, -1, -1):
                    if allowed[itemset[p]] == GONE:
                        intact = np.int64(p)
            tally[y, 0] = tally[y, 1] = tally[y, 2] = 0
        if finish[d] > begin[d]:
            arena = _grown(arena, top[d])
            _hand_on(arena, start, stop, tree.indptr, tree.labels, n_labels, room)
        for e in range(begin[d], finish[d]):
            extensions[e, 2] = room[extensions[e, 0]]
            room[extensions[e, 0]] = -1

        while True:
            while done[d] < finish[d] and allowed[extensions[done[d], 0]] == GONE:
                done[d] += 1
            if d <= intact and done[d] < finish[d]:
                break
            if d == 0:
                return all_repaired, n_labels
            for e in range(begin[d], finish[d]):
                if allowed[extensions[e, 0]] != GONE:
                    allowed[extensions[e, 0]] = d
            d -= 1
        itemset[d], start, stop = extensions[done[d], 0], extensions[done[d], 1], extensions[done[d], 2]
        if d == 0 and tree.head.size == 0 and 2 * dead > tree.labels.size:
            return all_repaired, itemset[0]
        done[d] += 1
        d += 1
