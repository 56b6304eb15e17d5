"""Neighbours: clusters around cores of people with close ratings; who has k − 1 close others is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method
from tacit.ratings.options import RATINGS

if TYPE_CHECKING:
    from tacit.promises import KEpsAnonymity
    from tacit.ratings.data import Ratings
    from tacit.ratings.recoding import IntervalRecoding
    from tacit.ratings.solvers.problem import Cells, Problem


def search(
    data: Ratings, promise: KEpsAnonymity, *, seed: int, progress: Any, fill: bool = False, **_: Any
) -> IntervalRecoding:
    """It has no random step."""
    from tacit.ratings.solvers.neighbours import affordable_hamming, neighbours
    from tacit.ratings.solvers.posing import decided
    from tacit.ratings.solvers.settled import alike

    def found(problem: Problem) -> list[Cells]:
        near = neighbours(problem)
        literal = None if promise.l is None else affordable_hamming(problem, alike(problem))
        return [near] if literal is None else [near, literal]

    return decided(data, promise, fill, found)


METHOD = Method(
    "neighbours",
    "clusters around cores of k − 1 people with close ratings; who has k − 1 close others is left alone",
    {"k-eps": search},
    RATINGS,
    publishes="ratings as numbers, some moved, some blanked; sensitive ones as they are",
    uses_hierarchy=False,
    on_engines=True,
)
