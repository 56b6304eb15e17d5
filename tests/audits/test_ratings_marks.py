"""The audit of ratings among very many people, where rows within reach are marked: as counted pair by pair."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from naive import ratings as naive
from support.rating_cases import Case, random_case
from support.seeds import each_seed
from tacit import KEpsAnonymity
from tacit.audits import k_eps as audited
from tacit.audits import read_view
from tacit.audits.k_eps import crowd, free_issues
from tacit.audits.views.ratings import RatingView
from tacit.job import Column, Input, Job, Output


def seen(columns: dict[str, pa.Array], eps: float, scale: tuple[float, float], sensitive: str = "") -> RatingView:
    asked = tuple(Column(name, "rating", scale=scale, sensitive=name == sensitive) for name in columns)
    job = Job(Input("frame"), asked, KEpsAnonymity(2, eps), Output(None))  # type: ignore[arg-type]
    return read_view(pa.table(columns), job)


def seen_case(case: Case, sensitive: str = "") -> RatingView:
    columns = {f"i{i}": pa.array([person.get(i) for person in case.people], pa.int64()) for i in range(6)}
    return seen(columns, case.eps, (0, case.top), sensitive)


def drawn(seed: int, people: int) -> tuple[np.ndarray, float, tuple[float, float]]:
    """Ratings of all issues by all people, on a scale with few or with very many values."""
    rng = np.random.default_rng(seed)
    issues, top = int(rng.integers(1, 5)), int(rng.choice([4, 9, 100]))
    ratings = rng.integers(0, top + 1, (people, issues)).astype(float)
    if seed % 2:
        ratings += rng.integers(0, 100, ratings.shape) / 100 * (ratings < top)
    return ratings, float(rng.integers(0, top + 1)) / 2, (0.0, float(top))


def pairwise_close(ratings: np.ndarray, eps: float) -> np.ndarray:
    """Definition 1 for all pairs of people who rated everything; ratings have two decimals at most."""
    ticks = np.rint(ratings * 100).astype(int)
    return np.array([(np.abs(ticks - row) <= round(eps * 100)).all(axis=1) for row in ticks])


def as_columns(ratings: np.ndarray) -> dict[str, pa.Array]:
    return {f"q{i}": pa.array([f"{rating:.2f}" for rating in column]) for i, column in enumerate(ratings.T)}


@pytest.fixture
def always_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audited, "_FEW_STEPS", -1)
    monkeypatch.setattr(audited, "_MANY", 1)
    monkeypatch.setattr(audited, "_LEAST_CELLS", 2)


@pytest.mark.usefixtures("always_marked")
@pytest.mark.parametrize("cells", [2, 3, 256])
@each_seed(range(60))
def test_marks_tell_what_the_definition_does(seed: int, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audited, "_MOST_CELLS", cells)
    monkeypatch.setattr(audited, "_FEW_LEVELS", 3)
    case = random_case(seed)
    data = seen_case(case)
    free = free_issues(data, case.eps)
    assert crowd(data, case.eps, free).close.tolist() == naive.close_people(case.people, case.eps, case.top + 1)
    hidden = seen_case(case, "i0")
    public = [{i: v for i, v in person.items() if i} for person in case.people]
    sensitive = [{i: v for i, v in person.items() if not i} for person in case.people]
    found = crowd(hidden, case.eps, free)
    assert found.close.tolist() == naive.close_people(public, case.eps, case.top + 1)
    if found.share is not None:
        assert found.share.tolist() == pytest.approx(naive.highest_share(public, sensitive, case.eps, case.top + 1))


@pytest.mark.usefixtures("always_marked")
@pytest.mark.parametrize("times", [1, 2])
@each_seed(range(24), fast=12)
def test_continuous_scales(seed: int, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody is alone with the own ratings, or nobody is."""
    monkeypatch.setattr(audited, "_MOST_CELLS", int(np.random.default_rng(seed).integers(2, 40)))
    ratings, eps, scale = drawn(seed, 150)
    ratings = np.repeat(ratings, times, axis=0)
    data = seen(as_columns(ratings), eps, scale)
    close = crowd(data, eps, np.zeros(ratings.shape[1], bool)).close
    assert close.tolist() == pairwise_close(ratings, eps).sum(1).tolist()


@pytest.mark.compiled
@each_seed(range(4), fast=1)
def test_more_people_than_one_look_at_the_marks_takes(seed: int) -> None:
    ratings, eps, scale = drawn(seed, 5000)
    ratings = np.vstack((ratings, ratings[:700]))
    is_close = pairwise_close(ratings, eps)
    data = seen(as_columns(ratings), eps, scale)
    nothing_free = np.zeros(ratings.shape[1], bool)
    assert crowd(data, eps, nothing_free).close.tolist() == is_close.sum(axis=1).tolist()
    given = np.random.default_rng(seed).integers(1, 4, len(ratings))
    with_sensitive = seen({**as_columns(ratings), "s": pa.array(given.astype(str))}, eps, scale, "s")
    found = crowd(with_sensitive, eps, np.append(nothing_free, False))
    most = np.array([np.bincount(given[row]).max() / row.sum() for row in is_close])
    assert found.share is not None and np.allclose(found.share, most, rtol=0, atol=1e-12)


@each_seed(range(40))
def test_counts_are_exact_where_they_matter(seed: int) -> None:
    """Up to k, and for the loneliest; of others it is only known that they have more."""
    case = random_case(seed)
    data = seen_case(case)
    exact = np.array(naive.close_people(case.people, case.eps, case.top + 1))
    counted = crowd(data, case.eps, free_issues(data, case.eps), enough=case.k).close
    matters = (exact < case.k) | (exact == exact.min())
    assert counted[matters].tolist() == exact[matters].tolist()
    assert (counted <= exact).all()
    assert (counted[~matters] >= max(case.k, exact.min() + 1)).all()


def test_the_verdict_on_very_many_close_people_names_the_loneliest() -> None:
    rng = np.random.default_rng(3)
    ratings = rng.integers(1, 6, (1500, 6)).astype(float)
    data = seen(as_columns(ratings), 3, (1, 5))
    close = pairwise_close(ratings, 3).sum(axis=1)
    result = audited.audit(data, KEpsAnonymity(5, 3))
    assert result.satisfied and result.facts["level"] == {"k": close.min()}
    first = ratings[int(close.argmin())]
    assert result.worst is not None and result.worst["close"] == close.min()
    assert list(result.worst["ratings"].values()) == first.tolist()


@pytest.mark.parametrize("scale", [(1, 5), (0, 10)])
def test_the_audit_counts_epsilon_itself(scale: tuple[int, int]) -> None:
    """What the job's promise is read for does not matter: a view says nothing of ε."""
    ratings = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 1.0], [5.0, 1.0]])
    close = pairwise_close(ratings, 1).sum(axis=1)
    for eps in (1, 9):
        read = seen(as_columns(ratings), eps, scale)
        assert audited.audit(read, KEpsAnonymity(2, 1)).facts["level"] == {"k": close.min()}
        assert not audited.audit(read, KEpsAnonymity(3, 1)).satisfied
