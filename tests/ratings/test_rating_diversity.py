"""Diversity of sensitive ratings: who must become one company, beside the literal twin."""

from __future__ import annotations

from typing import Any

import numpy as np

from naive import ratings as naive
from support.rating_cases import as_problem, random_case
from support.seeds import each_seed
from tacit.ratings.solvers.diversity import Secrets, to_close_up


def _drawn_secrets(people: int, rng: np.random.Generator) -> list[dict[Any, float]]:
    """Up to two sensitive ratings a person, of few values: often too uniform."""
    return [{issue: int(rng.integers(3)) for issue in range(2) if rng.random() < 0.7} for _ in range(people)]


def _as_codes(secrets: list[dict[Any, float]]) -> Secrets:
    codes = [int(3 * issue + value) for person in secrets for issue, value in person.items()]
    indptr = np.cumsum([0, *map(len, secrets)]).astype(np.int64)
    return Secrets(indptr, np.array(codes, np.int64), 6)


@each_seed(range(300))
def test_companies_that_are_not_diverse_are_those_of_the_literal_twin(seed: int) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed)
    secrets, l = _drawn_secrets(len(case.people), rng), float(rng.choice([1.5, 2, 3]))  # noqa: E741
    problem = as_problem(case.people, case.top, case.k, case.eps)
    published = (problem.indptr, problem.issues, problem.values)
    found = to_close_up(published, problem.reach, _as_codes(secrets), 1 / l + 1e-12)
    wanted = naive.to_close_up(case.people, secrets, case.eps, case.top + 1, l)
    assert [set(company.tolist()) for company in found] == wanted


def test_people_who_agree_are_one_company_with_the_nearest_who_do_not() -> None:
    people = [{0: 1, 1: 1}] * 2 + [{0: 1}] * 2 + [{2: 1}] * 2
    secrets: list[dict[Any, float]] = [{0: 1}, {0: 1}, {0: 1}, {0: 2}, {0: 0}, {0: 2}]
    problem = as_problem(people, 4, 2, 1)
    published = (problem.indptr, problem.issues, problem.values)
    found = to_close_up(published, problem.reach, _as_codes(secrets), 1 / 2 + 1e-12)
    assert [company.tolist() for company in found] == [[0, 1, 2, 3]]
