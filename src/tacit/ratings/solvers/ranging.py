"""From ratings and a promise to the ranges of each scale that are published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacit.ratings.data import Ratings
from tacit.ratings.ranges import Range, RangeRecoding, is_misread
from tacit.ratings.solvers.cells import Parted, Plan, parted
from tacit.ratings.solvers.cuts import cut_scales, tabled
from tacit.ratings.solvers.rare import cut_for_many, most_counted

if TYPE_CHECKING:
    from tacit.promises import RatingKm


def ranged(data: Ratings, promise: RatingKm, shown: str) -> RangeRecoding:
    """The ranges of all issues that an attacker may know; with k = 1 nothing is changed."""
    if promise.k == 1:
        return as_it_is(data, shown)
    cells = parted(data.problem(promise.k, False), promise.k, promise.m)
    cut = found_cuts(cells, promise.k, promise.m) if cells.issues.size else np.empty(0, np.int64)
    return named(data, cells, cut, shown)


def named(data: Ratings, cells: Parted | Plan, cut: np.ndarray, shown: str) -> RangeRecoding:
    """Cuts as the decision that users see: the ranges of every issue that an attacker may know."""
    known = [name for name, is_sensitive in zip(data.names, data.is_sensitive, strict=True) if not is_sensitive]
    issues: dict[str, tuple[Range, ...]] = dict.fromkeys(known, ())
    issues |= _ranges(data, cells, cut)
    if shown == "middle":
        scales = dict(zip(data.names, data.scales, strict=True))
        issues = {name: () if is_misread(ranges, scales[name]) else ranges for name, ranges in issues.items()}
    return RangeRecoding(issues, shown)


def found_cuts(cells: Parted, k: int, m: float) -> np.ndarray:
    """For each cell the first one of the range that it is published in, −1 if it is blanked."""
    many = m > 2
    most = most_counted(k, cells.rated.people) if many else k
    table = tabled(cells.rated, cells.scales, most, pairs=m > 1)
    return (cut_for_many(table, k, m) if many else cut_scales(table, k)).cut


def as_it_is(data: Ratings, shown: str) -> RangeRecoding:
    """The decision that changes nothing."""
    known = ~data.is_sensitive
    return RangeRecoding({name: () for name, is_known in zip(data.names, known, strict=True) if is_known}, shown, True)


def _ranges(data: Ratings, cells: Parted | Plan, cut: np.ndarray) -> dict[str, tuple[Range, ...]]:
    """The ranges of each issue as users write them."""
    found = {}
    first = cells.first if isinstance(cells, Plan) else cells.scales.first
    for at, issue in enumerate(cells.issues.tolist()):
        own = cut[first[at] : first[at + 1] - 1]
        heads = np.unique(own[own >= 0]).tolist()
        found[data.names[issue]] = tuple(
            (data.number_of(issue, int(cells.low[head])), data.number_of(issue, int(cells.high[_last(cut, head)])))
            for head in heads
        )
    return found


def _last(cut: np.ndarray, head: int) -> int:
    """The last cell of the range that begins with this one."""
    last = head
    while last + 1 < cut.size and cut[last + 1] == head:
        last += 1
    return last
