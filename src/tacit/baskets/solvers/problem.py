"""A basket problem in whole numbers: the taxonomy with its costs, and the distinct baskets with their weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tacit.arrays.order import list_order
from tacit.arrays.sparse import take_rows
from tacit.baskets.data import BasketData
from tacit.baskets.solvers.losses import LOSSES, NodeLoss, leaf_metric
from tacit.errors import InputError
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import first_few

_WEIGHT_STEPS = 1000  # weights of items count in thousandths


class Tree(NamedTuple):
    """The taxonomy as the search sees it, in preorder, with costs in whole numbers."""

    parent: np.ndarray
    end: np.ndarray
    generalize: np.ndarray  # cost of publishing the node
    gain: np.ndarray  # what publishing the node costs more than publishing its children
    suppress: np.ndarray  # extra cost of suppressing the node
    rank: np.ndarray  # place in the headlist's order
    by_rank: np.ndarray


@dataclass(frozen=True, eq=False)
class PosedTree:
    """What publishing each node costs; nodes are coded anew, in the taxonomy's order.

    A node with an only child stands for the same leaves as that child, so the two are one node here, by the child's
    name: a search that stops when no split lowers the cost would never get past the pair.
    """

    tree: Tree
    origin: np.ndarray  # the taxonomy's node
    occurrences: np.ndarray  # of leaves below, in the original baskets
    unit: int  # what losing everything costs

    def __len__(self) -> int:
        return self.origin.size


@dataclass(frozen=True, eq=False)
class Problem(PosedTree):
    """What a search for a cut and a suppression looks at: the costs, and the distinct baskets by their leaves."""

    indptr: np.ndarray
    items: np.ndarray  # leaves of `tree`
    weight: np.ndarray  # people per distinct basket
    people: np.ndarray | None = None  # who hold each node, where baskets are left out that tell a search nothing new

    @cached_property
    def support(self) -> np.ndarray:
        """How many people hold each node of the tree, or a leaf below it."""
        if self.people is not None:
            return self.people
        from tacit.baskets.solvers._labelled import supports

        return supports(self.indptr, self.items, self.weight, self.tree.parent)


def pose_baskets(data: BasketData, loss: str = "lm", item_weights: Mapping[str, float] | None = None) -> Problem:
    """The problem of publishing baskets with little of the named loss; items weigh 1 unless said otherwise."""
    indptr, items, leaf_of_item = data.attackable()
    people = data.items.baskets.people
    problem = _with_baskets(pose_costs(data, loss, item_weights), indptr, items, leaf_of_item, people)
    return problem if data.of_all is None else replace(problem, people=data.of_all.people[problem.origin])


def pose_costs(data: BasketData, loss: str = "lm", item_weights: Mapping[str, float] | None = None) -> PosedTree:
    """The same without the baskets, for a method that looks at them record by record."""
    leaf_of_item, occurrences = data.attackable()[2], data.occurrences[data.leaf_of_item >= 0]
    weight = None if item_weights is None else weights_of_items(data, item_weights)
    return _posed(data.taxonomy, occurrences, leaf_of_item, LOSSES[loss](data.taxonomy), weight)


def weights_of_items(data: BasketData, item_weights: Mapping[str, float]) -> np.ndarray:
    """How much an occurrence of each attackable item matters, in thousandths; 1 unless said otherwise."""
    names = [data.taxonomy.names[leaf] for leaf in data.attackable()[2]]
    unknown = [name for name in item_weights if name not in set(names)]
    if unknown:
        raise InputError(
            f"method.item_weights names {first_few(unknown)}, which no basket holds",
            hint="Correct the spelling; with several columns of items write COLUMN:ITEM.",
        )
    return np.array([round(item_weights.get(name, 1) * _WEIGHT_STEPS) for name in names], np.int64)


def pose(
    taxonomy: Taxonomy,
    indptr: np.ndarray,
    items: np.ndarray,
    leaf_of_item: np.ndarray,
    *,
    loss: NodeLoss | None = None,
    item_weight: np.ndarray | None = None,
) -> Problem:
    """The problem of publishing these baskets, whose item i is the taxonomy's leaf `leaf_of_item[i]`.

    `item_weight` says, in whole numbers, how much an occurrence of each item matters.
    """
    occurrences = np.bincount(items, minlength=leaf_of_item.size)
    costs = _posed(taxonomy, occurrences, leaf_of_item, loss or leaf_metric(taxonomy), item_weight)
    return _with_baskets(costs, indptr, items, leaf_of_item, np.ones(indptr.size - 1, np.int64))


def _posed(
    taxonomy: Taxonomy,
    occurrences: np.ndarray,
    leaf_of_item: np.ndarray,
    loss: NodeLoss,
    item_weight: np.ndarray | None,
) -> PosedTree:
    """What publishing the items as each node of the taxonomy costs."""
    kept, node_of = _without_only_children(taxonomy)
    end = node_of[taxonomy.end[kept]].astype(np.int32)
    parent = _parents(end)

    leaf = node_of[leaf_of_item].astype(np.int32)
    mass = occurrences if item_weight is None else occurrences * item_weight
    total = int(mass.sum())

    mass_below = _sum_below(leaf, mass, end)
    return PosedTree(
        _ranked(parent, end, mass_below * loss.numerator[kept], mass_below * (loss.denominator - loss.numerator[kept])),
        kept,
        _sum_below(leaf, occurrences, end),
        total * loss.denominator,
    )


def _with_baskets(
    costs: PosedTree, indptr: np.ndarray, items: np.ndarray, leaf_of_item: np.ndarray, people: np.ndarray
) -> Problem:
    leaf = np.searchsorted(costs.origin, leaf_of_item).astype(np.int32)
    indptr, items, weight = merged(indptr, items, people, leaf)
    order = list_order(indptr, items, len(costs))
    baskets = take_rows(indptr, items, order)
    return Problem(costs.tree, costs.origin, costs.occurrences, costs.unit, *baskets, weight[order])


def cut_off(problem: Problem, cut: np.ndarray) -> Problem:
    """The problem on the taxonomy reduced to the cut and what is above it: round i of mHgHs, section 4.2.

    Costs stay those of the original taxonomy.
    """
    tree = problem.tree
    below = np.zeros(len(problem) + 1, np.int64)  # strictly below a node of the cut
    np.add.at(below, cut + 1, 1)
    np.add.at(below, tree.end[cut], -1)
    kept = np.flatnonzero(np.cumsum(below[:-1]) == 0).astype(np.int32)
    node_of = np.searchsorted(kept, np.arange(len(problem) + 1)).astype(np.int32)
    leaf = node_of.copy()
    for node in cut:
        leaf[node : tree.end[node]] = node_of[node]
    end = node_of[tree.end[kept]]
    return Problem(
        _ranked(_parents(end), end, tree.generalize[kept], tree.suppress[kept]),
        problem.origin[kept],
        problem.occurrences[kept],
        problem.unit,
        *merged(problem.indptr, problem.items, problem.weight, leaf),
        None if problem.people is None else problem.people[kept],
    )


def merged(
    indptr: np.ndarray, items: np.ndarray, weight: np.ndarray, leaf: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The baskets with `leaf[x]` for item x; equal ones are one with the sum of their weights."""
    from tacit.baskets.solvers._labelled import relabel

    everyone = np.arange(weight.size, dtype=np.int32)
    nowhere = np.full(leaf.size, -1, np.int32)
    code = np.arange(leaf.max(initial=0) + 1, dtype=np.int32)
    return relabel(everyone, indptr, items, weight, leaf, nowhere, code, 0)


