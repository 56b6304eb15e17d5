"""Inner loops of the audit of baskets. They share nothing with any method: a mistake there must not hide here.

Baskets stand in a prefix tree (`Trie`). Items are numbered from the rarest to the most frequent, and a basket is
the way from its node up to the root: upwards the numbers grow. What a set X of items leaves open (the baskets that
hold X, with their items numbered above X) is then a list of (node, number of baskets): the *entries* of X. Entries
at the same node merge, and an entry of k or more baskets hides everything above it: k people share all of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, spans, tell
from tacit.arrays.jit import inner, kernel

COMPLETE, STOPPED, EXHAUSTED = 0, 1, 2
_GO_ON, _ROOM = 3, 4
_FIRST_BLOCK = 1 << 16  # steps of a search, as quick as they are


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
    """The items of every basket in falling order, by counting."""
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


def plant(indptr: np.ndarray, items: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The nodes of the prefix tree as (item, parent, baskets ending here); `items` fall inside a basket."""
    table = np.full(1 << (2 * items.size + 2).bit_length(), -1, np.int32)
    item, parent = np.empty(items.size + 1, np.int32), np.empty(items.size + 1, np.int32)
    own = np.zeros(items.size + 1, np.int64)
    parent[0] = -1
    nodes = 1
    for start, stop in spans(indptr.size - 1):
        nodes = _plant(start, stop, indptr, items, weight, table, item, parent, own, nodes)
    return item[:nodes], parent[:nodes], own[:nodes]


@kernel
def _plant(first, last, indptr, items, weight, table, item, parent, own, nodes):
    """Plants so many more baskets; how many nodes there are then."""
    mask = table.size - 1
    for row in range(first, last):
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
    return nodes


