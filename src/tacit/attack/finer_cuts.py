"""Would a cut one level lower have kept the promise, too? In worlds where it would, a greedy method had gone there.

A published name is a node of the hierarchy; the finer cut has its children instead, and all other names as they are.
Whoever knows all baskets but for one item of a person can say for each child what the file would have been, and asks
the audit. A child with which the finer file keeps the promise is refuted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from math import comb
from typing import Any

import numpy as np

from tacit.attack.baskets_known import baskets_in
from tacit.attack.scene import Scene
from tacit.audits._sets import sets_of
from tacit.audits.truth.names import read_names

_OTHER = "\0"
"""Ends the name of a child, so that no other name of the file is like it."""


@dataclass(frozen=True, eq=False)
class Name:
    """A published name that stands for several children, and under which of them each item of the original is."""

    item: int
    column: int
    children: tuple[str, ...]
    child_of_item: np.ndarray
    """−1 for items that the name does not stand for."""
    shares: np.ndarray
    """How frequent each child is, of all items below."""


class FinerCuts:
    """The names of a published file that can be made finer, and what the promise says of that."""

    def __init__(self, scene: Scene) -> None:
        self.scene, (self.before, self.after) = scene, baskets_in(scene)
        self.row = np.repeat(np.arange(len(self.after)), np.diff(self.after.starts))
        self._judged: dict[int, Any] = {}

    @cached_property
    def names(self) -> dict[int, Name]:
        """By their items; none that another published name is below, for then different people have different cuts."""
        held, names = self.before.held, read_names(self.before, self.after)
        frequency = np.bincount(held.items, minlength=len(held.labels)).astype(float)
        found = {}
        for column, (tree, nodes) in enumerate(zip(self.before.trees, names.nodes, strict=True)):
            place = {label: node for node, label in enumerate(tree.names)}
            leaf = np.array([place.get(label, -1) for label in held.labels], np.int64)
            leaf[(held.column_of != column) | held.is_sensitive] = -1
            shown = np.sort(np.array(list(nodes), np.int64))
            for node, item in nodes.items():
                below = np.searchsorted(shown, tree.end[node]) - np.searchsorted(shown, node, side="right")
                children = tree.children(node)
                if below or children.size < 2:
                    continue
                child = np.full(leaf.size, -1, np.int64)
                inside = (leaf > node) & (leaf < tree.end[node])
                child[inside] = np.searchsorted(children, leaf[inside], side="right") - 1
                counts = np.bincount(child[inside], frequency[inside], minlength=children.size)
                if np.count_nonzero(counts) > 1:
                    labels = tuple(tree.names[each] for each in children.tolist())
                    found[item] = Name(item, column, labels, child, counts / counts.sum())
        return found

    def children(self, name: Name, row: int) -> np.ndarray:
        """The child of each item of a published record's person that the name stands for."""
        starts, items = self.before.held.starts, self.before.held.items
        person = int(self.scene.people[row])  # type: ignore[index]
        child = name.child_of_item[items[starts[person] : starts[person + 1]]]
        return child[child >= 0]

    def judged(self, name: Name, instead: Mapping[int, np.ndarray] | None = None) -> Any:
        """What the audit says of the file with the children of a name; `instead`: rows with other children."""
        if instead is None and name.item in self._judged:
            return self._judged[name.item]
        stays = self.after.items != name.item
        holders = self.row[~stays]
        rows, items = [self.row[stays]], [self.after.items[stays].astype(np.int64)]
        first = len(self.after.labels)
        for row in holders.tolist():
            of_row = self.children(name, row) if instead is None or row not in instead else instead[row]
            rows.append(np.full(of_row.size, row, np.int64))
            items.append(first + of_row)
        starts, codes = sets_of(np.concatenate(rows), np.concatenate(items), len(self.after))
        column_of = np.concatenate((self.after.column_of, np.full(len(name.children), name.column, np.int32)))
        labels = (*self.after.labels, *(f"{child}{_OTHER}" for child in name.children))
        finer = replace(self.after, starts=starts, items=codes, labels=labels, column_of=column_of)
        promise, view = self.scene.promise, self.scene.view
        view = finer if self.scene.kind == "baskets" else replace(view, baskets=finer)
        result = import_module(promise.audit).audit(view, promise)  # type: ignore[union-attr]
        if instead is None:
            self._judged[name.item] = result
        return result

    def is_judged(self, name: Name) -> bool:
        return name.item in self._judged

    def is_up_to_others(self, name: Name, row: int) -> bool:
        """Whether something breaks the promise of the finer file that nothing in one person's basket can change."""
        facts, violations = self.judged(name).facts, self.judged(name).violations
        if "itemset" not in facts["violation_unit"]:
            return False
        starts, items = self.after.starts, self.after.items
        own = {*items[starts[row] : starts[row + 1]].tolist()}
        names = {self.after.names[item] for item in own} | set(self._finer_names(name))
        if any(not names.issuperset(each["itemset"]) for each in violations):
            return True
        m = getattr(self.scene.promise, "m", None)
        return isinstance(m, int) and facts["violation_count"] > 2 * sum(comb(len(own) - 1, size) for size in range(m))

    def _finer_names(self, name: Name) -> list[str]:
        labels = tuple(f"{child}{_OTHER}" for child in name.children)
        column_of = np.full(len(labels), name.column, np.int32)
        return replace(self.after, labels=labels, column_of=column_of, items=self.after.items[:0]).names

    def allowed(self, name: Name, row: int, at: int) -> np.ndarray:
        """For each child, whether the cut had to be as high as it is, were it the child of one item of a person."""
        own = self.children(name, row)
        found = np.zeros(name.shares.size, bool)
        for child in np.flatnonzero(name.shares).tolist():
            other = own.copy()
            other[at] = child
            found[child] = not self.judged(name, {row: other}).satisfied
        return found
