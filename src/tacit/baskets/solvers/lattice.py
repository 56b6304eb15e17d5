"""The walk down the lattice of cuts, from the root to ever more specific ones (Liu & Wang 2010, section 3.1).

The threats that a child cut brings are mined when its node comes into the cut, from the baskets of that node alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.baskets.solvers._greedy import ABSENT, KEPT, SUPPRESSED, Threats, Trial, add_threats, best_split, split
from tacit.baskets.solvers._labelled import relabel, share_out
from tacit.baskets.solvers._threats import mine
from tacit.baskets.solvers.effort import Effort
from tacit.baskets.solvers.problem import Problem

_SHORT = 3


@dataclass(frozen=True, eq=False)
class Anonymization:
    """A cut and its suppression scenario, as nodes of the problem's taxonomy, in its order; cost in whole numbers."""

    cut: np.ndarray
    suppressed: np.ndarray
    cost: int
    bound: int | None = None
    """A cost below which no cut and suppression can go, where one is known."""
    is_nested: bool = False
    """Threats were too many: each basket is published within those of k people, whatever m is."""


class Walk:
    """The walk down the lattice of cuts: the cut, who is suppressed in it, and the threats of its child cuts."""

    def __init__(self, problem: Problem, k: int, m: int, effort: Effort | None = None) -> None:
        self.problem, self.k, self.m = problem, k, m
        self.effort = effort or Effort()
        nodes = len(problem)
        self.status = np.full(nodes, ABSENT, np.int8)
        self.above = np.zeros(nodes, np.int32)  # for each leaf: the cut's node over it,
        self.below = np.full(nodes, -1, np.int32)  # and that node's child over it
        self.label = np.zeros(nodes, np.int32)
        self.tids = {0: np.flatnonzero(np.diff(problem.indptr)).astype(np.int32)}
        self.children = children_of(problem.tree.parent)
        self.threats, self.trial = _room_for_threats(nodes), Trial.of(nodes)
        self.n_threats = 0
        self.sizes: set[int] = set()  # of the threats met

        people = int(problem.weight[self.tids[0]].sum())
        self.status[0] = SUPPRESSED if 0 < people < k else KEPT
        self.cost = int(problem.tree.generalize[0]) + (self.status[0] == SUPPRESSED) * int(problem.tree.suppress[0])
        self._point_below(0)
        self._mine(0, self.children[0])

    @property
    def cut(self) -> np.ndarray:
        return np.flatnonzero(self.status != ABSENT).astype(np.int32)

    @property
    def size(self) -> int:
        return int(np.count_nonzero(self.status))

    def anonymization(self) -> Anonymization:
        return Anonymization(self.cut, np.flatnonzero(self.status == SUPPRESSED).astype(np.int32), self.cost)

    def go_to_best_child(self) -> bool:
        """Moves to the child cut of lowest cost, the first of equals; False if none lowers the cost."""
        cut = self.cut
        candidates = cut[(self.problem.tree.end[cut] > cut + 1) & (self.problem.occurrences[cut] > 0)]
        node, change = best_split(candidates, self.problem.tree, self.threats, self.status, self.trial)
        if node < 0:
            return False
        split(np.int32(node), True, self.problem.tree, self.threats, self.status, self.trial)
        self.cost += change
        self._descend(node)
        return True

    def _descend(self, node: int) -> None:
        """The cut has the node's children now: share its baskets among them, and mine what their splits bring."""
        problem, children = self.problem, self.children[node]
        end = int(problem.tree.end[node])
        self.above[node:end] = self.below[node:end]
        self.label[children] = np.arange(children.size)
        tids = self.tids.pop(node)
        starts, shared = share_out(
            tids, problem.indptr, problem.items, self.above, (node, end), self.label, children.size
        )
        for i, child in enumerate(children.tolist()):
            self.tids[child] = shared[starts[i] : starts[i + 1]]
            self._point_below(child)
        grandchildren = [self.children[child] for child in children.tolist()]
        self._mine(node, np.concatenate([children, *grandchildren]), tids)

    def _point_below(self, node: int) -> None:
        self.below[node : self.problem.tree.end[node]] = -1
        for child in self.children[node].tolist():
            self.below[child : self.problem.tree.end[child]] = child

    def _mine(self, node: int, anchors: np.ndarray, tids: np.ndarray | None = None) -> None:
        """Finds the threats of child cuts that hold an anchor: what the baskets of `node` newly threaten with."""
        problem = self.problem
        nodes = np.concatenate([self._ordered(np.sort(anchors)), self._ordered(self._others(node))]).astype(np.int32)
        self.label[:] = -1
        self.label[nodes] = np.arange(nodes.size)
        owner = np.where(self.status[nodes] == ABSENT, problem.tree.parent[nodes], -1).astype(np.int32)
        baskets = relabel(
            self.tids[node] if tids is None else tids,
            problem.indptr, problem.items, problem.weight, self.above, self.below, self.label, node,
        )  # fmt: skip
        found, ends, owners, visits = mine(
            baskets, anchors.size, owner, nodes, self.k, self.m, 0, self.effort.left, self.effort.space
        )
        self.effort.spend(visits, found.size)
        self.threats = _with_room(self.threats, self.n_threats, ends.size, found.size)
        add_threats(found, ends, owners, self.n_threats, problem.tree, self.threats)
        self.n_threats += ends.size
        self.sizes.update(np.unique(np.diff(ends, prepend=0)).tolist())

    def _others(self, node: int) -> np.ndarray:
        """Nodes of the cut and their children outside this node's subtree, from behind it on to before it."""
        present = self.status != ABSENT
        wanted = present | present[self.problem.tree.parent] & (self.problem.tree.parent >= 0)
        others = np.flatnonzero(wanted & (self.problem.occurrences > 0))
        end = self.problem.tree.end[node]
        return np.concatenate([others[others >= end], others[others < node]])

    def _ordered(self, nodes: np.ndarray) -> np.ndarray:
        """Rare nodes first, which keeps long itemsets few; short ones are as well mined in the order they come in."""
        if self.m <= _SHORT:
            return nodes
        return nodes[np.argsort(self.problem.occurrences[nodes], kind="stable")]


def children_of(parent: np.ndarray) -> list[np.ndarray]:
    """Each node's children, in order."""
    by_parent = np.argsort(parent, kind="stable").astype(np.int32)
    return np.split(by_parent, np.searchsorted(parent[by_parent], np.arange(parent.size), side="left"))[1:]


def _room_for_threats(nodes: int) -> Threats:
    def nowhere() -> np.ndarray:
        return np.full(nodes, -1, np.int64)

    return Threats(
        nodes=np.empty(0, np.int32), start=np.zeros(1, np.int64), threat_at=np.empty(0, np.int64),
        link=np.empty(0, np.int64), owned=np.empty(0, np.int64),
        of_node=nowhere(), of_owner=nowhere(), passing=nowhere(),
    )  # fmt: skip


def _with_room(threats: Threats, used: int, more: int, more_nodes: int) -> Threats:
    """The same threats in arrays that have room for more, at least doubled when they have not."""

    def grown(array: np.ndarray, needed: int) -> np.ndarray:
        if needed <= array.size:
            return array
        bigger = np.empty(max(needed, 2 * array.size), array.dtype)
        bigger[: array.size] = array
        return bigger

    places = int(threats.start[used]) + more_nodes
    return threats._replace(
        nodes=grown(threats.nodes, places),
        start=grown(threats.start, used + more + 1),
        threat_at=grown(threats.threat_at, places),
        link=grown(threats.link, places),
        owned=grown(threats.owned, used + more),
    )
