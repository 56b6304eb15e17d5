"""The methods of ratings as the flow calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacit.models import KEpsAnonymity
from tacit.ratings.diversity import diversify
from tacit.ratings.encode import Ratings
from tacit.ratings.hamming import hamming
from tacit.ratings.neighbours import neighbours
from tacit.ratings.problem import Cells, Problem, left_alone
from tacit.ratings.recoding import IntervalRecoding
from tacit.ratings.scale import plain

Progress = Callable[[str], None]


def search_neighbours(
    data: Ratings, promise: KEpsAnonymity, *, seed: int, progress: Progress, fill: bool = False, **_: Any
) -> IntervalRecoding:
    """The default method. It has no random step."""
    return _search(data, promise, fill, lambda problem: neighbours(problem, progress))


def search_hamming(
    data: Ratings, promise: KEpsAnonymity, *, seed: int, progress: Progress, fill: bool = False, **_: Any
) -> IntervalRecoding:
    """The method of the paper. It has no random step."""
    return _search(data, promise, fill, hamming)


def _search(data: Ratings, promise: KEpsAnonymity, fill: bool, method: Callable[[Problem], Cells]) -> IntervalRecoding:
    problem = data.problem(promise.k, fill)
    nothing_to_do = promise.k == 1 or not len(data) or not data.is_known.any()
    cells = left_alone(problem) if nothing_to_do else method(problem)
    if promise.l is not None and len(data) and data.is_secret.any():
        cells = diversify(problem, data, cells, promise.l)
    scales = list(dict.fromkeys(data.scales))
    words: dict[str, Any] = {
        "unit": plain(data.number_of(0, 1) - data.number_of(0, 0)) if data.names else "1",
        "scales": [str(scale) for scale in scales],
    }
    return IntervalRecoding(cells, data.names, words)
