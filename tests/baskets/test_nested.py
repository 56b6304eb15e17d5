"""Baskets within baskets: what `best` falls back on where rare sets are too many."""

from __future__ import annotations

import math

import numpy as np
import pytest

from support.seeds import each_seed
from tacit.baskets.solvers import best as searches
from tacit.baskets.solvers import merging
from tacit.baskets.solvers import nested as solver
from tacit.baskets.solvers.effort import Effort, Exhausted
from tacit.baskets.solvers.hghs import mhghs
from tacit.baskets.solvers.kept import as_anonymization, threats_among
from tacit.baskets.solvers.nested import nested
from tacit.baskets.solvers.problem import Problem, pose
from tacit.taxonomy import Taxonomy


def random_problem(seed: int) -> tuple[Problem, int]:
    """Baskets over a hierarchy of two levels or none, some of them equal."""
    rng = np.random.default_rng(seed)
    leaves, groups = int(rng.integers(3, 12)), int(rng.integers(0, 4))
    parents = [-1, *[0] * groups, *(int(rng.integers(0, groups + 1)) for _ in range(leaves))]
    names = ["all", *(f"g{i}" for i in range(groups)), *(f"i{i}" for i in range(leaves))]
    taxonomy = Taxonomy.from_parents(names, parents)
    leaf_of_item = np.array([taxonomy.names.index(f"i{i}") for i in range(leaves)], np.int32)
    rows = rng.random((int(rng.integers(1, 40)), leaves)) < rng.uniform(0.1, 0.9, leaves)
    indptr = np.append(0, np.cumsum(rows.sum(axis=1)))
    return pose(taxonomy, indptr, np.nonzero(rows)[1].astype(np.int32), leaf_of_item), int(rng.integers(2, 7))


@each_seed(range(80))
def test_no_set_of_kept_nodes_is_rare(seed: int) -> None:
    problem, k = random_problem(seed)
    found = nested(problem, k)
    kept = np.setdiff1d(found.cut, found.suppressed).astype(np.int32)
    assert not threats_among(problem, kept, k, math.inf)[1].size
    assert found.cost <= as_anonymization(problem, np.empty(0, np.int32)).cost


def test_a_node_makes_way_for_its_children() -> None:
    taxonomy = Taxonomy.from_parents(["all", "g", "a", "b", "c"], [-1, 0, 1, 1, 0])
    leaf_of_item = np.array([2, 3, 4], np.int32)
    baskets = [(0,), (0,), (0, 1), (0, 1), (0, 1, 2)]  # a is in all, b with it in three, c in one
    indptr = np.cumsum([0, *map(len, baskets)])
    problem = pose(taxonomy, indptr, np.array([i for basket in baskets for i in basket], np.int32), leaf_of_item)
    found = nested(problem, 3)
    names = [taxonomy.names[node] for node in problem.origin[np.setdiff1d(found.cut, found.suppressed)]]
    assert names == ["a", "b"]


def test_too_many_baskets_become_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, _ = random_problem(3)
    monkeypatch.setattr(solver, "_MOST_BASKETS", 0)
    assert nested(problem, 2).cut.tolist() == [0]
    assert nested(problem, 2).suppressed.size == 0
    assert nested(problem, 10**6).suppressed.tolist() == [0]


def test_best_falls_back_where_threats_find_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, k = random_problem(8)
    usual = searches.searched(problem, k, math.inf)
    with pytest.raises(Exhausted):
        mhghs(problem, k, math.inf, None, Effort(space=0))
    monkeypatch.setattr(searches, "_MOST_FOUND", (0, 0))
    found = searches.searched(problem, k, math.inf)
    assert found.is_nested and not usual.is_nested
    assert found.cost == nested(problem, k).cost >= usual.cost


@each_seed(range(40))
def test_long_baskets_are_merged_without_looking_at_their_sets(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    rows, k = rng.random((int(rng.integers(6, 40)), 12)) < rng.uniform(0.2, 0.9, 12), int(rng.integers(2, 6))
    monkeypatch.setattr(merging, "_MANY", -1)
    monkeypatch.setattr(merging, "rare_sets", None)  # nobody asks for them
    indptr, items = np.append(0, np.cumsum(rows.sum(axis=1))), np.nonzero(rows)[1].astype(np.int32)
    groups = merging.merge_items(indptr, items, 12, k, math.inf, None, None, any_of_them=bool(seed % 2))
    published = [frozenset(groups.group[np.flatnonzero(row)].tolist()) - {-1} for row in rows]
    assert all(sum(one <= other for other in published) >= k for one in published if one)
