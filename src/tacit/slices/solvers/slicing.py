"""Slicing: attribute partition, generalization, tuple partition (Li et al. 2012; Dhumal & Patil)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.errors import InputError, PromiseError
from tacit.slices.data import PersonTable, Slices
from tacit.slices.recoding import Regions, SliceRecoding
from tacit.slices.solvers.buckets import partition, twice_in_a_bucket
from tacit.slices.solvers.columns import (
    SINGLE,
    check_within_reach,
    fixed_columns,
    found_columns,
    overlapping_columns,
    safe_columns,
    sensitive_apart,
    single_columns,
)
from tacit.slices.solvers.correlation import correlations
from tacit.slices.solvers.generalize import generalize
from tacit.slices.solvers.kept import correlation_kept

Progress = Callable[[str], None]


def sliced(
    data: PersonTable,
    l: float,  # noqa: E741
    *,
    seed: int,
    progress: Progress | None = None,
    columns: int | str | Sequence[Sequence[str]] | None = None,
    overlap: bool = False,
    cluster: str = "kmeans",
    domains: Mapping[str, Sequence[str]] | None = None,
    generalize_k: int | None = None,
    bins: int = 10,
    discretize: str = "frequency",
) -> SliceRecoding:
    """Slicing with columns by correlation, or as given, and the buckets that ℓ asks for."""
    say = progress or (lambda message: None)
    say(f"correlations of {len(data.attributes)} attributes")
    correlation = correlations(data.attributes, bins, discretize)
    if columns == SINGLE:
        slices = single_columns(data)
    elif columns is not None and not isinstance(columns, int | str):
        slices = fixed_columns(data, columns)
    else:
        count = columns if isinstance(columns, int) else None
        slices = found_columns(data, correlation, columns=count, cluster=cluster, domains=domains, seed=seed)
        if generalize_k is None:
            choice = _Choice(data, correlation, l, bins, discretize)
            return replace(
                choice.best(slices, keep_count=count is not None, overlap=overlap, say=say), columns_asked=count
            )
    table, regions = data, list[Regions]()
    if generalize_k is not None:
        if overlap or sum(map(len, slices)) > len(data.attributes):
            raise InputError(
                "method.generalize_k does not go with columns that overlap",
                hint="An attribute would have two published values. Leave one of the two out.",
            )
        if 0 < len(data) < generalize_k:
            raise PromiseError(
                f"generalize_k = {generalize_k:,}, but there are only {len(data):,} records.\n"
                f"  generalize_k = {len(data):,} can be reached."
            )
        say(f"columns made {generalize_k}-anonymous")
        table, regions = generalize(data, slices, generalize_k, l)
    check_within_reach(table, slices, l)
    say(f"buckets of {len(data):,} records in {len(slices)} columns")
    bucket = partition(table, slices, correlation, l)
    asked = columns if isinstance(columns, int) else None
    return replace(recoding_of(data, slices, bucket, regions), columns_asked=asked)


@dataclass(frozen=True)
class _Choice:
    """Between columns that differ in what stands beside sensitive attributes, and in guests; what keeps most is taken.

    A known attribute beside a sensitive one keeps their correlation, and makes it harder to form small buckets.
    """

    data: PersonTable
    correlation: np.ndarray
    l: float  # noqa: E741
    bins: int
    discretize: str

    def best(self, slices: Slices, *, keep_count: bool, overlap: bool, say: Progress) -> SliceRecoding:
        """The columns and buckets that keep most correlation; of equals the first ones."""
        safe = safe_columns(self.data, slices, self.correlation, self.l, keep_count=keep_count)
        apart = sensitive_apart(self.data, slices, self.correlation, keep_count=keep_count)
        chosen = self._of([safe, apart], say)
        if overlap:
            guests = [
                overlapping_columns(self.data, chosen[0], self.correlation, self.l, beside_sensitive=beside)
                for beside in (False, True)
            ]
            chosen = self._of([chosen[0], *guests], say)
        return recoding_of(self.data, *chosen, [])

    def _of(self, candidates: Sequence[Slices], say: Progress) -> tuple[Slices, np.ndarray]:
        candidates = list(dict.fromkeys(candidates))
        found = []
        for slices in candidates:
            say(f"buckets of {len(self.data):,} records in {len(slices)} columns")
            found.append((slices, partition(self.data, slices, self.correlation, self.l)))
        found = [one for one in found if self._keeps_persons_apart(one[1])] or found
        if len(found) == 1:
            return found[0]
        return max(found, key=lambda one: round(self._kept(*one), 9))

    def _keeps_persons_apart(self, bucket: np.ndarray) -> bool:
        return self.data.persons is None or not twice_in_a_bucket(bucket, self.data.persons)

    def _kept(self, slices: Slices, bucket: np.ndarray) -> float:
        return correlation_kept(self.data, slices, bucket, self.correlation, self.bins, self.discretize)


def recoding_of(data: PersonTable, slices: Slices, bucket: np.ndarray, regions: list[Regions]) -> SliceRecoding:
    return SliceRecoding(tuple(map(tuple, data.named(slices))), bucket, tuple(regions))
