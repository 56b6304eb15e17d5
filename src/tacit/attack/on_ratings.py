"""What attackers get out of published ratings, in figures."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tacit.attack.nearest import Duel, nearest_row
from tacit.attack.rating_rows import rows_of, verbatim_rows
from tacit.audits.views.ratings import RatingOriginal, RatingView


def played_on_ratings(
    before: RatingOriginal, after: RatingView, people: np.ndarray, *, bound: Fraction, seed: int
) -> dict[str, Any]:
    """The nearest-row attack for each number of known ratings, and how many rows need no attack to be found."""
    true, shown = rows_of(before, after)
    duels = nearest_row(true, shown, people, before.scales, seed=seed)
    return {
        "verbatim_unique": verbatim_rows(true, shown, people),
        "found_by_nearest_row": duels[-1].after.share if duels else None,
        "nearest_row": [_figures(duel, bound) for duel in duels],
    }


def _figures(duel: Duel, bound: Fraction) -> dict[str, Any]:
    return {
        "known": "all" if duel.known is None else duel.known,
        "people": duel.people,
        "before": duel.before.share,
        "before_interval": list(duel.before.interval),
        "after": duel.after.share,
        "after_interval": list(duel.after.interval),
        "bound": float(bound),
    }
