"""Values of a bucket, whose rows are known, dealt to the rows: the best way, all ways weighed, and how well any fits.

`score[b, row, value]` says how well a value of bucket b fits a row: the log of how likely the row is with it, and
`times[b, value]` how many rows of the bucket have the value. Buckets that are looked at together are of one size, and
have as many different values.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from tacit.arrays.order import each_once

_ROUNDS = 20
_NEVER = 1e-100
"""Less likely than anything, and not nothing."""
_TRY_ALL = 4
"""Of buckets up to this size all ways are tried at once."""


def pairs_in(bucket: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """For each bucket how many pairs of a row and a value it has.

    >>> pairs_in(np.array([0, 0, 0, 1]), np.array([7, 8, 8, 8])).tolist()
    [6, 1]
    """
    width = int(shown.max(initial=0)) + 1
    different = np.bincount(each_once(bucket.astype(np.int64) * width + shown) // width, minlength=1)
    found: np.ndarray = np.bincount(bucket, minlength=1) * different
    return found


def dealt(score: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Which value each row gets if the sum of scores is to be highest.

    >>> dealt(np.array([[[0.0, 2.0], [1.0, 0.0]]]), np.array([[1, 1]])).tolist()
    [[1, 0]]
    """
    size, different = score.shape[1:]
    if different == 1:
        return np.zeros(score.shape[:2], np.int64)
    if different == 2:
        return _dealt_of_two(score, times)
    at = _places(times, size)
    by_place = np.take_along_axis(score, at[:, None, :], axis=2)
    if size <= _TRY_ALL:
        ways, totals = _all_ways(by_place)
        return np.take_along_axis(at, ways[totals.argmax(axis=1)], axis=1)
    from scipy.optimize import linear_sum_assignment

    places = np.stack([linear_sum_assignment(each, maximize=True)[1] for each in by_place])
    return np.take_along_axis(at, places, axis=1)


def _dealt_of_two(score: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The same of two values: the second one goes to the rows that it fits best."""
    order = np.argsort(score[:, :, 0] - score[:, :, 1], axis=1, kind="stable")
    found = np.empty_like(order)
    np.put_along_axis(found, order, (np.arange(score.shape[1]) < times[:, 1:]).astype(order.dtype), axis=1)
    return found


def weighed(score: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How likely each row gets each value, over all dealings, which are as likely as their scores say; and for each
    bucket how much likelier its rows are than with scores of 0 (log).

    In large buckets, where there are too many dealings, chances are scaled until each row has one value and each value
    its rows (Sinkhorn), and the second is Bethe's approximation.

    >>> chance, likelier = weighed(np.log([[[4.0, 1.0], [1.0, 1.0]]]), np.array([[1, 1]]))
    >>> chance.tolist(), np.exp(likelier).tolist()  # one dealing fits 4 times as well, the other is as before
    ([[[0.8, 0.2], [0.2, 0.8]]], [2.5])
    """
    size, different = score.shape[1:]
    if different == 1:
        return np.ones(score.shape), score.sum(axis=(1, 2))
    if size <= _TRY_ALL:
        return _weighed_one_by_one(score, times)
    often = times[:, None, :]
    chance = often * (np.exp(score - score.max(axis=2, keepdims=True)) + _NEVER)
    for _ in range(_ROUNDS):
        chance *= often / chance.sum(axis=1, keepdims=True)
        chance /= chance.sum(axis=2, keepdims=True)
    even = size * _bethe(often / size, often)
    return chance, (chance * score).sum(axis=(1, 2)) + _bethe(chance, often) - even


def _weighed_one_by_one(score: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same in small buckets, of which every dealing is looked at."""
    size, different = score.shape[1:]
    at = _places(times, size)
    ways, totals = _all_ways(np.take_along_axis(score, at[:, None, :], axis=2))
    top = totals.max(axis=1, keepdims=True)
    likely = np.exp(totals - top)
    shares = likely / likely.sum(axis=1, keepdims=True)
    got = at[:, ways]  # in a bucket, a way, a row
    chance = np.stack([((got == value) * shares[:, :, None]).sum(axis=1) for value in range(different)], axis=2)
    return chance, top[:, 0] + np.log(likely.mean(axis=1))


def _bethe(chance: np.ndarray, often: np.ndarray) -> np.ndarray:
    """What the ways to deal with such chances count, about (log). A value that several rows have stands at as many
    places, and each has its part of the chance."""
    place = chance / often
    rest = 1 - place
    terms = often * (rest * np.log(np.maximum(rest, _NEVER)) - place * np.log(np.maximum(place, _NEVER)))
    found: np.ndarray = terms.sum(axis=(1, 2))
    return found


def _places(times: np.ndarray, size: int) -> np.ndarray:
    """The value at each place, where each stands as often as rows have it.

    >>> _places(np.array([[1, 2], [2, 1]]), 3).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    return (np.arange(size)[None, :, None] >= np.cumsum(times, axis=1)[:, None, :]).sum(axis=2)


def _all_ways(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every way to deal places to rows, and what each comes to in each bucket."""
    size = score.shape[1]
    ways = np.array(list(permutations(range(size))))
    return ways, np.stack([score[:, np.arange(size), way].sum(axis=1) for way in ways], axis=1)
