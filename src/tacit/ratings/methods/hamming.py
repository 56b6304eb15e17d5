"""Hamming: people who rated the same issues are one group, with one interval an issue (Sun & Wang)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method
from tacit.ratings.options import RATINGS

if TYPE_CHECKING:
    from tacit.promises import KEpsAnonymity
    from tacit.ratings.data import Ratings
    from tacit.ratings.recoding import IntervalRecoding


def search(
    data: Ratings, promise: KEpsAnonymity, *, seed: int, progress: Any, fill: bool = False, **_: Any
) -> IntervalRecoding:
    """The method of the paper. It has no random step."""
    from tacit.ratings.solvers.hamming import hamming
    from tacit.ratings.solvers.posing import decided

    return decided(data, promise, fill, lambda problem: [hamming(problem)])


METHOD = Method(
    "hamming",
    "people who rated the same issues are one group, with one interval an issue (Sun, Wang)",
    {"k-eps": search},
    RATINGS,
    publishes="ratings as numbers, some moved, some blanked; sensitive ones as they are",
    uses_hierarchy=False,
    on_engines=True,
)
