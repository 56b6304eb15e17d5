"""Kernels of MM: count the minimal moles of each item, and suppress the item that takes part in most per loss.

A mole is an itemset that too few baskets hold, or whose baskets give a private item away. The moles are not kept.
They are counted once, and when an item is suppressed those that hold it are met once more, to be taken off the
counts of the other items in them: memory stays near that of the data, however many moles there are.

Labels 0..n_public−1 are public items, those behind are private ones. Rows are sorted, so the private ones are last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
kernel = njit(**_OPTIONS)
inner = njit(**_OPTIONS | {"no_cpython_wrapper": True})  # called by kernels only: less to compile


# Plain numbers would be types of their own, and what takes them compiled once for each
_ADD, _TAKE_OFF = np.int64(1), np.int64(-1)


class Rows(NamedTuple):
    """Distinct baskets: row r is items[begin[r]:end[r]], of weight[r] people; item x is in the rows
    holders[first[x]:first[x + 1]]."""

    begin: np.ndarray
    end: np.ndarray
    items: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    holders: np.ndarray
    n_public: int


class Promise(NamedTuple):
    """(h, k, p)-coherence, h = part / whole. If h is 1 no private item is guarded. `rest_is_sound`: it is known that
    every mole has p items."""

    k: int
    p: int
    part: int
    whole: int
    guarded: bool
    rest_is_sound: bool


class Tally(NamedTuple):
    """For each label, over the rows at hand: how many people, rows, and rows of fewer than k people have it;
    `beside`: people who have a private item, too; `exposed`: whether those are too many for one such item."""

    people: np.ndarray
    rows: np.ndarray
    light: np.ndarray
    beside: np.ndarray
    exposed: np.ndarray
    allowed: np.ndarray  # the largest itemset, of those on the way down, that the label may extend
    place: np.ndarray
    touched: np.ndarray
    held: np.ndarray  # private items that are met, and the rows of each: a chain from its head
    head: np.ndarray
    chain: np.ndarray
    link: np.ndarray


@inner
def _grown(array, needed):
    """The array itself, or a copy of at least twice its length if it has fewer rows than needed."""
    if needed <= array.shape[0]:
        return array
    bigger = np.empty((max(needed, 2 * array.shape[0]), array.shape[1]), array.dtype)
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            bigger[i, j] = array[i, j]
    return bigger


@inner
def _slot(table, key):
    """Where the key is in the table, or the empty slot where it belongs."""
    slot = np.int64((key ^ (key >> np.uint64(32))) & np.uint64(table.size - 1))
    while table[slot] != 0 and table[slot] != key:
        slot = (slot + 1) & (table.size - 1)
    return slot


@inner
def _with_room(table, needed):
    """The table, or one with twice as many slots as needed."""
    if 2 * needed <= table.size:
        return table
    size = table.size
    while size < 4 * needed:
        size *= 2
    bigger = np.zeros(size, np.uint64)
    for key in table:
        if key != 0:
            bigger[_slot(bigger, key)] = key
    return bigger


@inner
def _count(arena, start, stop, rows, k, size, tally):
    """Counts the labels that may extend an itemset over its rows; gives how many there are, listed in `touched`."""
    n_touched = 0
    for a in range(start, stop):
        r = arena[a, 0]
        weight = rows.weight[r]
        for j in range(arena[a, 1], rows.end[r]):
            y = rows.items[j]
            if y >= rows.n_public:
                break
            if tally.allowed[y] < size:
                continue
            if tally.rows[y] == 0:
                tally.touched[n_touched] = y
                n_touched += 1
            tally.people[y] += weight
            tally.rows[y] += 1
            tally.light[y] += weight < k
    return n_touched


@inner
def _expose(arena, start, stop, rows, promise, tally):
    """Marks the labels beside which some private item is too frequent, private item by private item."""
    used, n_private = 0, 0
    for a in range(start, stop):
        j = rows.end[arena[a, 0]] - 1
        while j >= rows.begin[arena[a, 0]] and rows.items[j] >= rows.n_public:
            z = rows.items[j] - rows.n_public
            if tally.head[z] < 0:
                tally.held[n_private] = z
                n_private += 1
            tally.chain[used], tally.link[used], tally.head[z] = a, tally.head[z], used
            used += 1
            j -= 1
    for i in range(n_private):
        z = tally.held[i]
        for settle in range(2):
            at = tally.head[z]
            while at >= 0:
                r = arena[tally.chain[at], 0]
                for j in range(arena[tally.chain[at], 1], rows.end[r]):
                    y = rows.items[j]
                    if y >= rows.n_public:
                        break
                    if tally.rows[y] == 0:
                        continue
                    if settle == 0:
                        tally.beside[y] += rows.weight[r]
                    elif tally.beside[y] > 0:
                        if tally.beside[y] * promise.whole > tally.people[y] * promise.part:
                            tally.exposed[y] = True
                        tally.beside[y] = 0
                at = tally.link[at]
        tally.head[z] = -1


@inner
def _hand_on(arena, start, stop, rows, place):
    """Writes each row, cut off behind y, to the place of each extension y it holds."""
    for a in range(start, stop):
        r = arena[a, 0]
        for j in range(arena[a, 1], rows.end[r]):
            y = rows.items[j]
            if y >= rows.n_public:
                break
            if place[y] >= 0:
                arena[place[y], 0], arena[place[y], 1] = r, j + 1
                place[y] += 1


@inner
def _is_minimal(itemset, size, key, code, table):
    """Whether all parts of the itemset with one more item, whose key this is, are sound.

    Those without the new one or the last one are, or it would not have been met.
    """
    for i in range(size - 1):
        part = key - code[itemset[i]]
        if table[_slot(table, part)] != part:
            return False
    return True


@inner
def _sort_falling(array, n):
    """Shell's way; NumPy's sort takes long to compile."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            value, j = array[i], i
            while j >= gap and array[j - gap] < value:
                array[j] = array[j - gap]
                j -= gap
            array[j] = value
        gap //= 2


