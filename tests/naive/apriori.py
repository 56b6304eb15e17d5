"""Slow twins of the Apriori family: each method on Python sets, as its page in docs/methods writes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from naive.threats import Anonymization, Loss, Tree
from support.cases import Case
from tacit.taxonomy import Taxonomy

TWIN_OF = ("apriori", "vpa", "lra")

Itemset = tuple[int, ...]


class Rows(NamedTuple):
    """Public items, and beside them the sensitive ones, of each person."""

    public: list[set[int]]
    sensitive: list[set[int]]

    def at(self, rows: Iterable[int]) -> Rows:
        return Rows([self.public[i] for i in rows], [self.sensitive[i] for i in rows])


def random_case_of_many(seed: int) -> Case:
    """A bushy taxonomy and many short baskets, where generalization alone has something to keep."""
    rng = np.random.default_rng([seed, 1])
    parents, level = [-1], [0]
    for _ in range(rng.integers(1, 4)):
        above = [node for node in level for _ in range(rng.integers(1, 5))]
        level = list(range(len(parents), len(parents) + len(above)))
        parents += above
    tree = Taxonomy.from_parents([f"n{node}" for node in range(len(parents))], parents)
    frequency = rng.random(tree.leaves.size) ** rng.integers(1, 4)
    frequency *= rng.uniform(0.5, 3) / frequency.sum()
    drawn = rng.random((rng.integers(10, 150), tree.leaves.size)) < frequency
    baskets = [set(tree.leaves[row].tolist()) for row in drawn]
    return Case(tree, baskets, int(rng.integers(2, 6)), [1, 2, 2, 3, float("inf")][rng.integers(0, 5)])


class OutOfReach(Exception):
    """No generalization of an itemset makes it safe."""


class Ascent:
    """A cut on its way up, and the ways to make an itemset safe."""

    def __init__(self, tree: Tree, rows: Rows, is_safe: Callable[[Rows], bool], loss: Loss | None = None) -> None:
        self.tree, self.rows, self.is_safe = tree, rows, is_safe
        self.publish, _ = (loss or Loss(tree)).costs(rows.public)
        self.cut = tree.leaves(tree.root)
        self.within = set(tree.children)

    def holders(self, nodes: Collection[int]) -> Rows:
        """Rows that hold an item below each of the nodes."""
        below = [self.tree.leaves(node) for node in nodes]
        return self.rows.at(
            [i for i, basket in enumerate(self.rows.public) if all(basket & leaves for leaves in below)]
        )

    def alive(self, node: int) -> bool:
        """At or above the cut."""
        return any(node in self.tree.up(lower) for lower in self.cut)

    def rank(self, node: int) -> tuple[int, int]:
        return -len(self.holders([node]).public), node

    def count_tree(self, size: int, nodes: Collection[int]) -> list[Itemset]:
        """Itemsets that occur, of unrelated nodes out of these, in preorder."""
        rank = {node: self.rank(node) for node in nodes}
        found = set()
        for basket in self.rows.public:
            above = {node for leaf in basket for node in self.tree.up(leaf)} & set(nodes) - {self.tree.root}
            for itemset in combinations(sorted(above, key=rank.__getitem__), size):
                if not any(a in self.tree.up(b) or b in self.tree.up(a) for a, b in combinations(itemset, 2)):
                    found.add(itemset)
        return sorted(found, key=lambda itemset: [rank[node] for node in itemset])

    def raised(self, targets: Collection[int]) -> set[int]:
        """The cut with these nodes in place of what is below them."""
        below = {node for node in self.cut if any(target in self.tree.up(node) for target in targets)}
        return self.cut - below | set(targets)

    def repair(self, itemset: Itemset, to_root: bool) -> bool:
        best = None
        ups = [[node for node in self.tree.up(node) if node in self.within] for node in itemset]
        for climbs in product(*(range(len(up)) for up in ups)):
            reached = {up[climb] for up, climb in zip(ups, climbs, strict=True)}
            image = {
                node for node in reached if not any(node != other and other in self.tree.up(node) for other in reached)
            }
            safe = to_root if image == {self.tree.root} else self.is_safe(self.holders(image))
            cut = self.raised(image - set(itemset))
            key = sum(self.publish[node] for node in cut), climbs
            if safe and (best is None or key < best[0]):
                best = key, cut
        if best:
            self.cut = best[1]
        return best is not None

    def visit(self, size: int, nodes: Collection[int], to_root: bool = True) -> bool:
        """Repairs what is not safe; whether all of it could be."""
        all_repaired = True
        for itemset in self.count_tree(size, nodes):
            if all(map(self.alive, itemset)) and not self.is_safe(self.holders(itemset)):
                all_repaired &= self.repair(itemset, to_root)
        return all_repaired

    def climb(self, m: float, within: set[int] | None = None) -> None:
        """AA's levels; `within` a part of the domain, whose tops are as high as it goes."""
        self.within = set(self.tree.children) if within is None else within
        for size in range(1, int(min(m, max(map(len, self.rows.public), default=0))) + 1):
            nodes = [node for node in self.within if self.alive(node)]
            self.visit(size, nodes, to_root=within is None)

    def anonymization(self) -> Anonymization:
        return Anonymization(sorted(self.cut), [], sum(self.publish[node] for node in self.cut))


