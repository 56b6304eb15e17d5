"""Nodes of the hierarchy, and several of them together where one alone would be taken out.

Along a hierarchy, what k people do not share below the root is suppressed. But "infections or injuries" tells more than
nothing does, and can be read. So what would be suppressed begins as what is left of its branch of the hierarchy, and
branches are merged, with each other and with nodes, as COAT merges items: where the occurrences lose least.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from tacit.arrays.order import put_back
from tacit.arrays.sparse import Sparse, as_sets
from tacit.baskets.solvers.hghs import mhghs
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.merging import merge_items, rarest_first
from tacit.baskets.solvers.problem import Problem
from tacit.records.solvers.parts import ByTree, columns_apart
from tacit.records.solvers.problem import RecordProblem, Unions


class NodesTogether(ByTree):
    """Codes from the number of nodes on are of unions of nodes."""

    def __init__(self, problem: RecordProblem) -> None:
        super().__init__(problem)
        self.column_of_item = problem.column_of_item
        self._parent, self._end = self.tree.parent.tolist(), self.tree.end.tolist()
        self._code: dict[tuple[int, ...], int] = {}
        self._leaves = self.tree.leaf_count.tolist()  # of nodes, then of unions

    @property
    def unions(self) -> Unions:
        return tuple(self._code)

    def hide(self, baskets: Sparse, items: np.ndarray) -> np.ndarray:
        node = super().hide(baskets, items)
        tells = (node >= 0) & (self.tree.leaf_count[node] < self._all_leaves(items))
        if tells.all():
            return node
        places = zip(self.own_leaf[items].tolist(), self._all_leaves(items).tolist(), strict=True)
        branch = [self._branch(leaf, leaves) for leaf, leaves in places]
        labels, code = np.unique(np.where(tells, node, -1 - np.array(branch)), return_inverse=True)
        shown, order = rarest_first(*as_sets(baskets[0], code.astype(np.int32)[baskets[1]]), labels.size)
        column = np.empty(labels.size, np.int64)
        column[code] = self.column_of_item[items]
        found = merge_items(
            *shown, labels.size, self.promise.k, self.promise.m, columns_apart(column[order]), None,
            any_of_them=False, mass=np.bincount(shown[1], minlength=labels.size),
        )  # fmt: skip
        return self._named(put_back(found.group, order)[code], node, tells, items)

    def cut(self, part: Problem) -> Anonymization:
        return mhghs(part, self.promise.k, self.promise.m)

    def _all_leaves(self, items: np.ndarray) -> np.ndarray:
        """How many leaves the columns of some items have: a node with all of them tells nothing."""
        return self.tree.leaf_count[self.top[items]]

    def _branch(self, node: int, all_leaves: int) -> int:
        """The highest node above that has not all leaves."""
        while (above := self._parent[node]) >= 0 and self._leaves[above] < all_leaves:
            node = above
        return node

    def _named(self, group: np.ndarray, node: np.ndarray, tells: np.ndarray, items: np.ndarray) -> np.ndarray:
        """What the items of each group become: the node that all of them had, or nodes that have no others."""
        becomes = np.full(items.size, -1, np.int32)
        for each in np.unique(group[group >= 0]).tolist():
            here = group == each
            same = tells[here].all() and (node[here] == node[here][0]).all()
            becomes[here] = node[here][0] if same else self._union(here, items)
        return becomes

    def _union(self, here: np.ndarray, items: np.ndarray) -> int:
        """The code of the nodes that some items of a cluster are below, and none of its others: the highest of these,
        as low as they can be."""
        leaves = np.sort(self.own_leaf[items[here]]).tolist()
        others = np.sort(self.own_leaf[items[~here]]).tolist()
        all_leaves = int(self._all_leaves(items[here])[0])
        nodes, place = [], 0
        while place < len(leaves):
            node = highest = leaves[place]
            while (above := self._parent[highest]) >= 0 and self._leaves[above] < all_leaves:
                if self._has_some(above, others):
                    break
                highest = above
            place = bisect_left(leaves, self._end[highest], lo=place)
            while self._end[node] <= leaves[place - 1]:
                node = self._parent[node]
            nodes.append(node)
        return nodes[0] if len(nodes) == 1 else self._code_of(tuple(nodes))

    def _has_some(self, node: int, leaves: Sequence[int]) -> bool:
        place = bisect_left(leaves, node)
        return place < len(leaves) and leaves[place] < self._end[node]

    def _code_of(self, nodes: tuple[int, ...]) -> int:
        if nodes not in self._code:
            self._code[nodes] = len(self._leaves)
            self._leaves.append(sum(self._leaves[node] for node in nodes))
        return self._code[nodes]

    def is_beyond_columns(self, becomes: np.ndarray) -> bool:
        return False

    def coarser(self, label: int, becomes: np.ndarray, items: np.ndarray) -> np.ndarray:
        """A step up the hierarchy; where there is none, the smallest other label of the column joins it."""
        here = becomes == label
        if label < len(self.tree):
            climbed = super().coarser(label, becomes, items)
            if (climbed[here] >= 0).all():
                return self._named_anew(climbed, items)
        column = self.column_of_item[items]
        others = np.unique(becomes[(becomes >= 0) & ~here & (column == column[here.argmax()])])
        if not others.size:
            return np.where(here, -1, becomes)
        here |= becomes == others[self.sizes(others, becomes).argmin()]
        return np.where(here, self._union(here, items), becomes)

    def _named_anew(self, becomes: np.ndarray, items: np.ndarray) -> np.ndarray:
        """The same, with new names for unions that lost items to a node that climbed.

        Each name of a cluster would keep the promise by itself, but who knows an item that two names stand for takes
        the people of both.
        """
        for union in np.unique(becomes[becomes >= len(self.tree)]).tolist():
            left = becomes == union
            becomes = np.where(left, self._union(left, items), becomes)
        return becomes

    def sizes(self, labels: np.ndarray, becomes: np.ndarray) -> np.ndarray:
        return np.array(self._leaves)[labels]
