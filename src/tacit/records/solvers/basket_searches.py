"""What the table of methods calls: from records with baskets and a promise to a recoding, one function a method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.arrays.order import in_content_order
from tacit.promises import KKmAnonymity, KLmDiversity
from tacit.records.data import RecordData
from tacit.records.items import recoding_of, record_problem
from tacit.records.recoding import RecordRecoding
from tacit.records.solvers.problem import RecordProblem

Progress = Callable[[str], None]
Promise = KKmAnonymity | KLmDiversity


@in_content_order
def search_rum_bound(data: RecordData, promise: Promise, **options: Any) -> RecordRecoding:
    return _bounded("rum", data, promise, **options)


@in_content_order
def search_tum_bound(data: RecordData, promise: Promise, **options: Any) -> RecordRecoding:
    return _bounded("tum", data, promise, **options)


@in_content_order
def search_rfirst(
    data: RecordData, promise: Promise, *, seed: int, progress: Progress, relational: str, baskets: str
) -> RecordRecoding:
    from tacit.records.solvers.first import rfirst

    problem = record_problem(data, promise)
    problem.check()
    return recoding_of(data, rfirst(problem, _clusters(problem, relational, seed), baskets, progress))


@in_content_order
def search_tfirst(
    data: RecordData, promise: Promise, *, seed: int, progress: Progress, baskets: str, partition_size: int
) -> RecordRecoding:
    """Nothing is random here."""
    from tacit.records.solvers.first import tfirst

    return recoding_of(data, tfirst(record_problem(data, promise), baskets, progress, partition_size))


def _bounded(
    bound: str, data: RecordData, promise: Promise, *, seed: int, progress: Progress, relational: str, **choice: Any
) -> RecordRecoding:
    from tacit.records.solvers.bounds import Choice, bounded

    problem = record_problem(data, promise)
    problem.check()
    group = _clusters(problem, relational, seed)
    return recoding_of(data, bounded(problem, group, Choice(bound, seed=seed, **choice), progress))


def _clusters(problem: RecordProblem, relational: str, seed: int) -> np.ndarray:
    """The k-anonymous partition to begin with."""
    if not len(problem):
        return np.empty(0, np.int32)
    if relational == "mondrian":
        from tacit.records.solvers.mondrian import mondrian

        return mondrian(problem.attributes, problem.promise.k, seed=seed)
    from tacit.records.solvers.cluster import cluster

    return cluster(problem.attributes, problem.promise.k, seed=seed, literal=relational == "cluster-literal")
