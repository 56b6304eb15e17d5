"""Slow twins of the methods for records with baskets: on Python sets, as their pages in docs/methods write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from naive import apriori as naive_apriori
from naive import sets as naive_sets
from naive import threats as naive
from tacit.arrays.attributes import Attribute
from tacit.records.solvers.problem import RecordProblem

TWIN_OF = ("rum-bound", "tum-bound")

Rows = frozenset[int]
TOLERANCE = 1e-12


class OutOfReach(Exception):
    """The bound cannot be kept; carries the least loss that was met."""

    def __init__(self, least: float) -> None:
        self.least = least


def loss(attribute: Attribute, rows: Iterable[int]) -> float:
    """NCP of what some records become in an attribute (section 5)."""
    codes = {int(attribute.codes[row]) for row in rows}
    if attribute.missing in codes:
        if attribute.suppress_missing:
            return 1.0
        if attribute.numbers is not None and len(codes) > 1:
            return 1.0
    if len(codes) == 1:
        return 0.0
    if attribute.numbers is not None:
        numbers = [float(attribute.numbers[code]) for code in codes]
        return (max(numbers) - min(numbers)) / attribute.domain_length if max(numbers) > min(numbers) else 0.0
    if attribute.tree is not None:
        tree = attribute.tree
        assert attribute.leaf_of_code is not None
        paths = [set(tree.path(int(attribute.leaf_of_code[code])).tolist()) for code in codes]
        lowest = max(set.intersection(*paths), key=lambda node: tree.depth[node])
        return float(tree.leaf_count[lowest] / tree.leaf_count[0])
    return len(codes) / len(attribute.texts)


class Data:
    """The records of a problem as sets."""

    def __init__(self, problem: RecordProblem) -> None:
        self.problem, self.n = problem, len(problem)
        self.k, self.m = problem.promise.k, problem.promise.m
        self.l = problem.bound
        self.norm = 2.0  # of Minkowski
        self.baskets = [set(problem.items[a:b].tolist()) for a, b in _pairs(problem.indptr)]
        self.sensitive = [set(problem.sensitive[a:b].tolist()) for a, b in _pairs(problem.sensitive_indptr)]

    def ncp(self, rows: Rows) -> float:
        total = 0.0
        for weight, attribute in zip(self.problem.weights.tolist(), self.problem.attributes, strict=True):
            total += weight * loss(attribute, rows)
        return total

    def published_values(self, rows: Rows) -> tuple[object, ...]:
        """What an attacker sees of a cluster."""
        return tuple(_published(attribute, rows) for attribute in self.problem.attributes)


def _pairs(indptr: np.ndarray) -> Iterable[tuple[int, int]]:
    return zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)


def _published(attribute: Attribute, rows: Rows) -> object:
    codes = sorted({int(attribute.codes[row]) for row in rows})
    special = attribute.numbers is not None or attribute.suppress_missing
    if special and attribute.missing in codes and (len(codes) > 1 or attribute.suppress_missing):
        return "*"
    if attribute.numbers is not None:
        return codes[0], codes[-1]
    if attribute.tree is not None:
        assert attribute.leaf_of_code is not None
        paths = [set(attribute.tree.path(int(attribute.leaf_of_code[code])).tolist()) for code in codes]
        return max(set.intersection(*paths), key=lambda node: attribute.tree.depth[node])  # type: ignore[union-attr]
    return "*" if 1 < len(codes) == len(attribute.texts) else tuple(codes)


def minkowski(data: Data, rows: Rows) -> float:
    total = 0.0
    if data.norm == np.inf:
        important = zip(data.problem.weights.tolist(), data.problem.attributes, strict=True)
        return max((loss(attribute, rows) for weight, attribute in important if weight > 0), default=0.0)
    for weight, attribute in zip(data.problem.weights.tolist(), data.problem.attributes, strict=True):
        each = loss(attribute, rows)
        total += weight * float(np.power(each, data.norm))
    return float(np.power(total, 1 / data.norm))


RUM_OF_CLUSTER: dict[str, Callable[[Data, Rows], float]] = {
    "ncp": lambda data, rows: data.ncp(rows),
    "minkowski": minkowski,
    "discernability": lambda data, rows: float(len(rows)) ** 2,
    "class-size": lambda data, rows: len(rows) / data.k,
}
RUM_OF_DATA: dict[str, Callable[[Data, Sequence[Rows]], float]] = {
    "ncp": lambda data, clusters: sum(len(c) * data.ncp(c) for c in clusters) / data.n,
    "minkowski": lambda data, clusters: sum(len(c) * minkowski(data, c) for c in clusters) / data.n,
    "discernability": lambda data, clusters: sum(len(c) ** 2 for c in clusters) / data.n**2,
    "class-size": lambda data, clusters: data.n / (len(clusters) * data.k),
}


def btd(one: set[int], other: set[int]) -> float:
    return (len(one ^ other) + 1) / (len(one & other) + 1) * len(one | other)


def btd_of(data: Data, rows: Rows) -> float:
    return max(btd(data.baskets[a], data.baskets[b]) for a in rows for b in rows)


def ul(sizes: Sequence[int]) -> Fraction:
    """Of a record whose published items stand for so many items each."""
    return Fraction(sum(2**s - 1 for s in sizes), 2 ** sum(sizes) - 1) if sizes else Fraction(0)


Label = int | tuple[int, ...]
"""The lowest item of a set; a node; several nodes; −1: suppressed."""


class Part(NamedTuple):
    becomes: dict[int, Label]
    ul: Fraction  # the sum over records


def part_of(data: Data, rows: Rows, method: str) -> Part:
    """The transaction part of a cluster, of items in one column."""
    ordered = sorted(rows)
    baskets = [data.baskets[row] for row in ordered]
    items = sorted(set().union(*baskets))
    if sum(map(bool, baskets)) < data.k:
        becomes = dict.fromkeys(items, -1)
    else:
        by_tree = {"apriori": _by_tree, "nodes": _by_nodes_together}
        becomes = by_tree[method](data, baskets) if method in by_tree else _by_sets(data, baskets, items, method)
        becomes = _diverse(data, ordered, becomes, method)
    return Part(becomes, sum((_ul_of_basket(data, basket, becomes, method) for basket in baskets), Fraction(0)))


def _by_sets(data: Data, baskets: list[set[int]], items: list[int], method: str) -> dict[int, int]:
    rarest_first = sorted(items, key=lambda item: (sum(item in basket for basket in baskets), item))
    code_of = {item: i for i, item in enumerate(rarest_first)}
    local = [{code_of[item] for item in basket} for basket in baskets]
    found = naive_sets.merge_items(
        local, len(items), data.k, data.m, any_of_them=method == "pcta", by_occurrences=method == "sets"
    )
    lowest = {cluster: min(i for i in items if found[code_of[i]] == cluster) for cluster in found}
    return {item: lowest[found[code_of[item]]] if found[code_of[item]] >= 0 else -1 for item in items}


def _by_tree(data: Data, baskets: list[set[int]], *, may_suppress: bool = False) -> dict[int, int]:
    """AA, unless that ends at the root, or items may be suppressed at once."""
    problem = data.problem
    assert problem.tree is not None and problem.leaf_of_item is not None
    tree, leaf = naive.Tree(problem.tree.parent.tolist()), problem.leaf_of_item.tolist()
    on_leaves = [{leaf[item] for item in basket} for basket in baskets]
    found = naive_apriori.apriori(tree, on_leaves, data.k, data.m)
    if may_suppress or (found.cut == [tree.root] and tree.children[tree.root]):
        found = naive.mhghs(tree, on_leaves, data.k, data.m)[-1]
    becomes = {}
    for item in set().union(*baskets):
        node = next(node for node in tree.up(leaf[item]) if node in found.cut)
        becomes[item] = -1 if node in found.suppressed else node
    return becomes


def _by_nodes_together(data: Data, baskets: list[set[int]]) -> dict[int, Label]:
    """What the tree suppresses, or calls by its root, is what is left of its branch. These and nodes are merged."""
    problem, node = data.problem, _by_tree(data, baskets, may_suppress=True)
    assert problem.tree is not None and problem.leaf_of_item is not None
    tree, leaf = naive.Tree(problem.tree.parent.tolist()), problem.leaf_of_item.tolist()
    tells = {item: node[item] not in (-1, tree.root) for item in node}
    label = {item: node[item] if tells[item] else -1 - _branch(tree, leaf[item]) for item in node}
    shown = [{label[item] for item in basket} for basket in baskets]
    rarest_first = sorted({*label.values()}, key=lambda each: (sum(each in basket for basket in shown), each))
    code = {each: i for i, each in enumerate(rarest_first)}
    local = [{code[each] for each in basket} for basket in shown]
    found = naive_sets.merge_items(local, len(code), data.k, data.m, any_of_them=False, by_occurrences=True)
    becomes: dict[int, Label] = {}
    for item in node:
        group = found[code[label[item]]]
        together = {other for other in node if found[code[label[other]]] == group}
        names = {label[other] for other in together}
        becomes[item] = label[item] if len(names) == 1 and tells[item] else _nodes_of(tree, leaf, together, {*node})
    return becomes


def _branch(tree: naive.Tree, leaf: int) -> int:
    """The highest node above a leaf but for the root."""
    return [leaf, *(node for node in tree.up(leaf) if node != tree.root)][-1]


def _nodes_of(tree: naive.Tree, leaf: list[int], together: set[int], items: set[int]) -> Label:
    """The highest nodes with no others of the items below, each as low as it can be with the same of them below."""
    own, others = {leaf[item] for item in together}, {leaf[item] for item in items - together}
    below = {each: {*tree.up(each)} for each in own | others}
    nodes = set()
    for each in own:
        free = [n for n in tree.up(each) if not any(n in below[other] for other in others)]
        free = [n for n in free if n != tree.root] or [each]
        inside = [other for other in own if free[-1] in below[other]]
        nodes.add(next(n for n in tree.up(each) if all(n in below[other] for other in inside)))
    return nodes.pop() if len(nodes) == 1 else tuple(sorted(nodes))


def _diverse(data: Data, rows: list[int], becomes: dict[int, int], method: str) -> dict[int, int]:
    """Generalizes, or at last suppresses, the rarest label of the first unsafe set, until there is none."""
    sensitive = set().union(*(data.sensitive[row] for row in rows))
    while data.l > 1 and sensitive:
        shown = [{becomes[item] for item in data.baskets[row]} - {-1} for row in rows]
        unsafe = _first_unsafe(data, rows, shown, sensitive)
        if unsafe is None:
            break
        rarest = min(unsafe, key=lambda label: (sum(label in basket for basket in shown), label))
        becomes = _coarser(data, becomes, rarest, method)
    return becomes


def _first_unsafe(data: Data, rows: list[int], shown: list[set[int]], sensitive: set[int]) -> tuple[int, ...] | None:
    labels = sorted(set().union(*shown))
    for size in range(1, int(min(data.m, max(map(len, shown)))) + 1):
        for itemset in combinations(labels, size):
            held = [row for row, basket in zip(rows, shown, strict=True) if set(itemset) <= basket]
            if held and any(sum(s in data.sensitive[row] for row in held) * data.l > len(held) for s in sensitive):
                return itemset
    return None


def _coarser(data: Data, becomes: dict[int, int], label: int, method: str) -> dict[int, int]:
    if method != "apriori":
        sets = {lowest: [i for i in becomes if becomes[i] == lowest] for lowest in becomes.values()}
        others = sorted((len(sets[lowest]), lowest) for lowest in sets if lowest not in (label, -1))
        if not others:
            return {item: -1 if lowest == label else lowest for item, lowest in becomes.items()}
        joined = {label, others[0][1]}
        return {item: min(joined) if lowest in joined else lowest for item, lowest in becomes.items()}
    tree = data.problem.tree
    assert tree is not None
    above = next((n for n in tree.path(label).tolist() if tree.leaf_count[n] > tree.leaf_count[label]), 0)
    if above == 0 or tree.leaf_count[above] == tree.leaf_count[0]:
        return {item: -1 if node == label else node for item, node in becomes.items()}
    assert data.problem.leaf_of_item is not None
    leaf = data.problem.leaf_of_item.tolist()
    return {item: above if above <= leaf[item] < tree.end[above] else node for item, node in becomes.items()}


def _ul_of_basket(data: Data, basket: set[int], becomes: dict[int, int], method: str) -> Fraction:
    labels = {becomes[item] for item in basket}
    if method in ("apriori", "nodes"):
        assert data.problem.tree is not None
        count = data.problem.tree.leaf_count.tolist()
        nodes = [label if isinstance(label, tuple) else (max(label, 0),) for label in labels]
        sizes = [sum(count[node] for node in each) for each in nodes]
    else:
        members = list(becomes.values())
        sizes = [members.count(label) if label >= 0 else data.problem.n_items for label in labels]
    return ul(sizes)


def state(data: Data, rows: Rows) -> int:
    """0: generalizing keeps the promise; 1: suppressing public items does; 2: nothing does, or merging is better."""

    def with_items(among: Iterable[int]) -> list[int]:
        return [row for row in among if data.baskets[row]]

    def is_diverse(among: Sequence[int]) -> bool:
        held = [s for row in among for s in data.sensitive[row]]
        return max((held.count(s) for s in held), default=0) * data.l <= len(among)

    filled = with_items(rows)
    if not is_diverse(list(rows)) or (not is_diverse(filled) and is_diverse(with_items(range(data.n)))):
        return 2
    return int(bool(filled) and (len(filled) < data.k or not is_diverse(filled)))


class Choice(NamedTuple):
    bound: str
    merge: str
    delta: float
    baskets: str
    order: str
    rum: str


class Merging:
    """Clusters by number; a merged one goes by the lower number."""

    tries = 0

    def __init__(self, data: Data, clusters: Sequence[Rows], choice: Choice, plenty: int = 20) -> None:
        self.data, self.choice, self.plenty = data, choice, plenty
        self.first, self.permitted = clusters, choice.delta
        self.begin()

    def begin(self) -> None:
        self.clusters = dict(enumerate(self.first))
        self.least = float("inf")
        self._join_equal()

    def value(self, rows: Rows) -> float:
        return RUM_OF_CLUSTER[self.choice.rum](self.data, rows)

    def rum(self) -> float:
        return RUM_OF_DATA[self.choice.rum](self.data, list(self.clusters.values()))

    def tum(self) -> float:
        total = sum((part_of(self.data, c, self.choice.baskets).ul for c in self.clusters.values()), Fraction(0))
        self.least = min(self.least, float(total / self.data.n))
        return float(total / self.data.n)

    def allowed(self, seed: int, other: int) -> bool:
        if self.choice.bound != "rum":
            return True
        merged = {n: rows for n, rows in self.clusters.items() if n not in (seed, other)}
        clusters = [*merged.values(), self.clusters[seed] | self.clusters[other]]
        return RUM_OF_DATA[self.choice.rum](self.data, clusters) <= self.permitted + TOLERANCE

    def merge(self, seed: int, other: int) -> int:
        kept, absorbed = min(seed, other), max(seed, other)
        self.clusters[kept] |= self.clusters.pop(absorbed)
        return kept

    def by_values(self, seed: int) -> list[int]:
        def key(other: int) -> tuple[float, float, int]:
            joined = self.clusters[seed] | self.clusters[other]
            return self.value(joined), self.data.ncp(joined), other

        return sorted((n for n in self.clusters if n != seed), key=key)

    def by_baskets(self, seed: int) -> list[int]:
        def key(other: int) -> tuple[float, int]:
            joined = self.clusters[seed] | self.clusters[other]
            if self.choice.order == "btd":
                return btd_of(self.data, joined), other
            return self.ul(joined), other

        return sorted((n for n in self.clusters if n != seed), key=key)

    def ul(self, rows: Rows) -> float:
        return float(part_of(self.data, rows, self.choice.baskets).ul) / len(rows)

    def by_baskets_alone(self, seed: int) -> list[int]:
        """The allowed ones; of the first four by BTD, if there are plenty, the one that loses less goes first."""
        allowed = [n for n in self.by_baskets(seed) if self.allowed(seed, n)]
        if self.choice.order == "btd" and len(allowed) >= self.plenty:
            allowed[:4] = sorted(allowed[:4], key=lambda n: (self.ul(self.clusters[seed] | self.clusters[n]), n))
        return allowed

    def order(self, seed: int) -> list[int]:
        if self.choice.merge == "r":
            return self.by_values(seed)
        if self.choice.merge == "t":
            return self.by_baskets_alone(seed)
        values, baskets = self.by_values(seed), self.by_baskets(seed)
        return sorted(values, key=lambda n: (values.index(n) + baskets.index(n), n))

    def mend(self, least: int, within_bound: bool) -> None:
        waiting = set(self.clusters)
        while len(self.clusters) > 1:
            wrong = [n for n in self.clusters if n in waiting and state(self.data, self.clusters[n]) >= least]
            if not wrong:
                return
            seed = min(wrong, key=lambda n: (self.value(self.clusters[n]), n))
            partners = [n for n in self.clusters if n != seed and (not within_bound or self.allowed(seed, n))]
            if not partners:
                waiting.discard(seed)
                continue
            joined = {n: self.clusters[seed] | self.clusters[n] for n in partners}
            best = min(partners, key=lambda n: (state(self.data, joined[n]), self.value(joined[n]), n))
            waiting.add(self.merge(seed, best))

    def run(self) -> list[Rows]:
        if self.choice.bound == "rum":
            if self.rum() > self.choice.delta + TOLERANCE:
                self.mend(2, within_bound=False)
                raise OutOfReach(self.rum())
            self.mend(2, within_bound=True)
            self.mend(1, within_bound=True)
            self._merge_on(lambda: False)
            if any(state(self.data, rows) == 2 for rows in self.clusters.values()):
                self.mend(2, within_bound=False)
                self._join_equal()
                raise OutOfReach(self.rum())
            self._join_equal()
            exceeded = self.rum() - self.choice.delta
            if exceeded > TOLERANCE:
                self.tries += 1
                self.permitted = self.permitted - exceeded if self.tries < 7 else -float("inf")
                self.begin()
                return self.run()
        else:
            self.mend(2, within_bound=False)
            if self.tum() > self.choice.delta + TOLERANCE:
                self._merge_on(lambda: self.tum() <= self.choice.delta + TOLERANCE)
                if self.tum() > self.choice.delta + TOLERANCE:
                    raise OutOfReach(self.least)
        return sorted(self.clusters.values(), key=min)

    def _merge_on(self, is_met: Callable[[], bool]) -> None:
        waiting = set(self.clusters)
        while len(self.clusters) > 1:
            seeds = [n for n in self.clusters if n in waiting]
            if not seeds:
                return
            seed = min(seeds, key=lambda n: (self.value(self.clusters[n]), n))
            partner = next((n for n in self.order(seed) if self.allowed(seed, n)), None)
            if partner is None:
                waiting.discard(seed)
                continue
            waiting.add(self.merge(seed, partner))
            if is_met():
                return

    def _join_equal(self) -> None:
        first: dict[tuple[object, ...], int] = {}
        for cluster in sorted(self.clusters):
            values = self.data.published_values(self.clusters[cluster])
            if first.setdefault(values, cluster) != cluster:
                self.merge(first[values], cluster)


def cluster(data: Data, seeds: Iterable[int]) -> list[Rows]:
    """Cluster, literally; `seeds` says which of the records that are left is the seed of each cluster."""
    left, clusters, draw = set(range(data.n)), [], iter(seeds)
    while len(left) >= data.k:
        seed = sorted(left)[next(draw) % len(left)]
        near = sorted(left - {seed}, key=lambda row: (data.ncp(frozenset({seed, row})), row))
        clusters.append(frozenset({seed, *near[: data.k - 1]}))
        left -= clusters[-1]
    for row in sorted(left):
        place = min(range(len(clusters)), key=lambda i: (data.ncp(clusters[i] | {row}), i))
        clusters[place] |= {row}
    joined: dict[tuple[object, ...], Rows] = {}
    for rows in clusters:
        values = data.published_values(rows)
        joined[values] = joined.get(values, frozenset()) | rows
    return sorted(joined.values(), key=min)
