"""Values of a bucket, whose rows are known: dealt to the rows that they fit best, by what all other buckets say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

import numpy as np

_ROUNDS = 20
_MOST_PAIRS = 2_000_000
"""So many pairs of a row and a value are scored at once."""
_MOST_LEARNT = 10_000_000
"""A column with more pairs of values than this has hardly one twice: naive Bayes learns nothing from it."""
_NEVER = 1e-100
"""Less likely than anything, and not nothing."""
_TRY_ALL = 4
"""Of buckets up to this size all ways are tried at once."""


def pairs_in(bucket: np.ndarray) -> np.ndarray:
    """For each bucket how many pairs of a row and a value it has."""
    return np.bincount(bucket).astype(np.int64) ** 2


def likeliest(
    features: Sequence[np.ndarray], bucket: np.ndarray, shown: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The likeliest value of each row, of those in its bucket.

    Naive Bayes learns from a dealing, and values are dealt anew until it settles. The guess then weighs all dealings.
    """
    width = int(shown.max(initial=0)) + 1
    sizes = [int(column.max(initial=0)) + 1 for column in features]
    learnt = [(column, size) for column, size in zip(features, sizes, strict=True) if size * width <= _MOST_LEARNT]
    blocks = list(_blocks(bucket))

    def anew(value: np.ndarray, deal: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """Learns from a dealing, and deals each bucket's values again."""
        tables = [(column, _likelihoods(column, value, size, width)) for column, size in learnt]
        new = value.copy()
        for rows in blocks:
            values = value[rows]
            score = np.zeros((*rows.shape, rows.shape[1]))
            for column, table in tables:
                score += table[column[rows][:, :, None], values[:, None, :]]
            new[rows] = deal(score, values)
        return new

    value = np.empty_like(shown)
    value[np.lexsort((rng.random(bucket.size), bucket))] = shown[np.argsort(bucket, kind="stable")]
    for _ in range(_ROUNDS):
        before, value = value, anew(value, dealt)
        if np.array_equal(before, value):
            break
    return anew(value, weighed)


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
    """The values of buckets dealt so that the sum of scores is highest; score[b, row, place] is of values[b, place].

    Of several dealings that are as good, that in which they stand is kept, where few enough can all be tried.

    >>> dealt(np.array([[[0.0, 2.0], [1.0, 0.0]]]), np.array([[7, 8]])).tolist()
    [[8, 7]]
    """
    size = values.shape[1]
    if size <= _TRY_ALL:
        ways, totals = _all_ways(score)
        return np.take_along_axis(values, ways[totals.argmax(axis=1)], axis=1)
    low, high = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
    if ((values == low) | (values == high)).all():
        return _dealt_of_two(score, values, low, high)
    from scipy.optimize import linear_sum_assignment

    places = np.stack([linear_sum_assignment(each, maximize=True)[1] for each in score])
    return np.take_along_axis(values, places, axis=1)


def _dealt_of_two(score: np.ndarray, values: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The same where no bucket has more than two values: the higher one goes to the rows that it fits best."""
    places = values.argmin(axis=1)[:, None, None], values.argmax(axis=1)[:, None, None]
    worse, better = (np.take_along_axis(score, place, axis=2)[:, :, 0] for place in places)
    order = np.lexsort((values != high, worse - better), axis=1)
    is_high = np.arange(values.shape[1]) < np.count_nonzero(values == high, axis=1)[:, None]
    found = np.empty_like(values)
    np.put_along_axis(found, order, np.where(is_high, high, low), axis=1)
    return found


def weighed(score: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each row of buckets the value that is likeliest over all dealings, which are as likely as their scores say.

    In large buckets, where there are too many, chances are scaled until each row has one value and each value one row
    (Sinkhorn).

    >>> weighed(np.zeros((1, 3, 3)), np.array([[7, 8, 8]])).tolist()
    [[8, 8, 8]]
    """
    size = values.shape[1]
    if size <= _TRY_ALL:
        ways, totals = _all_ways(score)
        likely = np.exp(totals - totals.max(axis=1, keepdims=True))
        gets = ways[:, :, None] == np.arange(size)  # in a way, a row, a place
        chance = np.einsum("bw,wrp->brp", likely, gets)
    else:
        chance = np.exp(score - score.max(axis=2, keepdims=True)) + _NEVER
        for _ in range(_ROUNDS):
            chance /= chance.sum(axis=1, keepdims=True)
            chance /= chance.sum(axis=2, keepdims=True)
    same = (values[:, :, None] == values[:, None, :]).astype(float)
    return np.take_along_axis(values, (chance @ same).argmax(axis=2), axis=1)


def _all_ways(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every way to deal places to rows, and what each comes to in each bucket."""
    size = score.shape[1]
    ways = np.array(list(permutations(range(size))))
    return ways, np.stack([score[:, np.arange(size), way].sum(axis=1) for way in ways], axis=1)
