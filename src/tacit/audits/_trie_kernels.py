"""Baskets as a prefix tree, for the audit of baskets: it is planted, and counted in.

Items are numbered from the rarest to the most frequent, and a basket is the way from its node up to the root: upwards
the numbers grow. Nothing here is shared with any method: a mistake there must not hide here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel

_FEW = 1 << 20
_LONG = 100
"""An itemset of more items is made smaller by a kernel: all of them are looked at, for each of them."""


class Trie(NamedTuple):
    """Distinct baskets as a prefix tree; nodes in preorder, node 0 is the root (its item is one past the last)."""

    item: np.ndarray  # int32
    parent: np.ndarray  # int32
    depth: np.ndarray  # int32: number of items from the node up to the root
    weight: np.ndarray  # int64: baskets that pass through the node or end in it
    own: np.ndarray  # int64: baskets that end in the node
    head: np.ndarray  # int64: the nodes of item x are order[head[x] : head[x + 1]], in preorder
    order: np.ndarray  # int32
    support: np.ndarray  # int64 per item


def merge_equal(indptr: np.ndarray, items: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct baskets: the first row of each, and how many there are of it."""
    rows = indptr.size - 1
    table = np.full(1 << max(4, (2 * rows).bit_length()), -1, np.int32)
    first, code, weight = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
    found = 0
    for start, stop in spans(rows):
        found = _merge(start, stop, indptr, items, table, first, code, weight, found)
    return first[:found].copy(), weight[:found].copy()


@kernel
def _merge(first_row, last_row, indptr, items, table, first, code, weight, found):
    """Looks so many more rows up in a hash table of the different ones; how many there are then."""
    mask = table.size - 1
    for row in range(first_row, last_row):
        start, length = indptr[row], indptr[row + 1] - indptr[row]
        h = length
        for p in range(start, start + length):
            h = (h * 1000003 + items[p] + 1) & 0x3FFFFFFFFFF
        slot = (h ^ (h >> 21)) & mask
        while table[slot] >= 0:
            other = table[slot]
            begin = indptr[first[other]]
            if code[other] == h and indptr[first[other] + 1] - begin == length:
                p = 0
                while p < length and items[begin + p] == items[start + p]:
                    p += 1
                if p == length:
                    weight[other] += 1
                    break
            slot = (slot + 1) & mask
        if table[slot] < 0:
            table[slot] = found
            first[found], code[found], weight[found] = row, h, 1
            found += 1
    return found


def sort_baskets(indptr: np.ndarray, items: np.ndarray, n_items: int) -> np.ndarray:
    """The items of every basket in falling order, by counting; few are sorted, before a kernel is there to count."""
    if items.size <= _FEW:
        row = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
        return (-1 - (np.sort((row << 32) - 1 - items) - (row << 32))).astype(np.int32)
    start = np.concatenate(([0], np.cumsum(np.bincount(items, minlength=n_items))))
    row_of, cursor = np.empty(items.size, np.int64), start.copy()
    for first, last in spans(indptr.size - 1):
        _list_rows(first, last, indptr, items, cursor, row_of)
    out, place = np.empty(items.size, np.int32), indptr[:-1].copy()
    for first, last in spans(n_items):
        _write_falling(first, last, start, row_of, place, out)
    return out


@kernel
def _list_rows(first, last, indptr, items, cursor, row_of):
    """Lists the rows of each item."""
    for row in range(first, last):
        for p in range(indptr[row], indptr[row + 1]):
            row_of[cursor[items[p]]] = row
            cursor[items[p]] += 1


@kernel
def _write_falling(first, last, start, row_of, place, out):
    """Writes into each row the items that it is listed with, from the last one on."""
    for i in range(first, last):
        x = start.size - 2 - i
        for q in range(start[x], start[x + 1]):
            out[place[row_of[q]]] = x
            place[row_of[q]] += 1


def plant(indptr: np.ndarray, items: np.ndarray, weight: np.ndarray) -> list[np.ndarray]:
    """The prefix tree of baskets whose items fall, as arrays by node: item, parent, depth, baskets that pass, or end.

    Nodes are in preorder: a subtree is a range. All baskets grow at once, an item at a time, the longest ones first in
    the arrays: those that still grow stand in front.
    """
    lengths = np.diff(indptr)
    longest_first = np.argsort(-lengths, kind="stable")
    node, starts = np.zeros(lengths.size, np.int64), indptr[:-1][longest_first]
    levels, nodes = [(np.zeros(1, np.int64), np.full(1, -1))], 1
    growing = np.cumsum(np.bincount(lengths)[::-1])[::-1]
    for depth, some in enumerate(growing[1:].tolist()):
        ways, which = np.unique(node[:some] << 32 | items[starts[:some] + depth], return_inverse=True)
        levels.append((ways & 0xFFFFFFFF, ways >> 32))
        node[:some] = nodes + which
        nodes += ways.size
    own = np.zeros(nodes, np.int64)
    np.add.at(own, node, weight[longest_first])
    return _in_preorder(levels, own)


