"""Item frequencies: how far off the counts of items are that somebody takes from the release."""

from __future__ import annotations

import numpy as np

from tacit.arrays.encode import counted
from tacit.baskets.measures.shown import Shown

_ROUNDING = 1e-12
"""Relative: estimates nearer to each other than this are equal. Sums of shares such as 2/3 + 1/6 differ from 5/6."""


def measure_frequencies(seen: Shown, showing: np.ndarray | None = None) -> dict[str, float]:
    """The error of the items' estimated frequencies, and how well they rank the items.

    The error is Σ |estimate − truth| ÷ Σ truth over the items of the data: 0 if all are right, 1 if nothing is shown,
    and 2 at most. The rank correlation is Spearman's; items of equal frequency share their mean rank. How many records
    show each name is counted, unless it is known.
    """
    truth = counted(seen.items, seen.n_items, seen.indptr, seen.weight).astype(float)
    estimate = estimated(seen, showing)
    held = truth > 0
    return {
        "item_frequency_error": float(np.abs(estimate - truth)[held].sum() / max(truth.sum(), 1)),
        "rank_correlation": rank_correlation(truth[held], estimate[held]),
    }


def estimated(seen: Shown, showing: np.ndarray | None = None) -> np.ndarray:
    """For each item the records that should hold it: those that show a name are shared out evenly to its leaves."""
    records = counted(seen.names[1], seen.n_names, seen.names[0], seen.weight) if showing is None else showing
    share = np.repeat(records / np.maximum(seen.leaves, 1), np.diff(seen.leaf_indptr))
    return np.bincount(seen.leaf_items, weights=share, minlength=seen.n_items)


def rank_correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's rank correlation; where one of them ranks nothing, 1 if neither does and 0 otherwise."""
    ranks = mean_ranks(one), mean_ranks(other)
    spread = [float(each.std()) if each.size else 0.0 for each in ranks]
    if min(spread) == 0:
        return float(max(spread) == 0)
    return float(np.clip(np.corrcoef(*ranks)[0, 1], -1, 1))


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1 up; values that are equal but for rounding share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    place = np.cumsum(np.diff(ordered, prepend=ordered[:1]) > _ROUNDING * np.abs(ordered))
    count = np.bincount(place)
    ranks = np.empty(values.size)
    ranks[order] = (np.cumsum(count) - (count - 1) / 2)[place]
    return ranks
