"""Slow twins of COAT and PCTA, on Python sets and whole numbers of any size; random cases for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tacit.arrays.sparse import as_sets, keep_where
from tacit.audits.km import check
from tacit.baskets.solvers.constraints import Constraints
from tacit.baskets.solvers.item_groups import ItemGroups
from tacit.promises import KmAnonymity

TWIN_OF = ("coat", "pcta")

Cluster = frozenset[int]


class Recoding:
    """Clusters of items, at first one an item, and what they make of the baskets."""

    def __init__(self, baskets: list[set[int]], n_items: int, weight: Sequence[int], utility: list[set[int]] | None):
        self.baskets, self.weight = baskets, weight
        self.utility = [set(range(n_items))] if utility is None else utility
        self.of_item: dict[int, Cluster | None] = {item: frozenset([item]) for item in range(n_items)}

    def published(self, basket: set[int]) -> set[Cluster]:
        return {self.of_item[item] for item in basket} - {None}

    def people(self, clusters: set[Cluster]) -> int:
        return sum(clusters <= self.published(basket) for basket in self.baskets)

    def image(self, items: Sequence[int]) -> set[Cluster] | None:
        """What a constraint on these items has become: None if an item of it is suppressed."""
        image = {self.of_item[item] for item in items}
        return None if None in image else image

    def utility_loss(self, cluster: Cluster) -> int:
        """UL without its constant denominator."""
        people = sum(bool(cluster & basket) for basket in self.baskets)
        return (2 ** len(cluster) - 1) * max(self.weight[item] for item in cluster) * people

    def occurrences_lost(self, one: Cluster, other: Cluster) -> int:
        """What all occurrences of two clusters' items could be besides, less what it was before they are one."""

        def lost(cluster: Cluster) -> int:
            return (len(cluster) - 1) * sum(len(cluster & basket) for basket in self.baskets)

        return lost(one | other) - lost(one) - lost(other)

    def partners(self, cluster: Cluster) -> list[Cluster]:
        """Clusters that occur and may be merged with this one, by their lowest items."""
        allowed = next((items for items in self.utility if cluster <= items), cluster)
        others = {self.of_item[item] for item in allowed} - {None, cluster}
        return sorted((other for other in others if self.people({other})), key=min)

    def replace(self, clusters: Sequence[Cluster], by: Cluster | None) -> None:
        for cluster in clusters:
            for item in cluster:
                self.of_item[item] = by


def best_merge(
    recoding: Recoding, image: set[Cluster], *, any_of_them: bool, by_occurrences: bool
) -> tuple[Cluster, Cluster] | None:
    """PCTA: the cheapest merge of a cluster of the constraint; COAT: that of the cluster which fewest people hold.

    `best` takes what occurrences lose in place of the papers' measure.
    """
    by_support = sorted(image, key=lambda c: (recoding.people({c}), min(c)))
    mergeable = [cluster for cluster in by_support if recoding.partners(cluster)]
    from_here = mergeable if any_of_them else mergeable[:1]
    merges = [(c, d) for c in sorted(from_here, key=min) for d in recoding.partners(c)]

    def cost(pair: tuple[Cluster, Cluster]) -> int:
        return recoding.occurrences_lost(*pair) if by_occurrences else recoding.utility_loss(pair[0] | pair[1])

    return min(merges, key=cost, default=None)


def satisfy(recoding: Recoding, items: Sequence[int], k: int, **how: bool) -> None:
    while True:
        image = recoding.image(items)
        if image is None or recoding.people(image) >= k:
            return
        merge = best_merge(recoding, image, **how)
        if merge is None:
            recoding.replace([min(image, key=lambda c: (recoding.people({c}), min(c)))], None)
            return
        recoding.replace(merge, merge[0] | merge[1])


def violated(recoding: Recoding, constraints: list[tuple[int, ...]], k: int) -> list[tuple[int, int]]:
    """(people, number) of each constraint that somebody holds, but fewer than k people."""
    found = []
    for index, items in enumerate(constraints):
        image = recoding.image(items)
        if image is not None and 0 < (people := recoding.people(image)) < k:
            found.append((people, index))
    return found


def satisfy_all(recoding: Recoding, constraints: list[tuple[int, ...]], k: int, **how: bool) -> None:
    """Always the violated constraint that fewest people hold, the first of equals; those that nobody holds, and that
    a merge lets somebody hold, have their turn when all others hold."""
    while wrong := violated(recoding, constraints, k):
        at_hand = [constraints[index] for _, index in wrong]
        while wrong := violated(recoding, at_hand, k):
            satisfy(recoding, at_hand[min(wrong)[1]], k, **how)


def held_sets(recoding: Recoding, size: int) -> list[tuple[int, ...]]:
    """The sets of so many clusters that somebody holds, as their lowest items."""
    return sorted(
        {
            itemset
            for basket in recoding.baskets
            for itemset in combinations(sorted(min(cluster) for cluster in recoding.published(basket)), size)
        }
    )


def whole_baskets(recoding: Recoding) -> list[tuple[int, ...]]:
    """What is published of each basket that is not empty, once, in the order of the data's first such baskets."""
    baskets = [tuple(sorted(map(min, recoding.published(basket)))) for basket in recoding.baskets]
    return [basket for basket in dict.fromkeys(baskets) if basket]


