"""Improves a choice of columns under rows of limits, by swaps: one comes in or goes out, others follow.

There are few columns and many rows, so the rows are bits: which ones a column is in, how many more columns each row has
room for (a binary number, one plane of bits for each digit), and which ones are full. A column comes in or goes out in
one pass over words of 64 rows, has room if none of its rows is full, and what a trial did is undone by a copy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, spans
from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._bits import BLOCK, ones

_HOLDS = 5  # steps for which what was put in or taken out stays so, unless changing it gives the best choice so far


class Incidence(NamedTuple):
    """Rows and the columns in them: at most limit[r] of columns[row_start[r]:row_start[r+1]] are kept."""

    row_start: np.ndarray
    columns: np.ndarray
    limit: np.ndarray


class Choice(NamedTuple):
    """Which columns are kept, and with them the room that each row has left, in binary, and which rows are full."""

    kept: np.ndarray
    room: np.ndarray  # a plane of bits for each digit, the lowest first
    full: np.ndarray
    carry: np.ndarray  # for sums


def rows_as_bits(incidence: Incidence, n_columns: int, words: int, digits: int) -> tuple[np.ndarray, np.ndarray]:
    """For each column the rows that it is in, a bit each, in so many words; and the rows' limits, in binary digits.

    Rows that only fill up the last words have room for one, and no column.
    """
    bits, room = np.zeros((n_columns, words), np.uint64), np.zeros((digits, words), np.uint64)
    for start, stop in spans(64 * words):
        _rows_as_bits(start, stop, incidence, bits, room)
    return bits, room


@kernel
def _rows_as_bits(start, stop, incidence, bits, room):
    for r in range(start, stop):
        word, bit = r // 64, np.uint64(1) << np.uint64(r % 64)
        limit = incidence.limit[r] if r < incidence.limit.size else np.int64(1)
        for digit in range(room.shape[0]):
            if (limit >> digit) & 1:
                room[digit, word] |= bit
        if r < incidence.limit.size:
            for i in range(incidence.row_start[r], incidence.row_start[r + 1]):
                bits[incidence.columns[i], word] |= bit


@inner
def _set(v, keep, choice, bits):
    """Keeps v, or keeps it no more: its rows have room for one less, or for one more."""
    choice.kept[v] = keep
    words = choice.full.size
    for word in range(words):
        choice.carry[word] = bits[v, word]
        choice.full[word] = np.uint64(0)
    flip = ~np.uint64(0) if keep else np.uint64(0)  # a digit that is 0 passes on what is taken off, a 1 what is added
    for digit in range(choice.room.shape[0]):
        for word in range(words):
            before = choice.room[digit, word]
            after = before ^ choice.carry[word]
            choice.room[digit, word] = after
            choice.full[word] |= after
            choice.carry[word] &= before ^ flip
    for word in range(words):
        choice.full[word] = ~choice.full[word]


@inner
def _has_room(v, full, bits):
    for block in range(0, full.size, BLOCK):
        met = np.uint64(0)
        for word in range(block, block + BLOCK):
            met |= bits[v, word] & full[word]
        if met:
            return False
    return True


@inner
def _worst_in_the_way(v, choice, incidence, bits, worth, hits):
    """The kept column that is in most full rows of v per worth, the first of equals."""
    worst = np.int64(-1)
    for word in range(choice.full.size):
        left = bits[v, word] & choice.full[word]
        while left:
            others = left & (left - np.uint64(1))
            r = 64 * word + ones((left ^ others) - np.uint64(1))
            left = others
            for i in range(incidence.row_start[r], incidence.row_start[r + 1]):
                if choice.kept[incidence.columns[i]]:
                    hits[incidence.columns[i]] += 1
    for u in range(worth.size):
        if hits[u] > 0 and (worst < 0 or hits[u] * worth[worst] > hits[worst] * worth[u]):
            worst = np.int64(u)
    for u in range(worth.size):
        hits[u] = 0
    return worst


class _Walk(NamedTuple):
    """What a walk goes by, and what it keeps: until which step columns stay as they are, and the best choice met."""

    worth: np.ndarray
    by_worth: np.ndarray
    held_until: np.ndarray
    out_until: np.ndarray
    best: np.ndarray
    hits: np.ndarray  # room to count in
    log: np.ndarray  # columns changed
    room: np.ndarray  # of the choice at hand, as it was before a trial
    full: np.ndarray


@inner
def _turn(v, choice, incidence, bits, walk, step):
    """Puts v in or takes it out, with what follows: others go out of its way, and what then has room comes in.

    The columns changed are written to the log. Returns how many, and the change of the worth.
    """
    worth, log = walk.worth, walk.log
    into = step > 0  # always; a literal would be compiled for on its own
    out = not into
    n, change = 1, 0.0
    log[0] = v
    if choice.kept[v]:
        _set(v, out, choice, bits)
        change -= worth[v]
    else:
        while not _has_room(v, choice.full, bits):
            u = _worst_in_the_way(v, choice, incidence, bits, worth, walk.hits)
            _set(u, out, choice, bits)
            change -= worth[u]
            log[n] = u
            n += 1
        _set(v, into, choice, bits)
        change += worth[v]
    for i in range(worth.size):
        w = walk.by_worth[i]
        if worth[w] <= 0:
            break
        if not choice.kept[w] and w != v and walk.out_until[w] < step and _has_room(w, choice.full, bits):
            _set(w, into, choice, bits)
            change += worth[w]
            log[n] = w
            n += 1
    return n, change


@inner
def _copy(room, full, to_room, to_full):
    for word in range(full.size):
        to_full[word] = full[word]
        for digit in range(room.shape[0]):
            to_room[digit, word] = room[digit, word]


def swap(
    incidence: Incidence,
    bits: np.ndarray,
    limits: np.ndarray,
    worth: np.ndarray,
    by_worth: np.ndarray,
    start: np.ndarray,
    most_words: int,
    most_steps: int,
) -> tuple[np.ndarray, int]:
    """The best choice met on a walk from the choice `start`, which satisfies all rows: a mask, and the words looked at.

    Each step turns the column that leaves most worth, the first of equals, even if that is less than before.
    Ends after so many words of rows, or steps without anything better. `bits` and `limits` are from `rows_as_bits`.
    """
    n, words = bits.shape
    choice = Choice(np.zeros(n, bool), limits.copy(), np.zeros(words, np.uint64), np.zeros(words, np.uint64))
    walk = _Walk(
        worth, by_worth, np.zeros(n, np.int64), np.zeros(n, np.int64), start.copy(), np.zeros(n, np.int64),
        np.empty(2 * n + 1, np.int64), limits.copy(), np.zeros(words, np.uint64),
    )  # fmt: skip
    totals = np.zeros(3)
    totals[:2] = _begin(start, choice, bits, worth)
    state = np.zeros(_STATES, np.int64)
    state[_AT] = state[_CHOSEN] = -1
    for steps in blocks():
        if _walked(steps * n, state, totals, choice, incidence, bits, walk, int(most_words), most_steps):
            break
    return walk.best, int(state[_LOOKED_AT])


@kernel
def _begin(start, choice, bits, worth):
    """Puts in what a walk starts with; what it is worth."""
    total, into = 0.0, start.size > 0
    for v in range(start.size):
        if start[v]:
            _set(v, into, choice, bits)
            total += worth[v]
    return total


# Where a walk is: the step, steps since the best choice, words looked at, the column that is tried next (−1: no step is
# begun), and the best one of this step. What the choice at hand is worth, the best one met, and the best of this step
_STEP, _IDLE, _LOOKED_AT, _AT, _CHOSEN, _STATES = range(6)
_TOTAL, _MOST, _AFTER = range(3)


@kernel
def _walked(words, state, totals, choice, incidence, bits, walk, most_words, most_steps):
    """Goes on with a walk for about so many words; whether it is over."""
    n, step = walk.worth.size, state[_STEP]
    while words >= 0:
        words -= 1
        if state[_AT] < 0:
            if state[_LOOKED_AT] >= most_words or state[_IDLE] >= most_steps:
                return True
            step += 1
            state[_STEP] = step
            state[_IDLE] += 1
            state[_AT], state[_CHOSEN], totals[_AFTER] = 0, -1, -1.0
            _copy(choice.room, choice.full, walk.room, walk.full)
        v = walk.by_worth[state[_AT]] if state[_AT] < n else np.int64(-1)
        if v >= 0 and walk.worth[v] > 0:
            size, change = _turn(v, choice, incidence, bits, walk, step)
            for i in range(size - 1, -1, -1):
                choice.kept[walk.log[i]] = not choice.kept[walk.log[i]]
            _copy(walk.room, walk.full, choice.room, choice.full)
            state[_LOOKED_AT] += (n + size) * choice.full.size
            words -= (n + size) * choice.full.size
            after = totals[_TOTAL] + change
            if after > totals[_AFTER] and (walk.held_until[v] < step or after > totals[_MOST]):
                state[_CHOSEN], totals[_AFTER] = v, after
            state[_AT] += 1
            continue
        chosen = state[_CHOSEN]
        if chosen < 0:
            return True
        _turn(chosen, choice, incidence, bits, walk, step)
        state[_AT] = -1
        totals[_TOTAL] = totals[_AFTER]
        walk.held_until[chosen] = step + _HOLDS
        if not choice.kept[chosen]:
            walk.out_until[chosen] = step + _HOLDS
        if totals[_TOTAL] > totals[_MOST]:
            totals[_MOST], state[_IDLE] = totals[_TOTAL], 0
            for u in range(n):
                walk.best[u] = choice.kept[u]
    return False
