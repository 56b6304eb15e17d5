"""How much unrelated nodes of a tree can be worth together: walks over a tree in preorder."""

from __future__ import annotations

import numpy as np

from tacit.arrays.jit import kernel


def most_worth(worth: np.ndarray, parent: np.ndarray, end: np.ndarray, usable: np.ndarray, kept: np.ndarray) -> float:
    """The most that unrelated usable nodes can be worth together, and which these are (1 in `kept`)."""
    return _most_worth(worth, parent, end, usable, kept, np.zeros(worth.size))


@kernel
def _most_worth(worth, parent, end, usable, kept, below):
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


def most_worth_with(worth: np.ndarray, parent: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """For each usable node, the most that unrelated usable nodes can be worth together if it is one of them."""
    best, below, beside = np.zeros(worth.size), np.zeros(worth.size), np.zeros(worth.size)
    most = np.full(worth.size, -np.inf)
    _most_worth_with(worth, parent, usable, best, below, beside, most)
    return most


@kernel
def _most_worth_with(worth, parent, usable, best, below, beside, most):
    for v in range(worth.size - 1, -1, -1):
        best[v] = max(worth[v], below[v]) if usable[v] else below[v]
        if parent[v] >= 0:
            below[parent[v]] += best[v]
    for v in range(worth.size):
        if parent[v] >= 0:
            beside[v] = beside[parent[v]] + below[parent[v]] - best[v]
        if usable[v]:
            most[v] = beside[v] + worth[v]
