"""Kernels of guarded halves: parts are cut into two sides of one size, as long as both sides keep the promise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.records.solvers._box_kernels import DISTINCT, FREQUENCY, SLACK, in_order, near_values

LINE, SET, TREE = 0, 1, 2


class Ways(NamedTuple):
    """How wide parts are in each attribute. What is told of places has those of attribute a from start[a] on."""

    form: np.ndarray  # int64
    start: np.ndarray  # int64
    extent: np.ndarray  # float64: what a spread is divided by
    weight: np.ndarray  # float64
    value: np.ndarray  # float64: LINE the number at a place; TREE the leaves below the common node with the next place


class Wanted(NamedTuple):
    """The promise: k, and for each sensitive attribute ℓ as a fraction; the rest as in `Diversity`."""

    k: int
    kind: int
    l_numerator: np.ndarray  # int64
    l_denominator: np.ndarray  # int64
    harmless: np.ndarray
    reach: np.ndarray
    has_width: np.ndarray
    some: np.ndarray


class Room(NamedTuple):
    """Scratch; what is tallied is all 0 before and after."""

    at_place: np.ndarray  # int64: records of a part at each place of an attribute
    tally: np.ndarray  # int64: records of a part that have each sensitive value
    aside: np.ndarray  # int64: records that go to the right
    units: np.ndarray  # int64: units of a part, in some order
    keys: np.ndarray  # int64: what orders them
    spare: np.ndarray  # int64: a copy of them, or of records
    is_low: np.ndarray  # bool: which units are in the lower half
    spans: np.ndarray  # int64, × 2: units that are to be paired


@inner
def _is_diverse(codes, s, order, start, stop, asked, tally):
    """Whether the values of a sensitive attribute differ enough in a part."""
    n, n_values, most, summed = stop - start, np.int64(0), np.int64(0), 0.0
    for i in range(start, stop):
        tally[codes[order[i]]] -= 1
    for i in range(start, stop):
        value = np.int64(codes[order[i]])
        count = -tally[value]
        if count > 0:
            if count > most and not asked.harmless[s, value]:
                most = count
            asked.some[n_values] = value
            n_values, summed = n_values + 1, summed + count * np.log(count)
            tally[value] = count
    for i in range(n_values):
        tally[asked.some[i]] *= -1
    kept = n_values
    if asked.has_width[s] and most > 0:
        most, n_values = near_values(asked.some, n_values, tally, asked.harmless[s], asked.reach[s])
    for i in range(kept):
        tally[asked.some[i]] = 0
    if most == 0:
        return True
    if asked.kind == FREQUENCY:
        return most * asked.l_numerator[s] <= n * asked.l_denominator[s]
    if asked.kind == DISTINCT:
        return n_values * asked.l_denominator[s] >= asked.l_numerator[s]
    return np.log(n) - summed / n >= np.log(asked.l_numerator[s] / asked.l_denominator[s]) - SLACK


@kernel
def keeps(order, start, stop, sensitive, asked, tally):
    """Whether a part has k records, and each sensitive attribute is diverse in it."""
    for target in range(sensitive.shape[0]):
        if not _is_diverse(sensitive[target], target, order, start, stop, asked, tally):
            return False
    return stop - start >= asked.k


@inner
def _lay_out(place, order, start, stop, at_place):
    """Tallies the places of a part; gives the lowest and the highest."""
    low = high = np.int64(place[order[start]])
    for i in range(start, stop):
        here = np.int64(place[order[i]])
        at_place[here] += 1
        low, high = min(low, here), max(high, here)
    return low, high


@inner
def _middle(low, half, at_place):
    """The last place of the lower half of a part, and the first of the upper one."""
    last, seen = low, at_place[low]
    while seen < half:
        last += 1
        seen += at_place[last]
    first = last
    if seen == half:
        first += 1
        while at_place[first] == 0:
            first += 1
    return last, first


@inner
def _width(ways, a, low, high, at_place):
    """What records at some places lose in an attribute if they are published alike."""
    first, spread = ways.start[a], 0.0
    if low == high:
        return spread
    if ways.form[a] == LINE:
        spread = ways.value[first + high] - ways.value[first + low]
    elif ways.form[a] == TREE:
        for place in range(low, high):
            spread = max(spread, ways.value[first + place])
    else:
        for place in range(low, high + 1):
            spread += at_place[place] > 0
    return min(spread / ways.extent[a], 1.0) * ways.weight[a]


@inner
def _choose(ways, place, order, start, stop, room):
    """The attribute whose halves lose least against the whole, of equals the one that loses most; the lower half's end.

    −1 if all records are alike.
    """
    chosen, best, widest, last_of_chosen = -1, -1.0, 0.0, np.int64(0)
    at_place = room.at_place
    for a in range(place.shape[0]):
        low, high = _lay_out(place[a], order, start, stop, at_place)
        if low < high:
            last, first = _middle(low, (stop - start) // 2, at_place)
            width = _width(ways, a, low, high, at_place)
            gain = 2 * width - _width(ways, a, low, last, at_place) - _width(ways, a, first, high, at_place)
            if gain > best or (gain == best and width > widest):
                chosen, best, widest, last_of_chosen = a, gain, width, last
        at_place[low : high + 1] = 0
    return chosen, last_of_chosen


@inner
def _halve(place, order, start, stop, last, aside):
    """Puts the lower half of a part before the upper one; those at the last place of the lower half as they stand."""
    middle, left, n_aside, below = (start + stop) // 2, start, 0, 0
    for i in range(start, stop):
        below += place[order[i]] < last
    at_last = middle - start - below  # so many of those at the last place go to the lower half
    for i in range(start, stop):
        here = place[order[i]]
        if here < last or (here == last and at_last > 0):
            at_last -= here == last
            order[left] = order[i]
            left += 1
        else:
            aside[n_aside] = order[i]
            n_aside += 1
    for i in range(n_aside):
        order[left + i] = aside[i]


@inner
def _sort_units(place, order, start, unit, first, last, room):
    """Puts units[first:last] into the order of an attribute, by the sum of their records' places; equals stay."""
    n = last - first
    for u in range(n):
        total, begin = np.int64(0), start + room.units[first + u] * unit
        for i in range(begin, begin + unit):
            total += place[order[i]]
        room.keys[u], room.spare[u] = total * n + u, room.units[first + u]
    in_order(room.keys, n)
    for u in range(n):
        room.units[first + u] = room.spare[room.keys[u] % n]


