"""Kernels that find the threats a split of the cut can bring: itemsets that too few baskets hold.

All of them work on one node that is about to be, or was just, replaced by its children, and on the baskets that
hold it; labels are small integers, −1 means none.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_KEY_BITS = 62  # of a number that holds a basket's last labels


@njit(cache=True)
def supports(indptr, items, weight, parent):
    """How many people hold each node of the tree, or a leaf below it."""
    support = np.zeros(parent.size, np.int64)
    seen = np.full(parent.size, -1, np.int64)
    for t in range(weight.size):
        for j in range(indptr[t], indptr[t + 1]):
            node = items[j]
            while node >= 0 and seen[node] != t:
                seen[node] = t
                support[node] += weight[t]
                node = parent[node]
    return support


@njit(cache=True)
def share_out(tids, indptr, items, above, first, end, number, n_children):
    """The baskets of each child of a node, from the node's baskets: those of child c are shared[starts[c]:starts[c+1]].

    The node's subtree is first..end−1; `above` is the child over each leaf of it, `number` counts the children.
    """
    seen = np.full(n_children, -1, np.int64)
    starts = np.zeros(n_children + 1, np.int64)
    place = np.zeros(n_children, np.int64)
    shared = np.empty(0, np.int32)
    for pass_ in range(2):  # first count, then write
        for a in range(tids.size):
            for j in range(indptr[tids[a]], indptr[tids[a] + 1]):
                x = items[j]
                if first < x < end:
                    c = number[above[x]]
                    if seen[c] != a:
                        seen[c] = a
                        if pass_ == 1:
                            shared[place[c]] = tids[a]
                        place[c] += 1
        if pass_ == 0:
            for c in range(n_children):
                starts[c + 1] = starts[c] + place[c]
                place[c] = starts[c]
                seen[c] = -1
            shared = np.empty(starts[n_children], np.int32)
    return starts, shared


@njit(cache=True)
def _sort(array, start, stop):
    """Shell's sort: a quarter of what NumPy's costs to compile, and as quick on sets of this size."""
    gap = 1
    while gap < (stop - start) // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, stop):
            value = array[i]
            j = i
            while j >= start + gap and array[j - gap] > value:
                array[j] = array[j - gap]
                j -= gap
            array[j] = value
        gap //= 3


@njit(cache=True)
def relabel(tids, indptr, items, weight, above, below, label, first):
    """The given baskets as sorted label sets: for each leaf, the cut's node above it and that node's child towards it.

    Nodes labelled −1 are left out. Equal sets are merged and their weights added. Labels that rise with the nodes from
    node `first` on, and from the last node on to those before it, come out sorted and cost no sorting.
    """
    total = 0
    for t in tids:
        total += indptr[t + 1] - indptr[t]
    out = np.empty(2 * total, np.int32)
    out_indptr = np.empty(tids.size + 1, np.int64)
    out_weight = np.empty(tids.size, np.int64)
    slots = np.int64(16)
    while slots < 2 * tids.size:
        slots *= 2
    table = np.full(slots, -1, np.int32)
    n = 0
    out_indptr[0] = 0
    for t in tids:
        start = stop = out_indptr[n]
        begin, end = indptr[t], indptr[t + 1]
        turn = begin
        while turn < end and items[turn] < first:
            turn += 1
        upper = lower = np.int32(-1)
        rising = True
        for i in range(begin, end):
            j = turn + i - begin
            x = items[j if j < end else j - (end - begin)]
            for node in (above[x], below[x]):
                if node < 0 or node in (upper, lower) or label[node] < 0:
                    continue
                rising &= stop == start or out[stop - 1] < label[node]
                out[stop] = label[node]
                stop += 1
            upper, lower = above[x], below[x]
        if not rising:
            _sort(out, start, stop)
        key = np.uint64(1469598103934665603)
        for i in range(start, stop):
            key = (key ^ np.uint64(out[i])) * np.uint64(1099511628211)
        slot = np.int64((key ^ (key >> np.uint64(29))) & np.uint64(slots - 1))
        while True:
            other = table[slot]
            if other < 0:
                table[slot] = n
                out_weight[n] = weight[t]
                n += 1
                out_indptr[n] = stop
                break
            length = out_indptr[other + 1] - out_indptr[other]
            same = length == stop - start
            i = 0
            while same and i < length:
                same = out[out_indptr[other] + i] == out[start + i]
                i += 1
            if same:
                out_weight[other] += weight[t]
                break
            slot = (slot + 1) & (slots - 1)
    return out_indptr[: n + 1], out[: out_indptr[n]], out_weight[:n]


@njit(cache=True)
def _owner_after(owner, owner_of, node_of, prefix, size, y):
    """Whose child cut holds the prefix and y together: a node, −1 (the cut itself), or −2 (no cut holds both)."""
    theirs = owner_of[y]
    if theirs < 0:
        return -2 if node_of[y] == owner else owner
    if owner >= 0:
        return owner if theirs == owner else -2
    for i in range(size):
        if node_of[prefix[i]] == theirs:
            return -2
    return theirs


@njit(cache=True)
def _last_labels(indptr, labels, bits):
    """The last labels of each basket, as many as there is room for, as one number: the last one on top."""
    key = np.zeros(indptr.size - 1, np.int64)
    for t in range(key.size):
        room = _KEY_BITS - bits
        j = indptr[t + 1] - 1
        while room >= 0 and j >= indptr[t]:
            key[t] |= np.int64(labels[j]) << room
            room -= bits
            j -= 1
    return key


@njit(cache=True)
def _in_order(indptr, labels, order):
    """The same baskets, one after the other in this order."""
    new_indptr, new_labels = np.zeros_like(indptr), np.empty_like(labels)
    place = 0
    for i in range(order.size):
        for j in range(indptr[order[i]], indptr[order[i] + 1]):
            new_labels[place] = labels[j]
            place += 1
        new_indptr[i + 1] = place
    return new_indptr, new_labels


@njit(cache=True)
def _count_extensions(arena, start, stop, indptr, labels, n_usable, allowed, size, k, tally, touched):
    """Counts, over the baskets of an itemset, people, baskets, and baskets of fewer than k people for each label."""
    n_touched = 0
    for a in range(start, stop):
        people = arena[a, 2]
        for j in range(arena[a, 1], indptr[arena[a, 0] + 1]):
            y = labels[j]
            if y >= n_usable:
                break
            if allowed[y] < size:
                continue
            if tally[y, 1] == 0:
                touched[n_touched] = y
                n_touched += 1
            tally[y, 0] += people
            tally[y, 1] += 1
            if people < k:
                tally[y, 2] += 1
    return n_touched


@njit(cache=True)
def _hand_on(arena, start, stop, indptr, labels, n_usable, place, first, key, bits):
    """Writes each basket, cut off behind y, to the place of each extension y it holds.

    If the one before it, from first[y] on, has the same labels left, the two become one.
    """
    for a in range(start, stop):
        t, people = arena[a, 0], arena[a, 2]
        end = indptr[t + 1]
        for j in range(arena[a, 1], end - 1):
            y = labels[j]
            if y >= n_usable:
                break
            here, room = place[y], _KEY_BITS - bits * (end - j - 1)
            if here < 0:
                continue
            if here > first[y] and room >= 0:
                before = arena[here - 1, 0]
                same_length = indptr[before + 1] - arena[here - 1, 1] == end - j - 1
                if same_length and key[before] >> room == key[t] >> room:
                    arena[here - 1, 2] += people
                    continue
            arena[here, 0] = t
            arena[here, 1] = j + 1
            arena[here, 2] = people
            place[y] = here + 1


@njit(cache=True)
def _grown(array, needed):
    """The array itself, or a copy of at least twice its length if it has fewer rows than needed."""
    if needed <= array.shape[0]:
        return array
    bigger = np.empty((max(needed, 2 * array.shape[0]), array.shape[1]), array.dtype)
    for i in range(array.shape[0]):  # in loops: a slice of a 2-d array takes Numba seconds to compile
        for j in range(array.shape[1]):
            bigger[i, j] = array[i, j]
    return bigger


def mine(
    baskets: tuple[np.ndarray, np.ndarray, np.ndarray],
    n_anchors: int,
    owner_of: np.ndarray,
    node_of: np.ndarray,
    k: int,
    m: int,
    least_owner: int,
    most_visits: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Threats of up to m labels in the child cuts, each holding an anchor: (nodes one after another, ends, owners), and
    how many baskets were looked at, once for each itemset. It ends when these are more than `most_visits`.

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
        indptr, labels = _in_order(indptr, labels, order)
        weight, key = weight[order], key[order]
    found: tuple[np.ndarray, np.ndarray, np.ndarray, int] = _mined(
        indptr, labels, weight, key, bits, n_anchors, owner_of, node_of, k, m, least_owner, most_visits
    )
    return found


@njit(cache=True)
def _mined(indptr, labels, weight, key, bits, n_anchors, owner_of, node_of, k, m, least_owner, most_visits):
    """`mine` on baskets in the order of their keys, which hold their last labels in so many bits each."""
    n_labels = owner_of.size
    tally = np.zeros((n_labels, 3), np.int64)
    touched = np.empty(n_labels, np.int32)
    place = np.full(n_labels, -1, np.int64)
    first = np.empty(n_labels, np.int64)
    allowed = np.ones(n_labels, np.int32)  # the largest itemset, of those on the way down, that y may extend

    nodes = np.empty((64, 1), np.int32)
    threats = np.empty((64, 2), np.int64)  # where in `nodes` it ends, whose child cut it is in
    n_nodes = n_threats = 0

    # The itemset at hand, and for each of its beginnings the extensions: label, from and to where in the arena.
    itemset = np.empty(m, np.int32)
    owner = np.full(m + 1, -1, np.int32)
    extensions = np.empty((n_labels + 16, 3), np.int64)
    levels = np.zeros((4, m + 1), np.int64)
    begin, done, finish, top = levels[0], levels[1], levels[2], levels[3]
    arena = np.empty((2 * (weight.size + labels.size), 3), np.int64)  # basket, first position not yet used, people
    for t in range(weight.size):
        arena[t, 0] = t
        arena[t, 1] = indptr[t]
        arena[t, 2] = weight[t]

    size, start, stop, visits = np.int64(0), np.int64(0), np.int64(weight.size), np.int64(0)
    while True:
        visits += stop - start
        n_usable = n_labels if size else n_anchors
        n_touched = _count_extensions(arena, start, stop, indptr, labels, n_usable, allowed, size, k, tally, touched)
        begin[size] = finish[size - 1] if size else 0
        finish[size] = begin[size]
        top[size] = top[size - 1] if size else stop
        for i in range(n_touched):
            y = touched[i]
            whose = _owner_after(owner[size], owner_of, node_of, itemset, size, y)
            extend = False
            if whose > -2 and tally[y, 0] >= k:
                extend = tally[y, 2] > 0 and size + 1 < m
            elif whose >= least_owner:
                nodes = _grown(nodes, n_nodes + size + 1)
                threats = _grown(threats, n_threats + 1)
                itemset[size] = y
                for p in range(size + 1):
                    nodes[n_nodes, 0] = node_of[itemset[p]]
                    n_nodes += 1
                threats[n_threats, 0] = n_nodes
                threats[n_threats, 1] = whose
                n_threats += 1
            if extend:
                extensions = _grown(extensions, finish[size] + 1)
                extensions[finish[size], 0] = y
                extensions[finish[size], 1] = top[size]
                finish[size] += 1
                place[y] = first[y] = top[size]
                top[size] += tally[y, 1]
            allowed[y] = size + 1 if extend else min(allowed[y], size)
            tally[y, 0] = tally[y, 1] = tally[y, 2] = 0
        if finish[size] > begin[size]:
            arena = _grown(arena, top[size])
            _hand_on(arena, start, stop, indptr, labels, n_usable, place, first, key, bits)
        for e in range(begin[size], finish[size]):
            extensions[e, 2] = place[extensions[e, 0]]
            place[extensions[e, 0]] = -1
        done[size] = begin[size]

        while done[size] == finish[size]:
            for e in range(begin[size], finish[size]):
                allowed[extensions[e, 0]] = size
            if size == 0 or visits > most_visits:
                found = nodes[:n_nodes, 0].copy(), threats[:n_threats, 0].copy(), threats[:n_threats, 1].copy()
                return found[0], found[1], found[2], visits
            size -= 1
        y, start, stop = np.int32(extensions[done[size], 0]), extensions[done[size], 1], extensions[done[size], 2]
        done[size] += 1
        owner[size + 1] = _owner_after(owner[size], owner_of, node_of, itemset, size, y)
        itemset[size] = y
        size += 1
