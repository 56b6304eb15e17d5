"""Words of 64 bits in kernels."""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 8  # words that are looked at together


@njit(cache=True)
def ones(word):
    """How many bits of a word are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


def in_blocks(bits: int) -> int:
    """How many words hold so many bits, rounded up to whole blocks."""
    return -(-bits // (64 * BLOCK)) * BLOCK
