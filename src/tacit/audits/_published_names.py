"""What published names stand for, by the hierarchy alone: each is a node, a set of items, or a sensitive item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.io.spreadsheet import escape
from tacit.values.sets import members

if TYPE_CHECKING:
    from tacit.baskets.data import BasketData, ItemColumns
    from tacit.job import Column
    from tacit.taxonomy import Taxonomy

_SHOWN = 3


@dataclass(frozen=True, eq=False)
class Names:
    """Items as *units*: the leaves of each column's hierarchy, in its order, then the sensitive items."""

    units: dict[int, np.ndarray]
    """Of each published name, by its number in the published vocabulary."""
    unit_of_item: np.ndarray
    """Of each item of the original."""
    is_secret: np.ndarray
    """For each unit, whether it is a sensitive item."""
    nodes: tuple[dict[int, int], ...]
    """For each column the published nodes, with the number of their names."""
    sets: dict[int, str]
    """Names that are sets, by their number."""
    strays: tuple[str, ...]
    """What is published but stands for nothing, in sentences."""


def read_names(before: BasketData, after: ItemColumns) -> Names:
    """What the names in a published file stand for."""
    units: dict[int, np.ndarray] = {}
    unit_of_item = np.full(len(before.items.baskets.vocabulary), -1, np.int64)
    secret_units: list[int] = []
    all_nodes, strays, sets = [], [], {}
    start = 0
    for number, (column, tree) in enumerate(zip(after.columns, before.trees, strict=True)):
        published = {after.baskets.vocabulary[i]: i for i in np.flatnonzero(after.column_of == number).tolist()}
        first_secret = start + tree.leaves.size
        originals = before.items.columns[number].sensitive_items
        secrets = {label: first_secret + i for i, label in enumerate(originals)}
        written = {escaped: secrets[label] for label, escaped in zip(originals, column.sensitive_items, strict=True)}
        spelt = spellings(tree, column)
        leaf_before: np.ndarray = np.cumsum(tree.is_leaf) - tree.is_leaf  # how many leaves stand before each node
        is_leaf = tree.is_leaf.tolist()
        leaves = {name for name, node in spelt.items() if is_leaf[node]}
        unit_of_leaf = {tree.names[leaf]: start + i for i, leaf in enumerate(tree.leaves.tolist())}
        nodes, unknown = {}, []
        for name, i in published.items():
            if name in written:
                units[i] = np.array([written[name]])
            elif name in spelt:
                node = spelt[name]
                first = start + int(leaf_before[node])
                units[i] = np.arange(first, first + tree.leaf_count[node])
                nodes[node] = i
            elif held := members(name, leaves):
                sets[i] = name
                units[i] = start + leaf_before[[spelt[label] for label in held]]
            else:
                unknown.append(name)
        strays += _strays(column, unknown)
        all_nodes.append(nodes)
        for i in np.flatnonzero(before.items.column_of == number).tolist():
            label = before.items.baskets.vocabulary[i]
            unit_of_item[i] = secrets[label] if label in secrets else unit_of_leaf[label]
        secret_units += secrets.values()
        start = first_secret + len(originals)
    is_secret = np.zeros(start, bool)
    is_secret[secret_units] = True
    return Names(units, unit_of_item, is_secret, tuple(all_nodes), sets, tuple(strays))


def spellings(tree: Taxonomy, column: Column) -> dict[str, int]:
    """Every way in which a node's name may be published: as it is, as a basket can hold it, and escaped."""
    from tacit.baskets.data import separator_of, written_names

    written = [written_names(tree, separator_of(column), blanks=blanks) for blanks in (False, True)]
    spelt: dict[str, int] = {}
    for names in (*(names for names in written if names != tree.names), tree.names):
        # a node's own name goes before what another one may be written as
        signed = [(node, name) for node, name in enumerate(names) if escape(name, alone=False) != name]
        spelt |= {escape(name, alone=alone): node for node, name in signed for alone in (False, True)}
        spelt |= zip(names, range(len(names)), strict=True)
    return spelt


def _strays(column: Column, names: list[str]) -> list[str]:
    if not names:
        return []
    shown = ", ".join(map(repr, sorted(names)[:_SHOWN])) + ", ..." * (len(names) > _SHOWN)
    return [f"shown in {column.name!r}, but neither an item nor a node of the hierarchy ({len(names):,}): {shown}"]
