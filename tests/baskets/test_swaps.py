"""The walk of swaps: always within the rows, never worse than its start, and mostly at the optimum of small cases."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from naive import swaps as naive_swaps
from naive import threats as naive
from support.cases import RUNNING_EXAMPLE, as_arrays, random_case, running_taxonomy
from tacit.arrays.grouped import grouped
from tacit.baskets.solvers._bits import in_blocks
from tacit.baskets.solvers._swaps import Incidence, rows_as_bits, swap
from tacit.baskets.solvers.best import best
from tacit.baskets.solvers.effort import Effort, Exhausted
from tacit.baskets.solvers.hghs import hghs, mhghs
from tacit.baskets.solvers.kept import shortest_threats, some_threats, threats_among
from tacit.baskets.solvers.problem import Problem, pose
from tacit.baskets.solvers.relaxation import program_over
from tacit.baskets.solvers.swaps import improved_by_swaps


def random_rows(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A matrix of rows, their limits, and what the columns are worth."""
    rng = np.random.default_rng(seed)
    matrix = (rng.random((int(rng.integers(1, 12)), int(rng.integers(1, 9)))) < 0.4).astype(int)
    return matrix, rng.integers(1, 3, len(matrix)), rng.integers(0, 20, matrix.shape[1]).astype(float)


def walked(
    matrix: np.ndarray, limit: np.ndarray, worth: np.ndarray, most_words: int = 10**6, start: np.ndarray | None = None
) -> np.ndarray:
    start = np.zeros(worth.size, bool) if start is None else start
    by_worth = np.argsort(-worth, kind="stable")
    rows, columns = np.nonzero(matrix)
    row_start, of_rows = grouped(rows.astype(np.int32), columns, len(matrix))
    incidence = Incidence(row_start, of_rows, limit.astype(np.int64))
    bits = rows_as_bits(incidence, worth.size, in_blocks(len(matrix)), int(limit.max()).bit_length())
    kept, words = swap(incidence, *bits, worth, by_worth, start, most_words, 10)
    assert words >= 0
    return kept


def test_a_walk_goes_as_with_sets() -> None:
    longer = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_rows = int(rng.integers(1, 40)) if seed % 10 else 600  # more than a block of words
        matrix = (rng.random((n_rows, int(rng.integers(4, 14)))) < 0.3).astype(int)
        limit = rng.integers(1, 6, n_rows)
        worth = rng.integers(0, 9, matrix.shape[1]).astype(float)
        start = np.zeros(worth.size, bool)
        for v in rng.permutation(worth.size)[: seed % 5].tolist():
            start[v] = worth[v] > 0
            start[v] &= bool((matrix @ start <= limit).all())
        rows = [set(np.flatnonzero(row).tolist()) for row in matrix]
        expected = naive_swaps.swap(rows, limit.tolist(), worth.tolist(), set(np.flatnonzero(start).tolist()), 10)
        kept = walked(matrix, limit, worth, start=start)
        assert set(np.flatnonzero(kept).tolist()) == expected, seed
        longer += worth[kept].sum() > worth[start].sum()
    assert longer > 45


def test_a_walk_keeps_to_the_rows_and_mostly_ends_at_the_optimum() -> None:
    at_optimum = 0
    for seed in range(300):
        matrix, limit, worth = random_rows(seed)
        kept = walked(matrix, limit, worth)
        assert (matrix @ kept <= limit).all(), seed
        choices = (np.array(choice) for choice in product((False, True), repeat=worth.size))
        most = max(worth[choice].sum() for choice in choices if (matrix @ choice <= limit).all())
        assert worth[kept].sum() <= most
        at_optimum += worth[kept].sum() == most
    assert at_optimum >= 295


def test_a_walk_without_effort_stays_where_it_is() -> None:
    matrix, limit, worth = random_rows(1)
    assert not walked(matrix, limit, worth, most_words=0).any()


def problem_and_case(seed: int) -> tuple[Problem, naive.Tree, list[set[int]], int, float]:
    case = random_case(seed)
    problem = pose(case.tree, *as_arrays(case.tree, case.baskets))
    return problem, naive.Tree(case.tree.parent.tolist()), case.baskets, case.k, case.m


def test_what_swaps_find_is_safe_and_worth_no_less() -> None:
    won = tried = 0
    for seed in range(200):
        problem, twin, baskets, k, m = problem_and_case(seed)
        if m < 2 or not baskets:
            continue
        start = hghs(problem, k, m)
        kept = np.setdiff1d(start.cut, start.suppressed).astype(np.int32)
        program = program_over(problem, k, problem.occurrences > 0)
        assert program is not None
        found = improved_by_swaps(problem, k, m, program, kept, Effort(), Effort(10**6))
        worth = problem.tree.suppress
        assert worth[found].sum() >= worth[kept].sum(), seed
        threats = naive.minimal_threats(twin, baskets, k, m)
        assert not any(threat <= set(problem.origin[found].tolist()) for threat in threats), seed
        won += worth[found].sum() > worth[kept].sum()
        tried += 1
        unmined = improved_by_swaps(problem, k, m, program, kept, Effort(0), Effort(10**6))
        assert unmined.tolist() == np.intersect1d(kept, program.nodes).tolist()  # only what is known to be safe
    assert won > 2
    assert tried > 100


def test_effort_ends_a_search_and_best_goes_on_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = running_taxonomy()
    baskets = [{tree.node(item) for item in basket} for basket in RUNNING_EXAMPLE]
    problem, all_of_it = pose(tree, *as_arrays(tree, baskets)), Effort()
    whole = hghs(problem, 2, 5, None, all_of_it)
    assert all_of_it.spent > 0
    assert hghs(problem, 2, 5, None, Effort(all_of_it.spent)).cost == whole.cost
    with pytest.raises(Exhausted):
        hghs(problem, 2, 5, None, Effort(all_of_it.spent - 1))
    with pytest.raises(Exhausted):
        threats_among(problem, whole.cut, 2, 5, Effort(1))
    monkeypatch.setattr("tacit.baskets.solvers.best._LITTLE_MINING", 0)
    monkeypatch.setattr("tacit.baskets.solvers.best._HGHS_MINING", 0)
    assert best(problem, 2, 5).cost <= mhghs(problem, 2, 5).cost


def test_the_shortest_threats_come_first() -> None:
    tree = running_taxonomy()
    baskets = [{tree.node(item) for item in basket} for basket in RUNNING_EXAMPLE]
    problem = pose(tree, *as_arrays(tree, baskets))
    kept = np.sort([tree.node(name) for name in "HKQei"]).astype(np.int32)
    nodes, ends, size = shortest_threats(problem, kept, 2, 5, Effort())
    assert (size, ends.tolist()) == (2, [2])
    assert {tree.names[node] for node in nodes} == {"e", "i"}
    unpaired = np.setdiff1d(kept, [tree.node("e")]).astype(np.int32)
    nodes, ends, size = shortest_threats(problem, unpaired, 2, 5, Effort())
    assert (size, {tree.names[node] for node in nodes}) == (3, set("HKQ"))


def test_some_threats_are_taken_evenly() -> None:
    nodes, ends = np.arange(20, dtype=np.int32), np.arange(2, 22, 2)
    assert some_threats(nodes, ends, 10)[0].tolist() == nodes.tolist()
    some, some_ends = some_threats(nodes, ends, 4)
    assert (some.tolist(), some_ends.tolist()) == ([0, 1, 6, 7, 12, 13, 18, 19], [2, 4, 6, 8])
    assert [each.size for each in some_threats(nodes[:0], ends[:0], 4)] == [0, 0]
