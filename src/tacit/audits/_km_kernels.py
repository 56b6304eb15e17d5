"""Inner loops of the audit of baskets. They share nothing with any method: a mistake there must not hide here.

Baskets stand in a prefix tree (`Trie`). Items are numbered from the rarest to the most frequent, and a basket is
the way from its node up to the root: upwards the numbers grow. What a set X of items leaves open (the baskets that
hold X, with their items numbered above X) is then a list of (node, number of baskets): the *entries* of X. Entries
at the same node merge, and an entry of k or more baskets hides everything above it: k people share all of that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

COMPLETE, STOPPED, EXHAUSTED = 0, 1, 2

_OPTIONS: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
_kernel = njit(**_OPTIONS)
_inner = njit(**_OPTIONS | {"no_cpython_wrapper": True})  # called by kernels only: half the time to compile


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


@_inner
def _longer(array, size):
    out = np.empty(size, array.dtype)
    for i in range(array.size):
        out[i] = array[i]
    return out


@_inner
def _sort(array, n):
    """Sort the first n in place (Shell's way; NumPy's sort takes a second to compile)."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            value, j = array[i], i
            while j >= gap and array[j - gap] > value:
                array[j] = array[j - gap]
                j -= gap
            array[j] = value
        gap //= 2


@_kernel
def merge_equal(indptr, items):
    """Distinct baskets: the first row of each, and how many there are of it (a hash table that grows)."""
    rows = indptr.size - 1
    mask = np.int64(1023)
    table = np.full(mask + 1, -1, np.int64)
    first = np.empty(512, np.int64)
    code = np.empty(512, np.int64)
    weight = np.empty(512, np.int64)
    found = 0
    for row in range(rows):
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
        if table[slot] >= 0:
            continue
        table[slot] = found
        first[found], code[found], weight[found] = row, h, 1
        found += 1
        if found == first.size:
            first, code, weight = _longer(first, 2 * found), _longer(code, 2 * found), _longer(weight, 2 * found)
            mask = 2 * mask + 1
            table = np.full(mask + 1, -1, np.int64)
            for other in range(found):
                slot = (code[other] ^ (code[other] >> 21)) & mask
                while table[slot] >= 0:
                    slot = (slot + 1) & mask
                table[slot] = other
    return first[:found], weight[:found]


@_kernel
def sort_baskets(indptr, items, n_items):
    """The items of every basket in falling order, by counting."""
    start, cursor = np.zeros(n_items + 1, np.int64), np.zeros(n_items, np.int64)
    for x in items:
        start[x + 1] += 1
    for x in range(n_items):
        start[x + 1] += start[x]
        cursor[x] = start[x]
    row_of = np.empty(items.size, np.int64)
    for row in range(indptr.size - 1):
        for p in range(indptr[row], indptr[row + 1]):
            row_of[cursor[items[p]]] = row
            cursor[items[p]] += 1
    out = np.empty(items.size, np.int32)
    place = indptr[:-1].copy()
    for x in range(n_items - 1, -1, -1):
        for q in range(start[x], start[x + 1]):
            out[place[row_of[q]]] = x
            place[row_of[q]] += 1
    return out


@_kernel
def plant(indptr, items, weight):
    """The nodes of the prefix tree as (item, parent, baskets ending here); `items` fall inside a basket."""
    mask = np.int64(1)
    while mask < 2 * items.size + 2:
        mask = 2 * mask + 1
    table = np.full(mask + 1, -1, np.int32)
    item = np.empty(items.size + 1, np.int32)
    parent = np.empty(items.size + 1, np.int32)
    own = np.zeros(items.size + 1, np.int64)
    parent[0] = -1
    nodes = 1
    for row in range(indptr.size - 1):
        node = np.int64(0)
        for p in range(indptr[row], indptr[row + 1]):
            x = np.int64(items[p])
            h = node * 1000003 + x * 40503
            slot = (h ^ (h >> 17)) & mask
            while table[slot] >= 0 and (parent[table[slot]] != node or item[table[slot]] != x):
                slot = (slot + 1) & mask
            if table[slot] < 0:
                table[slot] = nodes
                item[nodes], parent[nodes] = x, node
                nodes += 1
            node = np.int64(table[slot])
        own[node] += weight[row]
    return item[:nodes], parent[:nodes], own[:nodes]


@_kernel
def number_in_preorder(item, parent, own):
    """The same nodes renumbered so that a subtree is a range; with depth and the baskets below each node."""
    nodes = item.size
    below = np.ones(nodes, np.int64)
    passing = own.copy()
    for v in range(nodes - 1, 0, -1):
        below[parent[v]] += below[v]
        passing[parent[v]] += passing[v]
    place = np.zeros(nodes, np.int64)
    free = np.ones(nodes, np.int64)
    out_item = np.empty(nodes, np.int32)
    out_parent = np.empty(nodes, np.int32)
    depth = np.zeros(nodes, np.int32)
    out_own, weight = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    for v in range(nodes):
        at = np.int64(0)
        out_parent[at] = -1
        if v > 0:
            above = parent[v]
            at = free[above]
            free[above] += below[v]
            out_parent[at] = place[above]
            depth[at] = depth[place[above]] + 1
        place[v], free[v] = at, at + 1
        out_item[at], out_own[at], weight[at] = item[v], own[v], passing[v]
    return out_item, out_parent, depth, weight, out_own


