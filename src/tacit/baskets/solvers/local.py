"""What local recodings of baskets share: parts of the rows, each with a cut of its own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tacit.arrays.sparse import keep_where
from tacit.baskets.solvers.problem import PosedTree, Problem, _ranked, _sum_below, merged


@dataclass(frozen=True, eq=False)
class LocalAnonymization:
    """Rows in parts, and for each part its cut and what is suppressed in it; cost in whole numbers over all parts.

    Nodes are those of the problem's tree, in its order. A row whose basket is empty may be in no part (−1).
    """

    part: np.ndarray  # int32, the part of each row
    indptr: np.ndarray  # int64: the cut of part i is nodes[indptr[i]:indptr[i + 1]]
    nodes: np.ndarray  # int32
    is_suppressed: np.ndarray  # of the nodes
    cost: int

    @property
    def cuts(self) -> tuple[np.ndarray, ...]:
        return tuple(self.nodes[start:stop] for start, stop in pairwise(self.indptr.tolist()))

    @property
    def suppressed(self) -> tuple[np.ndarray, ...]:
        indptr, nodes = keep_where(self.indptr, self.nodes, self.is_suppressed)
        return tuple(nodes[start:stop] for start, stop in pairwise(indptr.tolist()))


def problem_of_part(problem: PosedTree, indptr: np.ndarray, items: np.ndarray) -> Problem:
    """The problem on some of its rows, whose items are leaves of its tree.

    An occurrence loses as much by being published as a node as it does in the whole problem.
    """
    tree = problem.tree
    nodes = np.arange(len(problem), dtype=np.int32)
    counted = np.bincount(items, minlength=len(problem))
    worst = tree.generalize + tree.suppress  # the cost of losing all that is below a node
    worst_here = _sum_below(nodes, counted * (worst // np.maximum(problem.occurrences, 1)), tree.end)
    common = np.maximum(np.gcd(tree.generalize, worst), 1)
    generalize = worst_here // np.maximum(worst // common, 1) * (tree.generalize // common)
    return Problem(
        _ranked(tree.parent, tree.end, generalize, worst_here - generalize),
        problem.origin,
        _sum_below(nodes, counted, tree.end),
        int(worst_here[0]),
        *merged(indptr, items, np.ones(indptr.size - 1, np.int64), nodes),
    )


def rows_of(indptr: np.ndarray, items: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(indptr, items) of the given rows alone."""
    lengths = np.diff(indptr)[rows]
    out = np.r_[0, np.cumsum(lengths)]
    return out, items[np.arange(out[-1]) + np.repeat(indptr[rows] - out[:-1], lengths)]
