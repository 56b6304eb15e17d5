"""Kernels for a lower bound: how near the nearest records are, and which group a price list pays most for.

Losses are of full precision here: what is proved must not hang on rounding in the search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.records.solvers._box_kernels import around, span_loss

_QUICK = 60
"""Sets of records of a quick look."""
_AGAIN = 0.95
"""If no more than this share of those who may join is left, it is asked again who of them can be in a good group."""
SEED, TURN, LEFT, DEPTH = range(4)
"""Places in `at`, where a search is: the seed, whether it is the thorough look, nodes left, the depth (−1 between)."""
BEST, BEYOND = range(2)
"""Places in `paid`: what the best group so far is paid above its loss, and what those not looked at are at most."""


class Room(NamedTuple):
    """For each depth of a search for groups: what was chosen so far, and who may still join."""

    box: np.ndarray  # int32, depths × attributes × 2
    chosen: np.ndarray  # int32 per depth
    paid: np.ndarray  # float64: prices of those chosen
    loss: np.ndarray  # float64: of one record of those chosen
    joining: np.ndarray  # int64: how many may still join,
    at: np.ndarray  # int64: and which of them is tried next
    who: np.ndarray  # int32, depths × records: they, the cheapest to join first
    joint: np.ndarray  # float64, as `who`: the loss with each of them
    pair: np.ndarray  # float64, records × records: the loss with each two of them
    is_out: np.ndarray  # bool per record: who cannot be in a good group
    top: np.ndarray  # float64 scratch: the highest prices


@inner
def _loss_with(measure, box, i, others, j, enough):
    """The loss of the box around two boxes; cut short when it is `enough`."""
    total = 0.0
    for a in range(measure.shape.shape[0]):
        low, high = around(measure.shape, a, np.int64(box[i, a, 0]), np.int64(box[i, a, 1]), others, j)
        total += span_loss(measure, a, low, high)
        if total >= enough:
            break
    return total


@kernel
def nearest_losses(start, stop, measure, box, nearest):
    """For records from `start` up to `stop` the losses with their nearest others, ascending."""
    last = nearest.shape[1] - 1
    for i in range(start, stop):
        for j in range(box.shape[0]):
            if j == i:
                continue
            loss = _loss_with(measure, box, i, box, j, nearest[i, last])
            place = last
            if loss >= nearest[i, last]:
                continue
            while place > 0 and nearest[i, place - 1] > loss:
                nearest[i, place] = nearest[i, place - 1]
                place -= 1
            nearest[i, place] = loss


@kernel
def group_loss(measure, box, members, loss):
    """Sets loss[0] to what one record of a group loses."""
    loss[0] = 0.0
    for a in range(measure.shape.shape[0]):
        low, high = np.int64(box[members[0], a, 0]), np.int64(box[members[0], a, 1])
        for i in range(members.size):
            low, high = around(measure.shape, a, low, high, box, members[i])
        loss[0] += span_loss(measure, a, low, high)


@inner
def _in_order(who, joint, depth, count):
    """Sorts those who may join by the loss with them: by gaps that become smaller (Shell)."""
    gap = count // 2
    while gap > 0:
        for i in range(gap, count):
            loss, one, j = joint[depth, i], who[depth, i], i
            while j >= gap and joint[depth, j - gap] > loss:
                joint[depth, j], who[depth, j] = joint[depth, j - gap], who[depth, j - gap]
                j -= gap
            joint[depth, j], who[depth, j] = loss, one
        gap //= 2


@inner
def _most(price, room, depth, first, k):
    """No group of those chosen and some of those who may join, from number `first` on, is paid more above its loss.

    A group that loses so much holds those with whom it loses no more: of these the ones with the highest prices.
    """
    size, n, best = depth + 1, np.int64(0), -np.inf
    if size >= k:
        best = room.paid[depth] - size * room.loss[depth]
    for i in range(first, room.joining[depth]):
        loss, new = room.joint[depth, i], price[room.who[depth, i]]
        place = n if n < 2 * k - 1 - size else 2 * k - 2 - size
        if n == 2 * k - 1 - size and (n == 0 or room.top[n - 1] >= new):
            place = np.int64(-1)
        else:
            n += n < 2 * k - 1 - size
        while place > 0 and room.top[place - 1] < new:
            room.top[place] = room.top[place - 1]
            place -= 1
        if place >= 0:
            room.top[place] = new
        if size + n < k:
            continue
        total, m = room.paid[depth] - size * loss, 0
        while m < n and (size + m < k or room.top[m] > loss):
            total += room.top[m] - loss
            m += 1
        best = total if total > best else best
    return best


@inner
def _too_much(price, room, depth, k, best):
    """No group of those chosen and some who may join is paid more than `best` above its loss if each loses so much: of
    each size from k to 2k − 1 it has at best the highest prices."""
    size, n = np.int64(depth + 1), np.int64(0)
    wanted = 2 * k - 1 - size
    for i in range(room.joining[depth]):
        new = price[room.who[depth, i]]
        if n == wanted and room.top[n - 1] >= new:
            continue
        n += n < wanted
        place = n - 1
        while place > 0 and room.top[place - 1] < new:
            room.top[place] = room.top[place - 1]
            place -= 1
        room.top[place] = new
    total, most = room.paid[depth] - best, -np.inf
    for i in range(n):
        total, size = total + room.top[i], size + 1
        if size >= k and total > most * size:
            most = total / size
    return most


@inner
def _descend(measure, box, price, room, depth, one, first, above):
    """Chooses one more; those who may join next stand behind it in the order of the depth before."""
    room.chosen[depth] = one
    if depth == 0:
        room.paid[0], room.loss[0] = price[one], 0.0
        for a in range(measure.shape.shape[0]):
            room.box[0, a, 0], room.box[0, a, 1] = box[one, a, 0], box[one, a, 1]
            room.loss[0] += span_loss(measure, a, np.int64(box[one, a, 0]), np.int64(box[one, a, 1]))
    else:
        room.paid[depth], room.loss[depth] = room.paid[depth - 1] + price[one], room.joint[depth - 1, first - 1]
        for a in range(measure.shape.shape[0]):
            low, high = np.int64(room.box[depth - 1, a, 0]), np.int64(room.box[depth - 1, a, 1])
            room.box[depth, a, 0], room.box[depth, a, 1] = around(measure.shape, a, low, high, box, one)
    n = np.int64(0)
    for i in range(first, box.shape[0] if depth == 0 else room.joining[depth - 1]):
        other = np.int64(i) if depth == 0 else np.int64(room.who[depth - 1, i])
        if depth == 0 and (price[other] > price[one] or (price[other] == price[one] and other >= one)):
            continue  # the one with the highest price is chosen first
        loss = _loss_with(measure, room.box, np.int64(depth), box, other, above)
        if loss < above:  # nobody pays more than the first, so a group that loses as much pays for nothing
            room.who[depth, n], room.joint[depth, n] = other, loss
            n += 1
    room.joining[depth], room.at[depth] = n, 0
    _in_order(room.who, room.joint, depth, n)


@inner
def _without_too_far(price, room, depth, k, best):
    """Leaves out those who lose too much with those chosen, again and again; the loss that is too much."""
    above, before = np.inf, np.int64(-1)
    while before != room.joining[depth]:
        before = room.joining[depth]
        above = _too_much(price, room, depth, k, best)
        while room.joining[depth] > 0 and room.joint[depth, room.joining[depth] - 1] >= above:
            room.joining[depth] -= 1
    return above


@inner
def _pair_losses(measure, box, room, depth, above):
    """The losses of those chosen with each two of those who may join, any from `above` on if they are not below it."""
    below, n = np.int64(depth + 1), room.joining[depth]
    for i in range(n):
        for a in range(measure.shape.shape[0]):
            low, high = np.int64(room.box[depth, a, 0]), np.int64(room.box[depth, a, 1])
            low, high = around(measure.shape, a, low, high, box, np.int64(room.who[depth, i]))
            room.box[below, a, 0], room.box[below, a, 1] = low, high
        room.pair[i, i], room.is_out[i] = np.inf, False
        for j in range(i + 1, n):
            loss = _loss_with(measure, room.box, below, box, np.int64(room.who[depth, j]), above)
            room.pair[i, j] = room.pair[j, i] = loss


@inner
def _most_with(price, room, depth, i, above, k):
    """No group of those chosen, number i of those who may join and some others of them is paid more above its loss."""
    below, count = np.int64(depth + 1), np.int64(0)
    for j in range(room.joining[depth]):
        if room.pair[i, j] < above and not room.is_out[j]:
            room.who[below, count], room.joint[below, count] = room.who[depth, j], room.pair[i, j]
            count += 1
    if count < k - below - 1:
        return -np.inf
    room.joining[below] = count
    room.paid[below], room.loss[below] = room.paid[depth] + price[room.who[depth, i]], room.joint[depth, i]
    _in_order(room.who, room.joint, below, count)
    return _most(price, room, below, np.int64(0), k)


@inner
def _leave_out(measure, box, price, room, depth, k, best):
    """Leaves out who can be in no group that is paid more than `best`, as far as one more of those who may join tells.

    Who is left out is no company for others, so it is asked again.
    """
    above, n = _without_too_far(price, room, depth, k, best), room.joining[depth]
    _pair_losses(measure, box, room, depth, above)
    left, before = n, 2 * n
    while left >= k - depth - 1 and left < _AGAIN * before:
        before = left
        for i in range(n):
            if not room.is_out[i] and _most_with(price, room, depth, np.int64(i), above, k) <= best:
                room.is_out[i], left = True, left - 1
    left = np.int64(0)
    for i in range(n):
        if not room.is_out[i]:
            room.who[depth, left], room.joint[depth, left] = room.who[depth, i], room.joint[depth, i]
            left += 1
    room.joining[depth] = left


@kernel
def best_paid(steps, at, paid, stop, measure, box, price, k, worth, nodes, room, most, group):
    """For seeds from at[SEED] up to `stop` the group of k to 2k − 1 records that is paid most above its loss.

    The seed is the record of it with the highest price. `group` gets it (−1 behind the last), if that is more than
    `worth`, and `most` a number that no group of the seed exceeds: what it is paid above its loss, unless the search
    takes more than so many `nodes`. It is exact, then, by branch and bound. If a quick look does not say all, it has
    found a group that a thorough one need not look below. It may end in the midst of a seed, and goes on from there.
    """
    while at[SEED] < stop and steps > 0:
        seed, is_thorough = at[SEED], at[TURN] == 1
        if at[DEPTH] < 0:
            if not is_thorough:
                paid[BEST] = worth
            paid[BEYOND], at[DEPTH] = paid[BEST], 0
            at[LEFT] = nodes if is_thorough or nodes < _QUICK else _QUICK
            _descend(measure, box, price, room, 0, seed, np.int64(0), price[seed])
        best, beyond, left, depth = paid[BEST], paid[BEYOND], at[LEFT], at[DEPTH]
        while depth >= 0 and steps > 0:
            if room.at[depth] == 0 and depth + 1 >= k:
                value = room.paid[depth] - (depth + 1) * room.loss[depth]
                if value > best:
                    best = value
                    for d in range(group.shape[1]):
                        group[seed, d] = room.chosen[d] if d <= depth else -1
            elif room.at[depth] == 0 and is_thorough and depth + 2 < k and left > 0:
                steps -= room.joining[depth] ** 2
                _leave_out(measure, box, price, room, depth, k, best)
            first = room.at[depth]
            is_done = depth + 1 == 2 * k - 1 or first == room.joining[depth]
            if not is_done:
                steps -= room.joining[depth] - first
                bound = _most(price, room, depth, first, k)
                if bound <= best:
                    is_done = True
                elif left <= 0:
                    beyond, is_done = bound if bound > beyond else beyond, True
            if is_done:
                depth -= 1
                continue
            left -= 1
            room.at[depth] = first + 1
            depth += 1
            one = np.int64(room.who[depth - 1, first])
            _descend(measure, box, price, room, depth, one, first + 1, price[seed])
        paid[BEST], paid[BEYOND], at[LEFT], at[DEPTH] = best, beyond, left, depth
        if depth >= 0:
            continue  # no steps are left
        at[TURN] = 1 - at[TURN]
        if is_thorough or beyond <= best or nodes <= _QUICK:
            most[seed] = best if best > beyond else beyond
            at[SEED], at[TURN] = seed + 1, 0
