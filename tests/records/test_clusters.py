"""Clusters that are merged: losses, Rum and BTD stay what they are when counted anew."""

from __future__ import annotations

import numpy as np
import pytest

from naive import reltrans as naive_reltrans
from support.rt_cases import arrays, random_partition, random_problem
from tacit.arrays.attributes import Attribute, losses, spans
from tacit.promises import KKmAnonymity
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.problem import RecordProblem
from tacit.records.solvers.rum import RUM


@pytest.mark.parametrize("measure", list(RUM))
def test_merges_keep_everything_up_to_date(measure: str) -> None:
    for seed in range(15):
        problem = random_problem(seed, diverse=True)
        rng = np.random.default_rng(seed)
        clusters = Clusters(problem, random_partition(rng, len(problem), 1), RUM[measure])
        data = naive_reltrans.Data(problem)
        while len(clusters) > 1:
            seed_, other = rng.choice(clusters.alive, 2, replace=False).tolist()
            others = np.array([other])
            joint = frozenset(clusters.rows(seed_, other).tolist())
            rest = [frozenset(clusters.rows(c).tolist()) for c in clusters.alive.tolist() if c not in (seed_, other)]
            foreseen = clusters.rum_with(seed_, others, clusters.losses_with(seed_, others))[0]
            distance = clusters.baskets.distances(seed_, others)[0]
            assert clusters.merge(seed_, other) == min(seed_, other)
            assert foreseen == pytest.approx(clusters.rum_of_data, abs=1e-12)
            expected = naive_reltrans.RUM_OF_DATA[measure](data, [*rest, joint])
            assert clusters.rum_of_data == pytest.approx(expected, abs=1e-12)
            assert distance == clusters.baskets.own[min(seed_, other)] == naive_reltrans.btd_of(data, joint)
        merged = int(clusters.alive[0])
        assert clusters.sizes[merged] == len(problem)
        assert clusters.filled[merged] == sum(map(bool, data.baskets))
        counts = [sum(s in held for held in data.sensitive) for s in range(problem.n_sensitive)]
        assert clusters.sensitive[merged].tolist() == counts


def test_losses_are_those_of_what_is_published() -> None:
    for seed in range(60):
        problem = random_problem(seed, diverse=False)
        group = random_partition(np.random.default_rng(seed), len(problem), 2)
        clusters = Clusters(problem, group, RUM["ncp"])
        for place, attribute in enumerate(problem.attributes):
            n = int(group.max()) + 1
            assert clusters.losses[place].tolist() == losses(attribute, spans(attribute, group, n)).tolist()


def test_the_pool_of_baskets_is_packed_when_it_is_full() -> None:
    """A cluster that swallows all others copies its baskets again and again."""
    rng = np.random.default_rng(1)
    baskets = [set(rng.choice(30, rng.integers(0, 6), replace=False).tolist()) for _ in range(120)]
    attribute = Attribute("a", np.zeros(120, np.int32), ("x",))
    none = np.zeros(121, np.int64), np.empty(0, np.int32)
    problem = RecordProblem((attribute,), *arrays(baskets), np.zeros(30, np.int32), *none, KKmAnonymity(1, 1))
    clusters = Clusters(problem, np.arange(120, dtype=np.int32), RUM["ncp"])
    data = naive_reltrans.Data(problem)
    for other in range(1, 120):
        clusters.merge(0, other)
    assert clusters.baskets.own[0] == naive_reltrans.btd_of(data, frozenset(range(120)))
    held = clusters.baskets.pool[slice(*clusters.baskets.where[0])]
    assert len(held) == len(set(map(frozenset, baskets)))
    assert np.diff(np.diff(clusters.baskets.indptr)[held]).max() <= 0, "the longest come first"


def test_equal_values_are_found() -> None:
    """Two clusters of missing values, two with a range and a missing value, and two equal ranges."""
    values = Attribute(
        "a", np.array([2, 2, 0, 2, 1, 2, 0, 1, 1, 0], np.int32), ("1", "5", ""), 2, np.array([1.0, 5.0, np.nan])
    )
    none = np.zeros(11, np.int64), np.empty(0, np.int32)
    problem = RecordProblem((values,), *none, np.empty(0, np.int32), *none, KKmAnonymity(1, 1))
    clusters = Clusters(problem, np.array([0, 1, 2, 2, 3, 3, 4, 4, 5, 5], np.int32), RUM["ncp"])
    clusters.merge_equal()
    assert clusters.alive.tolist() == [0, 2, 4]
    assert clusters.merges == 3
