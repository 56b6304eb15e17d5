"""What a decision makes of records: found once, then published, judged and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays.attributes import Spans, spans
from tacit.records.data import RecordData
from tacit.records.recoding import RecordRecoding

SUPPRESSED_ITEM, SENSITIVE_ITEM = -1, -2


@dataclass(frozen=True, eq=False)
class AppliedRecords:
    """What became of each attribute in each cluster, and of each item of each record."""

    recoding: RecordRecoding
    spans: tuple[Spans, ...]
    """Of each attribute."""
    names: np.ndarray | None = None
    """int32: for each item of each original record its name in `recoding.items`, or one of the two above."""


def apply_records(data: RecordData, recoding: RecordRecoding) -> AppliedRecords:
    """What these records become."""
    became = recoding.spans
    if became is None:
        became = tuple(spans(attribute, recoding.group, recoding.n_clusters) for attribute in data.attributes)
    return AppliedRecords(recoding, became, None if recoding.items is None else _names(data, recoding))


def _names(data: RecordData, recoding: RecordRecoding) -> np.ndarray:
    """The name of each occurrence: that of its item in the cluster of its record."""
    assert data.baskets is not None and recoding.items is not None
    baskets, clusters = data.baskets.items.baskets, recoding.items
    n_items = max(len(baskets.vocabulary), 1)
    known = np.repeat(np.arange(clusters.indptr.size - 1), np.diff(clusters.indptr)) * n_items + clusters.items
    wanted = np.repeat(recoding.group.astype(np.int64), baskets.lengths) * n_items + baskets.items
    is_public = data.baskets.leaf_of_item[baskets.items] >= 0
    place = np.searchsorted(known, wanted)
    found = np.append(known, -1)[place] == wanted
    if not found[is_public].all():
        raise ValueError("a recoding of items must name every public item of every cluster")
    return np.where(is_public, np.append(clusters.name, SUPPRESSED_ITEM)[place], SENSITIVE_ITEM).astype(np.int32)
