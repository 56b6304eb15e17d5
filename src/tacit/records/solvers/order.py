"""How alike the baskets of clusters are: by BTD, or by what the joined cluster's items would lose.

The exact order generalizes the items of every possible merge (the paper's baselines R_MTUL and so on). BTD only looks
at the baskets, and gives nearly the same mergings much sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.parts import Parts

SHORTLIST = 4
"""How many clusters BTD leaves to the exact order. Each takes time."""
_DIGITS = 12
"""Sums of losses are compared by so many: equal ones differ in the last ones."""
PLENTY = 20
"""It does so where there are that many; among fewer the first is taken, as in the paper."""


class Order(Protocol):
    """A distance between the seed's baskets and those of other clusters."""

    def distances(self, clusters: Clusters, seed: int, others: np.ndarray) -> np.ndarray: ...

    def nearest(self, clusters: Clusters, seed: int, others: np.ndarray) -> int:
        """The one of the others at the least distance, the first of equals."""


class ByBtd:
    """Bit-vector transaction distance: the farthest pair of records of the joined cluster.

    One pair with long baskets decides, so that many clusters are about as far. Where there are plenty to choose from,
    the nearest is the one of the first few whose items would lose less.
    """

    def __init__(self, parts: Parts) -> None:
        self.exact = ByUl(parts)

    def distances(self, clusters: Clusters, seed: int, others: np.ndarray) -> np.ndarray:
        return clusters.baskets.distances(seed, others)

    def nearest(self, clusters: Clusters, seed: int, others: np.ndarray) -> int:
        if others.size < PLENTY:
            return clusters.baskets.nearest(seed, others)
        first = np.argsort(self.distances(clusters, seed, others), kind="stable")[:SHORTLIST]
        return self.exact.nearest(clusters, seed, others[np.sort(first)])


class ByUl:
    """UL of the joined cluster, with its items generalized."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def distances(self, clusters: Clusters, seed: int, others: np.ndarray) -> np.ndarray:
        joint = (clusters.rows(seed, other) for other in others.tolist())
        return np.array([self.parts.of(rows).ul / rows.size for rows in joint]).round(_DIGITS)

    def nearest(self, clusters: Clusters, seed: int, others: np.ndarray) -> int:
        return int(others[self.distances(clusters, seed, others).argmin()])


ORDERS: dict[str, Callable[[Parts], Order]] = {"btd": ByBtd, "ul": ByUl}
