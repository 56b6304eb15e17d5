"""Baskets as classifiers read them: an axis for each frequent item, and how likely it is that a basket holds it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tacit.attack.basket_matching import BasketMatcher
from tacit.audits._sets import some

_MOST_AXES = 200
"""Of more items, those that most people have."""


class Axes(NamedTuple):
    """What is published in some rows, and what is known of some people, on the same axes, each from 0 to 1."""

    published: np.ndarray
    known: np.ndarray

    def beside(self, published: np.ndarray, known: np.ndarray) -> Axes:
        """With further axes, of whatever size: what is published says what is 0 and 1 on each."""
        low, width = published.min(axis=0), np.maximum(np.ptp(published, axis=0), 1e-9)
        known = np.clip((known - low) / width, 0, 1)
        return Axes(np.hstack((self.published, (published - low) / width)), np.hstack((self.known, known)))


def item_axes(matcher: BasketMatcher, rows: np.ndarray, people: np.ndarray) -> Axes:
    """Items that may be known: people have one or not, and a published name that covers several is each of them alike.

    Items that no name covers are left out: nobody can learn from them.
    """
    from scipy.sparse import csr_array

    held = np.bincount(matcher.known_units)
    frequent = np.argsort(-held, kind="stable")[: np.count_nonzero(held)]
    units = np.array([unit for unit in frequent.tolist() if matcher.holders(unit) is not None][:_MOST_AXES], np.int64)
    covers = np.zeros((len(matcher.after.labels), units.size))
    for name, own in matcher.units.items():
        covers[name] = np.isin(units, own) / max(own.size, 1)
    starts, names = some(matcher.after.starts, matcher.after.items, rows)
    baskets = csr_array((np.ones(names.size), names, starts), shape=(rows.size, len(covers)))
    known = [np.isin(units, matcher.person(each)) for each in people.tolist()]
    return Axes(np.minimum(baskets @ covers, 1.0), np.array(known, float).reshape(people.size, units.size))


def chance_to_be_right(model: Any, axes: Axes, shares: np.ndarray, has: np.ndarray) -> np.ndarray:
    """For each person whether the item that is likeliest is the person's; of several, any is taken.

    `shares` has a column for each item that is guessed at: how likely each published row has it; `has` who has it.
    """
    chances = np.stack([_chance(model, axes, share) for share in shares.T], axis=1)
    best = chances >= chances.max(axis=1, keepdims=True) - 1e-12
    return np.asarray((has * best).sum(axis=1) / best.sum(axis=1))


def _chance(model: Any, axes: Axes, share: np.ndarray) -> np.ndarray:
    """How likely people have an item: a row that has it in part, as one of a group, is learnt from both ways."""
    if not 0 < share.sum() < share.size or not axes.published.shape[1]:
        return np.full(len(axes.known), share.mean())
    weight = np.concatenate((share, 1 - share))
    rows, has = np.vstack((axes.published, axes.published)), np.repeat([True, False], share.size)
    model.fit(rows[weight > 0], has[weight > 0], sample_weight=weight[weight > 0])
    return np.asarray(model.predict_proba(axes.known)[:, 1])
