"""Inner loops that put people into groups. A `Block` holds some people and the issues that can matter to them.

The gain of a person in a group is what is kept because the person is in it: own ratings of issues that all of the
group rated, and what the others keep of an issue only if the newcomer rated it too; less what must be moved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks
from tacit.arrays.jit import inner, kernel, part
from tacit.ratings.solvers._rating_kernels import nth_smallest

ALL = 1 << 62
"""More steps than anything takes."""
_LEFT, _GROUPS, _MEMBERS, _COMMON, _POOLED, _LISTED = range(6)
"""Where the making of groups is: people without one, groups so far; then of the group that grows, if it has members,
how many, how many issues they share, and how many people it may take in; and how many people lists of raters have."""


class Block(NamedTuple):
    """Ratings of some people, in the terms of `Problem`; people and issues are numbered anew."""

    indptr: np.ndarray  # int64
    issues: np.ndarray  # int32
    values: np.ndarray  # int64
    reach: np.ndarray  # int64 per issue, as the next three
    null: np.ndarray
    top: np.ndarray
    step: np.ndarray

    @property
    def people(self) -> int:
        return self.indptr.size - 1


class Shared(NamedTuple):
    """What the people of a growing group share: the first so many issues, and the ratings of each met so far."""

    place: np.ndarray  # int32 per issue: where it stands among the shared ones, −1 if it is none
    issue: np.ndarray  # int64, as the next four
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray  # what blanking the issue would cost the group
    absent: np.ndarray  # people of the group who did not rate it, if it is to be filled


class Growth(NamedTuple):
    """Room for a group that grows: the ratings that people of a pool gave to the issues of its first person."""

    shared: Shared
    table: np.ndarray  # int64; −1 where there is none
    row: np.ndarray  # int64 per person of the pool: where the row begins
    column: np.ndarray  # int64 per shared issue: which column it is; as the next three, which `at_stake` fills
    stake: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray


class Picking(NamedTuple):
    """Room to choose people from those without a group."""

    free: np.ndarray  # int64 per person, as the others
    pool: np.ndarray
    keys: np.ndarray
    ranked: np.ndarray
    times: np.ndarray


class Raters(NamedTuple):
    """Who rated each issue, without most of those who are in a group: people[begin[issue]:end[issue]]."""

    begin: np.ndarray  # int64 per issue
    end: np.ndarray
    people: np.ndarray  # int32
    values: np.ndarray  # int64
    sums: np.ndarray  # int64 per person


def _raters_of(block: Block) -> Raters:
    order = np.argsort(block.issues, kind="stable")
    counts = np.bincount(block.issues, minlength=block.reach.size)
    ends = np.cumsum(counts)
    people = np.repeat(np.arange(block.people, dtype=np.int32), np.diff(block.indptr))[order]
    return Raters(ends - counts, ends, people, block.values[order], np.zeros(block.people, np.int64))


def room_to_grow(block: Block, pooled: int) -> Growth:
    """Room for groups that are chosen from so many people."""
    widest = int(np.diff(block.indptr).max(initial=0))
    zeros = (np.zeros(block.reach.size, np.int64) for _ in range(5))
    shared = Shared(np.full(block.reach.size, -1, np.int32), *zeros)
    sizes = (pooled * widest, pooled, widest, widest, widest, widest)
    return Growth(shared, *(np.empty(size, np.int64) for size in sizes))


@part
def begin_group(block, person, shared):
    """A group of one; returns how many issues it shares."""
    count = 0
    for i in range(block.indptr[person], block.indptr[person + 1]):
        issue = block.issues[i]
        shared.place[issue] = count
        shared.issue[count] = issue
        shared.low[count] = shared.high[count] = block.values[i]
        shared.weight[count] = block.values[i] - block.null[issue]
        shared.absent[count] = 0
        count += 1
    return count


@part
def end_group(shared, count):
    """No issue has a place any more."""
    for s in range(count):
        shared.place[shared.issue[s]] = -1


@part
def at_stake(block, shared, s, fill):
    """What `kept_because` asks of shared issue s: what is at stake there, and between which ratings none is moved."""
    issue = shared.issue[s]
    lowest = shared.high[s] - block.reach[issue]
    stake = shared.weight[s]
    if fill:
        stake = min(stake, max(lowest, 0) - block.null[issue])
    return stake - block.null[issue], lowest, shared.low[s] + block.reach[issue]


@part
def kept_because(value, stake, lowest, highest):
    """How much of an issue a group keeps because of a newcomer who rated it like this."""
    return stake + value - max(lowest - value, value - highest, 0)


@part
def join_group(block, shared, count, fill, table, row, column):
    """Adds the person of a table's row; issues that are no longer shared make room. Returns how many are left."""
    left = 0
    for s in range(count):
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


