"""Inner loops that put people into groups. A `Block` holds some people and the issues that can matter to them.

The gain of a person in a group is what is kept because the person is in it: own ratings of issues that all of the
group rated, and what the others keep of an issue only if the newcomer rated it too; less what must be moved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.ratings.solvers._rating_kernels import nth_smallest

# compiled with tacit.ratings.solvers._rating_kernels 00859468a11c


class Block(NamedTuple):
    """Ratings of some people, in the terms of `Problem`; people and issues are numbered anew."""

    indptr: np.ndarray  # int64
    issues: np.ndarray  # int32
    values: np.ndarray  # int16 or int64
    reach: np.ndarray  # int64 per issue, as the next three
    null: np.ndarray
    top: np.ndarray
    step: np.ndarray


class Shared(NamedTuple):
    """What the people of a growing group share: the first so many issues, and the ratings of each met so far."""

    place: np.ndarray  # int32 per issue: where it stands among the shared ones, −1 if it is none
    issue: np.ndarray  # int64, as the next four
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray  # what blanking the issue would cost the group
    absent: np.ndarray  # people of the group who did not rate it, if it is to be filled


@njit(cache=True, nogil=True)
def begin_group(block, person, shared):
    """A group of one; returns how many issues it shares."""
    number = 0
    for i in range(block.indptr[person], block.indptr[person + 1]):
        issue = block.issues[i]
        shared.place[issue] = number
        shared.issue[number] = issue
        shared.low[number] = shared.high[number] = block.values[i]
        shared.weight[number] = block.values[i] - block.null[issue]
        shared.absent[number] = 0
        number += 1
    return number


@njit(cache=True, nogil=True)
def end_group(shared, number):
    """No issue has a place any more."""
    for s in range(number):
        shared.place[shared.issue[s]] = -1


@njit(cache=True, nogil=True)
def kept_because(block, shared, s, value, fill):
    """How much of shared issue s a group keeps because of a newcomer who rated it like this."""
    issue = shared.issue[s]
    lowest = shared.high[s] - block.reach[issue]
    stake = shared.weight[s]
    if fill:
        stake = min(stake, max(lowest, 0) - block.null[issue])
    return stake + value - block.null[issue] - max(lowest - value, value - shared.low[s] - block.reach[issue], 0)


@njit(cache=True, nogil=True)
def gain_of(block, person, shared, fill):
    """How much the group keeps because of this person."""
    gain = 0
    for i in range(block.indptr[person], block.indptr[person + 1]):
        s = shared.place[block.issues[i]]
        if s >= 0:
            gain += kept_because(block, shared, s, block.values[i], fill)
    return gain


@njit(cache=True, nogil=True)
def join_group(block, shared, number, fill, table, row, column):
    """Adds the person of a table's row; issues that are no longer shared make room. Returns how many are left."""
    left = 0
    for s in range(number):
        issue, value = shared.issue[s], table[row + column[s]]
        low, high, weight, absent = shared.low[s], shared.high[s], shared.weight[s], shared.absent[s]
        stays = value >= 0
        if stays:
            value = min(max(value, high - block.reach[issue]), low + block.reach[issue])
            weight += table[row + column[s]] - block.null[issue]
            low, high = min(low, value), max(high, value)
        elif fill:
            absent += 1
            stays = absent * (max(high - block.reach[issue], 0) - block.null[issue]) < weight
        shared.place[issue] = left if stays else -1
        if stays:
            shared.issue[left], shared.low[left], shared.high[left] = issue, low, high
            shared.weight[left], shared.absent[left], column[left] = weight, absent, column[s]
            left += 1
    return left


