"""cuts: still open: what it does in a line (authors, venue and year)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.methods import Method

if TYPE_CHECKING:
    from tacit.ratings.data import Ratings
    from tacit.ratings.recoding import IntervalRecoding


def search(data: Ratings, promise: Any, *, seed: int, progress: Any, **options: Any) -> IntervalRecoding:
    """Still open: the search. NumPy and Numba are imported in here; what is long goes to ../solvers/."""
    raise NotImplementedError("cuts is still open")


METHOD = Method(
    "cuts",
    "still open: what it does in half a sentence (authors and year)",
    {"rating-km": search},
    publishes="still open: what its releases look like",
)
