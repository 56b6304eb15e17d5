"""Inner loops that find sets of known ratings which few people fit, more than two at a time.

A group is what is published alike: a range of an issue, or nothing of it where a part is blanked. bits[g] has a bit for
everybody in it; who rated most has the first bits, for whoever rated much is in most sets, and a count ends at k.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.jit import inner, kernel

_NONE, _ONE = np.uint64(0), np.uint64(1)
_PAIRS, _FOURS, _EIGHTS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM, _TWO, _FOUR, _LAST = np.uint64(0x0101010101010101), np.uint64(2), np.uint64(4), np.uint64(56)


@inner
def _bits(word):
    """How many bits of a word are set."""
    word -= (word >> _ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _EIGHTS
    return np.int64((word * _SUM) >> _LAST)


@kernel
def mark(indptr, cells, order, number, bits):
    """Sets the bit of everybody in each group that the person's cells are in; number[cell] is the group, or −1."""
    for at in range(order.size):
        person = order[at]
        bit = _ONE << np.uint64(at % 64)
        for i in range(indptr[person], indptr[person + 1]):
            group = number[cells[i]]
            if group >= 0:
                bits[group, at // 64] |= bit


@inner
def _common(row, other, k):
    """How many bits two rows have in common, up to k or a little more."""
    count = 0
    for at in range(row.size):
        count += _bits(row[at] & other[at])
        if count >= k:
            break
    return count


@kernel
def rare_sets(start, stop, m, k, bits, issue, rows, chosen, found, state):
    """Sets of up to m groups, of an issue each, that some people but fewer than k are in: rows of `found`.

    The first group is from `start` to `stop`. Sets of which a beginning is rare are left out. state[0] is how many were
    found; it ends where `found` is full.
    """
    groups, words = bits.shape
    for top in range(start, stop):
        for at in range(words):
            rows[0, at] = bits[top, at]
        chosen[0] = chosen[1] = top + 1  # what is tried next: one more than what is chosen
        size = 1
        while size > 0:
            group = chosen[size]
            if group == groups:
                size -= 1
                continue
            chosen[size] = group + 1
            if issue[group] == issue[chosen[size - 1] - 1]:
                continue
            count = _common(rows[size - 1], bits[group], k)
            if count == 0:
                continue
            if count < k:
                if state[0] == found.shape[0]:
                    return
                for i in range(size):
                    found[state[0], i] = chosen[i] - 1
                found[state[0], size] = group
                for i in range(size + 1, m):
                    found[state[0], i] = -1
                state[0] += 1
            elif size + 1 < m:
                for at in range(words):
                    rows[size, at] = rows[size - 1, at] & bits[group, at]
                chosen[size + 1] = group + 1
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