@inner
def _meet(root, sign, rows, promise, code, table, n_table, count, tally, arena, extensions, itemset):
    """Adds the sign to the counts of the items of every minimal mole that holds the root: +1 for the first time, when
    the others of it are later items, −1 to take off those with any items.

    Depth first; the itemsets met on the way are sound, with all of their parts. At first they are written into the
    table of such itemsets. Roots and extensions come from the last label to the first, so that the parts of an
    itemset are in the table before it.
    """
    later = sign > 0
    levels = np.zeros((4, promise.p + 1), np.int64)
    begin, done, finish, top = levels[0], levels[1], levels[2], levels[3]
    key = np.zeros(promise.p + 1, np.uint64)
    start, stop, size = np.int64(0), np.int64(0), np.int64(1)
    for q in range(rows.first[root], rows.first[root + 1]):
        r = rows.holders[q]
        j = rows.begin[r]
        while later and rows.items[j] <= root:
            j += 1
            if j == rows.end[r]:
                break
        if j < rows.end[r]:
            arena[stop, 0], arena[stop, 1] = r, j
            stop += 1
    tally.allowed[root] = 0
    itemset[0], key[1] = root, code[root]
    while True:
        n_touched = _count(arena, start, stop, rows, promise.k, size, tally)
        if promise.guarded:
            _expose(arena, start, stop, rows, promise, tally)
        goes_on = size + 1 < promise.p
        noting = goes_on and later and not promise.rest_is_sound
        plain = promise.rest_is_sound or not promise.guarded  # parts of what is sound are sound
        if goes_on:
            _sort_falling(tally.touched, n_touched)
        if noting:
            table = _with_room(table, n_table + n_touched)
        begin[size] = finish[size - 1]
        finish[size] = begin[size]
        top[size] = top[size - 1] if size > 1 else stop
        extensions = _grown(extensions, finish[size] + n_touched)
        for i in range(n_touched):
            y = tally.touched[i]
            extend = False
            if tally.people[y] < promise.k or tally.exposed[y]:
                if promise.rest_is_sound or _is_minimal(itemset, size, key[size] + code[y], code, table):
                    count[y] += sign
                    for place in range(size):
                        count[itemset[place]] += sign
            elif goes_on and (plain or _is_minimal(itemset, size, key[size] + code[y], code, table)):
                extend = promise.guarded or tally.light[y] > 0
                if noting:
                    table[_slot(table, key[size] + code[y])] = key[size] + code[y]
                    n_table += 1
            if extend:
                extensions[finish[size], 0], extensions[finish[size], 1] = y, top[size]
                finish[size] += 1
                tally.place[y] = top[size]
                top[size] += tally.rows[y]
            tally.allowed[y] = size + 1 if extend else size
            tally.people[y] = tally.rows[y] = tally.light[y] = 0
            tally.exposed[y] = False
        if finish[size] > begin[size]:
            arena = _grown(arena, top[size])
            _hand_on(arena, start, stop, rows, tally.place)
        for e in range(begin[size], finish[size]):
            extensions[e, 2] = tally.place[extensions[e, 0]]
            tally.place[extensions[e, 0]] = -1
        done[size] = begin[size]

        while done[size] == finish[size]:
            for e in range(begin[size], finish[size]):
                tally.allowed[extensions[e, 0]] = size
            size -= 1
            if size == 0:
                tally.allowed[root] = 1
                return table, n_table, arena, extensions
        y, start, stop = extensions[done[size], 0], extensions[done[size], 1], extensions[done[size], 2]
        done[size] += 1
        itemset[size] = y
        key[size + 1] = key[size] + code[y]
        size += 1


