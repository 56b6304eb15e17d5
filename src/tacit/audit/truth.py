"""Whether published baskets are true: every published item covers an original one, and no one's item is left out alone.

Own code, from what was published and the hierarchy alone; the decision of the method is not consulted. A release by a
global recoding publishes each leaf as the one published node above it, in every basket, or nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tacit.spreadsheet import escape

if TYPE_CHECKING:
    from tacit.baskets import BasketData, ItemColumns
    from tacit.encode import Baskets
    from tacit.job import Column
    from tacit.taxonomy import Taxonomy

_SHOWN = 3
_AT_ONCE = 1 << 20
"""Baskets that are compared at once: more would need more memory, not less time."""


def false_values(before: BasketData, after: ItemColumns, original: np.ndarray | None = None) -> list[str]:
    """What is not true in published baskets, in sentences; none if all is.

    `original[i]` is the original record of published record i; without it the records are compared as a whole.
    """
    if len(after.baskets) != len(before.items.baskets):
        return [f"{len(after.baskets):,} records were published out of {len(before.items.baskets):,}"]
    problems: list[str] = []
    covered_by = np.full(len(before.items.baskets.vocabulary), -1, np.int64)
    for number, (column, tree) in enumerate(zip(after.columns, before.trees, strict=True)):
        published = {after.baskets.vocabulary[i]: i for i in np.flatnonzero(after.column_of == number).tolist()}
        secret = dict(zip(before.items.columns[number].sensitive_items, column.sensitive_items, strict=True))
        spelt = _spellings(tree, column)
        others = [name for name in published if name not in secret.values()]
        nodes = {spelt[name]: published[name] for name in others if name in spelt}
        problems += _strays(column, [name for name in others if name not in spelt])
        problems += _nested(tree, nodes)
        for i in np.flatnonzero(before.items.column_of == number).tolist():
            label = before.items.baskets.vocabulary[i]
            if label in secret:
                covered_by[i] = published.get(secret[label], -1)
            else:
                above = (nodes[node] for node in tree.path(tree.node(label)).tolist() if node in nodes)
                covered_by[i] = next(above, -1)
    if problems:
        return problems
    expected = _fingerprints(before.items.baskets, covered_by)
    found = _fingerprints(after.baskets, np.arange(len(after.baskets.vocabulary)))
    wrong = _surplus(found, expected) if original is None else np.count_nonzero(found != expected[original])
    return [f"records that are not what their original becomes: {wrong:,}"] if wrong else []


def _surplus(found: np.ndarray, expected: np.ndarray) -> int:
    """How many of the numbers found are left when each is matched with one expected, in whatever order."""
    _, which = np.unique(np.concatenate((found, expected)), return_inverse=True)
    balance = np.bincount(which[: found.size], minlength=which.max(initial=0) + 1)
    balance -= np.bincount(which[found.size :], minlength=balance.size)
    return int(balance[balance > 0].sum())


def _spellings(tree: Taxonomy, column: Column) -> dict[str, int]:
    """Every way in which a node's name may be published: as it is, as a basket can hold it, and escaped."""
    from tacit.baskets import separator_of, written_names

    written = [written_names(tree, separator_of(column), blanks=blanks) for blanks in (False, True)]
    spelt: dict[str, int] = {}
    for names in (*written, tree.names):  # a node's own name goes before what another one may be written as
        spelt |= {escape(name, alone=alone): node for node, name in enumerate(names) for alone in (False, True)}
        spelt |= {name: node for node, name in enumerate(names)}
    return spelt


def _strays(column: Column, names: list[str]) -> list[str]:
    if not names:
        return []
    shown = ", ".join(map(repr, sorted(names)[:_SHOWN])) + ", ..." * (len(names) > _SHOWN)
    return [f"published in {column.name!r}, but neither an item nor a node of the hierarchy ({len(names):,}): {shown}"]


def _nested(tree: Taxonomy, nodes: Mapping[int, int]) -> list[str]:
    """No published node may lie below another: an item would have two names."""
    for node in sorted(nodes):
        for above in tree.path(node).tolist()[1:]:
            if above in nodes:
                return [f"{tree.names[above]!r} is published beside {tree.names[node]!r}, which is below it"]
    return []


def _fingerprints(baskets: Baskets, shown_as: np.ndarray) -> np.ndarray:
    """A number for each basket of items as they are shown (-1: not at all), the same for equal sets.

    It is the sum of the basket's items, each well mixed, so that two different baskets have the same number with a
    chance of about 2^-64.
    """
    numbers = np.zeros(len(baskets), np.uint64)
    for start in range(0, len(baskets), _AT_ONCE):
        bounds = baskets.indptr[start : start + _AT_ONCE + 1]
        shown = shown_as[baskets.items[bounds[0] : bounds[-1]]]
        pairs = (np.repeat(np.arange(bounds.size - 1) << 32, np.diff(bounds)) | shown)[shown >= 0]
        pairs.sort()
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # a basket is a set
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_mixed(pairs & 0xFFFFFFFF), dtype=np.uint64)))
        ends = np.searchsorted(pairs, np.arange(bounds.size) << 32)
        numbers[start : start + _AT_ONCE] = sums[ends[1:]] - sums[ends[:-1]]
    return numbers


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64: any two numbers get results that have nothing in common."""
    mixed = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))
