"""Inner loops that make groups better: people left over are placed, and pairs of groups are split anew.

The people of group g are first[g], follow[first[g]], ... until −1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import tell, up_to
from tacit.arrays.jit import kernel, part
from tacit.ratings.solvers._core_kernels import Settled, Settling, settle, settle_groups, take_members
from tacit.ratings.solvers._grouping_kernels import Block, Growth, grow_at_once, room_to_grow
from tacit.ratings.solvers.problem import rows_at

_OWN, _PARTNER, _CHANGED, _CLOCK = range(4)
"""Where a round is: a group, which of its partners is next (−1: none is known), the pairs of the round that were split
anew, and all pairs that were tried."""


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
    own: np.ndarray  # float64 per issue
    affinity: np.ndarray  # float64 per group
    partners: np.ndarray  # int64: the nearest groups of one


class Splitting(NamedTuple):
    """Room to split a pair anew."""

    indptr: np.ndarray  # int64: the ratings of the pair, as those of a block
    issues: np.ndarray  # int32
    values: np.ndarray  # int64
    growth: Growth
    pool: np.ndarray  # int64 per person, as the others
    blanked: np.ndarray
    attempt: np.ndarray
    rest: np.ndarray
    best: np.ndarray


def list_members(groups: Groups) -> None:
    """Makes the lists, people in ascending order."""
    people = np.flatnonzero(groups.of >= 0)
    people = people[np.argsort(groups.of[people], kind="stable")]
    group = groups.of[people]
    begins = np.append(True, group[1:] != group[:-1])[: group.size]
    groups.first[:] = -1
    groups.first[group[begins]] = people[begins]
    groups.follow[people] = np.where(np.append(begins[1:], True), -1, np.append(people[1:], -1))[: people.size]


def place_left_over(block: Block, groups: Groups, k: int, fill: bool, room: Settling) -> None:
    """Fills the cost of every group; everybody without one (−1) joins the one that gets dearer by the least.

    Ties: the first group.
    """
    group, first, follow, cost = groups
    price, none = cost.copy(), np.empty(0, np.int64)
    settled = Settled(price, np.zeros(first.size + 1, np.int64), none, none, none, np.empty(0, bool))
    everything = np.ones(first.size, bool)
    left_over = np.flatnonzero(group == -1)
    settle_groups(block, first, follow, everything, -1, k, fill, room, settled)
    cost[:] = price
    for done, person in enumerate(left_over.tolist()):
        tell("people left over", done / left_over.size)
        settle_groups(block, first, follow, everything, person, k, fill, room, settled)
        best = int(np.argmin(price - cost))
        group[person], follow[person], first[best], cost[best] = best, first[best], person, price[best]


def _profiles(block: Block, groups: Groups) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What at least half of each group rated, and how (the mean): where each begins, issues, levels.

    Issues come as they are met, one person of the list after the other.
    """
    people, group = _listed(groups)
    starts, at = rows_at(block.indptr, people)
    of_rating, issues = np.repeat(group, np.diff(starts)), block.issues[at].astype(np.int64)
    key = of_rating * block.reach.size + issues
    order = np.argsort(key, kind="stable")
    new = np.flatnonzero(np.append(True, key[order][1:] != key[order][:-1])[: key.size])
    count = np.diff(np.append(new, key.size))
    total = np.add.reduceat(block.values[at][order], new) if new.size else new
    met = order[new]  # where an issue is met first
    half = np.flatnonzero(2 * count >= np.bincount(group, minlength=groups.first.size)[of_rating[met]])
    half = half[np.argsort(met[half])]
    indptr = np.zeros(groups.first.size + 1, np.int64)
    np.cumsum(np.bincount(of_rating[met[half]], minlength=groups.first.size), out=indptr[1:])
    return indptr, issues[met[half]], total[half] / count[half]


def _listed(groups: Groups) -> tuple[np.ndarray, np.ndarray]:
    """The people of all lists, one group after the other, and whose they are."""
    group, person = np.arange(groups.first.size), groups.first
    people, of = [], []
    while group.size:
        group, person = group[person >= 0], person[person >= 0]
        people.append(person)
        of.append(group)
        person = groups.follow[person]
    where = np.concatenate(of)
    order = np.argsort(where, kind="stable")
    return np.concatenate(people)[order], where[order]


