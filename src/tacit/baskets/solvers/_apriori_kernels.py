"""The loops of AA: the count tree, walked in preorder, and the cheapest way to make an itemset safe.

The paper builds the count tree of all itemsets of one size, over items and everything above them, and then visits it.
Here a branch is counted when it is visited. The visits are the same: which baskets hold a node of the taxonomy does not
depend on the cut, so no count ever changes.

A label is a node's place in the order of the count tree; −1 means none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, spans, tell
from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._threats import grown, sort

NEVER = -1  # a label that extends nothing
_FIRST_BLOCK = 1 << 16  # baskets looked at, as quick as these are

DONE, GO_ON, ROOM, UNSAFE = 0, 1, 2, 3


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


def extended(
    indptr: np.ndarray, nodes: np.ndarray, parent: np.ndarray, label: np.ndarray, n_labels: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Baskets with the labelled nodes above their items: indptr, labels, start, basket and place of a `CountTree`."""
    n = indptr.size - 1
    lengths, start, basket = np.zeros(n, np.int64), np.zeros(n_labels + 1, np.int64), np.empty(0, np.int32)
    fill = np.zeros(n_labels, np.int64)
    for writing in (False, True):
        seen = np.full(n_labels, -1, np.int64)
        for first, last in spans(n):
            _list_baskets(first, last, indptr, nodes, parent, label, seen, fill, lengths, basket, writing)
        if not writing:
            np.cumsum(fill, out=start[1:])
            fill, basket = start[:-1].copy(), np.empty(start[-1], np.int32)
    out_indptr = np.zeros(n + 1, np.int64)
    np.cumsum(lengths, out=out_indptr[1:])
    labels, place = np.empty(basket.size, np.int32), np.empty(basket.size, np.int64)
    end = out_indptr[:-1].copy()
    for first, last in spans(n_labels):
        _list_labels(first, last, start, basket, end, labels, place)
    return out_indptr, labels, start, basket, place


@kernel
def _list_baskets(first, last, indptr, nodes, parent, label, seen, fill, lengths, basket, writing):
    """Counts the baskets of each label and the labels of each basket, or writes the baskets of each label."""
    for t in range(first, last):
        for j in range(indptr[t], indptr[t + 1]):
            v = nodes[j]
            while v < label.size and label[v] >= 0 and seen[label[v]] != t:
                y = label[v]
                seen[y] = t
                if writing:
                    basket[fill[y]] = t
                else:
                    lengths[t] += 1
                fill[y] += 1
                v = parent[v]


@kernel
def _list_labels(first, last, start, basket, end, labels, place):
    """Writes the labels of each basket, and where the basket goes on behind each of them."""
    for y in range(first, last):
        for e in range(start[y], start[y + 1]):
            t = basket[e]
            labels[end[t]] = y
            end[t] += 1
            place[e] = end[t]


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


class _Ways(NamedTuple):
    """Ways to generalize the itemset at hand, and a heap of those to look at, the first of them on top."""

    ways: np.ndarray
    heap: np.ndarray
    image: np.ndarray  # room for labels
    state: np.ndarray  # how many ways and how many in the heap, and the way that was found


@kernel
def _cheapest(steps, itemset, size, tree, cut, rule, to_root, people_with, room):
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
def _raise(ways, w, size, tree, cut, allowed):
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


@inner
def _count(arena, start, stop, tree, k, size, room, n):
    """Over the baskets of an itemset: people, baskets, and exposed baskets of each label that may extend it."""
    for a in range(start, stop):
        t = arena[a, 0]
        exposed = tree.weight[t] < k or tree.sensitive_indptr[t + 1] > tree.sensitive_indptr[t]
        for j in range(arena[a, 1], tree.indptr[t + 1]):
            y = tree.labels[j]
            if room.allowed[y] < size:
                continue
            if room.tally[y, 1] == 0:
                room.touched[n] = y
                n += 1
            room.tally[y, 0] += tree.weight[t]
            room.tally[y, 1] += 1
            room.tally[y, 2] += exposed
    return n


