"""SUDA2: the smallest sets of columns that single a record out, and what they say of it (Manning et al. 2008).

Uniqueness grows with the columns: a set is a smallest one for a record if it singles the record out and no set with
one column less does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, prod
from typing import NamedTuple

import numpy as np

from tacit.attack.risk.classes import classes_of

_MOST_CELLS = 30_000_000
"""So many cells are sorted at most: with more records, sets are smaller."""


class Suda(NamedTuple):
    """Of each record its score and how many smallest sets it has; of each column what it contributes, in percent."""

    score: np.ndarray
    sets: np.ndarray
    contribution: np.ndarray
    smallest: dict[tuple[int, ...], int]
    """How many records each set of columns singles out, and none of its parts."""
    largest: int
    """The size of the largest sets looked at."""


def suda2(
    columns: Sequence[np.ndarray], records: int, largest: int | None = None, people: np.ndarray | None = None
) -> Suda:
    """All smallest sets of up to so many columns; if it is not said, as many as can be looked at in seconds.

    `people` says whose each record is, if some have several: those of one person do not hide each other.

    A set of s columns of c adds (c − s)(c − s − 1) ... (c − M), where M is one less than the size of the largest sets,
    as sdcMicro has it.
    """
    count = len(columns)
    most = min(count, largest or most_columns(count, records))
    top = max(most - 1, 1) if largest is None or largest >= count else largest
    score, sets = np.zeros(records), np.zeros(records, np.int32)
    held = np.zeros(count)
    smallest: dict[tuple[int, ...], int] = {}
    below: dict[tuple[int, ...], np.ndarray] = {(): np.full(records, classes_of([], records, people).uniques > 0)}
    codes: dict[tuple[int, ...], np.ndarray] = {(): np.zeros(records, np.int8)}
    for size in range(1, most + 1):
        here: dict[tuple[int, ...], np.ndarray] = {}
        longer: dict[tuple[int, ...], np.ndarray] = {}
        for some in combinations(range(count), size):
            classes = classes_of([codes[some[:-1]], columns[some[-1]]], records, people)
            alone = (classes.sizes == 1)[classes.of]
            if size < most:  # larger sets are made of this one
                here[some] = alone
                longer[some] = columns[some[0]] if size == 1 else classes.of
            new = alone.copy()
            for part in combinations(some, size - 1):
                new &= ~below[part]
            if new.any():
                alike = smallest[some] = int(np.count_nonzero(new))
                worth = prod(count - i for i in range(size, top + 1))
                score[new] += worth
                sets[new] += 1
                held[list(some)] += worth * alike
        below, codes = here, longer
    total = score.sum()
    contribution = 100 * held / total if total else np.zeros(count)
    return Suda(score, sets, contribution, smallest, most)


def most_columns(columns: int, records: int) -> int:
    """How large sets can be so that all of them are looked at in seconds."""
    size, cells = 0, 0
    while size < columns:
        cells += comb(columns, size + 1) * (size + 1) * records
        if cells > _MOST_CELLS and size:
            break
        size += 1
    return max(size, min(columns, 1))
