"""RFIRST and TFIRST (Poulis et al. 2013, section 3): one kind of attribute first, the other as that leaves it.

The lexicographic ways to the promise, to compare with: little is lost in what comes first, much in the rest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.records.solvers.bounds import anonymized, made_sure
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.mending import FINE, states
from tacit.records.solvers.parts import TRANSFORMATIONS, Parts
from tacit.records.solvers.persons import merge_for_persons
from tacit.records.solvers.problem import RecordAnonymization, RecordProblem
from tacit.records.solvers.rum import RUM

Progress = Callable[[str], None]


def rfirst(
    problem: RecordProblem, group: np.ndarray, baskets: str, progress: Progress | None = None
) -> RecordAnonymization:
    """The clusters of a k-anonymous partition as they are; the items of each are generalized."""
    problem.check()
    clusters = Clusters(problem, group, RUM["ncp"])
    made_sure(clusters)
    merge_for_persons(clusters)
    return anonymized(clusters, Parts(problem, TRANSFORMATIONS[baskets](problem)), progress)


def tfirst(
    problem: RecordProblem, baskets: str, progress: Progress | None = None, partition_size: int | None = None
) -> RecordAnonymization:
    """Parts of records with similar baskets, as LRA makes them; relational values are generalized part by part."""
    problem.check()
    group = parts_by_baskets(problem, partition_size)
    clusters = Clusters(problem, group, RUM["ncp"])
    _join_neighbours(clusters)
    merge_for_persons(clusters)
    return anonymized(clusters, Parts(problem, TRANSFORMATIONS[baskets](problem)), progress)


def parts_by_baskets(problem: RecordProblem, partition_size: int | None = None) -> np.ndarray:
    """Records in the Gray order of their baskets, cut into parts of about LRA's size; k at least."""
    from tacit.baskets.solvers.lra import PARTITION_SIZE, in_gray_order

    size = max(partition_size or PARTITION_SIZE, problem.promise.k)
    digits = problem.items if problem.leaf_of_item is None else problem.leaf_of_item[problem.items]
    order = in_gray_order(problem.indptr, digits)
    group = np.empty(len(problem), np.int32)
    for index, rows in enumerate(np.array_split(order, max(1, order.size // size))):
        group[rows] = index
    return group


def _join_neighbours(clusters: Clusters) -> None:
    """Parts in which generalizing does not lead to the promise are joined with the next one, the last with the one
    before."""
    while len(clusters) > 1:
        wrong = np.flatnonzero(states(clusters, clusters.alive) > FINE)
        if not wrong.size:
            return
        place = min(int(wrong[0]), len(clusters) - 2)
        clusters.merge(int(clusters.alive[place]), int(clusters.alive[place + 1]))
