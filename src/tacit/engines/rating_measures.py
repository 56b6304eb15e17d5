"""What ratings lost on an engine: from how often each rating was given, and from what the shares came to."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.engines.levels import Levels
from tacit.ratings.measures import IssueMeans, mean_error, rank_correlation
from tacit.ratings.ranges import RangeRecoding

_SUMS = ("distortion", "filled", "people_left_alone", "emptied_people", "records")
_MEANS = ("distortion_per_rating", "kept", "unchanged", "moved_ratings", "suppressed", "blanked")


def measured(levels: Levels, recoding: RangeRecoding, told: list[dict[str, Any]]) -> dict[str, Any]:
    """The measures of `tacit.ratings.range_measures` that follow from counts of ratings, exactly."""
    data, applied = levels.data, recoding.applied(levels.data)
    asked = ~data.is_sensitive[data.issues]
    times, issues = levels.times[asked], data.issues[asked]
    total, stays = max(int(times.sum()), 1), applied.stays[asked]
    shown = ~data.is_sensitive[applied.issues]
    width, of = (applied.tops - applied.values)[shown].astype(np.int64), applied.issues[shown]
    often, length = times[stays], np.maximum(data.top, 1)[of]
    kept = int(often.sum())
    before = data.numbers(data.issues, data.values)[asked]
    after = applied.numbers(data)[shown]
    null = np.array([float(scale.low - scale.null_step) for scale in data.scales] or [0.0])
    moved = float((np.abs(before[stays] - after) * often).sum())
    distortion = moved + float(((before[~stays] - null[issues[~stays]]) * times[~stays]).sum())
    narrow = width < length
    means = IssueMeans(
        _means(issues, before, times, len(data.names)),
        _means(of[narrow], after[narrow], often[narrow], len(data.names)),
    )
    return {
        "distortion": distortion,
        "distortion_per_rating": distortion / total,
        "kept": kept / total if issues.size else 1.0,
        "unchanged": int(often[width == 0].sum()) / total if issues.size else 1.0,
        "as_ranges": int(often[width > 0].sum()) / total,
        "as_rated": int(often[(width >= length) & (width > 0)].sum()) / total,
        "mean_width": float((width / length * often).sum() / kept) if kept else 0.0,
        "suppressed": 1 - kept / total if issues.size else 0.0,
        "blanked": 1 - kept / total if issues.size else 0.0,
        "emptied_people": sum(each["emptied_people"] for each in told),
        "issues_before": int(np.count_nonzero(~np.isnan(means.before))),
        "issues_after": int(np.unique(of).size),
        "issue_mean_error": mean_error(means),
        "issue_rank_correlation": rank_correlation(means),
        "records": sum(each["people"] for each in told),
    }


def _means(issues: np.ndarray, numbers: np.ndarray, times: np.ndarray, size: int) -> np.ndarray:
    count = np.bincount(issues, times, minlength=size)
    total = np.bincount(issues, numbers * times, minlength=size)
    return np.divide(total, count, out=np.full(size, np.nan), where=count > 0)


def united(told: list[dict[str, Any]]) -> dict[str, Any]:
    """The measures of parts as those of the whole: sums, and means over the ratings that an attacker may know."""
    parts = [each["utility"] for each in told]
    weights = np.array([each["ratings"] for each in told], float) + 1e-9  # people may have rated nothing at all
    found: dict[str, Any] = {name: sum(each[name] for each in parts) for name in _SUMS}
    found |= {name: float(np.average([each[name] for each in parts], weights=weights)) for name in _MEANS}
    return found
