"""Ratings of the shape of Jester's, from a seed: 5,000 people, 100 jokes, 73 % rated, any value from −10 to 10.

Jester itself may not be passed on. People have a mood, jokes are good or bad, and there are a few tastes.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

PEOPLE, JOKES, RATED, TASTES = 5_000, 100, 0.73, 4
SEED = 1998


def jester_like(people: int = PEOPLE, jokes: int = JOKES, *, seed: int = SEED) -> pa.Table:
    """A row a rating, with two decimals; the same for the same seed."""
    rng = np.random.default_rng(seed)
    likes = rng.normal(size=(people, TASTES)) @ rng.normal(0, 0.8, (TASTES, jokes))
    ratings = rng.normal(0, 1.8, people)[:, None] + rng.normal(0.5, 1.5, jokes) + likes
    ratings = np.clip(ratings + rng.normal(0, 4, ratings.shape), -10, 10).round(2)
    person, joke = np.nonzero(rng.random(ratings.shape) < RATED)
    return pa.table({"person": person + 1, "joke": joke + 1, "rating": ratings[person, joke]})