def _ascent(tree: Tree, baskets: list[set[int]], k: int, loss: Loss | None) -> Ascent:
    return Ascent(tree, Rows(baskets, [set()] * len(baskets)), lambda rows: len(rows.public) >= k, loss)


def apriori(tree: Tree, baskets: list[set[int]], k: int, m: float, loss: Loss | None = None) -> Anonymization:
    ascent = _ascent(tree, baskets, k, loss)
    ascent.climb(m)
    return ascent.anonymization()


def parts_of_domain(tree: Tree, baskets: list[set[int]], parts: int) -> list[set[int]]:
    occurrences = {node: sum(len(basket & tree.leaves(node)) for basket in baskets) for node in tree.children}
    total = max(occurrences[tree.root], 1)

    def tops(node: int) -> list[int]:
        if not tree.children[node] or occurrences[node] * parts <= total:
            return [node]
        return [top for child in tree.children[node] for top in tops(child)]

    part: list[set[int]] = [set() for _ in range(parts)]
    before = 0
    for top in tops(tree.root):
        index = min(before * parts // total, parts - 1)
        part[index] |= {node for node in tree.children if top in tree.up(node)}
        before += occurrences[top]
    return part


def vpa(tree: Tree, baskets: list[set[int]], k: int, m: float, parts: int) -> Anonymization:
    ascent = _ascent(tree, baskets, k, None)
    for nodes in parts_of_domain(tree, baskets, parts):
        ascent.climb(m, nodes)
    ascent.climb(m)
    return ascent.anonymization()


def gray_rank(basket: set[int], leaves: list[int]) -> int:
    """The place of a basket in the reflected Gray code whose first digit is the first leaf."""
    place, parity = 0, 0
    for leaf in leaves:
        parity ^= leaf in basket
        place = 2 * place + parity
    return place


class Part(NamedTuple):
    rows: list[int]
    found: Anonymization


def lra(
    tree: Tree, baskets: list[set[int]], partition_size: int, anonymized: Callable[[list[int]], Anonymization]
) -> list[Part]:
    """Parts that keep something; `anonymized` is AA on some of the rows."""
    leaves = sorted(tree.leaves(tree.root))
    order = sorted((i for i, basket in enumerate(baskets) if basket), key=lambda i: gray_rank(baskets[i], leaves))
    n = max(1, len(order) // partition_size)
    waiting, begin = [], 0
    for index in range(n):
        size = len(order) // n + (index < len(order) % n)
        waiting.append(order[begin : begin + size])
        begin += size
    done: list[Part] = []
    while waiting:
        rows = waiting.pop(0)
        is_all = not waiting and not done
        try:
            found = anonymized(rows)
        except OutOfReach:
            if is_all:
                raise
            found = None
        if found and (is_all or found.cut != [tree.root]):
            done.append(Part(rows, found))
        elif waiting:
            waiting[0] = rows + waiting[0]
        else:
            waiting = [done.pop().rows + rows]
    return done


def lra_km(tree: Tree, baskets: list[set[int]], k: int, m: float, partition_size: int) -> list[Part]:
    return lra(tree, baskets, partition_size, lambda rows: apriori(tree, [baskets[i] for i in rows], k, m))


def lra_lm(tree: Tree, rows: Rows, l: Fraction, m: float, partition_size: int) -> list[Part]:  # noqa: E741
    if diversity(rows) < l:
        raise OutOfReach
    return lra(tree, rows.public, partition_size, lambda chosen: apriori_lm(tree, rows.at(chosen), l, m))


def diversity(rows: Rows) -> float | Fraction:
    """People for each one who has the most frequent sensitive item."""
    items = set().union(*rows.sensitive)
    most = max((sum(item in basket for basket in rows.sensitive) for item in items), default=0)
    return Fraction(len(rows.public), most) if most else float("inf")


def apriori_lm(tree: Tree, rows: Rows, l: Fraction, m: float, parts: int = 0) -> Anonymization:  # noqa: E741
    """AA for ℓ^m-diversity; with parts, VPA."""
    ascent = Ascent(tree, rows, lambda held: diversity(held) >= l)
    levels = range(1, int(min(m, max(map(len, rows.public), default=0))) + 1)
    for part in parts_of_domain(tree, rows.public, parts) if parts else []:
        ascent.within = part
        for level in levels:
            before = None
            while ascent.cut != before:
                before = ascent.cut
                for size in range(1, level + 1):
                    ascent.visit(size, ascent.cut & part, to_root=False)
    ascent.within = set(tree.children)
    root_is_safe = diversity(ascent.holders([tree.root])) >= l
    if diversity(rows) < l or (len(tree.children) == 1 and not root_is_safe):
        raise OutOfReach
    for level in levels:
        before = None
        while ascent.cut != before:
            before = ascent.cut
            for size in range(1, level + 1):
                if not ascent.visit(size, ascent.cut, root_is_safe):
                    raise OutOfReach
    return ascent.anonymization()


def is_km_anonymous(baskets: list[set[int]], k: int, m: float) -> bool:
    """Counted anew, on published baskets."""
    for size in range(1, int(min(m, max(map(len, baskets), default=0))) + 1):
        for itemset in {tuple(c) for basket in baskets for c in combinations(sorted(basket), size)}:
            if sum(set(itemset) <= basket for basket in baskets) < k:
                return False
    return True