@inner
def _chain(arena, start, stop, tree):
    """Chains the places of each sensitive item among the baskets at hand."""
    for a in range(start, stop):
        t = arena[a, 0]
        for p in range(tree.sensitive_indptr[t], tree.sensitive_indptr[t + 1]):
            tree.link[p] = tree.head[tree.sensitive[p]]
            tree.head[tree.sensitive[p]] = p
            tree.where[p] = a


@inner
def _settle(arena, start, stop, tree, rule, size, room):
    """Sets the third count of each label to 0 if the itemset with it is not safe, by the chains of sensitive items."""
    for a in range(start, stop):
        t = arena[a, 0]
        for first in range(tree.sensitive_indptr[t], tree.sensitive_indptr[t + 1]):
            s = tree.sensitive[first]
            for pass_ in range(2):  # count, then clear
                p = tree.head[s]
                while p >= 0:
                    b = arena[tree.where[p], 0]
                    for j in range(arena[tree.where[p], 1], tree.indptr[b + 1]):
                        y = tree.labels[j]
                        if room.allowed[y] >= size:
                            room.people_with[y] = room.people_with[y] + tree.weight[b] if pass_ == 0 else 0
                            if room.people_with[y] * rule.numerator > room.tally[y, 0] * rule.denominator:
                                room.tally[y, 2] = 0
                    p = tree.link[p]
            tree.head[s] = -1


@inner
def _below_any(node, itemset, size, node_of, end):
    for p in range(size):  # noqa: SIM110 - a generator costs a kernel its speed
        if node_of[itemset[p]] <= node < end[node_of[itemset[p]]]:
            return True
    return False


@inner
def _hand_on(arena, start, stop, indptr, labels, place):
    """Writes each basket, cut off behind y, to the place of each extension y it holds."""
    for a in range(start, stop):
        t = arena[a, 0]
        for j in range(arena[a, 1], indptr[t + 1]):
            y = labels[j]
            if place[y] >= 0 and j + 1 < indptr[t + 1]:
                arena[place[y], 0] = t
                arena[place[y], 1] = j + 1
                place[y] += 1


class _Room(NamedTuple):
    """For each label: counts of people, baskets and exposed baskets over the baskets at hand, and what it may do."""

    tally: np.ndarray
    touched: np.ndarray
    place: np.ndarray  # in the arena, of the baskets of an extension
    allowed: np.ndarray  # the largest itemset, of those on the way down, that the label may extend
    people_with: np.ndarray  # room for counts by label, or by sensitive item


class _Way(NamedTuple):
    """The itemset at hand, and for each of its beginnings where its extensions begin and end, which of them is next,
    and where the arena is free."""

    itemset: np.ndarray
    begin: np.ndarray
    done: np.ndarray
    finish: np.ndarray
    top: np.ndarray


class _Growing(NamedTuple):
    """What grows with the depth of the visits."""

    extensions: np.ndarray  # label, from and to where in the arena
    arena: np.ndarray  # basket, first position not yet used


# Where the visits are: what is being done, at which place, the itemset's size and baskets, labels touched, the next of
# them, how long a beginning of the itemset has no node below the cut, entries of labels below it, where to go on
_PHASE, _AT, _SIZE, _START, _STOP, _TOUCHED, _NEXT, _INTACT, _DEAD, _GO_ON_WITH, _STATES = range(11)
_COUNTING, _CHAINING, _SETTLING, _DECIDING, _REPAIRING, _HANDING_ON = range(6)


