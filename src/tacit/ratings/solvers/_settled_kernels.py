"""Inner loops for people who need no change: those with k − 1 close others who need none either."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, spans, tell
from tacit.arrays.jit import kernel, part
from tacit.ratings.solvers.problem import rows_at

_SET, _AT, _DROPPED = 0, 1, 2
"""Where the search for safe people is: the rated set, the row, and whether one of the set was dropped."""


class Rows(NamedTuple):
    """Ratings of some people: row r has issues[indptr[r]:indptr[r + 1]]."""

    indptr: np.ndarray  # int64
    issues: np.ndarray  # int32
    values: np.ndarray  # int64
    reach: np.ndarray  # int64 per issue


def rows_of(indptr: np.ndarray, issues: np.ndarray, values: np.ndarray, reach: np.ndarray, people: np.ndarray) -> Rows:
    """The rows of these people, one after the other."""
    starts, at = rows_at(indptr, people)
    return Rows(starts, issues[at], values[at].astype(np.int64, copy=False), reach)


@part
def are_close(rows, one, other):
    """Whether two people who rated the same issues rated each within its reach."""
    start = rows.indptr[one]
    shift = rows.indptr[other] - start
    for i in range(start, rows.indptr[one + 1]):
        if abs(rows.values[i] - rows.values[i + shift]) > rows.reach[rows.issues[i]]:
            return False
    return True


def keep_crowded(rows: Rows, starts: np.ndarray, k: int, is_safe: np.ndarray) -> None:
    """Leaves safe only rows with k − 1 safe others of the same rated set close to them.

    Rows starts[s]:starts[s + 1] are of one set. Repeated until it is true of every row: who is not safe will be moved,
    and is no company any more.
    """
    at = np.zeros(3, np.int64)
    for steps in blocks():
        if _keep_crowded(steps, at, rows, starts, int(k), is_safe):
            return
        tell("people alike", at[_AT] / is_safe.size)


@kernel
def _keep_crowded(steps, at, rows, starts, k, is_safe):
    """Goes on until about so many rows were looked at; returns whether all are as they must be."""
    while at[_SET] < starts.size - 1:
        begin, end = starts[at[_SET]], starts[at[_SET] + 1]
        while at[_AT] < end:
            if steps <= 0:
                return False
            one = at[_AT]
            if is_safe[one]:
                company, looked = _company(rows, begin, end, one, k - 1, is_safe)
                steps -= looked
                if company < k - 1:
                    is_safe[one] = False
                    at[_DROPPED] = 1
            steps -= 1
            at[_AT] += 1
        if at[_DROPPED]:
            at[_AT], at[_DROPPED] = begin, 0
        else:
            at[_SET] += 1
    return True


@part
def _company(rows, begin, end, one, enough, is_safe):
    """How many safe rows of a set are close to one of them, up to `enough`, and how many were looked at."""
    company = looked = 0
    for offset in range(1, end - begin):  # the nearest in their order first
        for side in range(2):
            other = one + offset if side else one - offset
            if company < enough and begin <= other < end and is_safe[other]:
                company += are_close(rows, one, other)
                looked += 1
        if company >= enough:
            break
    return company, looked


def find_anchors(
    rows: Rows, windows: np.ndarray, k: int, is_safe: np.ndarray, where: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """For each window (from, up to, own) the range of ratings of its own row and the k − 2 nearest safe ones of it.

    All rows of a window have the same rated set, and the own one is safe. `where` says where the ranges go, in
    [low, high]. Returns who has enough company.
    """
    found = np.zeros(windows.shape[0], bool)
    near, apart = (np.empty(max(k - 2, 1), np.int64) for _ in range(2))
    for start, stop in spans(found.size, "people to hold on to", first=16):
        _find_anchors(start, stop, rows, windows, int(k), is_safe, where, low, high, found, near, apart)
    return found


@kernel
def _find_anchors(start, stop, rows, windows, k, is_safe, where, low, high, found, near, apart):
    for w in range(start, stop):
        own = windows[w, 2]
        count = _nearest_rows(rows, windows[w, 0], windows[w, 1], own, k - 2, is_safe, near, apart)
        found[w] = count == k - 2
        for i in range(rows.indptr[own + 1] - rows.indptr[own]):
            at = where[w] + i
            low[at] = high[at] = rows.values[rows.indptr[own] + i]
            for n in range(count):
                value = rows.values[rows.indptr[near[n]] + i]
                low[at], high[at] = min(low[at], value), max(high[at], value)


@part
def _nearest_rows(rows, begin, end, own, wanted, is_safe, near, apart):
    """Fills `near` with the safe rows that are close to one and nearest to it, nearest first; returns how many."""
    count = 0
    for other in range(begin, end if wanted else begin):
        if other == own or not is_safe[other] or not are_close(rows, own, other):
            continue
        distance = 0
        for i in range(rows.indptr[own + 1] - rows.indptr[own]):
            distance += abs(rows.values[rows.indptr[own] + i] - rows.values[rows.indptr[other] + i])
        if count < wanted:
            slot = count
            count += 1
        elif distance < apart[wanted - 1]:
            slot = wanted - 1
        else:
            continue
        while slot > 0 and apart[slot - 1] > distance:
            apart[slot], near[slot] = apart[slot - 1], near[slot - 1]
            slot -= 1
        apart[slot], near[slot] = distance, other
    return count
