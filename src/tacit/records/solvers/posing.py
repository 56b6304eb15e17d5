"""From records with baskets and a promise to the problem that a search gets, and the clusters that it begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.records.items import left_alone, recoding_of, record_problem
from tacit.records.solvers.problem import RecordProblem

if TYPE_CHECKING:
    from tacit.promises import KKmAnonymity, KLmDiversity
    from tacit.records.data import RecordData
    from tacit.records.recoding import RecordRecoding


def bounded_search(
    bound: str,
    data: RecordData,
    promise: KKmAnonymity | KLmDiversity,
    *,
    seed: int,
    progress: Any,
    relational: str,
    **choice: Any,
) -> RecordRecoding:
    """Merges clusters under a bound on the loss in values ("rum") or in baskets ("tum")."""
    from tacit.records.solvers.bounds import Choice, bounded

    if asks_nothing(promise):
        return left_alone(data)
    problem = record_problem(data, promise)
    problem.check()
    group = first_clusters(problem, relational, seed)
    return recoding_of(data, bounded(problem, group, Choice(bound, seed=seed, **choice), progress))


def asks_nothing(promise: KKmAnonymity | KLmDiversity) -> bool:
    """Whether any records keep the promise as they are."""
    return promise.k == 1 and not promise.about_sensitive_items


def first_clusters(problem: RecordProblem, relational: str, seed: int) -> np.ndarray:
    """The k-anonymous partition to begin with."""
    if not len(problem):
        return np.empty(0, np.int32)
    wanted: Any = {"persons": problem.persons, "seed": seed}
    if relational == "mondrian":
        from tacit.records.solvers.mondrian import mondrian

        return mondrian(problem.attributes, problem.promise.k, **wanted)
    from tacit.records.solvers.cluster import cluster

    return cluster(problem.attributes, problem.promise.k, literal=relational == "cluster-literal", **wanted)