def visit(size: int, tree: CountTree, cut: Cut, rule: Rule, to_root: bool, first: int) -> tuple[bool, int]:
    """Visits the itemsets of this size in the count tree's order, from label `first` on, and repairs the unsafe ones.

    Passes over an itemset with a node below the cut, or with a node and one below it. Returns whether all were
    repaired, and the label to go on with: there are more to visit if half of this count tree is below the cut, and a
    new one shall be made.

    Only what an exposed basket holds can be unsafe: a basket that k people share, or one without sensitive items, gives
    nothing away.
    """
    n_labels, n_baskets = tree.node.size, tree.weight.size
    allowed = np.where(tree.visited & (np.arange(n_labels) >= first), 0, NEVER).astype(np.int32)
    room = _Room(
        np.zeros((n_labels, 3), np.int64),
        np.empty(n_labels, np.int32),
        np.full(n_labels, -1, np.int64),
        allowed,
        np.zeros(n_labels + tree.head.size, np.int64),
    )
    way = _Way(np.empty(size, np.int32), *np.zeros((4, size + 1), np.int64))
    arena = np.stack([np.arange(n_baskets), tree.indptr[:-1]], axis=1)
    growing = _Growing(np.empty((16, 3), np.int64), arena)
    state = np.zeros(_STATES, np.int64)
    state[_STOP] = way.top[0] = n_baskets
    ways = _Ways(
        np.empty((8, 2 + 3 * size), np.int64),
        np.empty((8, 1), np.int64),
        np.empty(size, np.int32),
        np.zeros(3, np.int64),
    )
    all_repaired = True
    for steps in blocks(_FIRST_BLOCK):
        outcome = _visit(steps, state, size, tree, cut, rule, room, way, growing)
        while outcome == UNSAFE:
            ways = _way_out(ways, way.itemset, size, tree, cut, rule, to_root, room)
            if ways.state[2] < 0:
                all_repaired = False
            else:
                state[_DEAD] += _raise(ways.ways, int(ways.state[2]), size, tree, cut, allowed)
            outcome = _visit(steps, state, size, tree, cut, rule, room, way, growing)
        if outcome == DONE:
            return all_repaired, int(state[_GO_ON_WITH])
        if outcome == ROOM:
            d = int(state[_SIZE])
            growing = _Growing(
                grown(growing.extensions, int(way.finish[d] + state[_TOUCHED])), grown(growing.arena, int(way.top[d]))
            )
        tell(f"itemsets of {size}", way.done[0] / max(way.finish[0], 1))
    raise AssertionError("blocks end when they are left")


def _way_out(
    ways: _Ways, itemset: np.ndarray, size: int, tree: CountTree, cut: Cut, rule: Rule, to_root: bool, room: _Room
) -> _Ways:
    """The cheapest way to make the itemset safe, as the third of the state, in what may be larger arrays."""
    ways.state[:] = 0
    for steps in blocks(_FIRST_BLOCK):
        outcome = _cheapest(steps, itemset, size, tree, cut, rule, to_root, room.people_with, ways)
        if outcome == DONE:
            break
        if outcome == ROOM:
            rows = int(ways.state[0]) + size
            ways = ways._replace(ways=grown(ways.ways, rows), heap=grown(ways.heap, rows))
    return ways


@inner
def _wanted(state, size, tree, cut, rule, room, way):
    """Of the labels that were counted those that extend the itemset, or make it unsafe if it is then long enough: in
    order. How many there are."""
    d, n = state[_SIZE], np.int64(0)
    for i in range(state[_TOUCHED]):
        y = room.touched[i]
        if d == size - 1:
            wanted = room.tally[y, 2] == 0
        else:
            wanted = room.tally[y, 2] > 0 and room.tally[y, 0] >= rule.k
        if wanted and not _below_any(tree.node[y], way.itemset, d, tree.node, cut.end):
            room.touched[n] = y
            n += 1
        else:
            room.tally[y, 0] = room.tally[y, 1] = room.tally[y, 2] = 0
    sort(room.touched, np.int64(0), n)
    return n


@inner
def _extend(state, room, way, extensions):
    """Makes the labels that are wanted extensions of the itemset."""
    d = state[_SIZE]
    for i in range(state[_TOUCHED]):
        y = room.touched[i]
        extensions[way.finish[d], 0] = y
        extensions[way.finish[d], 1] = room.place[y] = way.top[d]
        way.finish[d] += 1
        way.top[d] += room.tally[y, 1]
        room.allowed[y] = d + 1
        room.tally[y, 0] = room.tally[y, 1] = room.tally[y, 2] = 0


@inner
def _next_unsafe(state, room, way):
    """Puts the next unsafe label into the itemset, if the rest of it is intact; whether there is one."""
    d = state[_SIZE]
    for p in range(state[_INTACT] - 1, -1, -1):
        if room.allowed[way.itemset[p]] == NEVER:
            state[_INTACT] = p
    while state[_NEXT] < state[_TOUCHED]:
        y = room.touched[state[_NEXT]]
        state[_NEXT] += 1
        room.tally[y, 0] = room.tally[y, 1] = room.tally[y, 2] = 0
        if state[_INTACT] == d and room.allowed[y] != NEVER:
            way.itemset[d] = y
            return True
    return False


