"""What a decision makes of ratings, people in the original order: found once, then published and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays.sparse import keep_where
from tacit.ratings.data import Ratings
from tacit.ratings.ranges import Ranged, RangeRecoding
from tacit.ratings.recoding import IntervalRecoding, published_ratings


@dataclass(frozen=True, eq=False)
class Released:
    """All ratings as published, sensitive ones too: person p rated issues[indptr[p]:indptr[p + 1]]."""

    recoding: IntervalRecoding
    indptr: np.ndarray
    issues: np.ndarray
    values: np.ndarray

    def numbers(self, data: Ratings) -> np.ndarray:
        """Every rating as a plain number."""
        return data.numbers(self.issues, self.values)

    @property
    def people(self) -> np.ndarray:
        return np.repeat(np.arange(self.indptr.size - 1), np.diff(self.indptr))


def apply(data: Ratings, recoding: IntervalRecoding | RangeRecoding) -> Released | Ranged:
    """What a decision of either sort makes of ratings."""
    return recoding.applied(data) if isinstance(recoding, RangeRecoding) else released_ratings(data, recoding)


def released_ratings(data: Ratings, recoding: IntervalRecoding) -> Released:
    """The ratings that a decision publishes: those it is about, and the others as they are."""
    indptr, issues, values = published_ratings(data.problem(1, False), recoding.cells)
    other = ~data.is_known[data.issues]
    if not other.any():
        return Released(recoding, indptr, issues, values)
    kept_indptr, kept_issues = keep_where(data.indptr, data.issues, other)
    rows = np.concatenate([np.repeat(np.arange(len(data)), np.diff(each)) for each in (indptr, kept_indptr)])
    both = np.concatenate((issues, kept_issues))
    order = np.lexsort((both, rows))
    everything = np.concatenate((values, data.values[other]))
    return Released(recoding, indptr + kept_indptr, both[order], everything[order])
