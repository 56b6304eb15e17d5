"""Slow twin of MM: greedy suppression of the item with the most minimal moles per loss (Xu et al. 2008), on sets."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any

from exams.cases import Case

TWIN_OF = ("suppression",)


def is_mole(itemset: Iterable[int], baskets: list[set[int]], sensitive: set[int], h: Fraction, k: int) -> bool:
    """Whether some basket holds the itemset, and too few do or too many of those hold one sensitive item."""
    holders = [basket for basket in baskets if set(itemset) <= basket]
    most = max((sum(z in basket for basket in holders) for z in sensitive), default=0)
    return len(holders) > 0 and (len(holders) < k or most > h * len(holders))


def occurring(baskets: list[set[int]], p: float) -> set[frozenset[int]]:
    """All itemsets of at most p items that some basket holds."""
    return {
        frozenset(itemset)
        for basket in baskets
        for size in range(1, int(min(p, len(basket))) + 1)
        for itemset in combinations(sorted(basket), size)
    }


def minimal_moles(baskets: list[set[int]], sensitive: set[int], h: Fraction, k: int, p: float) -> set[frozenset[int]]:
    candidates = occurring([basket - sensitive for basket in baskets], p)
    moles = {itemset for itemset in candidates if is_mole(itemset, baskets, sensitive, h, k)}
    return {
        mole
        for mole in moles
        if not any(frozenset(part) in moles for size in range(1, len(mole)) for part in combinations(mole, size))
    }


def suppress_moles(
    baskets: list[set[int]],
    k: int,
    p: float,
    h: Fraction = Fraction(1),
    sensitive: set[int] = frozenset(),
    loss: dict[int, int] | None = None,
) -> set[int]:
    items = set().union(*baskets) - sensitive
    loss = loss or {x: sum(x in basket for basket in baskets) for x in items}
    moles = minimal_moles(baskets, sensitive, h, k, p)
    suppressed = {x for mole in moles if len(mole) == 1 for x in mole}
    while True:
        moles = {mole for mole in moles if not mole & suppressed}
        count = {x: sum(x in mole for mole in moles) for x in items}
        if not moles:
            return suppressed

        def score(x: int, count: dict[int, int] = count) -> tuple[float | Fraction, int]:
            per_loss = Fraction(count[x], loss[x]) if loss[x] else float("inf")
            return per_loss, x

        suppressed = suppressed | {max((x for x in items if count[x]), key=score)}


def publishes(case: Case, promise: Any, **given: Any) -> list[dict[str, Any]]:
    """The rows without what is suppressed. Of equals the last goes: of leaves for km, of the items' texts otherwise."""
    (column, tree), *_ = case.trees.items()
    leaves = [path[0] for path in tree.to_paths()]
    names = leaves if promise.name == "km" else sorted([*leaves, *case.roles["sensitive_items"]])
    sensitive = {names.index(item) for item in case.roles["sensitive_items"]}
    baskets = [{names.index(item) for item in basket} for basket in case.frame[column].to_pylist()]
    most, share = (promise.m, Fraction(1)) if promise.name == "km" else (promise.p, Fraction(str(promise.h)))
    suppressed = suppress_moles(baskets, promise.k, most, share, sensitive)
    return [{column: [names[item] for item in basket - suppressed]} for basket in baskets]
