"""The best clusters out of a tree of parts, for any weight of items against values: the frontier of both losses.

A part is a cluster, or its two sides have the best clusters of each. So one pass from the smallest parts up finds, for
a weight w, the partition with the least loss in values + w · loss in items of all that a tree has: those that the
merging of clusters by what it gains per unit lost goes through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from tacit.records.solvers.cutting import CutTree

_WEIGHTS = 80
"""How many points of the curve are looked for."""
_LEAST, _MOST = 1e-3, 1e3
"""Between which weights, in units of the whole range of values ÷ that of items."""
_EXTREME = 1e9


Cut = tuple[float, float, tuple[int, ...]]
"""What some parts lose in values and in items, and which ones they are."""
_CUTS = 32
"""So many cuts of a part are remembered."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Clusters, and what they lose in values and in items (NCP of the data)."""

    tree: LossTree
    is_cluster: np.ndarray  # bool, by part
    values: float
    items: float
    weight: float | None = None  # of items against values, for which no partition loses less
    joined: np.ndarray | None = None  # records that are one more cluster; no part is one that holds any of them
    published: int | None = None  # how many clusters came of these, where some were merged or records moved

    @property
    def balance(self) -> float | None:
        """The share of that weight: what `balance` is where this is published."""
        return None if self.weight is None else self.weight / (1 + self.weight)

    def __len__(self) -> int:
        if self.published is not None:
            return self.published
        return int(np.count_nonzero(self.is_cluster)) + (self.joined is not None)

    def groups(self, n: int) -> np.ndarray:
        """The number of each record's cluster."""
        group = np.zeros(n, np.int32)
        for index, part in enumerate(np.flatnonzero(self.is_cluster).tolist(), start=1):
            group[self.tree.parts.of(part)] = index
        return group if self.joined is not None else group - 1


@dataclass(frozen=True, eq=False)
class LossTree:
    """A tree with what each part loses as a cluster, as its share of the loss of the data: infinitely much if it cannot
    be one."""

    parts: CutTree
    values: np.ndarray
    items: np.ndarray
    instead: np.ndarray  # int64: a part with the same records, cut otherwise; −1 if there is none

    @classmethod
    def of(cls, parts: CutTree, values: np.ndarray, items: np.ndarray) -> LossTree:
        return cls(parts, values, items, np.full(len(parts), -1))

    def or_else(self, other: LossTree) -> LossTree:
        """Both trees, of the same pieces: each piece as this one has it, which is one tree alone, or the other."""
        count, records = len(self.parts), self.parts.records.size
        instead = np.concatenate([self.instead, np.where(other.instead >= 0, other.instead + count, -1)])
        pieces = np.flatnonzero(self.parts.depth == 0)
        instead[pieces] = pieces + count
        one, two = self.parts, other.parts
        return LossTree(
            CutTree(
                np.concatenate([one.records, two.records]),
                np.concatenate([one.start, two.start + records]),
                np.concatenate([one.stop, two.stop + records]),
                np.concatenate([one.left, np.where(two.left >= 0, two.left + count, -1)]),
                np.concatenate([one.depth, two.depth + 1]),
            ),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.items, other.items]),
            instead,
        )

    def best(self, weight: float) -> Partition:
        """The partition that loses least, with so much weight on items."""
        alone = self.values + weight * self.items
        best = self._least(alone)
        is_cluster, is_open = np.zeros(alone.size, bool), self.parts.depth == 0
        for level in self._levels:
            parts = level[is_open[level]]
            left, instead = self.parts.left[parts], self.instead[parts]
            ends = ((left < 0) & (instead < 0)) | (alone[parts] <= best[parts])
            otherwise = ~ends & (instead >= 0) & ((left < 0) | (best[instead] <= best[parts]))
            is_cluster[parts[ends]] = True
            is_open[instead[otherwise]] = True
            sides = left[~ends & ~otherwise]
            is_open[sides] = is_open[sides + 1] = True
        values, items = (float(losses[is_cluster].sum()) for losses in (self.values, self.items))
        return Partition(self, is_cluster, values, items, weight)

    def _least(self, alone: np.ndarray) -> np.ndarray:
        """The least loss of each part: as one cluster, of its two sides, or of the part instead."""
        least = alone.copy()
        for level in reversed(self._levels):
            cut = level[self.parts.left[level] >= 0]
            left = self.parts.left[cut]
            least[cut] = np.minimum(least[cut], least[left] + least[left + 1])
            other = level[self.instead[level] >= 0]
            least[other] = np.minimum(least[other], least[self.instead[other]])
        return least

    @cached_property
    def _levels(self) -> list[np.ndarray]:
        """The parts by their depth: sides, and what stands instead of a part, are deeper than the part."""
        order = np.argsort(self.parts.depth, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.parts.depth))[:-1])

    def frontier(self) -> list[Partition]:
        """Partitions from the least loss in values to the least in items, none as bad as another in both."""
        finest, coarsest = self.best(1 / _EXTREME), self.best(_EXTREME)
        between, gained = coarsest.values - finest.values, finest.items - coarsest.items
        unit = between / gained if between > 0 and gained > 0 else 1.0
        weights = unit * np.geomspace(_LEAST, _MOST, _WEIGHTS)
        return undominated([finest, *map(self.best, weights.tolist()), coarsest])

    def coarse(self, least: int) -> list[Partition]:
        """Partitions into parts of at least so many records (smaller pieces are one part): those, too, that lose more
        than what lies between two others, so that no weight finds them."""
        every: list[Cut] = [(0.0, 0.0, ())]
        for piece in np.flatnonzero(self.parts.depth == 0).tolist():
            every = _few(_both(every, self._coarse(piece, least)))
        found = []
        for values, items, parts in every:
            is_cluster = np.zeros(len(self.parts), bool)
            is_cluster[list(parts)] = True
            found.append(Partition(self, is_cluster, values, items))
        return found

    def _coarse(self, part: int, least: int) -> list[Cut]:
        alone: list[Cut] = []
        if np.isfinite(self.values[part]):
            alone.append((float(self.values[part]), float(self.items[part]), (part,)))
        left = int(self.parts.left[part])
        if left < 0 or self.parts.sizes[left : left + 2].min() < least:
            return alone
        return _few([*alone, *_both(self._coarse(left, least), self._coarse(left + 1, least))])


def _both(ones: Sequence[Cut], others: Sequence[Cut]) -> list[Cut]:
    return [(a + b, x + y, (*one, *other)) for (a, x, one), (b, y, other) in product(ones, others)]


def _few(cuts: Sequence[Cut]) -> list[Cut]:
    """Those that lose less in items than all that lose no more in values; of many some all over."""
    kept: list[Cut] = []
    for cut in sorted(cuts):
        if not kept or cut[1] < kept[-1][1]:
            kept.append(cut)
    return [kept[round(at)] for at in np.linspace(0, len(kept) - 1, min(len(kept), _CUTS))]


def undominated(points: Sequence[Partition]) -> list[Partition]:
    """Those that lose less in items than all that lose no more in values, from the least loss in values on."""
    kept: list[Partition] = []
    for each in sorted(points, key=lambda point: (point.values, point.items)):
        if not kept or each.items < kept[-1].items:
            kept.append(each)
    return kept
