"""Kernels that find near units: Mondrian cuts into small parts, and all pairs inside a part.

Units that a cut separates are strangers to each other, so there are several rounds of cuts at random places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.records.solvers._box_kernels import FLAT, NUMBER, TABLE, TREE, span_loss

LOW, HIGH, RANKED = 0, 1, 2
"""Rows of what is laid out on a desk."""
_LOOKED_AT = 1024
"""Units of a part that are looked at to see where it is wide."""


@inner
def _place_of_cut(measure, a, low, high, wanted):
    """The place near the wanted one behind which a part is cut: of the most wanted borders the nearest.

    Those behind numbers are wanted alike, but for the last one, behind which the values are missing.
    """
    edge, form, most = measure.shape[a, 3], measure.shape[a, 0], np.float32(0)
    if form == TREE:
        most = span_loss(measure, a, low, high)  # the loss of leaves is the highest border between them
    elif form == NUMBER:
        most = measure.border[edge + high - 1]
    else:
        for place in range(low, high):
            most = measure.border[edge + place] if measure.border[edge + place] > most else most
    wanted = low if wanted < low else wanted if wanted < high else high - 1
    for away in range(high - low):
        for turn in range(2):
            place = wanted - away if turn == 0 else wanted + away
            if low <= place < high and measure.border[edge + place] == most:
                return place
    return high - 1


@inner
def _attribute_to_cut(measure, place, order, start, stop, stride, lots, lot):
    """The attribute that loses most in a part, by lot, and its lowest and highest place there; −1 if all are alike.

    It looks at one unit in each `stride`.
    """
    best, best_score, best_low, best_high = -1, 0.0, np.int64(0), np.int64(0)
    for a in range(place.shape[1]):
        low = high = np.int64(place[order[start], a])
        for i in range(start + stride, stop, stride):
            here = np.int64(place[order[i], a])
            low, high = here if here < low else low, here if here > high else high
        if low == high:
            continue
        if measure.shape[a, 0] == FLAT:
            spread = measure.border[measure.shape[a, 3] + measure.shape[a, 2] - 1]
        else:
            spread = span_loss(measure, a, low, high)
        score = spread * lots[(lot + a) % lots.size]
        if best < 0 or score > best_score:
            best, best_score, best_low, best_high = a, score, low, high
    return best, best_low, best_high


@kernel
def cut_into_parts(steps, at, measure, place, order, bounds, most, lots, waiting):
    """Orders the units so that order[bounds[i]:bounds[i + 1]] are parts of at most so many units.

    `place` is where a unit lies, units × attributes. Each part is cut in the attribute that loses most in it, by lot
    (`lots`, numbers from 0 to 1, used in turn). It stays whole if all its units are alike. What is left to cut lies in
    `waiting`, the first units on top. `at`: how many wait, how many parts there are, and which lot comes next.
    """
    n_waiting, n_parts, lot = at[0], at[1], at[2]
    while n_waiting > 0 and steps > 0:
        n_waiting -= 1
        start, stop = waiting[n_waiting, 0], waiting[n_waiting, 1]
        steps -= stop - start
        best, low, high = np.int64(-1), np.int64(0), np.int64(0)
        stride = (stop - start) // _LOOKED_AT if stop - start > most else np.int64(-1)
        while best < 0 <= stride:
            each = stride if stride > 1 else np.int64(1)
            best, low, high = _attribute_to_cut(measure, place, order, start, stop, each, lots, lot)
            stride = np.int64(0 if each > 1 else -1)
        if best < 0:
            bounds[n_parts] = start
            n_parts += 1
            continue
        lot += place.shape[1] + 1
        wanted = np.int64(place[order[start + np.int64(lots[lot % lots.size] * (stop - start))], best])
        behind = _place_of_cut(measure, best, low, high, wanted)
        left, right = start, stop - 1
        while left <= right:
            if place[order[left], best] <= behind:
                left += 1
            else:
                order[left], order[right] = order[right], order[left]
                right -= 1
        waiting[n_waiting, 0], waiting[n_waiting, 1] = left, stop
        waiting[n_waiting + 1, 0], waiting[n_waiting + 1, 1] = start, left
        n_waiting += 2
    at[0], at[1], at[2] = n_waiting, n_parts, lot


class Desk(NamedTuple):
    """Units of a part that meet, laid out attribute by attribute."""

    box: np.ndarray  # int32, 3 × units: the lowest and the highest place in an attribute; and leaves in their order
    number: np.ndarray  # float32, 3 × units: the same as numbers; and the loss of a leaf with the one before, in order
    loss: np.ndarray  # float32, units × units: the loss together
    bits: np.ndarray  # int32: the same memory
    fresh: np.ndarray  # int64 per unit: those that are near one, as in `nearest`
    merged: np.ndarray  # int64: room for a list of nearest ones


@inner
def _lay_out(value, form, first, a, box, order, start, n, desk_box, desk_number):
    """Puts n units of an order onto the desk, in attribute a; whether each is one place."""
    single = True
    for i in range(n):
        u = order[start + i]
        low, high = box[u, a, 0], box[u, a, 1]
        desk_box[LOW, i], desk_box[HIGH, i] = low, high
        single = single and low == high
        if form == NUMBER:
            desk_number[LOW, i], desk_number[HIGH, i] = value[first + low], value[first + high]
    return single


@inner
def _meet_leaves(measure, a, n, low, ranked, step, losses):
    """Adds the loss of all pairs of n leaves: it is the highest step between them in their order."""
    for i in range(n):
        place = i
        while place > 0 and low[ranked[place - 1]] > low[i]:
            ranked[place] = ranked[place - 1]
            place -= 1
        ranked[place] = i
    for place in range(1, n):
        step[place] = span_loss(measure, a, np.int64(low[ranked[place - 1]]), np.int64(low[ranked[place]]))
    for own in range(n - 1):
        i, loss = ranked[own], np.float32(0)
        for place in range(own + 1, n):
            j = ranked[place]
            loss = step[place] if step[place] > loss else loss
            first, second = (i, j) if i < j else (j, i)
            losses[first, second] += loss


@inner
def _meet(measure, box, order, start, n, desk):
    """Notes the loss of the box around each pair of n units of an order."""
    for i in range(n):
        for j in range(i, n):
            desk.loss[i, j] = 0
    for a in range(measure.shape.shape[0]):
        form, first, places = measure.shape[a, 0], measure.shape[a, 1], measure.shape[a, 2]
        single = _lay_out(measure.value, form, first, a, box, order, start, n, desk.box, desk.number)
        if form == TREE and single:
            _meet_leaves(measure, a, n, desk.box[LOW], desk.box[RANKED], desk.number[RANKED], desk.loss)
            continue
        ceiling = measure.border[measure.shape[a, 3] + places - 1]
        for i in range(n):
            if form == NUMBER:
                own_least, own_most = desk.number[LOW, i], desk.number[HIGH, i]
                for j in range(i + 1, n):
                    least, most = desk.number[LOW, j], desk.number[HIGH, j]
                    span = (most if most > own_most else own_most) - (least if least < own_least else own_least)
                    desk.loss[i, j] += span if span < ceiling else ceiling
                continue
            own_low, own_high = np.int64(desk.box[LOW, i]), np.int64(desk.box[HIGH, i])
            for j in range(i + 1, n):
                low, high = np.int64(desk.box[LOW, j]), np.int64(desk.box[HIGH, j])
                if form == FLAT:
                    low, high = low | own_low, high | own_high
                else:
                    low, high = low if low < own_low else own_low, high if high > own_high else own_high
                if form == TABLE:
                    desk.loss[i, j] += measure.value[first + low * places + high]
                else:
                    desk.loss[i, j] += span_loss(measure, a, low, high)
    for i in range(n):
        for j in range(i):
            desk.loss[i, j] = desk.loss[j, i]


@inner
def _sort(some, n):
    """Sorts the first n numbers, which are few."""
    for i in range(1, n):
        number, place = some[i], i
        while place > 0 and some[place - 1] > number:
            some[place] = some[place - 1]
            place -= 1
        some[place] = number


@inner
def _merge(nearest, u, fresh, merged, n):
    """Merges n fresh ones into the sorted list of unit u; who is in both stays once."""
    i, j, wanted = 0, 0, nearest.shape[1]
    for place in range(wanted):
        known = nearest[u, i]
        if j < n and fresh[j] <= known:
            i += fresh[j] == known
            merged[place] = fresh[j]
            j += 1
        else:
            merged[place] = known
            i += 1
    for place in range(wanted):
        nearest[u, place] = merged[place]


@kernel
def meet_in_parts(steps, at, stop, measure, box, order, bounds, nearest, desk):
    """Keeps for the units of the parts from at[0] to `stop` the nearest ones of their part.

    `nearest` has, for each unit, loss << 32 | unit, ascending: the bits of a loss that is not negative, taken for a
    whole number, are in its order.
    """
    wanted = nearest.shape[1]
    while at[0] < stop and steps > 0:
        start, n = bounds[at[0]], bounds[at[0] + 1] - bounds[at[0]]
        at[0] += 1
        steps -= n * n
        _meet(measure, box, order, start, n, desk)
        for i in range(n):
            u, fresh = np.int64(order[start + i]), np.int64(0)
            last = nearest[u, wanted - 1]
            for j in range(n):  # no branch: who is near cannot be foreseen
                key = np.int64(desk.bits[i, j]) << 32 | np.int64(order[start + j])
                desk.fresh[fresh] = key
                fresh += (key < last) & (j != i)
            if fresh > 0:
                _sort(desk.fresh, fresh)
                _merge(nearest, u, desk.fresh, desk.merged, fresh)
