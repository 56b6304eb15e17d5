"""Kernels that find near units: Mondrian cuts into small parts, and all pairs inside a part.

Units that a cut separates are strangers to each other, so there are several rounds of cuts at random places.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.records.solvers._box_kernels import FLAT, NEVER, loss_around, span_loss

_LOOKED_AT = 1024
"""Units of a part that are looked at to see where it is wide."""


@inner
def _place_of_cut(measure, a, low, high, wanted):
    """The place near the wanted one behind which a part is cut: of the most wanted borders the nearest."""
    edge, best = measure.shape[a, 3], wanted if wanted < high else high - 1
    for place in range(low, high):
        here, there = measure.border[edge + place], measure.border[edge + best]
        if here > there or (here == there and abs(place - wanted) < abs(best - wanted)):
            best = place
    return best


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


@inner
def _keep_near(near, far, u, v, loss):
    """Adds v to the list of units near u, which is sorted by loss; the last one drops out."""
    last, low, high = near.shape[1] - 1, 0, near.shape[1]
    while low < high:  # the first place of a larger loss
        middle = (low + high) // 2
        if far[u, middle] > loss:
            high = middle
        else:
            low = middle + 1
    place = low - 1
    while place >= 0 and far[u, place] == loss:
        if near[u, place] == v:
            return
        place -= 1
    for i in range(last, low, -1):
        far[u, i] = far[u, i - 1]
    for i in range(last, low, -1):
        near[u, i] = near[u, i - 1]
    near[u, low], far[u, low] = v, loss


@kernel
def meet_in_parts(steps, at, stop, measure, box, order, ends, near, far, most):
    """Notes for units from place at[0] to `stop` of an order the nearest ones of their part: `near`, with the loss.

    A unit meets at most so many that stand behind it in its part, which ends at `ends`.
    """
    i, last = at[0], near.shape[1] - 1
    while i < stop and steps > 0:
        u, end = np.int64(order[i]), ends[i] if ends[i] < i + most else i + most
        steps -= end - i
        for j in range(i + 1, end):
            v = np.int64(order[j])
            enough = far[u, last] if far[u, last] > far[v, last] else far[v, last]
            loss = loss_around(measure, box, u, box, v, enough)
            for turn in range(2):  # of each of the two, the other one
                one, other = (u, v) if turn == 0 else (v, u)
                if loss < far[one, last]:
                    _keep_near(near, far, one, other, loss)
        i += 1
    at[0] = i


@kernel
def losses_with(measure, box, i, others, loss):
    """The loss of the box around number i of `box` and each of `others`; infinite stays infinite."""
    for j in range(loss.size):
        if loss[j] < NEVER:
            loss[j] = loss_around(measure, others, j, box, i, NEVER)
