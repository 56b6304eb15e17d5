"""What a release of baskets lost: each measure on original occurrences, from the data and the recoding alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.baskets import ItemColumns
from tacit.recoding import BasketRecoding
from tacit.utility.shown import shown


def measure_baskets(items: ItemColumns, recoding: BasketRecoding) -> dict[str, Any]:
    """Every measure that fits baskets, by its usual name.

    NCP takes (leaves − 1) ÷ (all leaves − 1) for an occurrence, as Liu & Wang (2010); the leaf share takes
    leaves ÷ all leaves, and nothing for a single leaf, as other tools do. What is suppressed loses 1.
    """
    seen = shown(items, recoding)
    leaves = np.append(seen.leaves, 0)[seen.name]
    lost, kept = leaves == 0, leaves == 1
    everything = seen.all_leaves

    def mean(loss: np.ndarray) -> float:
        """Over original occurrences; nothing is lost where nothing was."""
        return float(loss.sum() / max(loss.size, 1))

    held = np.concatenate(([0], np.cumsum(~lost)))[seen.indptr]
    return {
        "ncp": mean(np.where(lost, 1.0, (leaves - 1) / max(everything - 1, 1))),
        "ncp_leaf_share": mean(np.where(lost, 1.0, np.where(kept, 0.0, leaves / max(everything, 1)))),
        "suppressed": mean(lost.astype(float)),
        "generalized": mean((leaves > 1).astype(float)),
        "unchanged": mean(kept.astype(float)),
        "records": len(items.baskets),
        "emptied_baskets": int(np.count_nonzero((items.baskets.lengths > 0) & (np.diff(held) == 0))),
        "items_before": int(np.unique(seen.items).size),
        "items_after": int(np.unique(seen.name[~lost]).size),
    }
