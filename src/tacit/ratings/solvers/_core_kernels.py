"""Inner loops that say what a group of people costs: who is its core, which issues it keeps, and their intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import up_to
from tacit.arrays.jit import inner, kernel, part
from tacit.ratings.solvers._grouping_kernels import Block
from tacit.ratings.solvers._rating_kernels import nth_smallest


class Settling(NamedTuple):
    """Room to settle a group, and what comes out: the issues it keeps, their intervals, who is of the core."""

    met: np.ndarray  # int64 per issue: 0, before and after
    kept: np.ndarray  # int64 per issue, as the next two
    low: np.ndarray
    high: np.ndarray
    is_core: np.ndarray  # bool per person
    values: np.ndarray  # int64: for each shared issue the ratings of all people of the group
    away: np.ndarray  # int64 per person
    column: np.ndarray  # int64, two a person, as the next one
    times: np.ndarray


def room_to_settle(block: Block, fill: bool) -> Settling:
    """Room for a group of all people. An issue that is filled was rated by more than a third of the group."""
    met, kept, low, high = (np.zeros(block.reach.size, np.int64) for _ in range(4))
    sizes = (block.issues.size * (3 if fill else 1), block.people, 2 * block.people, 2 * block.people)
    values, away, column, times = (np.empty(size, np.int64) for size in sizes)
    return Settling(met, kept, low, high, np.zeros(block.people, bool), values, away, column, times)


@inner
def settle(block, members, size, k, fill, room):
    """The cheapest way found to make these people close; returns its distortion, and how many issues are kept.

    The first k − 1 of them, nearest the middle, are the core: their ratings of issue kept[s] go into
    [low[s], high[s]]. The others go within reach of all of those: into [high[s] − reach, low[s] + reach].
    """
    kept, values = room.kept, room.values
    cost, shared = _lay_out_shared(block, members, size, fill, room)
    _choose_core(shared, size, k, room)
    stays = 0
    for s in range(shared):
        issue = kept[s]
        blanked = 0
        for j in range(size):
            blanked += values[s * size + j] - block.null[issue]
        price, first, last = _cheapest_pair(
            room, s * size, size, block.reach[issue], block.top[issue], block.step[issue]
        )
        if price < blanked:
            cost -= blanked - price
            kept[stays], room.low[stays], room.high[stays] = issue, first, last
            stays += 1
    return cost, stays


class Settled(NamedTuple):
    """What comes out for each of some groups: its price, the issues it keeps, their intervals, and who is of a core."""

    price: np.ndarray  # int64 per group
    indptr: np.ndarray  # int64: group g keeps kept[indptr[g]:indptr[g + 1]]
    kept: np.ndarray  # int64, as the next two; empty if only the price is asked for
    low: np.ndarray
    high: np.ndarray
    is_core: np.ndarray  # bool per person


def settle_groups(
    block: Block,
    first: np.ndarray,
    follow: np.ndarray,
    is_wanted: np.ndarray,
    joins: int,
    k: int,
    fill: bool,
    room: Settling,
    settled: Settled,
) -> None:
    """Settles the wanted groups, each as if person `joins` (−1: nobody) were in it; fills `settled`.

    The people of group g are first[g], follow[first[g]], ... until −1.
    """
    members, at = np.empty(block.people + 1, np.int64), np.zeros(1, np.int64)
    for steps in up_to(at, first.size):
        _settle_groups(
            steps, at, block, first, follow, is_wanted, int(joins), int(k), bool(fill), room, settled, members
        )


@kernel
def _settle_groups(steps, at, block, first, follow, is_wanted, joins, k, fill, room, settled, members):
    """Goes on until so many people were settled, from group at[0] on."""
    price, indptr, kept, low, high, is_core = settled
    g = at[0]
    while g < first.size and steps > 0:
        filled = indptr[g]
        if is_wanted[g]:
            size = take_members(first, follow, g, members, np.int64(0))
            if joins >= 0:
                members[size] = joins
                size += 1
            price[g], stays = settle(block, members, size, k, fill, room)
            if kept.size:
                for s in range(stays):
                    kept[filled], low[filled], high[filled] = room.kept[s], room.low[s], room.high[s]
                    filled += 1
                for j in range(size):
                    is_core[members[j]] = room.is_core[j]
            steps -= size
        g += 1
        indptr[g] = filled
        steps -= 1
    at[0] = g


@part
def take_members(first, follow, g, members, size):
    """Appends the people of a group to members[:size]; returns the new size."""
    person = first[g]
    while person >= 0:
        members[size] = person
        size += 1
        person = follow[person]
    return size


@part
def _lay_out_shared(block, members, size, fill, room):
    """Fills in the ratings of the issues that a group might keep; returns what blanking all costs, and how many."""
    met, kept, values = room.met, room.kept, room.values
    cost = touched = shared = 0
    for j in range(size):
        person = members[j]
        for i in range(block.indptr[person], block.indptr[person + 1]):
            issue = block.issues[i]
            if met[issue] == 0:
                kept[touched] = issue
                touched += 1
            met[issue] += 1
            cost += block.values[i] - block.null[issue]
    for t in range(touched):
        issue = kept[t]
        if met[issue] == size or (fill and 3 * met[issue] > size):
            kept[shared] = issue
            shared += 1
            met[issue] = -shared
        else:
            met[issue] = 0
    for s in range(shared):
        for j in range(size):
            values[s * size + j] = block.null[kept[s]]
    for j in range(size):
        for i in range(block.indptr[members[j]], block.indptr[members[j] + 1]):
            if met[block.issues[i]] < 0:
                values[(-met[block.issues[i]] - 1) * size + j] = block.values[i]
    for s in range(shared):
        met[kept[s]] = 0
    return cost, shared


@part
def _choose_core(shared, size, k, room):
    """The k − 1 people whose ratings are nearest to the median; ties: the first."""
    values, away, column, is_core = room.values, room.away, room.column, room.is_core
    for j in range(size):
        away[j] = 0
    for s in range(shared):
        for j in range(size):
            column[j] = values[s * size + j]
        middle = nth_smallest(column, size, (size - 1) // 2, room.times)
        for j in range(size):
            away[j] += abs(values[s * size + j] - middle)
    for j in range(size):
        column[j] = away[j] * size + j
        is_core[j] = False
    if k > 1:
        last = nth_smallest(column, size, min(k - 1, size) - 1, room.times)
        for j in range(size):
            is_core[j] = away[j] * size + j <= last


@part
def _cheapest_pair(room, start, size, reach, top, step):
    """The core's interval for one issue that costs core and others least, for a few widths; the lowest of the best.

    For a given width the cost is convex: its slope leaves the negative at the middle one of 2 · size places. What is
    least for each width is convex in the width, too: from the widest on, nothing better comes once it rises. No
    interval begins below 0, so that of what is filled the slope changes where that of the lowest rating does.
    """
    values, is_core, breaks = room.values, room.is_core, room.column
    cheapest, best_low, best_high = -1, 0, 0
    steps = reach // step
    widths = min(steps, 3) + 1
    for turn in range(widths - 1, -1, -1):
        width = min(turn * steps // max(widths - 1, 1) * step, top)
        for j in range(size):
            value = max(values[start + j], 0)
            if is_core[j]:
                breaks[2 * j], breaks[2 * j + 1] = value - width, value
            else:
                breaks[2 * j], breaks[2 * j + 1] = value - reach, value - width + reach
        low = min(max(nth_smallest(breaks, 2 * size, size - 1, room.times), 0), top - width)
        price = 0
        for j in range(size):
            value = values[start + j]
            if is_core[j]:
                price += max(low - value, value - low - width, 0)
            else:
                price += max(max(low + width - reach, 0) - value, value - low - reach, 0)
        if cheapest >= 0 and price > cheapest:
            break
        cheapest, best_low, best_high = price, low, low + width
    return cheapest, best_low, best_high
