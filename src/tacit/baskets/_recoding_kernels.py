"""Recodes baskets whose records are in parts."""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import kernel


def cover(
    indptr: np.ndarray,
    items: np.ndarray,
    part: np.ndarray,
    place_of_item: np.ndarray,
    bounds: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    codes: np.ndarray,
    code: np.ndarray,
) -> None:
    """Writes to each occurrence of an item that has a place the code of the node of its record's part above it.

    Part p has the nodes bounds[p] to bounds[p + 1], which ascend; node n is above the places starts[n] to ends[n]. An
    occurrence that is below no node stays as it is.
    """
    for first, last in spans(part.size):
        _cover(first, last, indptr, items, part, place_of_item, bounds, starts, ends, codes, code)


@kernel
def _cover(first_row, last_row, indptr, items, part, place_of_item, bounds, starts, ends, codes, code):
    for r in range(first_row, last_row):
        if part[r] < 0:
            continue
        first, last = bounds[part[r]], bounds[part[r] + 1]
        for i in range(indptr[r], indptr[r + 1]):
            place = place_of_item[items[i]]
            low, high = first, last  # nodes before low start at the place or before it, those from high on after it
            while high - low > 8:
                middle = (low + high) >> 1
                if starts[middle] <= place:
                    low = middle + 1
                else:
                    high = middle
            for n in range(low, high):  # few are sooner compared than looked through
                low += starts[n] <= place
            if low > first and place < ends[low - 1]:
                code[i] = codes[low - 1]
