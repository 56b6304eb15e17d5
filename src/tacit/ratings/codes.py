"""People, issues and levels of ratings as codes: whole numbers from 0."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.labels import label_order, places_in
from tacit.arrays.order import Codes
from tacit.io.text import as_text, no_text

_MANY = 1 << 24


def issues_in_order(issue: np.ndarray, labels: pa.Array) -> tuple[np.ndarray, tuple[str, ...]]:
    """The issue of each row by its place in the order of the labels (−1: none), and the labels in that order."""
    order = label_order(labels)
    return np.append(places_in(order), np.int32(-1))[issue], tuple(labels.take(pa.array(order)).to_pylist())


def from_zero(numbers: np.ndarray) -> Codes:
    """Numbers as codes in their order; large ones are counted first."""
    lowest, highest = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    if highest - lowest >= _MANY:
        different, codes = np.unique(numbers, return_inverse=True)
        return codes, different.size
    return (numbers - lowest if lowest else numbers), highest - lowest + 1


def coded(column: pa.ChunkedArray, missing: Collection[str]) -> tuple[np.ndarray, pa.Array]:
    """The code of each row's value, in order of first appearance, and the values; −1 for "no value"."""
    if pa.types.is_nested(column.type):
        raise no_text(column.type)
    joined, values = distinct(column)
    none = pc.is_in(as_text(values), value_set=pa.array(sorted({"", *missing}), pa.large_string()))
    if not pc.any(none).as_py():
        return joined, values
    kept = np.flatnonzero(~none.to_numpy(zero_copy_only=False))
    code_of = np.full(len(values) + 1, -1, np.int32)
    code_of[kept] = np.arange(kept.size)
    return code_of[joined], values.take(pa.array(kept))


def distinct(column: pa.ChunkedArray) -> tuple[np.ndarray, pa.Array]:
    """The code of each row's value (int32, −1 for null), and the different values."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    chunks = (encoded.unify_dictionaries() if encoded.num_chunks > 1 else encoded).chunks
    if not chunks:
        return np.empty(0, np.int32), pa.array([], encoded.type.value_type)
    codes = np.empty(len(column), np.int32)
    start = 0
    for chunk in chunks:
        places = pc.fill_null(chunk.indices.cast(pa.int32()), -1) if chunk.null_count else chunk.indices
        codes[start : start + len(chunk)] = places.to_numpy()
        start += len(chunk)
    values = chunks[0].dictionary
    used = np.zeros(len(values) + 1, bool)
    used[codes] = True
    used = used[:-1]
    if used.all():
        return codes, values
    code_of = np.append(np.cumsum(used, dtype=np.int32) - 1, np.int32(-1))
    return code_of[codes], values.filter(pa.array(used))
