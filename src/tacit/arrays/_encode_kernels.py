"""Loops over baskets: `indptr` int64, `items` int32; the output is passed in."""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import kernel

_MULTIPLIER = 0x5BD1E995  # below 2**31, so that its product with 32 bits stays within int64


def index_baskets(
    indptr: np.ndarray,
    items: np.ndarray,
    slots: np.ndarray,
    first: np.ndarray,
    hashes: np.ndarray,
    weight: np.ndarray,
    inverse: np.ndarray,
) -> int:
    """Indexes different baskets in order of first appearance, with an open-addressed hash table.

    `slots` is the table, -1 everywhere, its size a power of two above the number of baskets. Fills `inverse`
    (the index of each basket), `first` and `weight` (first row and count of each index); returns how many
    different ones there are. Equal hashes are not trusted: the items are compared.
    """
    count = 0
    for start, stop in spans(inverse.size):
        count = _index_baskets(start, stop, indptr, items, slots, first, hashes, weight, inverse, count)
    return count


@kernel
def _index_baskets(first_row, last_row, indptr, items, slots, first, hashes, weight, inverse, count):
    """The same for some of the baskets, behind so many others; how many there are then."""
    last = slots.size - 1
    for row in range(first_row, last_row):
        start = indptr[row]
        length = indptr[row + 1] - start
        hashed = length
        for position in range(start, start + length):
            hashed = ((hashed ^ items[position]) * _MULTIPLIER) & 0xFFFFFFFF
            hashed ^= hashed >> 15
        slot = hashed & last
        while True:
            index = slots[slot]
            if index < 0:
                slots[slot] = count
                first[count] = row
                hashes[count] = hashed
                weight[count] = 1
                inverse[row] = count
                count += 1
                break
            if hashes[index] == hashed:
                other = indptr[first[index]]
                same = indptr[first[index] + 1] - other == length
                offset = 0
                while same and offset < length:
                    same = items[other + offset] == items[start + offset]
                    offset += 1
                if same:
                    weight[index] += 1
                    inverse[row] = index
                    break
            slot = (slot + 1) & last
    return count