@inner
def _lay_out_units(place, order, start, unit, first, last, room, low, high):
    """Tallies the places of units[first:last]; gives the lowest and the highest, of others, too."""
    for u in range(first, last):
        begin = start + room.units[u] * unit
        for i in range(begin, begin + unit):
            here = np.int64(place[order[i]])
            room.at_place[here] += 1
            low, high = min(low, here), max(high, here)
    return low, high


@inner
def _width_of(ways, a, place, order, start, unit, first, last, room):
    """What the records of units[first:last] lose in an attribute if they are published alike."""
    low, high = _lay_out_units(place, order, start, unit, first, last, room, np.int64(place.size), np.int64(0))
    width = _width(ways, a, low, high, room.at_place)
    room.at_place[low : high + 1] = 0
    return width


@inner
def _put_records(order, start, stop, unit, room):
    """Orders the records of a part as `units` says."""
    for i in range(start, stop):
        room.spare[i - start] = order[i]
    at = start
    for u in range((stop - start) // unit):
        begin = room.units[u] * unit
        for i in range(begin, begin + unit):
            order[at] = room.spare[i]
            at += 1


@inner
def _halve_units(ways, place, order, start, stop, unit, room):
    """Orders the units of a part by halves, as `_choose` does for records; gives whether they are not all alike."""
    n, best, widest, units = (stop - start) // unit, -1.0, 0.0, room.units
    half = n // 2
    for a in range(place.shape[0]):
        for u in range(n):
            units[u] = u
        width = _width_of(ways, a, place[a], order, start, unit, 0, n, room)
        if width > 0:
            _sort_units(place[a], order, start, unit, 0, n, room)
            gain = 2 * width - _width_of(ways, a, place[a], order, start, unit, 0, half, room)
            gain -= _width_of(ways, a, place[a], order, start, unit, half, n, room)
            if gain > best or (gain == best and width > widest):
                best, widest = gain, width
                for u in range(n):
                    room.is_low[units[u]] = u < half
    if best < 0:
        return False
    low, high = 0, half
    for u in range(n):
        if room.is_low[u]:
            units[low] = u
            low += 1
        else:
            units[high] = u
            high += 1
    _put_records(order, start, stop, unit, room)
    return True


@inner
def _pair(ways, place, order, start, stop, unit, room):
    """Puts each unit of the lower half beside one of the upper half that is near it: together they are a unit.

    Both halves are divided in two at once, by the attribute in which all of them spread most, until one of each is
    left.
    """
    half, units, spans, at = (stop - start) // unit // 2, room.units, room.spans, 1
    for u in range(2 * half):
        units[u] = u
    spans[0, 0], spans[0, 1] = 0, half
    while at > 0:
        at -= 1
        first, last, chosen, widest = spans[at, 0], spans[at, 1], -1, 0.0
        for a in range(place.shape[0] if last - first > 1 else 0):
            low, high = np.int64(place.shape[1]), np.int64(0)
            low, high = _lay_out_units(place[a], order, start, unit, first, last, room, low, high)
            low, high = _lay_out_units(place[a], order, start, unit, half + first, half + last, room, low, high)
            width = _width(ways, a, low, high, room.at_place)
            room.at_place[low : high + 1] = 0
            if width > widest:
                chosen, widest = a, width
        if chosen >= 0:
            _sort_units(place[chosen], order, start, unit, first, last, room)
            _sort_units(place[chosen], order, start, unit, half + first, half + last, room)
            middle = (first + last) // 2
            spans[at, 0], spans[at, 1], spans[at + 1, 0], spans[at + 1, 1] = first, middle, middle, last
            at += 2
    for u in range(half):
        room.keys[2 * u], room.keys[2 * u + 1] = units[u], units[half + u]
    for u in range(2 * half):
        units[u] = room.keys[u]
    _put_records(order, start, stop, unit, room)


@inner
def _halve_part(ways, place, order, start, stop, unit, room):
    """Orders a part by halves; gives whether its records are not all alike."""
    if unit > 1:
        return _halve_units(ways, place, order, start, stop, unit, room)
    chosen, last = _choose(ways, place, order, start, stop, room)
    if chosen >= 0:
        _halve(place[chosen], order, start, stop, last, room.aside)
    return chosen >= 0


@kernel
def cut_in_halves(steps, at, ways, place, sensitive, asked, order, bounds, waiting, room):
    """Orders the records so that order[bounds[i]:bounds[i + 1]] are the parts that are not cut any more.

    `place` is attributes × records, `sensitive` sensitive attributes × records. What is left to cut lies in `waiting`:
    where it begins and ends, and how many records a unit of it has.
    `at`: how many records are in parts, how many wait, and how many parts there are.
    """
    while at[1] > 0 and steps > 0:
        at[1] -= 1
        start, stop, unit = waiting[at[1], 0], waiting[at[1], 1], waiting[at[1], 2]
        middle, is_cut = (start + stop) // 2, False
        while not is_cut and (stop - start) // unit % 2 == 0 and stop - start >= 2 * asked.k:
            steps -= stop - start
            if not _halve_part(ways, place, order, start, stop, unit, room):
                break
            is_cut = keeps(order, start, middle, sensitive, asked, room.tally) and keeps(
                order, middle, stop, sensitive, asked, room.tally
            )
            if not is_cut:
                _pair(ways, place, order, start, stop, unit, room)
                unit *= 2
        if is_cut:
            waiting[at[1], 0], waiting[at[1], 1], waiting[at[1], 2] = middle, stop, unit
            waiting[at[1] + 1, 0], waiting[at[1] + 1, 1], waiting[at[1] + 1, 2] = start, middle, unit
            at[1] += 2
        else:
            bounds[at[2]] = start
            at[0] += stop - start
            at[2] += 1
