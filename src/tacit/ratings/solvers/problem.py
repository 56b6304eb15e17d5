"""What a method of ratings works on: what an attacker may know, in whole units, and what a decision about it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Problem(NamedTuple):
    """The ratings an attacker may know. Person p rated issues[indptr[p]:indptr[p + 1]], ascending.

    A rating counts units above the lowest rating of its issue; `null` is what no rating counts as (below 0), and
    two ratings of an issue are close if they differ by at most `reach`. A rating and no rating never are.
    """

    indptr: np.ndarray  # int64
    issues: np.ndarray  # int32
    values: np.ndarray  # int16 or int64
    reach: np.ndarray  # int64 per issue
    null: np.ndarray  # int64 per issue
    top: np.ndarray  # int64 per issue: the highest rating
    k: int
    fill: bool
    step: np.ndarray | None = None  # int64 per issue: the ends of intervals are whole steps; None: all are 1
    is_even: np.ndarray | None = None  # bool per issue: its scale has steps, and ratings lie on them; None: all do

    @property
    def people(self) -> int:
        return self.indptr.size - 1


class Cells(NamedTuple):
    """A decision. Person p is published as cell[p] says: rated exactly the cell's issues, each between low and high.

    A rating outside is moved to the nearest end, one of another issue is blanked, one that is not there is filled
    with the nearest end. Cell −1 changes nothing.
    """

    cell: np.ndarray  # int32 per person
    indptr: np.ndarray  # int64, one more than there are cells
    issues: np.ndarray  # int32, ascending inside a cell
    low: np.ndarray  # int64
    high: np.ndarray


def rows_at(indptr: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the ratings of some people stand, one person after the other, and where each person's begin among them."""
    lengths = indptr[people + 1] - indptr[people]
    starts = np.zeros(people.size + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts, np.arange(starts[-1]) + np.repeat(indptr[people] - starts[:-1], lengths)


def places_in(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each of the wanted keys, best in ascending order, stands among ascending ones; −1 if it is not there."""
    at = np.searchsorted(keys, wanted)
    at[at == keys.size] = 0
    return np.where(keys[at] == wanted, at, -1) if keys.size else at - 1


def keeps_any(problem: Problem, cells: Cells) -> bool:
    """Whether a decision publishes any rating."""
    is_alone = cells.cell < 0
    used = np.unique(cells.cell[~is_alone])
    return bool(np.diff(cells.indptr)[used].any() or np.diff(problem.indptr)[is_alone].any())


def left_alone(problem: Problem) -> Cells:
    """The decision to change nothing."""
    cell, none = np.full(problem.people, -1, np.int32), np.empty(0, np.int64)
    return Cells(cell, np.zeros(1, np.int64), np.empty(0, np.int32), none, none.copy())
