"""Dealing values to rows: the best of all ways, and as one deals bucket by bucket."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tacit.attack.attackers import definetti
from tacit.attack.dealing import assigned, dealt


@pytest.mark.parametrize("size", range(1, 7))
def test_no_other_dealing_is_better(size: int) -> None:
    rng = np.random.default_rng(size)
    score = rng.random((5, size, size))
    places = dealt(score, np.tile(np.arange(size), (5, 1)))
    for own, one in zip(score, places, strict=True):
        best = max(sum(own[row, way[row]] for row in range(size)) for way in permutations(range(size)))
        assert own[np.arange(size), one].sum() == pytest.approx(best)


def test_each_bucket_keeps_its_values_whatever_the_order_of_rows() -> None:
    rng = np.random.default_rng(3)
    bucket = rng.permutation(np.repeat(np.arange(60), rng.integers(1, 8, 60)))
    shown = rng.integers(0, 5, bucket.size)
    features = [rng.integers(0, 4, bucket.size), shown.copy()]  # the second one tells all
    value = assigned(features, bucket, shown, rng)
    for each in range(60):
        assert sorted(value[bucket == each]) == sorted(shown[bucket == each])
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
