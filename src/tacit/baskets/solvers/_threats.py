"""Finds the threats a split of the cut can bring: itemsets that too few baskets hold.

All of it works on one node that is about to be, or was just, replaced by its children, and on the baskets that
hold it; labels are small integers, −1 means none. The loops are kernels that are given all arrays they work in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, tell
from tacit.arrays.jit import inner, kernel, part
from tacit.arrays.sparse import take_rows
from tacit.baskets.solvers._room import DONE, GO_ON, ROOM, grown

_KEY_BITS = 62  # of a number that holds a basket's last labels
_FIRST_BLOCK = 1 << 16  # baskets looked at, as quick as these are
_COUNTING, _DECIDING, _HANDING_ON = 0, 1, 2


class _Baskets(NamedTuple):
    """Baskets in the order of their keys, which hold their last labels in so many bits each; and what labels are."""

    indptr: np.ndarray
    labels: np.ndarray
    key: np.ndarray
    bits: int
    owner_of: np.ndarray
    node_of: np.ndarray


class _Rule(NamedTuple):
    """What to look for: threats of up to m labels that fewer than k people hold."""

    n_anchors: int
    k: int
    m: int
    least_owner: int
    most_visits: int
    most_nodes: int


class _Room(NamedTuple):
    """For each label, over the baskets at hand: people, baskets, baskets of fewer than k people; and what it may do."""

    tally: np.ndarray
    touched: np.ndarray
    place: np.ndarray  # in the arena, of the baskets of an extension
    first: np.ndarray
    allowed: np.ndarray  # the largest itemset, of those on the way down, that the label may extend


class _Way(NamedTuple):
    """The itemset at hand, and for each of its beginnings where its extensions begin and end, which of them is next,
    and where the arena is free."""

    itemset: np.ndarray
    owner: np.ndarray
    begin: np.ndarray
    done: np.ndarray
    finish: np.ndarray
    top: np.ndarray


class _Growing(NamedTuple):
    """What is found, and what grows with the depth of the search."""

    nodes: np.ndarray
    threats: np.ndarray  # where in `nodes` it ends, whose child cut it is in
    extensions: np.ndarray  # label, from and to where in the arena
    arena: np.ndarray  # basket, first position not yet used, people


# Where the search is: what it is doing, at which place of the arena, the itemset's size and baskets, labels touched,
# baskets visited, and how much is found
_PHASE, _AT, _SIZE, _START, _STOP, _TOUCHED, _VISITS, _NODES, _THREATS, _STATES = range(10)


def mine(
    baskets: tuple[np.ndarray, np.ndarray, np.ndarray],
    n_anchors: int,
    owner_of: np.ndarray,
    node_of: np.ndarray,
    k: int,
    m: int,
    least_owner: int,
    most_visits: int,
    most_nodes: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Threats of up to m labels in the child cuts, each holding an anchor: (nodes one after another, ends, owners), and
    how many baskets were looked at, once for each itemset. It ends when these are more than `most_visits`, or when the
    threats found have more than `most_nodes`.

    Labels 0..n_anchors−1 are the anchors. A label is a node of the cut (`owner_of` −1) or a child of one
    (`owner_of` is its parent): a child cut holds children of one parent only, and not that parent.
    Depth first over itemsets in label order, as LCM does: one pass over the baskets of an itemset counts all of its
    extensions. Only itemsets that k people share are extended, and only by labels that some basket of fewer than
    k people holds with them, for a basket that k people share hides all of its subsets.
    Baskets of an itemset that have the same labels left are one. To meet them one after the other the baskets are put
    in the order of their ends; for pairs that would cost more than it saves.
    `least_owner` 0 leaves out the threats of the cut itself, −1 does not.
    All minimal threats are found; some that are not minimal may come along, which does no harm.
    """
    indptr, labels, weight = baskets  # as `relabel` gives them
    key, bits = np.empty(0, np.int64), _KEY_BITS + 1  # a label is too long for a key: nothing is merged
    if m > 2:
        bits = max((owner_of.size - 1).bit_length(), 1)
        key = _last_labels(indptr, labels, bits)
        order = np.argsort(key, kind="stable")
        indptr, labels = take_rows(indptr, labels, order)
        weight, key = weight[order], key[order]
    ordered = _Baskets(indptr, labels, key, bits, owner_of, node_of)
    rule = _Rule(int(n_anchors), int(k), int(m), int(least_owner), int(most_visits), int(most_nodes))
    return _mined(ordered, weight, rule)


