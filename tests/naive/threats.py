"""Slow twins: each method as its paper writes it, on Python sets, for comparison on small inputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

TWIN_OF = ("hghs", "mhghs")


class Tree:
    """A taxonomy as plain dictionaries. Nodes are numbers in the taxonomy's order; a node with an only child is
    the same node as that child, which is the one that is kept."""

    def __init__(self, parent: Sequence[int]) -> None:
        below: dict[int, list[int]] = {node: [] for node in range(len(parent))}
        for node, above in enumerate(parent):
            if above >= 0:
                below[above].append(node)

        def stand_in(node: int) -> int:
            return stand_in(below[node][0]) if len(below[node]) == 1 else node

        self.root = stand_in(0)
        self.children = {}
        self.parent = {self.root: None}
        todo = [self.root]
        while todo:
            node = todo.pop()
            self.children[node] = [stand_in(child) for child in below[node]]
            self.parent.update(dict.fromkeys(self.children[node], node))
            todo += self.children[node]

    def leaves(self, node: int) -> set[int]:
        if not self.children[node]:
            return {node}
        return set().union(*(self.leaves(child) for child in self.children[node]))

    def up(self, node: int) -> list[int]:
        """The node and everything above it."""
        return [] if node is None else [node, *self.up(self.parent[node])]


class Anonymization(NamedTuple):
    cut: list[int]
    suppressed: list[int]
    cost: int  # LM times (all leaves − 1), a whole number


def generalize(tree: Tree, baskets: Iterable[set[int]], cut: Iterable[int]) -> list[set[int]]:
    """D' = g(D, Cut)."""
    chosen = set(cut)
    return [{next(node for node in tree.up(leaf) if node in chosen) for leaf in basket} for basket in baskets]


def all_threats(
    tree: Tree, baskets: list[set[int]], k: int, m: float, cut: Iterable[int] | None = None
) -> set[frozenset[int]]:
    """Privacy threats of all cuts at or above `cut` (default: the leaves): 0 < support < k."""
    if cut is not None:
        baskets = generalize(tree, baskets, cut)
    support: dict[frozenset[int], int] = {}
    for basket in baskets:
        nodes = {above for node in basket for above in tree.up(node)}
        for size in range(1, min(int(min(m, 99)), len(basket)) + 1):
            for itemset in combinations(sorted(nodes), size):
                if not any(a in tree.up(b)[1:] or b in tree.up(a)[1:] for a, b in combinations(itemset, 2)):
                    support[frozenset(itemset)] = support.get(frozenset(itemset), 0) + 1
    return {itemset for itemset, people in support.items() if people < k}


def minimal_threats(
    tree: Tree, baskets: list[set[int]], k: int, m: float, cut: Iterable[int] | None = None
) -> set[frozenset[int]]:
    """Minimal privacy threats of all cuts at or above `cut`, section 4.1."""
    threats = all_threats(tree, baskets, k, m, cut)
    return {
        t for t in threats if not any(frozenset(s) in threats for n in range(1, len(t)) for s in combinations(t, n))
    }


def suppression_scenario(cut: Iterable[int], threats: set[frozenset[int]], cost: dict[int, int]) -> set[int]:
    """Section 3.2: the first valid child, from the root of the enumeration tree down."""
    headlist: list[int] = []
    taillist = sorted(cut, key=lambda node: (-cost[node], node))
    while True:
        for place, node in enumerate(taillist):
            if not any(threat <= {*headlist, node} for threat in threats):
                headlist, taillist = [*headlist, node], taillist[place + 1 :]
                break
        else:
            return set(cut) - set(headlist)


class Loss:
    """Costs of a cut's nodes in whole numbers; LM, and every item as important as any other, unless said otherwise."""

    def __init__(
        self, tree: Tree, *, of_node: dict[int, int] | None = None, worst: int | None = None, weight=None
    ) -> None:
        self.tree = tree
        self.of_node = of_node or {node: len(tree.leaves(node)) - 1 for node in tree.children}
        self.worst = worst or max(len(tree.leaves(tree.root)) - 1, 1)
        self.weight = weight or dict.fromkeys(tree.leaves(tree.root), 1)

    def costs(self, baskets: list[set[int]]) -> tuple[dict[int, int], dict[int, int]]:
        """Of publishing each node, and the extra cost of suppressing it: O(x) · IL_G(x) and O(x) · IL_S(x)."""
        mass = {
            node: sum(self.weight[leaf] for basket in baskets for leaf in basket & self.tree.leaves(node))
            for node in self.tree.children
        }
        publish = {node: mass[node] * self.of_node[node] for node in mass}
        return publish, {node: mass[node] * self.worst - publish[node] for node in mass}


def hghs(
    tree: Tree,
    baskets: list[set[int]],
    k: int,
    m: float,
    bottom: Iterable[int] | None = None,
    loss: Loss | None = None,
) -> Anonymization:
    """Section 3.1 on the taxonomy reduced to `bottom` (default: the leaves)."""
    bottom = set(tree.leaves(tree.root) if bottom is None else bottom)
    gen_cost, sup_cost = (loss or Loss(tree)).costs(baskets)
    threats = minimal_threats(tree, baskets, k, m, bottom)

    def judged(cut: set[int]) -> Anonymization:
        relevant = {threat for threat in threats if threat <= cut}
        suppressed = suppression_scenario(cut, relevant, sup_cost)
        cost = sum(gen_cost[n] for n in cut) + sum(sup_cost[n] for n in suppressed)
        return Anonymization(sorted(cut), sorted(suppressed), cost)

    best = judged({tree.root})
    while True:
        cut = set(best.cut)
        child_cuts = [judged(cut - {n} | set(tree.children[n])) for n in sorted(cut - bottom) if tree.children[n]]
        lowest = min(child_cuts, key=lambda a: a.cost, default=best)  # the first of equals: the taxonomy's order
        if lowest.cost >= best.cost:
            return best
        best = lowest


def mhghs(tree: Tree, baskets: list[set[int]], k: int, m: float, loss: Loss | None = None) -> list[Anonymization]:
    """Section 4.2: what each of the m rounds finds."""
    rounds: list[Anonymization] = []
    for size in range(1, int(min(m, max([1, *map(len, baskets)]))) + 1):
        rounds.append(hghs(tree, baskets, k, size, rounds[-1].cut if rounds else None, loss))
    return rounds
