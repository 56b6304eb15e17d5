"""Cluster: to the letter as its twin, and the quick way at least as good."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pytest

from naive import relational as naive
from support.grouping_cases import as_attributes, members, ncp, random_columns
from support.seeds import in_parts
from tacit.arrays.reading import read_attribute
from tacit.errors import PromiseError
from tacit.job import Column
from tacit.records.solvers.cluster import cluster
from tacit.taxonomy import read_hierarchy


@in_parts(range(300), 30)
def test_literally_the_same_clusters_as_the_twin(seeds: Sequence[int]) -> None:
    several = left_over = merged = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows, k = int(rng.integers(3, 40)), int(rng.integers(1, 7))
        columns = random_columns(rng, rows)
        if k > rows:
            continue
        seeds = np.random.default_rng(seed).permutation(rows).tolist()
        expected = naive.cluster(columns, k, seeds)
        found = members(cluster(as_attributes(columns), k, seed=seed, literal=True))
        assert {frozenset(group) for group in found} == expected, seed
        several += len(expected) > 2
        left_over += rows % k != 0
        merged += len(expected) < rows // k
    assert min(several, left_over, merged) > len(seeds) // 6


@in_parts(range(200), 25)
@pytest.mark.parametrize("literal", [False, True])
def test_groups_are_large_and_diverse_enough(literal: bool, seeds: Sequence[int]) -> None:
    diverse = 0
    for seed in seeds:
        rng = np.random.default_rng(1000 + seed)
        rows, k = int(rng.integers(8, 90)), int(rng.integers(1, 8))
        columns = random_columns(rng, rows)
        kind = str(rng.choice(["frequency", "distinct", "entropy"]))
        sensitive = rng.integers(0, int(rng.integers(1, 7)), rows).astype(np.int32)
        l = int(rng.integers(2, 4)) if kind == "distinct" else float(rng.uniform(1.1, 3))  # noqa: E741
        options = {"l": l, "sensitive": [sensitive], "kind": kind} if rng.random() < 0.7 else {}
        try:
            found = members(cluster(as_attributes(columns), k, seed=seed, literal=literal, **options))
        except PromiseError:
            assert naive.reached(sensitive.tolist(), kind) < l
            continue
        assert {r for group in found for r in group} == set(range(rows))
        assert min(map(len, found)) >= k
        if options:
            assert min(naive.reached(sensitive[group].tolist(), kind) for group in found) >= l - 1e-9
            diverse += len(found) > 1
        texts = [naive.published(columns, group) for group in found]
        assert len(set(texts)) == len(texts)
    assert diverse > len(seeds) // 4


def test_large_k_is_reached_by_groups_of_groups() -> None:
    rng = np.random.default_rng(5)
    columns = [([str(n) for n in rng.integers(0, 5000, 3000)], "number")]
    sizes = np.bincount(cluster(as_attributes(columns), 500, seed=1))
    assert sizes.sum() == 3000
    assert sizes.min() >= 500
    assert sizes.size >= 3


def test_same_seed_same_groups() -> None:
    attributes = as_attributes(random_columns(np.random.default_rng(3), 400))
    first, again, other = (cluster(attributes, 4, seed=seed).tolist() for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.slow
def test_on_real_people_the_quick_way_loses_no_more_than_the_literal_one(shared_data: Path) -> None:
    table = pa.csv.read_csv(shared_data / "rt" / "informs2005_rt.csv.gz")
    table = table.filter(pa.compute.not_equal(table["conditions"], ""))
    attributes = []
    for name in ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income"):
        tree = shared_data / "taxonomies" / f"informs_{name}_tree.txt{'.gz' * (name == 'income')}"
        attributes.append(read_attribute(table[name], Column(name, "quasi"), tree=read_hierarchy(tree)))
    quick, literal = (ncp(attributes, cluster(attributes, 25, seed=1, literal=way)) for way in (False, True))
    assert len(attributes[0]) == 26_735
    assert quick <= 1.02 * literal
