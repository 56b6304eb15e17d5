"""The audit of ratings against the definition, counted pair by pair."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive import ratings as naive
from support.rating_cases import TABLE_I, Case, random_case
from support.seeds import each_seed
from tacit import KEpsAnonymity
from tacit.audits import k_eps as audited
from tacit.audits import read_view
from tacit.audits.k_eps import Crowd, crowd, free_issues
from tacit.audits.result import AuditResult
from tacit.audits.views.ratings import RatingView
from tacit.audits.views.scales import _guessed_step
from tacit.job import Column, Input, Job, Output


def wide(people: list[dict[int, int]], issues: int) -> pa.Table:
    return pa.table({f"i{i}": pa.array([person.get(i) for person in people], pa.int64()) for i in range(issues)})


def seen(case: Case, sensitive: tuple[int, ...] = ()) -> RatingView:
    columns = tuple(Column(f"i{i}", "rating", scale=(0, case.top), step=1, sensitive=i in sensitive) for i in range(6))
    promise = KEpsAnonymity(case.k, case.eps)
    job = Job(Input("frame"), columns, promise, Output(None))  # type: ignore[arg-type]
    return read_view(wide(case.people, 6), job)


def company(case: Case, sensitive: tuple[int, ...] = ()) -> Crowd:
    view = seen(case, sensitive)
    return crowd(view, case.eps, free_issues(view, case.eps))


def audit(case: Case, **options: object) -> AuditResult:
    names = [f"i{i}" for i in range(6)]
    promise = KEpsAnonymity(case.k, case.eps, options.pop("l", None))  # type: ignore[arg-type]
    frame = wide(case.people, 6)
    return tacit.audit(frame, promise, rating=names, scale=(0, case.top), step=1, **options)  # type: ignore[arg-type]


def by_turns(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every other time few rows are looked up by the kernels, as many are."""
    monkeypatch.setattr(audited, "_FEW_STEPS", -1 if seed % 2 else 2**21)


@each_seed(range(250))
def test_everybodys_company_is_that_of_the_definition(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    by_turns(seed, monkeypatch)
    case = random_case(seed)
    expected = naive.close_people(case.people, case.eps, case.top + 1)
    assert company(case).close.tolist() == expected
    result = audit(case)
    assert result.satisfied == (min(expected) >= case.k)
    assert result.facts["level"]["k"] == min(expected)
    assert result.worst is not None and result.worst["close"] == min(expected)
    assert result.facts["people_without_enough_close_others"] == sum(count < case.k for count in expected)
    assert len(result.violations) == sum(count < case.k for count in expected)


@each_seed(range(12))
def test_many_people_are_found_in_the_prefix_tree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audited, "_FEW_STEPS", -1)
    rng = np.random.default_rng(seed)
    issues, top = int(rng.integers(1, 6)), int(rng.integers(3, 40))
    people = [dict(enumerate(row)) for row in rng.integers(0, top + 1, (220, issues)).tolist()]
    case = Case(people, top, 2, int(rng.integers(0, 4)), False)
    assert company(case).close.tolist() == naive.close_people(people, case.eps, top + 1)


@each_seed(range(80))
def test_the_highest_share_of_a_sensitive_rating(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    by_turns(seed, monkeypatch)
    case = random_case(seed)
    public = [{i: v for i, v in person.items() if i != 0} for person in case.people]
    sensitive = [{i: v for i, v in person.items() if i == 0} for person in case.people]
    shares = company(case, sensitive=(0,)).share
    expected = naive.highest_share(public, sensitive, case.eps, case.top + 1)
    if shares is None:
        assert max(expected) == 0
        return
    assert shares.tolist() == pytest.approx(expected)
    result = audit(case, l=2.0, sensitive=["i0"])
    close = naive.close_people(public, case.eps, case.top + 1)
    assert result.satisfied == (min(close) >= case.k and max(expected) <= 0.5)


def test_table_i() -> None:
    people = [{i - 1: v - 1 for i, v in person.items()} for person in TABLE_I]
    result = audit(Case(people, 5, 2, 1, False))
    assert not result.satisfied
    assert result.worst == {"ratings": {"i0": 5.0, "i1": 0.0}, "rated": 2, "close": 1, "text": result.worst["text"]}  # type: ignore[index]
    assert "1 person is that close" in str(result)


def test_nothing_tells_people_apart_if_epsilon_is_as_large_as_the_scale() -> None:
    people = [{0: 1}, {1: 4}, {}]
    assert audit(Case(people, 4, 3, 5, False)).satisfied
    assert not audit(Case(people, 4, 3, 4, False)).satisfied


def test_a_guessed_scale_proves_nothing() -> None:
    frame = wide([{0: 5}, {1: 5}, {0: 4}, {1: 4}], 2)
    promise = KEpsAnonymity(k=4, eps=2)
    guessed = tacit.audit(frame, promise, rating=["i0", "i1"])
    assert guessed.satisfied is None and "scale" in str(guessed)
    assert tacit.audit(frame, promise, rating=["i0", "i1"], scale=(1, 5)).satisfied is False
    assert tacit.audit(frame, promise, rating=["i0", "i1"], scale=(4, 5)).satisfied is True


def test_ratings_between_the_steps_are_compared_as_they_are() -> None:
    frame = pa.table({"a": ["3.2", "4.2", "4.3"]})
    result = tacit.audit(frame, KEpsAnonymity(k=2, eps=1), rating="a", scale=(1, 5), step=1)
    assert result.satisfied, "3.2 and 4.2 are exactly one apart"
    assert result.facts["level"] == {"k": 2}
    assert not tacit.audit(frame, KEpsAnonymity(k=2, eps=0.05), rating="a", scale=(1, 5), step=1).satisfied


def test_nobody_at_all() -> None:
    result = audit(Case([], 4, 3, 1, False))
    assert result.satisfied and result.worst is None


@pytest.mark.parametrize(
    ("numbers", "step"),
    [(["1", "3"], "1"), (["0.5", "2.5"], "1"), (["0.5", "2"], "0.5"), (["1", "1.25"], "0.25"), (["1", "1.001"], None)],
)
def test_the_widest_step_that_fits_all_ratings_and_1(numbers: list[str], step: str | None) -> None:
    found = _guessed_step([Decimal(number) for number in numbers], Decimal(numbers[0]), Decimal(numbers[0]) + 4)
    assert found == (None if step is None else Decimal(step))


@pytest.mark.parametrize("top", [2**14 - 1, 2**14, 2**15 - 1, 2**15, 2**31])
def test_large_ratings_are_as_far_apart_as_they_are(top: int) -> None:
    """However they are kept: nothing runs over."""
    frame = pa.table({"a": [0, top, top]})
    told = {"rating": "a", "scale": (0, top), "step": 1}
    assert tacit.audit(frame, KEpsAnonymity(k=3, eps=top), **told).satisfied
    assert not tacit.audit(frame, KEpsAnonymity(k=2, eps=top - 1), **told).satisfied
