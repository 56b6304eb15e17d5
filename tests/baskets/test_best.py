"""`best` against the exact optimum, its bound, and the methods it must not lose to."""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from naive import threats as naive
from support.cases import RUNNING_EXAMPLE, as_arrays, random_case, running_taxonomy
from support.seeds import in_parts
from tacit.arrays.encode import split_baskets
from tacit.baskets.solvers.best import best, certified, lower_bound, optimum, searched
from tacit.baskets.solvers.bounds import certify
from tacit.baskets.solvers.effort import QUICK, THOROUGH
from tacit.baskets.solvers.hghs import hghs, mhghs
from tacit.baskets.solvers.kept import best_of_single_nodes, threats_among
from tacit.baskets.solvers.problem import Problem, pose
from tacit.taxonomy import Taxonomy, balanced


def all_choices(tree: naive.Tree, node: int) -> list[tuple[int, ...]]:
    """Every set of nodes to keep at or below this one: the node, or any choice for each child."""
    below = [all_choices(tree, child) for child in tree.children[node]]
    return [(node,)] + [tuple(sum(choice, ())) for choice in product(*below)] if below else [(node,), ()]


def least_cost(tree: naive.Tree, baskets: list[set[int]], k: int, m: float) -> int:
    """The optimum by trying all sets of kept nodes."""
    publish, suppress = naive.Loss(tree).costs(baskets)
    everything = publish[tree.root] + suppress[tree.root]
    threats = naive.minimal_threats(tree, baskets, k, m)
    choices = (set(choice) for choice in all_choices(tree, tree.root))
    return everything - max(
        sum(suppress[node] for node in kept) for kept in choices if not any(threat <= kept for threat in threats)
    )


few_of_them = pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
"""Of the small problems: a quarter in every run, all of them in the slow one."""


@cache
def small_problems() -> list[tuple[int, naive.Tree, Problem]]:
    """Random cases that are small enough to try everything."""
    found = []
    for seed in range(400):
        case = random_case(seed)
        if case.tree.leaves.size <= 8 and case.baskets:
            found.append((seed, naive.Tree(case.tree.parent.tolist()), pose(case.tree, *as_arrays(*case[:2]))))
    return found


def test_the_optimum_is_what_trying_everything_gives() -> None:
    problems = small_problems()
    assert len(problems) > 100
    for seed, tree, problem in problems:
        case = random_case(seed)
        assert optimum(problem, case.k, case.m).cost == least_cost(tree, case.baskets, case.k, case.m), seed


@few_of_them
def test_the_search_is_at_the_optimum_of_almost_all_small_problems_and_best_of_all(step: int) -> None:
    problems = small_problems()[::step]
    at_optimum = 0
    for seed, _, problem in problems:
        k, m = random_case(seed)[2:]
        least, found = optimum(problem, k, m).cost, searched(problem, k, m).cost
        assert least <= found, seed
        solved = best(problem, k, m)
        assert (solved.cost, solved.bound) == (least, None), seed
        at_optimum += found == least
    assert at_optimum > 0.95 * len(problems)


@in_parts(range(600), 60)
def test_best_never_loses_more_than_hghs_or_mhghs(seeds: Sequence[int]) -> None:
    won = 0
    for seed in seeds:
        case = random_case(seed)
        problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
        found, one, rounds = (method(problem, case.k, case.m).cost for method in (searched, hghs, mhghs))
        assert found <= min(one, rounds), seed
        if seed % 10 == 0:
            assert best(problem, case.k, case.m).cost <= found, seed
        won += found < rounds
    assert won > len(seeds) // 120


@few_of_them
def test_the_bound_is_below_the_optimum_and_tight_for_pairs(step: int) -> None:
    tight, problems = 0, small_problems()[::step]
    for seed, _, problem in problems:
        k = random_case(seed).k
        for m in (1, 2, 3):
            bound, least = lower_bound(problem, k, m), optimum(problem, k, m).cost
            assert bound is not None
            assert bound <= least, seed
            tight += m == 2 and bound >= 0.999 * least
    assert tight > 0.9 * len(problems)


@in_parts(range(200), 25)
def test_what_best_keeps_holds_no_threat(seeds: Sequence[int]) -> None:
    for seed in seeds:
        case = random_case(seed)
        problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
        found = best(problem, case.k, case.m)
        kept = problem.origin[np.setdiff1d(found.cut, found.suppressed)].tolist()
        twin = naive.Tree(case.tree.parent.tolist())
        threats = naive.minimal_threats(twin, case.baskets, case.k, case.m)
        assert not any(threat <= set(kept) for threat in threats), seed


