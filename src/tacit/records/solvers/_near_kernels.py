"""Kernels that find near units: Mondrian cuts into small parts, and all pairs inside a part.

Units that a cut separates are strangers to each other, so there are several rounds of cuts at random places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.records.solvers._box_kernels import FLAT, NEVER, NUMBER, TABLE, TREE, loss_around, span_loss

_RANKED = 128
"""Units of a part at most that are put into the order of their leaves."""
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
    """Units that stand beside each other in an order, laid out attribute by attribute, so that they meet quickly."""

    here: np.ndarray  # int64: the places of the order from which and up to which it has the units
    low: np.ndarray  # int32, attributes × units: their boxes
    high: np.ndarray
    rank: np.ndarray  # int32, attributes × units: of leaves, where a unit stands among all in their order
    ranked: np.ndarray  # int32, attributes × units: the same the other way round; −1 first if they are not in order
    least: np.ndarray  # float32, attributes × units: the same as numbers, of attributes that have them
    most: np.ndarray
    step: np.ndarray  # float32, attributes × units: the loss of a leaf in this order with the one before
    loss: np.ndarray  # float32 per unit: the loss together with the one that meets them
    bits: np.ndarray  # int32: the same memory
    fresh: np.ndarray  # int64: the nearest of them, as in `nearest`, ascending
    merged: np.ndarray  # int64: room for as many


@inner
def _lay_out(measure, box, order, start, stop, desk):
    """Puts the units from one place of an order up to another onto the desk."""
    desk.here[0], desk.here[1] = start, stop
    for a in range(measure.shape.shape[0]):
        form, first = measure.shape[a, 0], measure.shape[a, 1]
        for i in range(stop - start):
            u = order[start + i]
            low, high = box[u, a, 0], box[u, a, 1]
            desk.low[a, i], desk.high[a, i] = low, high
            if form == NUMBER:
                desk.least[a, i], desk.most[a, i] = measure.value[first + low], measure.value[first + high]
        if form == TREE:
            _rank(measure, a, stop - start, desk)


@inner
def _rank(measure, a, n, desk):
    """Orders n leaves of the desk, unless they are many, or groups of leaves."""
    desk.ranked[a, 0] = -1
    for i in range(n):
        if n > _RANKED or desk.low[a, i] != desk.high[a, i]:
            return
    for i in range(n):
        place = i
        while place > 0 and desk.low[a, desk.ranked[a, place - 1]] > desk.low[a, i]:
            desk.ranked[a, place] = desk.ranked[a, place - 1]
            place -= 1
        desk.ranked[a, place] = i
    for place in range(n):
        i = desk.ranked[a, place]
        desk.rank[a, i] = place
        if place > 0:
            before = desk.ranked[a, place - 1]
            desk.step[a, place] = span_loss(measure, a, np.int64(desk.low[a, before]), np.int64(desk.low[a, i]))


@inner
def _meet_leaves(a, i, n, desk):
    """Adds the loss in attribute a to that of all n units: that of leaves is the highest step between them."""
    own, loss = desk.rank[a, i], np.float32(0)
    for place in range(own + 1, n):
        loss = desk.step[a, place] if desk.step[a, place] > loss else loss
        desk.loss[desk.ranked[a, place]] += loss
    loss = np.float32(0)
    for place in range(own - 1, -1, -1):
        loss = desk.step[a, place + 1] if desk.step[a, place + 1] > loss else loss
        desk.loss[desk.ranked[a, place]] += loss


@inner
def _meet(measure, desk, i, start, end):
    """Notes the loss of the box around number i of the desk and each one of it from `start` up to `end`."""
    for j in range(start, end):
        desk.loss[j] = 0
    for a in range(measure.shape.shape[0]):
        form, first, places = measure.shape[a, 0], measure.shape[a, 1], measure.shape[a, 2]
        if form == NUMBER:
            ceiling = measure.border[measure.shape[a, 3] + places - 1]
            own_least, own_most = desk.least[a, i], desk.most[a, i]
            for j in range(start, end):
                least, most = desk.least[a, j], desk.most[a, j]
                span = (most if most > own_most else own_most) - (least if least < own_least else own_least)
                desk.loss[j] += span if span < ceiling else ceiling
            continue
        if form == TREE and desk.ranked[a, 0] >= 0:
            _meet_leaves(a, i, desk.here[1] - desk.here[0], desk)
            continue
        own_low, own_high = np.int64(desk.low[a, i]), np.int64(desk.high[a, i])
        for j in range(start, end):
            low, high = np.int64(desk.low[a, j]), np.int64(desk.high[a, j])
            if form == FLAT:
                low, high = low | own_low, high | own_high
            else:
                low, high = low if low < own_low else own_low, high if high > own_high else own_high
            if form == TABLE:
                desk.loss[j] += measure.value[first + low * places + high]
            else:
                desk.loss[j] += span_loss(measure, a, low, high)


@inner
def _merge(nearest, u, desk, n):
    """Merges the n fresh ones of the desk into the sorted list of unit u; who is in both stays once."""
    i, j, wanted = 0, 0, nearest.shape[1]
    for place in range(wanted):
        known = nearest[u, i]
        if j < n and desk.fresh[j] <= known:
            i += desk.fresh[j] == known
            desk.merged[place] = desk.fresh[j]
            j += 1
        else:
            desk.merged[place] = known
            i += 1
    for place in range(wanted):
        nearest[u, place] = desk.merged[place]


@kernel
def meet_in_parts(steps, at, stop, measure, box, order, part, nearest, most, desk):
    """Keeps for units from place at[0] to `stop` of an order the nearest ones of their part.

    The part of each place goes from part[0] up to part[1]. A unit meets those that stand less than `most` places away;
    the desk has room for a multiple of them. `nearest` has, for each unit, loss << 32 | unit, ascending: the bits
    of a loss that is not negative, taken for a whole number, are in its order.
    """
    i, wanted, room = at[0], nearest.shape[1], desk.loss.size
    while i < stop and steps > 0:
        u, start, end = np.int64(order[i]), part[0, i], part[1, i]
        start, end = start if start > i - most else i - most + 1, end if end < i + most else i + most
        steps -= end - start
        if start < desk.here[0] or end > desk.here[1]:
            _lay_out(measure, box, order, start, part[1, i] if part[1, i] < start + room else start + room, desk)
        first, n, last = desk.here[0], 0, nearest[u, wanted - 1]
        _meet(measure, desk, i - first, start - first, end - first)
        for j in range(start, end):
            key = np.int64(desk.bits[j - first]) << 32 | np.int64(order[j])
            if key >= last or j == i:
                continue
            place = n if n < wanted else wanted - 1
            while place > 0 and desk.fresh[place - 1] > key:
                desk.fresh[place] = desk.fresh[place - 1]
                place -= 1
            desk.fresh[place] = key
            n += n < wanted
            last = desk.fresh[n - 1] if n == wanted else last
        _merge(nearest, u, desk, n)
        i += 1
    at[0] = i


@kernel
def losses_with(measure, box, i, others, loss):
    """The loss of the box around number i of `box` and each of `others`; infinite stays infinite."""
    for j in range(loss.size):
        if loss[j] < NEVER:
            loss[j] = loss_around(measure, others, j, box, i, NEVER)
