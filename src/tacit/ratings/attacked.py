"""The Scoreboard-RH attack on ratings and what a decision makes of them, for the data's owner and for studies."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.attack.rating_rows import Rows
from tacit.attack.scoreboard import KNOWN, Duel, duels
from tacit.ratings.applied import released_ratings
from tacit.ratings.data import Ratings
from tacit.ratings.measures import before_and_after
from tacit.ratings.recoding import IntervalRecoding


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
    before, after = (Rows(*each) for each in before_and_after(data, released_ratings(data, recoding)))
    span = max((float(scale.apart) for scale in data.scales), default=1.0)
    return duels(before, after, span, len(data.names), known=known, off=off, people=people, seed=seed)
