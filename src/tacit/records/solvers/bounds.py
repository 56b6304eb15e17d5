"""Rum-bound and Tum-bound (Poulis et al. 2013, section 4): one loop, two dictionaries.

Clusters are merged until the bound on the loss of values is used up (Rum), or the bound on the loss of items is met
(Tum); then the items of each cluster are generalized. docs/methods/rum-bound.md and tum-bound.md have the definitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np

from tacit.errors import PromiseError
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.mending import SUPPRESSED, TOO_SURE, mend, states
from tacit.records.solvers.merge import MERGES, Step
from tacit.records.solvers.order import ORDERS
from tacit.records.solvers.parts import TRANSFORMATIONS, Part, Parts
from tacit.records.solvers.persons import merge_for_persons
from tacit.records.solvers.problem import PublishedItems, RecordAnonymization, RecordProblem
from tacit.records.solvers.rum import rum_of

Progress = Callable[[str], None]

_TOLERANCE = 1e-12  # of sums of losses
_TRIES = 8  # to use up δ where clusters that end with equal values count by their size
_DIGITS = 10_000  # a δ that a message names is rounded up to whole parts of this


class Choice(NamedTuple):
    """How clusters are merged: the options by their names."""

    bound: str  # rum | tum
    merge: str = "rt"
    delta: float = 0.65
    baskets: str = "apriori"
    order: str = "btd"
    rum: str = "ncp"
    norm: float | str = 2
    seed: int | None = None  # of the clusters to begin with, for messages


class Bound(Protocol):
    """What limits the merging."""

    mends: int
    """Clusters in this state, or a worse one, are merged before all others."""
    known: dict[int, Part]
    """What is known already about the items of clusters."""

    def begin(self) -> bool:
        """Whether clusters shall be merged; refuses a bound that no merging can keep."""

    def allows(self, seed: int, others: np.ndarray, losses: np.ndarray) -> np.ndarray:
        """Which of the others the seed may be merged with."""

    def is_met(self, merged: int) -> bool:
        """Whether that merge was the last one."""

    def end(self) -> float:
        """After the last merge: by how much δ is exceeded. Refuses what does not keep the promise within the bound."""


def bounded(
    problem: RecordProblem, group: np.ndarray, choice: Choice, progress: Progress | None = None
) -> RecordAnonymization:
    """Merges the clusters of a k-anonymous partition as the bound permits, and generalizes the items of each.

    Clusters that end with equal values are one to everybody. If Rum counts sizes, that may take it above δ; then all is
    done again with that much less permitted.
    """
    problem.check()
    parts = Parts(problem, TRANSFORMATIONS[choice.baskets](problem))
    order, pick = ORDERS[choice.order](parts), MERGES[choice.merge]
    permitted = choice.delta
    for left in reversed(range(_TRIES)):
        clusters = Clusters(problem, group, rum_of(choice.rum, choice.norm))
        clusters.merge_equal()
        bound = BOUNDS[choice.bound](clusters, parts, choice, permitted)
        if bound.begin():
            for state in (TOO_SURE, bound.mends):
                mend(clusters, state, lambda seed: _step(clusters, bound, seed))  # noqa: B023 - called at once
            _merge(clusters, bound, lambda step: pick(step, order), progress)
        exceeded = bound.end()
        if exceeded <= _TOLERANCE:
            break
        permitted = permitted - exceeded if left > 1 else -math.inf
    if not merge_for_persons(clusters):
        return anonymized(clusters, parts, progress, bound.known)
    found = anonymized(clusters, parts, progress)
    reached = found.rum if choice.bound == "rum" else found.tum
    if reached > choice.delta + _TOLERANCE:
        raise PromiseError(
            f"delta = {choice.delta:g} forbids merging clusters until the promise holds for persons with several "
            f"records.\n  With delta = {rounded_up(reached):g} it can be reached."
        )
    return found


def _merge(clusters: Clusters, bound: Bound, partner_of: Callable[[Step], int], progress: Progress | None) -> None:
    """The loop of all six: the cluster with the least Rum, and of its allowed partners the first in the order.

    A cluster that has no allowed partner is set aside.
    """
    waiting = np.ones(clusters.values.size, bool)
    while len(clusters) > 1:
        seeds = clusters.alive[waiting[clusters.alive]]
        if not seeds.size:
            return
        seed = int(seeds[clusters.values[seeds].argmin()])
        step = _step(clusters, bound, seed)
        if not step.allowed.any():
            waiting[seed] = False
            continue
        merged = clusters.merge(seed, partner_of(step))
        waiting[merged] = True
        if bound.is_met(merged):
            return
        if progress and clusters.merges % 100 == 0:
            progress(f"{len(clusters):,} clusters")


def _step(clusters: Clusters, bound: Bound, seed: int) -> Step:
    others = clusters.others(seed)
    losses = clusters.losses_with(seed, others)
    return Step(clusters, seed, others, losses, bound.allows(seed, others, losses))


class RumBound:
    """Rum of the data stays within δ; whatever that permits is merged, for larger clusters lose less in items."""

    mends = SUPPRESSED

    def __init__(self, clusters: Clusters, parts: Parts, choice: Choice, permitted: float) -> None:
        self.clusters, self.delta, self.permitted = clusters, choice.delta, permitted
        self.of_run = "of this run" if choice.seed is None else f"of seed = {choice.seed}"
        self.known: dict[int, Part] = {}

    def begin(self) -> bool:
        least = self.clusters.rum_of_data
        if least > self.delta + _TOLERANCE:
            made_sure(self.clusters)
            raise PromiseError(
                f"delta = {self.delta:g} cannot be met: the smallest clusters of k records already lose {least:.4f}.\n"
                f"  The smallest delta possible is {rounded_up(self.clusters.rum_of_data):g}, with the clusters "
                f"{self.of_run}."
            )
        return True

    def allows(self, seed: int, others: np.ndarray, losses: np.ndarray) -> np.ndarray:
        return self.clusters.rum_with(seed, others, losses) <= self.permitted + _TOLERANCE

    def is_met(self, merged: int) -> bool:
        return False

    def end(self) -> float:
        clusters = self.clusters
        if (states(clusters, clusters.alive) == TOO_SURE).any():
            made_sure(clusters)
            clusters.merge_equal()
            raise PromiseError(
                f"delta = {self.delta:g} forbids merging clusters until no sensitive item is in more than 1/ℓ of the "
                f"records of one.\n  With delta = {rounded_up(clusters.rum_of_data):g} and the clusters {self.of_run} "
                "it can be reached, or with a smaller ℓ."
            )
        clusters.merge_equal()
        return clusters.rum_of_data - self.delta


class TumBound:
    """Clusters are merged until UL of the data is at most δ."""

    mends = TOO_SURE

    def __init__(self, clusters: Clusters, parts: Parts, choice: Choice, permitted: float) -> None:
        self.clusters, self.parts, self.delta = clusters, parts, choice.delta
        self.known: dict[int, Part] = {}
        self.least = math.inf

    def begin(self) -> bool:
        made_sure(self.clusters)
        for cluster in self.clusters.alive.tolist():
            self.known[cluster] = self.parts.of(self.clusters.rows(cluster))
        return not self._is_within()

    def allows(self, seed: int, others: np.ndarray, losses: np.ndarray) -> np.ndarray:
        return np.ones(others.size, bool)

    def is_met(self, merged: int) -> bool:
        self.known[merged] = self.parts.of(self.clusters.rows(merged))
        return self._is_within()

    def end(self) -> float:
        if not self._is_within():
            raise PromiseError(
                f"delta = {self.delta:g} was not met: with clusters merged until one was left, items lost more.\n"
                f"  The smallest delta that this run reached is {rounded_up(self.least):g}."
            )
        return 0.0

    def _is_within(self) -> bool:
        total = sum(self.known[cluster].ul for cluster in self.clusters.alive.tolist())
        tum = total / max(len(self.clusters.problem), 1)
        self.least = min(self.least, tum)
        return tum <= self.delta + _TOLERANCE


BOUNDS: dict[str, Callable[[Clusters, Parts, Choice, float], Bound]] = {"rum": RumBound, "tum": TumBound}


def made_sure(clusters: Clusters) -> None:
    """Merges clusters until no sensitive item is in more than 1/ℓ of the records of one."""

    def any_step(seed: int) -> Step:
        others = clusters.others(seed)
        return Step(clusters, seed, others, clusters.losses_with(seed, others), np.ones(others.size, bool))

    mend(clusters, TOO_SURE, any_step)


def anonymized(
    clusters: Clusters, parts: Parts, progress: Progress | None = None, known: Mapping[int, Part] | None = None
) -> RecordAnonymization:
    """The items of each cluster generalized, if they are not known already."""
    group = np.zeros(len(clusters.problem), np.int32)
    found: list[Part] = []
    for index, cluster in enumerate(clusters.in_order()):
        rows = clusters.rows(cluster)
        group[rows] = index
        found.append(known[cluster] if known else parts.of(rows))
        if progress and index % 100 == 99:
            progress(f"items of {index + 1:,} of {len(clusters):,} clusters")
    return RecordAnonymization(
        group,
        PublishedItems.joined(parts.how.by_tree, [(part.items, part.becomes) for part in found], parts.how.unions),
        clusters.rum_of_data,
        sum(part.ul for part in found) / max(len(clusters.problem), 1),
        clusters.merges,
    )


def rounded_up(delta: float) -> float:
    return math.ceil(delta * _DIGITS - _TOLERANCE) / _DIGITS
