"""Inner loops over ratings: the cheapest interval, the distortion of a decision, people who are close already.

Everywhere `indptr` is int64 and `issues` int32; ratings, `reach`, `null` and `top` count units (see `Problem`).
"""

from __future__ import annotations

import numpy as np
from numba import njit

_FEW = 24
"""So few numbers are not worth a histogram."""


@njit(cache=True, nogil=True)
def nth_smallest(numbers, count, n):
    """The n-th smallest (from 0) of the first `count` numbers, which are reordered.

    Numbers that lie close together are counted in a histogram, others take Hoare's selection.
    """
    if count > _FEW:
        lowest = highest = numbers[0]
        for i in range(1, count):
            lowest, highest = min(lowest, numbers[i]), max(highest, numbers[i])
        if highest - lowest < count:
            times = np.zeros(highest - lowest + 1, np.int64)
            for i in range(count):
                times[numbers[i] - lowest] += 1
            at, passed = 0, times[0]
            while passed <= n:
                at += 1
                passed += times[at]
            return lowest + at
    left, right = 0, count - 1
    while left < right:
        pivot = numbers[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while numbers[i] < pivot:
                i += 1
            while numbers[j] > pivot:
                j -= 1
            if i <= j:
                numbers[i], numbers[j] = numbers[j], numbers[i]
                i += 1
                j -= 1
        if n <= j:
            right = j
        elif n >= i:
            left = i
        else:
            return numbers[n]
    return numbers[n]


@njit(cache=True, nogil=True)
def cheapest_of_histogram(levels, counts, size, reach):
    """The lowest of the cheapest intervals [low, low + reach] for ratings given as a histogram, and its cost.

    `levels` are the ratings that occur, ascending. The cost falls by one a unit for every rating above the interval
    and rises by one for every rating below it, so it is convex, and its slope changes where an end of the interval
    meets a rating. With n ratings there are 2n such places, and the slope leaves the negative at the n-th.
    """
    total = 0
    for i in range(size):
        total += counts[i]
    low = levels[0]
    if levels[size - 1] - levels[0] > reach:
        upper = lower = passed = 0  # next rating to be met by the upper and by the lower end
        while True:
            if upper < size and levels[upper] - reach <= levels[lower]:
                low = levels[upper] - reach
                passed += counts[upper]
                upper += 1
            else:
                low = levels[lower]
                passed += counts[lower]
                lower += 1
            if passed >= total:
                break
    cost = 0
    for i in range(size):
        if levels[i] < low:
            cost += counts[i] * (low - levels[i])
        elif levels[i] > low + reach:
            cost += counts[i] * (levels[i] - low - reach)
    return low, cost


@njit(cache=True, nogil=True)
def intervals_of_groups(starts, group_sizes, issue_of, values, reach, fill, kept, low, high):
    """Algorithm 1 for every (group, issue): ratings values[starts[s]:starts[s + 1]], ascending, are of one.

    `group_sizes[s]` people are in the group. What not all of them rated is not kept, unless it is filled.
    """
    levels = values.copy()
    counts = levels.astype(starts.dtype)
    for s in range(starts.size - 1):
        raters = starts[s + 1] - starts[s]
        kept[s] = raters == group_sizes[s] or fill
        if not kept[s]:
            continue
        size = 0
        for i in range(starts[s], starts[s + 1]):
            if size and levels[size - 1] == values[i]:
                counts[size - 1] += 1
            else:
                levels[size] = values[i]
                counts[size] = 1
                size += 1
        issue = issue_of[s]
        low[s], _ = cheapest_of_histogram(levels, counts, size, reach[issue])
        high[s] = min(low[s] + reach[issue], levels[size - 1])


@njit(cache=True, nogil=True)
def count_distortion(indptr, issues, values, null, cell, cell_indptr, cell_issues, low, high, of_person):
    """Fills the distortion of every person, and returns how many ratings are moved, blanked and filled."""
    moved = blanked = filled = 0
    for person in range(indptr.size - 1):
        of_person[person] = 0
        if cell[person] < 0:
            continue
        at, end = cell_indptr[cell[person]], cell_indptr[cell[person] + 1]
        for i in range(indptr[person], indptr[person + 1]):
            while at < end and cell_issues[at] < issues[i]:
                of_person[person] += low[at] - null[cell_issues[at]]
                filled += 1
                at += 1
            if at < end and cell_issues[at] == issues[i]:
                away = max(low[at] - values[i], values[i] - high[at], 0)
                of_person[person] += away
                moved += away > 0
                at += 1
            else:
                of_person[person] += values[i] - null[issues[i]]
                blanked += 1
        while at < end:
            of_person[person] += low[at] - null[cell_issues[at]]
            filled += 1
            at += 1
    return moved, blanked, filled


@njit(cache=True, nogil=True)
def fill_published(
    indptr, issues, values, cell, cell_indptr, cell_issues, low, high, new_indptr, new_issues, new_values
):
    """The ratings as published: `new_indptr` says where each person's go."""
    for person in range(indptr.size - 1):
        target = new_indptr[person]
        if cell[person] < 0:
            for i in range(indptr[person], indptr[person + 1]):
                new_issues[target] = issues[i]
                new_values[target] = values[i]
                target += 1
            continue
        i = indptr[person]
        for at in range(cell_indptr[cell[person]], cell_indptr[cell[person] + 1]):
            while i < indptr[person + 1] and issues[i] < cell_issues[at]:
                i += 1
            new_issues[target] = cell_issues[at]
            if i < indptr[person + 1] and issues[i] == cell_issues[at]:
                new_values[target] = min(max(values[i], low[at]), high[at])
            else:
                new_values[target] = low[at]
            target += 1


@njit(cache=True, nogil=True)
def gather_small_groups(indptr, issues, group, size, founder, k, raters_indptr, raters):
    """Case 2: empties groups of fewer than k people, the smallest first, until none is left.

    Each person of such a group goes to the group whose founder's rated set differs least from the person's own.
    Ties: the lowest number. `raters` lists, for each issue, the groups whose founder rated it.
    """
    groups = size.size
    common = size * 0
    while True:
        least = -1
        left = 0
        for g in range(groups):
            left += size[g] > 0
            if 0 < size[g] < k and (least < 0 or size[g] < size[least]):
                least = g
        if least < 0 or left == 1:
            return
        for person in range(indptr.size - 1):
            if group[person] != least:
                continue
            for g in range(groups):
                common[g] = 0
            for i in range(indptr[person], indptr[person + 1]):
                for at in range(raters_indptr[issues[i]], raters_indptr[issues[i] + 1]):
                    common[raters[at]] += 1
            nearest = -1
            shortest = indptr[-1] + 1
            for g in range(groups):
                if size[g] > 0 and g != least:
                    apart = indptr[founder[g] + 1] - indptr[founder[g]] - 2 * common[g]
                    if apart < shortest or nearest < 0:
                        nearest, shortest = g, apart
            group[person] = nearest
            size[nearest] += 1
        size[least] = 0
