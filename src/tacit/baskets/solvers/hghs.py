"""HgHs and mHgHs: k^m-anonymity by generalization and suppression together (Liu & Wang, PAKDD 2010).

`hghs` walks the lattice of cuts from the root, each time to the child cut that lowers the cost most (section 3.1),
where each cut is judged with its suppression scenario (section 3.2). `mhghs` does so in m rounds, round i for
k^i-anonymity on the taxonomy reduced to the cut of the round before (section 4.2).

The paper mines the minimal threats of all cuts first; here only those are mined that a child cut of the walk
holds, when it comes up. The outcome is the same; docs/methods/hghs.md says why.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.baskets.solvers.effort import Effort
from tacit.baskets.solvers.few import FewNodes, are_few_nodes
from tacit.baskets.solvers.lattice import Anonymization, Walk
from tacit.baskets.solvers.problem import Problem, cut_off, first_on_each_path

Progress = Callable[[str], None]


_TRY_AFTER, _TRY_IF_LEFT = 3, 3


def hghs(
    problem: Problem, k: int, m: int | float, progress: Progress | None = None, effort: Effort | None = None
) -> Anonymization:
    """One top-down greedy search of the lattice of cuts. `effort` counts what is mined, and may limit it."""
    m = int(min(m, _longest(problem)))
    if m <= 1:
        return _single_items(problem, k)
    if m == 2 and effort is None and are_few_nodes(len(problem), int(problem.weight.sum())):
        return Anonymization(*FewNodes(problem, k).walked())
    return _walked(problem, k, m, progress, effort).anonymization()


def mhghs(
    problem: Problem, k: int, m: int | float, progress: Progress | None = None, effort: Effort | None = None
) -> Anonymization:
    """m rounds of `hghs`; nothing is suppressed between the rounds, only the last one's scenario is applied."""
    size, found, reduced = 1, hghs(problem, k, 1, progress), problem
    while True:
        reduced = cut_off(problem, found.cut)
        size = _next_round(reduced, k, size, m, progress, effort)
        if size > min(m, _longest(reduced)):
            return found
        step = hghs(reduced, k, size, progress, effort)
        node_of = np.searchsorted(problem.origin, reduced.origin).astype(np.int32)
        found = Anonymization(node_of[step.cut], node_of[step.suppressed], step.cost)


def _next_round(
    reduced: Problem, k: int, size: int, m: int | float, progress: Progress | None, effort: Effort | None
) -> int:
    """The next round that can end elsewhere than the last one, which was for `size` and left this taxonomy.

    On it a round takes the same way as the last one unless it meets a longer threat. So a walk for the whole m tells
    which sizes matter. It pays only where many rounds may be left out, as with m = infinity.
    """
    last = int(min(m, _longest(reduced)))
    if size < _TRY_AFTER or last - size <= _TRY_IF_LEFT:
        return size + 1
    longer = [met for met in _walked(reduced, k, last, progress, effort).sizes if met > size]
    return min(longer, default=last + 1)


def _walked(problem: Problem, k: int, m: int, progress: Progress | None, effort: Effort | None) -> Walk:
    walk = Walk(problem, k, m, effort)
    while walk.go_to_best_child():
        if progress:
            progress(f"m = {m}: {walk.size} nodes in the cut")
    return walk


def _longest(problem: Problem) -> int:
    """No itemset of a cut is longer than the longest basket; no round after that one changes anything."""
    return int(np.diff(problem.indptr).max(initial=1))


def _single_items(problem: Problem, k: int) -> Anonymization:
    """Where `hghs` ends for m = 1: threats are single nodes, so what a split changes depends on no other split, and
    the walk, in whatever order, splits every node that it reaches and that gains by it."""
    tree = problem.tree
    support = problem.support
    rare = (support > 0) & (support < k)
    cost = tree.generalize + rare * tree.suppress
    of_children = np.zeros(len(problem), np.int64)
    np.add.at(of_children, tree.parent[1:], cost[1:])
    divided = (of_children < cost) & (tree.end > np.arange(len(problem)) + 1)
    cut = first_on_each_path(~divided, tree.end)
    return Anonymization(cut, cut[rare[cut]], int(cost[cut].sum()))
