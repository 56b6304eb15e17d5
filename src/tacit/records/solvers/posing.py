"""From records with baskets and a promise to the problem that a search gets, and the clusters that it begins with."""

from __future__ import annotations

from dataclasses import replace
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
    balance: float,
    delta: float | None = None,
    baskets: str | None = None,
    **choice: Any,
) -> RecordRecoding:
    """Merges clusters under a bound on the loss in values ("rum") or in baskets ("tum"); without a bound, the balanced
    point of the whole frontier."""
    from tacit.records.solvers.bounds import Choice, bounded

    if asks_nothing(promise):
        return left_alone(data)
    problem = record_problem(data, promise)
    problem.check()
    if delta is None:
        return _on_the_frontier(data, problem, balance, baskets or _way_with_items(data), seed, progress)
    group = first_clusters(problem, relational, seed)
    chosen = Choice(bound, delta=delta, baskets=baskets or "coat", seed=seed, **choice)
    return recoding_of(data, bounded(problem, group, chosen, progress))


def _way_with_items(data: RecordData) -> str:
    """Along the hierarchy, if every set-valued column has one: its names can be read. Otherwise in sets of items."""
    assert data.baskets is not None
    return "nodes" if all(tree.depth.max(initial=0) > 1 for tree in data.baskets.trees) else "sets"


def _on_the_frontier(
    data: RecordData, problem: RecordProblem, balance: float, baskets: str, seed: int, progress: Any
) -> RecordRecoding:
    from tacit.records.solvers.frontier import balanced
    from tacit.records.solvers.parts import TRANSFORMATIONS, Parts
    from tacit.records.solvers.six import six_configurations

    if not len(problem):
        return left_alone(data)
    parts = Parts(problem, TRANSFORMATIONS[baskets](problem))
    found = balanced(problem, parts, balance, seed, progress)
    points = tuple(
        {
            "values": each.values,
            "items": each.items,
            "clusters": len(each),
            "balance": each.balance,
            "chosen": index == found.chosen,
        }
        for index, each in enumerate(found.points)
    )
    if progress:
        progress("the six configurations of the paper, to compare with")
    theirs = "coat" if baskets == "sets" else baskets
    six = six_configurations(problem, parts, theirs, found.points[found.chosen].values, seed)
    return replace(recoding_of(data, found.decided), curve=points, six=tuple(each.to_dict() for each in six))


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
