"""What the studies measure on their own, compared with what is known by other means."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from studies.naive_bayes import accuracy_as_published, accuracy_on_people, borders, majority, ratings_of
from studies.slices_measures import as_groups, as_it_is, as_slices, measures

import tacit
from studies import ratings
from support.seeds import each_seed
from tacit.flow import make_release
from tacit.job import Column, Input, Job, Method, Output
from tacit.promises import Promise
from tacit.ratings.measures import Sparse, naive_bayes_accuracy
from tacit.release import Release
from tacit.taxonomy import build


def rated(rng: np.random.Generator, people: int, issues: int, share: float) -> Sparse:
    """Ratings from 1 to 5 of a share of the issues."""
    at = rng.random((people, issues)) < share
    person, issue = np.nonzero(at)
    indptr = np.concatenate(([0], np.cumsum(at.sum(axis=1))))
    return Sparse(indptr, issue, (rng.integers(1, 6, person.size) + (issue + person) % 2 * 0.5).astype(float))


@each_seed(range(60))
def test_the_fast_classifier_finds_the_numbers_of_the_utility(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people, issues = int(rng.integers(2, 60)), int(rng.integers(1, 9))
    both = rated(rng, people, issues, float(rng.choice([0.1, 0.5, 1.0])))
    is_training = np.arange(people) < people // 2
    train, test = both.take(np.flatnonzero(is_training)), both.take(np.flatnonzero(~is_training))
    targets = rng.permutation(issues)[: int(rng.integers(1, issues + 1))]
    assert accuracy_as_published(train, test, targets, issues) == naive_bayes_accuracy(
        both, targets, is_training, issues
    )


def test_true_people_are_asked_with_the_middle_of_the_original() -> None:
    whole = rated(np.random.default_rng(3), 120, 6, 1.0)
    train, test = whole.take(np.arange(60)), whole.take(np.arange(60, 120))
    targets = np.array([0, 3])
    border = borders(ratings_of(train, targets))
    assert border.tolist() == [float(np.median(train.numbers[train.issues == target])) for target in targets]
    same = accuracy_on_people(train, test, targets, border, 6)
    assert same == accuracy_as_published(train, test, targets, 6), "if nothing was changed"
    moved = train._replace(numbers=np.where(train.issues == 0, 5.0, train.numbers))  # all are above the middle
    asked = ratings_of(test, np.array([0]))
    found = accuracy_on_people(moved, test, np.array([0]), border[:1], 6)
    assert found == pytest.approx((asked > border[0]).mean()), "so everybody is told to be above it"
    shares = [(ratings_of(test, targets) > border)[:, t].mean() for t in range(2)]
    assert majority(test, targets, border) == pytest.approx(np.mean([max(s, 1 - s) for s in shares]))


def release(method: str, promise: Promise) -> Release:
    """Sixty people with an age and a town of their own each, and one of three diseases."""
    n = 60
    table = pa.table(
        {
            "age": [str(20 + i) for i in range(n)],
            "town": [f"t{i % 4}" for i in range(n)],
            "disease": [f"d{i * 7 % 3}" for i in range(n)],
        }
    )
    columns = (
        Column("age", "quasi", round="exact" if promise.name == "l" else None),
        Column("town", "quasi"),
        Column("disease", "sensitive"),
    )
    job = Job(Input("a test"), columns, promise, Output("unused"), Method(method, 1))  # type: ignore[arg-type]
    trees = {"town": build(["t0", "t1", "t2", "t3"], "balanced")} if promise.name == "l" else {}
    return make_release(table, job, hierarchies=trees)


def test_the_original_tells_everything() -> None:
    found = measures(as_it_is(release("bucketization", tacit.SlicedDiversity(3))))
    assert found["privacy"] == 0  # everybody's age is unique
    assert found["fake"] == 0
    assert found["correlation"] == pytest.approx(1)


def test_a_bucket_of_three_values_tells_a_third() -> None:
    bucketized = release("bucketization", tacit.SlicedDiversity(3))
    found = measures(as_slices(bucketized, np.random.default_rng(1)))
    assert found["privacy"] == pytest.approx(2 / 3)
    assert found["fake"] == 0  # known values are published together, as they are


def test_in_a_group_of_equals_a_value_has_its_share() -> None:
    grouped = release("mondrian", tacit.LDiversity(3, 3))
    table = as_groups(grouped, np.random.default_rng(1))
    found = measures(table)
    assert found["privacy"] == pytest.approx(2 / 3)  # at most a third of three values: each is a third
    assert found["fake"] > 0
    ages = grouped.before.attributes[0]
    for group in np.unique(table.group):
        inside = table.group == group
        assert ages.codes[inside].min() <= table.drawn[0][inside].min()
        assert table.drawn[0][inside].max() <= ages.codes[inside].max()


def test_a_point_stands_in_every_figure_that_it_belongs_to() -> None:
    setting = {"data": ratings.SMALL, "method": "hamming", "k": ratings.SMALL_K, "eps": ratings.SMALL_EPS}
    assert [point["what"] for point in ratings.measure(**setting, share=1.0)] == ["k", "eps", "share"]
    assert [point["what"] for point in ratings.measure(**setting | {"k": 20}, share=1.0)] == ["k"]
    assert [point["what"] for point in ratings.measure(**setting | {"eps": 2}, share=1.0)] == ["eps"]
    (half,) = ratings.measure(**setting, share=0.5)
    assert (half["what"], half["records"]) == ("share", 300)


@pytest.mark.parametrize("method", ratings.METHODS)
def test_the_halves_of_a_draw_are_recoded_as_a_release_would_be(method: str) -> None:
    survey = ratings.load(ratings.SMALL)
    halves = ratings.drawn_halves(ratings.SMALL, 0, 1)
    assert [len(half) for half in halves] == [300, 300]
    order = np.random.default_rng(0).permutation(survey.people)
    for half, people in zip(halves, np.array_split(order, 2), strict=True):
        released = ratings.release(survey.of(people), method, 10, 1)
        assert ratings.decided(half, survey, method, 10, 1).recoding == released.recoding
