"""Baskets that tell a search nothing new: what is left says of every set of nodes whether k people hold it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from support.cases import as_arrays
from support.seeds import in_parts
from tacit.arrays import blocks
from tacit.arrays.sparse import take_rows
from tacit.baskets.solvers import thinning
from tacit.baskets.solvers.apriori import apriori
from tacit.baskets.solvers.best import best
from tacit.baskets.solvers.effort import QUICK
from tacit.baskets.solvers.hghs import hghs, mhghs
from tacit.baskets.solvers.problem import Problem, pose
from tacit.baskets.solvers.thinning import needed, rule_of, thinned
from tacit.taxonomy import Taxonomy

SEEDS = range(300)


@pytest.fixture(autouse=True)
def _all_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinning, "MANY", 0)


def _case(seed: int) -> tuple[Problem, int, int]:
    """Baskets that many people have, and rare ones, over a ragged hierarchy."""
    draw = np.random.default_rng(seed)
    parents, path = [-1], [0]
    for node in range(1, draw.integers(4, 24)):
        path = path[: draw.integers(1, len(path) + 1)]
        parents.append(path[-1])
        path.append(node)
    tree = Taxonomy.from_parents([f"n{node}" for node in range(len(parents))], parents)
    often = draw.random(tree.leaves.size) ** 2 * draw.choice([0.3, 0.7])
    baskets = [set(tree.leaves[draw.random(often.size) < often].tolist()) for _ in range(int(draw.integers(0, 150)))]
    return pose(tree, *as_arrays(tree, baskets)), int(draw.integers(1, 7)), int(draw.integers(1, 4))


def _held(problem: Problem, nodes: tuple[int, ...]) -> int:
    """How many people hold a leaf below each of the nodes."""
    end, people = problem.tree.end, 0
    for basket, weight in enumerate(problem.weight.tolist()):
        items = problem.items[problem.indptr[basket] : problem.indptr[basket + 1]]
        people += weight * all(((items >= node) & (items < end[node])).any() for node in nodes)
    return people


@in_parts(SEEDS, 10)
def test_searches_end_where_they_ended(seeds: range) -> None:
    gone = 0
    for each in seeds:
        problem, k, m = _case(each)
        left = thinned(problem, k, m)
        gone += problem.weight.size - left.weight.size
        for search in (hghs, mhghs, apriori):
            one, other = search(problem, k, m), search(left, k, m)
            assert (one.cut.tolist(), one.suppressed.tolist(), one.cost) == (
                other.cut.tolist(), other.suppressed.tolist(), other.cost,
            )  # fmt: skip
    assert gone > len(seeds)


@pytest.mark.parametrize("seed", range(12))
def test_every_set_of_frequent_nodes_is_held_by_k_or_by_as_many(seed: int) -> None:
    problem, k, m = _case(seed)
    left = thinned(problem, k, m)
    assert left.support.tolist() == problem.support.tolist()
    alone = replace(left, people=None)
    assert np.minimum(alone.support, k).tolist() == np.minimum(problem.support, k).tolist()
    frequent = np.flatnonzero(problem.support >= k).tolist()
    for nodes in [nodes for size in range(1, m + 1) for nodes in combinations(frequent, size)]:
        if all(other >= problem.tree.end[node] for node, other in combinations(nodes, 2)):
            assert min(_held(left, nodes), k) == min(_held(problem, nodes), k)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_same_in_whatever_parts_and_order(seed: int) -> None:
    problem, k, m = _case(seed)
    rule = rule_of(problem.tree.parent, problem.tree.end, problem.support, k, m)
    draw = np.random.default_rng(seed)
    order = draw.permutation(problem.weight.size)
    left = []
    for part in np.array_split(order, 3):
        stays = needed(*take_rows(problem.indptr, problem.items, part), problem.weight[part], rule)
        left.append(part[stays])
    rest = draw.permutation(np.concatenate(left))
    stays = needed(*take_rows(problem.indptr, problem.items, rest), problem.weight[rest], rule)
    at_once = needed(problem.indptr, problem.items, problem.weight, rule)
    assert sorted(rest[stays].tolist()) == np.flatnonzero(at_once).tolist()


def test_tables_that_grow_and_searches_that_stop_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    grown, with_room = [], thinning._with_room
    monkeypatch.setattr(thinning, "_with_room", lambda counts: [with_room(counts), grown.append(1)][0])
    for seed in range(6):
        problem, k, m = _case(seed)
        rule = rule_of(problem.tree.parent, problem.tree.end, problem.support, k, max(m, 2))
        stays = needed(problem.indptr, problem.items, problem.weight, rule)
        with monkeypatch.context() as small:
            for module, name in ((thinning, "_FIRST_SLOTS"), (thinning, "_FIRST_BLOCK"), (blocks, "_MOST")):
                small.setattr(module, name, 1)
            assert needed(problem.indptr, problem.items, problem.weight, rule).tolist() == stays.tolist()
    assert len(grown) > 10


def test_best_keeps_the_promise_on_what_is_left() -> None:
    for seed in range(20):
        problem, k, m = _case(seed)
        found = best(thinned(problem, k, m), k, m, bound=QUICK)
        kept = np.setdiff1d(found.cut, found.suppressed).tolist()
        for nodes in [nodes for size in range(1, m + 1) for nodes in combinations(kept, size)]:
            assert not 0 < _held(problem, nodes) < k


def test_what_is_left_does_not_grow_with_the_data() -> None:
    tree = Taxonomy.from_parents(["*", *(f"i{item}" for item in range(12))], [-1, *[0] * 12])
    draw, sizes = np.random.default_rng(1), []
    for people in (2_000, 20_000):
        baskets = [set(tree.leaves[draw.random(12) < 0.4].tolist()) for _ in range(people)]
        problem = pose(tree, *as_arrays(tree, baskets))
        sizes.append(thinned(problem, 5, 2).weight.size)
    assert sizes[1] <= sizes[0] < 100


def test_a_basket_of_thousands_of_items_stays_and_longer_sets_are_not_counted() -> None:
    tree = Taxonomy.from_parents(["*", *(f"i{item}" for item in range(3_000))], [-1, *[0] * 3_000])
    problem = pose(tree, *as_arrays(tree, [set(tree.leaves.tolist())] * 3 + [{1, 2}] * 2))
    assert thinned(problem, 2, 2).weight.tolist() == problem.weight.tolist()
    assert thinned(problem, 2, 4) is problem
