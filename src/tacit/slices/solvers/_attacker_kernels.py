"""Inner loops of slicing: what an attacker can conclude in one bucket.

Arrays that end in one entry a record are indexed [link, record]. A *link* is a slice that takes part in what an
attacker computes about one sensitive attribute, the target; the links of a target stand together, parents first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel

ROOT = np.int64(0)  # the first link of a target


class Attacker(NamedTuple):
    """What an attacker joins, for each target."""

    start: np.ndarray  # int64: the links of target k are start[k] to start[k + 1] − 1; the first one has the target
    parent: np.ndarray  # int64 per link: the link it is joined to; −1 for the first one
    known: np.ndarray  # int32 [link, record]: combination of the slice's known attributes
    tuples: np.ndarray  # int32 [link, record]: combination of all its attributes
    separator: np.ndarray  # int32 [link, record]: combination of what it shares with its parent
    hidden: np.ndarray  # int32 [link, record]: the part of that which nobody knows
    person: np.ndarray  # int32 [target, record]: combination of all known attributes of the target's links
    sensitive: np.ndarray  # int32 [target, record]: value of the target


class Scratch(NamedTuple):
    """Room for one target and one bucket; left as it was found once the bucket is checked."""

    head: np.ndarray  # int32 [link, known], −1: first entry with these known values
    entry_of: np.ndarray  # int32 [link, tuple], −1
    entry_row: np.ndarray  # int32 [link, entry]: a record that has the tuple
    entry_count: np.ndarray  # int32 [link, entry]: how many have it
    entry_next: np.ndarray  # int32 [link, entry]: next entry with the same known values, −1
    separators: np.ndarray  # int32 [link, separator], 0: how many records have it
    message: np.ndarray  # float64 [link, hidden]: what the link says to its parent about the person at hand
    message_clock: np.ndarray  # int64 [link, hidden]: for whom it was said
    mass: np.ndarray  # float64 [sensitive value]
    mass_clock: np.ndarray  # int64 [sensitive value]
    is_done: np.ndarray  # bool [person]
    clock: np.ndarray  # int64 [1]
    at: np.ndarray  # int64 [2], 0: the target that is being checked, and how many records of the bucket it is through
    worst: np.ndarray  # float64 [1], 0: the greatest probability so far


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
    """The greatest probability of a value of the target for the person in a record: messages from leaves to root.

    Gives how many tuples were looked at, too.
    """
    seen, total, most = 0, 0.0, 0.0
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
            seen += 1
    entry = scratch.head[0, attacker.known[first, row]]
    while entry >= 0:
        weight = _weight(first, ROOT, entry, attacker, first, last, scratch)
        value = attacker.sensitive[target, scratch.entry_row[0, entry]]
        if scratch.mass_clock[value] != scratch.clock[0]:
            scratch.mass_clock[value], scratch.mass[value] = scratch.clock[0], 0.0
        scratch.mass[value] += weight
        total += weight
        most = max(most, scratch.mass[value])
        entry = scratch.entry_next[0, entry]
        seen += 1
    return most / total, seen


@kernel
def check(steps, rows, low, high, attacker, limit, scratch):
    """Looks for the greatest p(t, s) in the bucket rows[low:high] over its people and targets, or one over the limit.

    Goes on where it stopped, and gives how many of the steps are left: none, as long as `scratch.at` is not behind the
    last target. Then scratch.worst has what was found.
    """
    at, worst = scratch.at, scratch.worst
    while at[0] < attacker.start.size - 1:
        target = at[0]
        first, last = attacker.start[target], attacker.start[target + 1]
        if at[1] == 0:
            _collect(rows, low, high, attacker, first, last, scratch)
            steps -= high - low
        while at[1] < high - low and worst[0] <= limit:
            row = rows[low + at[1]]
            at[1] += 1
            steps -= 1
            if not scratch.is_done[attacker.person[target, row]]:
                scratch.is_done[attacker.person[target, row]] = True
                probability, seen = _worst_for_person(row, attacker, target, first, last, scratch)
                worst[0] = max(worst[0], probability)
                steps -= seen
            if steps <= 0 and at[1] < high - low:
                return 0
        _clear(rows, low, high, attacker, target, first, last, scratch)
        at[0], at[1] = target + 1 if worst[0] <= limit else attacker.start.size - 1, 0
    return steps
