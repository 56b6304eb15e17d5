"""Values by key, as places in one array: a sort by counting."""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import kernel


def grouped(keys: np.ndarray, values: np.ndarray, n_keys: int) -> tuple[np.ndarray, np.ndarray]:
    """The values (of 32 bits) of each key, in their order: those of key y are grouped[start[y]:start[y+1]].

    >>> start, names = grouped(np.array([1, 0, 1], np.int32), np.array([7, 8, 9]), 3)
    >>> start.tolist(), names.tolist()
    ([0, 1, 3, 3], [8, 7, 9])
    """
    start, of_key = np.zeros(n_keys + 1, np.int64), np.empty(keys.size, np.int32)
    np.cumsum(np.bincount(keys, minlength=n_keys), out=start[1:])
    place = start[:-1].copy()
    keys, values = keys.astype(np.int32, copy=False), values.astype(np.int32, copy=False)
    for first, last in spans(keys.size):
        _put_into_place(keys[first:last], values[first:last], place, of_key)
    return start, of_key


@kernel
def _put_into_place(keys, values, place, of_key):
    for i in range(keys.size):
        of_key[place[keys[i]]] = values[i]
        place[keys[i]] += 1
