"""Diversity of sensitive ratings: no value is given by more than 1/ℓ of a person and the people close.

People who are published with different rated sets are never close. So whoever shares a rated set is a class by itself,
and a class whose people are all made close to each other has one company: itself. Classes that are not diverse are
closed up like that, and joined with the nearest one while that is not enough. In the end all people would be one class.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tacit.encode import DistinctBaskets, distinct_baskets
from tacit.errors import PromiseError
from tacit.ratings.encode import Ratings
from tacit.ratings.hamming import group_intervals
from tacit.ratings.problem import Cells, Problem, rows_at
from tacit.ratings.recoding import published_ratings
from tacit.sparse import keep_where

_ROUNDING = 1e-12

Secrets = list[list[tuple[int, int]]]


def reachable_l(data: Ratings) -> float:
    """The largest ℓ that any release can have: all people together are the most diverse company there is."""
    stays = data.is_secret[data.issues]
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
    bound, secrets = 1 / l + _ROUNDING, _secrets(data)
    made, group = cells, np.full(problem.people, -1, np.int64)
    while True:
        indptr, issues, values = published_ratings(problem, made)
        sets = distinct_baskets(indptr, issues)
        bad = [
            number
            for number in range(sets.weight.size)
            if not _is_diverse(np.flatnonzero(sets.inverse == number), indptr, issues, values, problem, secrets, bound)
        ]
        if not bad:
            return made
        for number in bad:
            group[_joined(sets, number, secrets, bound)] = group.max() + 1
        made = _closed_up(problem, cells, group)


def _secrets(data: Ratings) -> Secrets:
    stays = data.is_secret[data.issues]
    indptr, issues = keep_where(data.indptr, data.issues, stays)
    pairs = list(zip(issues.tolist(), data.values[stays].tolist(), strict=True))
    return [pairs[indptr[p] : indptr[p + 1]] for p in range(len(data))]


def _highest_share(people: np.ndarray, secrets: Secrets) -> float:
    given = Counter(pair for person in people.tolist() for pair in secrets[person])
    return max(given.values(), default=0) / max(people.size, 1)


def _is_diverse(
    people: np.ndarray,
    indptr: np.ndarray,
    issues: np.ndarray,
    values: np.ndarray,
    problem: Problem,
    secrets: Secrets,
    bound: float,
) -> bool:
    """Whether the company of everyone of a class is diverse."""
    start, stop = indptr[people[0]], indptr[people[0] + 1]
    table = values[indptr[people][:, None] + np.arange(stop - start)].astype(np.int64)
    reach = problem.reach[issues[start:stop]]
    for row in np.unique(table, axis=0) if table.size else table[:1]:
        company = people[(np.abs(table - row) <= reach).all(axis=1)]
        if _highest_share(company, secrets) > bound:
            return False
    return True


def _joined(sets: DistinctBaskets, number: int, secrets: Secrets, bound: float) -> np.ndarray:
    """The people of a class, and of the nearest one if they are not diverse even together."""
    people = np.flatnonzero(sets.inverse == number)
    if _highest_share(people, secrets) <= bound or sets.weight.size == 1:
        return people
    own = set(sets.items[sets.indptr[number] : sets.indptr[number + 1]].tolist())
    choices = []
    for other in range(sets.weight.size):
        if other != number:
            rated = sets.items[sets.indptr[other] : sets.indptr[other + 1]].tolist()
            union = np.flatnonzero((sets.inverse == number) | (sets.inverse == other))
            is_worse = _highest_share(union, secrets) >= _highest_share(people, secrets)
            choices.append((is_worse, len(own.symmetric_difference(rated)), other))
    return np.flatnonzero((sets.inverse == number) | (sets.inverse == min(choices)[2]))


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