@njit(cache=True, nogil=True)
def grow(block, pool, pooled, seed, size, fill, shared):
    """Moves `size` people to the front of the pool, pool[seed] first: always the one who gains most. Ties: pool order.

    Returns how many issues they share; the caller ends the group. Ratings of the seed's issues are laid out as a
    table first, so that a step looks at nothing but what is still shared.
    """
    pool[0], pool[seed] = pool[seed], pool[0]
    number = width = begin_group(block, pool[0], shared)
    table = np.empty(pooled * width, block.values.dtype)
    column, row = np.empty(width, np.int64), np.empty(pooled, np.int64)
    for s in range(width):
        column[s] = s
    for at in range(pooled):
        row[at] = at * width
        for s in range(width):
            table[row[at] + s] = -1
        for i in range(block.indptr[pool[at]], block.indptr[pool[at] + 1]):
            s = shared.place[block.issues[i]]
            if s >= 0:
                table[row[at] + s] = block.values[i]
    for members in range(1, size):
        if number == 0:  # nobody gains anything: pool order
            break
        best, most = members, -1
        for candidate in range(members, pooled):
            gain = 0
            for s in range(number):
                value = table[row[candidate] + column[s]]
                if value >= 0:
                    gain += kept_because(block, shared, s, value, fill)
            if gain > most:
                best, most = candidate, gain
        chosen, its_row = pool[best], row[best]
        for at in range(best, members, -1):  # the others keep their order
            pool[at], row[at] = pool[at - 1], row[at - 1]
        pool[members], row[members] = chosen, its_row
        number = join_group(block, shared, number, fill, table, its_row, column)
    return number


@njit(cache=True, nogil=True)
def away_from(block, person, shared, wanted, fill):
    """How far a person is from a group that keeps `wanted` issues and would keep them; −1 if it would not."""
    away = met = 0
    for i in range(block.indptr[person], block.indptr[person + 1]):
        issue = block.issues[i]
        s = shared.place[issue]
        if s >= 0:
            met += 1
            value = block.values[i]
            lowest = shared.high[s] - block.reach[issue]
            away += max(lowest - value, value - shared.low[s] - block.reach[issue], 0)
        else:
            away += block.values[i] - block.null[issue]
    if met < wanted and not fill:
        return -1
    return away + (wanted - met) * 4 * fill


@njit(cache=True, nogil=True)
def pick_smallest(keys, people, count, wanted, picked, start):
    """Appends to `picked` the people with the `wanted` smallest keys that are not negative; ties: the first.

    Returns the new number of people picked.
    """
    sorted_keys = np.empty(count, np.int64)
    valid = 0
    for at in range(count):
        if keys[at] >= 0:
            sorted_keys[valid] = keys[at]
            valid += 1
    wanted = min(wanted, valid)
    if wanted == 0:
        return start
    threshold = nth_smallest(sorted_keys, valid, wanted - 1)
    stop = start + wanted
    for ties in range(2):
        for at in range(count):
            if start < stop and (0 <= keys[at] < threshold if ties == 0 else keys[at] == threshold):
                picked[start] = people[at]
                start += 1
    return start


@njit(cache=True, nogil=True)
def group_greedily(block, k, limit, fill, shortlist, shared, group):
    """Groups of k: the first free person and who fits best, of the `shortlist` that fit that person best.

    A group then takes in the nearest people who lose it nothing, up to `limit`. People left over keep the group −1.
    Returns the number of groups.
    """
    left = group.size
    free, keys, pool = np.empty(left, np.int64), np.empty(left, np.int64), np.empty(left, np.int64)
    for person in range(left):
        free[person] = person
    groups = 0
    while left >= k:
        number = begin_group(block, free[0], shared)
        most = 0
        for at in range(left):
            keys[at] = gain_of(block, free[at], shared, fill)
            most = max(most, keys[at])
        end_group(shared, number)
        for at in range(left):
            keys[at] = most - keys[at]
        keys[0] = -1
        pool[0] = free[0]
        pooled = pick_smallest(keys, free, left, shortlist, pool, 1)
        number = grow(block, pool, pooled, 0, k, fill, shared)
        size = k
        for at in range(size):
            group[pool[at]] = groups
        if limit > k and left > k:
            for at in range(left):
                taken = group[free[at]] >= 0
                keys[at] = -1 if taken else away_from(block, free[at], shared, number, fill)
            size = pick_smallest(keys, free, left, limit - k, pool, k)
            for at in range(k, size):
                group[pool[at]] = groups
        end_group(shared, number)
        groups += 1
        kept = 0
        for at in range(left):
            if group[free[at]] < 0:
                free[kept] = free[at]
                kept += 1
        left = kept
    return groups


