"""Counts pairs and triples of items."""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import kernel


def count_itemsets(
    indptr: np.ndarray,
    items: np.ndarray,
    names: np.ndarray,
    pair_of: np.ndarray,
    pairs: np.ndarray,
    thirds: np.ndarray,
) -> None:
    """Adds to each indexed pair the records that show it, and to each with a greater item those that show all three.

    Items are codes from 0 and ascend inside a record; `pair_of[a, b]` is the index of the pair a < b, −1 if it is not
    wanted. Each item of a pair or triple has a name of its own; what has a name below 0 is not shown. Without columns
    in `thirds`, pairs are counted alone.
    """
    for start, stop in spans(indptr.size - 1, "itemsets", first=64):
        _count_itemsets(start, stop, indptr, items, names, pair_of, pairs, thirds)


@kernel
def _count_itemsets(start, stop, indptr, items, names, pair_of, pairs, thirds):
    for r in range(start, stop):
        for i in range(indptr[r], indptr[r + 1]):
            if names[i] < 0:
                continue
            for j in range(i + 1, indptr[r + 1]):
                pair = pair_of[items[i], items[j]]
                if pair < 0 or names[j] < 0 or names[j] == names[i]:
                    continue
                pairs[pair] += 1
                if thirds.shape[1] == 0:
                    continue
                for k in range(j + 1, indptr[r + 1]):
                    if names[k] >= 0 and names[k] != names[i] and names[k] != names[j]:
                        thirds[pair, items[k]] += 1
