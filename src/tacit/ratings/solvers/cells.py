"""The cells of ratings: the parts of each scale between which it may be cut, and who is in which.

Scales are cut at steps, or at twentieths where they have none, and nowhere else: no end is taken from the data.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.sparse import keep_where
from tacit.ratings.scale import PARTS
from tacit.ratings.solvers._cut_kernels import Scales
from tacit.ratings.solvers.cuts import WHOLE, Rated
from tacit.ratings.solvers.problem import Problem

_MOST_STEPS = 101
"""A scale with more steps has as many cells as one without any."""
_MOST_CELLS = 24_000
"""Two cells each are counted together: so many take some hundred million bytes, twice that for k from 256 up."""
_MOST_JOINED = 8
"""How often the least number of people in a cell is doubled at most."""


class Parted(NamedTuple):
    """The cells of some issues, in units of their scales; others are blanked."""

    rated: Rated
    scales: Scales
    issues: np.ndarray  # which they are
    low: np.ndarray  # int64 per cell: the lowest rating in it; that of the last one of an issue says nothing
    high: np.ndarray


class _Ruler(NamedTuple):
    """The cells of all scales that are alike."""

    low: np.ndarray
    high: np.ndarray


class Plan(NamedTuple):
    """Which cells there are, whoever is in them."""

    issues: np.ndarray  # those that have cells
    first: np.ndarray  # int64 per such issue and one more: where its cells begin
    low: np.ndarray  # int64 per cell, as in `Parted`
    high: np.ndarray
    left: np.ndarray  # int64 per cell, as in `Scales`
    right: np.ndarray
    cell_of: np.ndarray  # int32 for each of the smallest cells: the one that it is in; −1 if in none


def parted(problem: Problem, k: int, m: float, *, most_cells: int = _MOST_CELLS) -> Parted:
    """The cells of all issues that k people rated, and who is in which."""
    place = smallest_cells(problem)
    return parted_as(planned(problem, k, m, place, most_cells=most_cells), problem, place)


def parted_as(plan: Plan, problem: Problem, place: np.ndarray | None = None) -> Parted:
    """Who is in which cell of a plan, which may have been made for more people."""
    first = plan.first
    cells = plan.cell_of[smallest_cells(problem) if place is None else place]
    stays = cells >= 0
    indptr, kept = (problem.indptr, cells) if stays.all() else keep_where(problem.indptr, cells, stays)
    people = with_unrated(np.bincount(kept, minlength=int(first[-1])), first, problem.people)
    return Parted(Rated(indptr, kept), Scales(first, people, plan.left, plan.right), plan.issues, plan.low, plan.high)


def with_unrated(counts: np.ndarray, first: np.ndarray, people: int) -> np.ndarray:
    """How many are in each cell, with those who did not rate each issue in the last one of it."""
    for at in range(first.size - 1):
        counts[first[at + 1] - 1] = people - counts[first[at] : first[at + 1] - 1].sum()
    return counts


def planned(
    problem: Problem, k: int, m: float, place: np.ndarray, times: np.ndarray | None = None, *,
    most_cells: int = _MOST_CELLS,
) -> Plan:  # fmt: skip
    """The cells of all issues that k people rated, as many as can be counted together, the most rated ones first.

    `place` has where each rating is among the smallest cells, `times` how often it was given (None: once). Where there
    are too many, cells next to each other are joined until each has some people: as many as loses least, by the width
    of cells and by issues with hope that have no room. If only one rating is known, no two cells are counted together,
    and there are never too many.
    """
    rulers, starts = _rulers(problem), _starts(problem)
    counts = np.bincount(place, times, minlength=int(starts[-1])).astype(np.int64)
    sums = np.concatenate(([0], np.cumsum(counts)))
    raters = sums[starts[1:]] - sums[starts[:-1]]
    asked = np.flatnonzero(raters >= k)
    asked = asked[np.argsort(-raters[asked], kind="stable")]
    widths = np.diff(starts)
    with_hope = int(np.count_nonzero(raters[asked] >= _rated_enough(int(raters.max(initial=0)), k, m)))
    joined: dict[int, np.ndarray] = {}
    fitting, cheapest = 0, np.inf
    for least in (0, *(k << doubled for doubled in range(_MOST_JOINED))):
        begins = _joined(counts, starts, asked, least)
        ends = np.cumsum([begins[issue].size + 1 for issue in asked.tolist()])
        some = int(np.searchsorted(ends, most_cells, side="right")) if m > 1 else asked.size
        lost = sum(_width_lost(begins[i], counts[starts[i] : starts[i + 1]], rulers[i]) for i in asked[:some].tolist())
        lost += WHOLE * int(raters[asked[some:with_hope]].sum())
        if lost < cheapest:
            joined, fitting, cheapest = begins, some, lost
        if some >= with_hope:
            break
    chosen = np.sort(asked[:fitting])
    sizes = np.array([joined[issue].size for issue in chosen.tolist()], np.int64)
    first = np.concatenate(([0], np.cumsum(sizes + 1)))
    low, high = np.zeros(first[-1], np.int64), np.zeros(first[-1], np.int64)
    left, right = low.copy(), high.copy()
    cell_of = np.full(int(starts[-1]) + 1, -1, np.int32)
    half = WHOLE // 4
    for at, issue in enumerate(chosen.tolist()):
        heads, ruler = joined[issue], rulers[issue]
        lasts = np.append(heads[1:], widths[issue]) - 1
        here = slice(first[at], first[at] + heads.size)
        low[here], high[here] = ruler.low[heads], ruler.high[lasts]
        top = max(int(problem.top[issue]), 1)
        left[here] = [half * int(each) // top for each in ruler.low[heads]]
        right[here] = [half * int(each) // top for each in ruler.high[lasts]]
        cell_of[starts[issue] : starts[issue + 1]] = first[at] + np.repeat(np.arange(heads.size), lasts - heads + 1)
    return Plan(chosen, first, low, high, left, right, cell_of)


def _width_lost(heads: np.ndarray, counts: np.ndarray, ruler: _Ruler) -> float:
    """What the ratings of an issue lose if its cells begin here, and nothing is cut further."""
    wide = (ruler.high[np.append(heads[1:], counts.size) - 1] - ruler.low[heads]) / max(int(ruler.high[-1]), 1)
    return float((np.add.reduceat(counts, heads) * wide).sum()) * WHOLE / 4


def _rated_enough(most: int, k: int, m: float) -> float:
    """How many people have rated an issue of which something may be left in the end.

    If n of N people rated each of m issues, and did so independently, N (n/N)^m rated all of them, which must be k. Who
    rates one thing rates others, too, so fewer are enough; a third was found to be where hope ends, on logs of films. N
    are those who rated the issue that most people did.
    """
    return most * (k / most) ** (1 / m) / 3 if most else 0.0


def _starts(problem: Problem) -> np.ndarray:
    """Where the smallest cells of each issue begin."""
    return np.concatenate(([0], np.cumsum([ruler.low.size for ruler in _rulers(problem)]))).astype(np.int64)


def _rulers(problem: Problem) -> list[_Ruler]:
    """The cells of each issue, by its lowest and highest rating and its step."""
    found: dict[tuple[int, int], _Ruler] = {}
    rulers = []
    steps = np.ones(problem.top.size, np.int64) if problem.step is None else problem.step
    even = np.ones(problem.top.size, bool) if problem.is_even is None else problem.is_even
    for top, step, is_even in zip(problem.top.tolist(), steps.tolist(), even.tolist(), strict=True):
        key = (top, step if is_even else 0)
        if key not in found:
            found[key] = _ruler(top, step, is_even=is_even)
        rulers.append(found[key])
    return rulers


def _ruler(top: int, step: int, *, is_even: bool) -> _Ruler:
    """Steps, if they are few; else twentieths, which begin at whole steps.

    >>> _ruler(4, 1, is_even=True).low.tolist(), _ruler(200, 1, is_even=False).high.tolist()[-2:]
    ([0, 1, 2, 3, 4], [189, 200])
    """
    steps = top // step + 1
    parts = steps if is_even and steps <= _MOST_STEPS else min(PARTS, steps)
    if is_even:
        low = np.array([-(-part * steps // parts) * step for part in range(parts)], np.int64)
    else:
        low = np.unique(np.array([-(-part * top // parts) for part in range(parts)], np.int64))
    return _Ruler(low, np.append(low[1:] - step, top))


def smallest_cells(problem: Problem) -> np.ndarray:
    """Where each rating is among the smallest cells of all issues."""
    rulers, starts, number = _rulers(problem), _starts(problem), problem.top.size
    tops = np.concatenate(([0], np.cumsum(problem.top + 1)))
    if int(tops[-1]) <= 1 << 24:
        table = np.concatenate([
            np.repeat(starts[i] + np.arange(ruler.low.size), np.diff(np.append(ruler.low, problem.top[i] + 1)))
            for i, ruler in enumerate(rulers)
        ] or [np.empty(0, np.int64)]).astype(np.int32)  # fmt: skip
        return table[tops[:-1][problem.issues] + problem.values]
    place = np.empty(problem.issues.size, np.int32)
    order = np.argsort(problem.issues, kind="stable")
    bounds = np.searchsorted(problem.issues[order], np.arange(number + 1))
    for issue, ruler in enumerate(rulers):
        here = order[bounds[issue] : bounds[issue + 1]]
        place[here] = starts[issue] + np.searchsorted(ruler.low, problem.values[here], side="right") - 1
    return place


def _joined(counts: np.ndarray, starts: np.ndarray, issues: np.ndarray, least: int) -> dict[int, np.ndarray]:
    """Of each issue the first of the smallest cells in each cell, so that every cell has at least so many people."""
    found = {}
    for issue in issues.tolist():
        own = counts[starts[issue] : starts[issue + 1]].tolist()
        heads, people = [0], 0
        for at, count in enumerate(own):
            if people >= least and at:
                heads.append(at)
                people = 0
            people += count
        if least and people < least and len(heads) > 1:
            heads.pop()
        found[issue] = np.array(heads, np.int64)
    return found
