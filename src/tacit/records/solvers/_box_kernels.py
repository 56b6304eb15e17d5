"""Kernels on groups of units: what a group loses, with a unit more, a unit less, or one exchanged for another.

A unit is a set of records that stay together, most often records with equal values. A unit and a group are boxes: in
each attribute a lowest and a highest place. Places are in the order of the numbers or of the leaves of the hierarchy,
and the lowest common ancestor of leaves is that of the first and the last, so the box tells the loss. An attribute
without order, which becomes a set of values, has in place of both ends the bits of the values.

Arrays hold int32 where there are many, but what one kernel gives to another is an int64: a kernel is compiled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner
from tacit.records.solvers._closeness_kernels import Closeness, forget, is_close, member, newly_held

TABLE, TREE, NUMBER, FLAT = 0, 1, 2, 3
FREQUENCY, DISTINCT, ENTROPY = 0, 1, 2
NONE = np.int64(-1)
NEVER = np.float32(np.inf)
_BEHIND = np.int64(2**31 - 1)
SLACK = 1e-13
"""What rounding may cost a bound; the audit allows as much."""


class Measure(NamedTuple):
    """The loss of a box in each attribute, weights included."""

    shape: np.ndarray  # int64, attributes × 4: form, start in `value`, number of places, start in `border`
    value: np.ndarray  # float32: TABLE from place to place; TREE per place between 2^j neighbours; NUMBER; FLAT: of one
    border: np.ndarray  # float32: behind each place, how much a cut there is wanted; last the loss of all places


class Units(NamedTuple):
    """Records that stay together. Kernels are given no more of it than is asked of groups (see `needed`)."""

    box: np.ndarray  # int32, units × attributes × 2
    weight: np.ndarray  # int64: records
    sensitive: np.ndarray  # int32, units × sensitive attributes
    person: np.ndarray  # int32: whose records they are; empty if every record is a person's only one
    held: np.ndarray  # int32, units × sensitive attributes: person and value as one code; empty like `person`


class Groups(NamedTuple):
    """Groups of units: chained members and the box around them. A group without members has size 0."""

    of: np.ndarray  # int32: group of each unit, −1 if none
    first: np.ndarray  # int32: a member of each group
    after: np.ndarray  # int32: the next member, for each unit
    size: np.ndarray  # int64: records
    box: np.ndarray  # int32, groups × attributes × 4: the box, and the second lowest and highest place of members;
    # FLAT: what two or more of them hold
    loss: np.ndarray  # float64: of one record


class Diversity(NamedTuple):
    """How diverse the sensitive values of a group must be."""

    l: np.ndarray  # noqa: E741 - float64: of each sensitive attribute
    kind: int
    tally: np.ndarray  # int64 scratch, all 0: a place for every sensitive value
    harmless: np.ndarray  # bool, attributes × values: what may be learnt
    reach: np.ndarray  # int64, attributes × values: from which value on others are no longer near
    has_width: np.ndarray  # bool: of each sensitive attribute, whether values are near others
    some: np.ndarray  # int64 scratch: a place for every sensitive value


class Need(NamedTuple):
    """What a group must be: k people, and its sensitive values diverse or close to those of all, if that is asked.

    Kernels take them one by one. What is None is a type of its own, for which Numba leaves out the branches that ask
    for it: whoever wants k alone need not wait until the rest is compiled.
    """

    k: int
    met: np.ndarray | None = None
    """bool scratch, all False: a place for every person, and for every person with a value; None: a record a person."""
    diverse: Diversity | None = None
    close: Closeness | None = None


class NeededUnits(NamedTuple):
    """What kernels read of `Units`: an array that no branch reads is None, and is not handed from kernel to kernel.

    Kernels that hang on nothing that is asked of groups take single arrays: they are compiled once for all.
    """

    box: np.ndarray
    weight: np.ndarray
    sensitive: np.ndarray | None
    person: np.ndarray | None
    held: np.ndarray | None


def needed(units: Units, need: Need) -> NeededUnits:
    """What kernels read of units to tell whether a group is what it must be."""
    has_values, has_persons = need.diverse is not None or need.close is not None, need.met is not None
    return NeededUnits(
        units.box,
        units.weight,
        units.sensitive if has_values else None,
        units.person if has_persons else None,
        units.held if has_persons and has_values else None,
    )


@inner
def n_sensitive(units, diverse, close):
    """How many sensitive attributes something is asked of."""
    if diverse is None and close is None:
        return np.int64(0)
    return np.int64(units.sensitive.shape[1])


@inner
def span_loss(measure, a, low, high):
    """Loss of a box in attribute a."""
    form, start, places = measure.shape[a, 0], measure.shape[a, 1], measure.shape[a, 2]
    if form == FLAT:
        values, bits = 0, low | high << 31
        while bits:
            bits &= bits - 1
            values += 1
        loss = measure.value[start] * np.float32(values if values != 1 else 0)
    elif low == high:
        return np.float32(0)
    elif form == TABLE:
        return measure.value[start + low * places + high]
    elif form == NUMBER:
        loss = measure.value[start + high] - measure.value[start + low]
    else:
        reach, row = 1, start
        while 2 * reach <= high - low:
            reach, row = 2 * reach, row + places
        left, right = measure.value[row + low], measure.value[row + high - reach]
        return left if left > right else right
    most = measure.border[measure.shape[a, 3] + places - 1]
    return loss if loss < most else most


@inner
def around(shape, a, low, high, box, i):
    """The box around a box and that of number i, in attribute a."""
    other_low, other_high = np.int64(box[i, a, 0]), np.int64(box[i, a, 1])
    if shape[a, 0] == FLAT:
        return low | other_low, high | other_high
    return other_low if other_low < low else low, other_high if other_high > high else high


@inner
def loss_around(measure, box, i, others, j, enough):
    """Loss of the box around number i of `box` and number j of `others`; cut short when it is `enough` (float32)."""
    total = np.float32(0)
    for a in range(measure.shape.shape[0]):
        low, high = around(measure.shape, a, np.int64(box[i, a, 0]), np.int64(box[i, a, 1]), others, j)
        total += span_loss(measure, a, low, high)
        if total >= enough:
            break
    return total


@inner
def span_without(shape, box, box_of_group, g, a, u):
    """The box in attribute a of the members of group g but for its member u. It has others."""
    low, high = np.int64(box_of_group[g, a, 0]), np.int64(box_of_group[g, a, 1])
    next_low, next_high = np.int64(box_of_group[g, a, 2]), np.int64(box_of_group[g, a, 3])
    own_low, own_high = np.int64(box[u, a, 0]), np.int64(box[u, a, 1])
    if shape[a, 0] == FLAT:
        return low & (~own_low | next_low), high & (~own_high | next_high)
    return next_low if own_low == low else low, next_high if own_high == high else high


@inner
def loss_without(measure, box, box_of_group, g, u):
    """Loss of group g without its member u. It has others."""
    total = np.float32(0)
    for a in range(measure.shape.shape[0]):
        low, high = span_without(measure.shape, box, box_of_group, g, a, u)
        total += span_loss(measure, a, low, high)
    return total


@inner
def loss_exchanged(measure, box, box_of_group, g, goes, comes, enough):
    """Loss of group g with one unit in place of another; cut short when it is `enough` (float32)."""
    total = np.float32(0)
    for a in range(measure.shape.shape[0]):
        low, high = span_without(measure.shape, box, box_of_group, g, a, goes)
        low, high = around(measure.shape, a, low, high, box, comes)
        total += span_loss(measure, a, low, high)
        if total >= enough:
            break
    return total


@inner
def _widened(shape, box, box_of_group, g, a, u, is_first):
    """The box of group g in attribute a, made to hold unit u, too; or u alone, if that is the first."""
    low, high = np.int64(box[u, a, 0]), np.int64(box[u, a, 1])
    next_low, next_high = _BEHIND, NONE
    if shape[a, 0] == FLAT:
        next_low = next_high = NONE + 1
    if not is_first:
        was_low, was_high = np.int64(box_of_group[g, a, 0]), np.int64(box_of_group[g, a, 1])
        next_low, next_high = np.int64(box_of_group[g, a, 2]), np.int64(box_of_group[g, a, 3])
        if shape[a, 0] == FLAT:
            next_low, next_high = next_low | was_low & low, next_high | was_high & high
            low, high = low | was_low, high | was_high
        else:
            if low < was_low:
                next_low = was_low
            else:
                next_low, low = low if low < next_low else next_low, was_low
            if high > was_high:
                next_high = was_high
            else:
                next_high, high = high if high > next_high else next_high, was_high
    box_of_group[g, a, 0], box_of_group[g, a, 1] = low, high
    box_of_group[g, a, 2], box_of_group[g, a, 3] = next_low, next_high
    return low, high


@inner
def join(measure, box, weight, groups, g, u):
    """Puts unit u into group g."""
    first, total = groups.first[g], np.float32(0)
    groups.after[u], groups.first[g], groups.of[u] = first, u, g
    groups.size[g] += weight[u]
    for a in range(measure.shape.shape[0]):
        low, high = _widened(measure.shape, box, groups.box, g, a, u, first < 0)
        total += span_loss(measure, a, low, high)
    groups.loss[g] = total


@inner
def leave(measure, box, weight, groups, u):
    """Takes unit u out of its group."""
    g, total = np.int64(groups.of[u]), np.float32(0)
    first, after = np.int64(groups.first[g]), np.int64(groups.after[u])
    if first == u:
        first = after
        groups.first[g] = after
    else:
        v = first
        while groups.after[v] != u:
            v = np.int64(groups.after[v])
        groups.after[v] = after
    groups.of[u] = -1
    groups.size[g] -= weight[u]
    if first < 0:
        groups.loss[g] = 0.0
        return
    for a in range(measure.shape.shape[0]):
        low, high = np.int64(groups.box[g, a, 0]), np.int64(groups.box[g, a, 1])
        at_low, at_high = box[u, a, 0] <= groups.box[g, a, 2], box[u, a, 1] >= groups.box[g, a, 3]
        if at_low or at_high or measure.shape[a, 0] == FLAT:
            v = first
            while v >= 0:
                low, high = _widened(measure.shape, box, groups.box, g, a, v, v == first)
                v = np.int64(groups.after[v])
        total += span_loss(measure, a, low, high)
    groups.loss[g] = total


@inner
def _people(units, groups, met, g, other, absent, extra):
    """How many different persons have records in groups g and `other` together, without one unit and with another."""
    people = np.int64(0)
    for step in range(2):  # count who is met first; forget all
        for part in range(3):
            v = member(groups, g, other, extra, part)
            while v >= 0:
                if v != absent:
                    people += step == 0 and not met[units.person[v]]
                    met[units.person[v]] = step == 0
                v = np.int32(-1) if part == 2 else groups.after[v]
    return people


@inner
def in_order(some, n):
    """Sorts the first n numbers: by gaps that become smaller (Shell)."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            number, j = some[i], i
            while j >= gap and some[j - gap] > number:
                some[j] = some[j - gap]
                j -= gap
            some[j] = number
        gap //= 2