@inner
def is_better(x, of_x, y, of_y, loss, order):
    """Whether x, in so many moles, is to be suppressed before y: more per loss; of equals the last in order."""
    mine, yours = of_x * loss[y], of_y * loss[x]
    return order[x] > order[y] if mine == yours else mine > yours


@inner
def _sink(heap, n, at, loss, order):
    """Restores the order of the heap (label, moles) below a place."""
    while True:
        child = 2 * at + 1
        if child >= n:
            return
        if child + 1 < n and is_better(
            heap[child + 1, 0], heap[child + 1, 1], heap[child, 0], heap[child, 1], loss, order
        ):
            child += 1
        if not is_better(heap[child, 0], heap[child, 1], heap[at, 0], heap[at, 1], loss, order):
            return
        for j in range(2):
            heap[at, j], heap[child, j] = heap[child, j], heap[at, j]
        at = child


@inner
def _take_out(x, rows):
    """Removes an item from all rows."""
    for q in range(rows.first[x], rows.first[x + 1]):
        r = rows.holders[q]
        j = rows.begin[r]
        while rows.items[j] != x:
            j += 1
        for i in range(j + 1, rows.end[r]):
            rows.items[i - 1] = rows.items[i]
        rows.end[r] -= 1


@kernel
def suppress(rows, promise, code, loss, order, tally, gone):
    """Suppresses public items (`gone`) until no mole of 2 to p items is left; single items are sound.

    Each time the item goes that is in most minimal moles per loss; of equals the last in order.
    """
    n = rows.n_public
    count = np.zeros(n, np.int64)
    table, n_table = np.zeros(1024, np.uint64), np.int64(0)
    arena = np.empty((rows.weight.size + rows.items.size, 2), np.int64)
    extensions = np.empty((n + 16, 3), np.int64)
    itemset = np.empty(promise.p, np.int64)
    for x in range(n - 1, -1, -1):
        table, n_table, arena, extensions = _meet(
            x, _ADD, rows, promise, code, table, n_table, count, tally, arena, extensions, itemset
        )
    heap = np.empty((n, 2), np.int64)
    size = np.int64(0)
    for x in range(n):
        if count[x] > 0:
            heap[size, 0], heap[size, 1] = x, count[x]
            size += 1
    for at in range(size // 2, -1, -1):
        _sink(heap, size, at, loss, order)
    while size > 0:
        x = heap[0, 0]
        current = count[x] == heap[0, 1]
        if current:
            table, n_table, arena, extensions = _meet(
                x, _TAKE_OFF, rows, promise, code, table, n_table, count, tally, arena, extensions, itemset
            )
            _take_out(x, rows)
            gone[x] = True
        if current or count[x] == 0:
            size -= 1
            heap[0, 0], heap[0, 1] = heap[size, 0], heap[size, 1]
        else:
            heap[0, 1] = count[x]
        _sink(heap, size, np.int64(0), loss, order)


@kernel
def single_moles(rows, promise, found):
    """Marks the public items that are moles alone."""
    beside = np.zeros(max(rows.first.size - 1 - rows.n_public, 1), np.int64)
    for x in range(rows.n_public):
        people = np.int64(0)
        for settle in range(2 if promise.guarded else 1):
            for q in range(rows.first[x], rows.first[x + 1]):
                r = rows.holders[q]
                if settle == 0:
                    people += rows.weight[r]
                j = rows.end[r] - 1
                while promise.guarded and rows.items[j] >= rows.n_public:
                    z = rows.items[j] - rows.n_public
                    if settle == 0:
                        beside[z] += rows.weight[r]
                    else:
                        found[x] |= beside[z] * promise.whole > people * promise.part
                    j -= 1
        for q in range(rows.first[x], rows.first[x + 1]):
            for j in range(rows.begin[rows.holders[q]], rows.end[rows.holders[q]]):
                if rows.items[j] >= rows.n_public:
                    beside[rows.items[j] - rows.n_public] = 0
        found[x] |= 0 < people < promise.k
