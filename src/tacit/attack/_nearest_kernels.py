"""The inner loop of the nearest-row attack: how well every published row fits what is known of a person."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import kernel

_WORST = -(1 << 62)
_MET = 1 << 60
"""What the sum of a row begins with that has a known rating: 0 is that of one that has none."""


class Board(NamedTuple):
    """The different published rows, the shortest first, by issue: at[starts[i]:starts[i + 1]] rated issue i so."""

    starts: np.ndarray  # int64
    at: np.ndarray  # int32: rows
    levels: np.ndarray  # int32
    weight: np.ndarray  # int64: how many people have the row
    length: np.ndarray  # int64: how many ratings it has


class Facts(NamedTuple):
    """What is known of some people: of person p levels[starts[p]:starts[p + 1]] of such issues, and the own row."""

    starts: np.ndarray  # int64
    issues: np.ndarray  # int32
    levels: np.ndarray  # int32
    row: np.ndarray  # int32: the person's row of the board


def by_issue(
    starts: np.ndarray, issues: np.ndarray, values: np.ndarray, rows: np.ndarray, issue_count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ratings of some rows by issue: where each issue begins, and whose ratings they are, in the rows' order."""
    ends = np.zeros(issue_count + 1, np.int64)
    for start, stop in spans(rows.size):
        _count(rows[start:stop], starts, issues, ends)
    np.cumsum(ends, out=ends)
    at, levels = np.empty(ends[-1], np.int32), np.empty(ends[-1], np.int32)
    begins = ends.copy()
    for start, stop in spans(rows.size):
        _place(start, rows[start:stop], starts, issues, values, begins, at, levels)
    return ends, at, levels


@kernel
def _count(rows, starts, issues, counts):
    for row in rows:
        for i in range(starts[row], starts[row + 1]):
            counts[issues[i] + 1] += 1


@kernel
def _place(first, rows, starts, issues, values, begins, at, levels):
    for r in range(rows.size):
        for i in range(starts[rows[r]], starts[rows[r] + 1]):
            to = begins[issues[i]]
            at[to], levels[to] = first + r, values[i]
            begins[issues[i]] = to + 1


def chances(board: Board, facts: Facts, gain: int, cost: int) -> np.ndarray:
    """For each person the chance to be found: 1 ÷ the people of all closest rows if the person's own is one of them.

    A rating that is known and in the row counts `gain`, less how far both are apart; each rating of the row costs
    `cost`.
    """
    found = np.zeros(facts.row.size)
    fits, met = np.zeros(board.weight.size, np.int64), np.empty(board.weight.size, np.int32)
    for start, stop in spans(facts.row.size, "people attacked", first=16):
        _attack(start, stop, board, facts, int(gain), int(cost), fits, met, found)
    return found


@kernel
def _attack(start, stop, board, facts, gain, cost, fits, met, found):
    for person in range(start, stop):
        count = 0
        for fact in range(facts.starts[person], facts.starts[person + 1]):
            issue, level = facts.issues[fact], facts.levels[fact]
            for i in range(board.starts[issue], board.starts[issue + 1]):
                row = board.at[i]
                if fits[row] == 0:
                    fits[row] = _MET
                    met[count] = row
                    count += 1
                fits[row] += gain - abs(np.int64(board.levels[i]) - level)
        best, people = _WORST, np.int64(0)
        for i in range(count):
            fit = fits[met[i]] - _MET - cost * board.length[met[i]]
            if fit > best:
                best, people = fit, np.int64(0)
            if fit == best:
                people += board.weight[met[i]]
        for row in range(fits.size):  # of those that have nothing in common with the person the shortest fit best
            if fits[row] == 0:
                fit = -cost * board.length[row]
                if fit < best:
                    break
                if fit > best:
                    best, people = fit, np.int64(0)
                people += board.weight[row]
        own = facts.row[person]
        fit = fits[own] - cost * board.length[own]
        if fits[own] != 0:
            fit -= _MET
        if fit == best:
            found[person] = 1.0 / people
        for i in range(count):
            fits[met[i]] = 0
