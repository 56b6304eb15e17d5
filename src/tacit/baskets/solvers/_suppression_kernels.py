"""The loops of MM: count the minimal moles of each item, and suppress the item that takes part in most per loss.

A mole is an itemset that too few baskets hold, or whose baskets give a sensitive item away. The moles are not kept.
They are counted once, and when an item is suppressed those that hold it are met once more, to be taken off the
counts of the other items in them: memory stays near that of the data, however many moles there are.

Labels 0..n_public−1 are public items, those behind are sensitive ones. Rows are sorted, so the sensitive ones are last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, spans, tell
from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._room import DONE, GO_ON, ROOM, grown

_FIRST_BLOCK = 1 << 16  # rows looked at, as quick as these are
_ADD, _TAKE_OFF = 1, -1


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
    """(h, k, p)-coherence, h = part / whole. If h is 1 no sensitive item is guarded. `rest_is_sound`: it is known that
    every mole has p items."""

    k: int
    p: int
    part: int
    whole: int
    guarded: bool
    rest_is_sound: bool


class Tally(NamedTuple):
    """For each label, over the rows at hand: how many people, rows, and rows of fewer than k people have it;
    `beside`: people who have a sensitive item, too; `exposed`: whether those are too many for one such item."""

    people: np.ndarray
    rows: np.ndarray
    light: np.ndarray
    beside: np.ndarray
    exposed: np.ndarray
    allowed: np.ndarray  # the largest itemset, of those on the way down, that the label may extend
    place: np.ndarray
    touched: np.ndarray
    held: np.ndarray  # sensitive items that are met, and the rows of each: a chain from its head
    head: np.ndarray
    chain: np.ndarray
    link: np.ndarray


class _Way(NamedTuple):
    """The itemset at hand, the key of each of its beginnings, where the extensions of that begin and end, which of
    them is next, and where the arena is free."""

    itemset: np.ndarray
    key: np.ndarray
    begin: np.ndarray
    done: np.ndarray
    finish: np.ndarray
    top: np.ndarray


class _Growing(NamedTuple):
    """Extensions (label, from and to where in the arena), rows at hand (row, first position not yet used), and a hash
    table of the itemsets that are sound."""

    extensions: np.ndarray
    arena: np.ndarray
    table: np.ndarray


# Where the search is: what it is doing, at which place, the itemset's size and rows, labels touched, sensitive ones met
# and their places, how many itemsets are in the table, and with which item and sign it began
_PHASE, _AT, _SIZE, _START, _STOP, _TOUCHED, _HELD, _USED, _NOTED, _ROOT, _SIGN, _STATES = range(12)
_BEGINNING, _COUNTING, _CHAINING, _SETTLING, _DECIDING, _HANDING_ON = range(6)


class _Meeting:
    """The search for the minimal moles that hold an item, which adds them to or takes them off the items' counts."""

    def __init__(self, rows: Rows, promise: Promise, code: np.ndarray, tally: Tally) -> None:
        self.rows, self.promise, self.code, self.tally = rows, promise, code, tally
        self.count = np.zeros(rows.n_public, np.int64)
        self.state = np.zeros(_STATES, np.int64)
        p = promise.p
        self.way = _Way(np.empty(p, np.int64), np.zeros(p + 1, np.uint64), *np.zeros((4, p + 1), np.int64))
        self.growing = _Growing(
            np.empty((rows.n_public + 16, 3), np.int64),
            np.empty((rows.weight.size + rows.items.size, 2), np.int64),
            np.zeros(1024, np.uint64),
        )

    def meet(self, item: int, sign: int) -> None:
        """Adds the sign to the counts of the items of every minimal mole that holds the item."""
        self.state[[_PHASE, _ROOT, _SIGN]] = _BEGINNING, item, sign
        for steps in blocks(_FIRST_BLOCK):
            outcome = _meet(
                steps, self.state, self.rows, self.promise, self.code, self.count, self.tally, self.way, self.growing
            )
            if outcome == DONE:
                break
            if outcome == ROOM:
                self._make_room()

    def _make_room(self) -> None:
        size, touched = int(self.state[_SIZE]), int(self.state[_TOUCHED])
        extensions, arena, table = self.growing
        needed = int(self.state[_NOTED]) + touched
        if 2 * needed > table.size:
            bigger = np.zeros(1 << (4 * needed - 1).bit_length(), np.uint64)
            for start, stop in spans(table.size):
                _copy_table(table[start:stop], bigger)
            table = bigger
        self.growing = _Growing(
            grown(extensions, int(self.way.finish[size]) + touched), grown(arena, int(self.way.top[size])), table
        )


