"""Kernels of cutting records in two, again and again, always where their values then lose least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.records.solvers._guarded_kernels import LINE, SET

START, STOP, LEFT, DEPTH = 0, 1, 2, 3
"""What is known of a part: from which place of the order to which, its left side (−1: not cut), how many cuts made it.
The right side is the part behind the left one."""
_SHARE = 64
"""A side has at least so small a share of its part: otherwise a long tail of values would be cut off bit by bit."""


class Desk(NamedTuple):
    """Scratch."""

    is_left: np.ndarray  # bool, by record
    spare: np.ndarray  # int32, as many
    values: np.ndarray  # int64: the different values of a part in an attribute without an order,
    counts: np.ndarray  # int64: and how many records have each, most first
    is_left_value: np.ndarray  # bool, by value


class Cut(NamedTuple):
    """The best one so far: its gain, how uneven it is, the attribute, and what the left side has: values from a place
    to another, or the first so many of the most frequent ones."""

    gain: float
    uneven: int
    attribute: np.int64
    low: np.int64
    high: np.int64


@inner
def _better(best, gain, uneven, a, low, high):
    """Of two cuts the one that gains more, of equals the more even one; the first of those."""
    if gain > best.gain or (gain == best.gain and uneven < best.uneven):
        return Cut(gain, uneven, a, low, high)
    return best


@inner
def _on_a_line(value, extent, weight, a, place, order, start, stop, least, best):
    """Cuts between neighbouring numbers; what is missing has an infinite one, and goes with no other."""
    n, low, high = stop - start, np.int64(place[order[start]]), np.int64(place[order[stop - 1]])
    lowest, highest = value[low], value[high]
    whole = (highest - lowest) / extent
    whole = n * (whole if whole < 1 else 1.0)
    for i in range(start + least, stop - least + 1):
        last, after = np.int64(place[order[i - 1]]), np.int64(place[order[i]])
        if last != after:
            left, right = (value[last] - lowest) / extent, 0.0
            if after != high:
                right = (highest - value[after]) / extent
            left, right = left if left < 1 else 1.0, right if right < 1 else 1.0
            gain = (whole - (i - start) * left - (stop - i) * right) * weight
            best = _better(best, gain, abs(2 * i - start - stop), a, low, last)
    return best


@inner
def _tally(place, order, start, stop, values, counts):
    """The different values of a part, most frequent first, of equals the lower; how many there are."""
    n, i = 0, start
    while i < stop:
        value, begin = place[order[i]], i
        while i < stop and place[order[i]] == value:
            i += 1
        at = n
        while at > 0 and counts[at - 1] < i - begin:
            counts[at], values[at] = counts[at - 1], values[at - 1]
            at -= 1
        counts[at], values[at] = i - begin, value
        n += 1
    return n


@inner
def _in_sets(extent, weight, a, place, order, start, stop, least, best, values, counts):
    """Cuts between the most frequent values and the others."""
    n, n_values, left = stop - start, _tally(place, order, start, stop, values, counts), np.int64(0)
    for i in range(1, n_values):
        left += counts[i - 1]
        if left >= least and n - left >= least:
            lost = (left * i if i > 1 else 0) + ((n - left) * (n_values - i) if n_values - i > 1 else 0)
            gain = (n * n_values - lost) / extent * weight
            best = _better(best, gain, abs(2 * left - n), a, np.int64(0), np.int64(i))
    return best


@inner
def _under_nodes(value, extent, weight, a, place, order, start, stop, least, best):
    """Cuts between one child of the common node and the others; and between the first few children and the others."""
    n, low, high = stop - start, np.int64(place[order[start]]), np.int64(place[order[stop - 1]])
    whole = 0.0
    for step in range(low, high):
        whole = value[step] if value[step] > whole else whole
    i, n_children, first_own, last_own, own = start, 0, 0.0, 0.0, 0.0
    begin = start
    for round_ in range(2):  # the first one only counts the children, and what the outer ones lose
        i, begin, seen, own = start, start, 0, 0.0
        while i < stop:
            here = np.int64(place[order[i]])
            i += 1
            border = whole
            if i < stop:
                after, border = np.int64(place[order[i]]), 0.0
                for between in range(here, after):
                    border = value[between] if value[between] > border else border
                if border < whole:
                    own = border if border > own else own
                    continue
            seen += 1
            if round_ == 0:
                first_own, last_own = own if seen == 1 else first_own, own
            else:
                rest = whole
                if n_children == 2:
                    rest = last_own if seen == 1 else first_own
                alone = i - begin
                if alone >= least and n - alone >= least:
                    gain = (n * whole - alone * own - (n - alone) * rest) / extent * weight
                    best = _better(best, gain, abs(2 * alone - n), a, np.int64(place[order[begin]]), here)
                before = i - start
                if before >= least and n - before >= least:
                    side = first_own if seen == 1 else whole
                    other = last_own if seen == n_children - 1 else whole
                    gain = (n * whole - before * side - (n - before) * other) / extent * weight
                    best = _better(best, gain, abs(2 * before - n), a, low, here)
            begin, own = i, 0.0
        n_children = seen
    return best


@inner
def _put_apart(place, order, start, stop, cut, form, desk):
    """Marks the records of the left side, and puts them first in the order of every attribute; how many they are."""
    by_value, a, left = form == SET, cut.attribute, np.int64(0)
    if by_value:
        n_values = _tally(place[a], order[a], start, stop, desk.values, desk.counts)
        for i in range(n_values):
            desk.is_left_value[desk.values[i]] = i < cut.high
    for i in range(start, stop):
        record = order[a, i]
        here = place[a, record]
        desk.is_left[record] = desk.is_left_value[here] if by_value else cut.low <= here <= cut.high
        left += desk.is_left[record]
    for b in range(order.shape[0]):
        at, aside = start, 0
        for i in range(start, stop):
            record = order[b, i]
            if desk.is_left[record]:
                order[b, at] = record
                at += 1
            else:
                desk.spare[aside] = record
                aside += 1
        for i in range(aside):
            order[b, at + i] = desk.spare[i]
    return left


@kernel
def cut_in_two(steps, at, ways, place, order, k, parts, desk):
    """Goes on cutting parts: at[0] are done, of at[1] that there are. `order` has the records in the order of each
    attribute, part by part."""
    while at[0] < at[1] and steps > 0:
        part = at[0]
        start, stop = parts[part, START], parts[part, STOP]
        n = stop - start
        least = n // _SHARE if n // _SHARE > k else k
        at[0] += 1
        steps -= 1 + n
        if n < 2 * k:
            continue
        best = Cut(-1.0, n, np.int64(-1), np.int64(0), np.int64(0))
        for a in range(order.shape[0]):
            if place[a, order[a, start]] == place[a, order[a, stop - 1]]:
                continue
            here, by_place, value = place[a], order[a], ways.value[ways.start[a] :]
            extent, weight = ways.extent[a], ways.weight[a]
            if ways.form[a] == LINE:
                best = _on_a_line(value, extent, weight, a, here, by_place, start, stop, least, best)
            elif ways.form[a] == SET:
                best = _in_sets(extent, weight, a, here, by_place, start, stop, least, best, desk.values, desk.counts)
            else:
                best = _under_nodes(value, extent, weight, a, here, by_place, start, stop, least, best)
        if best.attribute < 0:
            continue
        left = _put_apart(place, order, start, stop, best, ways.form[best.attribute], desk)
        parts[part, LEFT] = at[1]
        for side in range(2):
            new = at[1] + side
            parts[new, START], parts[new, STOP] = (start, start + left) if side == 0 else (start + left, stop)
            parts[new, LEFT], parts[new, DEPTH] = -1, parts[part, DEPTH] + 1
        at[1] += 2
