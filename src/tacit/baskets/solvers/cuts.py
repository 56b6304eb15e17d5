"""The choice of kept nodes as a linear program over the whole taxonomy, with the rows that were found to matter.

The program has millions of rows (relaxation.py), of which few matter. So rows are added when a solution violates them.
They are wide ones (_cliques.py): at most s − 1 nodes out of many chains of a basket.

The bound does not rest on the solver. Its multipliers λ ≥ 0 of the rows, however good, prove by weak duality: no choice
is worth more than Σ λ · limit plus the most that unrelated nodes are worth if each row's λ is taken off its nodes'
worth; and that is a walk over the tree. So where there are many nodes, some steps towards a solution do (steps.py).
Only where whole choices are asked for does the solver's word count.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from tacit.baskets.solvers._bits import in_blocks
from tacit.baskets.solvers._cliques import (
    REMEMBERED_BITS,
    Forest,
    Holders,
    Limits,
    Rows,
    fill_bits,
    fractional_seeds,
    group_baskets,
    list_holders,
    widen,
)
from tacit.baskets.solvers._worth import most_worth, most_worth_with
from tacit.baskets.solvers.effort import Effort, Exhausted, Pace
from tacit.baskets.solvers.kept import some_threats, threats_of_each_size
from tacit.baskets.solvers.problem import Problem
from tacit.baskets.solvers.steps import Point, Stepping

_ROUNDING = 1e-9  # of the whole: far more than sums of floats err
_TOLERANCE = 1e-7  # of the largest worth, for each column: by so much the solver may misjudge what it is worth
_WHOLE = 1e-6
_EXCESS = 0.02  # a row is added if x violates it by so much
_NODES_A_ROW = 50
_SHORT = 3  # nodes of a threat; all seeds are tried for these
_ROWS_A_SEED = 20
_KEY_BITS = 62  # of the numbers that stand for sets of nodes
_MOST_WORDS = 8_000_000  # of 64 baskets each, for bits of who holds what
_MOST_HELD = 40_000_000  # baskets over all nodes, for the lists of who holds what
_CLOSE = 1e-4  # of the loss: not worth any more effort
_IDLE = 0.3  # a row so far from its limit is dropped
_BRANCHES = 200  # of one search for a whole choice
_DUST = 1e-3  # of a node that steps leave: not worth a row
_POLISHING = 6  # times as many steps as in a round
_NEAR, _VIOLATED = 0.003, 0.05  # steps are enough if the loss and its bound are as near, and x violates rows by less


class _Solved(NamedTuple):
    """A solution, or nearly: x of the columns, the rows' multipliers, how far x is from their limits, and a bound."""

    x: np.ndarray
    price: np.ndarray
    room: np.ndarray
    bound: int


