"""Kernels that may need more room: they say so, and are called again with larger arrays."""

from __future__ import annotations

import numpy as np

DONE, GO_ON, ROOM = 0, 1, 2


def grown(array: np.ndarray, rows: int) -> np.ndarray:
    """The array itself, or a copy of at least twice its length if it has fewer rows than that."""
    if rows <= len(array):
        return array
    bigger = np.empty((max(rows, 2 * len(array)), *array.shape[1:]), array.dtype)
    bigger[: len(array)] = array
    return bigger
