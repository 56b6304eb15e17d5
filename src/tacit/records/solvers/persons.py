"""Clusters in which persons are counted, who may have several records, in this cluster and in others.

A cluster must have k different persons, and no sensitive item may be known of more than 1/ℓ of them. Counts of persons
do not add up when clusters are merged, and two that keep the promise may break it together: so this is looked at last,
and clusters are merged until all keep it.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.persons import once_each
from tacit.arrays.sparse import take_rows
from tacit.errors import PromiseError
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.problem import RecordProblem


def merge_for_persons(clusters: Clusters) -> bool:
    """Merges clusters that do not have what persons need, the one with the least Rum first; whether any was merged.

    Its partner is the one that costs least.
    """
    if clusters.problem.persons is None:
        return False
    before, is_fit = clusters.merges, dict[tuple[int, int], bool]()
    while True:
        clusters.merge_equal()
        for cluster in clusters.alive.tolist():
            state = cluster, int(clusters.sizes[cluster])
            is_fit[state] = is_fit[state] if state in is_fit else fits_persons(clusters.problem, clusters.rows(cluster))
        unfit = [each for each in clusters.alive.tolist() if not is_fit[each, int(clusters.sizes[each])]]
        if not unfit:
            return clusters.merges > before
        if len(clusters) == 1:
            raise PromiseError(
                "One sensitive item is known of too many persons, by one of their records or another: clusters were "
                "merged until one was left.\n  A smaller ℓ can be reached, or the item may be left out."
            )
        seed = min(unfit, key=lambda each: clusters.values[each])
        others = clusters.others(seed)
        values = clusters.values_with(seed, others, clusters.losses_with(seed, others))
        clusters.merge(seed, int(others[values.argmin()]))


def fits_persons(problem: RecordProblem, rows: np.ndarray) -> bool:
    """Whether these records are of k persons, and of no more than 1/ℓ of them a sensitive item is known."""
    assert problem.persons is not None
    people = np.unique(problem.persons[rows]).size
    if people < problem.promise.k:
        return False
    indptr, sensitive = take_rows(problem.sensitive_indptr, problem.sensitive, rows)
    whose = np.repeat(problem.persons[rows], np.diff(indptr))
    known = np.bincount(sensitive[once_each(whose, sensitive)]) if sensitive.size else np.zeros(1, np.int64)
    return bool(int(known.max()) * problem.bound <= people)