class Cuts:
    """The program as far as it is known: the taxonomy's paths, and the rows found up to now."""

    def __init__(self, problem: Problem, k: int, pace: Pace) -> None:
        self.problem, self.k, self.pace = problem, k, pace
        tree = problem.tree
        usable = problem.support >= k
        self.forest = Forest(tree.parent, tree.end, usable, problem.indptr, problem.items)
        self.worth = tree.suppress.astype(float)
        self.scale = max(float(self.worth.max(initial=0)), 1.0)
        held = np.zeros(len(problem) + 1, np.int64)
        list_holders(problem.indptr, problem.items, tree.parent, held, np.empty(0, np.int32), False)
        self.too_big = bool(held.sum() > _MOST_HELD)
        if self.too_big:
            return
        self.holders = _holders(problem, np.concatenate(([0], np.cumsum(held[:-1]))))
        self.start, self.nodes, self.limit = np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0)
        self.price = np.empty(0)  # multipliers of the rows; new ones have none
        self.most_with = np.full(len(problem), np.inf)  # what a choice with this node can be worth
        self.next = 0  # the basket from which on fractions are looked at
        self.columns = np.flatnonzero(usable & (tree.suppress > 0))
        self.up = _up(tree.parent, self.columns)
        self.paths = _paths(self.up)
        self.point: Point | None = None  # where the last steps led

    @property
    def rounds(self) -> int:
        """How often to solve at most: less often where it takes longer."""
        return int(np.clip(self.pace.rounds_times_columns // max(self.columns.size, 1), *self.pace.rounds))

    def separate(self, x: np.ndarray, longest: int, *, all_sizes: bool = False) -> int:
        """Adds rows that x violates, and others like them; returns how many.

        They grow from threats among the nodes that x more likely keeps than not, of the shortest size there is or of
        all sizes, and from nodes of which x keeps a part.
        """
        x = np.where(x > _WHOLE, x, 0.0)
        like = group_baskets(x, self.forest)
        pace, found = self.pace, 0
        rows = Rows(
            np.zeros(pace.rows + 1, np.int64), np.empty(_NODES_A_ROW * pace.rows, np.int32), np.empty(pace.rows)
        )

        def widened(seeds: np.ndarray, ends: np.ndarray, tids: np.ndarray, size: int) -> int:
            limits = Limits(size, self.k, _EXCESS, pace.seeds_a_basket, pace.tops[size - 2], _ROWS_A_SEED)
            room = rows._replace(start=rows.start[: found + pace.rows // longest + 1])  # for each size as many
            return widen(seeds, ends, tids, x, limits, self.forest, self.holders, like, room, found)

        likely = np.flatnonzero(x > 0.5).astype(np.int32)
        with suppress(Exhausted):
            for seeds, ends, size in threats_of_each_size(self.problem, likely, self.k, longest, Effort(pace.mining)):
                seeds, ends = some_threats(seeds, ends, pace.threats)
                found = widened(seeds, ends, np.full(ends.size, -1, np.int64), size)
                if not all_sizes:
                    break
        seeds, tids, self.next = fractional_seeds(
            x, 1 - _WHOLE, pace.seeds_a_basket, self.next, self.forest, like[0], pace.parts
        )
        for size in range(2, longest + 1):
            some = np.arange(0, seeds.size, 1 if size <= _SHORT else max(-(-seeds.size // pace.parts_for_long), 1))
            found = widened(seeds[some], np.arange(1, some.size + 1), tids[some], size)
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
        self.limit = np.concatenate([self.limit, limit[np.sort(first)]])
        self.price = np.concatenate([self.price, np.zeros(first.size)])

    def solve(self, *, drop: bool = True) -> tuple[np.ndarray, int]:
        """The x that is worth most, and the bound that the rows' multipliers prove; idle rows are dropped."""
        x = np.zeros(len(self.problem))
        if not self.columns.size:
            return x, self.problem.unit
        solved = self._by_simplex() if self.pace.steps == 0 else self._by_steps(self.pace.steps)
        if solved is None:  # out of luck, but no multipliers prove something, too
            return x, self._proved(np.zeros(self.limit.size))
        x[self.columns], self.price = solved.x, solved.price
        if drop:
            self._keep((solved.price > 0) | (solved.room < _IDLE))
        return x, solved.bound

    def polished(self) -> int:
        """The bound after more steps with the rows at hand."""
        return self._by_steps(_POLISHING * self.pace.steps).bound if self.columns.size else self.problem.unit

    def _by_simplex(self) -> _Solved | None:
        n_paths = self.paths.shape[0]
        solved = linprog(-self.worth[self.columns] / self.scale, *self._program(), bounds=(0, None), method="highs-ds")
        if solved.x is None:
            return None
        price = np.maximum(-solved.ineqlin.marginals[n_paths:], 0) * self.scale
        return _Solved(solved.x, price, solved.ineqlin.residual[n_paths:], self._proved(price))

    def _by_steps(self, most: int) -> _Solved:
        """What at most so many steps come to from where the last ones ended, and the best bound met."""
        rows, worth, n_rows = self._rows()[:, self.columns], self.worth[self.columns], self.limit.size
        program = Stepping(worth, self.up, rows, self.limit)
        start = program.start
        if self.point is not None:
            start = self.point._replace(price=np.concatenate([self.price, self.point.price]))
        least = 0

        def is_enough(point: Point) -> bool:
            nonlocal least
            least = max(least, self._proved(point.price[:n_rows]))
            x = program.x(point)
            lost = self.problem.unit - float((worth * x).sum())
            return abs(lost - least) <= _NEAR * least and bool((rows @ x - self.limit).max(initial=0) <= _VIOLATED)

        point = program.stepped(start, most, is_enough)
        self.point = point._replace(price=point.price[n_rows:])
        x, price = program.x(point), point.price[:n_rows]
        x[x < _DUST] = 0
        return _Solved(x, price, self.limit - rows @ x, max(least, self._proved(price)))

    def solve_whole(self, cost: int) -> tuple[np.ndarray | None, int]:
        """The whole x that is worth most if it costs less than `cost`, as far as one was found, and a bound.

        This bound rests on the solver. What its tolerances may have let pass is taken off.
        """
        open_columns = np.flatnonzero(self.most_with[self.columns] > self.problem.unit * (1 - _ROUNDING) - cost)
        columns = self.columns[open_columns]
        if not columns.size:
            return None, cost
        matrix, limits = self._program()
        matrix = matrix[:, open_columns]
        matters = np.diff(matrix.indptr) > limits
        solved = milp(
            -self.worth[columns] / self.scale,
            constraints=LinearConstraint(matrix[matters], -np.inf, limits[matters]),
            bounds=Bounds(0, 1),
            integrality=1,
            options={"node_limit": _BRANCHES, "mip_rel_gap": _CLOSE * cost / max(self.problem.unit - cost, 1)},
        )
        if solved.mip_dual_bound is None or not math.isfinite(solved.mip_dual_bound):
            return None, 0
        most = (_TOLERANCE * columns.size - solved.mip_dual_bound) * self.scale
        bound = min(self._least(most), cost)
        if solved.x is None:
            return None, bound
        x = np.zeros(len(self.problem))
        x[columns] = np.rint(solved.x)
        return x, bound

    def _program(self) -> tuple[sparse.csr_matrix, np.ndarray]:
        """The paths and the rows over the columns, and the limits of both."""
        matrix = sparse.vstack([self.paths, self._rows()[:, self.columns]], format="csr")
        return matrix, np.concatenate([np.ones(self.paths.shape[0]), self.limit])

    def _rows(self) -> sparse.csr_matrix:
        return sparse.csr_matrix(
            (np.ones(self.nodes.size), self.nodes, self.start), (self.limit.size, len(self.problem))
        )

    def _proved(self, price: np.ndarray) -> int:
        """The cost that the rows' multipliers prove to be the least. And what choices with a node can be worth."""
        left, fixed = self.worth - self._rows().T @ price, float((price * self.limit).sum())
        self.most_with = fixed + most_worth_with(left, self.forest.parent, self.forest.usable)
        return self._least(fixed + most_worth(left, *self.forest[:3], np.zeros(left.size, np.int8)))

    def _least(self, most: float) -> int:
        """The cost of a choice that is worth so much."""
        return max(0, math.ceil(self.problem.unit * (1 - _ROUNDING) - most))

    def _keep(self, stays: np.ndarray) -> None:
        lengths = np.diff(self.start)
        self.nodes, self.limit, self.price = self.nodes[np.repeat(stays, lengths)], self.limit[stays], self.price[stays]
        self.start = np.concatenate(([0], np.cumsum(lengths[stays])))


def _holders(problem: Problem, start: np.ndarray) -> Holders:
    """Who holds each node. A node that many hold gets a row of bits, too, as long as there is room."""
    tids, place = np.empty(start[-1], np.int32), start.copy()
    list_holders(problem.indptr, problem.items, problem.tree.parent, place, tids, True)
    words = in_blocks(problem.weight.size)
    held = np.diff(start)
    rows = min(_MOST_WORDS // max(words, 1), held.size)
    many = held > max(words // 16, np.sort(held)[-rows - 1] if rows < held.size else 0)
    dense = np.where(many, np.cumsum(many) - 1, -1).astype(np.int32)
    bits = np.zeros((int(many.sum()), words), np.uint64)
    fill_bits(start, tids, dense, bits)
    weight = np.append(problem.weight, np.zeros(64 * words - problem.weight.size, int))
    most_remembered = int(_KEY_BITS / math.log2(dense.size + 1))
    return Holders(start, tids, dense, bits, weight, np.zeros(1 << REMEMBERED_BITS, np.uint64), most_remembered)


def _up(parent: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """For each column the nearest one above it, −1 if there is none."""
    column_of = np.full(parent.size, -1, np.int64)
    column_of[columns] = np.arange(columns.size)
    above = parent[columns].astype(np.int64)
    while (search := (above >= 0) & (column_of[above] < 0)).any():  # over nodes that are no columns
        above[search] = parent[above[search]]
    return np.where(above >= 0, column_of[above], -1)


def _paths(up: np.ndarray) -> sparse.csr_matrix:
    """A row for each column that has no column below: this column and those above it."""
    bottom = np.setdiff1d(np.arange(up.size), up)
    rows, nodes = [np.arange(bottom.size)], [bottom]
    while (on := up[nodes[-1]] >= 0).any():
        rows.append(rows[-1][on])
        nodes.append(up[nodes[-1][on]])
    entries = np.concatenate(rows), np.concatenate(nodes)
    return sparse.csr_matrix((np.ones(entries[0].size), entries), (bottom.size, up.size))
