"""Small inputs for tests of ratings: the paper's example, and seeded random ones."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tacit.ratings.recoding import published_ratings
from tacit.ratings.solvers.problem import Cells, Problem

TABLE_I = [
    {1: 6, 2: 1}, {1: 3, 2: 6}, {1: 4, 2: 5}, {1: 2, 2: 5}, {1: 1, 3: 5}, {1: 2, 3: 6},
]  # fmt: skip
"""Table I(a) without the sensitive issue 4; ratings from 1 to 6."""
LOG_COLUMNS = """\
[input]
source = "in.csv"
layout = "long"
[columns.who]
role = "person"
[columns.film]
role = "items"
[columns.stars]
role = "rating"
"""
"""How a job of a rating log begins: who, film, stars."""


class Case(NamedTuple):
    """A random problem: ratings from 0 to `top`, so that no rating counts as −1."""

    people: list[dict[int, int]]
    top: int
    k: int
    eps: int
    fill: bool


def random_case(seed: int) -> Case:
    """Dense and sparse, few and many levels, people alike and people alone, people without any rating."""
    rng = np.random.default_rng(seed)
    top, issues = int(rng.integers(1, 9)), int(rng.integers(1, 7))
    density, n_people = rng.random(), int(rng.integers(1, 25))
    kinds = rng.integers(1, n_people + 1)
    sets = rng.random((kinds, issues)) < density
    tastes = rng.integers(0, top + 1, (kinds, issues))
    people = []
    for _ in range(n_people):
        kind = rng.integers(kinds)
        rated = np.flatnonzero(sets[kind] ^ (rng.random(issues) < 0.1 * rng.random()))
        noise = rng.integers(-1, 2, issues)
        people.append({int(i): int(np.clip(tastes[kind, i] + noise[i], 0, top)) for i in rated})
    k = int(rng.integers(1, min(n_people, 6) + 1))
    return Case(people, top, k, int(rng.integers(0, top + 1)), bool(rng.random() < 0.5))


def as_problem(people: list[dict[int, int]], top: int, k: int, eps: int, *, fill: bool = False) -> Problem:
    """The ratings as a method gets them; issues from 0."""
    indptr = np.cumsum([0, *map(len, people)]).astype(np.int64)
    issues = np.array([i for person in people for i in sorted(person)], np.int32)
    values = np.array([person[i] for person in people for i in sorted(person)], np.int16)
    each = np.ones(max([*issues.tolist(), 0]) + 1, np.int64)
    return Problem(indptr, issues, values, each * eps, -each, each * top, k, fill)


def as_people(problem: Problem, cells: Cells) -> list[dict[int, int]]:
    """What a decision publishes."""
    indptr, issues, values = published_ratings(problem, cells)
    return [dict(zip(issues[a:b].tolist(), values[a:b].tolist(), strict=True)) for a, b in pairwise(indptr.tolist())]
