"""A cut with its suppression as a set of kept nodes: whatever lies below none of them is suppressed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.baskets.solvers._labelled import relabel
from tacit.baskets.solvers._threats import mine
from tacit.baskets.solvers.effort import Effort
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.problem import Problem, first_on_each_path

Labelled = tuple[np.ndarray, np.ndarray, np.ndarray]

_SHORT = 4


def threats_among(
    problem: Problem, kept: np.ndarray, k: int, m: int | float, effort: Effort | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Threats among kept nodes, one after the other, and where each ends; none if these nodes keep the promise."""
    return mined(*published(problem, kept), k, m, effort or Effort())


def shortest_threats(
    problem: Problem, kept: np.ndarray, k: int, m: int | float, effort: Effort
) -> tuple[np.ndarray, np.ndarray, int]:
    """Threats among kept nodes of the smallest size that has any, one after the other, where each ends, and the size.

    Short ones say most, and are found soonest. Beyond a few nodes all sizes up to m are looked for at once.
    """
    longest = int(min(m, np.diff(problem.indptr).max(initial=1)))
    baskets = published(problem, kept)
    for size in range(2, min(longest, _SHORT + 1)):
        nodes, ends = mined(*baskets, k, size, effort)
        if ends.size:
            return nodes, ends, size
    return *mined(*baskets, k, longest, effort), longest


def threats_of_each_size(
    problem: Problem, kept: np.ndarray, k: int, longest: int, effort: Effort
) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Threats among kept nodes, those of each size that has any: one after the other, where each ends, and the size."""
    baskets = published(problem, kept)
    for size in range(2, longest + 1):
        nodes, ends = mined(*baskets, k, size, effort)
        lengths = np.diff(ends, prepend=0)
        if (lengths == size).any():
            yield nodes[np.repeat(lengths == size, lengths)], np.cumsum(lengths[lengths == size]), size


def published(problem: Problem, kept: np.ndarray) -> tuple[Labelled, np.ndarray]:
    """The baskets with kept nodes only, labelled from the rarest on, and the nodes in that order."""
    above = np.full(len(problem), -1, np.int32)
    for node in kept.tolist():
        above[node : problem.tree.end[node]] = node
    label = np.full(len(problem), -1, np.int32)
    order = kept[np.argsort(problem.occurrences[kept], kind="stable")].astype(np.int32)
    label[order] = np.arange(order.size)
    nowhere = np.full(len(problem), -1, np.int32)
    everyone = np.arange(problem.weight.size, dtype=np.int32)
    return relabel(everyone, problem.indptr, problem.items, problem.weight, above, nowhere, label, 0), order


def mined(
    baskets: Labelled, order: np.ndarray, k: int, m: int | float, effort: Effort
) -> tuple[np.ndarray, np.ndarray]:
    """`threats_among` the nodes that the baskets were `published` with."""
    longest = int(min(m, np.diff(baskets[0]).max(initial=1)))
    nodes, ends, _, visits = mine(
        baskets, order.size, np.full(order.size, -1, np.int32), order, k, longest, -1, effort.left, effort.space
    )
    effort.spend(visits, nodes.size)
    return nodes, ends


def some_threats(nodes: np.ndarray, ends: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Of the threats at most so many, evenly out of their order."""
    lengths, chosen = np.diff(ends, prepend=0), np.zeros(ends.size, bool)
    chosen[:: max(-(-ends.size // most), 1)] = True
    return nodes[np.repeat(chosen, lengths)], np.cumsum(lengths[chosen])


def without_threats(kept: np.ndarray, nodes: np.ndarray, ends: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """The kept nodes less some that hit every threat: always the one that hits most per worth, the first of equals.

    What turns out not to be needed comes back, the worthiest first.
    """
    threat = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    hits = np.zeros(ends.size, np.int64)  # dropped nodes of each threat
    dropped: list[int] = []
    while not hits.all():
        counts = np.bincount(nodes[hits[threat] == 0], minlength=worth.size)
        worst = int(np.argmax(counts / np.maximum(worth, 1)))
        dropped.append(worst)
        hits[threat[nodes == worst]] += 1
    for node in sorted(dropped, key=lambda each: (-worth[each], each)):
        its = threat[nodes == node]
        if (hits[its] > 1).all():
            hits[its] -= 1
            dropped.remove(node)
    return kept[~np.isin(kept, dropped)]


def best_of_single_nodes(problem: Problem, k: int) -> Anonymization:
    """The least that any cut and suppression costs for m = 1, where any unrelated nodes that k people hold can be kept.

    One walk over the tree, from below: a node is kept if it is worth more than the best that is below it.
    """
    tree = problem.tree
    usable = (problem.support >= k).tolist()
    worth, parent, below = tree.suppress.tolist(), tree.parent.tolist(), [0] * len(problem)
    kept = np.zeros(len(problem), bool)
    for node in range(len(problem) - 1, -1, -1):
        kept[node] = usable[node] and worth[node] > below[node]
        if node:
            below[parent[node]] += worth[node] if kept[node] else below[node]
    return as_anonymization(problem, _highest(kept, tree.end))


def _highest(chosen: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Of the chosen nodes those that are below no other one."""
    covered = np.maximum.accumulate(np.where(chosen, end, 0))
    is_below = np.concatenate(([0], covered[:-1])) > np.arange(end.size)
    return np.flatnonzero(chosen & ~is_below).astype(np.int32)


def as_anonymization(problem: Problem, kept: np.ndarray) -> Anonymization:
    """The cut through the kept nodes that suppresses all else, in as few nodes as that takes."""
    tree = problem.tree
    mark = np.zeros(len(problem) + 1, np.int64)
    mark[kept] = 1
    before = np.concatenate(([0], np.cumsum(mark[:-1])))
    holds_kept = before[tree.end] > before[np.arange(len(problem))]
    wanted = ~holds_kept
    wanted[kept] = True
    cut = first_on_each_path(wanted, tree.end)
    suppressed = cut[~np.isin(cut, kept)]
    cost = int(tree.generalize[cut].sum() + tree.suppress[suppressed].sum())
    return Anonymization(cut, suppressed[problem.occurrences[suppressed] > 0], cost)
