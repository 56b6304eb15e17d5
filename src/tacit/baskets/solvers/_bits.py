"""Words of 64 bits in kernels."""

from __future__ import annotations

import numpy as np

from tacit.arrays.jit import inner

BLOCK = 8  # words that are looked at together


@inner
def ones(word):
    """How many bits of a word are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def count_holders(nodes, size, row_of, bits, weight, enough):
    """How many people hold all of the first `size` nodes, or some number from `enough` on; and the first basket.

    Node x is in the baskets whose bits are set in row row_of[x].
    """
    people, first = np.int64(0), np.int64(-1)
    one, two, three = row_of[nodes[0]], row_of[nodes[min(size, 2) - 1]], row_of[nodes[min(size, 3) - 1]]
    for block in range(0, bits.shape[1], BLOCK):
        met = np.uint64(0)
        for word in range(block, block + BLOCK):
            met |= bits[one, word] & bits[two, word] & bits[three, word]
        if met == 0:
            continue
        for word in range(block, block + BLOCK):
            common = bits[one, word] & bits[two, word] & bits[three, word]
            for i in range(3, size):
                common &= bits[row_of[nodes[i]], word]
            while common != 0:
                others = common & (common - np.uint64(1))
                t = 64 * word + ones((common ^ others) - np.uint64(1))
                common = others
                if first < 0:
                    first = t
                people += weight[t]
                if people >= enough:
                    return people, first
    return people, first


def in_blocks(bits: int) -> int:
    """How many words hold so many bits, rounded up to whole blocks."""
    return -(-bits // (64 * BLOCK)) * BLOCK
