"""Inner loops of slicing: what an attacker can conclude in one bucket, and the split of buckets into smaller ones.

Arrays that end in one entry a record are indexed [link, record]. A *link* is a slice that takes part in what an
attacker computes about one sensitive attribute, the target; the links of a target stand together, parents first.
A 0 that is given to another function is an `np.int64(0)`: for a literal that function would be compiled once more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
kernel = njit(**_OPTIONS)
inner = njit(**_OPTIONS | {"no_cpython_wrapper": True})  # called by kernels only: less to compile


class Attacker(NamedTuple):
    """What an attacker joins, for each target."""

    start: np.ndarray  # int64: the links of target k are start[k] to start[k + 1] − 1; the first one has the target
    parent: np.ndarray  # int64 per link: the link it is joined to; −1 for the first one
    known: np.ndarray  # int32 [link, record]: combination of the slice's known attributes
    tuples: np.ndarray  # int32 [link, record]: combination of all its attributes
    separator: np.ndarray  # int32 [link, record]: combination of what it shares with its parent
    hidden: np.ndarray  # int32 [link, record]: the part of that which nobody knows
    person: np.ndarray  # int32 [target, record]: combination of all known attributes of the target's links
    secret: np.ndarray  # int32 [target, record]: value of the target


class Scratch(NamedTuple):
    """Room for one target and one bucket; always left as it was found."""

    head: np.ndarray  # int32 [link, known], −1: first entry with these known values
    entry_of: np.ndarray  # int32 [link, tuple], −1
    entry_row: np.ndarray  # int32 [link, entry]: a record that has the tuple
    entry_count: np.ndarray  # int32 [link, entry]: how many have it
    entry_next: np.ndarray  # int32 [link, entry]: next entry with the same known values, −1
    separators: np.ndarray  # int32 [link, separator], 0: how many records have it
    message: np.ndarray  # float64 [link, hidden]: what the link says to its parent about the person at hand
    message_clock: np.ndarray  # int64 [link, hidden]: for whom it was said
    mass: np.ndarray  # float64 [secret]
    mass_clock: np.ndarray  # int64 [secret]
    is_done: np.ndarray  # bool [person]
    clock: np.ndarray  # int64 [1]


@inner
def _collect(rows, low, high, attacker, first, last, scratch):
    """The different tuples of each link in a bucket, chained by what is known of them."""
    for link in range(first, last):
        x, size = link - first, 0
        for i in range(low, high):
            row = rows[i]
            entry = scratch.entry_of[x, attacker.tuples[link, row]]
            if entry < 0:
                entry = size
                size += 1
                scratch.entry_of[x, attacker.tuples[link, row]] = entry
                scratch.entry_row[x, entry] = row
                scratch.entry_count[x, entry] = 0
                scratch.entry_next[x, entry] = scratch.head[x, attacker.known[link, row]]
                scratch.head[x, attacker.known[link, row]] = entry
            scratch.entry_count[x, entry] += 1
            scratch.separators[x, attacker.separator[link, row]] += 1


@inner
def _clear(rows, low, high, attacker, target, first, last, scratch):
    for i in range(low, high):
        row = rows[i]
        scratch.is_done[attacker.person[target, row]] = False
        for link in range(first, last):
            x = link - first
            scratch.entry_of[x, attacker.tuples[link, row]] = -1
            scratch.head[x, attacker.known[link, row]] = -1
            scratch.separators[x, attacker.separator[link, row]] = 0


@inner
def _weight(link, x, entry, attacker, first, last, scratch):
    """How many linkings of a tuple with rows of the links below it fit the person at hand, as expected."""
    weight, row = float(scratch.entry_count[x, entry]), scratch.entry_row[x, entry]
    for child in range(link + 1, last):
        if attacker.parent[child] == link:
            said = attacker.hidden[child, row]
            if scratch.message_clock[child - first, said] != scratch.clock[0]:
                return 0.0
            weight *= scratch.message[child - first, said]
    return weight


@inner
def _worst_for_person(row, attacker, target, first, last, scratch):
    """The greatest probability of a value of the target for the person in a record: messages from leaves to root."""
    scratch.clock[0] += 1
    for link in range(last - 1, first, -1):
        x = link - first
        entry = scratch.head[x, attacker.known[link, row]]
        while entry >= 0:
            weight = _weight(link, x, entry, attacker, first, last, scratch)
            said = attacker.hidden[link, scratch.entry_row[x, entry]]
            if scratch.message_clock[x, said] != scratch.clock[0]:
                scratch.message_clock[x, said], scratch.message[x, said] = scratch.clock[0], 0.0
            shared = scratch.separators[x, attacker.separator[link, scratch.entry_row[x, entry]]]
            scratch.message[x, said] += weight / shared
            entry = scratch.entry_next[x, entry]
    total, most = 0.0, 0.0
    entry = scratch.head[0, attacker.known[first, row]]
    while entry >= 0:
        weight = _weight(first, np.int64(0), entry, attacker, first, last, scratch)
        secret = attacker.secret[target, scratch.entry_row[0, entry]]
        if scratch.mass_clock[secret] != scratch.clock[0]:
            scratch.mass_clock[secret], scratch.mass[secret] = scratch.clock[0], 0.0
        scratch.mass[secret] += weight
        total += weight
        most = max(most, scratch.mass[secret])
        entry = scratch.entry_next[0, entry]
    return most / total


@kernel
def worst_probability(rows, low, high, attacker, limit, scratch):
    """The greatest p(t, s) in the bucket rows[low:high] over its people and targets, or one that is over the limit."""
    worst = 0.0
    for target in range(attacker.start.size - 1):
        first, last = attacker.start[target], attacker.start[target + 1]
        _collect(rows, low, high, attacker, first, last, scratch)
        for i in range(low, high):
            person = attacker.person[target, rows[i]]
            if not scratch.is_done[person]:
                scratch.is_done[person] = True
                worst = max(worst, _worst_for_person(rows[i], attacker, target, first, last, scratch))
                if worst > limit:
                    break
        _clear(rows, low, high, attacker, target, first, last, scratch)
        if worst > limit:
            break
    return worst


@inner
def _score(place, importance, rows, low, high, score):
    """The spread of each attribute among some records times its importance."""
    for a in range(importance.size):
        lowest = highest = place[a, rows[low]]
        for i in range(low + 1, high):
            lowest, highest = min(lowest, place[a, rows[i]]), max(highest, place[a, rows[i]])
        score[a] = importance[a] * (highest - lowest)


@inner
def _select(numbers, size, k):
    """The number that is k-th from 0 among the first `size`, which are rearranged (Hoare's FIND)."""
    low, high = 0, size - 1
    while low < high:
        pivot, i, j = numbers[k], low, high
        while i <= j:
            while numbers[i] < pivot:
                i += 1
            while pivot < numbers[j]:
                j -= 1
            if i <= j:
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i += 1
                j -= 1
        if j < k:
            low = i
        if k < i:
            high = j
    return numbers[k]


@inner
def _cut(place, a, rows, low, high, room):
    """Where to cut: those whose place is lower go left. Of the two cuts beside the median the more even one."""
    size = high - low
    for i in range(size):
        room[i] = place[a, rows[low + i]]
    median = _select(room, size, size // 2)
    below, above, next_one = 0, 0, 2.0
    for i in range(size):
        if room[i] < median:
            below += 1
        elif room[i] > median:
            above += 1
            next_one = min(next_one, room[i])
    if below == 0 or (above > 0 and abs(size - 2 * above) < abs(size - 2 * below)):
        return next_one
    return median


@inner
def _divide(place, a, cut, rows, low, high, other):
    """Brings those left of the cut to the front, both parts in their order; gives where the right part begins."""
    left, right = low, 0
    for i in range(low, high):
        row = rows[i]
        if place[a, row] < cut:
            rows[left] = row
            left += 1
        else:
            other[right] = row
            right += 1
    for i in range(right):
        rows[left + i] = other[i]
    return left


class Room(NamedTuple):
    """Where `split_boxes` keeps what it works on; given, because to allocate it there would have to be compiled."""

    low: np.ndarray  # int64: where the boxes that are left to split begin in `rows`, the last one on top
    high: np.ndarray  # int64: where they end
    is_final: np.ndarray  # bool: whether they are split for the order alone
    score: np.ndarray  # float64 per attribute
    other: np.ndarray  # int32 per record
    places: np.ndarray  # float64 per record


@inner
def _best(score):
    """The first of the greatest."""
    best = 0
    for a in range(1, score.size):
        if score[a] > score[best]:
            best = a
    return best


@kernel
def split_boxes(place, importance, least, limit, attacker, scratch, room, rows, box):
    """Splits the box of all records as long as both parts keep the limit, and numbers what remains; gives their number.

    `place` [attribute, record] orders the values between 0 and 1. The attribute with the greatest spread times
    importance is tried first, of equals the first one; a box in which no attribute will do is final. Final boxes are
    split on without a limit, for the sake of the order of `rows` alone: those that are alike are neighbours.
    """
    room.low[0], room.high[0], room.is_final[0], depth = 0, rows.size, False, 1
    n_boxes, middle = 0, 0
    while depth > 0:
        depth -= 1
        low, high, final = room.low[depth], room.high[depth], room.is_final[depth]
        is_split = False
        if high - low >= (2 if final else 2 * least):
            _score(place, importance, rows, low, high, room.score)
            while not is_split:
                a = _best(room.score)
                if room.score[a] <= 0.0:
                    break
                room.score[a] = 0.0
                middle = _divide(place, a, _cut(place, a, rows, low, high, room.places), rows, low, high, room.other)
                if final:
                    is_split = True
                elif min(middle - low, high - middle) >= least:
                    is_split = True
                    for side in range(2):  # a loop, because two calls would be compiled twice
                        start, end = (low, middle) if side == 0 else (middle, high)
                        is_split &= worst_probability(rows, start, end, attacker, limit, scratch) <= limit
                        if not is_split:
                            break
        if is_split:
            room.low[depth], room.high[depth], room.is_final[depth] = middle, high, final
            room.low[depth + 1], room.high[depth + 1], room.is_final[depth + 1] = low, middle, final
            depth += 2
        elif not final:
            for i in range(low, high):
                box[rows[i]] = n_boxes
            n_boxes += 1
            room.low[depth], room.high[depth], room.is_final[depth] = low, high, True
            depth += 1
    return n_boxes
