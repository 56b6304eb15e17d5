"""Baskets on their way into a search: how many hold a node, which of them go to which child, and what they hold of the
cut's nodes, as sorted sets of labels.

Labels are small integers, −1 means none. The loops are kernels that are given all arrays they work in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel


def supports(indptr: np.ndarray, items: np.ndarray, weight: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """How many people hold each node of the tree, or a leaf below it."""
    support, seen = np.zeros(parent.size, np.int64), np.full(parent.size, -1, np.int64)
    for start, stop in spans(weight.size):
        _support(start, stop, indptr, items, weight, parent, seen, support)
    return support


@kernel
def _support(start, stop, indptr, items, weight, parent, seen, support):
    for t in range(start, stop):
        for j in range(indptr[t], indptr[t + 1]):
            node = items[j]
            while node >= 0 and seen[node] != t:
                seen[node] = t
                support[node] += weight[t]
                node = parent[node]


def share_out(
    tids: np.ndarray,
    indptr: np.ndarray,
    items: np.ndarray,
    above: np.ndarray,
    subtree: tuple[int, int],
    index: np.ndarray,
    n_children: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The baskets of each child of a node, from the node's baskets: those of child c are shared[starts[c]:starts[c+1]].

    The node's subtree is first..end−1; `above` is the child over each leaf of it, `index` counts the children.
    """
    place, starts = np.zeros(n_children, np.int64), np.zeros(n_children + 1, np.int64)
    shared = np.empty(0, np.int32)
    for writing in (False, True):
        seen = np.full(n_children, -1, np.int64)
        for start, stop in spans(tids.size):
            _share(start, stop, tids, indptr, items, above, *subtree, index, seen, place, shared, writing)
        if not writing:
            np.cumsum(place, out=starts[1:])
            place, shared = starts[:-1].copy(), np.empty(starts[-1], np.int32)
    return starts, shared


@kernel
def _share(start, stop, tids, indptr, items, above, first, end, index, seen, place, shared, writing):
    """Counts the baskets of each child, or writes them."""
    for a in range(start, stop):
        for j in range(indptr[tids[a]], indptr[tids[a] + 1]):
            x = items[j]
            if first < x < end:
                c = index[above[x]]
                if seen[c] != a:
                    seen[c] = a
                    if writing:
                        shared[place[c]] = tids[a]
                    place[c] += 1


class _Labelled(NamedTuple):
    """Distinct label sets one after another, as far as they are known, and a table by their hashes."""

    indptr: np.ndarray
    labels: np.ndarray
    weight: np.ndarray
    table: np.ndarray  # as many slots as a power of two


def relabel(
    tids: np.ndarray,
    indptr: np.ndarray,
    items: np.ndarray,
    weight: np.ndarray,
    above: np.ndarray,
    below: np.ndarray,
    label: np.ndarray,
    first: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The given baskets as sorted label sets: for each leaf, the cut's node above it and that node's child towards it.

    Nodes labelled −1 are left out. Equal sets are merged and their weights added. Labels that rise with the nodes from
    node `first` on, and from the last node on to those before it, come out sorted and cost no sorting.
    """
    total = int((indptr[1:][tids] - indptr[tids]).sum())
    slots = 1 << max(4, (2 * tids.size - 1).bit_length())
    out = _Labelled(
        np.zeros(tids.size + 1, np.int64),
        np.empty(2 * total, np.int32),
        np.empty(tids.size, np.int64),
        np.full(slots, -1, np.int32),
    )
    n = 0
    for start, stop in spans(tids.size):
        n = _relabel(start, stop, tids, indptr, items, weight, above, below, label, first, out, n)
    return out.indptr[: n + 1], out.labels[: out.indptr[n]], out.weight[:n]


@inner
def sort(array, start, stop):
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


@kernel
def _relabel(first_tid, last_tid, tids, indptr, items, weight, above, below, label, first, out, n):
    """`relabel` for some of the baskets, behind n different ones; how many there are then."""
    mask = out.table.size - 1
    for a in range(first_tid, last_tid):
        t = tids[a]
        start = stop = out.indptr[n]
        begin, end = indptr[t], indptr[t + 1]
        turn = begin
        while turn < end and items[turn] < first:
            turn += 1
        upper = lower = np.int32(-1)
        rising = True
        for i in range(begin, end):
            j = turn + i - begin
            x = items[j if j < end else j - (end - begin)]
            for side in range(2):
                node = above[x] if side == 0 else below[x]
                if node >= 0 and node != upper and node != lower and label[node] >= 0:
                    rising &= stop == start or out.labels[stop - 1] < label[node]
                    out.labels[stop] = label[node]
                    stop += 1
            upper, lower = above[x], below[x]
        if not rising:
            sort(out.labels, start, stop)
        key = np.uint64(1469598103934665603)
        for i in range(start, stop):
            key = (key ^ np.uint64(out.labels[i])) * np.uint64(1099511628211)
        slot = np.int64((key ^ (key >> np.uint64(29))) & np.uint64(mask))
        while True:
            other = out.table[slot]
            if other < 0:
                out.table[slot] = n
                out.weight[n] = weight[t]
                n += 1
                out.indptr[n] = stop
                break
            length = out.indptr[other + 1] - out.indptr[other]
            same = length == stop - start
            i = 0
            while same and i < length:
                same = out.labels[out.indptr[other] + i] == out.labels[start + i]
                i += 1
            if same:
                out.weight[other] += weight[t]
                break
            slot = (slot + 1) & mask
    return n