def first_on_each_path(wanted: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The wanted nodes that have no wanted node above them: a cut, if every leaf is wanted."""
    nodes = np.flatnonzero(wanted)
    furthest = np.maximum.accumulate(end[nodes])
    return nodes[np.r_[True, nodes[1:] >= furthest[:-1]]].astype(np.int32)


def _without_only_children(taxonomy: Taxonomy) -> tuple[np.ndarray, np.ndarray]:
    """Nodes that do not have an only child, and for every node (and one past the last) the code of the first
    such node from it on: of the node itself, or of the descendant that stands for it."""
    nodes = np.arange(len(taxonomy))
    only = np.zeros(len(taxonomy), bool)
    inner = ~taxonomy.is_leaf
    only[inner] = taxonomy.end[np.minimum(nodes + 1, nodes[-1])][inner] == taxonomy.end[inner]
    kept = np.flatnonzero(~only).astype(np.int32)
    return kept, np.searchsorted(kept, np.arange(len(taxonomy) + 1))


def _parents(end: np.ndarray) -> np.ndarray:
    """Parents of a preorder tree given by where its subtrees end."""
    parent = np.full(end.size, -1, np.int32)
    path: list[int] = []
    ends = end.tolist()
    for node, stop in enumerate(ends):
        while path and ends[path[-1]] <= node:
            path.pop()
        if path:
            parent[node] = path[-1]
        if stop > node + 1:
            path.append(node)
    return parent


def _sum_below(leaf: np.ndarray, amount: np.ndarray, end: np.ndarray) -> np.ndarray:
    """For each node, the amounts of the leaves in its subtree."""
    upto = np.zeros(end.size + 1, np.int64)
    np.add.at(upto, leaf + 1, amount)
    upto = np.cumsum(upto)
    return upto[end] - upto[:-1]


def _ranked(parent: np.ndarray, end: np.ndarray, generalize: np.ndarray, suppress: np.ndarray) -> Tree:
    """Headlist order: descending suppression cost, equals in the taxonomy's order."""
    by_rank = np.lexsort((np.arange(end.size), -suppress)).astype(np.int32)
    rank = np.empty(end.size, np.int64)
    rank[by_rank] = np.arange(end.size)
    of_children = np.zeros(end.size, np.int64)
    np.add.at(of_children, parent[1:], generalize[1:])
    return Tree(parent, end, generalize, generalize - of_children, suppress, rank, by_rank)
