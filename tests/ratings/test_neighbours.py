"""The default method: it keeps the definition, distorts no more than the paper's, and leaves safe people alone."""

from __future__ import annotations

import numpy as np
import pytest

from naive import ratings as naive
from support.rating_cases import TABLE_I, as_people, as_problem, random_case
from support.seeds import each_seed
from tacit.ratings.solvers import neighbours as method
from tacit.ratings.solvers.hamming import hamming
from tacit.ratings.solvers.neighbours import distortion, neighbours
from tacit.ratings.solvers.settled import alike, safe_people


def test_table_i_costs_4_where_the_paper_costs_7() -> None:
    people = [{i - 1: v - 1 for i, v in person.items()} for person in TABLE_I]
    problem = as_problem(people, top=5, k=2, eps=1)
    cells = neighbours(problem)
    assert distortion(problem, cells) == 4
    assert as_people(problem, cells)[0] == {0: 4, 1: 3}, "t1 becomes (5, 4)"
    assert cells.cell.tolist() == [0, -1, -1, -1, -1, -1], "nobody else is touched"


@each_seed(range(400))
def test_the_definition_holds_and_hamming_is_never_better(seed: int) -> None:
    case = random_case(seed)
    problem = as_problem(case.people, case.top, case.k, case.eps, fill=case.fill)
    cells = neighbours(problem)
    after = as_people(problem, cells)
    assert naive.is_k_eps_anonymous(after, case.k, case.eps, case.top + 1)
    assert distortion(problem, cells) == naive.total_distortion(case.people, after, -1)
    assert distortion(problem, cells) <= distortion(problem, hamming(problem))
    if not case.fill:
        assert all(after_one.keys() <= one.keys() for one, after_one in zip(case.people, after, strict=True))
    assert all(0 <= value <= case.top for person in after for value in person.values())


@each_seed(range(150))
def test_safe_people_are_those_left_when_lonely_ones_are_taken_out_again_and_again(seed: int) -> None:
    case = random_case(seed)
    problem = as_problem(case.people, case.top, case.k, case.eps)
    left = list(range(len(case.people)))
    while True:
        company = naive.close_people([case.people[p] for p in left], case.eps, case.top + 1)
        stays = [p for p, count in zip(left, company, strict=True) if count >= case.k]
        if stays == left:
            break
        left = stays
    found = safe_people(problem, alike(problem), np.zeros(len(case.people), bool))
    assert np.flatnonzero(found).tolist() == left


@each_seed(range(60))
def test_who_is_safe_is_not_changed(seed: int) -> None:
    case = random_case(seed)
    problem = as_problem(case.people, case.top, case.k, case.eps)
    if naive.is_k_eps_anonymous(case.people, case.k, case.eps, case.top + 1):
        assert distortion(problem, neighbours(problem)) == 0


def test_people_alone_with_too_few_to_join_get_company() -> None:
    people = [{0: 1, 1: 2}] * 4 + [{2: 3}]
    problem = as_problem(people, top=4, k=3, eps=1)
    after = as_people(problem, neighbours(problem))
    assert naive.is_k_eps_anonymous(after, 3, 1, 5)


def test_many_people_alike_are_looked_up_in_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.ratings.solvers.settled._EXACT", 10)
    rng = np.random.default_rng(4)
    people = [{i: int(v) for i, v in enumerate(row)} for row in rng.integers(0, 5, (300, 3))]
    problem = as_problem(people, top=4, k=4, eps=1)
    cells = neighbours(problem)
    assert naive.is_k_eps_anonymous(as_people(problem, cells), 4, 1, 5)
    assert np.count_nonzero(cells.cell < 0) > 200


def test_blocks_of_people_keep_the_promise_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method, "_BLOCK", 40)
    monkeypatch.setattr(method, "_THOROUGH", 100)
    monkeypatch.setattr(method, "_HAMMING_STEPS", -1)
    rng = np.random.default_rng(8)
    people = [
        {int(i): int(rng.integers(0, 5)) for i in np.flatnonzero(rng.random(12) < rng.random())} for _ in range(230)
    ]
    for fill in (False, True):
        problem = as_problem(people, top=4, k=5, eps=1, fill=fill)
        assert naive.is_k_eps_anonymous(as_people(problem, neighbours(problem)), 5, 1, 5)
