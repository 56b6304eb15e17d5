"""Published baskets as the audits look at them: (starts, items), a set in each row. No code of the methods."""

from __future__ import annotations

import numpy as np

Sets = tuple[np.ndarray, np.ndarray]


def as_sets(starts: np.ndarray, items: np.ndarray) -> Sets:
    """Each basket sorted, every item once, in whatever order and however often they are given."""
    rows = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    cells = np.sort(rows * (2**32) + items)
    cells = cells[np.diff(cells, prepend=-1) > 0]
    return np.searchsorted(cells, np.arange(starts.size) * (2**32)), (cells % 2**32).astype(np.int32)


def only(starts: np.ndarray, items: np.ndarray, wanted: np.ndarray) -> Sets:
    """The baskets with nothing but the wanted occurrences."""
    return np.concatenate(([0], np.cumsum(wanted)))[starts], items[wanted]


def some(starts: np.ndarray, items: np.ndarray, rows: np.ndarray) -> Sets:
    """The baskets of these rows."""
    lengths = starts[rows + 1] - starts[rows]
    ends = np.cumsum(lengths)
    within = np.arange(lengths.sum()) - np.repeat(ends - lengths, lengths)
    return np.concatenate(([0], ends)), items[np.repeat(starts[rows], lengths) + within]
