"""What all buckets together tell of whose value is whose: naive Bayes, learnt without a row whose value is known.

A dealing of the values teaches which columns go with which value, and that deals the values anew. Left to itself this
settles on whatever the columns have most to tell about, which need not be the values: ages and diagnoses of their own
accord fall into two kinds of patients. Who attacks cannot see whether a guess is right, but can see how likely what was
learnt makes it that just these rows stand beside just these values. So of all rounds the one that explains the buckets
best is believed; columns that repeat each other are believed less; and if rows that are dealt to buckets by chance are
explained as well, nothing was learnt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tacit.attack.dealing import dealt, weighed

_ROUNDS = 20
_PATIENCE = 2
"""After so many rounds that explain no more than the best one, nothing better is expected."""
_TRUST = (1.0, 0.5, 0.25)
"""How far columns are believed, whose evidence is added up as if none repeated another."""
_SHUFFLES = 4
_MOST_PAIRS = 2_000_000
"""So many pairs of a row and a value are scored at once."""
_MOST_LEARNT = 10_000_000
"""A column with more pairs of values than this has hardly one twice: naive Bayes learns nothing from it."""
_MOST_AVERAGED = 10_000
"""Over so many rows it is averaged how likely a value makes a row."""


class _Learnt(NamedTuple):
    explained: float
    """How much likelier the buckets are than if columns said nothing of values (log)."""
    chances: list[np.ndarray]
    """For each block of buckets how likely each row has each value."""


class _Block(NamedTuple):
    """Buckets of one size that have as many different values, one a line."""

    rows: np.ndarray
    values: np.ndarray
    """The different values of each."""
    times: np.ndarray
    """How many rows have each of them."""


class _Buckets(NamedTuple):
    """Rows with what is known of them, and values, in buckets."""

    features: list[np.ndarray]
    blocks: list[_Block]
    width: int
    """How many different values there are."""
    averaged: np.ndarray

    def shuffled(self, rng: np.random.Generator) -> _Buckets:
        """The same with rows dealt to buckets by chance."""
        order = rng.permutation(self.features[0].size)
        return self._replace(features=[column[order] for column in self.features])


def values_learnt(
    features: Sequence[np.ndarray], bucket: np.ndarray, shown: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The likeliest value of each row, of those that are shown in its bucket."""
    width = int(shown.max(initial=0)) + 1
    learnable = [column for column in features if (int(column.max(initial=0)) + 1) * width <= _MOST_LEARNT]
    averaged = rng.permutation(bucket.size)[:_MOST_AVERAGED]
    buckets = _Buckets(learnable, list(_blocks(bucket, shown, width)), width, averaged)
    guess = np.empty_like(shown)
    for block, chance in zip(buckets.blocks, _believed(buckets, rng), strict=True):
        guess[block.rows] = np.take_along_axis(block.values, chance.argmax(axis=2), axis=1)
    return guess


def _believed(buckets: _Buckets, rng: np.random.Generator) -> list[np.ndarray]:
    """What is believed of each row: what was learnt, if it is more than rows dealt by chance would have taught."""
    if not buckets.features:
        return _even(buckets)
    found = _best(buckets)
    by_chance = [_best(buckets.shuffled(rng)).explained for _ in range(_SHUFFLES)]
    return found.chances if found.explained > np.mean(by_chance) + np.std(by_chance) else _even(buckets)


def _best(buckets: _Buckets) -> _Learnt:
    """What explains the buckets best: of all rounds that weigh all dealings, and of all that take the best one."""
    best = _Learnt(0.0, _even(buckets))
    for takes_best in (False, True):
        chances, since = _even(buckets), 0
        for _ in range(_ROUNDS):
            scores, average = _scored(buckets, chances)
            found = max((_weighed(buckets, scores, average, trust) for trust in _TRUST), key=lambda it: it.explained)
            since = 0 if found.explained > best.explained else since + 1
            best = max(best, found, key=lambda it: it.explained)
            if since == _PATIENCE:
                break
            chances = _dealt(buckets, scores) if takes_best else found.chances
    return best