@inner
def near_values(some, n, tally, harmless, reach):
    """How many have a value of one window at most, and how many of n values can be chosen that are not near each other.

    `tally` has minus the number of people with each value. Harmless values count as values, not in windows.
    """
    in_order(some, n)
    most, inside, end, apart, free = np.int64(0), np.int64(0), 0, np.int64(0), np.int64(0)
    for i in range(n):
        value = some[i]
        while end < n and some[end] < reach[value]:
            inside -= 0 if harmless[some[end]] else tally[some[end]]
            end += 1
        most = inside if inside > most else most
        inside += 0 if harmless[value] else tally[value]
        if value >= free:
            apart, free = apart + 1, reach[value]
    return most, apart


@inner
def _lack_of_diversity(units, groups, met, diverse, g, other, s, absent, extra, people):
    """What a sensitive attribute lacks in groups g and `other` together, without one unit and with another.

    It is above 0 unless they are diverse: how many records, or values, or how much entropy of all their records.
    Somebody with several records has each of their values, once. So several values say little if all have one of them.
    """
    most, distinct, spread, held = np.int64(0), np.int64(0), 0.0, np.int64(0)
    for step in range(3):  # count the people with each value; look at each count; make it 0 again
        for part in range(3):
            v = extra if part == 2 else groups.first[g] if part == 0 else groups.first[other] if other >= 0 else -1
            while v >= 0:
                if v != absent:
                    value = units.sensitive[v, s]
                    count = diverse.tally[value]
                    if step == 0:
                        brings = newly_held(units, met, v, s)
                        diverse.tally[value], held = count + brings, held + brings
                    elif step == 2:
                        diverse.tally[value] = 0
                        forget(units, met, v, s)
                    elif count > 0:
                        if count > most and not diverse.harmless[s, value]:
                            most = count
                        diverse.some[distinct] = value
                        distinct, spread = distinct + 1, spread + count * np.log(count)
                        diverse.tally[value] = -count
                v = -1 if part == 2 else groups.after[v]
        if step == 1 and diverse.has_width[s] and most > 0:
            most, distinct = near_values(diverse.some, distinct, diverse.tally, diverse.harmless[s], diverse.reach[s])
    if most == 0:
        return 0.0
    if diverse.kind == FREQUENCY:
        return most * diverse.l[s] - people * (1 + SLACK)
    if met is not None and most >= people:
        return np.float64(people)
    if diverse.kind == DISTINCT:
        return diverse.l[s] - distinct
    return held * ((np.log(diverse.l[s]) - SLACK) - (np.log(held) - spread / held))


