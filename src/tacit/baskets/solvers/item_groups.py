"""What a set-based method decides: which items are published together as a set, and which not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class ItemGroups:
    """A global recoding of items: equal codes are published as one set, which stands for any of its items or
    several of them; −1 is not published. Groups are numbered in the order of their lowest items."""

    group: np.ndarray

    @classmethod
    def from_clusters(cls, cluster: np.ndarray) -> ItemGroups:
        """From any codes that tell the groups apart, −1 for a suppressed item."""
        group = np.full(cluster.size, -1, np.int32)
        kept = np.flatnonzero(cluster >= 0)
        _, first, inverse = np.unique(cluster[kept], return_index=True, return_inverse=True)
        group[kept] = np.argsort(np.argsort(first))[inverse]
        return cls(group)

    @property
    def sizes(self) -> np.ndarray:
        """How many items each group has."""
        return np.bincount(self.group[self.group >= 0])

    def ncp(self, items: np.ndarray) -> float:
        """Mean over these occurrences of (items of its set − 1) ÷ (all items − 1); 1 if suppressed."""
        if items.size == 0:
            return 0.0
        loss = np.ones(self.group.size)
        kept = self.group >= 0
        loss[kept] = (self.sizes[self.group[kept]] - 1) / max(self.group.size - 1, 1)
        return float(loss[items].mean())
