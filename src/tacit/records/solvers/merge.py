"""Which cluster the seed is merged with: by relational values (r), by baskets (t), by both (rt).

RMERGE_R, RMERGE_T and RMERGE_RT of the paper, and TMERGE with the same letters, differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.order import Order
from tacit.records.solvers.rum import weighted


class Step(NamedTuple):
    """The seed and the clusters that it might be merged with, ascending; `allowed` marks what the bound permits."""

    clusters: Clusters
    seed: int
    others: np.ndarray
    losses: np.ndarray  # attributes × others, joined with the seed
    allowed: np.ndarray


def by_values(step: Step, order: Order) -> int:
    """The allowed cluster whose join with the seed has the least Rum."""
    ranked = _by_rum(step)
    return int(step.others[ranked[step.allowed[ranked]][0]])


def by_baskets(step: Step, order: Order) -> int:
    """The allowed cluster whose baskets are nearest to the seed's."""
    return order.nearest(step.clusters, step.seed, step.others[step.allowed])


def by_both(step: Step, order: Order) -> int:
    """The allowed cluster with the least sum of its places in both orders."""
    distances = order.distances(step.clusters, step.seed, step.others)
    places = _places(_by_rum(step)) + _places(np.argsort(distances, kind="stable"))
    return int(step.others[step.allowed][places[step.allowed].argmin()])


MERGES: dict[str, Callable[[Step, Order], int]] = {"r": by_values, "t": by_baskets, "rt": by_both}


def _by_rum(step: Step) -> np.ndarray:
    """Places of the others, from the least Rum of the joined cluster to the greatest; equals by NCP, then by id."""
    values = step.clusters.values_with(step.seed, step.others, step.losses)
    return np.lexsort((weighted(step.clusters.scale.weights, step.losses), values))


def _places(ranked: np.ndarray) -> np.ndarray:
    places = np.empty_like(ranked)
    places[ranked] = np.arange(ranked.size)
    return places
