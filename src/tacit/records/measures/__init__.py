"""What a release of records lost: in the quasi-identifiers, in the baskets, and by the size of the groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tacit.arrays.attributes import Attribute, Spans, is_suppressed, losses
from tacit.records.applied import SUPPRESSED_ITEM, AppliedRecords
from tacit.records.data import RecordData
from tacit.records.measures.queries import measure_queries
from tacit.records.measures.ul import measure_ul
from tacit.records.recoding import RecordRecoding


def measure_records(data: RecordData, applied: AppliedRecords, k: int) -> dict[str, Any]:
    """Every measure that fits records, by its usual name.

    NCP is as in Poulis et al. (2013): of a cell the share of the domain that the published value may be, 0 for a
    single value; of a record the weighted mean of its cells. Groups are records with equal published values, whatever
    clusters they came from.
    """
    recoding, people = applied.recoding, max(len(data), 1)
    each = [_attribute(*pair, recoding.sizes) for pair in zip(data.attributes, applied.spans, strict=True)]
    sums = np.array([(one.ncp, one.suppressed, one.unchanged) for one in each], float).reshape(-1, 3) / people
    suppressed, unchanged = sums[:, 1:].mean(axis=0).tolist() if len(each) else (0.0, 0.0)
    classes = class_sizes(recoding)
    return {
        "unchanged": unchanged,
        "generalized": 1 - (suppressed + unchanged) if len(data) else 0.0,
        "suppressed": suppressed,
        **measure_queries(data, applied),
        "ncp": float(data.weights @ sums[:, 0]),
        **({} if recoding.lower_bound is None else {"ncp_lower_bound": recoding.lower_bound}),
        **{
            f"{key}_by_attribute": {one.name: share for one, share in zip(data.attributes, shares, strict=True)}
            for key, shares in zip(("ncp", "suppressed", "unchanged"), sums.T.tolist(), strict=True)
        },
        **(_of_items(data, applied) if recoding.items is not None else {}),
        **({"frontier": [*recoding.curve], "frontier_six": [*recoding.six]} if recoding.curve else {}),
        "records": len(data),
        "groups": int(classes.size),
        "group_sizes": {
            "smallest": int(classes.min(initial=len(data))),
            "median": float(np.median(classes)) if classes.size else 0.0,
            "mean": float(classes.mean()) if classes.size else 0.0,
            "largest": int(classes.max(initial=0)),
        },
        "discernability": int((classes.astype(np.int64) ** 2).sum()),
        "average_class_size": len(data) / max(classes.size * k, 1),
    }


class _Lost(NamedTuple):
    """What an attribute lost, summed over the records."""

    ncp: float
    suppressed: float
    unchanged: float


def _attribute(attribute: Attribute, spanned: Spans, sizes: np.ndarray) -> _Lost:
    """A value that may be any of the domain counts as suppressed, however it is written."""
    loss = losses(attribute, spanned)
    hidden = spanned.code == attribute.missing if attribute.suppress_missing else np.zeros(len(spanned), bool)
    by_us = (spanned.code < 0) | hidden  # the data may have a value that is called so
    suppressed = (is_suppressed(attribute, spanned) & by_us)[spanned.value] | (loss >= 1)
    kept = (spanned.code >= 0)[spanned.value] & ~suppressed
    return _Lost(float(loss @ sizes), float(suppressed @ sizes), float(kept @ sizes))


def class_sizes(recoding: RecordRecoding) -> np.ndarray:
    """How many records share their published values with each other."""
    code = np.zeros(recoding.n_clusters, np.int64)
    for values in recoding.attributes.values():
        _, code = np.unique(code * max(len(values.texts), 1) + values.value, return_inverse=True)
    return np.bincount(code, recoding.sizes).astype(np.int64)


def _of_items(data: RecordData, applied: AppliedRecords) -> dict[str, Any]:
    """Measures of baskets, and of baskets and values together."""
    return {**_baskets(data, applied), **measure_ul(data, applied)}


def _baskets(data: RecordData, applied: AppliedRecords) -> dict[str, Any]:
    """Loss over the original occurrences of items that are not sensitive: (leaves − 1) ÷ (all leaves − 1), 1 if
    suppressed."""
    assert data.baskets is not None and applied.recoding.items is not None and applied.names is not None
    everything = int(data.baskets.taxonomy.leaf_count[0]) if any(data.baskets.spans) else 0
    name = applied.names
    public = name[name >= SUPPRESSED_ITEM]
    leaves = np.append(applied.recoding.items.leaves, 0)[public]
    suppressed, count = leaves == 0, max(public.size, 1)
    shown = (name != SUPPRESSED_ITEM).astype(np.int64)
    left = np.concatenate(([0], np.cumsum(shown)))[data.baskets.items.baskets.indptr]
    return {
        "ncp_items": float(np.where(suppressed, 1.0, (leaves - 1) / max(everything - 1, 1)).sum() / count),
        "ncp_items_leaf_share": float(
            np.where(suppressed, 1.0, np.where(leaves == 1, 0.0, leaves / max(everything, 1))).sum() / count
        ),
        "suppressed_items": float(np.count_nonzero(suppressed) / count),
        "nothing_told_items": float(np.count_nonzero(suppressed | _is_everything(data, applied, public)) / count),
        "unchanged_items": float(np.count_nonzero(leaves == 1) / count),
        "emptied_baskets": int(np.count_nonzero((data.baskets.items.baskets.lengths > 0) & (np.diff(left) == 0))),
    }


def _is_everything(data: RecordData, applied: AppliedRecords, names: np.ndarray) -> np.ndarray:
    """For each occurrence whether its name stands for all items of its column."""
    assert data.baskets is not None and applied.recoding.items is not None
    items = applied.recoding.items
    leaves = np.array([int(tree.leaf_count[0]) for tree in data.baskets.trees])[items.column_of_name]
    return np.append((items.leaves >= leaves) & (leaves > 1), False)[names]
