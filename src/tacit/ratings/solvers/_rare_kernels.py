"""Inner loops that find sets of known ratings which few people fit, more than two at a time.

A group is what is published alike: a range of an issue, or nothing of it where a part is blanked. bits[g] has a bit for
everybody in it, rows[p] one for each group that a person is in: the same table, turned.

To look at all pairs of groups beside some others, those who are in the others are taken 512 at a time, and their rows
turned to eight words a group. Most pairs have k of the first 512 in common, and need no other ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel

_NONE, _ONE = np.uint64(0), np.uint64(1)
_PAIRS, _FOURS, _EIGHTS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM, _TWO, _FOUR, _LAST = np.uint64(0x0101010101010101), np.uint64(2), np.uint64(4), np.uint64(56)
_HALF, _LOWER, _WORD = np.uint64(32), np.uint64(0x00000000FFFFFFFF), np.uint64(64)
BLOCK = 8
"""Words of people that are looked at at once."""
_CHUNK = np.uint64(64)


class Room(NamedTuple):
    """What the search for rare sets works in."""

    rows: np.ndarray  # uint64 [m, words]: who is in the first groups of a set
    chosen: np.ndarray  # int64 [m + 1]: one more than each group of a set
    who: np.ndarray  # int64 per person
    is_near: np.ndarray  # bool per group: at least k people of the row are in it
    first: np.ndarray  # uint64 [8, group]: the first block of people
    later: np.ndarray  # uint64 [block, group, 8]: those behind it
    tile: np.ndarray  # uint64 [64]
    counts: np.ndarray  # int64 [64]
    left: np.ndarray  # int64 [2, group]: groups with few of the people so far, and how many


@inner
def _bits(word):
    """How many bits of a word are set."""
    word -= (word >> _ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _EIGHTS
    return np.int64((word * _SUM) >> _LAST)


@kernel
def fill_rows(indptr, cells, order, number, absent, everything, rows):
    """Sets the bits of the groups that each person is in, people in their order.

    number[cell] is the group of a cell, absent[cell] that of those who show nothing of its issue, −1 if there is none;
    `everything` has the bits of all of these.
    """
    for at in range(order.size):
        person = order[at]
        for word in range(everything.size):
            rows[at, word] = everything[word]
        for i in range(indptr[person], indptr[person + 1]):
            group, none = number[cells[i]], absent[cells[i]]
            if none >= 0:
                rows[at, none // 64] &= ~(_ONE << np.uint64(none % 64))
            if group >= 0:
                rows[at, group // 64] |= _ONE << np.uint64(group % 64)


@inner
def _turn(tile):
    """Turns 64 words of 64 bits: halves change places, then quarters, and so on."""
    width, mask = _HALF, _LOWER
    while width != _NONE:
        at = _NONE
        while at < _WORD:
            other = ((tile[at] >> width) ^ tile[at + width]) & mask
            tile[at + width] ^= other
            tile[at] ^= other << width
            at = (at + width + _ONE) & ~width
        width >>= _ONE
        mask ^= mask << width


@kernel
def turn_all(rows, tile, bits):
    """The rows of people as bits of groups."""
    for word in range(bits.shape[1]):
        for column in range(rows.shape[1]):
            for i in range(64):
                tile[i] = rows[64 * word + i, column] if 64 * word + i < rows.shape[0] else _NONE
            _turn(tile)
            for i in range(min(64, bits.shape[0] - 64 * column)):
                bits[64 * column + i, word] = tile[i]


@inner
def _turn_block(start, people, group, rows, room):
    """The rows of 512 people of `who`, or as many as there are, as bits of groups from a certain one on."""
    for word in range(BLOCK):
        for column in range(group // 64, rows.shape[1]):
            for i in range(64):
                at = start + 64 * word + i
                room.tile[i] = rows[room.who[at], column] if at < people else _NONE
            _turn(room.tile)
            if start == 0:
                for i in range(64):
                    room.first[word, 64 * column + i] = room.tile[i]
            else:
                for i in range(64):
                    room.later[start // (64 * BLOCK) - 1, 64 * column + i, word] = room.tile[i]


@inner
def _common(row, other, k):
    """How many bits two rows have in common, up to k or a little more."""
    count = 0
    for at in range(row.size):
        count += _bits(row[at] & other[at])
        if count >= k:
            break
    return count


@inner
def _note(size, group, other, room, found, state):
    """A set is rare: the groups chosen so far, and one or two more."""
    if state[0] < found.shape[0]:
        for i in range(found.shape[1]):
            found[state[0], i] = room.chosen[i] - 1 if i < size else -1
        found[state[0], size] = group
        if other >= 0:
            found[state[0], size + 1] = other
    state[0] += 1


@inner
def _few_of_first(group, k, first, issue, is_near, counts, left):
    """The groups behind one that have fewer than k people of the first block in common with it; returns how many.

    Places are unsigned: signed ones might count from the end, and are looked up one by one for that.
    """
    many = 0
    a, b, c, d = first[0, group], first[1, group], first[2, group], first[3, group]
    e, f, g, h = first[4, group], first[5, group], first[6, group], first[7, group]
    start, end = np.uint64(group + 1), np.uint64(issue.size)
    while start < end:
        stop = min(start + _CHUNK, end)
        few = 0
        for at in range(start, stop):
            count = _bits(a & first[0, at]) + _bits(b & first[1, at]) + _bits(c & first[2, at])
            count += _bits(d & first[3, at]) + _bits(e & first[4, at]) + _bits(f & first[5, at])
            count += _bits(g & first[6, at]) + _bits(h & first[7, at])
            counts[at - start] = count
            few += count < k
        if few:
            for at in range(start, stop):
                count = counts[at - start]
                if count < k and is_near[at] and issue[at] != issue[group]:
                    left[0, many] = at
                    left[1, many] = count
                    many += 1
        start = stop
    return many


@inner
def _rare_pairs(size, k, rows, bits, issue, room, found, state):
    """Rare sets of the groups chosen so far, which k people are in, with one or two others behind them."""
    row, last, people = room.rows[size - 1], room.chosen[size - 1] - 1, 0
    for at in range(row.size):
        word = row[at]
        while word != _NONE:
            lowest = word & (~word + _ONE)
            word ^= lowest
            room.who[people] = 64 * at + _bits(lowest - _ONE)
            people += 1
    none = np.int64(-1)
    for group in range(last + 1, issue.size):
        count = _common(row, bits[group], k)
        room.is_near[group] = count >= k
        if 0 < count < k:
            _note(size, group, none, room, found, state)
    ready = np.int64(0)
    _turn_block(ready, people, last, rows, room)
    ready += 64 * BLOCK
    most = 64 * BLOCK * (room.later.shape[0] + 1)
    for group in range(last + 1, issue.size):
        if not room.is_near[group]:
            continue
        many = _few_of_first(group, k, room.first, issue, room.is_near, room.counts, room.left)
        seen = 64 * BLOCK
        while many and seen < min(people, most):
            if seen == ready:
                _turn_block(ready, people, last, rows, room)
                ready += 64 * BLOCK
            block, still = room.later[seen // (64 * BLOCK) - 1], 0
            for i in range(many):
                other, count = room.left[0, i], room.left[1, i]
                for word in range(BLOCK):
                    count += _bits(block[group, word] & block[other, word])
                if count < k:
                    room.left[0, still] = other
                    room.left[1, still] = count
                    still += 1
            many = still
            seen += 64 * BLOCK
        for i in range(many):
            other, count = room.left[0, i], room.left[1, i]
            if people > most:
                count, at = 0, 0
                while count < k and at < row.size:
                    count += _bits(row[at] & bits[group, at] & bits[other, at])
                    at += 1
            if 0 < count < k:
                _note(size, group, other, room, found, state)


@kernel
def rare_sets(start, stop, every, m, k, rows, bits, issue, room, found, state):
    """Sets of up to m groups, of an issue each, that some people but fewer than k are in: rows of `found`.

    The first group is one of each so many from `start` to `stop`. Sets of which a beginning is rare are left out.
    state[0] is how many were found; it ends where `found` is full.
    """
    words, none = bits.shape[1], np.int64(-1)
    for top in range(start, stop, every):
        for at in range(words):
            room.rows[0, at] = bits[top, at]
        room.chosen[0] = room.chosen[1] = top + 1
        size = 1
        while size > 0:
            if state[0] > found.shape[0]:
                return
            if size == m - 2:
                _rare_pairs(size, k, rows, bits, issue, room, found, state)
                size -= 1
                continue
            group = room.chosen[size]
            if group == issue.size:
                size -= 1
                continue
            room.chosen[size] = group + 1
            count = _common(room.rows[size - 1], bits[group], k)
            if 0 < count < k:
                _note(size, group, none, room, found, state)
            elif count:
                for at in range(words):
                    room.rows[size, at] = room.rows[size - 1, at] & bits[group, at]
                room.chosen[size + 1] = group + 1
                size += 1


@kernel
def rare_people(start, stop, k, lists, starts, bits, row, found):
    """For some people the beginning of their groups that fewer than k people are in; −1 in `found` if there is none.

    lists[starts[p]:starts[p + 1]] are the groups of person p, in the order in which they are taken.
    """
    for person in range(start, stop):
        found[person] = -1
        for at in range(row.size):
            row[at] = ~_NONE
        for i in range(starts[person], starts[person + 1]):
            count = 0
            for at in range(row.size):
                row[at] &= bits[lists[i], at]
                count += _bits(row[at])
            if count < k:
                found[person] = i + 1 - starts[person]
                break


@kernel
def count_beside(sets, low, none, indptr, cells, order, bits, most, extra):
    """How many people of each cell of an issue are in all groups of each set: columns of `extra`; up to `most`."""
    for s in range(sets.shape[0]):
        for row in range(none - low + 1):
            extra[row, s] = 0
        for at in range(bits.shape[1]):
            word = ~_NONE
            for i in range(sets.shape[1]):
                if sets[s, i] >= 0:
                    word &= bits[sets[s, i], at]
            while word != _NONE:
                lowest = word & (~word + _ONE)
                word ^= lowest
                person = order[64 * at + _bits(lowest - _ONE)]
                start, stop = indptr[person], indptr[person + 1]
                while start < stop:
                    middle = (start + stop) // 2
                    if cells[middle] < low:
                        start = middle + 1
                    else:
                        stop = middle
                is_rated = start < indptr[person + 1] and cells[start] < none
                row = cells[start] - low if is_rated else none - low
                extra[row, s] = min(extra[row, s] + 1, most)
