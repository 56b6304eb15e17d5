"""How little any cut and suppression can lose: a lower bound that is proved, and what is met on the way to it.

The choice of kept nodes as a linear program (relaxation.py) over the whole taxonomy has millions of rows, of which few
matter. So rows are added when a solution violates them: solve, find violated rows, solve again. The rows are wide ones
(_cliques.py): at most s − 1 nodes out of many chains of a basket.

The bound does not rest on the solver. Its multipliers λ ≥ 0 of the rows, however good, prove by weak duality: no choice
is worth more than Σ λ · limit plus the most that unrelated nodes are worth if each row's λ is taken off its nodes'
worth; and that is a walk over the tree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from tacit.transactions._cliques import (
    Forest,
    Holders,
    Limits,
    Rows,
    fill_bits,
    fractional_seeds,
    group_baskets,
    list_holders,
    most_worth,
    widen,
)
from tacit.transactions._threats import supports
from tacit.transactions.effort import THOROUGH, Effort, Exhausted, Pace
from tacit.transactions.hghs import hghs
from tacit.transactions.kept import (
    as_anonymization,
    shortest_threats,
    some_threats,
    threats_among,
    without_threats,
)
from tacit.transactions.lattice import Anonymization
from tacit.transactions.problem import Problem

Progress = Callable[[str], None]

_ROUNDING = 1e-9  # of the whole: far more than sums of floats err
_WHOLE = 1e-6
_EXCESS = 0.02  # a row is added if x violates it by so much
_SHORT = 5
_MOST_TOPS = {2: 16, 3: 9}
_ROWS_A_ROUND, _NODES_A_ROUND = 4_000, 200_000
_SEEDS_A_BASKET, _ROWS_A_SEED = 2, 20
_MOST_HELD = 40_000_000  # baskets over all nodes, for the lists of who holds what
_PATIENCE, _LITTLE = 4, 0.002  # rounds without so much of the bound gained
_CLOSE = 1e-4
_IDLE = 0.3  # a row so far from its limit is dropped
_MOST_THREATS = 2_000  # in a choice that is to be made safe


def certify(
    problem: Problem,
    k: int,
    m: int | float,
    found: Anonymization,
    progress: Progress | None = None,
    pace: Pace = THOROUGH,
) -> Anonymization:
    """`found`, or something better that came up, with a cost below which no cut and suppression can go."""
    least = hghs(problem, k, 1).cost  # for single nodes it is the least
    cuts = _Cuts(problem, k, pace)
    if cuts.too_big:
        return replace(found, bound=least)
    longest = int(min(m, pace.longest))
    for x in _below(problem, cuts.forest, found.cut, pace.levels):
        cuts.separate(x, longest)
    stalled = 0
    for turn in range(cuts.rounds):
        if turn and not cuts.separate(x, longest):
            break
        x, bound = cuts.solve()
        stalled = 0 if bound > least * (1 + _LITTLE) else stalled + 1
        least = max(least, bound)
        rounded = _rounded(problem, k, m, x, Effort(pace.mining))
        if rounded is not None and rounded.cost < found.cost:
            found = rounded
        if progress:
            progress(f"loss {found.cost / problem.unit:.2%}, at least {least / problem.unit:.2%}")
        if found.cost - least <= _CLOSE * found.cost or stalled >= _PATIENCE:
            break
    return replace(found, bound=min(least, found.cost))


class _Cuts:
    """The program as far as it is known: the taxonomy's paths, and the rows found up to now."""

    def __init__(self, problem: Problem, k: int, pace: Pace) -> None:
        self.problem, self.k, self.pace = problem, k, pace
        tree = problem.tree
        usable = supports(problem.indptr, problem.items, problem.weight, tree.parent) >= k
        self.forest = Forest(tree.parent, tree.end, usable, problem.indptr, problem.items)
        self.worth = tree.suppress.astype(float)
        held = np.zeros(len(problem) + 1, np.int64)
        list_holders(problem.indptr, problem.items, tree.parent, held, np.empty(0, np.int32), False)
        self.too_big = bool(held.sum() > _MOST_HELD)
        if self.too_big:
            return
        self.holders = _holders(problem, np.concatenate(([0], np.cumsum(held[:-1]))))
        self.start, self.nodes, self.limit = np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0)
        self.next = 0  # the basket from which on fractions are looked at
        self.columns = np.flatnonzero(usable & (tree.suppress > 0))
        self.paths = _paths(tree.parent, self.columns)

    @property
    def rounds(self) -> int:
        """How often to solve at most: less often where it takes longer."""
        return int(np.clip(self.pace.rounds_times_columns // max(self.columns.size, 1), *self.pace.rounds))

    def separate(self, x: np.ndarray, longest: int) -> int:
        """Adds rows that x violates, and others like them; returns how many.

        They grow from threats among the nodes that x more likely keeps than not, of the shortest size there is, and
        from nodes of which x keeps a part.
        """
        x = np.where(x > _WHOLE, x, 0.0)
        like = np.empty((2, self.problem.weight.size), np.int64)
        group_baskets(x, self.forest, like[0], like[1])
        rows = Rows(
            np.zeros(_ROWS_A_ROUND + 1, np.int64), np.empty(_NODES_A_ROUND, np.int32), np.empty(_ROWS_A_ROUND, np.int64)
        )

        def widened(seeds: np.ndarray, ends: np.ndarray, tids: np.ndarray, size: int, found: int) -> int:
            limits = Limits(size, self.k, _EXCESS, _SEEDS_A_BASKET, _MOST_TOPS.get(size, size + 2), _ROWS_A_SEED)
            return widen(seeds, ends, tids, x, limits, self.forest, self.holders, like[0], like[1], rows, found)

        found, likely = 0, np.flatnonzero(x > 0.5).astype(np.int32)
        with suppress(Exhausted):
            seeds, ends, size = shortest_threats(self.problem, likely, self.k, longest, Effort(self.pace.mining))
            seeds, ends = some_threats(seeds, ends, self.pace.threats)
            found = widened(seeds, ends, np.full(ends.size, -1, np.int64), size, found)
        seeds, tids = np.empty(self.pace.parts, np.int32), np.empty(self.pace.parts, np.int64)
        n, self.next = fractional_seeds(x, 1 - _WHOLE, _SEEDS_A_BASKET, self.next, self.forest, like[0], seeds, tids)
        for size in range(2, longest + 1):
            found = widened(seeds[:n], np.arange(1, n + 1), tids[:n], size, found)
        self._add(rows, found)
        return found

    def _add(self, rows: Rows, found: int) -> None:
        """Takes in the new rows, equal ones once: those that weigh the same."""
        start, nodes, limit = rows.start[: found + 1], rows.nodes[: rows.start[found]], rows.limit[:found]
        matrix = sparse.csr_matrix((np.ones(nodes.size), nodes, start), (found, len(self.problem)))
        weighing = np.random.default_rng(0).random(len(self.problem))
        _, first = np.unique(np.stack([matrix @ weighing, limit]), axis=1, return_index=True)
        matrix = matrix[np.sort(first)]
        self.start = np.concatenate([self.start, self.start[-1] + matrix.indptr[1:]])
        self.nodes = np.concatenate([self.nodes, matrix.indices])
        self.limit = np.concatenate([self.limit, limit[np.sort(first)].astype(float)])

    def solve(self) -> tuple[np.ndarray, int]:
        """The x that is worth most, and the bound that the rows' multipliers prove; idle rows are dropped."""
        size, n_paths = len(self.problem), self.paths.shape[0]
        if not self.columns.size:
            return np.zeros(size), self.problem.unit
        rows = sparse.csr_matrix((np.ones(self.nodes.size), self.nodes, self.start), (self.limit.size, size))
        scale = max(float(self.worth.max(initial=0)), 1.0)
        solved = linprog(
            -self.worth[self.columns] / scale,
            A_ub=sparse.vstack([self.paths, rows[:, self.columns]], format="csr"),
            b_ub=np.concatenate([np.ones(n_paths), self.limit]),
            bounds=(0, None),
            method="highs-ds",
        )
        if solved.x is None:  # out of luck, but no multipliers prove something, too
            return np.zeros(size), self._proved(rows, np.zeros(self.limit.size))
        x = np.zeros(size)
        x[self.columns] = solved.x
        price = np.maximum(-solved.ineqlin.marginals[n_paths:], 0) * scale
        bound = self._proved(rows, price)
        self._keep((price > 0) | (solved.ineqlin.residual[n_paths:] < _IDLE))
        return x, bound

    def _proved(self, rows: sparse.csr_matrix, price: np.ndarray) -> int:
        """The cost that the rows' multipliers prove to be the least."""
        left = self.worth - rows.T @ price
        most = float(price @ self.limit) + most_worth(left, *self.forest[:3], np.zeros(left.size, np.int8))
        return max(0, math.ceil(self.problem.unit * (1 - _ROUNDING) - most))

    def _keep(self, stays: np.ndarray) -> None:
        lengths = np.diff(self.start)
        self.nodes, self.limit = self.nodes[np.repeat(stays, lengths)], self.limit[stays]
        self.start = np.concatenate(([0], np.cumsum(lengths[stays])))


def _holders(problem: Problem, start: np.ndarray) -> Holders:
    """Who holds each node. A node gets a row of bits where that takes less room than its list."""
    tids, place = np.empty(start[-1], np.int32), start.copy()
    list_holders(problem.indptr, problem.items, problem.tree.parent, place, tids, True)
    words = (problem.weight.size + 63) // 64
    many = np.diff(start) > words
    dense = np.where(many, np.cumsum(many) - 1, -1).astype(np.int32)
    bits = np.zeros((int(many.sum()), words), np.uint64)
    fill_bits(start, tids, dense, bits)
    return Holders(start, tids, dense, bits, np.append(problem.weight, np.zeros(64 * words - problem.weight.size, int)))


def _paths(parent: np.ndarray, columns: np.ndarray) -> sparse.csr_matrix:
    """A row for each column that has no column below: this column and those above it."""
    number = np.full(parent.size, -1, np.int64)
    number[columns] = np.arange(columns.size)
    above = parent[columns].astype(np.int64)
    while (search := (above >= 0) & (number[above] < 0)).any():  # over nodes that are no columns
        above[search] = parent[above[search]]
    up = np.where(above >= 0, number[above], -1)
    bottom = np.setdiff1d(np.arange(columns.size), up)
    rows, nodes = [np.arange(bottom.size)], [bottom]
    while (on := up[nodes[-1]] >= 0).any():
        rows.append(rows[-1][on])
        nodes.append(up[nodes[-1][on]])
    entries = np.concatenate(rows), np.concatenate(nodes)
    return sparse.csr_matrix((np.ones(entries[0].size), entries), (bottom.size, columns.size))


def _below(problem: Problem, forest: Forest, cut: np.ndarray, levels: int) -> Iterator[np.ndarray]:
    """Choices that keep too much: the usable nodes one, two, three levels below the cut."""
    x = np.zeros(len(problem))
    x[cut] = 1
    has_children = forest.end > np.arange(len(problem)) + 1
    for _ in range(levels):
        goes = np.flatnonzero((x > 0) & has_children)
        x[goes] = 0
        x[np.isin(forest.parent, goes)] = 1
        yield x * forest.usable


def _rounded(problem: Problem, k: int, m: int | float, x: np.ndarray, effort: Effort) -> Anonymization | None:
    """The choice that x is near to, less what threats in it cost; None if that is far from safe."""
    kept = np.flatnonzero(x > 0.5).astype(np.int32)
    try:
        for size in (*range(2, int(min(m, _SHORT))), m):
            nodes, ends = threats_among(problem, kept, k, size, effort)
            if ends.size > _MOST_THREATS:
                return None
    except Exhausted:
        return None
    return as_anonymization(problem, without_threats(kept, nodes, ends, problem.tree.suppress))
