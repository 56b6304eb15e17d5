"""Dealing values to rows: the best of all ways, and as one deals bucket by bucket."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tacit.attack.attackers import definetti
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
    assert weighed(score, np.array([[7, 8]])).tolist() == [[8, 7]]


def test_guesses_stay_in_the_bucket_whatever_the_order_of_rows() -> None:
    rng = np.random.default_rng(3)
    bucket = rng.permutation(np.repeat(np.arange(60), rng.integers(1, 8, 60)))
    shown = rng.integers(0, 5, bucket.size)
    features = [rng.integers(0, 4, bucket.size), shown.copy()]  # the second one tells all
    value = likeliest(features, bucket, shown, rng)
    for each in range(60):
        assert set(value[bucket == each]) <= set(shown[bucket == each])
    assert (value == shown).mean() > 0.9


def test_of_a_file_with_too_many_pairs_some_buckets_are_drawn_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    from attack.cases import learnt_from_buckets

    (everybody,) = learnt_from_buckets(safe=False)
    monkeypatch.setattr(definetti, "_MOST_PAIRS", 100)  # a bucket of two has four
    (some,) = learnt_from_buckets(safe=False)
    assert (everybody["tried"], some["tried"]) == (120, 50) and some["success"] > 0.9
    monkeypatch.setattr(definetti, "_MOST_PAIRS", 3)
    (none,) = learnt_from_buckets(safe=False)
    assert none["success"] is None and "--exact" in none["why"]
