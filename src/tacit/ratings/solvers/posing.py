"""From ratings and a promise to the decision of a method: the cheapest one, once sensitive ratings are diverse."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.ratings.data import Ratings
from tacit.ratings.recoding import IntervalRecoding
from tacit.ratings.scale import plain
from tacit.ratings.solvers.diversity import diversify
from tacit.ratings.solvers.neighbours import best_of, distortions
from tacit.ratings.solvers.problem import Cells, Problem, left_alone

if TYPE_CHECKING:
    from tacit.promises import KEpsAnonymity


def decided(
    data: Ratings, promise: KEpsAnonymity, fill: bool, method: Callable[[Problem], list[Cells]]
) -> IntervalRecoding:
    """The cheapest of the decisions that a method makes, once sensitive ratings are diverse."""
    problem = data.problem(promise.k, fill)
    nothing_to_do = promise.k == 1 or not len(data) or not data.is_known.any()
    found = [left_alone(problem)] if nothing_to_do else method(problem)
    if promise.l is not None and len(data) and data.is_sensitive.any():
        found = [diversify(problem, data, cells, promise.l) for cells in found]
    cells = best_of(problem, found)
    scales = list(dict.fromkeys(data.scales))
    words: dict[str, Any] = {
        "unit": plain(Decimal(data.unit).scaleb(-data.decimals)) if data.names else "1",
        "scales": [str(scale) for scale in scales],
    }
    alone = int(np.count_nonzero(distortions(problem, cells) == 0))
    return IntervalRecoding(cells, data.names, words, alone)
