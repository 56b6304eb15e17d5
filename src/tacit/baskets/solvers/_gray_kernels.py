"""Rows in the order of the reflected Gray code."""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel


def gray_sorted(indptr: np.ndarray, digits: np.ndarray) -> np.ndarray:
    """A merge sort of the rows by their Gray codes; the digits that are 1 rise in each row."""
    n = indptr.size - 1
    order, merged, width = np.arange(n), np.empty(n, np.int64), 1
    while width < n:
        for first, last in spans(-(-n // (2 * width))):
            _merge(first, last, width, order, merged, indptr, digits)
        order, merged = merged, order
        width *= 2
    return order


@kernel
def _merge(first, last, width, order, merged, indptr, digits):
    """Merges some pairs of sorted pieces that are so many rows wide."""
    n = order.size
    for pair in range(first, last):
        begin = 2 * width * pair
        middle, end = min(begin + width, n), min(begin + 2 * width, n)
        i, j = begin, middle
        for place in range(begin, end):
            if j == end or (i < middle and _comes_first(order[i], order[j], indptr, digits)):
                merged[place] = order[i]
                i += 1
            else:
                merged[place] = order[j]
                j += 1


@inner
def _comes_first(a, b, indptr, digits):
    """Whether row a comes before row b, or they are equal.

    Where the numbers first differ, one has a 1 and the other a 0. The 0 comes first if there are evenly many 1s before.
    """
    i, j, odd = indptr[a], indptr[b], False
    while i < indptr[a + 1] and j < indptr[b + 1] and digits[i] == digits[j]:
        i += 1
        j += 1
        odd = not odd
    if i == indptr[a + 1] and j == indptr[b + 1]:
        return True
    a_has_1 = j == indptr[b + 1] or (i < indptr[a + 1] and digits[i] < digits[j])
    return a_has_1 == odd
