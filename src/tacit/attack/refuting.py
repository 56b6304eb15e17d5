"""Which finer value a label rules out, if the method makes labels no wider than the people of a group need.

A label stands for finer *parts*: a range for the numbers in it, a set for its values, a node for its children. Were the
method to publish a narrower label where it can, then somebody of the group is at each end of the range, somebody has
each value of the set, and no child of the node has the whole group. So what one person can have depends on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from tacit.attack.distances import _numbers
from tacit.audits.values import members_of
from tacit.audits.views.columns import KnownColumn

RANGES, SETS, NODES = "ranges", "sets", "nodes of a hierarchy"
_MOST_NEEDED = 8
"""In larger sets it is not weighed how likely others have all the rest."""


@dataclass(frozen=True, eq=False)
class Label:
    """A published label that stands for several parts."""

    sort: str
    part_of: np.ndarray
    """Of each value of the original its part; −1 if the label does not stand for it."""
    shares: np.ndarray
    """How frequent each part is among all whom the label may stand for."""
    needed: tuple[int, ...] | None
    """The parts that somebody of a group must have; None: any two."""

    def is_tight(self, have: np.ndarray) -> bool:
        """Whether a group in which so many have each part needs a label as wide as this one."""
        if self.needed is None:
            return bool(np.count_nonzero(have) > 1)
        return all(have[part] for part in self.needed)

    def by_chance(self, people: int) -> float:
        """How likely so many people need it, if they are like all whom it may stand for."""
        return float(self._chance(people, self.needed))

    def given_others(self, others: np.ndarray) -> np.ndarray:
        """How likely each part is for somebody, if so many others of the group have each."""
        allowed = np.ones(self.shares.size, bool)
        if self.needed is None:
            there = np.flatnonzero(others)
            if there.size == 1:
                allowed[there] = False
        else:
            lacking = [part for part in self.needed if not others[part]]
            if len(lacking) == 1:
                allowed[:] = False
                allowed[lacking] = True
        return self.shares * allowed if (self.shares * allowed).any() else self.shares

    def given_method(self, others: int) -> np.ndarray:
        """The same if nobody else of the group is known: by how likely the others make up for the rest."""
        if self.needed is None:
            return self.shares * (1 - self.shares**others)
        weights = np.full(self.shares.size, self._chance(others, self.needed))
        for part in self.needed:
            weights[part] = self._chance(others, tuple(each for each in self.needed if each != part))
        return self.shares * weights if weights.any() else self.shares

    def _chance(self, people: int, needed: tuple[int, ...] | None) -> float:
        if needed is None:
            return 1.0 - float((self.shares**people).sum())
        if len(needed) > _MOST_NEEDED:
            return 1.0
        chance = 0.0  # whoever lacks none of them, by inclusion and exclusion
        for count in range(len(needed) + 1):
            for lacking in combinations(needed, count):
                chance += (-1) ** count * max(1.0 - float(self.shares[list(lacking)].sum()), 0.0) ** people
        return max(chance, 0.0)


class WideLabels:
    """The labels of a published column that stand for several parts, each read when it is asked for."""

    def __init__(self, column: KnownColumn, texts: Sequence[str]) -> None:
        self.column, self.texts = column, texts
        self._frequency = np.bincount(column.codes, minlength=len(column.cells.texts)).astype(float)

    @cached_property
    def is_wide(self) -> np.ndarray:
        """For each label, whether it may stand for several parts."""
        if self.column.tree is not None:
            return np.array([self._node(text) >= 0 for text in self.texts], bool)
        if self.column.numbers is not None:
            low, high = self._ends.low, self._ends.high
            return np.isfinite(low) & np.isfinite(high) & (low < high)
        return np.array([len(members_of(text)) > 1 for text in self.texts], bool)

    def label(self, code: int) -> Label | None:
        """A label that stands for several parts; None if the file has but one of them."""
        read = self._as_node if self.column.tree is not None else self._as_set
        found = self._as_range(code) if self.column.numbers is not None and self.column.tree is None else read(code)
        return found if found is not None and np.count_nonzero(found.shares) > 1 else None

    def _made(self, sort: str, part_of: np.ndarray, needed: tuple[int, ...] | None) -> Label:
        inside = part_of >= 0
        width = int(part_of.max(initial=-1)) + 1
        counts = np.bincount(part_of[inside], self._frequency[inside], minlength=width)
        return Label(sort, part_of, counts / max(counts.sum(), 1.0), needed)

    @cached_property
    def _ends(self) -> Any:
        return _numbers(self.column, tuple(self.texts))

    @cached_property
    def _ascending(self) -> np.ndarray:
        assert self.column.numbers is not None
        return np.unique(self.column.numbers[np.isfinite(self.column.numbers)])

    def _as_range(self, code: int) -> Label | None:
        low, high, numbers = float(self._ends.low[code]), float(self._ends.high[code]), self.column.numbers
        assert numbers is not None
        first = int(np.searchsorted(self._ascending, low))
        last = int(np.searchsorted(self._ascending, high, side="right")) - 1
        if last <= first:
            return None
        is_at = self._ascending[first] == low, self._ascending[last] == high
        needed = tuple(part for part, there in zip((0, last - first), is_at, strict=True) if there)
        if not needed:  # an end that no value of the file has is not as tight as can be
            return None
        inside = (numbers >= low) & (numbers <= high)
        return self._made(RANGES, np.where(inside, np.searchsorted(self._ascending, numbers) - first, -1), needed)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {text: code for code, text in enumerate(self.column.cells.texts)}

    def _as_set(self, code: int) -> Label:
        members = [self._place[each] for each in members_of(self.texts[code]) if each in self._place]
        part_of = np.full(len(self._place), -1, np.int64)
        part_of[members] = np.arange(len(members))
        return self._made(SETS, part_of, tuple(range(len(members))))

    @cached_property
    def _node_of(self) -> dict[str, int]:
        return {name: node for node, name in enumerate(self.column.tree.names)}  # type: ignore[union-attr]

    def _node(self, text: str) -> int:
        """The inner node that a text names; −1 if it names none."""
        node = self._node_of.get(text, -1)
        return -1 if node < 0 or self.column.tree.is_leaf[node] else node  # type: ignore[union-attr]

    @cached_property
    def _own(self) -> np.ndarray:
        return np.array([self._node_of.get(text, -1) for text in self.column.cells.texts], np.int64)

    def _as_node(self, code: int) -> Label:
        below = child_of(self.column.tree, self._node(self.texts[code]), self._own)
        part_of = np.full(self._own.size, -1, np.int64)
        part_of[below >= 0] = np.unique(below[below >= 0], return_inverse=True)[1]
        return self._made(NODES, part_of, None)


def child_of(tree: Any, node: int, values: np.ndarray) -> np.ndarray:
    """Under which child of a node each value is; −1 if it is not below it."""
    found = values.copy()
    while True:
        above = np.where(found >= 0, tree.parent[np.maximum(found, 0)], -1)
        climbs = (found >= 0) & (above != node)
        if not climbs.any():
            return found
        found[climbs] = above[climbs]


def chance_to_be_right(weights: np.ndarray, true: int) -> float:
    """Of whoever takes the likeliest part, ties shared equally."""
    best = weights >= weights.max() - 1e-12
    return float(best[true]) / int(best.sum())
