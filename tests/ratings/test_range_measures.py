"""What ratings published as ranges lost: against slow twins, and alike however many are looked at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import tacit
from support.seeds import each_seed
from tacit.ratings import publish, range_measures
from tacit.ratings.measures import Sparse
from tacit.ratings.range_measures import correlation_error

Person = dict[int, float]


def sparse(people: list[Person]) -> Sparse:
    indptr = np.cumsum([0, *map(len, people)])
    issues = np.array([i for person in people for i in sorted(person)], np.int32)
    return Sparse(indptr, issues, np.array([person[i] for person in people for i in sorted(person)], float))


def naive_correlation_error(before: list[Person], after: list[Person], issues: int) -> float | None:
    """The words of docs/measures.md, pair by pair."""
    published = [i for i in range(issues) if sum(i in person for person in after) >= 30]
    apart = []
    for pair in combinations(published, 2):
        found = []
        for people in (before, after):
            both = np.array([[person[i] for i in pair] for person in people if all(i in person for i in pair)])
            if len(both) >= 30 and (np.ptp(both, axis=0) > 0).all():
                found.append(np.corrcoef(both.T)[0, 1])
        if len(found) == 2:
            apart.append(abs(found[0] - found[1]))
    return float(np.mean(apart)) if apart else None


@each_seed(range(30))
def test_correlations_are_off_as_the_words_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    issues, people = 7, int(rng.integers(25, 120))
    shares = rng.uniform(0.2, 1, issues)
    mood = rng.normal(0, 2, people)
    before = [
        {i: float(np.round(mood[p] + rng.normal(0, 1), 1)) for i in range(issues) if rng.random() < shares[i]}
        for p in range(people)
    ]
    flat = int(rng.integers(issues))  # one issue that everybody is published to have rated alike
    after = [
        {i: 3.3 if i == flat else 2.0 * round(v / 2) for i, v in each.items() if rng.random() < 0.9} for each in before
    ]
    wanted = naive_correlation_error(before, after, issues)
    found = correlation_error(sparse(before), sparse(after), issues)
    assert (found is None) == (wanted is None)
    assert wanted is None or found == pytest.approx(wanted, abs=1e-9)


def test_some_correlations_can_be_compared_and_some_cannot() -> None:
    everybody = [{0: float(p % 5), 1: float(p % 7), 2: 1.0} for p in range(60)]
    assert correlation_error(sparse(everybody), sparse(everybody), 3) == 0.0
    assert correlation_error(sparse(everybody[:20]), sparse(everybody[:20]), 3) is None


@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
def test_a_release_is_the_same_whatever_is_done_at_once(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    rated = np.argwhere(rng.random((90, 14)) < np.linspace(0.9, 0.05, 14))
    table = pa.table({"who": rated[:, 0], "film": rated[:, 1], "stars": rng.integers(1, 6, len(rated))})
    for module in (publish, range_measures):
        monkeypatch.setattr(module, "_AT_ONCE", at_once)
    release = tacit.anonymize(
        table, tacit.RatingKm(5, 2), person="who", items="film", rating="stars", scale=(1, 5), step=1, seed=1
    )
    shown = release.table.to_pydict()
    assert [*zip(shown["who"], map(str, shown["film"]), strict=True)] == sorted(
        zip(shown["who"], map(str, shown["film"]), strict=True)
    ), "people one after the other, each person's films by their texts"
    given = {(p, f): s for p, f, s in zip(*table.to_pydict().values(), strict=True)}
    persons = list(dict.fromkeys(table["who"].to_pylist()))
    middles, widths = {}, []
    for who, film, stars in zip(*shown.values(), strict=True):
        if film is not None:
            low, high = map(float, str(stars).strip("[]").split(":")) if ":" in str(stars) else (float(stars),) * 2
            middles[persons[release.original[who - 1]], film] = (low + high) / 2
            widths.append((high - low) / 4)
    distortion = sum(abs(stars - middles.get(key, 0.0)) for key, stars in given.items())
    assert 0 < len(middles) < len(given)
    assert release.utility["distortion"] == pytest.approx(distortion)
    assert release.utility["mean_width"] == pytest.approx(np.mean(widths))
