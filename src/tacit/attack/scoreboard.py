"""The attack that made the problem famous: Scoreboard-RH (Narayanan & Shmatikov, IEEE S&P 2008), without dates.

The attacker knows a few ratings of somebody and scores every published record: each known rating adds the more, the
nearer the record's own rating of that issue is and the fewer people rated the issue. The best record is taken for the
person's if it stands out: if it is ahead of the second by more than 1.5 standard deviations of all scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tacit.attack.rating_rows import ByIssue, Rows, by_issue

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


def duels(
    before: Rows,
    after: Rows,
    span: float,
    issues: int,
    *,
    known: Sequence[int] = KNOWN,
    off: float = 0.0,
    people: int = 500,
    seed: int = 0,
) -> list[Duel]:
    """The attack on plain ratings: person p of `before` is person p of `after`; `span` is r, the scale's length."""
    boards = [
        Board(part.starts.size - 1, by_issue(part.starts, part.issues, issues), part.values.__getitem__, span)
        for part in (before, after)
    ]
    found = []
    for count in known:
        victims, facts = drawn(before, count, off, people, np.random.default_rng((seed, count)))
        found.append(Duel(*(attack(board, victims, facts, count) for board in boards)))
    return found


def drawn(
    true: Rows, known: int, off: float, people: int, rng: np.random.Generator
) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """People who gave enough ratings, and some of what they gave: issues, and ratings that are off by up to `off`."""
    victims = rng.permutation(np.flatnonzero(np.diff(true.starts) >= known))[:people]
    aims = [
        true.starts[victim] + rng.permutation(true.starts[victim + 1] - true.starts[victim])[:known]
        for victim in victims.tolist()
    ]
    return victims, [(true.issues[at], true.values[at] + rng.uniform(-off, off, known)) for at in aims]


class Board:
    """Published ratings by issue, with the weight of each issue; `numbers` gives those at some places."""

    def __init__(self, people: int, shown: ByIssue, numbers: Callable[[np.ndarray], np.ndarray], span: float) -> None:
        self.people, self.shown, self.numbers = people, shown, numbers
        self.weight = 1.0 / np.log(np.maximum(shown.ends - shown.begins, 2))
        self.tolerance = _TOLERANCE * span

    def scores(self, issues: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        scores = np.zeros(self.people)
        for issue, rating in zip(issues.tolist(), ratings.tolist(), strict=True):
            here = self.shown.of(issue)
            near = np.exp(-np.abs(self.numbers(self.shown.places[here]) - rating) / self.tolerance)
            scores[self.shown.rows[here]] += self.weight[issue] * near
        return scores


def attack(board: Board, victims: np.ndarray, facts: Sequence[tuple[np.ndarray, np.ndarray]], known: int) -> Success:
    """How somebody with these facts fares; `victims` are the places of the people's own rows, −1 if they have none."""
    identified = mistaken = 0
    guessed = 0.0
    for victim, (issues, ratings) in zip(victims.tolist(), facts, strict=True):
        scores = board.scores(issues, ratings)
        best = scores.max(initial=0.0)
        ties = np.flatnonzero(scores >= best - 1e-12)
        guessed += (victim in ties) / max(ties.size, 1)
        second = np.partition(scores, -2)[-2] if scores.size > 1 else 0.0
        if scores.size and scores.std() > 0 and (best - second) / scores.std() > ECCENTRICITY:
            identified += int(ties[0]) == victim
            mistaken += int(ties[0]) != victim
    people = max(len(facts), 1)
    return Success(known, len(facts), identified / people, mistaken / people, guessed / people)