def _last_labels(indptr: np.ndarray, labels: np.ndarray, bits: int) -> np.ndarray:
    """The last labels of each basket, as many as there is room for, as one number: the last one on top."""
    key, at = np.zeros(indptr.size - 1, np.int64), indptr[1:] - 1
    baskets = np.flatnonzero(at >= indptr[:-1])
    for room in range(_KEY_BITS - bits, -1, -bits):
        key[baskets] |= labels[at[baskets]].astype(np.int64) << room
        at[baskets] -= 1
        baskets = baskets[at[baskets] >= indptr[baskets]]
        if not baskets.size:
            break
    return key


def _mined(baskets: _Baskets, weight: np.ndarray, rule: _Rule) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """`mine` on baskets in the order of their keys, in blocks."""
    n_labels, m = baskets.owner_of.size, rule.m
    room = _Room(
        np.zeros((n_labels, 3), np.int64),
        np.empty(n_labels, np.int32),
        np.full(n_labels, -1, np.int64),
        np.empty(n_labels, np.int64),
        np.ones(n_labels, np.int32),
    )
    way = _Way(np.empty(m, np.int32), np.full(m + 1, -1, np.int32), *np.zeros((4, m + 1), np.int64))
    arena = np.empty((2 * (weight.size + baskets.labels.size), 3), np.int64)
    arena[: weight.size] = np.stack([np.arange(weight.size), baskets.indptr[:-1], weight], axis=1)
    found = _Growing(
        np.empty((64, 1), np.int32), np.empty((64, 2), np.int64), np.empty((n_labels + 16, 3), np.int64), arena
    )
    state = np.zeros(_STATES, np.int64)
    state[_STOP] = way.top[0] = weight.size
    for steps in blocks(_FIRST_BLOCK):
        outcome = _search(steps, state, baskets, rule, room, way, found)
        if outcome == DONE:
            break
        if outcome == ROOM:
            found = _with_room(found, state, way)
        tell("threats", way.done[0] / max(way.finish[0], 1))
    ends = found.threats[: state[_THREATS]]
    return found.nodes[: state[_NODES], 0].copy(), ends[:, 0].copy(), ends[:, 1].copy(), int(state[_VISITS])


def _with_room(found: _Growing, state: np.ndarray, way: _Way) -> _Growing:
    """The same with room for all that one itemset can add."""
    size, touched = int(state[_SIZE]), int(state[_TOUCHED])
    needed = (
        state[_NODES] + touched * (size + 1),
        state[_THREATS] + touched,
        way.finish[size] + touched,
        way.top[size],
    )
    return _Growing(*(grown(array, int(rows)) for array, rows in zip(found, needed, strict=True)))


@inner
def _owner_after(owner, owner_of, node_of, prefix, size, y):
    """Whose child cut holds the prefix and y together: a node, −1 (the cut itself), or −2 (no cut holds both)."""
    theirs = owner_of[y]
    if theirs < 0:
        return np.int32(-2) if node_of[y] == owner else owner
    if owner >= 0:
        return owner if theirs == owner else np.int32(-2)
    for i in range(size):
        if node_of[prefix[i]] == theirs:
            return np.int32(-2)
    return theirs


@part
def _count_extensions(arena, start, stop, indptr, labels, n_usable, size, k, room, n_touched):
    """Counts, over the baskets of an itemset, people, baskets, and baskets of fewer than k people for each label."""
    for a in range(start, stop):
        people = arena[a, 2]
        for j in range(arena[a, 1], indptr[arena[a, 0] + 1]):
            y = labels[j]
            if y >= n_usable:
                break
            if room.allowed[y] < size:
                continue
            if room.tally[y, 1] == 0:
                room.touched[n_touched] = y
                n_touched += 1
            room.tally[y, 0] += people
            room.tally[y, 1] += 1
            if people < k:
                room.tally[y, 2] += 1
    return n_touched


@part
def _hand_on(arena, start, stop, baskets, n_usable, place, first):
    """Writes each basket, cut off behind y, to the place of each extension y it holds.

    If the one before it, from first[y] on, has the same labels left, the two become one.
    """
    for a in range(start, stop):
        t, people = arena[a, 0], arena[a, 2]
        end = baskets.indptr[t + 1]
        for j in range(arena[a, 1], end - 1):
            y = baskets.labels[j]
            if y >= n_usable:
                break
            here, room = place[y], _KEY_BITS - baskets.bits * (end - j - 1)
            if here < 0:
                continue
            if here > first[y] and room >= 0:
                before = arena[here - 1, 0]
                same_length = baskets.indptr[before + 1] - arena[here - 1, 1] == end - j - 1
                if same_length and baskets.key[before] >> room == baskets.key[t] >> room:
                    arena[here - 1, 2] += people
                    continue
            arena[here, 0] = t
            arena[here, 1] = j + 1
            arena[here, 2] = people
            place[y] = here + 1


