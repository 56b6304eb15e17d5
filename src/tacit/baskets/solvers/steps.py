"""A linear program over a taxonomy by steps, for where there are too many nodes for the simplex method.

It is the program of cuts.py, said of other unknowns: y[v] is the sum of the x of v and of all nodes above it. So y is
at most 1, never falls on the way down, and x[v] = y[v] − y[the node above v]. What an inner node's y costs is what is
lost if its children are not told apart, and of a chain in a row two ends are left: y[its leaf] − y[the node above its
top]. Everything is as large as what is lost, and nothing as large as the worth of all that is kept, beside which what
is lost would drown.

A step moves y down the slope that the multipliers make, and the multipliers up where y violates a row (the primal-dual
hybrid gradient method). It goes beyond that point and is drawn back to where the run began (reflected Halpern steps);
a run ends where it is much nearer to a solution, and the next one begins there, with both sorts of steps balanced anew
(Lu & Yang 2024, "Restarted Halpern PDHG for Linear Programming"). A step costs three products of a sparse matrix with a
vector. Nothing rests on how near it comes: any multipliers prove a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

_MUCH_NEARER, _NEARER = 0.2, 0.8  # by how much shorter steps have to be than a run's first: at once, or if they grow
_LONGEST_RUN = 0.36  # of all steps
_LEAST_COST = 0.01  # of the one in the middle, for how far a step goes
_STEPS_A_LOOK = 50


class Point(NamedTuple):
    """y, the multipliers of the rows and behind them those of the order on the paths, and how the two are balanced."""

    y: np.ndarray
    price: np.ndarray
    balance: float


class Stepping:
    """The program: what nodes are worth, the node above each (−1: none), and rows of nodes with their limits."""

    def __init__(self, worth: np.ndarray, up: np.ndarray, rows: sparse.csr_matrix, limit: np.ndarray) -> None:
        below = np.flatnonzero(up >= 0)
        entries = np.arange(up.size), np.arange(up.size)
        entries = np.concatenate([entries[0], below]), np.concatenate([entries[1], up[below]])
        values = np.concatenate([np.ones(up.size), np.full(below.size, -1.0)])
        self.to_x = sparse.csr_matrix((values, entries), (up.size, up.size))
        self.cost = -(self.to_x.T @ worth)
        of_rows = (rows @ self.to_x).tocsr()
        of_rows.eliminate_zeros()
        self.matrix = sparse.vstack([of_rows, -self.to_x[below]], format="csr")
        self.transposed = self.matrix.T.tocsr()
        self.limit = np.concatenate([limit, np.zeros(below.size)])
        cost, entries_of = np.abs(self.cost), abs(self.matrix)
        middle = max(float(np.median(cost)), 1.0)
        reach = np.maximum(cost, _LEAST_COST * middle) ** -0.5
        # of both as far as may be without going too far: products of all steps with the matrix are at most 1
        self.y_step = reach / np.maximum(entries_of.T @ np.ones(self.limit.size), 1)
        self.price_step = 1 / np.maximum(entries_of @ reach, reach.min(initial=1.0))
        self.start = Point(np.zeros(up.size), np.zeros(self.limit.size), math.sqrt(middle))

    def x(self, point: Point) -> np.ndarray:
        return np.maximum(self.to_x @ point.y, 0)

    def stepped(self, start: Point, most: int, is_enough: Callable[[Point], bool]) -> Point:
        """Where at most so many steps lead; every fifty it is asked whether that is enough."""
        here = begun = start
        first = before = math.inf
        run = 0
        for step in range(1, most + 1):
            there, length = self._next(here)
            if step % _STEPS_A_LOOK == 0 and is_enough(there):
                return there
            if run == 0:
                first = length
            is_nearer = length <= _MUCH_NEARER * first or (length <= _NEARER * first and length > before)
            if run and (is_nearer or run >= _LONGEST_RUN * most):
                here = begun = there._replace(balance=self._balanced(begun, there))
                run, before = 0, math.inf
                continue
            stays, before, run = 1 / (run + 2), length, run + 1
            y = (1 - stays) * (2 * there.y - here.y) + stays * begun.y
            price = (1 - stays) * (2 * there.price - here.price) + stays * begun.price
            here = Point(y, price, here.balance)
        return there

    def _next(self, here: Point) -> tuple[Point, float]:
        """One plain step, and how long it is: 0 at a solution."""
        y_step, price_step = self.y_step / here.balance, self.price_step * here.balance
        y = np.clip(here.y - y_step * (self.cost + self.transposed @ here.price), 0, 1)
        moved = y - here.y
        change = self.matrix @ moved
        price = np.maximum(here.price + price_step * (self.matrix @ here.y + 2 * change - self.limit), 0)
        raised = price - here.price
        # sums and not products of vectors: these are shared out among processors, which takes longer
        square = (moved**2 / y_step).sum() - 2 * (raised * change).sum() + (raised**2 / price_step).sum()
        return Point(y, price, here.balance), math.sqrt(max(float(square), 0.0))

    def _balanced(self, begun: Point, there: Point) -> float:
        """Between the balance at hand and the one by which y and the multipliers went equally far in this run."""
        y_way = float(((there.y - begun.y) ** 2 / self.y_step).sum())
        price_way = float(((there.price - begun.price) ** 2 / self.price_step).sum())
        if not (y_way > 0 and price_way > 0):
            return there.balance
        return math.sqrt(there.balance * math.sqrt(price_way / y_way))
