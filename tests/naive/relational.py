"""Slow twins of grouping records, on lists of texts: the definitions, and Cluster (Poulis et al. 2013) literally."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from naive.attributes import generalized
from tacit.taxonomy import Taxonomy

TWIN_OF = ("cluster",)

Column = tuple[list[str | None], Taxonomy | str]
"""The values of all records, and what they are: "number", "category" or the hierarchy."""
Group = list[int]


def published(columns: Sequence[Column], group: Group) -> tuple[str, ...]:
    return tuple(generalized([values[r] for r in group], values, kind)[0] for values, kind in columns)


def loss(columns: Sequence[Column], group: Group) -> float:
    """NCP of one record of a group, all attributes of the same weight."""
    losses = (generalized([values[r] for r in group], values, kind)[1] for values, kind in columns)
    return sum(losses) / len(columns)


def total_loss(columns: Sequence[Column], groups: Sequence[Group]) -> float:
    return sum(len(group) * loss(columns, group) for group in groups)


def merge_equal(columns: Sequence[Column], groups: Sequence[Group]) -> set[frozenset[int]]:
    """Groups that are published with equal values are one."""
    merged: dict[tuple[str, ...], Group] = {}
    for group in groups:
        merged.setdefault(published(columns, group), []).extend(group)
    return {frozenset(group) for group in merged.values()}


def cluster(columns: Sequence[Column], k: int, seeds: Sequence[int]) -> set[frozenset[int]]:
    """The algorithm of the paper; a seed is the next record of a random order that has no cluster yet."""
    left = list(range(len(seeds)))
    clusters: list[Group] = []
    for seed in seeds:
        if len(left) < k:
            break
        if seed in left:
            near = sorted((r for r in left if r != seed), key=lambda r, seed=seed: loss(columns, [seed, r]))
            clusters.append([seed, *near[: k - 1]])
            left = [r for r in left if r not in clusters[-1]]
    for record in left:
        best = min(clusters, key=lambda members, record=record: loss(columns, [*members, record]))
        best.append(record)
    return merge_equal(columns, clusters)


def reached(values: Sequence[object], kind: str) -> float:
    """The largest ℓ for which sensitive values are diverse."""
    counts = Counter(values)
    if kind == "frequency":
        return len(values) / max(counts.values())
    if kind == "distinct":
        return len(counts)
    return math.exp(-sum(c / len(values) * math.log(c / len(values)) for c in counts.values()))


def partitions(records: list[int], k: int) -> Iterator[list[Group]]:
    """All partitions into groups of at least k."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for chosen in range(2 ** len(rest)):
        group = [first, *(r for i, r in enumerate(rest) if chosen >> i & 1)]
        if len(group) >= k:
            yield from ([group, *others] for others in partitions([r for r in rest if r not in group], k))
