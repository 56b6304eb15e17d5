"""What a release of baskets lost: every measure, whatever kind of recoding made it. docs/measures.md defines them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.arrays.encode import counted
from tacit.baskets.data import ItemColumns
from tacit.baskets.measures.shown import Shown, shown
from tacit.baskets.recoding import Applied

SAMPLE = 50_000
"""Itemsets and queries are counted on so many records at most, drawn by a fixed seed."""
_SEED = 2010


def measure_baskets(items: ItemColumns, applied: Applied) -> dict[str, Any]:
    """Every measure that fits baskets, by its usual name."""
    return measure_all(items, applied)


def measure_all(
    items: ItemColumns, applied: Applied, part: Shown | None = None, showing: np.ndarray | None = None
) -> dict[str, Any]:
    """The same, itemsets and queries of a `part` of the records, and with how many records are `showing` each name,
    where that is known: then `items` need not be those of whole records."""
    from tacit.baskets.measures.frequencies import measure_frequencies
    from tacit.baskets.measures.itemsets import measure_itemsets
    from tacit.baskets.measures.queries import measure_queries

    seen = shown(items, applied)
    part = part or sample(seen)
    bound = getattr(applied.recoding, "lower_bound", None)
    return {
        **measure_loss(seen),
        "nothing_told": _nothing_told(seen, items, applied),
        **({} if bound is None else {"ncp_lower_bound": bound}),
        **measure_frequencies(seen, showing),
        **measure_itemsets(part),
        **measure_queries(part),
        "records_sampled": part.indptr.size - 1,
        **({} if seen.record is None else {"moved": share_moved(seen.indptr, seen.record)}),
    }


def measure_loss(seen: Shown) -> dict[str, Any]:
    """NCP and what became of the occurrences.

    NCP takes (leaves − 1) ÷ (all leaves − 1) for an occurrence, as Liu & Wang (2010); the leaf share takes
    leaves ÷ all leaves, and nothing for a single leaf, as other tools do. What is suppressed loses 1.
    """
    occurrences = counted(
        seen.name + 1, seen.n_names + 1, seen.indptr, seen.weight
    )  # of each name; first of what is suppressed
    leaves = np.concatenate(([0], seen.leaves))
    suppressed, kept = leaves == 0, leaves == 1
    everything = seen.all_leaves

    def mean(loss: np.ndarray, whole: int = 1) -> float:
        """Of loss ÷ whole over original occurrences; nothing is lost where nothing was.

        It is the float nearest to the ratio of whole numbers, so that no bound exceeds a loss by rounding.
        """
        return int(loss.astype(np.int64) @ occurrences) / (whole * max(int(occurrences.sum()), 1))

    emptied = (np.diff(seen.indptr) > 0) & (np.diff(seen.names[0]) == 0)
    return {
        "ncp": mean(np.where(suppressed, max(everything - 1, 1), leaves - 1), max(everything - 1, 1)),
        "ncp_leaf_share": mean(np.where(suppressed, max(everything, 1), np.where(kept, 0, leaves)), max(everything, 1)),
        "suppressed": mean(suppressed),
        "generalized": mean(leaves > 1),
        "unchanged": mean(kept),
        "records": emptied.size if seen.weight is None else int(seen.weight.sum()),
        "emptied_baskets": int(np.count_nonzero(emptied) if seen.weight is None else seen.weight[emptied].sum()),
        "items_before": int(np.count_nonzero(np.bincount(seen.items, minlength=1))),
        "items_after": int(np.count_nonzero(occurrences[1:])),
    }


def _nothing_told(seen: Shown, items: ItemColumns, applied: Applied) -> float:
    """The share of the occurrences that are suppressed, or shown by a name that stands for all items of the column."""
    of_column = np.array([applied.recoding.leaves(items, index) for index in range(len(items.columns))], np.int64)
    column = np.repeat(np.arange(len(items.columns)), [len(names) for names in applied.names])
    whole = np.append((seen.leaves >= of_column[column]) & (seen.leaves > 1), True)  # last what is suppressed
    told = counted(seen.name + 1, seen.n_names + 1, seen.indptr, seen.weight)
    return float(told[1:][whole[:-1]].sum() + told[0]) / max(int(told.sum()), 1)


def share_moved(indptr: np.ndarray, record: np.ndarray) -> float:
    """The share of the occurrences that are published in another record than their own."""
    own = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    return float(np.count_nonzero(record != own) / max(own.size, 1))


def sample(seen: Shown) -> Shown:
    """The records that itemsets and queries are counted on: all, if they are few or exchange items."""
    if seen.weight is not None:
        return seen.rows(_people_drawn(seen.weight))
    records = seen.indptr.size - 1
    if records <= SAMPLE or seen.record is not None:
        return seen
    is_drawn = np.zeros(records, bool)
    is_drawn[np.random.default_rng(_SEED).choice(records, SAMPLE, replace=False)] = True
    return seen.rows(np.flatnonzero(is_drawn))


def _people_drawn(weight: np.ndarray) -> np.ndarray:
    """The basket of each person who is drawn, of baskets that so many people have."""
    ends = np.cumsum(weight)
    people = int(ends[-1]) if ends.size else 0
    if people <= SAMPLE:
        return np.repeat(np.arange(weight.size), weight)
    drawn = np.random.default_rng(_SEED).choice(people, SAMPLE, replace=False)
    return np.searchsorted(ends, np.sort(drawn), side="right")
