"""What the table of methods calls: from baskets and a promise to a recoding, one function a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tacit.baskets import BasketData
from tacit.models import KmAnonymity
from tacit.recoding import CutRecoding
from tacit.transactions.lattice import Anonymization
from tacit.transactions.problem import Problem, pose_baskets

Solver = Callable[..., Anonymization]


def search_best(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.transactions.best import best

    return _solved(best, data, promise, **options)


def search_hghs(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.transactions.hghs import hghs

    return _solved(hghs, data, promise, **options)


def search_mhghs(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.transactions.hghs import mhghs

    return _solved(mhghs, data, promise, **options)


def search_apriori(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.transactions.apriori import apriori

    return _solved(apriori, data, promise, **options)


def search_vpa(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.transactions.vpa import vpa

    return _solved(vpa, data, promise, **options)


def search_suppression(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    return _solved(_suppress, data, promise, **options)


def _suppress(problem: Problem, k: int, m: int | float, progress: Callable[[str], None] | None) -> Anonymization:
    """MM on the leaves of the taxonomy: the lowest cut, with the items that make it safe suppressed."""
    from tacit.transactions.suppression import suppress_moles

    tree = problem.tree
    indptr = np.concatenate(([0], np.cumsum(np.repeat(np.diff(problem.indptr), problem.weight))))
    rows = np.repeat(np.arange(problem.weight.size), problem.weight)
    lengths = np.diff(problem.indptr)[rows]
    items = problem.items[np.arange(indptr[-1]) + np.repeat(problem.indptr[rows] - indptr[:-1], lengths)]
    gone = suppress_moles(
        indptr, items, len(problem), k, m, item_loss=tree.generalize + tree.suppress, progress=progress
    )
    leaves = np.flatnonzero(tree.end == np.arange(len(problem)) + 1).astype(np.int32)
    lost = leaves[gone[leaves]]
    return Anonymization(leaves, lost, int(tree.suppress[lost].sum()))


def _solved(
    solver: Solver,
    data: BasketData,
    promise: KmAnonymity,
    *,
    seed: int | None = None,
    progress: Callable[[str], None] | None = None,
    loss: str = "lm",
    item_weights: Mapping[str, float] | None = None,
) -> CutRecoding:
    """Poses the problem, lets the solver solve it, and says the outcome in the taxonomy's names; nothing is random."""
    problem = pose_baskets(data, loss, item_weights)
    found = solver(problem, promise.k, promise.m, progress)
    return data.recoding(problem.origin[found.cut], problem.origin[found.suppressed])
