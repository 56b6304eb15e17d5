"""Additive loss measures: what one occurrence of an item loses when it is published as a node.

A measure gives each node a number between 0 (nothing lost) and 1 (as bad as suppressed), as whole numbers over a
common denominator, so that costs are compared exactly: as floats, 6 · 0.9 and 9 · 0.6 differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tacit.taxonomy import Taxonomy

_STEPS = 1_000_000  # resolution of the measures that are not ratios of whole numbers


class NodeLoss(NamedTuple):
    """Loss per occurrence: numerator[node] / denominator."""

    numerator: np.ndarray
    denominator: int


def leaf_metric(tree: Taxonomy) -> NodeLoss:
    """LM: (leaves − 1) ÷ (all leaves − 1), the measure of Liu & Wang (2010), section 2."""
    return _leaf_metric(tree.leaf_count, int(tree.leaf_count[0]))


def leaf_share(tree: Taxonomy) -> NodeLoss:
    """Leaves ÷ all leaves, and nothing for a single leaf: how other tools report NCP."""
    return NodeLoss(np.where(tree.is_leaf, 0, tree.leaf_count), int(tree.leaf_count[0]))


def height(tree: Taxonomy) -> NodeLoss:
    """Levels climbed ÷ levels there are: longest way down from the node over the longest way down from the root."""
    climbed = np.zeros(len(tree), np.int64)
    for node in range(len(tree) - 1, 0, -1):
        climbed[tree.parent[node]] = max(climbed[tree.parent[node]], climbed[node] + 1)
    return NodeLoss(climbed, max(int(climbed[0]), 1))


def bits(tree: Taxonomy) -> NodeLoss:
    """log(leaves) ÷ log(all leaves): the share of an item's bits that a reader can no longer know."""
    return _bits(tree.leaf_count, int(tree.leaf_count[0]))


def _leaf_metric(leaves: np.ndarray, everything: int) -> NodeLoss:
    return NodeLoss(leaves - 1, max(everything - 1, 1))


def _leaf_share(leaves: np.ndarray, everything: int) -> NodeLoss:
    return NodeLoss(np.where(leaves == 1, 0, leaves), everything)


def _bits(leaves: np.ndarray, everything: int) -> NodeLoss:
    whole = max(float(np.log(everything)), np.finfo(float).tiny)
    return NodeLoss(np.rint(np.log(leaves) / whole * _STEPS).astype(np.int64), _STEPS)


LOSSES: dict[str, Callable[[Taxonomy], NodeLoss]] = {
    "lm": leaf_metric,
    "leaf-share": leaf_share,
    "height": height,
    "bits": bits,
}

LOSSES_OF_SETS: dict[str, Callable[[np.ndarray, int], NodeLoss]] = {
    "lm": _leaf_metric,
    "leaf-share": _leaf_share,
    "bits": _bits,
}
"""The same for sets of so many leaves, of all there are; a set has no height."""