@part
def _decide(state, baskets, rule, room, way, found):
    """Of the labels that were counted, writes down those that make a threat, and those that extend the itemset."""
    size, n_nodes, n_threats = state[_SIZE], state[_NODES], state[_THREATS]
    tally = room.tally
    for i in range(state[_TOUCHED]):
        y = room.touched[i]
        whose = _owner_after(way.owner[size], baskets.owner_of, baskets.node_of, way.itemset, size, y)
        extend = False
        if whose > -2 and tally[y, 0] >= rule.k:
            extend = tally[y, 2] > 0 and size + 1 < rule.m
        elif whose >= rule.least_owner:
            way.itemset[size] = y
            for p in range(size + 1):
                found.nodes[n_nodes, 0] = baskets.node_of[way.itemset[p]]
                n_nodes += 1
            found.threats[n_threats, 0] = n_nodes
            found.threats[n_threats, 1] = whose
            n_threats += 1
        if extend:
            found.extensions[way.finish[size], 0] = y
            found.extensions[way.finish[size], 1] = way.top[size]
            way.finish[size] += 1
            room.place[y] = room.first[y] = way.top[size]
            way.top[size] += tally[y, 1]
            room.allowed[y] = size + 1
        elif room.allowed[y] > size:
            room.allowed[y] = size
        tally[y, 0] = tally[y, 1] = tally[y, 2] = 0
    state[_NODES], state[_THREATS] = n_nodes, n_threats


@part
def _goes_on(state, baskets, rule, room, way, extensions):
    """To the next itemset: the first extension of this one, or of the longest beginning that has one left."""
    size = state[_SIZE]
    while way.done[size] == way.finish[size]:
        for e in range(way.begin[size], way.finish[size]):
            room.allowed[extensions[e, 0]] = size
        if size == 0 or state[_VISITS] > rule.most_visits or state[_NODES] > rule.most_nodes:
            return False
        size -= 1
    e = way.done[size]
    y = np.int32(extensions[e, 0])
    way.done[size] += 1
    way.owner[size + 1] = _owner_after(way.owner[size], baskets.owner_of, baskets.node_of, way.itemset, size, y)
    way.itemset[size] = y
    size += 1
    way.begin[size] = way.finish[size] = way.finish[size - 1]
    way.top[size] = way.top[size - 1]
    state[_SIZE], state[_START], state[_STOP], state[_AT] = size, extensions[e, 1], extensions[e, 2], extensions[e, 1]
    state[_PHASE], state[_TOUCHED] = _COUNTING, 0
    return True


@kernel
def _search(steps, state, baskets, rule, room, way, found):
    """Goes on with the search for so many baskets; says whether it is done, or needs room in what it found."""
    while steps > 0:
        size = state[_SIZE]
        n_usable = baskets.owner_of.size if size else rule.n_anchors
        left = state[_STOP] - state[_AT]
        upto = state[_AT] + (steps if steps < left else left)
        if state[_PHASE] == _COUNTING:
            state[_TOUCHED] = _count_extensions(
                found.arena, state[_AT], upto, baskets.indptr, baskets.labels, n_usable, size, rule.k, room,
                state[_TOUCHED],
            )  # fmt: skip
            state[_VISITS] += upto - state[_AT]
            steps -= upto - state[_AT] + 1
            state[_AT] = upto
            if upto < state[_STOP]:
                break
            state[_PHASE] = _DECIDING
        if state[_PHASE] == _DECIDING:
            touched = state[_TOUCHED]
            if (
                state[_NODES] + touched * (size + 1) > found.nodes.shape[0]
                or state[_THREATS] + touched > found.threats.shape[0]
                or way.finish[size] + touched > found.extensions.shape[0]
            ):
                return ROOM
            _decide(state, baskets, rule, room, way, found)
            state[_PHASE], state[_AT] = _HANDING_ON, state[_START]
            left, most = state[_STOP] - state[_START], steps if steps > 1 else 1
            upto = state[_START] + (most if most < left else left)
        if way.finish[size] > way.begin[size]:
            if way.top[size] > found.arena.shape[0]:
                return ROOM
            _hand_on(found.arena, state[_AT], upto, baskets, n_usable, room.place, room.first)
            steps -= upto - state[_AT]
            state[_AT] = upto
            if upto < state[_STOP]:
                break
            for e in range(way.begin[size], way.finish[size]):
                found.extensions[e, 2] = room.place[found.extensions[e, 0]]
                room.place[found.extensions[e, 0]] = -1
        way.done[size] = way.begin[size]
        if not _goes_on(state, baskets, rule, room, way, found.extensions):
            return DONE
    return GO_ON
