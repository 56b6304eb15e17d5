"""The best clusters out of a tree of parts, against the same part by part."""

from __future__ import annotations

import numpy as np

from support.seeds import each_seed
from tacit.records.solvers.cutting import CutTree
from tacit.records.solvers.pruning import LossTree


def random_tree(rng: np.random.Generator, pieces: int) -> LossTree:
    """Some pieces, each cut in two again and again, with losses of whole quarters so that many are equal."""
    left, depth = [-1] * pieces, [0] * pieces
    for part in range(40):
        if part < len(left) and rng.random() < 0.6:
            left[part] = len(left)
            left += [-1, -1]
            depth += [depth[part] + 1] * 2
    n = len(left)
    values, items = (rng.integers(0, 12, n) / 4 for _ in range(2))
    values[(np.array(left) >= 0) & (rng.random(n) < 0.2)] = np.inf
    ends = np.arange(n)
    parts = CutTree(np.arange(n, dtype=np.int32), ends, ends + 1, np.array(left), np.array(depth))
    return LossTree.of(parts, values, items)


def least_and_clusters(tree: LossTree, part: int, weight: float) -> tuple[float, list[int]]:
    """What a part loses at least, and its clusters then: the part before what stands instead, that before its sides."""
    ways = [(float(tree.values[part] + weight * tree.items[part]), [part])]
    if tree.instead[part] >= 0:
        ways.append(least_and_clusters(tree, int(tree.instead[part]), weight))
    if tree.parts.left[part] >= 0:
        left = int(tree.parts.left[part])
        (one, some), (two, others) = (least_and_clusters(tree, side, weight) for side in (left, left + 1))
        ways.append((one + two, some + others))
    return min(ways, key=lambda way: way[0])


@each_seed(range(40))
def test_the_best_partition_is_that_of_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pieces = int(rng.integers(1, 4))
    tree = random_tree(rng, pieces)
    if seed % 2:
        tree = LossTree.of(tree.parts, tree.values, tree.items).or_else(random_tree(rng, pieces))
    roots = np.flatnonzero(tree.parts.depth == 0).tolist()
    for weight in (1e-9, 0.25, 1.0, 3.0, 1e9):
        clusters = sorted(part for root in roots for part in least_and_clusters(tree, root, weight)[1])
        found = tree.best(weight)
        assert np.flatnonzero(found.is_cluster).tolist() == clusters
        assert found.values == tree.values[clusters].sum() and found.items == tree.items[clusters].sum()