@inner
def fits(units, groups, k, met, diverse, close, g, other, absent, extra):
    """Whether groups g and `other` are together what a group must be, without one unit and with another (−1: none)."""
    size = groups.size[g]
    if other >= 0:
        size += groups.size[other]
    if absent >= 0:
        size -= units.weight[absent]
    if extra >= 0:
        size += units.weight[extra]
    if size < k:
        return False
    people = size
    if met is not None:
        people = _people(units, groups, met, g, other, absent, extra)
        if people < k:
            return False
    if diverse is not None:
        for s in range(units.sensitive.shape[1]):
            if _lack_of_diversity(units, groups, met, diverse, g, other, s, absent, extra, people) > 0:
                return False
    if close is not None:
        for s in range(units.sensitive.shape[1]):
            if not is_close(units, groups, met, close, g, other, s, absent, extra):
                return False
    return True


@inner
def lack(units, groups, k, met, diverse, g, other):
    """How far groups g and `other` (−1: none) together are from what a group must be: 0 if they are it."""
    people = groups.size[g] if other < 0 else groups.size[g] + groups.size[other]
    if met is not None:
        people = _people(units, groups, met, g, other, NONE, NONE)
    missing = np.float64(k - people) if people < k else 0.0
    for s in range(units.sensitive.shape[1]):
        more = _lack_of_diversity(units, groups, met, diverse, g, other, s, NONE, NONE, people)
        missing += more if more > 0 else 0.0
    return missing
