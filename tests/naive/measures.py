"""The measures of baskets as their definitions say, record by record and set by set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

Occurrence = tuple[int, int]
"""An item and the name that it is published by, −1 for none."""


def non_empty_subsets(items: Sequence[int]) -> Iterator[frozenset[int]]:
    for size in range(1, len(items) + 1):
        yield from map(frozenset, combinations(items, size))


def expected(query: set[int], published: list[set[int]], stands_for: list[list[int]], *, even: bool) -> float:
    """The expected count: for each record every way to fill its names is tried, each as likely."""
    total = Fraction(0)
    for names in published:
        ways = [
            [frozenset([leaf]) for leaf in stands_for[name]] if even else list(non_empty_subsets(stands_for[name]))
            for name in sorted(names)
        ]
        filled = list(product(*ways))
        total += Fraction(sum(query <= set().union(*way) for way in filled), len(filled))
    return float(total)


def frequencies(published: list[set[int]], stands_for: list[list[int]], n_items: int) -> list[float]:
    found = [Fraction(0)] * n_items
    for names in published:
        for name in names:
            for item in stands_for[name]:
                found[item] += Fraction(1, len(stands_for[name]))
    return list(map(float, found))


def frequent(records: list[set[int]], wanted: int, n_items: int) -> list[frozenset[int]]:
    """The itemsets of up to three items that so many records hold."""
    every = (frozenset(each) for size in (1, 2, 3) for each in combinations(range(n_items), size))
    return [itemset for itemset in every if sum(itemset <= record for record in records) >= wanted]


def holds_by_own_names(record: list[Occurrence], itemset: frozenset[int], stands_for: list[list[int]]) -> bool:
    return itemset <= {item for item, name in record if name >= 0 and len(stands_for[name]) == 1}


def holds_by_some_names(record: list[Occurrence], itemset: frozenset[int]) -> bool:
    """All items are shown, no two of them by one name."""
    names = [name for item, name in record if item in itemset and name >= 0]
    return len(names) == len(itemset) == len(set(names))
