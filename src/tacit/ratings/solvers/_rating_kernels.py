"""Inner loops over ratings: the cheapest interval, the distortion of a decision, people who are close already.

Everywhere `indptr` is int64 and `issues` int32; ratings, `reach`, `null` and `top` count units (see `Problem`). Kernels
have ratings of 64 bits: those of a whole file, which may have 16, are widened a block at a time.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import blocks, spans, tell
from tacit.arrays.jit import inner, kernel, part
from tacit.ratings.solvers.problem import Cells, Problem, rows_at

_FEW = 24
"""So few numbers are not worth a histogram."""
_LEAST, _PERSON, _AT = 0, 1, 2
"""Where small groups are: the group being emptied, its person, and the person's rating that is looked up."""
_NONE = -1


@inner
def nth_smallest(numbers, count, n, times):
    """The n-th smallest (from 0) of the first `count` numbers, which are reordered.

    Numbers that lie close together are counted in a histogram, others take Hoare's selection. `times` is room for
    as many counts as there are numbers.
    """
    if count > _FEW:
        lowest = highest = numbers[0]
        for i in range(1, count):
            lowest, highest = min(lowest, numbers[i]), max(highest, numbers[i])
        if highest - lowest < count:
            for i in range(highest - lowest + 1):
                times[i] = 0
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


@kernel
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


