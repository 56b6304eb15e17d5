"""Dealing values to rows: the best of all ways, all ways weighed, and what all buckets together teach."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tacit.attack.attackers import definetti
from tacit.attack.bucket_learning import values_learnt
from tacit.attack.dealing import dealt, likeliest, weighed


@pytest.mark.parametrize("different", [2, 9])
@pytest.mark.parametrize("size", range(1, 7))
def test_no_other_dealing_is_better(size: int, different: int) -> None:
    rng = np.random.default_rng(size)
    by_value = rng.random((5, size, different))
    values = rng.integers(0, different, (5, size))
    found = dealt(np.take_along_axis(by_value, np.repeat(values[:, None, :], size, axis=1), axis=2), values)
    for own, had, got in zip(by_value, values, found, strict=True):
        assert sorted(had) == sorted(got)
        best = max(sum(own[row, value] for row, value in enumerate(way)) for way in permutations(had.tolist()))
        assert own[np.arange(size), got].sum() == pytest.approx(best)


def test_the_likeliest_value_of_a_bucket_weighs_all_dealings() -> None:
    """Row 0 fits value 7 a little better, but the only other way to deal makes row 1 fit far worse."""
    score = np.log([[[0.6, 0.4], [0.9, 0.1]]])
    assert likeliest(weighed(score)[0], np.array([[7, 8]])).tolist() == [[8, 7]]


@pytest.mark.parametrize("size", range(1, 8))
def test_dealings_are_weighed_as_one_counts_them(size: int) -> None:
    """Chances and how much likelier rows are, over all dealings; in buckets above four, about."""
    score = np.random.default_rng(size).normal(0, 0.5, (3, size, size))
    chance, likelier = weighed(score)
    ways = list(permutations(range(size)))
    for own, got, likely in zip(score, chance, likelier, strict=True):
        weights = np.exp([sum(own[row, place] for row, place in enumerate(way)) for way in ways])
        counted = np.zeros((size, size))
        for way, weight in zip(ways, weights, strict=True):
            counted[np.arange(size), way] += weight / weights.sum()
        near = 1e-9 if size <= 4 else 0.1
        assert got == pytest.approx(counted, abs=near) and likely == pytest.approx(np.log(weights.mean()), abs=near)


def test_guesses_stay_in_the_bucket_whatever_the_order_of_rows() -> None:
    rng = np.random.default_rng(3)
    bucket = rng.permutation(np.repeat(np.arange(60), rng.integers(1, 8, 60)))
    shown = rng.integers(0, 5, bucket.size)
    features = [rng.integers(0, 4, bucket.size), shown.copy()]  # the second one tells all
    value = values_learnt(features, bucket, shown, rng)
    for each in range(60):
        assert set(value[bucket == each]) <= set(shown[bucket == each])
    assert (value == shown).mean() > 0.9


def buckets_of_three(rng: np.random.Generator, signal: float, clusters: bool = False) -> tuple[list[np.ndarray], ...]:
    """Two values, one of them twice in each bucket; columns show a row's value so often, or two kinds of people."""
    rows = 900
    bucket = np.repeat(np.arange(rows // 3), 3)
    shown = np.where(
        rng.integers(0, 2, rows // 3)[bucket] == 1, np.tile([0, 0, 1], rows // 3), np.tile([1, 1, 0], rows // 3)
    )
    true = rng.permuted(shown.reshape(-1, 3), axis=1).ravel()
    kind = rng.integers(0, 2, rows)
    features = []
    for place in range(5):
        meant = kind if clusters and place else true
        often = 0.8 if clusters and place else signal
        features.append(np.where(rng.random(rows) < often, meant, rng.integers(0, 2, rows)))
    return features, bucket, shown, true


@pytest.mark.parametrize("clusters", [False, True])
def test_where_nothing_is_to_be_learnt_the_guess_is_the_most_frequent_value(clusters: bool) -> None:
    """Also where people fall into two kinds that have nothing to do with the values, which misled naive Bayes."""
    gains = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        features, bucket, shown, true = buckets_of_three(rng, 0.0, clusters)
        gains.append((values_learnt(features, bucket, shown, rng) == true).mean() - 2 / 3)
    assert np.mean(gains) > -0.02, gains


@pytest.mark.parametrize("clusters", [False, True])
def test_a_weak_hint_is_used(clusters: bool) -> None:
    """A third of the rows show their value in one column beside four of two kinds of people, or in all five."""
    rng = np.random.default_rng(1)
    features, bucket, shown, true = buckets_of_three(rng, 0.6 if clusters else 0.3, clusters)
    assert (values_learnt(features, bucket, shown, rng) == true).mean() > 2 / 3 + 0.05


def test_a_column_that_is_different_in_each_row_teaches_nothing() -> None:
    rng = np.random.default_rng(4)
    features, bucket, shown, true = buckets_of_three(rng, 0.4)
    numbers = [*features, rng.permutation(true.size)]
    with_it, without = (values_learnt(some, bucket, shown, np.random.default_rng(0)) for some in (numbers, features))
    assert (with_it == true).mean() > (without == true).mean() - 0.02


def test_of_a_file_with_too_many_pairs_some_buckets_are_drawn_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    from attack.cases import learnt_from_buckets

    (everybody,) = learnt_from_buckets(safe=False)
    monkeypatch.setattr(definetti, "_MOST_PAIRS", 100)  # a bucket of two has four
    (some,) = learnt_from_buckets(safe=False)
    assert (everybody["tried"], some["tried"]) == (120, 50) and some["success"] > 0.9
    monkeypatch.setattr(definetti, "_MOST_PAIRS", 3)
    (none,) = learnt_from_buckets(safe=False)
    assert none["success"] is None and "--exact" in none["why"]