@part
def nearest_groups(block, g, pairing):
    """The groups whose profile has most in common with that of g, best first; −1 where there are no more."""
    _, _, indptr, issues, level, own, affinity, partners = pairing
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
    for adds in range(2):
        filled = 0
        for j in range(size):
            part.indptr[j] = filled
            blanked[j] = 0
            for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
                issue = block.issues[i]
                if adds == 0:
                    count[issue] += 1
                elif count[issue] >= needed:
                    part.issues[filled], part.values[filled] = issue, block.values[i]
                    filled += 1
                else:
                    blanked[j] += block.values[i] - block.null[issue]
    part.indptr[size] = filled
    for j in range(size):
        for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
            count[block.issues[i]] = 0


@part
def split_anew(part, size, k, fill, splitting, room, tries, least):
    """The cheapest of a few splits of the people of a part into k and the others, if it is below `least`.

    `best` gets the people, the k first; returns what the two groups cost, −1 if there is no such split.
    """
    growth, attempt, rest, best = splitting.growth, splitting.attempt, splitting.rest, splitting.best
    one_cost = other_cost = np.int64(-1)
    tries = min(tries, size)
    for t in range(tries):
        for j in range(size):
            attempt[j] = j
        grow_at_once(part, attempt, size, t * size // tries, k, fill, growth)
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
    at = np.zeros(4, np.int64)
    for turn in range(rounds):
        indptr, issues, level = _profiles(block, groups)
        pairing = pairing._replace(indptr=indptr, issues=issues, level=level)
        at[_OWN], at[_PARTNER], at[_CHANGED] = 0, -1, 0
        for steps in up_to(at, count):
            _improve(steps, at, block, groups, int(k), bool(fill), room, int(tries), pairing, splitting)
            tell("pairs of groups", (turn + at[_OWN] / count) / rounds)
        if at[_CHANGED] == 0:
            return


def _room_to_pair(block: Block, groups: int, partners: int) -> Pairing:
    """Room for so many groups, without their profiles."""
    none = np.empty(0, np.int64)
    return Pairing(
        np.zeros(groups * groups, np.int64), np.zeros(groups, np.int64), none, none, np.empty(0),
        np.empty(block.reach.size), np.empty(groups), np.empty(partners, np.int64),
    )  # fmt: skip


def _room_to_split(block: Block, largest: int) -> Splitting:
    """Room for pairs of so many people at most: what is left when every other group has k."""
    indptr, issues, values = (np.empty_like(each) for each in block[:3])
    pool, blanked, attempt, rest, best = (np.empty(block.people, np.int64) for _ in range(5))
    growth = room_to_grow(block, largest)
    return Splitting(indptr, issues, values, growth, pool, blanked, attempt, rest, best)


@kernel
def _improve(steps, at, block, groups, k, fill, room, tries, pairing, splitting):
    """Goes on until so many groups and people were looked at, from group at[_OWN] on."""
    partners, changed_at = pairing.partners, pairing.changed_at
    count, g, n, clock = changed_at.size, at[_OWN], at[_PARTNER], at[_CLOCK]
    while g < count:
        if n < 0:
            nearest_groups(block, g, pairing)
            n = 0
            steps -= count
        while n < partners.size and steps > 0:
            h = partners[n]
            n += 1
            pair = g * count + h if g < h else h * count + g
            tried = pairing.tried[pair]
            if h >= 0 and (tried <= changed_at[g] or tried <= changed_at[h]):
                clock += 1
                pairing.tried[pair] = clock
                size, changed = _split_pair(block, groups, g, h, k, fill, room, tries, splitting)
                steps -= size
                if changed:
                    at[_CHANGED] += 1
                    changed_at[g] = changed_at[h] = clock
        if n < partners.size:
            break
        g, n = g + 1, -1
    at[_OWN], at[_PARTNER], at[_CLOCK] = g, n, clock


@part
def _split_pair(block, groups, g, h, k, fill, room, tries, splitting):
    """Splits two groups anew if that is cheaper; returns how many people they have, and whether it was."""
    group, first, follow, cost = groups
    pool, blanked, best = splitting.pool, splitting.blanked, splitting.best
    none = np.int64(0)
    size = take_members(first, follow, h, pool, take_members(first, follow, g, pool, none))
    part = Block(splitting.indptr, splitting.issues, splitting.values, block.reach, block.null, block.top, block.step)
    cut_out(block, pool, size, max(1, k // 3) if fill else k, room.met, part, blanked)
    least = cost[g] + cost[h]
    for j in range(size):
        least -= blanked[j]
    one, other = split_anew(part, size, k, fill, splitting, room, tries, least)
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