@_inner
def _holds(trie, node, itemset):
    """Whether the way up from a node of the first item of an itemset (items rising) passes all its items."""
    above = trie.parent[node]
    i = 1
    while i < itemset.size and trie.item[above] <= itemset[i]:
        if trie.item[above] == itemset[i]:
            i += 1
        above = trie.parent[above]
    return i == itemset.size


@_kernel
def count_support(trie, itemset, stop):
    """Baskets that hold the itemset, counted until `stop` is reached."""
    total = np.int64(0)
    for q in range(trie.head[itemset[0]], trie.head[itemset[0] + 1]):
        if _holds(trie, trie.order[q], itemset):
            total += trie.weight[trie.order[q]]
            if total >= stop:
                break
    return total


@_kernel
def way_up(trie, node):
    """The items of the basket that ends in a node, rising."""
    basket = np.empty(trie.depth[node], np.int32)
    for i in range(basket.size):
        basket[i] = trie.item[node]
        node = trie.parent[node]
    return basket


@_kernel
def containment(trie, ends, stop, shrinking):
    """For the distinct baskets that end in `ends`: in how many baskets each is contained, counted up to `stop`.

    With `shrinking`, `stop` falls to the smallest count met, for those who only ask for the minimum.
    """
    count = np.empty(ends.size, np.int64)
    for i in range(ends.size):
        count[i] = stop
        if trie.own[ends[i]] < stop:
            count[i] = count_support(trie, way_up(trie, ends[i]), stop)
            if shrinking and count[i] < stop:
                stop = count[i]
    return count


@_inner
def _without(itemset, i):
    fewer = np.empty(itemset.size - 1, np.int32)
    for j in range(fewer.size):
        fewer[j] = itemset[j + (j >= i)]
    return fewer


@_kernel
def shrink(trie, itemset, k):
    """A minimal itemset of support below k inside one that has such a support; the most frequent items go first."""
    i = itemset.size - 1
    while i >= 0 and itemset.size > 1:
        fewer = _without(itemset, i)
        if count_support(trie, fewer, k) < k:
            itemset = fewer
        i -= 1
    return itemset


@_kernel
def mark_holders(trie, itemsets, marked):
    """Mark the nodes at and below which every basket holds one of the itemsets (one a row)."""
    for row in range(itemsets.shape[0]):
        first = itemsets[row, 0]
        for q in range(trie.head[first], trie.head[first + 1]):
            if _holds(trie, trie.order[q], itemsets[row]):
                marked[trie.order[q]] = True


@_kernel
def count_marked(trie, marked):
    """Baskets at or below a marked node."""
    total = np.int64(0)
    for v in range(1, marked.size):
        if marked[trie.parent[v]]:
            marked[v] = True
        if marked[v]:
            total += trie.own[v]
    return total


@_inner
def _is_open(trie, node, weight, remaining, threshold):
    """Whether `remaining` more items of an entry can make an itemset below the threshold: light, and deep enough."""
    return weight < threshold and trie.depth[node] > remaining


@_inner
def _count_extensions(trie, nodes, weights, remaining, threshold, before, now, room, touched):
    """now[y] = support of X + y, for every y in an open entry of X that is frequent one level up (`before`).

    room[y] counts the entries of X + y. With one item to go only supports below the threshold are wanted, so
    counting ends when none is left below. Returns how many y were touched (they are listed), how many of those lie
    below the threshold, and the steps taken.
    """
    n_touched, below, steps = 0, 0, 0
    for e in range(nodes.size):
        if _is_open(trie, nodes[e], weights[e], remaining, threshold):
            steps += trie.depth[nodes[e]]
            above = trie.parent[nodes[e]]
            while above > 0:
                y = trie.item[above]
                if before[y] >= threshold:
                    if now[y] == 0:
                        touched[n_touched] = y
                        n_touched += 1
                        room[y] = 0
                    now[y] += weights[e]
                    room[y] += 1
                above = trie.parent[above]
    for i in range(n_touched):
        below += now[touched[i]] < threshold
    for e in range(nodes.size):
        if n_touched == 0 or (below == 0 and remaining == 1):
            break
        if not _is_open(trie, nodes[e], weights[e], remaining, threshold):
            steps += trie.depth[nodes[e]]
            above = trie.parent[nodes[e]]
            while above > 0:
                y = trie.item[above]
                if now[y] > 0:
                    below -= now[y] < threshold <= now[y] + weights[e]
                    now[y] += weights[e]
                    room[y] += 1
                above = trie.parent[above]
    return n_touched, below, steps