def in_preorder(
    item: np.ndarray, parent: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The same nodes arranged so that a subtree is a range; with depth and the baskets below each node."""
    below, passing = np.ones(item.size, np.int64), own.copy()
    for start, stop in spans(item.size - 1):
        _sum_up(start, stop, parent, below, passing)
    place, free = np.zeros(item.size, np.int64), np.ones(item.size, np.int64)
    depth = np.zeros(item.size, np.int32)
    above = np.full(item.size, -1, np.int32)
    for start, stop in spans(item.size - 1):
        _arrange(start + 1, stop + 1, parent, below, place, free, above, depth)
    by_place = np.empty(item.size, np.int64)
    by_place[place] = np.arange(item.size)
    return item[by_place], above, depth, passing[by_place], own[by_place]


@kernel
def _sum_up(first, last, parent, below, passing):
    """Adds to what is above a node what is below it, from the last node on."""
    for i in range(first, last):
        v = parent.size - 1 - i
        below[parent[v]] += below[v]
        passing[parent[v]] += passing[v]


@kernel
def _arrange(first, last, parent, below, place, free, above, depth):
    """Gives nodes, parents first, their places in preorder."""
    for v in range(first, last):
        up = parent[v]
        at = free[up]
        free[up] += below[v]
        above[at] = place[up]
        depth[at] = depth[place[up]] + 1
        place[v], free[v] = at, at + 1


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
def _support(trie, itemset, size, skip, stop):
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


def count_support(trie: Trie, itemset: np.ndarray, stop: int) -> int:
    """Baskets that hold the itemset, counted until `stop` is reached."""
    return _count_support(trie, itemset, -1, int(stop))


@kernel
def _count_support(trie, itemset, skip, stop):
    return _support(trie, itemset, itemset.size, skip, stop)


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
            count[i] = _support(trie, basket, size, np.int64(-1), stop)
            if shrinking and count[i] < stop:
                stop = count[i]
    return stop


def shrink(trie: Trie, itemset: np.ndarray, k: int) -> np.ndarray:
    """A minimal itemset of support below k inside one that has such a support; the most frequent items go first."""
    for i in range(itemset.size - 1, -1, -1):
        if itemset.size > 1 and _count_support(trie, itemset, i, int(k)) < k:
            itemset = np.delete(itemset, i)
    return itemset


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
    for start, stop in spans(marked.size - 1):
        _mark_below(start + 1, stop + 1, trie.parent, marked)
    return int(trie.own[1:][marked[1:]].sum())


@kernel
def _mark_below(first, last, parent, marked):
    for v in range(first, last):
        marked[v] |= marked[parent[v]]


class _Table(NamedTuple):
    """people[d, y]: support of X + y, where X are the first d items chosen; touched[d]: the y for which it is not 0."""

    people: np.ndarray
    touched: np.ndarray
    room: np.ndarray  # how many entries X + y has,
    start: np.ndarray  # where they start,
    fill: np.ndarray  # and where the next one goes; −1 for a y that is not extended
    chosen: np.ndarray


class _Levels(NamedTuple):
    """The candidates of depth d are the numbers [next_one[d], end_of[d]); their entries end at entry_end[d]."""

    n_touched: np.ndarray
    next_one: np.ndarray
    end_of: np.ndarray
    entry_end: np.ndarray


class _Growing(NamedTuple):
    """The entries, and the candidates with where their entries begin and end."""

    node: np.ndarray
    weight: np.ndarray
    item: np.ndarray
    begin: np.ndarray
    end: np.ndarray


class _Aim(NamedTuple):
    """What a search is for."""

    size: int
    floor: int
    limit: int
    shrinking: bool
    budget: int


# Where a search is: what it is doing, how deep, with which candidate, how many extensions were touched and listed, the
# steps taken, itemsets found, the threshold, and how many entries and candidates there must be room for
_PHASE, _DEPTH, _AT, _N, _LISTED, _STEPS, _FOUND, _THRESHOLD, _ENTRIES, _CANDIDATES, _STATES = range(11)
_CHOOSING, _DELIVERING, _LISTING = range(3)


def search(
    trie: Trie, size: int, threshold: int, floor: int, limit: int, shrinking: bool, budget: int
) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Itemsets of exactly `size` (2 or more) items with a support below the threshold, in the order of their numbers.

    shrinking: only the one of least support is wanted; no smaller itemset may lie below the threshold. The threshold
    falls with every find, and the search stops when it reaches `floor`. Otherwise the minimal ones are listed, all of
    whose smaller subsets reach the threshold, and the search stops when there are more than `limit`.
    Returns itemsets, supports, an outcome, and the steps taken; steps beyond the budget end the search (EXHAUSTED).
    """
    n_items, n_entries = trie.support.size, trie.order.size
    found, supports = np.empty((limit, size), np.int32), np.empty(limit, np.int64)
    table = _Table(
        np.zeros((size, n_items), np.int64), np.empty((size, n_items), np.int32),
        np.full(n_items, -1), np.full(n_items, -1), np.full(n_items, -1), np.empty(size, np.int32),
    )  # fmt: skip
    table.people[0] = trie.support
    levels = _Levels(*np.zeros((4, size), np.int64))
    levels.end_of[0], levels.entry_end[0] = n_items, n_entries
    growing = _Growing(
        trie.order.copy(), trie.weight[trie.order],
        np.arange(n_items, dtype=np.int32), trie.head[:-1].copy(), trie.head[1:].copy(),
    )  # fmt: skip
    aim = _Aim(size, int(floor), limit, shrinking, int(budget))
    state = np.zeros(_STATES, np.int64)
    state[_THRESHOLD] = threshold
    outcome = _GO_ON
    for steps in blocks(_FIRST_BLOCK):
        outcome = _search(steps, state, trie, aim, table, levels, growing, found, supports)
        if outcome < _GO_ON:
            break
        growing = _Growing(
            *(_longer(array, int(state[_ENTRIES])) for array in growing[:2]),
            *(_longer(array, int(state[_CANDIDATES])) for array in growing[2:]),
        )
        tell(f"itemsets of {size}", levels.next_one[0] / n_items)
    n = int(state[_FOUND])
    return found[:n], supports[:n], outcome, int(state[_STEPS])


def _longer(array: np.ndarray, size: int) -> np.ndarray:
    """The array, or a copy of at least twice its length if it is shorter than that."""
    if size <= array.size:
        return array
    out = np.empty(max(size, 2 * array.size), array.dtype)
    out[: array.size] = array
    return out


@inner
def _sort(array, row, n):
    """Sort the first n of a row in place (Shell's way; NumPy's sort takes a second to compile)."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            value, j = array[row, i], i
            while j >= gap and array[row, j - gap] > value:
                array[row, j] = array[row, j - gap]
                j -= gap
            array[row, j] = value
        gap //= 2


@inner
def _count_extensions(trie, first, last, growing, d, remaining, threshold, table):
    """people[d + 1, y] = support of X + y, for every y in an open entry of X that is frequent one level up.

    An entry is open if `remaining` more items of it can make an itemset below the threshold: light, and deep enough.
    room[y] counts the entries of X + y. With one item to go only supports below the threshold are wanted, so
    counting ends when none is left below. Returns how many y were touched (they are listed), how many of those lie
    below the threshold, and the steps taken.
    """
    people, room = table.people, table.room
    n_touched, below, steps = np.int64(0), np.int64(0), np.int64(0)
    for open_ones in range(1, -1, -1):
        for e in range(first, last):
            if open_ones == 0 and (n_touched == 0 or (below == 0 and remaining == 1)):
                break
            node, weight = growing.node[e], growing.weight[e]
            if (weight < threshold and trie.depth[node] > remaining) != (open_ones == 1):
                continue
            steps += trie.depth[node]
            above = trie.parent[node]
            while above > 0:
                y = trie.item[above]
                now = people[d + 1, y]
                if open_ones == 1 and people[d, y] >= threshold:
                    if now == 0:
                        table.touched[d + 1, n_touched] = y
                        n_touched += 1
                        room[y] = 0
                    people[d + 1, y] = now + weight
                    room[y] += 1
                elif open_ones == 0 and now > 0:
                    below -= now < threshold <= now + weight
                    people[d + 1, y] = now + weight
                    room[y] += 1
                above = trie.parent[above]
        if open_ones == 1:
            for i in range(n_touched):
                below += people[d + 1, table.touched[d + 1, i]] < threshold
    return n_touched, below, steps


@inner
def _deliver(trie, state, table, levels, growing):
    """Writes the entries of X + y, from those of X, for every y that is frequent; equal nodes merge. One level deeper
    these y are the candidates."""
    d, at, n = state[_DEPTH], state[_AT], state[_N]
    start, fill = table.start, table.fill
    entry_top = levels.entry_end[d]
    for i in range(n):
        y = table.touched[d + 1, i]
        if table.people[d + 1, y] >= state[_THRESHOLD]:
            start[y] = fill[y] = entry_top
            entry_top += table.room[y]
    for e in range(growing.begin[at], growing.end[at]):
        above = trie.parent[growing.node[e]]
        while above > 0:
            place = fill[trie.item[above]]
            if place >= 0:
                if place > start[trie.item[above]] and growing.node[place - 1] == above:
                    growing.weight[place - 1] += growing.weight[e]
                else:
                    growing.node[place], growing.weight[place] = above, growing.weight[e]
                    fill[trie.item[above]] += 1
            above = trie.parent[above]
    top = levels.end_of[d]
    for i in range(n):
        y = table.touched[d + 1, i]
        if fill[y] >= 0:
            growing.item[top], growing.begin[top], growing.end[top] = y, start[y], fill[y]
            fill[y] = -1
            top += 1
    d += 1
    levels.n_touched[d], levels.next_one[d] = n, levels.end_of[d - 1]
    levels.end_of[d], levels.entry_end[d] = top, entry_top
    state[_DEPTH] = d


@inner
def _needs_room(state, table, levels, growing):
    """Whether there is too little room to go deeper; says how much there must be."""
    d = state[_DEPTH]
    state[_ENTRIES], state[_CANDIDATES] = levels.entry_end[d], levels.end_of[d] + state[_N]
    for i in range(state[_N]):
        y = table.touched[d + 1, i]
        if table.people[d + 1, y] >= state[_THRESHOLD]:
            state[_ENTRIES] += table.room[y]
    return state[_ENTRIES] > growing.node.size or state[_CANDIDATES] > growing.item.size


@inner
def _has_rare_subset(trie, itemset, threshold):
    """Whether leaving out one item gives a support below the threshold; for the last two it is known not to."""
    for i in range(itemset.size - 2):  # noqa: SIM110 (Numba has no any())
        if _support(trie, itemset, itemset.size, i, threshold) < threshold:
            return True
    return False


@inner
def _list_next(trie, state, aim, table, found, supports):
    """Looks at the next extension with which the itemset is complete; the outcome, if the search ends with it."""
    d, threshold, chosen = state[_DEPTH], state[_THRESHOLD], table.chosen
    y = table.touched[d + 1, state[_LISTED]]
    state[_LISTED] += 1
    support = table.people[d + 1, y]
    table.people[d + 1, y] = 0
    if support >= threshold:
        return _GO_ON
    chosen[d + 1] = y
    row = np.int64(0)
    if not aim.shrinking:
        state[_STEPS] += aim.size * (trie.head[chosen[1] + 1] - trie.head[chosen[1]])
        if _has_rare_subset(trie, chosen, threshold):
            return _GO_ON
        row = state[_FOUND]
        if row == aim.limit:
            return STOPPED
    for j in range(aim.size):
        found[row, j] = chosen[j]
    supports[row] = support
    state[_FOUND] = row + 1
    if aim.shrinking:
        state[_THRESHOLD] = support
        if support <= aim.floor:
            return STOPPED
    return _GO_ON


@kernel
def _search(block, state, trie, aim, table, levels, growing, found, supports):
    """Goes on with a search for about so many steps; its outcome, if it is over, or what it needs."""
    pause, turns = state[_STEPS] + block, np.int64(0)
    while state[_STEPS] + turns < pause:
        turns += 1
        d = state[_DEPTH]
        if state[_PHASE] == _LISTING:
            if state[_LISTED] == state[_N]:
                state[_PHASE] = _CHOOSING
            else:
                outcome = _list_next(trie, state, aim, table, found, supports)
                if outcome != _GO_ON:
                    return outcome
            continue
        if state[_PHASE] == _DELIVERING:
            if _needs_room(state, table, levels, growing):
                return _ROOM
            _deliver(trie, state, table, levels, growing)
            state[_PHASE] = _CHOOSING
            continue
        if levels.next_one[d] == levels.end_of[d]:
            for i in range(levels.n_touched[d]):
                table.people[d, table.touched[d, i]] = 0
            if d == 0:
                return COMPLETE
            state[_DEPTH] -= 1
            continue
        if state[_STEPS] >= aim.budget:
            return EXHAUSTED
        at = levels.next_one[d]
        levels.next_one[d] += 1
        first, last, remaining = growing.begin[at], growing.end[at], aim.size - d - 1
        state[_STEPS] += last - first
        if table.people[d, growing.item[at]] < state[_THRESHOLD]:
            continue
        table.chosen[d], state[_AT], state[_LISTED] = growing.item[at], at, 0
        n, below, taken = _count_extensions(trie, first, last, growing, d, remaining, state[_THRESHOLD], table)
        state[_STEPS] += taken
        state[_N] = n
        if remaining > 1 or below > 0:
            _sort(table.touched, d + 1, n)
        state[_PHASE] = _DELIVERING if remaining > 1 else _LISTING
    return _GO_ON
