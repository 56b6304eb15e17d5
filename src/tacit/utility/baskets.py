"""What a release of baskets lost: one function a measure, each on original occurrences."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.baskets import BasketData
from tacit.recoding import CutRecoding


def measure_baskets(data: BasketData, recoding: CutRecoding) -> dict[str, Any]:
    """Every measure that fits baskets, by its usual name."""
    leaves, everything = leaves_published_as(data, recoding)
    count = np.bincount(data.items.baskets.items, minlength=leaves.size)
    lost = leaves == 0
    suppressed_in = lost[data.items.baskets.items]
    before = data.items.baskets.lengths
    after = before - np.diff(np.concatenate(([0], np.cumsum(suppressed_in)))[data.items.baskets.indptr])
    return {
        "ncp": mean(np.where(lost, 1.0, (leaves - 1) / np.maximum(everything - 1, 1)), count),
        "ncp_leaf_share": mean(np.where(lost, 1.0, np.where(leaves == 1, 0.0, leaves / everything)), count),
        "suppressed": mean(lost.astype(float), count),
        "generalized": mean((leaves > 1).astype(float), count),
        "unchanged": mean((leaves == 1).astype(float), count),
        "records": len(data.items.baskets),
        "emptied_baskets": int(np.count_nonzero((before > 0) & (after == 0))),
        "items_before": int(np.count_nonzero(count)),
        "items_after": len(names_shown(data, recoding)),
    }


def names_shown(data: BasketData, recoding: CutRecoding) -> set[tuple[str, str]]:
    """The published names that stand for an item of the data, with their columns."""
    return {
        (name, shown)
        for number, (name, cut) in enumerate(recoding.columns.items())
        for label in data.items.vocabulary(number)
        if (shown := cut.becomes[label]) is not None
    }


def leaves_published_as(data: BasketData, recoding: CutRecoding) -> tuple[np.ndarray, np.ndarray]:
    """For each item of the vocabulary: leaves under what it is published as (0: suppressed), and leaves in all."""
    size = np.zeros(len(data.items.baskets.vocabulary), np.int64)
    everything = np.ones(size.size, np.int64)
    total = int(data.taxonomy.leaf_count[0])
    for number, (tree, cut) in enumerate(zip(data.trees, recoding.columns.values(), strict=True)):
        leaf_count = dict(zip(tree.names, tree.leaf_count.tolist(), strict=True))
        here = np.flatnonzero(data.items.column_of == number)
        for i, label in zip(here.tolist(), data.items.vocabulary(number), strict=True):
            name = cut.becomes[label]
            size[i] = 0 if name is None else leaf_count.get(name, 1)
        everything[here] = total
    return size, everything


def mean(loss: np.ndarray, occurrences: np.ndarray) -> float:
    """Mean over original occurrences; nothing is lost where nothing was."""
    total = occurrences.sum()
    return float(loss @ occurrences / total) if total else 0.0
