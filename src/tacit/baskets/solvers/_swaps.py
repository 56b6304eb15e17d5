"""Kernels that improve a choice of columns under rows of limits, by swaps: one comes in or goes out, others follow.

There are few columns and many rows, so the rows are bits: which ones a column is in, how many more columns each row has
room for (a binary number, one plane of bits for each digit), and which ones are full. A column comes in or goes out in
one pass over words of 64 rows, has room if none of its rows is full, and what a trial did is undone by a copy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.baskets.solvers._bits import BLOCK, ones

# compiled with tacit.baskets.solvers._bits e79498462b85

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


@njit(cache=True)
def rows_as_bits(incidence, n_columns, words, digits):
    """For each column the rows that it is in, a bit each, in so many words; and the rows' limits, in binary digits.

    Rows that only fill up the last words have room for one, and no column.
    """
    bits, room = np.zeros((n_columns, words), np.uint64), np.zeros((digits, words), np.uint64)
    for r in range(64 * words):
        word, bit = r // 64, np.uint64(1) << np.uint64(r % 64)
        limit = incidence.limit[r] if r < incidence.limit.size else np.int64(1)
        for digit in range(digits):
            if (limit >> digit) & 1:
                room[digit, word] |= bit
        if r < incidence.limit.size:
            for i in range(incidence.row_start[r], incidence.row_start[r + 1]):
                bits[incidence.columns[i], word] |= bit
    return bits, room


@njit(cache=True)
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


@njit(cache=True)
def _has_room(v, full, bits):
    for block in range(0, full.size, BLOCK):
        met = np.uint64(0)
        for word in range(block, block + BLOCK):
            met |= bits[v, word] & full[word]
        if met:
            return False
    return True


@njit(cache=True)
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


@njit(cache=True)
def _turn(v, choice, incidence, bits, worth, by_worth, out_until, step, hits, log):
    """Puts v in or takes it out, with what follows: others go out of its way, and what then has room comes in.

    The columns changed are written to `log`. Returns how many, and the change of the worth.
    """
    n, change = 1, 0.0
    log[0] = v
    if choice.kept[v]:
        _set(v, False, choice, bits)
        change -= worth[v]
    else:
        while not _has_room(v, choice.full, bits):
            u = _worst_in_the_way(v, choice, incidence, bits, worth, hits)
            _set(u, False, choice, bits)
            change -= worth[u]
            log[n] = u
            n += 1
        _set(v, True, choice, bits)
        change += worth[v]
    for w in by_worth:
        if worth[w] <= 0:
            break
        if not choice.kept[w] and w != v and out_until[w] < step and _has_room(w, choice.full, bits):
            _set(w, True, choice, bits)
            change += worth[w]
            log[n] = w
            n += 1
    return n, change


@njit(cache=True)
def _undo(n, log, choice, room, full):
    """What `_turn` did, undone: `room` and `full` are how it was."""
    for i in range(n - 1, -1, -1):
        choice.kept[log[i]] = not choice.kept[log[i]]
    for word in range(full.size):
        choice.full[word] = full[word]
        for digit in range(room.shape[0]):
            choice.room[digit, word] = room[digit, word]


@njit(cache=True)
def swap(incidence, bits, limits, worth, by_worth, start, most_words, most_steps):
    """The best choice met on a walk from the choice `start`, which satisfies all rows: a mask, and the words looked at.

    Each step turns the column that leaves most worth, the first of equals, even if that is less than before.
    Ends after so many words of rows, or steps without anything better. `bits` and `limits` are from `rows_as_bits`.
    """
    n = worth.size
    words = bits.shape[1]
    full = np.zeros(words, np.uint64)
    choice = Choice(np.zeros(n, np.bool_), limits.copy(), np.zeros(words, np.uint64), np.zeros(words, np.uint64))
    room = limits.copy()
    total, best = 0.0, np.zeros(n, np.bool_)
    for v in range(n):
        if start[v]:
            _set(v, True, choice, bits)
            total += worth[v]
        best[v] = start[v]
    most = total
    hits, log = np.zeros(n, np.int64), np.empty(2 * n + 1, np.int64)
    held_until, out_until = np.zeros(n, np.int64), np.zeros(n, np.int64)
    step, idle, looked_at = 0, 0, np.int64(0)
    while looked_at < most_words and idle < most_steps:
        step += 1
        idle += 1
        chosen, after = np.int64(-1), -1.0
        for word in range(words):
            full[word] = choice.full[word]
            for digit in range(room.shape[0]):
                room[digit, word] = choice.room[digit, word]
        for v in by_worth:
            if worth[v] <= 0:
                break
            size, change = _turn(v, choice, incidence, bits, worth, by_worth, out_until, step, hits, log)
            _undo(size, log, choice, room, full)
            looked_at += (n + size) * words
            if total + change > after and (held_until[v] < step or total + change > most):
                chosen, after = v, total + change
        if chosen < 0:
            break
        _turn(chosen, choice, incidence, bits, worth, by_worth, out_until, step, hits, log)
        total = after
        held_until[chosen] = step + _HOLDS
        if not choice.kept[chosen]:
            out_until[chosen] = step + _HOLDS
        if total > most:
            most, idle = total, 0
            for v in range(n):
                best[v] = choice.kept[v]
    return best, looked_at
