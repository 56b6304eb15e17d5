"""Labels in an order of their own: codes count along it, and never who appeared first in the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_NUMBER = r"^\s*[+-]?(?:[0-9]{1,80}\.?[0-9]{0,80}|\.[0-9]{1,80})(?:[eE][+-]?[0-9]{1,2})?\s*$"


def label_order(labels: pa.Array | Sequence[str]) -> np.ndarray:
    """The places of different labels in their order: by value if all are numbers, then by text.

    >>> label_order(["b", "a", "10"]).tolist(), label_order(["10", "9", "1e1"]).tolist()
    ([2, 1, 0], [1, 0, 2])
    """
    texts = labels if isinstance(labels, pa.Array) else pa.array(labels, pa.large_string())
    _, numbers = as_numbers(texts)
    by_text = np.from_dlpack(pc.sort_indices(texts)).astype(np.int64)
    return by_text if numbers is None else by_text[np.argsort(numbers[by_text], kind="stable")]


def as_numbers(texts: pa.Array) -> tuple[np.ndarray, np.ndarray | None]:
    """Which texts are numbers, and if all are their values."""
    fits = flags(pc.match_substring_regex(texts, _NUMBER))
    if not fits.all():
        return fits, None
    return fits, np.from_dlpack(pc.cast(pc.utf8_trim_whitespace(texts), pa.float64()))


def flags(values: pa.BooleanArray) -> np.ndarray:
    """Booleans without null as an array. (Arrow's own `to_numpy` would import pandas.)"""
    return np.from_dlpack(pc.cast(values, pa.int8())) == 1


def places_in(order: np.ndarray) -> np.ndarray:
    """For each label its place in the order (int32).

    >>> places_in(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    place = np.empty(order.size, np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    return place
