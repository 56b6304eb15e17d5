"""What the search and the measures leave out because it is known already: nothing comes out differently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.rating_cases import as_problem, random_case
from support.seeds import each_seed
from tacit.ratings.measures import Sparse, naive_bayes_accuracy
from tacit.ratings.solvers import _improving_kernels as _improving
from tacit.ratings.solvers import _rating_kernels as _kernels
from tacit.ratings.solvers import _star_kernels as _stars
from tacit.ratings.solvers import blocks
from tacit.ratings.solvers.hamming import hamming
from tacit.ratings.solvers.neighbours import neighbours
from tacit.ratings.solvers.problem import Problem


def problem(seed: int) -> Problem:
    """Enough people for several clusters, dense or sparse."""
    rng = np.random.default_rng(seed)
    cases = [random_case(100 * seed + turn) for turn in range(6)]
    people = [person for case in cases for person in case.people]
    top = max(case.top for case in cases)
    return as_problem(people, top, int(rng.integers(2, 6)), int(rng.integers(0, 3)), fill=bool(seed % 3 == 0))


def decided(seed: int) -> list[list[int]]:
    return [part.tolist() for part in neighbours(problem(seed))]


@each_seed(range(40))
def test_remembered_costs_change_no_decision(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = decided(seed)
    monkeypatch.setattr(blocks, "_REMEMBERED", -1)
    assert decided(seed) == usual


@each_seed(range(40))
def test_clusters_that_did_not_change_need_not_be_settled_anew(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, settle, made = decided(seed), _stars.settle_clusters, {}

    def settle_all(*given: Any) -> Any:
        state, is_changed, *rest = given
        was_first = made.setdefault(id(state.groups.first), (state, is_changed))[1]  # of an attempt: all are settled
        return settle(state, was_first, *rest)

    monkeypatch.setattr(blocks._stars, "settle_clusters", settle_all)
    assert decided(seed) == usual
    assert seed > 2 or made


@each_seed(range(40))
def test_pairs_whose_cost_is_foreseen_need_not_be_settled(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = decided(seed)
    monkeypatch.setattr(_improving, "_FEW", -1)
    assert decided(seed) == usual


@each_seed(range(20))
def test_a_search_in_steps_of_one_finds_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels return after each step, and go on where they were: groups, pairs, clusters, small groups, intervals."""
    usual, literal = decided(seed), hamming(problem(seed))
    monkeypatch.setattr("tacit.arrays.blocks._FIRST", 1)
    monkeypatch.setattr("tacit.arrays.blocks._SECONDS", 0.0)
    assert decided(seed) == usual
    assert all(np.array_equal(*parts) for parts in zip(hamming(problem(seed)), literal, strict=True))


@each_seed(range(60))
def test_the_nth_smallest_is_that_of_a_sorted_list(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-5, int(rng.choice([0, 6, 10**9])), int(rng.choice([1, 7, 25, 400])))
    n = int(rng.integers(numbers.size))
    smallest = getattr(_kernels.nth_smallest, "py_func", _kernels.nth_smallest)  # only kernels can call it compiled
    assert smallest(numbers.copy(), numbers.size, n, np.empty_like(numbers)) == np.sort(numbers)[n]


def literal_accuracy(ratings: np.ndarray, targets: list[int], is_training: np.ndarray) -> tuple[float, float]:
    """Naive Bayes on ten classes of ratings, issue by issue and person by person: the least and the most, with ties."""
    low, high = np.nanmin(ratings), np.nanmax(ratings)
    level = np.minimum((ratings - low) / max(high - low, 1e-12) * 10, 9)
    least, most = [], []
    for target in targets:
        of = ratings[:, target]
        train, test = ~np.isnan(of) & is_training, ~np.isnan(of) & ~is_training
        if not train.any() or not test.any():
            continue
        label, right, tied = of > np.median(of[train]), 0, 0
        for person in np.flatnonzero(test):
            score = {}
            for wanted in (True, False):
                members = train & (label == wanted)
                score[wanted] = np.log((members.sum() + 1) / (train.sum() + 2))
                for issue in np.flatnonzero(~np.isnan(ratings[person])):
                    if issue != target:
                        met = level[members & ~np.isnan(ratings[:, issue]), issue].astype(int)
                        same = np.count_nonzero(met == int(level[person, issue]))
                        score[wanted] += np.log((same + 1) / (met.size + 10))
            if abs(score[True] - score[False]) < 1e-9:
                tied += 1
            else:
                right += (score[True] > score[False]) == label[person]
        least.append(right / test.sum())
        most.append((right + tied) / test.sum())
    return float(np.mean(least)), float(np.mean(most))


@each_seed(range(25))
def test_naive_bayes_person_by_person(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, (30, 5)) + rng.normal(0, 0.3, (30, 5))
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    rated = ~np.isnan(ratings)
    sparse = Sparse(np.append(0, np.cumsum(rated.sum(axis=1))), np.nonzero(rated)[1], ratings[rated])
    is_training = rng.random(30) < 0.5
    found = naive_bayes_accuracy(sparse, np.arange(3), is_training, 5)
    least, most = literal_accuracy(ratings, [0, 1, 2], is_training)
    assert found is not None and least - 1e-12 <= found <= most + 1e-12
