"""The six configurations of the paper (Rum-bound and Tum-bound, each with the merges r, t and rt), to compare with.

They merge cluster by cluster, which takes time with the square of their number. So where there are many records they
begin with larger clusters than they need; the report says so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tacit.errors import PromiseError
from tacit.records.solvers.bounds import Choice, bounded
from tacit.records.solvers.cluster import cluster
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.cutting import losses_together
from tacit.records.solvers.frontier import item_losses
from tacit.records.solvers.merge import MERGES
from tacit.records.solvers.parts import Parts
from tacit.records.solvers.problem import RecordAnonymization, RecordProblem, rows_by_group
from tacit.records.solvers.rum import RUM

_CLUSTERS, _WORTH = 30, 600_000
"""About so many they begin with at most; where there are few records, as many as make so many of both."""
_ON_THE_WAY = 0.05
"""δ leaves them at least so much of the way from the first clusters to one for all."""


class Configuration(NamedTuple):
    """What one of the six would publish; nothing where its bound cannot be met."""

    method: str
    merge: str
    delta: float
    begins_with: int  # records of a cluster
    values: float | None
    items: float | None
    clusters: int | None

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


def six_configurations(
    problem: RecordProblem, parts: Parts, baskets: str, values: float, seed: int
) -> list[Configuration]:
    """Rum-bound with a δ of that loss in values, or the least that lets it merge; Tum-bound with the UL that Rum-bound
    reaches by the same merge."""
    people = len(problem) if problem.persons is None else np.unique(problem.persons).size
    size = max(problem.promise.k, people // max(_CLUSTERS, _WORTH // max(people, 1)))
    few = problem.persons is None  # compared with all records, as in the paper, and without kernels to compile
    group = cluster(problem.attributes, size, persons=problem.persons, seed=seed, literal=few)
    least = Clusters(problem, group, RUM["ncp"]).rum_of_data
    most = float(losses_together(problem, [np.arange(len(problem))])[0]) / len(problem)
    delta = round(max(values, least + _ON_THE_WAY * (most - least)), 4)
    found = []
    for merge in MERGES:
        reached = None
        for method in ("rum", "tum"):
            bound = delta if method == "rum" else reached
            made = None if bound is None else _made(problem, group, Choice(method, merge, bound, baskets))
            if made is not None and method == "rum":
                reached = made.tum + 1e-9
            found.append(_configuration(problem, parts, made, f"{method}-bound", merge, bound or 0.0, size))
    return found


def _made(problem: RecordProblem, group: np.ndarray, choice: Choice) -> RecordAnonymization | None:
    try:
        return bounded(problem, group, choice)
    except PromiseError:
        return None


def _configuration(
    problem: RecordProblem, parts: Parts, made: RecordAnonymization | None, method: str, merge: str, delta: float,
    size: int,
) -> Configuration:  # fmt: skip
    if made is None:
        return Configuration(method, merge, delta, size, None, None, None)
    n_clusters = made.published.indptr.size - 1
    values = losses_together(problem, rows_by_group(made.group, n_clusters)).sum() / len(problem)
    items = item_losses(problem, parts, made) / max(problem.items.size, 1)
    return Configuration(method, merge, round(delta, 6), size, float(values), float(items), n_clusters)