@inner
def _goes_on(state, tree, room, way, extensions):
    """To the next itemset of this count tree; whether there is one."""
    d = state[_SIZE]
    while True:
        while way.done[d] < way.finish[d] and room.allowed[extensions[way.done[d], 0]] == NEVER:
            way.done[d] += 1
        if d <= state[_INTACT] and way.done[d] < way.finish[d]:
            break
        if d == 0:
            state[_GO_ON_WITH] = tree.node.size
            return False
        for e in range(way.begin[d], way.finish[d]):
            if room.allowed[extensions[e, 0]] != NEVER:
                room.allowed[extensions[e, 0]] = d
        d -= 1
    e = way.done[d]
    way.itemset[d] = extensions[e, 0]
    if d == 0 and tree.head.size == 0 and 2 * state[_DEAD] > tree.labels.size:
        state[_GO_ON_WITH] = way.itemset[0]
        return False
    way.done[d] += 1
    d += 1
    way.begin[d] = way.done[d] = way.finish[d] = way.finish[d - 1]
    way.top[d] = way.top[d - 1]
    state[_SIZE], state[_START], state[_STOP], state[_AT] = d, extensions[e, 1], extensions[e, 2], extensions[e, 1]
    state[_PHASE], state[_TOUCHED] = _COUNTING, 0
    return True


@kernel
def _visit(steps, state, size, tree, cut, rule, room, way, growing):
    """Goes on with the visits for so many baskets; says whether they are done, need room, or met an unsafe itemset."""
    while steps > 0:
        d = state[_SIZE]
        upto = min(state[_STOP], state[_AT] + steps)
        if state[_PHASE] < _DECIDING:
            if state[_PHASE] == _COUNTING:
                state[_TOUCHED] = _count(growing.arena, state[_AT], upto, tree, rule.k, d, room, state[_TOUCHED])
            elif state[_PHASE] == _CHAINING:
                _chain(growing.arena, state[_AT], upto, tree)
            else:
                _settle(growing.arena, state[_AT], upto, tree, rule, d, room)
            steps -= upto - state[_AT] + 1
            state[_AT] = upto
            if upto < state[_STOP]:
                continue
            if state[_PHASE] == _COUNTING and d == size - 1:
                for i in range(state[_TOUCHED]):
                    room.tally[room.touched[i], 2] = room.tally[room.touched[i], 0] >= rule.k
            if d == size - 1 and tree.head.size > 0 and state[_PHASE] < _SETTLING:
                state[_PHASE] += 1
                state[_AT] = state[_START]
                continue
            state[_PHASE] = _DECIDING
        if state[_PHASE] == _DECIDING:
            if way.finish[d] + state[_TOUCHED] > growing.extensions.shape[0]:
                return ROOM
            state[_TOUCHED] = _wanted(state, size, tree, cut, rule, room, way)
            state[_NEXT], state[_INTACT] = 0, d
            if d < size - 1:
                _extend(state, room, way, growing.extensions)
            state[_PHASE], state[_AT] = _REPAIRING if d == size - 1 else _HANDING_ON, state[_START]
        if state[_PHASE] == _REPAIRING and _next_unsafe(state, room, way):
            return UNSAFE
        if way.finish[d] > way.begin[d]:
            if way.top[d] > growing.arena.shape[0]:
                return ROOM
            upto = min(state[_STOP], state[_AT] + max(steps, 1))
            _hand_on(growing.arena, state[_AT], upto, tree.indptr, tree.labels, room.place)
            steps -= upto - state[_AT]
            state[_AT] = upto
            if upto < state[_STOP]:
                continue
            for e in range(way.begin[d], way.finish[d]):
                growing.extensions[e, 2] = room.place[growing.extensions[e, 0]]
                room.place[growing.extensions[e, 0]] = -1
        if not _goes_on(state, tree, room, way, growing.extensions):
            return DONE
    return GO_ON
