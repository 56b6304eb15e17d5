"""What `best` falls back on where threats are too many to be mined: every basket is published within those of k people.

Long baskets hold so many sets of items that nobody can look at all that are rare. But if k people are shown with all
that is shown of a basket, they are shown with any part of it, whatever m is. For a small m that asks for more than the
promise does. It needs no sets: of any two baskets it is counted how many kept nodes of the one the other lacks.
"""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush

import numpy as np

from tacit.arrays.blocks import tell
from tacit.baskets.solvers.kept import as_anonymization
from tacit.baskets.solvers.lattice import Anonymization, children_of
from tacit.baskets.solvers.problem import Problem

_MOST_BASKETS = 4_000
"""Different baskets that are compared with each other."""
_MOST_HELD = 200_000_000
"""Baskets times nodes: beyond, everything becomes the root."""


def nested(problem: Problem, k: int) -> Anonymization:
    """A cut and suppression in which whatever is kept of a basket is kept of k people: the better of two searches."""
    baskets = problem.weight.size
    if baskets > _MOST_BASKETS or baskets * len(problem) > _MOST_HELD:
        found = [np.arange(int(problem.support[0] >= k), dtype=np.int32)]
    else:
        found = [search(_Nest(problem, k)) for search in (_split_down, _single_leaves)]
    cheapest = min((as_anonymization(problem, kept) for kept in found), key=lambda each: each.cost)
    return replace(cheapest, is_nested=True)


class _Nest:
    """Nodes that are kept, and for each two baskets how many of those in the one the other lacks."""

    def __init__(self, problem: Problem, k: int) -> None:
        self.problem, self.k = problem, k
        self.holds = _holders(problem)
        self.lacking = np.zeros((problem.weight.size, problem.weight.size), np.int32)

    def keep(self, node: int) -> bool:
        """Keeps a node, unless a basket that holds it would be within those of fewer than k people then."""
        holders = np.flatnonzero(self.holds[node])
        if not holders.size:
            return False
        self._count(node, 1)
        within = (self.lacking[np.ix_(holders, holders)] == 0) @ self.problem.weight[holders]
        if within.min() >= self.k:
            return True
        self._count(node, -1)
        return False

    def drop(self, node: int) -> None:
        self._count(node, -1)

    def _count(self, node: int, change: int) -> None:
        self.lacking[np.ix_(self.holds[node], ~self.holds[node])] += change


def _holders(problem: Problem) -> np.ndarray:
    """Which baskets hold each node or a leaf below it: bool, nodes × baskets."""
    holds = np.zeros((len(problem), problem.weight.size), bool)
    holds[problem.items, np.repeat(np.arange(problem.weight.size), np.diff(problem.indptr))] = True
    for node in range(len(problem) - 1, 0, -1):
        holds[problem.tree.parent[node]] |= holds[node]
    return holds


def _split_down(nest: _Nest) -> np.ndarray:
    """From the root on: a node makes way for those of its children that can be kept, if that costs less."""
    tree, children = nest.problem.tree, children_of(nest.problem.tree.parent)
    kept = {0} if nest.keep(0) else set[int]()
    queue = [(0, node) for node in kept]
    looked = 0
    while queue:
        node = heappop(queue)[1]
        tell("baskets within others", looked / len(nest.problem))
        looked += 1
        own = children[node][np.argsort(-tree.suppress[children[node]], kind="stable")]
        nest.drop(node)
        stay = np.array([child for child in own.tolist() if nest.keep(child)], np.int32)
        cost = tree.generalize[own].sum() + tree.suppress[own].sum() - tree.suppress[stay].sum()
        if own.size and cost < tree.generalize[node]:
            kept.remove(node)
            kept.update(stay.tolist())
            for child in stay.tolist():
                heappush(queue, (-int(tree.gain[child]), child))
        else:
            for child in stay.tolist():
                nest.drop(child)
            nest.keep(node)
    return np.array(sorted(kept), np.int32)


def _single_leaves(nest: _Nest) -> np.ndarray:
    """Items as they are, those that weigh most first, and no others."""
    tree = nest.problem.tree
    leaves = np.flatnonzero(tree.end == np.arange(tree.end.size) + 1)
    leaves = leaves[np.argsort(-tree.suppress[leaves], kind="stable")]
    return np.sort(np.array([leaf for leaf in leaves.tolist() if nest.keep(leaf)], np.int32))
