"""The attack that made the problem famous: Scoreboard-RH (Narayanan & Shmatikov, IEEE S&P 2008), without dates.

The attacker knows a few ratings of somebody and scores every published record: each known rating adds the more, the
nearer the record's own rating of that issue is and the fewer people rated the issue. The best record is taken for the
person's if it stands out: if it is ahead of the second by more than 1.5 standard deviations of all scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tacit.ratings.applied import released_ratings
from tacit.ratings.data import Ratings
from tacit.ratings.measures import Sparse, before_and_after
from tacit.ratings.recoding import IntervalRecoding

KNOWN = (2, 4, 8)
ECCENTRICITY = 1.5
_TOLERANCE = 0.3
"""A rating that is off by this share of the scale counts 1/e; with 5 stars that is 1.5, as in the paper."""


class Success(NamedTuple):
    """How an attacker with some known ratings fares, as shares of the people attacked."""

    known: int
    people: int
    identified: float  # the record that stands out is the person's
    mistaken: float  # the record that stands out is somebody else's
    best_guess: float  # expected success of naming one of the best records, whether it stands out or not

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


class Duel(NamedTuple):
    """The same attack on the original (with ids taken away) and on the release."""

    before: Success
    after: Success


def scoreboard_attack(
    data: Ratings,
    recoding: IntervalRecoding,
    *,
    known: Sequence[int] = KNOWN,
    off: float = 0.0,
    people: int = 500,
    seed: int = 0,
) -> list[Duel]:
    """Attacks people drawn at random, with ratings drawn from what they gave; for each number of known ratings.

    Who gave fewer ratings than the attacker is to know is not attacked. What the attacker knows is off by up to `off`,
    at random: (k, ε) is a promise about people who know ratings no better than within ε, and whoever knows them
    exactly can tell ratings apart that are within ε of each other.
    """
    before, after = before_and_after(data, released_ratings(data, recoding))
    span = max((float(scale.apart) for scale in data.scales), default=1.0)
    return duels(before, after, span, len(data.names), known=known, off=off, people=people, seed=seed)


def duels(
    before: Sparse,
    after: Sparse,
    span: float,
    issues: int,
    *,
    known: Sequence[int] = KNOWN,
    off: float = 0.0,
    people: int = 500,
    seed: int = 0,
) -> list[Duel]:
    """The attack on plain ratings: person p of `before` is person p of `after`; `span` is r, the scale's length."""
    boards = [_Board(part, span, issues) for part in (before, after)]
    found = []
    for count in known:
        rng = np.random.default_rng((seed, count))
        victims = np.flatnonzero(np.diff(before.indptr) >= count)
        victims = rng.permutation(victims)[:people]
        aims = [
            before.indptr[victim] + rng.permutation(before.indptr[victim + 1] - before.indptr[victim])[:count]
            for victim in victims.tolist()
        ]
        facts = [(before.issues[at], before.numbers[at] + rng.uniform(-off, off, count)) for at in aims]
        found.append(Duel(*(_attack(board, victims, facts, count) for board in boards)))
    return found


class _Board:
    """Published ratings by issue, with the weight of each issue."""

    def __init__(self, published: Sparse, span: float, issues: int) -> None:
        order = np.argsort(published.issues, kind="stable")
        self.people = published.indptr.size - 1
        self.raters, self.numbers = published.people[order], published.numbers[order]
        self.starts = np.searchsorted(published.issues[order], np.arange(issues + 1))
        support = np.maximum(np.diff(self.starts), 2)
        self.weight = 1.0 / np.log(support)
        self.tolerance = _TOLERANCE * span

    def scores(self, issues: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        scores = np.zeros(self.people)
        for issue, rating in zip(issues.tolist(), ratings.tolist(), strict=True):
            span = slice(self.starts[issue], self.starts[issue + 1])
            near = np.exp(-np.abs(self.numbers[span] - rating) / self.tolerance)
            scores[self.raters[span]] += self.weight[issue] * near
        return scores


def _attack(board: _Board, victims: np.ndarray, facts: Sequence[tuple[np.ndarray, np.ndarray]], known: int) -> Success:
    identified = mistaken = 0
    guessed = 0.0
    for victim, (issues, ratings) in zip(victims.tolist(), facts, strict=True):
        scores = board.scores(issues, ratings)
        best = scores.max()
        ties = np.flatnonzero(scores >= best - 1e-12)
        guessed += (victim in ties) / ties.size
        second = np.partition(scores, -2)[-2] if scores.size > 1 else 0.0
        if scores.std() > 0 and (best - second) / scores.std() > ECCENTRICITY:
            identified += int(ties[0]) == victim
            mistaken += int(ties[0]) != victim
    people = max(len(facts), 1)
    return Success(known, len(facts), identified / people, mistaken / people, guessed / people)
