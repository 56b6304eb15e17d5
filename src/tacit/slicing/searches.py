"""The methods for ℓ-diverse slicing as the flow calls them: attribute partition, generalization, tuple partition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tacit.errors import InputError
from tacit.models import SlicedDiversity
from tacit.slicing.bucketization import bucketize
from tacit.slicing.buckets import partition
from tacit.slicing.columns import (
    check_within_reach,
    fixed_columns,
    found_columns,
    overlapping_columns,
    safe_columns,
    single_columns,
)
from tacit.slicing.correlation import correlations
from tacit.slicing.generalize import Regions, generalize
from tacit.slicing.recoding import SliceRecoding
from tacit.slicing.table import PersonTable, Slices

Progress = Callable[[str], None]


def search_slicing(
    data: PersonTable,
    promise: SlicedDiversity,
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
    slices = _columns(data, correlation, promise.l, seed, columns, overlap, cluster, domains, generalize_k)
    table, regions = data, list[Regions]()
    if generalize_k is not None:
        if sum(map(len, slices)) > len(data.attributes):
            raise InputError(
                "generalize_k does not go with columns that overlap",
                hint="An attribute would have two published values. Leave one of the two out.",
            )
        say(f"columns made {generalize_k}-anonymous")
        table, regions = generalize(data, slices, generalize_k, promise.l)
    check_within_reach(table, slices, promise.l)
    say(f"buckets of {len(data):,} records in {len(slices)} columns")
    bucket = partition(table, slices, correlation, promise.l)
    return _recoding(data, slices, bucket, regions)


def search_single(
    data: PersonTable, promise: SlicedDiversity, *, seed: int, progress: Progress | None = None
) -> SliceRecoding:
    """One attribute per column (Table III of Dhumal & Patil): the comparator that keeps no correlation in columns."""
    return search_slicing(data, promise, seed=seed, progress=progress, columns="single")


def search_bucketization(
    data: PersonTable, promise: SlicedDiversity, *, seed: int, progress: Progress | None = None
) -> SliceRecoding:
    """Anatomy: the quasi-identifiers as they are, the sensitive attributes separated from them in buckets."""
    slices, bucket = bucketize(data, promise.l, seed)
    return _recoding(data, slices, bucket, [])


def _columns(
    data: PersonTable,
    correlation: np.ndarray,
    l: float,  # noqa: E741
    seed: int,
    columns: int | str | Sequence[Sequence[str]] | None,
    overlap: bool,
    cluster: str,
    domains: Mapping[str, Sequence[str]] | None,
    generalize_k: int | None,
) -> Slices:
    if columns == "single":
        return single_columns(data)
    if columns is not None and not isinstance(columns, int | str):
        return fixed_columns(data, columns)
    count = columns if isinstance(columns, int) else None
    slices = found_columns(data, correlation, columns=count, cluster=cluster, domains=domains, seed=seed)
    if generalize_k is None:
        slices = safe_columns(data, slices, correlation, l, keep_count=count is not None)
    return overlapping_columns(data, slices, correlation, l) if overlap else slices


def _recoding(data: PersonTable, slices: Slices, bucket: np.ndarray, regions: list[Regions]) -> SliceRecoding:
    return SliceRecoding(tuple(map(tuple, data.named(slices))), bucket, tuple(regions))
