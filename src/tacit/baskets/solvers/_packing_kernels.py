"""The loop of the bound on sets: parts of weights for pairs of which one must give way."""

from __future__ import annotations

from tacit.arrays.jit import kernel


@kernel
def pack(pairs, left):
    """Gives each pair in turn as much as both of its items have left; how much in all."""
    total = 0
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        part = left[a] if left[a] < left[b] else left[b]
        left[a] -= part
        left[b] -= part
        total += part
    return total
