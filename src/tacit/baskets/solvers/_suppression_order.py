"""Which item is suppressed next: the one in most minimal moles per loss."""

from __future__ import annotations

import numpy as np

from tacit.arrays.jit import inner, kernel


@kernel
def next_item(x, heap, size, count, rows, loss, order):
    """Takes item x out of the rows, if it is one, and gives the one that goes next, or −1.

    The heap, of so many (label, moles), gives labels with the most moles per loss first. It is made when there is no x.
    """
    root = np.int64(0)
    if x < 0:
        for at in range(size[0] // 2, -1, -1):
            _sink(heap, size[0], at, loss, order)
    else:
        for q in range(rows.first[x], rows.first[x + 1]):
            r = rows.holders[q]
            j = rows.begin[r]
            while rows.items[j] != x:
                j += 1
            for i in range(j + 1, rows.end[r]):
                rows.items[i - 1] = rows.items[i]
            rows.end[r] -= 1
    while size[0] > 0:
        y = heap[0, 0]
        current = count[y] == heap[0, 1]
        if current or count[y] == 0:
            size[0] -= 1
            heap[0, 0], heap[0, 1] = heap[size[0], 0], heap[size[0], 1]
        else:
            heap[0, 1] = count[y]
        _sink(heap, size[0], root, loss, order)
        if current:
            return y
    return np.int64(-1)


@inner
def is_better(x, of_x, y, of_y, loss, order):
    """Whether x, in so many moles, is to be suppressed before y: more per loss; of equals the last in order."""
    mine, yours = of_x * loss[y], of_y * loss[x]
    return order[x] > order[y] if mine == yours else mine > yours


@inner
def _sink(heap, n, at, loss, order):
    """Restores the order of the heap (label, moles) below a place."""
    while True:
        child = 2 * at + 1
        if child >= n:
            return
        if child + 1 < n and is_better(
            heap[child + 1, 0], heap[child + 1, 1], heap[child, 0], heap[child, 1], loss, order
        ):
            child += 1
        if not is_better(heap[child, 0], heap[child, 1], heap[at, 0], heap[at, 1], loss, order):
            return
        for j in range(2):
            heap[at, j], heap[child, j] = heap[child, j], heap[at, j]
        at = child
