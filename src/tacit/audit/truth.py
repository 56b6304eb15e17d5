"""Whether published baskets are true: every published item covers an original one, and no one's item is left out alone.

Own code, from what was published and the hierarchy alone; the decision of the method is not consulted. A release by a
global recoding publishes each leaf as the one published node above it, in every basket, or nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.spreadsheet import escape

if TYPE_CHECKING:
    from tacit.baskets import BasketData, ItemColumns
    from tacit.taxonomy import Taxonomy


def false_values(before: BasketData, after: ItemColumns, original: np.ndarray | None = None) -> list[str]:
    """What is not true in published baskets, in sentences; none if all is.

    `original[i]` is the original record of published record i; without it the records are compared as a whole.
    """
    if len(after.baskets) != len(before.items.baskets):
        return [f"{len(after.baskets):,} records were published out of {len(before.items.baskets):,}"]
    problems: list[str] = []
    cover = np.full(len(before.items.baskets.vocabulary), -1, np.int64)
    for number, column in enumerate(after.columns):
        here = np.flatnonzero(after.column_of == number)
        names = {after.baskets.vocabulary[i]: int(i) for i in here}
        labels = np.flatnonzero(before.items.column_of == number)
        problems += _cover_labels(before, number, names, set(column.sensitive_items), labels, cover)
    if problems:
        return problems
    expected = _recoded(before, cover)
    found = _rows(after.baskets.indptr, after.baskets.items)
    if original is None:
        expected, found = np.sort(expected), np.sort(found)
    else:
        expected = expected[original]
    wrong = int(np.count_nonzero(expected != found))
    return [f"{wrong:,} published records are not what their original becomes"] if wrong else []


def _cover_labels(
    before: BasketData, number: int, names: dict[str, int], secret: set[str], labels: np.ndarray, cover: np.ndarray
) -> list[str]:
    """Writes to `cover`, for each original item of a column, which published item covers it."""
    tree = before.trees[number]
    nodes = _published_nodes(tree, names)
    stray = sorted(name for name in names if name not in nodes and name not in secret)
    if stray:
        shown = ", ".join(map(repr, stray[:3])) + ", ..." * (len(stray) > 3)
        return [f"{len(stray)} published items are neither a node of the hierarchy nor an item: {shown}"]
    by_node = {node: names[name] for name, node in nodes.items()}
    for i in labels.tolist():
        label = before.items.baskets.vocabulary[i]
        if label in secret:
            cover[i] = names.get(label, names.get(escape(label), -1))
            continue
        above = [node for node in tree.path(tree.node(label)).tolist() if node in by_node]
        if len(above) > 1:
            return [f"{tree.names[above[-1]]!r} is published beside {tree.names[above[0]]!r}, which is below it"]
        cover[i] = by_node[above[0]] if above else -1
    return []


def _published_nodes(tree: Taxonomy, names: dict[str, int]) -> dict[str, int]:
    """Published names that are nodes of the hierarchy, be they escaped for spreadsheets or not."""
    known = {name: node for node, name in enumerate(tree.names)}
    escaped = {escape(name): node for name, node in known.items()}
    return {name: known.get(name, escaped.get(name, -1)) for name in names if name in known or name in escaped}


def _recoded(before: BasketData, cover: np.ndarray) -> np.ndarray:
    """A number for each original basket as it should have been published."""
    indptr, items = before.items.baskets.indptr, before.items.baskets.items
    becomes = cover[items]
    row = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))[becomes >= 0]
    pairs = np.unique(row << 32 | becomes[becomes >= 0])
    starts = np.searchsorted(pairs >> 32, np.arange(indptr.size))
    return _rows(starts, pairs & 0xFFFFFFFF)


def _rows(indptr: np.ndarray, items: np.ndarray) -> np.ndarray:
    """A number for each basket, the same for equal sets: two sums of mixed 64-bit numbers of the items.

    Sums do not depend on the order. That two different baskets get the same number has a chance of about 2^-64 a pair.
    """
    mixed = items.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
    return total[indptr[1:]] - total[indptr[:-1]]
