"""What a release of ratings as ranges lost: what was blanked, how wide ranges are, and what can still be learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.arrays.sparse import keep_where
from tacit.ratings import recommender
from tacit.ratings.data import Ratings
from tacit.ratings.measures import Sparse, before_and_after, issue_means, mean_error, predictions, rank_correlation
from tacit.ratings.ranges import Ranged

_MOST_PEOPLE = 20_000
"""Recommenders learn from so many people at most, drawn by the seed."""
_HIDDEN = 0.1
_CORRELATED = 50
"""Correlations are compared between so many issues, those that most people rated."""
_ENOUGH = 30
"""Two issues are compared that so many people rated both, as published."""
_ALIKE = 1e-12
"""Ratings whose variance is such a share of their square differ by nothing but rounding."""
_AT_ONCE = 1 << 20
"""So many ratings are computed with at once: the largest logs have a hundred times as many."""


def measure_ranges(data: Ratings, released: Ranged, *, seed: int) -> dict[str, Any]:
    """Every measure that fits ratings published as ranges. Shares are of the ratings that an attacker may know."""
    known = ~data.is_sensitive
    asked, shown = known[data.issues], known[released.issues]
    total = max(int(np.count_nonzero(asked)), 1)
    width = _those(shown, released.tops - released.values)
    wide = int(np.count_nonzero(width))
    kept = int(np.count_nonzero(shown))
    length = np.maximum(data.top, 1).astype(width.dtype)[_those(shown, released.issues)]
    before, after = before_and_after(data, released)
    distortion = _distortion(data, released, before, after)
    emptied = int(np.count_nonzero((np.diff(before.indptr) > 0) & (np.diff(after.indptr) == 0)))
    after = _narrower(after, width < length)
    means = issue_means(before, after, len(data.names))
    return {
        "distortion": distortion,
        "distortion_per_rating": distortion / total,
        "kept": kept / total if before.issues.size else 1.0,
        "unchanged": (kept - wide) / total if before.issues.size else 1.0,
        "as_ranges": wide / total,
        "as_rated": int(np.count_nonzero((width >= length) & (width > 0))) / total,
        "mean_width": _mean_share(width, length) if kept else 0.0,
        "suppressed": 1 - kept / total if before.issues.size else 0.0,
        "blanked": 1 - kept / total if before.issues.size else 0.0,
        "emptied_people": emptied,
        "issues_before": int(np.count_nonzero(~np.isnan(means.before))),
        "issues_after": int(np.count_nonzero(np.bincount(_those(shown, released.issues)))),
        "issue_mean_error": mean_error(means),
        "issue_rank_correlation": rank_correlation(means),
        "correlation_error": correlation_error(before, after, len(data.names)),
        **predictions(before, after, data, seed),
        **item_based(before, after, len(data.names), seed),
        "records": len(data),
    }


def _narrower(ratings: Sparse, wanted: np.ndarray) -> Sparse:
    """Without ratings of which only is known that they are there."""
    if wanted.all():
        return ratings
    indptr, issues = keep_where(ratings.indptr, ratings.issues, wanted)
    return Sparse(indptr, issues, ratings.numbers[wanted])


def _those(is_wanted: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What is wanted of some values; nothing is copied where that is all of them."""
    return values if is_wanted.all() else values[is_wanted]


def _mean_share(width: np.ndarray, length: np.ndarray) -> float:
    """How much of their scales ranges are on average."""
    parts = range(0, width.size, _AT_ONCE)
    return sum(float((width[at : at + _AT_ONCE] / length[at : at + _AT_ONCE]).sum()) for at in parts) / width.size


def _distortion(data: Ratings, released: Ranged, before: Sparse, after: Sparse) -> float:
    """How far ratings are from the middles of their ranges; a blanked one counts as one step below the scale."""
    stays = _those(~data.is_sensitive[data.issues], released.stays)
    null = np.array([float(scale.low - scale.null_step) for scale in data.scales] or [0.0])
    total, shown = 0.0, 0
    for start in range(0, stays.size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        kept, numbers = stays[part], before.numbers[part]
        until = shown + int(np.count_nonzero(kept))
        total += float(np.abs(numbers[kept] - after.numbers[shown:until]).sum())
        total += float((numbers[~kept] - null[before.issues[part][~kept]]).sum())
        shown = until
    return total


def correlation_error(before: Sparse, after: Sparse, issues: int) -> float | None:
    """How far the correlation of two issues is off, on average over those that are published most."""
    raters = np.bincount(after.issues, minlength=issues)
    chosen = np.argsort(-raters, kind="stable")[:_CORRELATED]
    chosen = chosen[raters[chosen] >= _ENOUGH]
    place = np.full(issues, -1, np.int16)
    place[chosen] = np.arange(chosen.size)
    was, now = (_correlations(*_table(part, place, chosen.size)) for part in (before, after))
    apart = np.abs(was - now)[np.triu_indices(chosen.size, 1)]
    apart = apart[~np.isnan(apart)]
    return float(apart.mean()) if apart.size else None


def _table(part: Sparse, place: np.ndarray, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Some issues as a table, 0 where there is no rating, and where there is one; the first rows of very many."""
    people = min(part.indptr.size - 1, 5 * _MOST_PEOPLE)
    column = place[part.issues[: part.indptr[people]]]
    at = np.flatnonzero(column >= 0)
    cells = np.searchsorted(part.indptr, at, side="right") - 1, column[at]
    table, given = np.zeros((people, columns)), np.zeros((people, columns))
    table[cells], given[cells] = part.numbers[at], 1
    return table, given


def _correlations(table: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Pearson's correlation of every two columns over the rows that have both; NaN where they are few, or all alike."""
    both = given.T @ given
    table = table - given * (table.sum(axis=0) / np.maximum(given.sum(axis=0), 1))  # less is lost to rounding
    total = table.T @ given  # of the one column where the other is there, too
    square = (table**2).T @ given
    spread = square * both - total**2
    spread[spread <= _ALIKE * square * both] = np.nan
    spread[both < _ENOUGH] = np.nan
    return ((table.T @ table) * both - total * total.T) / np.sqrt(spread * spread.T)


def item_based(before: Sparse, after: Sparse, issues: int, seed: int) -> dict[str, float | None]:
    """A standard item-based recommender that learned from the original, and one that learned from the release."""
    rng = np.random.default_rng((seed, 1))
    people = before.indptr.size - 1
    if people > _MOST_PEOPLE:
        chosen = np.sort(rng.choice(people, _MOST_PEOPLE, replace=False))
        before, after = before.take(chosen), after.take(chosen)
    place = recommender.chosen_issues(before.issues, issues)
    number = int(place.max(initial=-1)) + 1
    parts = []
    for part in (before, after):
        here = place[part.issues] >= 0
        parts.append(recommender.Ratings(part.people[here], place[part.issues[here]], part.numbers[here]))
    true, shown = parts
    hidden = rng.random(true.people.size) < _HIDDEN
    was, now = (recommender.judged(part, true, hidden, before.indptr.size - 1, number) for part in (true, shown))
    return {
        "item_based_rmse_before": was.rmse,
        "item_based_rmse_after": now.rmse,
        "item_based_ndcg_before": was.ndcg,
        "item_based_ndcg_after": now.ndcg,
    }