@part
def lay_out(block, pool, pooled, growth):
    """Begins a group of the first of the pool; returns how many issues it shares.

    Ratings of that person's issues are laid out as a table, so that a step of growth looks at nothing but what is still
    shared.
    """
    shared, table = growth.shared, growth.table
    width = begin_group(block, pool[0], shared)
    for s in range(width):
        growth.column[s] = s
    for at in range(pooled):
        start = at * width
        growth.row[at] = start
        for s in range(width):
            table[start + s] = -1
        for i in range(block.indptr[pool[at]], block.indptr[pool[at] + 1]):
            s = shared.place[block.issues[i]]
            if s >= 0:
                table[start + s] = block.values[i]
    return width


@inner
def grow(steps, block, pool, pooled, members, count, size, fill, growth):
    """Moves people to the front of the pool until it has `size` members: always the one who gains most.

    Ties: pool order. Without members the group begins with the first of the pool. Ends early when so many ratings were
    looked at. Returns how many members there are, how many issues they share, and the steps left.
    """
    shared, table, row, column, stake, lowest, highest = growth
    if members == 0:
        count = lay_out(block, pool, pooled, growth)
        members += 1
    while members < size and steps > 0:
        if count == 0:  # nobody gains anything: pool order
            return size, count, steps
        for s in range(count):
            stake[s], lowest[s], highest[s] = at_stake(block, shared, s, fill)
        best, most = members, -1
        for candidate in range(members, pooled):
            start, gain = row[candidate], 0
            for s in range(count):
                value = table[start + column[s]]
                if value >= 0:
                    gain += kept_because(value, stake[s], lowest[s], highest[s])
            if gain > most:
                best, most = candidate, gain
        steps -= count * (pooled - members)
        chosen, its_row = pool[best], row[best]
        for at in range(best, members, -1):  # the others keep their order
            pool[at], row[at] = pool[at - 1], row[at - 1]
        pool[members], row[members] = chosen, its_row
        count = join_group(block, shared, count, fill, table, its_row, column)
        members += 1
    return members, count, steps


@part
def away_from(block, person, shared, wanted, fill):
    """How far a person is from a group that keeps `wanted` issues; without `fill` one who rated all of them."""
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
    return away + (wanted - met) * 4 * fill


@inner
def pick_smallest(picking, count, wanted, start):
    """Appends to the pool the free people with the `wanted` smallest keys that are not negative; ties: the first.

    Returns how many are in the pool then.
    """
    keys, ranked = picking.keys, picking.ranked
    valid = np.int64(0)
    for at in range(count):
        if keys[at] >= 0:
            ranked[valid] = keys[at]
            valid += 1
    wanted = min(wanted, valid)
    if wanted == 0:
        return start
    threshold = nth_smallest(ranked, valid, wanted - 1, picking.times)
    stop = start + wanted
    for ties in range(2):
        for at in range(count):
            if start < stop and (0 <= keys[at] < threshold if ties == 0 else keys[at] == threshold):
                picking.pool[start] = picking.free[at]
                start += 1
    return start


def group_greedily(
    block: Block, k: int, limit: int, fill: bool, shortlist: int, group: np.ndarray, told: Callable[[float], None]
) -> int:
    """Groups of k: the first free person and who fits best, of the `shortlist` that fit that person best.

    A group then takes in the nearest people who lose it nothing, up to `limit`. People left over keep the group −1.
    `told` is which share of the people is done with. Returns how many groups there are.
    """
    picking = Picking(*(np.arange(block.people) for _ in range(5)))
    growth, raters = room_to_grow(block, min(shortlist + 1, block.people)), _raters_of(block)
    at = np.zeros(6, np.int64)
    at[_LEFT] = at[_LISTED] = block.people
    sizes = (int(k), int(limit), bool(fill), int(shortlist))
    for steps in blocks():
        if _group_greedily(steps, at, block, *sizes, growth, picking, raters, group):
            break
        told(1 - at[_LEFT] / block.people)
    return int(at[_GROUPS])