@njit(cache=True, nogil=True)
def settle(block, members, size, k, fill, count, kept, low, high, is_core):
    """The cheapest way found to make these people close; returns its distortion, and how many issues are kept.

    The first k − 1 of them, nearest the middle, are the core: their ratings of issue kept[s] go into
    [low[s], high[s]]. The others go within reach of all of those: into [high[s] − reach, low[s] + reach].
    `count` is zero for every issue, before and after.
    """
    cost = touched = 0
    for j in range(size):
        person = members[j]
        for i in range(block.indptr[person], block.indptr[person + 1]):
            issue = block.issues[i]
            if count[issue] == 0:
                kept[touched] = issue
                touched += 1
            count[issue] += 1
            cost += block.values[i] - block.null[issue]
    shared = 0
    for t in range(touched):
        issue = kept[t]
        if count[issue] == size or (fill and 3 * count[issue] > size):
            kept[shared] = issue
            shared += 1
            count[issue] = -shared
        else:
            count[issue] = 0
    values = np.empty(shared * size, np.int64)
    for s in range(shared):
        for j in range(size):
            values[s * size + j] = block.null[kept[s]]
    for j in range(size):
        for i in range(block.indptr[members[j]], block.indptr[members[j] + 1]):
            if count[block.issues[i]] < 0:
                values[(-count[block.issues[i]] - 1) * size + j] = block.values[i]
    for s in range(shared):
        count[kept[s]] = 0
    _choose_core(values, shared, size, k, is_core)
    breaks = np.empty(2 * size, np.int64)
    stays = 0
    for s in range(shared):
        issue = kept[s]
        blanked = 0
        for j in range(size):
            blanked += values[s * size + j] - block.null[issue]
        price, first, last = _cheapest_pair(
            values, s * size, size, is_core, block.reach[issue], block.top[issue], block.step[issue], breaks
        )
        if price < blanked:
            cost -= blanked - price
            kept[stays], low[stays], high[stays] = issue, first, last
            stays += 1
    return cost, stays


@njit(cache=True, nogil=True)
def _choose_core(values, shared, size, k, is_core):
    """The k − 1 people whose ratings are nearest to the median; ties: the first."""
    away = np.zeros(size, np.int64)
    column = np.empty(size, np.int64)
    for s in range(shared):
        for j in range(size):
            column[j] = values[s * size + j]
        middle = nth_smallest(column, size, (size - 1) // 2)
        for j in range(size):
            away[j] += abs(values[s * size + j] - middle)
    for j in range(size):
        column[j] = away[j] * size + j
        is_core[j] = False
    if k > 1:
        last = nth_smallest(column, size, min(k - 1, size) - 1)
        for j in range(size):
            is_core[j] = away[j] * size + j <= last


@njit(cache=True, nogil=True)
def _cheapest_pair(values, start, size, is_core, reach, top, step, breaks):
    """The core's interval for one issue that costs core and others least, for a few widths; the lowest of the best.

    For a given width the cost is convex: its slope leaves the negative at the middle one of 2 · size places.
    """
    cheapest, best_low, best_high = -1, 0, 0
    steps = reach // step
    widths = min(steps, 3) + 1
    for turn in range(widths):
        width = min(turn * steps // max(widths - 1, 1) * step, top)
        for j in range(size):
            value = values[start + j]
            if is_core[j]:
                breaks[2 * j], breaks[2 * j + 1] = value - width, value
            else:
                breaks[2 * j], breaks[2 * j + 1] = value - reach, value - width + reach
        low = min(max(nth_smallest(breaks, 2 * size, size - 1), 0), top - width)
        price = 0
        for j in range(size):
            value = values[start + j]
            if is_core[j]:
                price += max(low - value, value - low - width, 0)
            else:
                price += max(max(low + width - reach, 0) - value, value - low - reach, 0)
        if cheapest < 0 or price < cheapest:
            cheapest, best_low, best_high = price, low, low + width
    return cheapest, best_low, best_high