def _in_preorder(levels: list[tuple[np.ndarray, np.ndarray]], own: np.ndarray) -> list[np.ndarray]:
    """The nodes, given level by level with those of one parent side by side, arranged so that a subtree is a range."""
    item, parent = (np.concatenate(arrays) for arrays in zip(*levels, strict=True))
    ends = np.cumsum([each.size for each, _ in levels]).tolist()
    below, passing, place = np.ones(item.size, np.int64), own.copy(), np.zeros(item.size, np.int64)
    ranges = [slice(start, stop) for start, stop in pairwise(ends)]
    eldest = [np.flatnonzero(np.diff(parent[level], prepend=-1)) for level in ranges]
    for level, first in zip(reversed(ranges), reversed(eldest), strict=True):
        for sums in (below, passing):
            sums[parent[level][first]] += np.add.reduceat(sums[level], first)
    for level, first in zip(ranges, eldest, strict=True):
        before = np.cumsum(below[level]) - below[level]
        own_eldest = np.repeat(before[first], np.diff(first, append=before.size))
        place[level] = place[parent[level]] + 1 + before - own_eldest
    by_place = np.empty(place.size, np.int64)
    by_place[place] = np.arange(place.size)
    depth = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    above = np.concatenate((parent[:1], place[parent[by_place[1:]]]))
    arrays = (item[by_place].astype(np.int32), above.astype(np.int32), depth[by_place].astype(np.int32))
    return [*arrays, passing[by_place], own[by_place]]


@inner
def _holds(trie, node, itemsets, row, i):
    """Whether the way up from a node passes all items of a row (they rise) from the i-th on."""
    above = trie.parent[node]
    while i < itemsets.shape[1] and trie.item[above] <= itemsets[row, i]:
        if trie.item[above] == itemsets[row, i]:
            i += 1
        above = trie.parent[above]
    return i == itemsets.shape[1]


@inner
def support(trie, itemset, size, skip, stop):
    """Baskets that hold the first items of an itemset but the one at `skip`, counted until `stop` is reached."""
    lead = 1 if skip == 0 else 0
    total = np.int64(0)
    for q in range(trie.head[itemset[lead]], trie.head[itemset[lead] + 1]):
        node = trie.order[q]
        above, i = trie.parent[node], lead + 1
        i += i == skip
        while i < size and trie.item[above] <= itemset[i]:
            if trie.item[above] == itemset[i]:
                i += 1
                i += i == skip
            above = trie.parent[above]
        if i >= size:
            total += trie.weight[node]
            if total >= stop:
                break
    return total


def count_support(trie: Trie, itemset: np.ndarray) -> int:
    """Baskets that hold the itemset (its items rise)."""
    lead, *others = itemset.tolist()
    nodes = trie.order[trie.head[lead] : trie.head[lead + 1]]
    above = trie.parent[nodes]
    for item in others:
        while (lower := trie.item[above] < item).any():
            above = np.where(lower, trie.parent[above], above)
        nodes, above = nodes[trie.item[above] == item], above[trie.item[above] == item]
    return int(trie.weight[nodes].sum())


def way_up(trie: Trie, node: int) -> np.ndarray:
    """The items of the basket that ends in a node, rising."""
    basket = []
    while node > 0:
        basket.append(trie.item[node])
        node = trie.parent[node]
    return np.array(basket, np.int32)


def containment(trie: Trie, ends: np.ndarray, stop: int, shrinking: bool) -> np.ndarray:
    """For the distinct baskets that end in `ends`: in how many baskets each is contained, counted up to `stop`.

    With `shrinking`, `stop` falls to the smallest count met, for those who only ask for the minimum.
    """
    count, basket, stop = np.empty(ends.size, np.int64), np.empty(trie.depth.max(), np.int32), int(stop)
    for first, last in spans(ends.size, "whole baskets", first=64):
        stop = _contain(first, last, trie, ends, stop, shrinking, basket, count)
    return count


@kernel
def _contain(first, last, trie, ends, stop, shrinking, basket, count):
    """The same for some of the ends; where counting stops then."""
    for i in range(first, last):
        count[i] = stop
        if trie.own[ends[i]] < stop:
            node, size = ends[i], np.int64(0)
            while node > 0:
                basket[size] = trie.item[node]
                size += 1
                node = trie.parent[node]
            count[i] = support(trie, basket, size, np.int64(-1), stop)
            if shrinking and count[i] < stop:
                stop = count[i]
    return stop


def shrink(trie: Trie, itemset: np.ndarray, k: int) -> np.ndarray:
    """A minimal itemset of support below k inside one that has such a support; the most frequent items go first."""
    for i in range(itemset.size - 1, -1, -1):
        if itemset.size > 1 and _support_without(trie, itemset, i, int(k)) < k:
            itemset = np.delete(itemset, i)
    return itemset


def _support_without(trie: Trie, itemset: np.ndarray, i: int, stop: int) -> int:
    """Baskets that hold the itemset but its i-th item; a long one is worth a kernel, which may stop counting."""
    if itemset.size <= _LONG:
        return count_support(trie, np.delete(itemset, i))
    return int(_count_support(trie, itemset, i, stop))


@kernel
def _count_support(trie, itemset, skip, stop):
    return support(trie, itemset, itemset.size, skip, stop)


def mark_holders(trie: Trie, itemsets: np.ndarray, marked: np.ndarray) -> None:
    """Mark the nodes at and below which every basket holds one of the itemsets (one a row)."""
    for start, stop in spans(len(itemsets), first=64):
        _mark_holders(trie, itemsets[start:stop], marked)


@kernel
def _mark_holders(trie, itemsets, marked):
    lead = np.int64(1)
    for row in range(itemsets.shape[0]):
        first = itemsets[row, 0]
        for q in range(trie.head[first], trie.head[first + 1]):
            if _holds(trie, trie.order[q], itemsets, row, lead):
                marked[trie.order[q]] = True


def count_marked(trie: Trie, marked: np.ndarray) -> int:
    """Baskets at or below a marked node."""
    if not marked.any():
        return 0
    for start, stop in spans(marked.size - 1):
        _mark_below(start + 1, stop + 1, trie.parent, marked)
    return int(trie.own[1:][marked[1:]].sum())


@kernel
def _mark_below(first, last, parent, marked):
    for v in range(first, last):
        marked[v] |= marked[parent[v]]
