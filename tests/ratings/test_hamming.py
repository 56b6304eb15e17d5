"""The method of the paper: its tables, its example, and its literal twin."""

from __future__ import annotations

import numpy as np

from naive import ratings as naive
from support.rating_cases import TABLE_I, as_people, as_problem, random_case
from support.seeds import each_seed
from tacit.ratings.solvers.hamming import hamming, hamming_groups
from tacit.ratings.solvers.intervals import cheapest_interval
from tacit.ratings.solvers.neighbours import distortion


def test_table_ii() -> None:
    ratings = [3, 4, 5, 6, 7, 7, 8, 8]
    assert naive.all_intervals(ratings, 2) == [(3, 11), (4, 7), (5, 5), (6, 6)]
    assert cheapest_interval(np.array(ratings), 2) == (5, 7, 5)


def test_table_iii() -> None:
    issue_1, issue_2 = [6, 3, 4, 2], [1, 6, 5, 5]
    assert naive.all_intervals(issue_1, 1) == [(2, 4), (3, 3), (4, 4), (5, 6)]
    assert naive.all_intervals(issue_2, 1) == [(1, 10), (2, 8), (3, 6), (4, 4), (5, 4)]
    assert cheapest_interval(np.array(issue_1), 1) == (3, 4, 3)
    assert cheapest_interval(np.array(issue_2), 1) == (4, 5, 4), "of two as cheap, the lowest"


def test_table_i() -> None:
    people = [{i - 1: v - 1 for i, v in person.items()} for person in TABLE_I]
    problem = as_problem(people, top=5, k=2, eps=1)
    assert hamming_groups(problem).tolist() == [1, 1, 1, 1, 0, 0], "fewer people have the second rated set"
    cells = hamming(problem)
    after = [{i + 1: v + 1 for i, v in person.items()} for person in as_people(problem, cells)]
    assert after == [{1: 4, 2: 4}, {1: 3, 2: 5}, {1: 4, 2: 5}, {1: 3, 2: 5}, {1: 1, 3: 5}, {1: 2, 3: 6}]
    assert distortion(problem, cells) == 3 + 4


@each_seed(range(200))
def test_the_cheapest_interval_is_that_of_trying_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(-5, rng.integers(-4, 30), rng.integers(1, 40))
    eps = int(rng.integers(0, 12))
    low, high, cost = cheapest_interval(ratings, eps)
    assert (low, cost) == naive.single_anonymizer(ratings.tolist(), eps)
    assert high == low + eps


@each_seed(range(300))
def test_the_literal_twin_publishes_the_same(seed: int) -> None:
    case = random_case(seed)
    problem = as_problem(case.people, case.top, case.k, case.eps, fill=case.fill)
    cells = hamming(problem)
    after = as_people(problem, cells)
    assert after == naive.hamming(case.people, case.k, case.eps, fill=case.fill)
    assert distortion(problem, cells) == naive.total_distortion(case.people, after, -1)
    assert naive.is_k_eps_anonymous(after, case.k, case.eps, case.top + 1)


def test_a_record_of_a_small_group_goes_to_the_nearest_rated_set() -> None:
    people = [{0: 1, 1: 1}, {0: 1, 1: 1}, {4: 2}, {4: 2}, {0: 1, 1: 1, 2: 3}]
    problem = as_problem(people, top=4, k=2, eps=1)
    assert hamming_groups(problem).tolist() == [0, 0, 1, 1, 0]
    assert as_people(problem, hamming(problem))[4] == {0: 1, 1: 1}, "blanked: not all of the group rated it"
    filled = as_people(as_problem(people, 4, 2, 1, fill=True), hamming(as_problem(people, 4, 2, 1, fill=True)))
    assert filled[0] == {0: 1, 1: 1, 2: 3}, "filled with the nearest end of the interval"