def merge_items(
    baskets: list[set[int]],
    n_items: int,
    k: int,
    m: float,
    *,
    any_of_them: bool,
    privacy: Sequence[set[int]] = (),
    utility: list[set[int]] | None = None,
    weight: Sequence[int] | None = None,
    by_occurrences: bool = False,
) -> list[int]:
    """For each item the lowest item of its set, or −1."""
    how = {"any_of_them": any_of_them, "by_occurrences": by_occurrences}
    recoding = Recoding(baskets, n_items, weight or [1] * n_items, utility)

    def longest() -> int:
        return max([0, *(len(recoding.published(basket)) for basket in baskets)])

    wanted = [tuple(sorted(items)) for items in privacy]
    satisfy_all(recoding, wanted, k, **how)
    size = 1
    while size <= min(m, longest()):
        if size > 3 and m >= longest():
            satisfy_all(recoding, whole_baskets(recoding), k, **how)
            break
        satisfy_all(recoding, held_sets(recoding, size), k, **how)
        size += 1
    satisfy_all(recoding, wanted, k, **how)
    return [-1 if cluster is None else min(cluster) for cluster in recoding.of_item.values()]


class SetCase(NamedTuple):
    """A random problem for a method that merges items into sets."""

    baskets: list[set[int]]
    k: int
    m: float
    constraints: Constraints

    def arrays(self) -> tuple[np.ndarray, np.ndarray, int]:
        return (*as_arrays(self.baskets), len(self.constraints.labels))

    def expected(self, *, any_of_them: bool, by_occurrences: bool = False) -> list[int]:
        """What the twin finds, with groups numbered as `ItemGroups` has them."""
        labels = self.constraints.labels
        code_of = {label: item for item, label in enumerate(labels)}

        def items(sets: Sequence[frozenset[str]] | None) -> list[set[int]] | None:
            return None if sets is None else [{code_of[label] for label in labels} for labels in sets]

        lowest = merge_items(
            self.baskets,
            len(labels),
            self.k,
            self.m,
            any_of_them=any_of_them,
            by_occurrences=by_occurrences,
            privacy=items(self.constraints.privacy) or (),
            utility=items(self.constraints.utility),
            weight=[round(1000 * self.constraints.weights.get(label, 1)) for label in labels],
        )
        groups = sorted({item for item in lowest if item >= 0})
        return [groups.index(item) if item >= 0 else -1 for item in lowest]


def as_arrays(baskets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    indptr = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    return indptr, np.array([item for basket in baskets for item in sorted(basket)], np.int32)


def random_set_case(seed: int) -> SetCase:
    """Few items, some that never occur; with and without privacy constraints, utility constraints and weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 11))
    density = rng.random(n) * rng.random() + 0.03
    if rng.random() < 0.3:
        density[:] = density.mean() + 0.2
    baskets = [set(np.flatnonzero(rng.random(n) < density).tolist()) for _ in range(int(rng.integers(0, 26)))]
    labels = tuple(f"item {item}" for item in range(n))
    privacy = utility = None
    weights = {}
    if rng.random() < 0.6:
        sizes = rng.integers(1, min(n, 4) + 1, rng.integers(0, 4))
        privacy = tuple(frozenset(labels[x] for x in rng.choice(n, size, replace=False)) for size in sizes)
    if rng.random() < 0.6:
        part = rng.integers(-1, 4, n)
        utility = tuple(frozenset(labels[x] for x in np.flatnonzero(part == u)) for u in range(4) if (part == u).any())
    if rng.random() < 0.4:
        weights = {label: float(rng.integers(1, 5)) for label in labels if rng.random() < 0.5}
    m = [1, 2, 3, 4, 5, float("inf")][rng.integers(0, 6)]
    return SetCase(baskets, int(rng.integers(1, 6)), m, Constraints(labels, privacy, utility, weights))


def assert_same_as_twin(method: Callable[..., ItemGroups], case: SetCase, *, any_of_them: bool) -> ItemGroups:
    """Same groups as the twin, and the audit finds k^m-anonymity and every privacy constraint kept."""
    found = method(*case.arrays(), case.k, case.m, case.constraints)
    assert found.group.tolist() == case.expected(any_of_them=any_of_them)
    assert_kept(found, case)
    return found


def assert_kept(found: ItemGroups, case: SetCase) -> None:
    indptr, items, _ = case.arrays()
    labels = found.group[items]
    indptr, labels = as_sets(*keep_where(indptr, labels, labels >= 0))
    names = [f"set {index}" for index in range(found.sizes.size)]
    assert check(indptr, labels, names, KmAnonymity(case.k, case.m)).satisfied
    published = [{int(found.group[item]) for item in basket} for basket in case.baskets]
    for constraint in case.constraints.privacy or ():
        wanted = {int(found.group[case.constraints.labels.index(label)]) for label in constraint}
        if -1 not in wanted:
            assert not 0 < sum(wanted <= basket for basket in published) < case.k
    for constraint in np.unique(found.group[found.group >= 0]):
        together = np.flatnonzero(found.group == constraint)
        assert together.size == 1 or np.unique(case.constraints.permit()[together]).tolist() != [-1]
        assert np.unique(case.constraints.permit()[together]).size == 1
