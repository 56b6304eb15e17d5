"""Pairing published records with original ones that they may stand for, when nobody knows which is which."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Column = tuple[np.ndarray, np.ndarray, Callable[[np.ndarray, np.ndarray], np.ndarray]]
"""Codes of the original records, codes of the published ones, and which published code covers which original one."""
People = tuple[np.ndarray, np.ndarray]
"""How many records each original one, and each published one, stands for."""

_Counted = tuple[np.ndarray, np.ndarray]
"""Different codes, and how many records have each."""

_MOST_CELLS = 200_000_000
_MOST_PAIRS = 5_000_000
_MOST_RECORDS = 2**31 - 1  # that a flow counts
_AT_ONCE = 4_000_000  # cells of a table
_MOST_LOOKED_AT = 4_000_000_000


def unmatched(columns: Sequence[Column], people: People | None = None) -> int:
    """How many published records are left without an original, in the best pairing of all.

    Equal records are taken together, and the pairing is a flow. Where that would need too much room the columns are
    looked at one by one, and in a column each label by itself, which finds less. `people` says how many records each
    one stands for, where it is several.
    """
    if not columns or not columns[0][0].size:
        return 0
    was_people, now_people = people or (None, None)
    was, was_count = _different([before for before, _, _ in columns], was_people)
    now, now_count = _different([after for _, after, _ in columns], now_people)
    is_much = max(was_count.sum(), now_count.sum()) > _MOST_RECORDS or len(was_count) * len(now_count) > _MOST_CELLS
    if is_much:
        return _one_by_one(columns, people, (was[:, 0], was_count), (now[:, 0], now_count))
    fits = np.ones((now_count.size, was_count.size), bool)
    for (before, after, covers), was_code, now_code in zip(columns, was.T, now.T, strict=True):
        codes, labels = np.arange(before.max() + 1), np.arange(after.max() + 1)
        table = covers(np.tile(codes, labels.size), np.repeat(labels, codes.size)).reshape(labels.size, codes.size)
        fits &= table[now_code][:, was_code]
    if np.count_nonzero(fits) > _MOST_PAIRS:
        return _one_by_one(columns, people, (was[:, 0], was_count), (now[:, 0], now_count))
    return int(now_count.sum()) - _flow(fits, was_count, now_count)


def _one_by_one(columns: Sequence[Column], people: People | None, was: _Counted, now: _Counted) -> int:
    """The most that a column by itself leaves over; of a single one, how many more records have a label than have any
    code that it covers, which are different records for each label."""
    if len(columns) > 1:
        return max(unmatched([column], people) for column in columns)
    ((_, _, covers),), (codes, held), (labels, shown) = columns, was, now
    if codes.size * labels.size > _MOST_LOOKED_AT:
        return 0
    left, step = 0, max(_AT_ONCE // codes.size, 1)
    for start in range(0, labels.size, step):
        some = labels[start : start + step]
        table = covers(np.tile(codes, some.size), np.repeat(some, codes.size)).reshape(some.size, codes.size)
        reached = table.astype(np.float64) @ held.astype(np.float64)  # whole numbers: exact up to 2^53
        left += int(np.maximum(shown[start : start + step] - reached, 0).sum())
    return left


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