@pytest.mark.parametrize("m", [5, math.inf])
def test_the_running_example_has_no_better_anonymization_than_hghs_finds(m: float) -> None:
    tree = running_taxonomy()
    baskets = [{tree.node(item) for item in basket} for basket in RUNNING_EXAMPLE]
    problem = pose(tree, *as_arrays(tree, baskets))
    assert optimum(problem, 2, m).cost == 56
    assert best(problem, 2, m).cost == 56


def test_threats_among_kept_nodes_are_those_of_the_cut() -> None:
    tree = running_taxonomy()
    baskets = [{tree.node(item) for item in basket} for basket in RUNNING_EXAMPLE]
    problem = pose(tree, *as_arrays(tree, baskets))
    kept = np.sort([tree.node(name) for name in "HKQei"]).astype(np.int32)
    nodes, ends = threats_among(problem, kept, 2, 5)
    found = {frozenset(tree.names[node] for node in threat) for threat in np.split(nodes, ends[:-1])}
    assert found == {frozenset("HKQ"), frozenset("ei")}


def real_problem(shared_data: Path, name: str) -> Problem:
    """Real baskets with a hierarchy built over their items."""
    lines = gzip.decompress((shared_data / "transactions" / f"{name}.dat.gz").read_bytes()).decode().splitlines()
    baskets = split_baskets(pa.array(lines), separator=" ")
    tree = balanced(baskets.vocabulary)
    return pose(tree, baskets.indptr, baskets.items, tree.find_leaves(baskets.vocabulary))


def test_best_wins_on_real_baskets(shared_data: Path) -> None:
    """A merge that lets other nodes be split: more than one step away from where HgHs stops."""
    problem = real_problem(shared_data, "bms_webview1")
    start, found = hghs(problem, 5, 2), best(problem, 5, 2)
    assert found.cost < 0.97 * start.cost
    bound = lower_bound(problem, 5, 2, most_pairs=100_000)
    assert bound is not None
    assert 0.99 * found.cost < bound <= found.cost


def test_for_single_nodes_the_least_is_found() -> None:
    """Whatever the tree; and it is what small problems have for an optimum."""
    for seed, tree, problem in small_problems():
        case = random_case(seed)
        least = least_cost(tree, case.baskets, case.k, 1)
        assert best_of_single_nodes(problem, case.k).cost == least, seed
        solved = certified(problem, case.k, 1, hghs(problem, case.k, 1))
        assert (solved.cost, solved.bound) == (least, least), seed


def hidden_gain(many: int = 89) -> Problem:
    """Splitting G gains nothing at first, because of the rare b beside A; splitting A as well gains most of it."""
    below = [[f"a{i}", "A", "G", "*"] for i in range(10)] + [["b", "G", "*"]]
    tree = Taxonomy.from_paths([*below, *([f"c{i}", "*"] for i in range(many))])
    baskets = [{tree.node(f"a{i}")} for i in range(10) for _ in range(8)] + [{tree.node("b")}]
    baskets += [{tree.node(f"c{i}")} for i in range(many) for _ in range(8)]
    return pose(tree, *as_arrays(tree, baskets))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_gain_two_levels_down_is_found_and_no_bound_denies_it(m: int) -> None:
    problem = hidden_gain()
    least = optimum(problem, 2, m).cost
    assert least < hghs(problem, 2, 1).cost
    for pace in (None, QUICK, THOROUGH):
        found = best(problem, 2, m, bound=pace)
        assert found.cost == least
        assert found.bound is None or found.bound <= least
    start = hghs(problem, 2, m)
    assert (certify(problem, 2, m, start, pace=QUICK).bound or 0) <= least


def test_what_is_worth_little_beside_the_rest_counts() -> None:
    """The solver takes what is far below the largest number of its program for nothing."""
    tree = Taxonomy.from_paths([["z", "*"], *([f"g{i}", "G", "*"] for i in range(999))])
    baskets = [{tree.node("z")}] * 100_000 + [{tree.node("g0")}, {tree.node("g1")}]
    problem = pose(tree, *as_arrays(tree, baskets))
    kept_group = hghs(problem, 2, 2).cost
    assert optimum(problem, 2, 2).cost == kept_group
    found = best(problem, 2, 2, bound=QUICK)
    assert found.cost == kept_group and (found.bound or 0) <= kept_group
    assert (lower_bound(problem, 2, 2) or 0) <= kept_group
