"""What a release of records lost: in the quasi-identifiers, in the baskets, and by the size of the groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.arrays.attributes import losses, texts_of
from tacit.records.applied import SUPPRESSED_ITEM, AppliedRecords
from tacit.records.data import RecordData
from tacit.records.measures.queries import measure_queries
from tacit.records.measures.ul import measure_ul
from tacit.records.recoding import RecordRecoding
from tacit.values.writing import SUPPRESSED


def measure_records(data: RecordData, applied: AppliedRecords, k: int) -> dict[str, Any]:
    """Every measure that fits records, by its usual name.

    NCP is as in Poulis et al. (2013): of a cell the share of the domain that the published value may be, 0 for a
    single value; of a record the weighted mean of its cells. Groups are records with equal published values, whatever
    clusters they came from.
    """
    recoding, sizes = applied.recoding, applied.recoding.sizes
    cells = max(len(data) * len(data.attributes), 1)
    ncp = unchanged = suppressed = 0.0
    by_attribute = {}
    for attribute, spanned, weight in zip(data.attributes, applied.spans, data.weights.tolist(), strict=True):
        lost = float(losses(attribute, spanned) @ sizes)
        ncp, by_attribute[attribute.name] = ncp + weight * lost, lost / max(len(data), 1)
        is_suppressed = np.array([text == SUPPRESSED for text in texts_of(attribute, spanned)], bool)
        hidden = spanned.code == attribute.missing if attribute.suppress_missing else np.zeros(len(spanned), bool)
        is_suppressed &= (spanned.code < 0) | hidden  # the data may have a value that is called so
        suppressed += float(is_suppressed[spanned.value] @ sizes)
        unchanged += float(((spanned.code >= 0) & ~is_suppressed)[spanned.value] @ sizes)
    classes = class_sizes(recoding)
    return {
        "ncp": ncp / max(len(data), 1),
        "ncp_by_attribute": by_attribute,
        **(_of_items(data, applied) if recoding.items is not None else {}),
        "suppressed": suppressed / cells,
        "generalized": 1 - (suppressed + unchanged) / cells if len(data) else 0.0,
        "unchanged": unchanged / cells,
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


def class_sizes(recoding: RecordRecoding) -> np.ndarray:
    """How many records share their published values with each other."""
    code = np.zeros(recoding.n_clusters, np.int64)
    for values in recoding.attributes.values():
        _, code = np.unique(code * max(len(values.texts), 1) + values.value, return_inverse=True)
    return np.bincount(code, recoding.sizes).astype(np.int64)


def _of_items(data: RecordData, applied: AppliedRecords) -> dict[str, Any]:
    """Measures of baskets, and of baskets and values together."""
    return {**_baskets(data, applied), **measure_ul(data, applied), **measure_queries(data, applied)}


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
        "unchanged_items": float(np.count_nonzero(leaves == 1) / count),
        "emptied_baskets": int(np.count_nonzero((data.baskets.items.baskets.lengths > 0) & (np.diff(left) == 0))),
    }
