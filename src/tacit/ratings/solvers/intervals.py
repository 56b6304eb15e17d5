"""The cheapest interval for the ratings of one issue (Sun & Wang, Algorithm 1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.ratings.solvers import _rating_kernels as _kernels


class Interval(NamedTuple):
    """A closed interval, and the distortion of moving every rating into it."""

    low: int
    high: int
    distortion: int


def cheapest_interval(ratings: np.ndarray, reach: int) -> Interval:
    """The interval [low, low + reach] that distorts the ratings least; of several, the lowest.

    The distortion is convex in `low`, so it is read off the histogram of the ratings; no interval is tried.

    >>> cheapest_interval(np.array([3, 4, 5, 6, 7, 7, 8, 8]), 2)  # Table II
    Interval(low=5, high=7, distortion=5)
    """
    levels, counts = np.unique(np.asarray(ratings, np.int64), return_counts=True)
    low, distortion = _kernels.cheapest_of_histogram(levels, counts, levels.size, reach)
    return Interval(int(low), int(low) + reach, int(distortion))