def suppress(
    rows: Rows,
    promise: Promise,
    code: np.ndarray,
    loss: np.ndarray,
    order: np.ndarray,
    tally: Tally,
    is_suppressed: np.ndarray,
) -> None:
    """Suppresses public items (`is_suppressed`) until no mole of 2 to p items is left; single items are sound.

    Each time the item goes that is in most minimal moles per loss; of equals the last in order.
    """
    meeting = _Meeting(rows, promise, code, tally)
    for x in range(rows.n_public - 1, -1, -1):
        meeting.meet(x, _ADD)
        tell(f"moles of up to {promise.p}", 1 - x / rows.n_public)
    held = np.flatnonzero(meeting.count)
    heap, size = np.stack([held, meeting.count[held]], axis=1), np.array([held.size])
    x, moles = -1, max(int(meeting.count.sum()), 1)
    while (x := _next_item(x, heap, size, meeting.count, rows, loss, order)) >= 0:
        meeting.meet(x, _TAKE_OFF)
        is_suppressed[x] = True
        tell("items without moles", 1 - meeting.count.sum() / moles)


@kernel
def _next_item(x, heap, size, count, rows, loss, order):
    """Takes item x out of the rows, if it is one, and gives the one that goes next, or −1.

    The heap, of so many (label, moles), gives labels with the most moles per loss first. It is made when there is no x.
    """
    root = np.int64(0)
    if x < 0:
        for at in range(size[0] // 2, -1, -1):
            _sink(heap, size[0], at, loss, order)
    else:
        for q in range(rows.first[x], rows.first[x + 1]):
            r = rows.holders[q]
            j = rows.begin[r]
            while rows.items[j] != x:
                j += 1
            for i in range(j + 1, rows.end[r]):
                rows.items[i - 1] = rows.items[i]
            rows.end[r] -= 1
    while size[0] > 0:
        y = heap[0, 0]
        current = count[y] == heap[0, 1]
        if current or count[y] == 0:
            size[0] -= 1
            heap[0, 0], heap[0, 1] = heap[size[0], 0], heap[size[0], 1]
        else:
            heap[0, 1] = count[y]
        _sink(heap, size[0], root, loss, order)
        if current:
            return y
    return np.int64(-1)


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
def _slot(table, key):
    """Where the key is in the table, or the empty slot where it belongs."""
    slot = np.int64((key ^ (key >> np.uint64(32))) & np.uint64(table.size - 1))
    while table[slot] != 0 and table[slot] != key:
        slot = (slot + 1) & (table.size - 1)
    return slot


@kernel
def _copy_table(keys, bigger):
    """Writes the keys of a hash table into a bigger one."""
    for i in range(keys.size):
        if keys[i] != 0:
            bigger[_slot(bigger, keys[i])] = keys[i]


@inner
def _count(arena, start, stop, rows, k, size, tally, n_touched):
    """Counts the labels that may extend an itemset over its rows; gives how many there are, listed in `touched`."""
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
def _chain(arena, start, stop, rows, tally, state):
    """Lists the sensitive items of the rows at hand, and chains the rows of each."""
    used, n_held = state[_USED], state[_HELD]
    for a in range(start, stop):
        j = rows.end[arena[a, 0]] - 1
        while j >= rows.begin[arena[a, 0]] and rows.items[j] >= rows.n_public:
            z = rows.items[j] - rows.n_public
            if tally.head[z] < 0:
                tally.held[n_held] = z
                n_held += 1
            tally.chain[used], tally.link[used], tally.head[z] = a, tally.head[z], used
            used += 1
            j -= 1
    state[_USED], state[_HELD] = used, n_held


@inner
def _settle(arena, z, rows, promise, tally):
    """Marks the labels beside which a sensitive item is too frequent."""
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
def _begin(state, rows, code, tally, way, arena):
    """Puts the rows of the root into the arena: all of their items or, for the first time, those behind the root."""
    root, stop = state[_ROOT], np.int64(0)
    for q in range(rows.first[root], rows.first[root + 1]):
        r = rows.holders[q]
        j = rows.begin[r]
        if state[_SIGN] > 0:
            while j < rows.end[r] and rows.items[j] <= root:
                j += 1
        if j < rows.end[r]:
            arena[stop, 0], arena[stop, 1] = r, j
            stop += 1
    tally.allowed[root] = 0
    way.itemset[0], way.key[1] = root, code[root]
    way.begin[1], way.finish[1], way.top[1] = 0, 0, stop
    state[_SIZE], state[_START], state[_STOP], state[_AT] = 1, 0, stop, 0
    state[_PHASE], state[_TOUCHED] = _COUNTING, 0


@inner
def _decide(state, promise, code, count, tally, way, growing):
    """Of the labels that were counted, counts those that make a minimal mole, and lists those that extend the itemset.

    The itemsets met on the way are sound, with all of their parts. The first time they are written into the table.
    """
    size, key, table = state[_SIZE], way.key[state[_SIZE]], growing.table
    goes_on = size + 1 < promise.p
    noting = goes_on and state[_SIGN] > 0 and not promise.rest_is_sound
    plain = promise.rest_is_sound or not promise.guarded  # parts of what is sound are sound
    if goes_on:
        _sort_falling(tally.touched, state[_TOUCHED])
    for i in range(state[_TOUCHED]):
        y = tally.touched[i]
        with_y = key + code[y]
        is_mole = tally.people[y] < promise.k or tally.exposed[y]
        known = promise.rest_is_sound if is_mole else plain
        extend = False
        if (is_mole or goes_on) and (known or _is_minimal(way.itemset, size, with_y, code, table)):
            if is_mole:
                count[y] += state[_SIGN]
                for place in range(size):
                    count[way.itemset[place]] += state[_SIGN]
            else:
                extend = promise.guarded or tally.light[y] > 0
                if noting:
                    table[_slot(table, with_y)] = with_y
                    state[_NOTED] += 1
        if extend:
            growing.extensions[way.finish[size], 0], growing.extensions[way.finish[size], 1] = y, way.top[size]
            way.finish[size] += 1
            tally.place[y] = way.top[size]
            way.top[size] += tally.rows[y]
        tally.allowed[y] = size + 1 if extend else size
        tally.people[y] = tally.rows[y] = tally.light[y] = 0
        tally.exposed[y] = False


@inner
def _goes_on(state, code, tally, way, extensions):
    """To the next itemset that holds the root; whether there is one."""
    size = state[_SIZE]
    while way.done[size] == way.finish[size]:
        for e in range(way.begin[size], way.finish[size]):
            tally.allowed[extensions[e, 0]] = size
        size -= 1
        if size == 0:
            tally.allowed[state[_ROOT]] = 1
            return False
    e = way.done[size]
    way.done[size] += 1
    way.itemset[size] = extensions[e, 0]
    way.key[size + 1] = way.key[size] + code[extensions[e, 0]]
    size += 1
    way.begin[size] = way.finish[size] = way.finish[size - 1]
    way.top[size] = way.top[size - 1]
    state[_SIZE], state[_START], state[_STOP], state[_AT] = size, extensions[e, 1], extensions[e, 2], extensions[e, 1]
    state[_PHASE], state[_TOUCHED] = _COUNTING, 0
    return True


@kernel
def _meet(steps, state, rows, promise, code, count, tally, way, growing):
    """Goes on with the minimal moles that hold the root, for so many rows: for the first time (sign +1) those whose
    other items are later ones, to take them off (sign −1) those with any.

    Depth first. Roots and extensions come from the last label to the first, so that the parts of an itemset are in the
    table before it.
    """
    if state[_PHASE] == _BEGINNING:
        _begin(state, rows, code, tally, way, growing.arena)
    while steps > 0:
        size = state[_SIZE]
        upto = min(state[_STOP], state[_AT] + steps)
        if state[_PHASE] <= _CHAINING:
            steps -= upto - state[_AT] + 1
            if state[_PHASE] == _COUNTING:
                state[_TOUCHED] = _count(growing.arena, state[_AT], upto, rows, promise.k, size, tally, state[_TOUCHED])
            else:
                _chain(growing.arena, state[_AT], upto, rows, tally, state)
            state[_AT] = upto
            if upto < state[_STOP]:
                continue
            if state[_PHASE] == _CHAINING:
                state[_PHASE], state[_AT] = _SETTLING, 0
            elif promise.guarded:
                state[_PHASE], state[_AT], state[_USED], state[_HELD] = _CHAINING, state[_START], 0, 0
                continue
            else:
                state[_PHASE] = _DECIDING
        if state[_PHASE] == _SETTLING:
            while steps > 0 and state[_AT] < state[_HELD]:
                _settle(growing.arena, tally.held[state[_AT]], rows, promise, tally)
                state[_AT] += 1
                steps -= 1 + (state[_STOP] - state[_START]) // state[_HELD]
            if state[_AT] < state[_HELD]:
                continue
            state[_PHASE] = _DECIDING
        if state[_PHASE] == _DECIDING:
            touched = state[_TOUCHED]
            if (
                way.finish[size] + touched > growing.extensions.shape[0]
                or 2 * (state[_NOTED] + touched) > growing.table.size
            ):
                return ROOM
            _decide(state, promise, code, count, tally, way, growing)
            state[_PHASE], state[_AT] = _HANDING_ON, state[_START]
        if way.finish[size] > way.begin[size]:
            if way.top[size] > growing.arena.shape[0]:
                return ROOM
            upto = min(state[_STOP], state[_AT] + max(steps, 1))
            _hand_on(growing.arena, state[_AT], upto, rows, tally.place)
            steps -= upto - state[_AT]
            state[_AT] = upto
            if upto < state[_STOP]:
                continue
            for e in range(way.begin[size], way.finish[size]):
                growing.extensions[e, 2] = tally.place[growing.extensions[e, 0]]
                tally.place[growing.extensions[e, 0]] = -1
        way.done[size] = way.begin[size]
        if not _goes_on(state, code, tally, way, growing.extensions):
            return DONE
    return GO_ON


def single_moles(rows: Rows, promise: Promise, found: np.ndarray) -> None:
    """Marks the public items that are moles alone."""
    beside = np.zeros(max(rows.first.size - 1 - rows.n_public, 1), np.int64)
    for start, stop in spans(rows.n_public):
        _single_moles(start, stop, rows, promise, beside, found)


@kernel
def _single_moles(start, stop, rows, promise, beside, found):
    for x in range(start, stop):
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
