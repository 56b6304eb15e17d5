"""Kernels that find near units: Mondrian cuts into small parts, and all pairs inside a part.

Units that a cut separates are strangers to each other, so there are several rounds of cuts at random places.
"""

from __future__ import annotations

import numpy as np

from tacit.records.solvers._box_kernels import FLAT, NEVER, inner, kernel, loss_around, span_loss


@inner
def _place_of_cut(measure, a, low, high, wanted):
    """The place near the wanted one behind which a part is cut: of the most wanted borders the nearest."""
    edge, best = measure.shape[a, 3], min(wanted, high - 1)
    for place in range(low, high):
        here, there = measure.border[edge + place], measure.border[edge + best]
        if here > there or (here == there and abs(place - wanted) < abs(best - wanted)):
            best = place
    return best


@inner
def _attribute_to_cut(measure, place, order, start, stop, lots, lot):
    """The attribute that loses most in a part, by lot, and its lowest and highest place there; −1 if all are alike."""
    best, best_score, best_low, best_high = -1, 0.0, np.int32(0), np.int32(0)
    for a in range(place.shape[1]):
        low = high = place[order[start], a]
        for i in range(start + 1, stop):
            low, high = min(low, place[order[i], a]), max(high, place[order[i], a])
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
def cut_into_parts(measure, place, order, bounds, most, lots, waiting):
    """Orders the units so that order[bounds[i]:bounds[i + 1]] are parts of at most so many units; gives their number.

    `place` is where a unit lies, units × attributes. Each part is cut in the attribute that loses most in it, by lot
    (`lots`, numbers from 0 to 1, used in turn). It stays whole if all its units are alike. `waiting` is scratch.
    """
    waiting[0, 0], waiting[0, 1] = 0, order.size
    n_waiting, n_parts, lot = 1, 0, 0
    while n_waiting:
        n_waiting -= 1
        start, stop = waiting[n_waiting, 0], waiting[n_waiting, 1]
        best = -1
        if stop - start > most:
            best, low, high = _attribute_to_cut(measure, place, order, start, stop, lots, lot)
        if best < 0:
            bounds[n_parts] = start
            n_parts += 1
            continue
        lot += place.shape[1] + 1
        wanted = place[order[start + int(lots[lot % lots.size] * (stop - start))], best]
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
    bounds[n_parts] = order.size
    return n_parts


@inner
def _keep_near(near, far, u, v, loss):
    """Adds v to the list of units near u, which is sorted by loss; the last one drops out."""
    last = near.shape[1] - 1
    place = last + 1
    while place > 0 and far[u, place - 1] >= loss:
        place -= 1
        if near[u, place] == v:
            return
    while place <= last and far[u, place] == loss:
        place += 1
    for i in range(last, place, -1):
        near[u, i], far[u, i] = near[u, i - 1], far[u, i - 1]
    near[u, place], far[u, place] = v, loss


@kernel
def meet_in_parts(measure, box, order, bounds, first_part, last_part, near, far, most):
    """Notes for each unit of some parts the nearest of at most so many units behind it: `near`, with the loss."""
    last = near.shape[1] - 1
    for part in range(first_part, last_part):
        for i in range(bounds[part], bounds[part + 1]):
            u = order[i]
            for j in range(i + 1, min(bounds[part + 1], i + most)):
                v = order[j]
                loss = loss_around(measure, box, u, box, v, max(far[u, last], far[v, last]))
                if loss < far[u, last]:
                    _keep_near(near, far, u, v, loss)
                if loss < far[v, last]:
                    _keep_near(near, far, v, u, loss)


@kernel
def losses_with(measure, box, i, others, loss):
    """The loss of the box around number i of `box` and each of `others`; infinite stays infinite."""
    for j in range(loss.size):
        if loss[j] < NEVER:
            loss[j] = loss_around(measure, others, j, box, i, NEVER)
