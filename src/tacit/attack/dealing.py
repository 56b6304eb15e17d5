"""Values of a bucket, whose rows are known, dealt to the rows: the best way, all ways weighed, and how well any fits.

`score[b, row, place]` says how well the value at a place of bucket b fits a row: the log of how likely the row is with
it. Buckets that are looked at together are of one size.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

_ROUNDS = 20
_NEVER = 1e-100
"""Less likely than anything, and not nothing."""
_TRY_ALL = 4
"""Of buckets up to this size all ways are tried at once."""


def pairs_in(bucket: np.ndarray) -> np.ndarray:
    """For each bucket how many pairs of a row and a value it has."""
    return np.bincount(bucket).astype(np.int64) ** 2


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


def weighed(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How likely each row gets the value at each place, over all dealings, which are as likely as their scores say; and
    for each bucket how much likelier its rows are than with scores of 0 (log).

    In large buckets, where there are too many dealings, chances are scaled until each row has one value and each value
    one row (Sinkhorn), and the second is Bethe's approximation.

    >>> chance, likelier = weighed(np.log([[[4.0, 1.0], [1.0, 1.0]]]))
    >>> chance.tolist(), np.exp(likelier).tolist()  # one dealing fits 4 times as well, the other is as before
    ([[[0.8, 0.2], [0.2, 0.8]]], [2.5])
    """
    size = score.shape[1]
    if size <= _TRY_ALL:
        ways, totals = _all_ways(score)
        top = totals.max(axis=1, keepdims=True)
        likely = np.exp(totals - top)
        gets = ways[:, :, None] == np.arange(size)  # in a way, a row, a place
        chance = np.einsum("bw,wrp->brp", likely / likely.sum(axis=1, keepdims=True), gets)
        return chance, top[:, 0] + np.log(likely.mean(axis=1))
    chance = np.exp(score - score.max(axis=2, keepdims=True)) + _NEVER
    for _ in range(_ROUNDS):
        chance /= chance.sum(axis=1, keepdims=True)
        chance /= chance.sum(axis=2, keepdims=True)
    return chance, (chance * score).sum(axis=(1, 2)) + _bethe(chance) - _bethe(np.full((1, size, size), 1 / size))


def _bethe(chance: np.ndarray) -> np.ndarray:
    """What the ways to deal with such chances count, about (log)."""
    rest = 1 - chance
    terms = rest * np.log(np.maximum(rest, _NEVER)) - chance * np.log(np.maximum(chance, _NEVER))
    found: np.ndarray = terms.sum(axis=(1, 2))
    return found


def likeliest(chance: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each row of buckets the likeliest value; one that stands at several places has the chances of all of them.

    >>> likeliest(np.full((1, 3, 3), 1 / 3), np.array([[7, 8, 8]])).tolist()
    [[8, 8, 8]]
    """
    same = (values[:, :, None] == values[:, None, :]).astype(float)
    return np.take_along_axis(values, (chance @ same).argmax(axis=2), axis=1)


def _all_ways(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every way to deal places to rows, and what each comes to in each bucket."""
    size = score.shape[1]
    ways = np.array(list(permutations(range(size))))
    return ways, np.stack([score[:, np.arange(size), way].sum(axis=1) for way in ways], axis=1)
