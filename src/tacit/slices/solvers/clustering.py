"""Attributes into columns by their correlations: k-means (Dhumal & Patil, section III.D) or k-medoids (Li et al. 2012).

The coefficients of an attribute with all attributes are its coordinates for k-means. For k-medoids two attributes are
1 − φ² apart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Cluster = Callable[[np.ndarray, int, int], np.ndarray]

_STARTS = 10
_ROUNDS = 300


def kmeans(correlation: np.ndarray, count: int, seed: int) -> np.ndarray:
    """The column of each attribute: attributes that depend alike on all others stand together.

    Lloyd's iteration, from centres that are drawn far from each other (Arthur & Vassilvitskii 2007); of several starts
    the one with the least sum of squares.
    """
    rng = np.random.default_rng(seed)
    count = min(count, len(np.unique(correlation.round(12), axis=0)))
    found = [_settled(correlation, _far_apart(correlation, count, rng)) for _ in range(_STARTS)]
    return min(found, key=lambda one: round(one[0], 12))[1]


def _far_apart(points: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points as centres. For each one some are drawn with a probability in proportion to the squared distance from the
    earlier ones; the best of them is taken."""
    from_each = _squares(points, points)
    chosen = [int(rng.integers(len(points)))]
    apart = from_each[chosen[0]]
    while len(chosen) < count:
        drawn = rng.choice(len(points), 2 + int(np.log(count)), p=apart / apart.sum())
        chosen.append(int(drawn[np.minimum(apart, from_each[drawn]).sum(axis=1).argmin()]))
        apart = np.minimum(apart, from_each[chosen[-1]])
    return points[chosen]


def _settled(points: np.ndarray, centres: np.ndarray) -> tuple[float, np.ndarray]:
    """The sum of squares and the centre of each point, once no point changes its centre any more."""
    column = np.full(len(points), -1)
    for _ in range(_ROUNDS):
        apart = _squares(points, centres)
        nearest = apart.argmin(axis=1)
        for empty in np.setdiff1d(np.arange(len(centres)), nearest):  # it takes the point that is farthest from its own
            farthest = apart[np.arange(len(points)), nearest].argmax()
            nearest[farthest], apart[farthest] = empty, 0.0
        if np.array_equal(nearest, column):
            break
        column = nearest
        centres = np.stack([points[column == centre].mean(axis=0) for centre in range(len(centres))])
    return float(((points - centres[column]) ** 2).sum()), column


def _squares(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The squared distance of each point from each centre."""
    return ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)


def kmedoids(correlation: np.ndarray, count: int, seed: int = 0) -> np.ndarray:
    """The column of each attribute by PAM (Kaufman & Rousseeuw 1990); it has no random step.

    Medoids are chosen one by one, each the one that brings all attributes nearest to a medoid; then the best swap of a
    medoid is made, again and again, as long as one helps. Of equals the first one is taken.
    """
    apart = distances(correlation)
    medoids: list[int] = []
    while len(medoids) < min(count, len(apart)):
        others = [a for a in range(len(apart)) if a not in medoids]
        medoids.append(min(others, key=lambda a: _cost(apart, [*medoids, a])))
    cost = _cost(apart, medoids)
    while True:
        swaps = [
            [*medoids[:i], a, *medoids[i + 1 :]]
            for i in range(len(medoids))
            for a in range(len(apart))
            if a not in medoids
        ]
        best = min(swaps, key=lambda chosen: _cost(apart, chosen), default=medoids)
        if _cost(apart, best) >= cost - 1e-12:
            break
        medoids, cost = best, _cost(apart, best)
    column = apart[:, medoids].argmin(axis=1)
    column[medoids] = np.arange(len(medoids))
    return column


CLUSTERINGS: dict[str, Cluster] = {"kmeans": kmeans, "kmedoids": kmedoids}


def chosen_clustering(correlation: np.ndarray, cluster: Cluster, seed: int) -> np.ndarray:
    """The clustering with the greatest mean silhouette, of two columns at least and two attributes a column on average.

    Of equals the one with the fewest columns is taken.
    """
    most = max(2, len(correlation) // 2)
    found = [cluster(correlation, count, seed) for count in range(2, most + 1)]
    return max(found, key=lambda column: round(silhouette(distances(correlation), column), 12))


def distances(correlation: np.ndarray) -> np.ndarray:
    """How far attributes are apart: 0 from itself, 1 from one that is independent."""
    apart = 1 - correlation
    np.fill_diagonal(apart, 0.0)
    return apart


def silhouette(apart: np.ndarray, column: np.ndarray) -> float:
    """The mean over attributes of (b − a) ÷ max(a, b): a is the mean distance to the others of the column, b to those
    of the nearest other column; 0 for an attribute that is alone (Rousseeuw 1987)."""
    columns = np.unique(column)
    if columns.size < 2:
        return 0.0
    members = (column[:, None] == columns).astype(float)
    sums, sizes = apart @ members, members.sum(axis=0)
    own = np.searchsorted(columns, column)
    inside = sums[np.arange(len(column)), own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[np.arange(len(column)), own] = np.inf
    outside = means.min(axis=1)
    widths = (outside - inside) / np.maximum(np.maximum(inside, outside), 1e-12)
    return float(np.where(sizes[own] > 1, widths, 0.0).mean())


def _cost(apart: np.ndarray, medoids: list[int]) -> float:
    return float(apart[:, medoids].min(axis=1).sum())
