"""Groups that can no longer be improved step by step are given up, a few beside each other, and formed anew.

Steps between two groups end where no two of them can be made better. So groups are loosened at several places by lot,
their units form other groups, and these are improved. The two groupings are then taken apart into pieces, as small as
can be, that hold the same units in both; of each piece the grouping is kept that loses less. So a turn never loses
more, and places do not get in each other's way.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import tell
from tacit.records.solvers.grouping import Grouping

_LOOSENED_BESIDE = 3
"""Groups that are loosened at a place."""
_BESIDE = 12
"""Of so many nearest units of a unit by lot some are in the groups beside its own."""
_PLACES = 0.03
"""Places of a turn, for each group."""
_ROUNDS = 2
"""Rounds of improvement of a turn."""
_WORTH = 1e-9


def shake(grouping: Grouping, places: int) -> Grouping:
    """The grouping, or one that loses less, after so many places were loosened."""
    turns_places = max(int(_PLACES * np.count_nonzero(grouping.groups.size)), 1)
    for done in range(0, places, turns_places):
        grouping = _better_of_each_piece(grouping, _formed_anew(grouping, turns_places))
        tell("groups formed anew", done / places)
    return grouping


def _formed_anew(grouping: Grouping, places: int) -> Grouping:
    """The same with other groups at so many places."""
    groups, near, rng = grouping.groups, grouping.found.near, grouping.rng
    chosen = rng.permutation(groups.of.size)[:places]
    beside = near[chosen[:, None], rng.random((chosen.size, min(_BESIDE, near.shape[1]))).argsort(axis=1)]
    of = np.where(beside >= 0, groups.of[beside], -1)
    given_up = np.zeros(groups.of.size + 1, bool)
    given_up[groups.of[chosen]] = True
    for own, others in zip(groups.of[chosen].tolist(), of.tolist(), strict=True):
        several = list(dict.fromkeys([own, *others]))
        given_up[several[:_LOOSENED_BESIDE]] = True
    given_up[-1] = False
    loose = given_up[groups.of]
    new = Grouping(grouping.measure, grouping.units, grouping.need, rng)
    new.found = grouping.found
    new.put(np.where(loose, -1, groups.of))
    new.form(near, rng.permutation(np.flatnonzero(loose)))
    new.complete()
    fresh = np.zeros(groups.of.size, bool)
    fresh[new.groups.of[loose]] = True
    new.improve(_ROUNDS, fresh)
    return new


def _better_of_each_piece(old: Grouping, new: Grouping) -> Grouping:
    """Of each piece, units that are whole groups of both, the groups that lose less."""
    piece = _pieces(old.groups.of, new.groups.of)
    gained = _loss_of_pieces(old, piece) - _loss_of_pieces(new, piece)
    is_better = (gained > _WORTH)[piece]
    if not is_better.any():
        return old
    number = np.where(is_better, new.groups.of.astype(np.int64) + piece.size, old.groups.of)
    both = Grouping(old.measure, old.units, old.need, old.rng)
    both.found = old.found
    both.put(np.unique(number, return_inverse=True)[1])
    return both


def _pieces(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The piece of each unit: its number is that of the piece's first group of `one`."""
    first = np.arange(one.size)
    while True:
        reached = np.full(one.size, one.size)
        np.minimum.at(reached, other, first[one])
        before = first.copy()
        np.minimum.at(first, one, reached[other])
        if np.array_equal(first, before):
            return first[one]


def _loss_of_pieces(grouping: Grouping, piece: np.ndarray) -> np.ndarray:
    """What the records of each piece lose."""
    groups = grouping.groups
    some = np.flatnonzero(groups.size)
    return np.bincount(piece[groups.first[some]], groups.size[some] * groups.loss[some], piece.size)