def _scored(buckets: _Buckets, chances: list[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """How well each value fits each row of its bucket, and each of all values those rows that are averaged over."""
    scores = [np.zeros(chance.shape) for chance in chances]
    average = np.zeros((buckets.averaged.size, buckets.width))
    for column in buckets.features:
        table = _likelihoods(buckets, column, chances)
        average += table[column[buckets.averaged]]
        for score, block in zip(scores, buckets.blocks, strict=True):
            score += table[column[block.rows][:, :, None], block.values[:, None, :]]
    return scores, average


def _likelihoods(buckets: _Buckets, column: np.ndarray, chances: list[np.ndarray]) -> np.ndarray:
    """How much likelier each content of a column is beside each value than anywhere (log).

    To what is seen beside a value as many rows are added as the column has contents, of all kinds alike, so that what
    is hardly seen says next to nothing.
    """
    size, width = int(column.max(initial=0)) + 1, buckets.width
    seen = np.zeros(size * width)
    for chance, block in zip(chances, buckets.blocks, strict=True):
        both = column[block.rows][:, :, None] * width + block.values[:, None, :]
        seen += np.bincount(both.ravel(), chance.ravel(), minlength=size * width)
    table = seen.reshape(size, width)
    share = np.maximum(np.bincount(column, minlength=size), 1)[:, None] / column.size  # some contents are elsewhere
    found: np.ndarray = np.log((table + size * share) / (table.sum(axis=0) + size) / share)
    return found


def _weighed(buckets: _Buckets, scores: list[np.ndarray], average: np.ndarray, trust: float) -> _Learnt:
    """All dealings by what was learnt, which is believed so far, and how well it explains the buckets."""
    mean = _log_mean(trust * average)
    both = [
        weighed(trust * score - mean[block.values][:, None, :], block.times)
        for score, block in zip(scores, buckets.blocks, strict=True)
    ]
    return _Learnt(float(sum(likelier.sum() for _, likelier in both)), [chance for chance, _ in both])


def _log_mean(logs: np.ndarray) -> np.ndarray:
    top = logs.max(axis=0)
    found: np.ndarray = top + np.log(np.exp(logs - top).mean(axis=0))
    return found


def _dealt(buckets: _Buckets, scores: list[np.ndarray]) -> list[np.ndarray]:
    """The best dealing, as chances."""
    return [
        (dealt(score, block.times)[:, :, None] == np.arange(score.shape[2])).astype(float)
        for score, block in zip(scores, buckets.blocks, strict=True)
    ]


def _even(buckets: _Buckets) -> list[np.ndarray]:
    """Every row with every value of its bucket, as likely as rows have it."""
    sizes = [block.rows.shape[1] for block in buckets.blocks]
    return [
        np.repeat(block.times[:, None, :] / size, size, axis=1)
        for block, size in zip(buckets.blocks, sizes, strict=True)
    ]


def _blocks(bucket: np.ndarray, shown: np.ndarray, width: int) -> Iterator[_Block]:
    """All buckets; those that are weighed at once have no more pairs than fit."""
    order = np.argsort(bucket, kind="stable")
    sizes = np.bincount(bucket)
    begin = np.cumsum(sizes) - sizes
    pairs, times = np.unique(bucket.astype(np.int64) * width + shown, return_counts=True)
    different = np.bincount(pairs // width, minlength=sizes.size)
    begin_pairs = np.cumsum(different) - different
    for size, values in np.unique(np.stack((sizes, different))[:, sizes > 0], axis=1).T.tolist():
        alike = np.flatnonzero((sizes == size) & (different == values))
        step = max(_MOST_PAIRS // (size * values), 1)
        for first in range(0, alike.size, step):
            some = alike[first : first + step, None]
            here = begin_pairs[some] + np.arange(values)
            yield _Block(order[begin[some] + np.arange(size)], pairs[here] % width, times[here])
