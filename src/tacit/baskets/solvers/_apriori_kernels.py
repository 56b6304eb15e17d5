"""The loops of AA: the count tree, walked in preorder; where an itemset is unsafe, `_apriori_ways` has the way out.

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
from tacit.baskets.solvers._apriori_ways import NEVER, CountTree, Cut, Rule, Ways, cheapest, raise_cut
from tacit.baskets.solvers._labelled import sort
from tacit.baskets.solvers._room import DONE, GO_ON, ROOM, grown

UNSAFE = ROOM + 1  # beside what kernels say that may need more room
_FIRST_BLOCK = 1 << 16  # baskets looked at, as quick as these are


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
    ways = Ways(
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
                state[_DEAD] += raise_cut(ways.ways, int(ways.state[2]), size, tree, cut, allowed)
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
    ways: Ways, itemset: np.ndarray, size: int, tree: CountTree, cut: Cut, rule: Rule, to_root: bool, room: _Room
) -> Ways:
    """The cheapest way to make the itemset safe, as the third of the state, in what may be larger arrays."""
    ways.state[:] = 0
    for steps in blocks(_FIRST_BLOCK):
        outcome = cheapest(steps, itemset, size, tree, cut, rule, to_root, room.people_with, ways)
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
