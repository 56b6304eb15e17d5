"""What a release of baskets lost: each measure on original occurrences, from the data and the recoding alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tacit.baskets import ItemColumns
from tacit.recoding import CutRecoding
from tacit.sparse import keep_where


def measure_baskets(items: ItemColumns, recoding: CutRecoding) -> dict[str, Any]:
    """Every measure that fits baskets, by its usual name.

    NCP takes (leaves − 1) ÷ (all leaves − 1) for an occurrence, as Liu & Wang (2010); the leaf share takes
    leaves ÷ all leaves, and nothing for a single leaf, as other tools do. What is suppressed loses 1.
    """
    baskets = items.baskets
    leaves = leaves_shown(items, recoding)
    everything = sum(len(cut.becomes) for cut in recoding.columns.values())
    occurrences = np.bincount(baskets.items, minlength=leaves.size)
    lost, kept = leaves == 0, leaves == 1

    def mean(loss: np.ndarray) -> float:
        """Over original occurrences; nothing is lost where nothing was."""
        return float(loss @ occurrences / max(occurrences.sum(), 1))

    left, _ = keep_where(baskets.indptr, baskets.items, ~lost[baskets.items])
    return {
        "ncp": mean(np.where(lost, 1.0, (leaves - 1) / max(everything - 1, 1))),
        "ncp_leaf_share": mean(np.where(lost, 1.0, np.where(kept, 0.0, leaves / max(everything, 1)))),
        "suppressed": mean(lost.astype(float)),
        "generalized": mean((leaves > 1).astype(float)),
        "unchanged": mean(kept.astype(float)),
        "records": len(baskets),
        "emptied_baskets": int(np.count_nonzero((baskets.lengths > 0) & (np.diff(left) == 0))),
        "items_before": int(np.count_nonzero(occurrences)),
        "items_after": sum(len(names_shown(items, recoding, number)) for number in range(len(items.columns))),
    }


def leaves_shown(items: ItemColumns, recoding: CutRecoding) -> np.ndarray:
    """For each item the leaves below what it is published as: 0 if it is suppressed, 1 if it is sensitive."""
    leaves = np.zeros(len(items.baskets.vocabulary), np.int64)
    for number, cut in enumerate(recoding.columns.values()):
        below = Counter(cut.becomes.values())
        below[None] = 0
        leaves[items.column_of == number] = [
            1 if label in cut.sensitive else below[cut.becomes[label]] for label in items.vocabulary(number)
        ]
    return leaves


def names_shown(items: ItemColumns, recoding: CutRecoding, column: int) -> set[str]:
    """The names of a column that stand for an item of the data."""
    cut = recoding.columns[items.columns[column].name]
    return {name for label in items.vocabulary(column) if (name := cut.name_of(label)) is not None}
