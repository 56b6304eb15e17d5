"""The methods of ratings as the flow calls them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np

from tacit.arrays.order import in_content_order
from tacit.promises import KEpsAnonymity
from tacit.ratings.data import Ratings
from tacit.ratings.recoding import IntervalRecoding
from tacit.ratings.scale import plain
from tacit.ratings.solvers.diversity import diversify
from tacit.ratings.solvers.hamming import hamming
from tacit.ratings.solvers.neighbours import affordable_hamming, best_of, distortions, neighbours
from tacit.ratings.solvers.problem import Cells, Problem, left_alone
from tacit.ratings.solvers.settled import alike

Progress = Callable[[str], None]


@in_content_order
def search_neighbours(
    data: Ratings, promise: KEpsAnonymity, *, seed: int, progress: Progress, fill: bool = False, **_: Any
) -> IntervalRecoding:
    """The default method. It has no random step."""

    def methods(problem: Problem) -> list[Cells]:
        found = neighbours(problem, progress)
        literal = None if promise.l is None else affordable_hamming(problem, alike(problem))
        return [found] if literal is None else [found, literal]

    return _search(data, promise, fill, methods)


@in_content_order
def search_hamming(
    data: Ratings, promise: KEpsAnonymity, *, seed: int, progress: Progress, fill: bool = False, **_: Any
) -> IntervalRecoding:
    """The method of the paper. It has no random step."""
    return _search(data, promise, fill, lambda problem: [hamming(problem)])


def _search(
    data: Ratings, promise: KEpsAnonymity, fill: bool, method: Callable[[Problem], list[Cells]]
) -> IntervalRecoding:
    """The cheapest of the decisions that a method makes, once sensitive ratings are diverse."""
    problem = data.problem(promise.k, fill)
    nothing_to_do = promise.k == 1 or not len(data) or not data.is_known.any()
    found = [left_alone(problem)] if nothing_to_do else method(problem)
    if promise.l is not None and len(data) and data.is_secret.any():
        found = [diversify(problem, data, cells, promise.l) for cells in found]
    cells = best_of(problem, found)
    scales = list(dict.fromkeys(data.scales))
    words: dict[str, Any] = {
        "unit": plain(Decimal(data.unit).scaleb(-data.decimals)) if data.names else "1",
        "scales": [str(scale) for scale in scales],
    }
    alone = int(np.count_nonzero(distortions(problem, cells) == 0))
    return IntervalRecoding(cells, data.names, words, alone)
