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


def measure_ranges(data: Ratings, released: Ranged, *, seed: int) -> dict[str, Any]:
    """Every measure that fits ratings published as ranges. Shares are of the ratings that an attacker may know."""
    known = ~data.is_sensitive
    asked, shown = known[data.issues], known[released.issues]
    total = max(int(np.count_nonzero(asked)), 1)
    width = (released.tops - released.values)[shown]
    wide = int(np.count_nonzero(width))
    kept = int(np.count_nonzero(shown))
    length = np.maximum(data.top, 1)[released.issues[shown]]
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
        "mean_width": float((width / length).mean()) if kept else 0.0,
        "suppressed": 1 - kept / total if before.issues.size else 0.0,
        "blanked": 1 - kept / total if before.issues.size else 0.0,
        "emptied_people": emptied,
        "issues_before": int(np.count_nonzero(~np.isnan(means.before))),
        "issues_after": int(np.count_nonzero(np.bincount(released.issues[shown]))),
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


def _distortion(data: Ratings, released: Ranged, before: Sparse, after: Sparse) -> float:
    """How far ratings are from the middles of their ranges; a blanked one counts as one step below the scale."""
    stays = released.stays[~data.is_sensitive[data.issues]]
    moved = float(np.abs(before.numbers[stays] - after.numbers).sum())
    null = np.array([float(scale.low - scale.null_step) for scale in data.scales] or [0.0])
    return moved + float((before.numbers[~stays] - null[before.issues[~stays]]).sum())


def correlation_error(before: Sparse, after: Sparse, issues: int) -> float | None:
    """How far the correlation of two issues is off, on average over those that are published most."""
    raters = np.bincount(after.issues, minlength=issues)
    chosen = np.argsort(-raters, kind="stable")[:_CORRELATED]
    chosen = chosen[raters[chosen] >= _ENOUGH]
    place = np.full(issues, -1, np.int64)
    place[chosen] = np.arange(chosen.size)
    tables = [_table(part, place, chosen.size) for part in (before, after)]
    found = []
    for one in range(chosen.size):
        for other in range(one + 1, chosen.size):
            pairs = [table[:, [one, other]] for table in tables]
            pairs = [pair[~np.isnan(pair).any(axis=1)] for pair in pairs]
            if min(map(len, pairs)) >= _ENOUGH and all((np.ptp(pair, axis=0) > 0).all() for pair in pairs):
                was, now = (np.corrcoef(pair.T, dtype=np.float64)[0, 1] for pair in pairs)
                found.append(abs(was - now))
    return float(np.mean(found)) if found else None


def _table(part: Sparse, place: np.ndarray, columns: int) -> np.ndarray:
    """Some issues as a table, NaN where there is no rating; of very many people, those of the first rows."""
    here = place[part.issues] >= 0
    people = part.people[here]
    few = people < 5 * _MOST_PEOPLE
    table = np.full((min(part.indptr.size - 1, 5 * _MOST_PEOPLE), columns), np.nan, np.float32)
    table[people[few], place[part.issues[here][few]]] = part.numbers[here][few]
    return table


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
