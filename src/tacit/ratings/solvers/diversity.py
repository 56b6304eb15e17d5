"""Diversity of sensitive ratings: no value is given by more than 1/ℓ of a person and the people close.

People who are published with different rated sets are never close. So whoever shares a rated set is a class by itself,
and a class whose people are all made close to each other has one company: itself. Classes that are not diverse are
closed up like that, and joined with the nearest one while that is not enough. In the end all people would be one class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.encode import DistinctBaskets, distinct_baskets, rarest_first
from tacit.arrays.sparse import keep_where
from tacit.errors import PromiseError
from tacit.ratings.data import Ratings
from tacit.ratings.recoding import published_ratings
from tacit.ratings.solvers import _company_kernels as _companies
from tacit.ratings.solvers._settled_kernels import rows_of
from tacit.ratings.solvers.hamming import group_intervals
from tacit.ratings.solvers.problem import Cells, Problem, rows_at

_ROUNDING = 1e-12

Sparse = tuple[np.ndarray, np.ndarray, np.ndarray]


def reachable_l(data: Ratings) -> float:
    """The largest ℓ that any release can have: all people together are the most diverse company there is."""
    stays = data.is_sensitive[data.issues]
    pairs = np.column_stack((data.issues[stays], data.values[stays]))
    _, times = np.unique(pairs, axis=0, return_counts=True)
    return len(data) / int(times.max()) if times.size else float("inf")


def diversify(problem: Problem, data: Ratings, cells: Cells, l: float) -> Cells:  # noqa: E741
    """The decision, changed where somebody's company is not diverse."""
    if reachable_l(data) + _ROUNDING < l:
        raise PromiseError(
            f"l = {l:g}, but one sensitive rating was given by more than 1/{l:g} of all people.\n"
            f"  l = {reachable_l(data):.4g} could be reached."
        )
    bound, sensitive = 1 / l + _ROUNDING, sensitive_of(data)
    made, group = cells, np.full(problem.people, -1, np.int64)
    while True:
        companies = to_close_up(published_ratings(problem, made), problem.reach, sensitive, bound)
        if not companies:
            return made
        for company, people in enumerate(companies, group.max() + 1):
            group[people] = company
        made = _closed_up(problem, cells, group)


class Sensitive(NamedTuple):
    """The sensitive ratings: person p gave codes[indptr[p]:indptr[p + 1]], which of the different (issue, value)."""

    indptr: np.ndarray
    codes: np.ndarray
    different: int


def sensitive_of(data: Ratings) -> Sensitive:
    """What people gave that must be diverse."""
    stays = data.is_sensitive[data.issues]
    indptr, issues = keep_where(data.indptr, data.issues, stays)
    pairs = np.column_stack((issues, data.values[stays]))
    different, codes = np.unique(pairs, axis=0, return_inverse=True)
    return Sensitive(indptr, codes.ravel(), len(different))


def to_close_up(published: Sparse, reach: np.ndarray, sensitive: Sensitive, bound: float) -> list[np.ndarray]:
    """People who must become one company each: classes that are not diverse, joined with another where they must be."""
    indptr, issues, values = published
    sets = rarest_first(distinct_baskets(indptr, issues))
    levels, level = np.unique(values, return_inverse=True)
    _, rating = np.unique(issues * np.int64(max(levels.size, 1)) + level, return_inverse=True)
    rows = distinct_baskets(indptr, rating)
    person = np.zeros(rows.weight.size, np.int64)
    person[rows.inverse[::-1]] = np.arange(indptr.size - 1)[::-1]  # the first of each row
    row_starts, row_order = _grouped(sets.inverse[person], sets.weight.size)
    given, is_own = np.zeros(sensitive.different, np.int64), np.zeros(reach.size, bool)
    bad = _companies.find_uniform(
        rows_of(indptr, issues, values, reach, person), row_starts, row_order, rows.weight, _histogram(rows, sensitive),
        given, bound,
    )  # fmt: skip
    partner = _companies.find_partners(
        bad, sets.indptr, sets.items, sets.weight, _histogram(sets, sensitive), given, is_own, bound
    )
    starts, people = _grouped(sets.inverse, sets.weight.size)
    parts = [(own, other) if other >= 0 else (own,) for own, other in zip(bad, partner, strict=True)]
    return [np.concatenate([people[starts[each] : starts[each + 1]] for each in part]) for part in parts]


def _grouped(code: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each code where it stands, ascending, as (starts, places)."""
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(code, minlength=count), out=starts[1:])
    return starts, np.argsort(code, kind="stable")


def _histogram(groups: DistinctBaskets, sensitive: Sensitive) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How often each group of people gave each sensitive rating, as (starts, codes, times)."""
    width = np.int64(max(sensitive.different, 1))
    of = np.repeat(groups.inverse.astype(np.int64), np.diff(sensitive.indptr))
    pairs, times = np.unique(of * width + sensitive.codes, return_counts=True)
    return np.searchsorted(pairs, np.arange(groups.weight.size + 1) * width), pairs % width, times


def _closed_up(problem: Problem, cells: Cells, group: np.ndarray) -> Cells:
    """The cells, but people of a group become close to everyone of it; groups that met in a class are one."""
    people = np.flatnonzero(group >= 0)
    indptr, at = rows_at(problem.indptr, people)
    part = problem._replace(indptr=indptr, issues=problem.issues[at], values=problem.values[at])
    made = group_intervals(part, np.unique(group[people], return_inverse=True)[1].astype(np.int64))
    cell = cells.cell.copy()
    cell[people] = made.cell + (cells.indptr.size - 1)
    return Cells(
        cell,
        np.concatenate((cells.indptr, cells.indptr[-1] + made.indptr[1:])),
        np.concatenate((cells.issues, made.issues)),
        np.concatenate((cells.low, made.low)),
        np.concatenate((cells.high, made.high)),
    )
