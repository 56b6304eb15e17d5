"""UL: the utility loss of published items (Loukides et al. 2011, as Poulis et al. 2013 use it, section 5).

UL of a published item that stands for s items is 2^s − 1, the number of things it may mean. UL of a record is the sum
of these ÷ (2^σ − 1), σ being the sum of all s. For σ in the hundreds these are no floats, so every term is taken
relative to the divisor: (2^s − 1) ÷ (2^σ − 1) = 2^(s − σ) · (1 − 2^−s) ÷ (1 − 2^−σ).

UL is not 0 where nothing was changed: a record with one item has 1, with two items 2/3. So it is told beside the UL of
the original.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.sparse import as_sets, keep_where
from tacit.records.applied import SENSITIVE_ITEM, AppliedRecords

if TYPE_CHECKING:
    from tacit.records.data import RecordData

_LOG_2 = float(np.log(2))


def ul_of_records(indptr: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """UL of each record, whose published items stand for so many items each; 0 for an empty basket.

    >>> ul_of_records(np.array([0, 1, 3, 3]), np.array([1, 1, 1])).round(2).tolist()
    [1.0, 0.67, 0.0]
    """
    sizes = np.asarray(sizes, float)
    n = indptr.size - 1
    record = np.repeat(np.arange(n), np.diff(indptr))
    total = np.bincount(record, sizes, n)[record]
    terms = np.exp2(sizes - total) * np.expm1(-sizes * _LOG_2) / np.expm1(-total * _LOG_2)
    return np.bincount(record, terms, n)


def utility_loss(indptr: np.ndarray, sizes: np.ndarray) -> float:
    """UL of the data: the mean over records; 0 if there are none.

    A suppressed item counts, once a record, as one that may be anything: it is on the caller to put it there.
    """
    return float(ul_of_records(indptr, sizes).mean()) if indptr.size > 1 else 0.0


def measure_ul(data: RecordData, applied: AppliedRecords) -> dict[str, float]:
    """UL of published records with baskets, and of the original; of items that are not sensitive."""
    assert data.baskets is not None and applied.recoding.items is not None and applied.names is not None
    baskets, name = data.baskets.items.baskets, applied.names
    public = name != SENSITIVE_ITEM
    everything = int(data.baskets.taxonomy.leaf_count[0]) if any(data.baskets.spans) else 0
    indptr, names = as_sets(*keep_where(baskets.indptr, name + 1, public))
    sizes = np.concatenate(([max(everything, 1)], applied.recoding.items.leaves))[names]
    before, _ = keep_where(baskets.indptr, baskets.items, public)
    return {"ul": utility_loss(indptr, sizes), "ul_original": utility_loss(before, np.ones(before[-1]))}
