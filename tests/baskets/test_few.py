"""Few baskets as whole numbers of bits: what is decided is what the kernels decide, with more items than twins can."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from support.seeds import in_parts
from tacit.arrays.sparse import Sparse
from tacit.baskets.solvers import few
from tacit.baskets.solvers.constraints import Constraints
from tacit.baskets.solvers.hghs import hghs, mhghs
from tacit.baskets.solvers.merging import merge_items
from tacit.baskets.solvers.problem import pose
from tacit.taxonomy import Taxonomy


def random_baskets(rng: np.random.Generator, n_items: int) -> Sparse:
    chance = rng.random(n_items) * rng.uniform(0.05, 0.4)
    held = rng.random((int(rng.integers(1, 200)), n_items)) < chance
    return np.concatenate(([0], np.cumsum(held.sum(axis=1)))), np.nonzero(held)[1].astype(np.int32)


def groups_of(seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    indptr, items = random_baskets(rng, n)
    labels = tuple(map(str, range(n)))
    column = rng.integers(0, 2, n) if seed % 3 == 0 else np.zeros(n, np.int64)
    apart = tuple(frozenset(np.array(labels)[column == each].tolist()) for each in np.unique(column))
    people = rng.integers(1, 4, indptr.size - 1) if seed % 2 else None
    mass = np.bincount(items, minlength=n) if rng.random() < 0.7 else None
    k, m, constraints = int(rng.integers(1, 9)), int(rng.integers(1, 4)), Constraints(labels, utility=apart)
    found = merge_items(
        indptr, items, n, k, m, constraints, None, any_of_them=bool(rng.random() < 0.3), people=people, mass=mass
    )
    return found.group.tolist()


@in_parts(range(240), 60)
def test_items_are_merged_as_kernels_merge_them(seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    merged = 0
    for seed in seeds:
        by_bits = groups_of(seed)
        merged += 0 <= max(by_bits) < len(by_bits) - 1
        with monkeypatch.context() as changed:
            changed.setattr(few, "_ITEMS", 0)
            assert groups_of(seed) == by_bits
    assert merged > len(seeds) // 4


def tree_of(leaves: int) -> Taxonomy:
    """A hierarchy whose nodes have two or three children each."""
    paths = ([f"leaf {i}", f"pair {i // 2}", f"six {i // 6}", f"twelve {i // 12}", "all"] for i in range(leaves))
    return Taxonomy.from_paths(list(paths))


@in_parts(range(80), 40)
def test_the_walk_ends_where_kernels_end(seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    tree, between = tree_of(36), 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        baskets = random_baskets(rng, tree.leaves.size)
        problem, k = pose(tree, *baskets, tree.leaves), int(rng.integers(1, 30))
        for search in (hghs, mhghs):
            by_bits = search(problem, k, 2)
            between += 1 < by_bits.cut.size < tree.leaves.size
            with monkeypatch.context() as changed:
                changed.setattr(few, "_NODES", 0)
                found = search(problem, k, 2)
            assert by_bits.cut.tolist() == found.cut.tolist()
            assert by_bits.suppressed.tolist() == found.suppressed.tolist()
            assert by_bits.cost == found.cost
    assert between > len(seeds) // 2


def test_who_has_an_item() -> None:
    """The first basket is one person's, the second two have, the third nobody."""
    indptr, items = np.array([0, 2, 3, 4]), np.array([0, 1, 1, 2], np.int32)
    assert few.holders(indptr, items, 3, np.array([1, 2, 0])) == [0b001, 0b111, 0]


def test_long_sets_and_large_data_are_for_kernels() -> None:
    assert few.are_few_items(40, 2, 30_000)
    assert few.are_few_items(20, 3, 1_000)
    assert not few.are_few_items(3, 4, 10)
    assert not few.are_few_items(300, 2, 100)
    assert few.are_few_nodes(200, 4_000)
    assert not few.are_few_nodes(200, 40_000)
