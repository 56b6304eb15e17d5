"""The inner loop of boxes: they are split in two by one attribute, as long as both parts pass the attacker's check."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.slices.solvers._attacker_kernels import check

DONE, DEPTH, BOXES, MIDDLE, PARTS = range(5)
UNCUT, NEW = -1, -2


class Splitting(NamedTuple):
    """Where `split_boxes` is, and room to work in."""

    at: np.ndarray  # int64 [DONE]: how many of `rows` have their place; [DEPTH]: how many boxes are left to split;
    # [BOXES]: how many have an id; [MIDDLE]: where the one on top is cut, UNCUT if it is not, NEW if it has no scores;
    # [PARTS]: how many of its parts need no check any more
    low: np.ndarray  # int64: where the boxes that are left to split begin in `rows`, the last one on top
    high: np.ndarray  # int64: where they end
    is_final: np.ndarray  # bool: whether they are split for the order alone
    score: np.ndarray  # float64 per attribute, of the box on top; 0 for those that were tried
    other: np.ndarray  # int32 per record
    places: np.ndarray  # float64 per record


@inner
def _score(place, importance, rows, low, high, score):
    """The spread of each attribute among some records times its importance."""
    for a in range(importance.size):
        lowest = highest = place[a, rows[low]]
        for i in range(low + 1, high):
            lowest, highest = min(lowest, place[a, rows[i]]), max(highest, place[a, rows[i]])
        score[a] = importance[a] * (highest - lowest)


@inner
def _select(values, size, k):
    """The value that is k-th from 0 among the first `size`, which are rearranged (Hoare's FIND)."""
    low, high = 0, size - 1
    while low < high:
        pivot, i, j = values[k], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if j < k:
            low = i
        if k < i:
            high = j
    return values[k]


@inner
def _cut(place, a, rows, low, high, room):
    """Where to cut: those whose place is lower go left. Of the two cuts beside the median the more even one."""
    size = high - low
    for i in range(size):
        room[i] = place[a, rows[low + i]]
    median = _select(room, size, size // 2)
    below, above, next_one = 0, 0, 2.0
    for i in range(size):
        if room[i] < median:
            below += 1
        elif room[i] > median:
            above += 1
            next_one = min(next_one, room[i])
    if below == 0 or (above > 0 and abs(size - 2 * above) < abs(size - 2 * below)):
        return next_one
    return median


@inner
def _divide(place, a, cut, rows, low, high, other):
    """Brings those left of the cut to the front, both parts in their order; gives where the right part begins."""
    left, right = low, 0
    for i in range(low, high):
        row = rows[i]
        if place[a, row] < cut:
            rows[left] = row
            left += 1
        else:
            other[right] = row
            right += 1
    for i in range(right):
        rows[left + i] = other[i]
    return left


@inner
def _best(score):
    """The first of the greatest."""
    best = 0
    for a in range(1, score.size):
        if score[a] > score[best]:
            best = a
    return best


@inner
def _next_cut(place, importance, least, rows, low, high, state):
    """Cuts the box on top by the best attribute not yet tried that leaves both parts large enough; where, or UNCUT."""
    if high - low < 2 * least:
        return UNCUT
    if state.at[MIDDLE] == NEW:
        _score(place, importance, rows, low, high, state.score)
    while True:
        a = _best(state.score)
        if state.score[a] <= 0.0:
            return UNCUT
        state.score[a] = 0.0
        middle = _divide(place, a, _cut(place, a, rows, low, high, state.places), rows, low, high, state.other)
        if min(middle - low, high - middle) >= least:
            return middle


@inner
def _end_box(rows, low, high, is_final, state, box):
    """The box on top gets an id, and stays to be split on for the order; if it was, it is done."""
    state.at[MIDDLE] = NEW
    if is_final:
        state.at[DEPTH] -= 1
        state.at[DONE] = high
        return
    for i in range(low, high):
        box[rows[i]] = state.at[BOXES]
    state.at[BOXES] += 1
    state.is_final[state.at[DEPTH] - 1] = True


@inner
def _split(low, high, is_final, state):
    """The two parts of the box on top instead of it, the left one on top."""
    top, middle = state.at[DEPTH], state.at[MIDDLE]
    state.low[top - 1], state.high[top - 1] = middle, high
    state.low[top], state.high[top], state.is_final[top] = low, middle, is_final
    state.at[DEPTH], state.at[MIDDLE] = top + 1, NEW


@kernel
def split_boxes(steps, place, importance, least, limit, attacker, scratch, state, rows, box):
    """Splits the box of all records as long as both parts keep the limit, and gives ids to what remains.

    `place` [attribute, record] orders the values between 0 and 1. The attribute with the greatest spread times
    importance is tried first, of equals the first one; a box in which no attribute will do is final. Final boxes are
    split on without a limit, for the sake of the order of `rows` alone: those that are alike are neighbours.
    Does about so many steps, and goes on when it is called again; it is done when all of `rows` are.
    """
    at = state.at
    while steps > 0 and at[DEPTH] > 0:
        top = at[DEPTH] - 1
        low, high, is_final = state.low[top], state.high[top], state.is_final[top]
        if at[MIDDLE] < 0:
            at[MIDDLE] = _next_cut(place, importance, 1 if is_final else least, rows, low, high, state)
            at[PARTS] = 2 if is_final else 0
            steps -= high - low
        if at[MIDDLE] < 0:
            _end_box(rows, low, high, is_final, state, box)
        elif at[PARTS] < 2:
            start, end = (low, at[MIDDLE]) if at[PARTS] == 0 else (at[MIDDLE], high)
            steps = check(steps, rows, start, end, attacker, limit, scratch)
            if scratch.at[0] == attacker.start.size - 1:
                at[PARTS], at[MIDDLE] = at[PARTS] + 1, at[MIDDLE] if scratch.worst[0] <= limit else UNCUT
                scratch.at[0], scratch.worst[0] = 0, 0.0
        else:
            _split(low, high, is_final, state)
