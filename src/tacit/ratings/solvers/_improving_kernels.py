"""Inner loops that make groups better: people left over are placed, and pairs of groups are split anew.

The people of group g are first[g], follow[first[g]], ... until −1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, tell
from tacit.arrays.jit import kernel, part
from tacit.ratings.solvers._grouping_kernels import (
    Block,
    Growth,
    Settling,
    grow_at_once,
    room_to_grow,
    settle,
)

_PERSON, _GROUP, _BEST, _LEAST, _COST = range(5)
"""Where the placing of people is: whom, the group that is tried next, and the best so far with what it costs."""
_ROUND, _OWN, _PARTNER, _CHANGED, _CLOCK = range(5)
"""Where the improving is: the round, a group, which of its partners is next (−1: none is known), the pairs of the round
that were split anew, and all pairs that were tried."""


class Groups(NamedTuple):
    """Groups of people: members as lists, and what each group costs."""

    of: np.ndarray  # int64 per person: the group, −1 if there is none
    first: np.ndarray  # int64 per group
    follow: np.ndarray  # int64 per person
    cost: np.ndarray  # int64 per group


class Pairing(NamedTuple):
    """Room to find the pairs that are split anew."""

    tried: np.ndarray  # int64 per pair of groups: when it was tried
    changed_at: np.ndarray  # int64 per group
    indptr: np.ndarray  # int64: profiles of groups are issues[indptr[g]:indptr[g + 1]],
    issues: np.ndarray  # int64
    level: np.ndarray  # float64: with the mean rating
    total: np.ndarray  # int64 per issue: 0, before and after
    own: np.ndarray  # float64 per issue
    affinity: np.ndarray  # float64 per group
    partners: np.ndarray  # int64: the nearest groups of one


class Splitting(NamedTuple):
    """Room to split a pair anew."""

    part: Block
    growth: Growth
    pool: np.ndarray  # int64 per person, as the others
    blanked: np.ndarray
    attempt: np.ndarray
    rest: np.ndarray
    best: np.ndarray


@kernel
def list_members(groups):
    """Makes the lists, people in ascending order."""
    group, first, follow, _ = groups
    for g in range(first.size):
        first[g] = -1
    for person in range(group.size - 1, -1, -1):
        if group[person] >= 0:
            follow[person] = first[group[person]]
            first[group[person]] = person


@part
def take_members(first, follow, g, members, size):
    """Appends the people of a group to members[:size]; returns the new size."""
    person = first[g]
    while person >= 0:
        members[size] = person
        size += 1
        person = follow[person]
    return size


def place_left_over(block: Block, groups: Groups, k: int, fill: bool, room: Settling) -> None:
    """Fills the cost of every group; everybody without one (−1) joins the one that gets dearer by the least.

    Ties: the first group.
    """
    at, members = np.zeros(5, np.int64), np.empty(block.people + 1, np.int64)
    at[_PERSON], at[_BEST] = -1, -1
    for steps in blocks():
        if _place_left_over(steps, at, block, groups, int(k), bool(fill), room, members):
            return
        tell("people left over", (at[_PERSON] + 1) / (block.people + 1))


@kernel
def _place_left_over(steps, at, block, groups, k, fill, room, members):
    """Goes on until so many people were settled; returns whether everybody has a group."""
    group, first, follow, cost = groups
    none = np.int64(0)
    while at[_PERSON] < group.size:
        person = at[_PERSON]  # −1: nobody yet, the groups are settled as they are
        if person >= 0 and group[person] != -1:
            at[_PERSON] += 1
            continue
        while at[_GROUP] < first.size:
            if steps <= 0:
                return False
            g = at[_GROUP]
            size = take_members(first, follow, g, members, none)
            if person >= 0:
                members[size] = person
                size += 1
            dearer, _ = settle(block, members, size, k, fill, room)
            if person < 0:
                cost[g] = dearer
            elif at[_BEST] < 0 or dearer - cost[g] < at[_LEAST]:
                at[_BEST], at[_LEAST], at[_COST] = g, dearer - cost[g], dearer
            steps -= size
            at[_GROUP] += 1
        if person >= 0:
            best = at[_BEST]
            group[person], follow[person], first[best], cost[best] = best, first[best], person, at[_COST]
        at[_PERSON], at[_GROUP], at[_BEST] = person + 1, 0, -1
    return True


@part
def profile_groups(block, first, follow, room, pairing):
    """What at least half of a group rated, and how (the mean)."""
    count, touched, total, indptr = room.met, room.kept, pairing.total, pairing.indptr
    filled = 0
    for g in range(first.size):
        indptr[g] = filled
        size = seen = 0
        person = first[g]
        while person >= 0:
            size += 1
            for i in range(block.indptr[person], block.indptr[person + 1]):
                issue = block.issues[i]
                if count[issue] == 0:
                    touched[seen] = issue
                    seen += 1
                count[issue] += 1
                total[issue] += block.values[i]
            person = follow[person]
        for t in range(seen):
            issue = touched[t]
            if 2 * count[issue] >= size:
                pairing.issues[filled] = issue
                pairing.level[filled] = total[issue] / count[issue]
                filled += 1
            count[issue] = total[issue] = 0
    indptr[first.size] = filled


@part
def nearest_groups(block, g, pairing):
    """The groups whose profile has most in common with that of g, best first; −1 where there are no more."""
    _, _, indptr, issues, level, _, own, affinity, partners = pairing
    for issue in range(own.size):
        own[issue] = -1.0
    for at in range(indptr[g], indptr[g + 1]):
        own[issues[at]] = level[at]
    for h in range(indptr.size - 1):
        affinity[h] = 0.0
        for at in range(indptr[h], indptr[h + 1]):
            issue = issues[at]
            if own[issue] >= 0:
                affinity[h] += 1.0 + block.top[issue] - abs(own[issue] - level[at])
    affinity[g] = -1.0
    for n in range(partners.size):
        best = -1
        for h in range(affinity.size):
            if affinity[h] >= 0 and (best < 0 or affinity[h] > affinity[best]):
                best = h
        partners[n] = best
        if best >= 0:
            affinity[best] = -1.0


@part
def cut_out(block, people, size, needed, count, part, blanked):
    """Fills `part` with the ratings of some people of issues that `needed` of them rated: no group keeps others.

    `blanked` gets what blanking the others costs each person. `count` is zero for every issue, before and after.
    """
    for j in range(size):
        for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
            count[block.issues[i]] += 1
    filled = issues = 0
    for j in range(size):
        part.indptr[j] = filled
        blanked[j] = 0
        for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
            issue = block.issues[i]
            if count[issue] >= needed:
                part.reach[issues], part.null[issues], part.top[issues], part.step[issues] = (
                    block.reach[issue], block.null[issue], block.top[issue], block.step[issue],
                )  # fmt: skip
                issues += 1
                count[issue] = -issues
            if count[issue] < 0:
                part.issues[filled], part.values[filled] = -count[issue] - 1, block.values[i]
                filled += 1
            else:
                blanked[j] += block.values[i] - block.null[issue]
    part.indptr[size] = filled
    for j in range(size):
        for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
            count[block.issues[i]] = 0


@part
def split_anew(size, k, fill, splitting, room, tries, least):
    """The cheapest of a few splits of the people of a part into k and the others, if it is below `least`.

    `best` gets the people, the k first; returns what the two groups cost, −1 if there is no such split.
    """
    part, growth, _, _, attempt, rest, best = splitting
    one_cost = other_cost = -1
    for t in range(min(tries, size)):
        for j in range(size):
            attempt[j] = j
        grow_at_once(part, attempt, size, t * size // min(tries, size), k, fill, growth)
        one, _ = settle(part, attempt, k, k, fill, room)
        if one >= least:
            continue
        for j in range(k, size):
            rest[j - k] = attempt[j]
        other, _ = settle(part, rest, size - k, k, fill, room)
        if one + other < least:
            least, one_cost, other_cost = one + other, one, other
            for j in range(size):
                best[j] = attempt[j]
    return one_cost, other_cost


def improve(
    block: Block, groups: Groups, k: int, fill: bool, room: Settling, rounds: int, tries: int, partners: int
) -> None:
    """Splits each group and its nearest ones anew, pair by pair, while that makes them cheaper.

    A pair is not tried twice unless one of the two has changed in between.
    """
    count = groups.first.size
    pairing = _room_to_pair(block, count, min(partners, count - 1))
    splitting = _room_to_split(block, block.people - k * (count - 2))
    at = np.zeros(5, np.int64)
    at[_PARTNER] = -1
    for steps in blocks():
        if _improve(steps, at, block, groups, int(k), bool(fill), room, int(rounds), int(tries), pairing, splitting):
            return
        tell("pairs of groups", (at[_ROUND] + at[_OWN] / count) / rounds)


def _room_to_pair(block: Block, groups: int, partners: int) -> Pairing:
    """Room for so many groups. At least half of a group rated what its profile has."""
    ratings, issues = 2 * block.issues.size, block.reach.size
    return Pairing(
        np.zeros(groups * groups, np.int64), np.zeros(groups, np.int64), np.empty(groups + 1, np.int64),
        np.empty(ratings, np.int64), np.empty(ratings), np.zeros(issues, np.int64), np.empty(issues), np.empty(groups),
        np.empty(partners, np.int64),
    )  # fmt: skip


def _room_to_split(block: Block, largest: int) -> Splitting:
    """Room for pairs of so many people at most: what is left when every other group has k."""
    part = Block(*(np.empty_like(each) for each in block))
    return Splitting(part, room_to_grow(block, largest), *(np.empty(block.people, np.int64) for _ in range(5)))


@kernel
def _improve(steps, at, block, groups, k, fill, room, rounds, tries, pairing, splitting):
    """Goes on until so many groups and people were looked at; returns whether there is nothing more to gain."""
    _, first, follow, _ = groups
    count, partners, changed_at = first.size, pairing.partners, pairing.changed_at
    while at[_ROUND] < rounds:
        if at[_OWN] == 0 and at[_PARTNER] < 0:
            profile_groups(block, first, follow, room, pairing)
        while at[_OWN] < count:
            g = at[_OWN]
            if at[_PARTNER] < 0:
                nearest_groups(block, g, pairing)
                at[_PARTNER] = 0
                steps -= count
            while at[_PARTNER] < partners.size and partners[at[_PARTNER]] >= 0:
                if steps <= 0:
                    return False
                h = partners[at[_PARTNER]]
                at[_PARTNER] += 1
                pair = min(g, h) * count + max(g, h)
                if pairing.tried[pair] > max(changed_at[g], changed_at[h]):
                    continue
                at[_CLOCK] += 1
                pairing.tried[pair] = at[_CLOCK]
                size, changed = _split_pair(block, groups, g, h, k, fill, room, tries, splitting)
                steps -= size
                if changed:
                    at[_CHANGED] += 1
                    changed_at[g] = changed_at[h] = at[_CLOCK]
            at[_OWN], at[_PARTNER] = g + 1, -1
        if at[_CHANGED] == 0:
            return True
        at[_ROUND], at[_OWN], at[_CHANGED] = at[_ROUND] + 1, 0, 0
    return True


@part
def _split_pair(block, groups, g, h, k, fill, room, tries, splitting):
    """Splits two groups anew if that is cheaper; returns how many people they have, and whether it was."""
    group, first, follow, cost = groups
    pool, blanked, best = splitting.pool, splitting.blanked, splitting.best
    none = np.int64(0)
    size = take_members(first, follow, h, pool, take_members(first, follow, g, pool, none))
    cut_out(block, pool, size, max(1, k // 3) if fill else k, room.met, splitting.part, blanked)
    least = cost[g] + cost[h]
    for j in range(size):
        least -= blanked[j]
    one, other = split_anew(size, k, fill, splitting, room, tries, least)
    if one < 0:
        return size, False
    first[g] = first[h] = -1
    cost[g], cost[h] = one, other
    for j in range(size):
        to = g if j < k else h
        person = pool[best[j]]
        cost[to] += blanked[best[j]]
        group[person] = to
        follow[person] = first[to]
        first[to] = person
    return size, True
