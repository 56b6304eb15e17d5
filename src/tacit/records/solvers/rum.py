"""Rum: how much the relational values of clusters lose, by any of the paper's measures (section 2).

A measure sees the size of each cluster and its loss in each attribute, between 0 and 1. All of them grow when clusters
are merged (Property 2), so a bound on them ends the merging.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Scale(NamedTuple):
    """What a measure is relative to."""

    records: int
    k: int
    weights: np.ndarray  # of the attributes, with a sum of 1


def weighted(weights: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """The weighted sum over attributes, in their order: a matrix product may add up in any order, and differ a bit."""
    total = np.zeros(losses.shape[1])
    for weight, loss in zip(weights, losses, strict=True):
        total += weight * loss
    return total


class Rum(NamedTuple):
    """A measure: of clusters, each for itself, given sizes and losses (attributes × clusters); and what it bounds."""

    of_clusters: Callable[[np.ndarray, np.ndarray, Scale], np.ndarray]
    """Rum of each cluster: the seed is where it is least."""
    share: Callable[[np.ndarray, np.ndarray, Scale], np.ndarray]
    """What each cluster adds to the sum that Rum of the data is made of."""
    of_sum: Callable[[float | np.ndarray, int | np.ndarray, Scale], np.ndarray]
    """Rum of the data, from that sum and the number of clusters."""


def _ncp(sizes: np.ndarray, losses: np.ndarray, scale: Scale) -> np.ndarray:
    return weighted(scale.weights, losses)


def _minkowski(norm: float) -> Callable[[np.ndarray, np.ndarray, Scale], np.ndarray]:
    """The weighted Minkowski norm of the losses: 1 is NCP, infinity the largest loss."""

    def loss(sizes: np.ndarray, losses: np.ndarray, scale: Scale) -> np.ndarray:
        if norm == np.inf:
            return losses[scale.weights > 0].max(axis=0, initial=0.0)
        return weighted(scale.weights, losses**norm) ** (1 / norm)

    return loss


def _per_record(loss: Callable[[np.ndarray, np.ndarray, Scale], np.ndarray]) -> Rum:
    """The mean over records of what their cluster loses."""
    return Rum(
        loss,
        lambda sizes, losses, scale: sizes * loss(sizes, losses, scale),
        lambda total, count, scale: np.asarray(total) / max(scale.records, 1),
    )


RUM: dict[str, Rum] = {
    "ncp": _per_record(_ncp),
    "minkowski": _per_record(_minkowski(2)),
    "discernability": Rum(
        lambda sizes, losses, scale: sizes.astype(float) ** 2,
        lambda sizes, losses, scale: sizes.astype(float) ** 2,
        lambda total, count, scale: np.asarray(total) / max(scale.records, 1) ** 2,
    ),
    "class-size": Rum(
        lambda sizes, losses, scale: sizes / scale.k,
        lambda sizes, losses, scale: np.zeros(sizes.size),
        lambda total, count, scale: scale.records / (np.maximum(count, 1) * scale.k) + 0 * np.asarray(total),
    ),
}
"""ncp: weighted loss of a record, the paper's choice. minkowski: a norm of the losses in its attributes, the Euclidean
one unless another is asked for. discernability: how many records cannot be told from a record, on average, as a share
of all. class-size: mean size of clusters ÷ k."""


def rum_of(name: str, norm: float | str) -> Rum:
    """A measure by its name in the options, with the norm that `minkowski` takes."""
    return _per_record(_minkowski(float(norm))) if name == "minkowski" else RUM[name]
