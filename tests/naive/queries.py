"""Counting queries as they are defined: each published cell by its text, each generalized item set by set."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

from tacit.taxonomy import Taxonomy
from tacit.values.reading import set_members

Wants = Mapping[str, Callable[[str], bool]]
"""For each column which of its values are wanted."""


def true_count(records: Sequence[Mapping[str, str]], baskets: Sequence[set[str]], wants: Wants, items: set[str]) -> int:
    pairs = zip(records, baskets, strict=True)
    return sum(all(fits(record[name]) for name, fits in wants.items()) and items <= basket for record, basket in pairs)


def expected_count(
    published: Sequence[Mapping[str, str]],
    names: Sequence[set[str]],
    may_be: Mapping[str, Callable[[str], list[str]]],
    stands_for: Callable[[str], list[str]],
    wants: Wants,
    items: set[str],
) -> float:
    """The sum over published records of the share of all originals that they might stand for."""
    total = Fraction(0)
    for record, shown in zip(published, names, strict=True):
        share = Fraction(1)
        for name, fits in wants.items():
            values = may_be[name](record[name])
            share *= Fraction(sum(map(fits, values)), len(values))
        worlds = list(product(*(non_empty(stands_for(name)) for name in sorted(shown))))
        total += share * Fraction(sum(items <= set().union(*world) for world in worlds), len(worlds))
    return float(total)


def non_empty(items: Sequence[str]) -> list[set[str]]:
    chosen = product((False, True), repeat=len(items))
    return [{x for x, bit in zip(items, bits, strict=True) if bit} for bits in chosen if any(bits)]


def values_of(text: str, domain: Sequence[str], tree: Taxonomy | None = None) -> list[str]:
    """The values that a published text may be, out of those of the data or below the node."""
    if tree is not None and text in tree.names and not tree.is_leaf[tree.node(text)]:
        return leaves_below(text, tree)
    if text == "*":
        return list(domain)
    ends = re.fullmatch(r"\[(.*):(.*)\]", text)
    if ends:
        return [value for value in domain if value and float(ends[1]) <= float(value) <= float(ends[2])]
    if text.startswith("[≤"):
        return [value for value in domain if value and float(value) <= float(text[2:-1])]
    if text.startswith("[≥"):
        return [value for value in domain if value and float(value) >= float(text[2:-1])]
    return list(set_members(text)) or [text]


def leaves_below(name: str, tree: Taxonomy) -> list[str]:
    node = tree.node(name)
    return [tree.names[i] for i in range(node, int(tree.end[node])) if tree.is_leaf[i]]