def intervals_of_groups(
    starts: np.ndarray, people: np.ndarray, values: np.ndarray, reach: np.ndarray, fill: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Algorithm 1 for every (group, issue): ratings values[starts[s]:starts[s + 1]], ascending, are of one.

    `people[s]` are in the group, `reach[s]` is that of the issue. What not all of them rated is not kept, unless it is
    filled. Returns what is kept, and the ends of the intervals.
    """
    count = starts.size - 1
    kept, low, high = np.zeros(count, bool), np.zeros(count, np.int64), np.zeros(count, np.int64)
    levels, counts = (np.empty(np.diff(starts).max(initial=0), np.int64) for _ in range(2))
    for start, stop in spans(count, "intervals"):
        here = values[starts[start] : starts[stop]].astype(np.int64, copy=False)
        _intervals_of_groups(start, stop, starts, people, here, reach, bool(fill), kept, low, high, levels, counts)
    return kept, low, high


@kernel
def _intervals_of_groups(start, stop, starts, people, values, reach, fill, kept, low, high, levels, counts):
    shift = starts[start]
    for s in range(start, stop):
        kept[s] = fill or starts[s + 1] - starts[s] == people[s]
        if not kept[s]:
            continue
        size = np.int64(0)
        for i in range(starts[s] - shift, starts[s + 1] - shift):
            if size and levels[size - 1] == values[i]:
                counts[size - 1] += 1
            else:
                levels[size] = values[i]
                counts[size] = 1
                size += 1
        low[s], _ = cheapest_of_histogram(levels, counts, size, reach[s])
        high[s] = min(low[s] + reach[s], levels[size - 1])


def count_distortion(problem: Problem, cells: Cells) -> tuple[np.ndarray, tuple[int, int, int]]:
    """The distortion of every person, and how many ratings are moved, blanked and filled."""
    of_person, counts = np.zeros(problem.people, np.int64), np.zeros(3, np.int64)
    filling = np.append(0, np.cumsum(cells.low - problem.null[cells.issues]))  # what filling costs, up to each issue
    for start, stop in spans(problem.people, "distortion"):
        here, there, place = _where(problem, cells, start, stop)
        values, null = _ratings_of(problem, start, stop), problem.null[problem.issues[here]]
        cell = cells.cell[start:stop]
        ends = cells.indptr[np.append(cell[:, None], cell[:, None] + 1, axis=1)] * (cell >= 0)[:, None]
        found, gone = np.flatnonzero(place >= 0), np.repeat(cell >= 0, there) & (place < 0)
        place = place[found]
        away = np.maximum(cells.low[place] - values[found], values[found] - cells.high[place]).clip(0)
        cost = np.where(gone, values - null, 0)
        cost[found] = away - (cells.low[place] - null[found])  # found, and so not filled
        sums = np.append(0, np.cumsum(cost))[problem.indptr[start : stop + 1] - here.start]
        of_person[start:stop] = np.diff(sums) + filling[ends[:, 1]] - filling[ends[:, 0]]
        counts += np.count_nonzero(away), np.count_nonzero(gone), np.diff(ends).sum() - found.size
    moved, blanked, filled = counts.tolist()
    return of_person, (moved, blanked, filled)


def _ratings_of(problem: Problem, start: int, stop: int) -> np.ndarray:
    """The ratings of some people, of 64 bits."""
    return problem.values[problem.indptr[start] : problem.indptr[stop]].astype(np.int64, copy=False)


def _where(problem: Problem, cells: Cells, start: int, stop: int) -> tuple[slice, np.ndarray, np.ndarray]:
    """The ratings of some people, how many each has, and where the cell has their issues (−1: nowhere)."""
    here = slice(problem.indptr[start], problem.indptr[stop])
    place = np.full(here.stop - here.start, _NONE, np.int64)
    _find_issues(start, stop, problem.indptr, problem.issues, cells.cell, cells.indptr, cells.issues, place)
    return here, np.diff(problem.indptr[start : stop + 1]), place


@kernel
def _find_issues(start, stop, indptr, issues, cell, cell_indptr, cell_issues, place):
    shift = indptr[start]
    for person in range(start, stop):
        if cell[person] >= 0:
            at, end = cell_indptr[cell[person]], cell_indptr[cell[person] + 1]
            for i in range(indptr[person], indptr[person + 1]):
                while at < end and cell_issues[at] < issues[i]:
                    at += 1
                if at < end and cell_issues[at] == issues[i]:
                    place[i - shift] = at


def fill_published(problem: Problem, cells: Cells, indptr: np.ndarray, issues: np.ndarray, values: np.ndarray) -> None:
    """The ratings as published: `indptr` says where each person's go."""
    for start, stop in spans(problem.people, "published ratings"):
        here, there, place = _where(problem, cells, start, stop)
        cell, target = cells.cell[start:stop], slice(indptr[start], indptr[stop])
        in_cell = np.repeat(cell >= 0, np.diff(indptr[start : stop + 1]))
        _, at = rows_at(cells.indptr, cell[cell >= 0])
        alone, found = np.repeat(cell < 0, there), np.flatnonzero(place >= 0)
        for published, of_cell, given in (
            (issues[target], cells.issues, problem.issues[here]),
            (values[target], cells.low, problem.values[here]),
        ):
            published[in_cell], published[~in_cell] = of_cell[at], given[alone]
        person, place = np.repeat(np.arange(stop - start), there)[found], place[found]
        moved = np.clip(problem.values[here][found], cells.low[place], cells.high[place])
        values[target][indptr[start + person] - target.start + place - cells.indptr[cell[person]]] = moved


def gather_small_groups(
    problem: Problem,
    group: np.ndarray,
    size: np.ndarray,
    founder: np.ndarray,
    raters_indptr: np.ndarray,
    raters: np.ndarray,
) -> None:
    """Case 2: empties groups of fewer than k people, the smallest first, until none is left.

    Each person of such a group goes to the group whose founder's rated set differs least from the person's own.
    Ties: the first group. `raters` lists, for each issue, the groups whose founder rated it.
    """
    at, common = np.full(3, _NONE, np.int64), np.zeros_like(size)
    for steps in blocks():
        if _gather_small_groups(
            steps, at, problem.indptr, problem.issues, group, size, founder, int(problem.k), raters_indptr, raters,
            common,
        ):  # fmt: skip
            return
        tell("small groups", float(np.mean(size[size > 0] >= problem.k)))


@kernel
def _gather_small_groups(steps, at, indptr, issues, group, size, founder, k, raters_indptr, raters, common):
    """Goes on until so many groups, people and raters were looked at; returns whether no small group is left."""
    while steps > 0:
        if at[_LEAST] < 0:
            at[_LEAST], at[_PERSON] = _smallest_group(size, k), 0
            steps -= size.size
            if at[_LEAST] < 0:
                return True
        least, person = at[_LEAST], at[_PERSON]
        while person < group.size and group[person] != least:
            person += 1
        steps -= person - at[_PERSON]
        at[_PERSON] = person
        if person == group.size:
            size[least], at[_LEAST] = 0, _NONE
            continue
        if at[_AT] < 0:
            for g in range(size.size):
                common[g] = 0
            at[_AT] = indptr[person]
        while at[_AT] < indptr[person + 1] and steps > 0:
            issue = issues[at[_AT]]
            for i in range(raters_indptr[issue], raters_indptr[issue + 1]):
                common[raters[i]] += 1
            steps -= raters_indptr[issue + 1] - raters_indptr[issue]
            at[_AT] += 1
        if at[_AT] == indptr[person + 1]:
            nearest = _nearest_group(indptr, size, founder, common, least)
            group[person] = nearest
            size[nearest] += 1
            at[_PERSON], at[_AT] = person + 1, _NONE
            steps -= size.size
    return False


@part
def _smallest_group(size, k):
    """The first of the smallest groups of fewer than k people; −1 if there is none, or nothing but one group."""
    least, left = _NONE, 0
    for g in range(size.size):
        left += size[g] > 0
        if 0 < size[g] < k and (least < 0 or size[g] < size[least]):
            least = g
    return least if left > 1 else _NONE


@part
def _nearest_group(indptr, size, founder, common, least):
    """The group whose founder rated `common` issues and fewest others, but not the one being emptied."""
    nearest, shortest = _NONE, 0
    for g in range(size.size):
        if size[g] > 0 and g != least:
            apart = indptr[founder[g] + 1] - indptr[founder[g]] - 2 * common[g]
            if nearest < 0 or apart < shortest:
                nearest, shortest = g, apart
    return nearest