@_inner
def _deliver(trie, first, last, entry_node, entry_weight, fill, start):
    """Write the entries of X + y, from those of X (first..last), for every y with fill[y] >= 0; equal nodes merge."""
    for e in range(first, last):
        above = trie.parent[entry_node[e]]
        while above > 0:
            y = trie.item[above]
            at = fill[y]
            if at >= 0:
                if at > start[y] and entry_node[at - 1] == above:
                    entry_weight[at - 1] += entry_weight[e]
                else:
                    entry_node[at], entry_weight[at] = above, entry_weight[e]
                    fill[y] += 1
            above = trie.parent[above]


@_inner
def _has_rare_subset(trie, itemset, threshold):
    """Whether leaving out one item gives a support below the threshold; for the last two it is known not to."""
    for i in range(itemset.size - 2):  # noqa: SIM110 (Numba has no any())
        if count_support(trie, _without(itemset, i), threshold) < threshold:
            return True
    return False


@_kernel
def search(trie, size, threshold, floor, limit, shrinking, budget):
    """Itemsets of exactly `size` (2 or more) items with a support below the threshold, in the order of their numbers.

    shrinking: only the one of least support is wanted; no smaller itemset may lie below the threshold. The threshold
    falls with every find, and the search stops when it reaches `floor`. Otherwise the minimal ones are listed, all of
    whose smaller subsets reach the threshold, and the search stops when there are more than `limit`.
    Returns itemsets, supports, an outcome, and the steps taken; steps beyond the budget end the search (EXHAUSTED).
    """
    n_items = trie.support.size
    found, found_support, n_found = np.empty((limit, size), np.int32), np.empty(limit, np.int64), 0
    # count[d, y]: support of X + y, where X are the first d items chosen; touched[d]: the y for which it is not 0
    count, touched = np.zeros((size, n_items), np.int64), np.empty((size, n_items), np.int32)
    n_touched = np.zeros(size, np.int64)
    room, start, fill = np.empty(n_items, np.int64), np.empty(n_items, np.int64), np.empty(n_items, np.int64)
    # The candidates of depth d are the numbers [next_one[d], end_of[d]); their entries end at entry_end[d].
    item, begin, end = np.empty(n_items, np.int32), np.empty(n_items, np.int64), np.empty(n_items, np.int64)
    next_one, end_of, entry_end = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    entry_node, entry_weight = trie.order.copy(), np.empty(trie.order.size, np.int64)
    for e in range(entry_node.size):
        entry_weight[e] = trie.weight[entry_node[e]]
    for x in range(n_items):
        count[0, x], fill[x] = trie.support[x], -1
        item[x], begin[x], end[x] = x, trie.head[x], trie.head[x + 1]
    end_of[0], entry_end[0] = n_items, entry_node.size
    chosen = np.empty(size, np.int32)
    steps = np.int64(0)
    d = 0
    while d >= 0:
        if next_one[d] == end_of[d]:
            for i in range(n_touched[d]):
                count[d, touched[d, i]] = 0
            d -= 1
            continue
        if steps >= budget:
            return found[:n_found], found_support[:n_found], EXHAUSTED, steps
        at = next_one[d]
        next_one[d] += 1
        first, last, remaining = begin[at], end[at], size - d - 1
        steps += last - first
        if count[d, item[at]] < threshold:
            continue
        chosen[d] = item[at]
        now, ys = count[d + 1], touched[d + 1]
        n, below, taken = _count_extensions(
            trie, entry_node[first:last], entry_weight[first:last], remaining, threshold, count[d], now, room, ys
        )
        steps += taken
        if remaining > 1 or below > 0:
            _sort(ys, n)
        if remaining > 1:
            top, entry_top = end_of[d], entry_end[d]
            for i in range(n):
                if now[ys[i]] >= threshold:
                    start[ys[i]], fill[ys[i]] = entry_top, entry_top
                    entry_top += room[ys[i]]
            if entry_top > entry_node.size:
                entry_node, entry_weight = _longer(entry_node, 2 * entry_top), _longer(entry_weight, 2 * entry_top)
            if top + n > item.size:
                item, begin, end = _longer(item, 2 * top + n), _longer(begin, 2 * top + n), _longer(end, 2 * top + n)
            _deliver(trie, first, last, entry_node, entry_weight, fill, start)
            for i in range(n):
                y = ys[i]
                if fill[y] >= 0:
                    item[top], begin[top], end[top] = y, start[y], fill[y]
                    fill[y] = -1
                    top += 1
            d += 1
            n_touched[d], next_one[d], end_of[d], entry_end[d] = n, end_of[d - 1], top, entry_top
            continue

        for i in range(n):
            support, now[ys[i]] = now[ys[i]], 0
            if support >= threshold:
                continue
            chosen[d + 1] = ys[i]
            if not shrinking:
                steps += size * (trie.head[chosen[1] + 1] - trie.head[chosen[1]])
                if _has_rare_subset(trie, chosen, threshold):
                    continue
                if n_found == limit:
                    return found, found_support, STOPPED, steps
            row = 0 if shrinking else n_found
            for j in range(size):
                found[row, j] = chosen[j]
            found_support[row], n_found = support, row + 1
            if shrinking:
                threshold = support
                if threshold <= floor:
                    return found, found_support, STOPPED, steps
    return found[:n_found], found_support[:n_found], COMPLETE, steps