@kernel
def _group_greedily(steps, at, block, k, limit, fill, shortlist, growth, picking, raters, group):
    """Goes on until so many ratings were looked at; returns whether too few people are left for a group."""
    while steps > 0:
        if at[_MEMBERS] == 0:
            if at[_LEFT] < k:
                return True
            steps -= _choose_pool(at, block, fill, shortlist, growth.shared, picking, raters)
        at[_MEMBERS], at[_COMMON], steps = grow(
            steps, block, picking.pool, at[_POOLED], at[_MEMBERS], at[_COMMON], k, fill, growth
        )
        if at[_MEMBERS] == k:
            steps -= _close_group(at, block, k, limit, fill, growth.shared, picking, raters, group)
            if 2 * at[_LEFT] < at[_LISTED]:
                _forget_placed(raters, group)
                at[_LISTED] = at[_LEFT]
    return False


@part
def _forget_placed(raters, group):
    """Takes everybody who is in a group out of the lists."""
    begin, end, people, values, _ = raters
    for issue in range(begin.size):
        kept = begin[issue]
        for at in range(begin[issue], end[issue]):
            if group[people[at]] < 0:
                people[kept], values[kept] = people[at], values[at]
                kept += 1
        end[issue] = kept


@part
def _choose_pool(at, block, fill, shortlist, shared, picking, raters):
    """Chooses who may join the first free person; returns how many ratings were looked at."""
    free, keys, pool, gain = picking.free, picking.keys, picking.pool, raters.sums
    one, left = np.int64(1), at[_LEFT]
    for i in range(left):
        gain[free[i]] = 0
    count = begin_group(block, free[0], shared)
    most, looked = 0, left
    for s in range(count):
        begin, end = raters.begin[shared.issue[s]], raters.end[shared.issue[s]]
        stake, lowest, highest = at_stake(block, shared, s, fill)
        for r in range(begin, end):
            gain[raters.people[r]] += kept_because(raters.values[r], stake, lowest, highest)
        looked += end - begin
    end_group(shared, count)
    for i in range(left):
        most = max(most, gain[free[i]])
    for i in range(left):
        keys[i] = most - gain[free[i]]
    keys[0] = -1
    pool[0] = free[0]
    at[_POOLED] = pick_smallest(picking, left, shortlist, one)
    return looked


@part
def _close_group(at, block, k, limit, fill, shared, picking, raters, group):
    """Takes in who loses the group nothing, and ends it; returns how many ratings were looked at."""
    free, keys, pool, left = picking.free, picking.keys, picking.pool, at[_LEFT]
    size, looked = k, left
    for i in range(k):
        group[pool[i]] = at[_GROUPS]
    if limit > k and left > k:
        met = raters.sums
        for i in range(left):
            met[free[i]] = 0
        for s in range(at[_COMMON]):
            begin, end = raters.begin[shared.issue[s]], raters.end[shared.issue[s]]
            for r in range(begin, end):
                met[raters.people[r]] += 1
            looked += end - begin
        for i in range(left):
            person, keys[i] = free[i], -1
            if group[person] < 0 and (fill or met[person] == at[_COMMON]):
                keys[i] = away_from(block, person, shared, at[_COMMON], fill)
                looked += block.indptr[person + 1] - block.indptr[person]
        size = pick_smallest(picking, left, limit - k, k)
        for i in range(k, size):
            group[pool[i]] = at[_GROUPS]
    end_group(shared, at[_COMMON])
    kept = 0
    for i in range(left):
        if group[free[i]] < 0:
            free[kept] = free[i]
            kept += 1
    at[_LEFT], at[_MEMBERS] = kept, 0
    at[_GROUPS] += 1
    return looked
