"""Diversity of sensitive ratings: who must become one company, beside the literal twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit
from naive import ratings as naive
from support.rating_cases import as_problem, random_case
from support.seeds import each_seed
from tacit import KEpsAnonymity
from tacit.ratings.solvers.diversity import Sensitive, to_close_up


def _drawn_sensitive(people: int, rng: np.random.Generator) -> list[dict[Any, float]]:
    """Up to two sensitive ratings a person, of few values: often too uniform."""
    return [{issue: int(rng.integers(3)) for issue in range(2) if rng.random() < 0.7} for _ in range(people)]


def _as_codes(sensitive: list[dict[Any, float]]) -> Sensitive:
    codes = [int(3 * issue + value) for person in sensitive for issue, value in person.items()]
    indptr = np.cumsum([0, *map(len, sensitive)]).astype(np.int64)
    return Sensitive(indptr, np.array(codes, np.int64), 6)


@each_seed(range(300))
def test_companies_that_are_not_diverse_are_those_of_the_literal_twin(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = random_case(seed)
    rng = np.random.default_rng(seed)
    sensitive, l = _drawn_sensitive(len(case.people), rng), float(rng.choice([1.5, 2, 3]))  # noqa: E741
    problem = as_problem(case.people, case.top, case.k, case.eps)
    published = (problem.indptr, problem.issues, problem.values)
    found = to_close_up(published, problem.reach, _as_codes(sensitive), 1 / l + 1e-12)
    wanted = naive.to_close_up(case.people, sensitive, case.eps, case.top + 1, l)
    assert [set(company.tolist()) for company in found] == wanted
    monkeypatch.setattr("tacit.arrays.blocks._FIRST", 1)  # kernels go on where they were
    monkeypatch.setattr("tacit.arrays.blocks._SECONDS", 0.0)
    again = to_close_up(published, problem.reach, _as_codes(sensitive), 1 / l + 1e-12)
    assert [set(company.tolist()) for company in again] == wanted


def test_people_who_agree_are_one_company_with_the_nearest_who_do_not() -> None:
    people = [{0: 1, 1: 1}] * 2 + [{0: 1}] * 2 + [{2: 1}] * 2
    sensitive: list[dict[Any, float]] = [{0: 1}, {0: 1}, {0: 1}, {0: 2}, {0: 0}, {0: 2}]
    problem = as_problem(people, 4, 2, 1)
    published = (problem.indptr, problem.issues, problem.values)
    found = to_close_up(published, problem.reach, _as_codes(sensitive), 1 / 2 + 1e-12)
    assert [company.tolist() for company in found] == [[0, 1, 2, 3]]


@pytest.mark.parametrize(("least", "agree", "others"), [(2, 200, [200]), (2.5, 160, [120, 120])])
def test_a_company_is_changed_when_one_person_too_many_agrees(least: float, agree: int, others: list[int]) -> None:
    """By the bound itself, not by what is about as much: 200 of 400 may agree, 201 of 401 may not."""
    diverse = [(5, rating) for rating in (1, 2, 3, 4) for _ in range(50)]
    company = [(1, 1)] * agree + [(1, 2 + i) for i, number in enumerate(others) for _ in range(number)]
    promise, roles = KEpsAnonymity(2, 0, least), {"rating": ["x", "y"], "sensitive": "y", "scale": (1, 5), "step": 1}
    for more, is_changed in ((0, False), (1, True)):
        rows = diverse + company + [(1, 1)] * more
        made = tacit.anonymize(pd.DataFrame(rows, columns=["x", "y"]), promise, method="neighbours", seed=1, **roles)
        assert (sorted(map(tuple, made.data.to_numpy().tolist())) != sorted(rows)) is is_changed
