"""Clusters in which generalizing items does not lead to the promise: they are merged with others first.

Fewer than k records of a cluster may have public items; then not even the most general item is held by k. Or a
sensitive item is in more than 1/ℓ of the records, of all or of those with public items. The latter could be mended by
suppressing the public items, which is done only if no merging would help.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.merge import Step
from tacit.records.solvers.problem import RecordProblem

FINE, SUPPRESSED, TOO_SURE = 0, 1, 2
"""The promise can be kept by generalizing public items; by suppressing them; not at all."""


def states(clusters: Clusters, ids: np.ndarray, seed: int | None = None) -> np.ndarray:
    """The state of each of these clusters, joined with the seed if there is one."""
    counts = (clusters.sizes, clusters.filled, clusters.sensitive, clusters.sensitive_beside_items)
    joint = (count[ids] if seed is None else count[ids] + count[seed] for count in counts)
    return state_of(clusters.problem, *joint, diverse_as_one=clusters.diverse_as_one)


def state_of(
    problem: RecordProblem, sizes: np.ndarray, filled: np.ndarray, sensitive: np.ndarray, beside: np.ndarray,
    *, diverse_as_one: bool,
) -> np.ndarray:  # fmt: skip
    """The state of clusters of so many records, so many of them with public items; of each sensitive item (clusters ×
    items) how many records have it, and how many of those with public items."""
    bound = problem.bound
    most, most_beside = (count.max(axis=1, initial=0).astype(np.int64) for count in (sensitive, beside))
    too_sure = most * bound.numerator > sizes * bound.denominator
    too_sure_beside = (filled > 0) & (most_beside * bound.numerator > filled * bound.denominator)
    if diverse_as_one:
        too_sure |= too_sure_beside
    hidden = too_sure_beside | ((filled > 0) & (filled < problem.promise.k))
    return np.where(too_sure, TOO_SURE, np.where(hidden, SUPPRESSED, FINE))


def mend(clusters: Clusters, least: int, step_of: Callable[[int], Step]) -> None:
    """Merges clusters of at least this state, the one with the least Rum first, with the partner that costs least.

    A partner that makes the state better is preferred. What no step allows is left as it is.
    """
    waiting = np.ones(clusters.values.size, bool)
    while len(clusters) > 1:
        wrong = clusters.alive[waiting[clusters.alive] & (states(clusters, clusters.alive) >= least)]
        if not wrong.size:
            return
        seed = int(wrong[clusters.values[wrong].argmin()])
        step = step_of(seed)
        if not step.allowed.any():
            waiting[seed] = False
            continue
        allowed = np.flatnonzero(step.allowed)
        others = step.others[allowed]
        values = clusters.values_with(seed, others, step.losses[:, allowed])
        partner = others[np.lexsort((values, states(clusters, others, seed)))[0]]
        waiting[clusters.merge(seed, int(partner))] = True
