"""Dealing values to rows: the best of all ways, all ways weighed, and what all buckets together teach."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tacit.attack.attackers import definetti
from tacit.attack.bucket_learning import values_learnt
from tacit.attack.dealing import dealt, weighed


def buckets_of(size: int, different: int, rng: np.random.Generator) -> np.ndarray:
    """Some buckets, by how many rows have each of their values."""
    return rng.multinomial(size - different, np.full(different, 1 / different), 5) + 1


def places_of(times: np.ndarray) -> list[int]:
    return [value for value, often in enumerate(times.tolist()) for _ in range(often)]


SIZES = [(size, different) for size in range(1, 8) for different in range(1, size + 1)]


@pytest.mark.parametrize(("size", "different"), SIZES)
def test_no_other_dealing_is_better(size: int, different: int) -> None:
    rng = np.random.default_rng(size)
    score, times = rng.random((5, size, different)), buckets_of(size, different, rng)
    for own, had, got in zip(score, times, dealt(score, times), strict=True):
        assert sorted(got) == places_of(had)
        best = max(sum(own[row, value] for row, value in enumerate(way)) for way in permutations(places_of(had)))
        assert own[np.arange(size), got].sum() == pytest.approx(best)


def test_the_likeliest_value_of_a_bucket_weighs_all_dealings() -> None:
    """Row 0 fits the first value a little better, but the only other way to deal makes row 1 fit far worse."""
    score = np.log([[[0.6, 0.4], [0.9, 0.1]]])
    assert weighed(score, np.array([[1, 1]]))[0].argmax(axis=2).tolist() == [[1, 0]]


@pytest.mark.parametrize(("size", "different"), SIZES)
def test_dealings_are_weighed_as_one_counts_them(size: int, different: int) -> None:
    """Chances and how much likelier rows are, over all dealings; in buckets above four, about."""
    rng = np.random.default_rng(size)
    score, times = rng.normal(0, 0.5, (5, size, different)), buckets_of(size, different, rng)
    for own, had, got, likely in zip(score, times, *weighed(score, times), strict=True):
        ways = list(permutations(places_of(had)))
        weights = np.exp([sum(own[row, value] for row, value in enumerate(way)) for way in ways])
        counted = np.zeros((size, different))
        for way, weight in zip(ways, weights, strict=True):
            counted[np.arange(size), way] += weight / weights.sum()
        near = 1e-9 if size <= 4 or different == 1 else 0.1
        assert got == pytest.approx(counted, abs=near) and likely == pytest.approx(np.log(weights.mean()), abs=near)


@pytest.mark.parametrize("size", [5, 6, 9])
def test_rows_with_one_value_are_weighed_as_places_with_equal_scores(size: int) -> None:
    """The same to the last digits: a value that three rows have is three places that fit each row alike."""
    rng = np.random.default_rng(size)
    score, times = rng.normal(0, 1, (5, size, 3)), buckets_of(size, 3, rng)
    chances, likelier = weighed(score, times)
    for own, had, got, likely in zip(score, times, chances, likelier, strict=True):
        at = np.array(places_of(had))
        by_place, alike = weighed(own[None][:, :, at], np.ones((1, size), int))
        together = np.stack([by_place[0][:, at == value].sum(axis=1) for value in range(3)], axis=1)
        assert together == pytest.approx(got) and alike[0] == pytest.approx(likely)


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
    monkeypatch.setattr(definetti, "_MOST_PAIRS", 100)  # a bucket of two has four, or two if both are ill with the same
    (some,) = learnt_from_buckets(safe=False)
    assert (everybody["tried"], some["tried"]) == (120, 72) and some["success"] > 0.9
    monkeypatch.setattr(definetti, "_MOST_PAIRS", 1)
    (none,) = learnt_from_buckets(safe=False)
    assert none["success"] is None and "--exact" in none["why"]
