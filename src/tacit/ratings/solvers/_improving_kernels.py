"""Inner loops that make groups better: people left over are placed, and pairs of groups are split anew.

The people of group g are first[g], follow[first[g]], ... until −1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import tell, up_to
from tacit.arrays.jit import inner, kernel, part
from tacit.ratings.solvers._core_kernels import Settled, Settling, settle, settle_groups, take_members
from tacit.ratings.solvers._grouping_kernels import ALL, Block, Growth, end_group, grow, room_to_grow
from tacit.ratings.solvers.problem import rows_at

_OWN, _PARTNER, _CHANGED, _CLOCK = range(4)
"""Where a round is: a group, which of its partners is next (−1: none is known), the pairs of the round that were split
anew, and all pairs that were tried."""

_FEW = 48
"""Of pairs of up to so many people it is first seen what they cost at least."""


class Groups(NamedTuple):
    """Groups of people: members as lists, and what each group costs."""

    of: np.ndarray  # int64 per person: the group, −1 if there is none
    first: np.ndarray  # int64 per group
    follow: np.ndarray  # int64 per person
    cost: np.ndarray  # int64 per group


class Pairing(NamedTuple):
    """Room to find the pairs that are split anew."""

    tried: np.ndarray  # int32 per pair of groups: when it was tried
    changed_at: np.ndarray  # int64 per group
    indptr: np.ndarray  # int64: profiles of groups are issues[indptr[g]:indptr[g + 1]],
    issues: np.ndarray  # int64
    level: np.ndarray  # float64: with the mean rating
    is_new: np.ndarray  # bool per group: whether its profile is another one than in the round before
    own: np.ndarray  # float64 per issue
    affinity: np.ndarray  # float64 per pair of groups, from each one's side: how much their profiles have in common
    left: np.ndarray  # float64 per group
    partners: np.ndarray  # int64: the nearest groups of one


class Pair(NamedTuple):
    """The people of two groups, and how they rated the issues that a group of them might keep: a row each."""

    people: np.ndarray  # int64
    total: np.ndarray  # int64 per person: what blanking all costs
    issue: np.ndarray  # int64 per column
    table: np.ndarray  # int64; −1 where there is no rating


class Splitting(NamedTuple):
    """Room to split a pair anew."""

    pair: Pair
    growth: Growth
    attempt: np.ndarray  # int64 per person, as the next two
    chosen: np.ndarray
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
    _, _, indptr, issues, level, is_new, own, affinity, left, partners = pairing
    for issue in range(own.size):
        own[issue] = -1.0
    for at in range(indptr[g], indptr[g + 1]):
        own[issues[at]] = level[at]
    for h in range(left.size):
        if is_new[g] or is_new[h]:
            common = 0.0
            for at in range(indptr[h], indptr[h + 1]):
                issue = issues[at]
                if own[issue] >= 0:
                    common += 1.0 + block.top[issue] - abs(own[issue] - level[at])
            affinity[g * left.size + h] = common
        left[h] = affinity[g * left.size + h]
    left[g] = -1.0
    for n in range(partners.size):
        best = -1
        for h in range(left.size):
            if left[h] >= 0 and (best < 0 or left[h] > left[best]):
                best = h
        partners[n] = best
        if best >= 0:
            left[best] = -1.0


@part
def lay_out_pair(block, size, needed, count, pair):
    """Fills in what the people of a pair rated, of issues that `needed` of them rated: no group keeps others.

    Returns how many such issues there are. `count` is zero for every issue, before and after.
    """
    people, total, issues, table = pair
    met = width = 0
    for j in range(size):
        total[j] = 0
        for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
            issue = block.issues[i]
            total[j] += block.values[i] - block.null[issue]
            if count[issue] == 0:
                issues[met] = issue
                met += 1
            count[issue] += 1
    for c in range(met):
        issue = issues[c]
        if count[issue] >= needed:
            issues[width] = issue
            width += 1
            count[issue] = -width
        else:
            count[issue] = 0
    for at in range(size * width):
        table[at] = -1
    for j in range(size):
        for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
            if count[block.issues[i]] < 0:
                table[j * width - count[block.issues[i]] - 1] = block.values[i]
    for c in range(width):
        count[issues[c]] = 0
    return width


@part
def grow_from(block, pair, size, width, seed, k, fill, growth, attempt):
    """Moves to the front of `attempt` a group of k people of the pair that begins with this one."""
    shared, all_of_them, count = growth.shared, np.int64(ALL), np.int64(0)
    for j in range(size):
        attempt[j] = j
    attempt[0], attempt[seed] = seed, 0
    for j in range(size):
        growth.row[j] = attempt[j] * width
    for c in range(width):
        value, issue = pair.table[seed * width + c], pair.issue[c]
        if value >= 0:
            growth.column[count] = c
            shared.place[issue] = count
            shared.issue[count] = issue
            shared.low[count] = shared.high[count] = value
            shared.weight[count] = value - block.null[issue]
            shared.absent[count] = 0
            count += 1
    _, count, _ = grow(all_of_them, block, attempt, size, np.int64(1), count, k, fill, growth)
    end_group(shared, count)


@inner
def least_cost(block, pair, width, members, start, stop, k, fill, column):
    """What these people of a pair cost at least as a group, whoever is its core.

    Two people of the core come within the reach of each other, any two within twice the reach. So the lowest and the
    highest rating of an issue must come that close, then the next ones; who is outside the core spoils one of these
    pairs at most, and the widest are those that matter most.
    """
    size, cost = stop - start, 0
    for j in range(start, stop):
        cost += pair.total[members[j]]
    for c in range(width):
        null = block.null[pair.issue[c]]
        met = blanked = needed = 0
        for j in range(size):
            value = pair.table[members[start + j] * width + c]
            if value >= 0:
                met += 1
            elif fill:
                value = null
            else:
                break
            blanked += value - null
            at = j
            while at > 0 and column[at - 1] > value:
                column[at] = column[at - 1]
                at -= 1
            column[at] = value
        if met == size or (fill and 3 * met > size):
            reach = block.reach[pair.issue[c]]
            for j in range(size // 2):
                needed += max(column[size - 1 - j] - column[j] - (2 * reach if j <= size - k else reach), 0)
            cost -= max(blanked - needed, 0)
    return cost


@part
def split_anew(block, size, own, k, fill, splitting, room, tries, few, least):
    """The cheapest of a few splits of the people of a pair into k and the others, if it is below `least`.

    The first `own` are one group so far, and the rest the other. `best` gets the people, the k first; returns what the
    two groups cost, −1 if there is no such split. Most attempts find the groups that there are, and most of the others
    cost more, which is seen without settling them.
    """
    pair, growth, attempt, chosen, best = splitting
    one_cost = other_cost = np.int64(-1)
    tries, none = min(tries, size), np.int64(0)
    width = lay_out_pair(block, size, max(1, k // 3) if fill else k, room.met, pair)
    for t in range(tries):
        grow_from(block, pair, size, width, t * size // tries, k, fill, growth, attempt)
        stay = 0
        for j in range(k):
            stay += attempt[j] < own
        if (stay == k == own) or (stay == 0 and size - own == k):
            continue
        if size <= few:
            foreseen = least_cost(block, pair, width, attempt, none, k, k, fill, room.column)
            if foreseen + least_cost(block, pair, width, attempt, k, size, k, fill, room.column) >= least:
                continue
        for j in range(size):
            chosen[j] = pair.people[attempt[j]]
        one, _ = settle(block, chosen, k, k, fill, room)
        if one >= least:
            continue
        other, _ = settle(block, chosen[k:], size - k, k, fill, room)
        if one + other < least:
            least, one_cost, other_cost = one + other, one, other
            for j in range(size):
                best[j] = chosen[j]
    return one_cost, other_cost


def improve(
    block: Block, groups: Groups, k: int, fill: bool, room: Settling, rounds: int, tries: int, partners: int
) -> None:
    """Splits each group and its nearest ones anew, pair by pair, while that makes them cheaper.

    A pair is not tried twice unless one of the two has changed in between.
    """
    count = groups.first.size
    pairing = _room_to_pair(block, count, min(partners, count - 1))
    splitting = _room_to_split(block, groups, k, fill)
    at, begun = np.zeros(4, np.int64), -1
    for turn in range(rounds):
        indptr, issues, level = _profiles(block, groups)
        is_new, begun = pairing.changed_at > begun, int(at[_CLOCK])
        pairing = pairing._replace(indptr=indptr, issues=issues, level=level, is_new=is_new)
        at[_OWN], at[_PARTNER], at[_CHANGED] = 0, -1, 0
        for steps in up_to(at, count):
            _improve(steps, at, block, groups, int(k), bool(fill), room, int(tries), int(_FEW), pairing, splitting)
            tell("pairs of groups", (turn + at[_OWN] / count) / rounds)
        if at[_CHANGED] == 0:
            return


def _room_to_pair(block: Block, groups: int, partners: int) -> Pairing:
    """Room for so many groups, without their profiles."""
    none = np.empty(0, np.int64)
    return Pairing(
        np.zeros(groups * groups, np.int32), np.zeros(groups, np.int64), none, none, np.empty(0), np.empty(0, bool),
        np.empty(block.reach.size), np.empty(groups * groups), np.empty(groups), np.empty(partners, np.int64),
    )  # fmt: skip


def _room_to_split(block: Block, groups: Groups, k: int, fill: bool) -> Splitting:
    """Room for all pairs, while their sizes change: the largest is what is left when every other group has k."""
    largest = block.people - k * (groups.first.size - 2)
    widest = int(np.diff(block.indptr).max(initial=0))
    columns = min(block.reach.size, largest * widest // (max(1, k // 3) if fill else k))
    people, total, attempt, chosen, best = (np.empty(largest, np.int64) for _ in range(5))
    pair = Pair(people, total, np.empty(block.reach.size, np.int64), np.empty(largest * columns, np.int64))
    growth = room_to_grow(block, 0)._replace(table=pair.table, row=np.empty(largest, np.int64))
    return Splitting(pair, growth, attempt, chosen, best)


@kernel
def _improve(steps, at, block, groups, k, fill, room, tries, few, pairing, splitting):
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
                size, changed = _split_pair(block, groups, g, h, k, fill, room, tries, few, splitting)
                steps -= size
                if changed:
                    at[_CHANGED] += 1
                    changed_at[g] = changed_at[h] = clock
        if n < partners.size:
            break
        g, n = g + 1, -1
    at[_OWN], at[_PARTNER], at[_CLOCK] = g, n, clock


@part
def _split_pair(block, groups, g, h, k, fill, room, tries, few, splitting):
    """Splits two groups anew if that is cheaper; returns how many people they have, and whether it was."""
    group, first, follow, cost = groups
    none = np.int64(0)
    own = take_members(first, follow, g, splitting.pair.people, none)
    size = take_members(first, follow, h, splitting.pair.people, own)
    one, other = split_anew(block, size, own, k, fill, splitting, room, tries, few, cost[g] + cost[h])
    if one < 0:
        return size, False
    first[g] = first[h] = -1
    cost[g], cost[h] = one, other
    for j in range(size):
        to, person = g if j < k else h, splitting.best[j]
        group[person] = to
        follow[person] = first[to]
        first[to] = person
    return size, True
