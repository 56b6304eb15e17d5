"""AA: k^m-anonymity by generalization alone, level by level (Terrovitis, Mamoulis, Kalnis, VLDB 2008).

For sizes 1 to m, all itemsets of that size, over the cut's nodes and everything above them, are visited in the order
of a count tree; the cut is raised over one that fewer than k people hold, the cheapest way that makes it safe.
docs/methods/apriori.md has the definition.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.baskets.solvers._apriori_kernels import extended, visit
from tacit.baskets.solvers._apriori_ways import CountTree, Cut, Rule
from tacit.baskets.solvers._labelled import relabel
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.problem import Problem

Progress = Callable[[str], None]
Baskets = tuple[np.ndarray, np.ndarray, np.ndarray]
"""indptr, nodes (a code beyond the tree's nodes is a sensitive item), people."""


def apriori(problem: Problem, k: int, m: int | float, progress: Progress | None = None) -> Anonymization:
    """AA from the leaves up; nothing is suppressed."""
    ascent = Ascent(problem)
    ascent.climb(k, m, progress=progress)
    return ascent.anonymization()


class Ascent:
    """A cut on its way up from the leaves."""

    def __init__(self, problem: Problem, n_sensitive: int = 0) -> None:
        tree = problem.tree
        self.problem, self.n_sensitive = problem, n_sensitive
        self.support = problem.support
        self.order = np.lexsort((np.arange(len(problem)), -self.support)).astype(np.int32)
        is_leaf = tree.end == np.arange(len(problem)) + 1
        upto = np.r_[0, np.cumsum(np.where(is_leaf, tree.generalize, 0))]
        below = upto[tree.end] - upto[:-1]
        self.cut = Cut(tree.parent, tree.end, tree.generalize, np.zeros(len(problem), bool), below)

    def anonymization(self) -> Anonymization:
        return Anonymization(self.nodes(), np.empty(0, np.int32), int(self.cut.below[0]))

    def nodes(self) -> np.ndarray:
        """The nodes of the cut: not below it, unlike whatever is below them."""
        kept = np.flatnonzero(~self.cut.is_below)
        following = np.r_[kept[1:], len(self.problem)]
        return kept[following >= self.cut.end[kept]].astype(np.int32)

    def climb(self, k: int, m: int | float, within: np.ndarray | None = None, progress: Progress | None = None) -> None:
        """Makes the itemsets of up to m nodes safe, size by size; of the nodes marked in `within`, if that is given."""
        baskets: Baskets = (self.problem.indptr, self.problem.items, self.problem.weight)
        size = 1
        while size <= m:
            baskets = self.published(baskets, within)
            if size > np.diff(baskets[0]).max(initial=0):
                return
            tree, first = self.count_tree(baskets, within), 0
            while True:
                _, first = visit(size, tree, self.cut, Rule(k, 0, 0), within is None, first)
                if first == tree.node.size:
                    break
                node = tree.node[first]
                baskets = self.published(baskets, within)
                tree = self.count_tree(baskets, within)
                first = int(tree.label[node])
            if progress:
                progress(f"m = {size}: {self.nodes().size} nodes in the cut")
            size += 1

    def published(self, baskets: Baskets, within: np.ndarray | None = None) -> Baskets:
        """The baskets under the cut, sensitive items as they are; equal ones are one."""
        cut, size = self.nodes(), len(self.problem)
        above = np.arange(size + self.n_sensitive, dtype=np.int32)
        label = above.copy()
        above[:size] = cut[np.searchsorted(cut, above[:size], side="right") - 1]
        if within is not None:
            label[:size][~within] = -1
        everyone = np.arange(baskets[2].size, dtype=np.int32)
        return relabel(everyone, *baskets, above, np.full(above.size, -1, np.int32), label, 0)

    def count_tree(self, baskets: Baskets, within: np.ndarray | None = None, of_cut: bool = False) -> CountTree:
        """The nodes that are left, from frequent to rare; equals in the taxonomy's order, so that a node comes before
        what is below it. The root is left out: every basket holds it. Visits may be limited to nodes of the cut.
        """
        indptr, nodes, weight = baskets
        wanted = ~self.cut.is_below & (self.support > 0)
        wanted[0] = False
        if within is not None:
            wanted &= within
        node = self.order[wanted[self.order]]
        label = np.full(len(self.problem), -1, np.int32)
        label[node] = np.arange(node.size)
        visited = np.isin(node, self.nodes()) if of_cut else np.ones(node.size, bool)
        out_indptr, labels, start, basket, place = extended(indptr, nodes, self.cut.parent, label, node.size)
        is_sensitive = nodes >= len(self.problem)
        sensitive = nodes[is_sensitive] - np.int32(len(self.problem))
        return CountTree(
            out_indptr, labels, weight, start, basket, place,
            np.r_[0, np.cumsum(is_sensitive)][indptr], sensitive,
            np.full(self.n_sensitive, -1, np.int32), np.empty_like(sensitive), np.empty_like(sensitive),
            node, label, visited,
        )  # fmt: skip
