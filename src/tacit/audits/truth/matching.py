"""Pairing published records with original ones that they may stand for, when nobody knows which is which."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Column = tuple[np.ndarray, np.ndarray, Callable[[np.ndarray, np.ndarray], np.ndarray]]
"""Codes of the original records, codes of the published ones, and which published code covers which original one."""
People = tuple[np.ndarray, np.ndarray]
"""How many records each original one, and each published one, stands for."""

_MOST_CELLS = 200_000_000
_MOST_PAIRS = 5_000_000
_MOST_RECORDS = 2**31 - 1  # that a flow counts


def unmatched(columns: Sequence[Column], people: People | None = None) -> int:
    """How many published records are left without an original, in the best pairing of all.

    Equal records are taken together, and the pairing is a flow. Where that would need too much room the columns are
    looked at one by one, which finds less. `people` says how many records each one stands for, where it is several.
    """
    if not columns or not columns[0][0].size:
        return 0
    was_people, now_people = people or (None, None)
    was, was_count = _different([before for before, _, _ in columns], was_people)
    now, now_count = _different([after for _, after, _ in columns], now_people)
    if max(was_count.sum(), now_count.sum()) > _MOST_RECORDS:
        return 0
    if len(was_count) * len(now_count) > _MOST_CELLS:
        return max(unmatched([column], people) for column in columns) if len(columns) > 1 else 0
    fits = np.ones((now_count.size, was_count.size), bool)
    for (before, after, covers), was_code, now_code in zip(columns, was.T, now.T, strict=True):
        codes, labels = np.arange(before.max() + 1), np.arange(after.max() + 1)
        table = covers(np.tile(codes, labels.size), np.repeat(labels, codes.size)).reshape(labels.size, codes.size)
        fits &= table[now_code][:, was_code]
    if np.count_nonzero(fits) > _MOST_PAIRS:
        return max(unmatched([column], people) for column in columns) if len(columns) > 1 else 0
    return int(now_count.sum()) - _flow(fits, was_count, now_count)


def _different(codes: Sequence[np.ndarray], people: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The different records as rows of codes, and how often each occurs."""
    code = np.zeros(codes[0].size, np.int64)
    for column in codes:
        _, code = np.unique(code * (int(column.max()) + 1) + column, return_inverse=True)
    _, first, code, count = np.unique(code, return_index=True, return_inverse=True, return_counts=True)
    if people is not None:
        count = np.zeros(first.size, np.int64)
        np.add.at(count, code, people)
    return np.stack([column[first] for column in codes], axis=1), count


def _flow(fits: np.ndarray, was_count: np.ndarray, now_count: np.ndarray) -> int:
    """The greatest number of records that can be paired."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n_now, n_was = fits.shape
    now, was = np.nonzero(fits)
    source, sink = n_now + n_was, n_now + n_was + 1
    rows = np.concatenate((np.full(n_now, source), now, np.arange(n_was) + n_now))
    columns = np.concatenate((np.arange(n_now), was + n_now, np.full(n_was, sink)))
    room = np.concatenate((now_count, np.minimum(now_count[now], was_count[was]), was_count)).astype(np.int32)
    graph = csr_array((room, (rows, columns)), shape=(sink + 1, sink + 1))
    return int(maximum_flow(graph, source, sink).flow_value)
