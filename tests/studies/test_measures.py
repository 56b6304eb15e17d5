"""What the studies measure on their own, compared with what is known by other means."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from studies.ratings import accuracy_on_people, majority
from studies.slices_measures import as_groups, as_it_is, as_slices, measures

import tacit
from tacit.flow import make_release
from tacit.job import Column, Input, Job, Method, Output
from tacit.models import Promise
from tacit.release import Release
from tacit.taxonomy import build
from tacit.utility.ratings import Sparse, naive_bayes_accuracy


def test_the_classifier_is_that_of_the_utility_if_nothing_was_changed() -> None:
    people, issues = 120, 6
    numbers = np.random.default_rng(3).integers(1, 6, people * issues).astype(float)
    rated = Sparse(np.arange(people + 1) * issues, np.tile(np.arange(issues), people), numbers)
    is_training = np.arange(people) < people // 2
    train, test = rated.take(np.flatnonzero(is_training)), rated.take(np.flatnonzero(~is_training))
    targets = np.array([0, 3])
    middle = {int(t): float(np.median(train.numbers[train.issues == t])) for t in targets}
    expected = naive_bayes_accuracy(rated, targets, is_training, issues)
    assert accuracy_on_people(train, test, middle, issues) == pytest.approx(expected)
    assert 0.5 <= majority(test, middle) <= 1


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
    columns = (Column("age", "quasi"), Column("town", "quasi"), Column("disease", "sensitive"))
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
