"""Inner loop of counting pairs of items."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def count_pairs(indptr, items, n_items):
    """How many records hold each pair a < b of items: a matrix. Items ascend inside a record, none twice."""
    together = np.zeros((n_items, n_items), np.int32)
    for r in range(indptr.size - 1):
        for i in range(indptr[r], indptr[r + 1]):
            for j in range(i + 1, indptr[r + 1]):
                together[items[i], items[j]] += 1
    return together
