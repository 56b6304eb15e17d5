"""Values of a bucket, whose rows are known: dealt to the rows that they fit best, by what all other buckets say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

_ROUNDS = 20
_MOST_PAIRS = 2_000_000
"""So many pairs of a row and a value are scored at once."""
_MOST_LEARNT = 10_000_000
"""A column with more pairs of values than this has hardly one twice: naive Bayes learns nothing from it."""
_TRY_ALL = 4
"""Of buckets up to this size all ways are tried at once."""


def pairs_in(bucket: np.ndarray) -> np.ndarray:
    """For each bucket how many pairs of a row and a value it has."""
    return np.bincount(bucket).astype(np.int64) ** 2


def assigned(
    features: Sequence[np.ndarray], bucket: np.ndarray, shown: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The value of each row: naive Bayes learns from a dealing, and values are dealt anew until it settles."""
    width = int(shown.max(initial=0)) + 1
    sizes = [int(column.max(initial=0)) + 1 for column in features]
    learnt = [
        (column, size) for column, size in zip(features, sizes, strict=True) if size * width <= _MOST_LEARNT
    ]  # fmt: skip
    value = np.empty_like(shown)
    value[np.lexsort((rng.random(bucket.size), bucket))] = shown[np.argsort(bucket, kind="stable")]
    blocks = list(_blocks(bucket))
    for _ in range(_ROUNDS):
        prior = np.log(np.bincount(value, minlength=width) + 1.0)
        tables = [(column, _likelihoods(column, value, size, width)) for column, size in learnt]
        new = value.copy()
        for rows in blocks:
            values = value[rows]
            score = np.broadcast_to(prior[values][:, None, :], (*rows.shape, rows.shape[1])).copy()
            for column, table in tables:
                score += table[column[rows][:, :, None], values[:, None, :]]
            new[rows] = dealt(score, values)
        if np.array_equal(new, value):
            break
        value = new
    return value


def _likelihoods(column: np.ndarray, value: np.ndarray, size: int, width: int) -> np.ndarray:
    """How likely each value of a column is, given the value that was dealt; none is impossible."""
    table = np.bincount(column * width + value, minlength=size * width).reshape(size, width) + 1.0
    found: np.ndarray = np.log(table / table.sum(axis=0))
    return found


def _blocks(bucket: np.ndarray) -> Iterator[np.ndarray]:
    """The rows of buckets of one size, a bucket a line; those of a single row need no dealing."""
    order = np.argsort(bucket, kind="stable")
    sizes = np.bincount(bucket)
    begin = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    for size in np.unique(sizes[sizes > 1]).tolist():
        starts = begin[sizes == size]
        step = max(_MOST_PAIRS // size**2, 1)
        for first in range(0, starts.size, step):
            yield order[starts[first : first + step, None] + np.arange(size)]


def dealt(score: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The values of buckets, dealt so that the sum of scores is highest; score[b, row, place] is that of values[b, place].

    Of several dealings that are as good, that in which they stand is kept, where few enough can all be tried.

    >>> dealt(np.array([[[0.0, 2.0], [1.0, 0.0]]]), np.array([[7, 8]])).tolist()
    [[8, 7]]
    """
    size = values.shape[1]
    if size <= _TRY_ALL:
        ways = np.array(list(permutations(range(size))))
        totals = np.stack([score[:, np.arange(size), way].sum(axis=1) for way in ways], axis=1)
        return np.take_along_axis(values, ways[totals.argmax(axis=1)], axis=1)
    from scipy.optimize import linear_sum_assignment

    places = np.stack([linear_sum_assignment(each, maximize=True)[1] for each in score])
    return np.take_along_axis(values, places, axis=1)
