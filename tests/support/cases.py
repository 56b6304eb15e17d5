"""Small inputs for tests: the papers' running examples, and seeded random ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.taxonomy import Taxonomy

RUNNING_EXAMPLE = ["bcd", "afg", "dfyz", "cdfx", "abcfg", "ei", "e", "i"]
"""D of Fig. 1(a), Liu & Wang 2010; an item is a letter."""


def running_taxonomy() -> Taxonomy:
    """H_P of Fig. 1(b), as worked out from the paper's numbers: the picture is lost, and L is our name."""
    paths = ["aHPT", "bHPT", "cKPT", "dKPT", "fLQT", "gLQT", "xMQT", "yMQT", "zMQT", "eT", "iT"]
    return Taxonomy.from_paths([list(path) for path in paths])


class Case(NamedTuple):
    """A random basket problem; items are leaves of the tree."""

    tree: Taxonomy
    baskets: list[set[int]]
    k: int
    m: float


def random_case(seed: int) -> Case:
    """Ragged taxonomies with chains of only children, sparse and dense baskets, k from 1 up, m from 1 to infinity."""
    rng = np.random.default_rng(seed)
    parents, path = [-1], [0]
    for node in range(1, rng.integers(2, 22)):
        path = path[: rng.integers(1, len(path) + 1)]
        parents.append(path[-1])
        path.append(node)
    tree = Taxonomy.from_parents([f"n{node}" for node in range(len(parents))], parents)
    density = rng.random(tree.leaves.size) * rng.random() + 0.02
    baskets = [
        set(tree.leaves[rng.random(tree.leaves.size) < density].tolist()) for _ in range(int(rng.integers(0, 30)))
    ]
    return Case(tree, baskets, int(rng.integers(1, 6)), [1, 2, 3, 4, float("inf")][rng.integers(0, 5)])


def as_arrays(tree: Taxonomy, baskets: list[set[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(indptr, items, leaf of each item) as a method gets them."""
    number = {leaf: i for i, leaf in enumerate(tree.leaves.tolist())}
    indptr = np.cumsum([0, *map(len, baskets)]).astype(np.int64)
    items = np.array([number[leaf] for basket in baskets for leaf in sorted(basket)], np.int32)
    return indptr, items, tree.leaves
