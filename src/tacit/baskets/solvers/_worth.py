"""Kernels that tell how much unrelated nodes of a tree can be worth together: walks over a tree in preorder."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def most_worth(worth, parent, end, usable, kept):
    """The most that unrelated usable nodes can be worth together, and which these are (1 in `kept`)."""
    below = np.zeros(worth.size)
    for v in range(worth.size - 1, -1, -1):
        kept[v] = usable[v] and worth[v] > below[v]
        if kept[v]:
            below[v] = worth[v]
        if parent[v] >= 0:
            below[parent[v]] += below[v]
    v = 0
    while v < worth.size:
        if kept[v]:
            for w in range(v + 1, end[v]):
                kept[w] = 0
            v = end[v]
        else:
            v += 1
    return below[0]


@njit(cache=True)
def most_worth_with(worth, parent, usable):
    """For each usable node, the most that unrelated usable nodes can be worth together if it is one of them."""
    best, below = np.zeros(worth.size), np.zeros(worth.size)
    for v in range(worth.size - 1, -1, -1):
        best[v] = max(worth[v], below[v]) if usable[v] else below[v]
        if parent[v] >= 0:
            below[parent[v]] += best[v]
    beside, most = np.zeros(worth.size), np.full(worth.size, -np.inf)
    for v in range(worth.size):
        if parent[v] >= 0:
            beside[v] = beside[parent[v]] + below[parent[v]] - best[v]
        if usable[v]:
            most[v] = beside[v] + worth[v]
    return most
