"""Inner loops that make groups better: people left over are placed, and pairs of groups are split anew.

The people of group g are first[g], follow[first[g]], ... until −1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.ratings.solvers._grouping_kernels import Block, end_group, grow, settle

# compiled with tacit.ratings.solvers._grouping_kernels 8479302ba5a5


@njit(cache=True, nogil=True)
def list_members(group, first, follow):
    """Makes the lists, people in ascending order."""
    for g in range(first.size):
        first[g] = -1
    for person in range(group.size - 1, -1, -1):
        if group[person] >= 0:
            follow[person] = first[group[person]]
            first[group[person]] = person


@njit(cache=True, nogil=True)
def take_members(first, follow, g, members, size):
    """Appends the people of a group to members[:size]; returns the new size."""
    person = first[g]
    while person >= 0:
        members[size] = person
        size += 1
        person = follow[person]
    return size


@njit(cache=True, nogil=True)
def place_left_over(block, group, first, follow, cost, k, fill, scratch):
    """Fills the cost of every group; everybody without one (−1) joins the one that gets dearer by the least.

    Ties: the lowest number.
    """
    members = np.empty(group.size + 1, np.int64)
    for person in range(-1, group.size):
        if person >= 0 and group[person] != -1:
            continue
        best, least, new_cost = -1, 0, 0
        for g in range(first.size):
            size = take_members(first, follow, g, members, 0)
            if person >= 0:
                members[size] = person
                size += 1
            dearer, _ = settle(block, members, size, k, fill, *scratch)
            if person < 0:
                cost[g] = dearer
            elif best < 0 or dearer - cost[g] < least:
                best, least, new_cost = g, dearer - cost[g], dearer
        if person < 0:
            continue
        group[person] = best
        follow[person] = first[best]
        first[best] = person
        cost[best] = new_cost


@njit(cache=True, nogil=True)
def profile_groups(block, first, follow, count, indptr, issues, level):
    """What at least half of a group rated, and how (the mean); `count` is zero for every issue, before and after."""
    touched = np.empty(count.size, np.int64)
    total = np.zeros(count.size, np.int64)
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
                issues[filled] = issue
                level[filled] = total[issue] / count[issue]
                filled += 1
            count[issue] = total[issue] = 0
    indptr[first.size] = filled


@njit(cache=True, nogil=True)
def nearest_groups(block, g, indptr, issues, level, own, affinity, partners):
    """The groups whose profile has most in common with that of g, best first; −1 where there are no more."""
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


@njit(cache=True, nogil=True)
def cut_out(block, people, size, needed, count, part, lost):
    """Fills `part` with the ratings of some people of issues that `needed` of them rated: no group keeps others.

    `lost` gets what blanking the others costs each person. `count` is zero for every issue, before and after.
    """
    for j in range(size):
        for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
            count[block.issues[i]] += 1
    filled = issues = 0
    for j in range(size):
        part.indptr[j] = filled
        lost[j] = 0
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
                lost[j] += block.values[i] - block.null[issue]
    part.indptr[size] = filled
    for j in range(size):
        for i in range(block.indptr[people[j]], block.indptr[people[j] + 1]):
            count[block.issues[i]] = 0


@njit(cache=True, nogil=True)
def split_anew(part, size, k, fill, shared, scratch, tries, least, attempt, rest, best):
    """The cheapest of a few splits of these people into k and the others, if it is below `least`.

    `best` gets the people, the k first; returns what the two groups cost, −1 if there is no such split.
    """
    one_cost = other_cost = -1
    for t in range(min(tries, size)):
        for j in range(size):
            attempt[j] = j
        end_group(shared, grow(part, attempt, size, t * size // min(tries, size), k, fill, shared))
        one, _ = settle(part, attempt, k, k, fill, *scratch)
        if one >= least:
            continue
        for j in range(k, size):
            rest[j - k] = attempt[j]
        other, _ = settle(part, rest, size - k, k, fill, *scratch)
        if one + other < least:
            least, one_cost, other_cost = one + other, one, other
            for j in range(size):
                best[j] = attempt[j]
    return one_cost, other_cost


@njit(cache=True, nogil=True)
def improve(block, group, first, follow, cost, k, fill, shared, scratch, rounds, tries, partner_count):
    """Splits each group and its nearest ones anew, pair by pair, while that makes them cheaper.

    A pair is not tried twice unless one of the two has changed in between.
    """
    groups = first.size
    tried, changed_at = np.zeros(groups * groups, np.int64), np.zeros(groups, np.int64)
    clock = 0
    indptr = np.empty(groups + 1, np.int64)
    issues = np.empty(2 * block.issues.size, np.int64)
    level = np.empty(2 * block.issues.size, np.float64)
    own, affinity = np.empty(block.reach.size), np.empty(groups)
    partners = np.empty(min(partner_count, groups - 1), np.int64)
    pool, lost = np.empty_like(group), np.empty_like(group)
    attempt, rest, best = np.empty_like(group), np.empty_like(group), np.empty_like(group)
    part = Block(
        np.empty_like(block.indptr), np.empty_like(block.issues), np.empty_like(block.values),
        np.empty_like(block.reach), np.empty_like(block.null), np.empty_like(block.top),
        np.empty_like(block.step),
    )  # fmt: skip
    needed = max(1, k // 3) if fill else k
    for _ in range(rounds):
        changed = 0
        profile_groups(block, first, follow, scratch[0], indptr, issues, level)
        for g in range(groups):
            nearest_groups(block, g, indptr, issues, level, own, affinity, partners)
            for h in partners:
                if h < 0:
                    break
                pair = min(g, h) * groups + max(g, h)
                if tried[pair] > max(changed_at[g], changed_at[h]):
                    continue
                clock += 1
                tried[pair] = clock
                size = take_members(first, follow, h, pool, take_members(first, follow, g, pool, 0))
                cut_out(block, pool, size, needed, scratch[0], part, lost)
                least = cost[g] + cost[h]
                for j in range(size):
                    least -= lost[j]
                one, other = split_anew(part, size, k, fill, shared, scratch, tries, least, attempt, rest, best)
                if one < 0:
                    continue
                changed += 1
                changed_at[g] = changed_at[h] = clock
                first[g] = first[h] = -1
                cost[g], cost[h] = one, other
                for j in range(size):
                    to = g if j < k else h
                    person = pool[best[j]]
                    cost[to] += lost[best[j]]
                    group[person] = to
                    follow[person] = first[to]
                    first[to] = person
        if changed == 0:
            break
