"""What the published names of items stand for, by the hierarchy alone: each is a node, a set of items, or sensitive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.audits.truth import few
from tacit.audits.values import items_of, names_in_baskets
from tacit.audits.views.baskets import BasketOriginal, BasketView, separator_of
from tacit.audits.views.spellings import as_one
from tacit.io.spreadsheet import escape
from tacit.job.model import Column
from tacit.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class Names:
    """Items as *units*: the leaves of each column's hierarchy, in its order, then the sensitive items."""

    units: dict[int, np.ndarray]
    """Of each published item that stands for something."""
    unit_of_item: np.ndarray
    """Of each item of the original."""
    is_sensitive: np.ndarray
    """For each unit."""
    counts_as: np.ndarray
    """For each unit: itself, or the first spelling of its sensitive item, unless the job takes them apart."""
    nodes: tuple[dict[int, int], ...]
    """For each column the published nodes, with the items that are called so."""
    sets: dict[int, str]
    """Published items that are sets, with their names."""
    strays: tuple[str, ...]
    """What is published but stands for nothing, in sentences."""


def read_names(before: BasketOriginal, after: BasketView) -> Names:
    """What the names in a published file stand for."""
    units: dict[int, np.ndarray] = {}
    unit_of_item = np.full(len(before.held.labels), -1, np.int64)
    sensitive: list[int] = []
    counts_as: list[int] = []
    sets: dict[int, str] = {}
    all_nodes, strays = [], []
    start = 0
    for index, (column, tree) in enumerate(zip(after.columns, before.trees, strict=True)):
        first_sensitive = start + tree.leaves.size
        own = {label: first_sensitive + i for i, label in enumerate(_sensitive(before.held, index))}
        reader = _Reader(tree, spellings(tree, column, blanks=before.blanks), start)
        unknown = []
        for item in np.flatnonzero(after.column_of == index).tolist():
            name = after.labels[item]
            found = np.array([own[name]]) if name in own else reader.units(name, item)
            if found is None:
                unknown.append(name)
            else:
                units[item] = found
        strays += _strays(column, unknown)
        all_nodes.append(reader.nodes)
        sets |= reader.sets
        unit_of_leaf = {tree.names[leaf]: start + i for i, leaf in enumerate(tree.leaves.tolist())}
        for item in np.flatnonzero(before.held.column_of == index).tolist():
            label = before.held.labels[item]
            unit_of_item[item] = own[label] if label in own else unit_of_leaf[label]
        sensitive += own.values()
        counts_as += range(start, first_sensitive)
        counts_as += (first_sensitive + as_one(list(own))).tolist() if column.fold else own.values()
        start = first_sensitive + len(own)
    is_sensitive = np.zeros(start, bool)
    is_sensitive[sensitive] = True
    one = np.array(counts_as, np.int64)
    return Names(units, unit_of_item, is_sensitive, one, tuple(all_nodes), sets, tuple(strays))


def _sensitive(held: BasketView, column: int) -> list[str]:
    """The sensitive items of a column: those declared, and all their spellings in the original."""
    found = np.flatnonzero(held.is_sensitive & (held.column_of == column)).tolist()
    return list(dict.fromkeys((*held.columns[column].sensitive_items, *(held.labels[item] for item in found))))


class _Reader:
    """Reads names of a column, and notes which are nodes and which are sets."""

    def __init__(self, tree: Taxonomy, spelt: Mapping[str, int], start: int) -> None:
        self.tree, self.spelt, self.start = tree, spelt, start
        self.before: np.ndarray = np.cumsum(tree.is_leaf) - tree.is_leaf  # how many leaves stand before each node
        self.nodes: dict[int, int] = {}
        self.sets: dict[int, str] = {}

    def units(self, name: str, item: int) -> np.ndarray | None:
        """The units that a name stands for; None if it is neither a node nor a set of nodes that do not overlap."""
        if name in self.spelt:
            self.nodes[self.spelt[name]] = item
            return self._below(self.spelt[name])
        held = items_of(name, self.spelt)
        units = np.sort(np.concatenate([np.empty(0, np.int64), *(self._below(self.spelt[each]) for each in held)]))
        if not units.size or (np.diff(units) == 0).any():
            return None
        self.sets[item] = name
        return units

    def _below(self, node: int) -> np.ndarray:
        first = self.start + int(self.before[node])
        return np.arange(first, first + self.tree.leaf_count[node])


def spellings(tree: Taxonomy, column: Column, *, blanks: bool) -> dict[str, int]:
    """Every way in which a node may be called: by its name, as a basket can hold that, and with formulas escaped.

    A node's own name goes before what another one may be written as. The last one is for files whose job does not say
    that they are escaped.
    """
    ways = (not blanks, blanks)  # the way of the file goes before the other one
    written = [names_in_baskets(tree, separator_of(column), blanks=each) for each in ways]
    spelt: dict[str, int] = {}
    for names in (*(names for names in written if names != tree.names), tree.names):
        for alone in (False, True):
            others = [(escape(name, alone=alone), node) for node, name in enumerate(names)]
            spelt |= {other: node for other, node in others if other != names[node]}
        spelt |= zip(names, range(len(names)), strict=True)
    return spelt


def _strays(column: Column, names: list[str]) -> list[str]:
    if not names:
        return []
    shown = few(sorted(names))
    return [f"shown in {column.name!r}, but neither an item nor a node of the hierarchy ({len(names):,}): {shown}"]
