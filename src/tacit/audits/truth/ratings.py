"""Whether published ratings are true: sensitive ones as they were, nobody's ratings invented unless they may be."""

from __future__ import annotations

import numpy as np

from tacit.audits.truth import not_shown
from tacit.audits.truth.ranges import crowded_ranges, false_ranges
from tacit.audits.views.ratings import RatingOriginal, RatingView, issues_by_name
from tacit.audits.views.scales import Scale

_ROUNDING = 1e-9
_LEAST_LEVELS = 10**6
"""Ratings of a continuous scale may be rounded if so many different ones are left."""


def false_values(before: RatingOriginal, after: RatingView, rows: np.ndarray | None = None) -> list[str]:
    """What is not true to the original, in sentences. `rows[i]` is who published person i was; None: unknown."""
    if len(after) != len(before):
        return [f"{len(after):,} people are shown out of {len(before):,}"]
    issue_of = issues_by_name(before, after)
    strays = sum(name not in issue_of for name in after.names)
    if strays:
        return [f"issues shown that nobody rated: {strays:,}"]
    issues = np.array([issue_of[name] for name in after.names] or [0], np.int64)[after.issues]
    numbers = after.numbers()
    problems = _outside(before, after, issues, numbers)
    if rows is None:
        return problems + _compared_as_a_whole(before, after, issues, numbers)
    width = np.int64(max(len(before.names), 1))
    keys_before = np.repeat(np.arange(len(before)), np.diff(before.starts)) * width + before.issues
    keys_after = np.repeat(rows, np.diff(after.starts)) * width + issues
    order = np.argsort(keys_after)
    keys_after, issues, numbers = keys_after[order], issues[order], numbers[order]
    problems += not_shown(len(before), rows)
    invented = int(np.count_nonzero(~_held(keys_before, keys_after)))
    if invented and not before.may_fill:
        problems.append(f"ratings shown that nobody gave: {invented:,}")
    mine, theirs = before.is_sensitive[before.issues], before.is_sensitive[issues]
    if (
        not np.array_equal(keys_before[mine], keys_after[theirs])
        or (np.abs(before.numbers[mine] - numbers[theirs]) > _slack(before, after)[mine]).any()
    ):
        problems.append("sensitive ratings that are not as they were")
    if before.shown is not None:
        tops = after.numbers_at(after.tops)[order]
        lows = after.numbers_at(after.values)[order]
        problems += false_ranges(before, after, (keys_before, keys_after), issues, (lows, tops))
    return problems


def _held(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Whether each of the wanted keys is among ascending ones."""
    return np.append(keys, -1)[np.searchsorted(keys, wanted)] == wanted


def _outside(before: RatingOriginal, after: RatingView, issues: np.ndarray, numbers: np.ndarray) -> list[str]:
    rounded = [_rounding(scale, after) for scale in before.scales]
    lowest = np.array([float(scale.low) for scale in before.scales]) - rounded
    highest = np.array([float(scale.high) for scale in before.scales]) + rounded
    lows = numbers if after.tops is None else after.numbers_at(after.values)
    tops = numbers if after.tops is None else after.numbers_at(after.tops)
    outside = int(np.count_nonzero((lows < lowest[issues]) | (tops > highest[issues])))
    return [f"ratings shown outside their scale: {outside:,}"] if outside else []


def _slack(before: RatingOriginal, after: RatingView) -> np.ndarray:
    """How far a sensitive rating may be from the original one. In a survey they keep their texts; in a long layout
    they are rounded as all others are, and a mean of several ones to a step."""
    if not before.is_long:
        return np.full(before.issues.size, _ROUNDING)
    slack = np.array([_rounding(scale, after) for scale in before.scales])[before.issues]
    if before.is_mean is not None:
        steps = np.array([float(scale.step or 0) for scale in before.scales])[before.issues]
        slack = np.where(before.is_mean, slack + steps / 2, slack)
    return slack


def _rounding(scale: Scale, after: RatingView) -> float:
    """What rounding may change. Ratings of a continuous scale may have had more digits than can be counted: they are
    then rounded to the decimals that the file has, and very many different ones are left."""
    if scale.step is not None:
        return _ROUNDING
    return _ROUNDING + min(0.5 / 10.0**after.decimals, 0.5 * float(scale.apart) / _LEAST_LEVELS)


def _compared_as_a_whole(
    before: RatingOriginal, after: RatingView, issues: np.ndarray, numbers: np.ndarray
) -> list[str]:
    """Without knowing who is who: no issue, and no range of one, has more ratings, and sensitive ones have the same."""
    problems = []
    size = len(before.names)
    given, shown = np.bincount(before.issues, minlength=size), np.bincount(issues, minlength=size)
    if not before.may_fill and (shown > given).any():
        problems.append(f"issues with more ratings than were given: {int((shown > given).sum()):,}")
    elif before.shown is not None:
        problems += crowded_ranges(before, after, issues)
    slack = _slack(before, after)
    for issue in np.flatnonzero(before.is_sensitive).tolist():
        here = np.flatnonzero(before.issues == issue)
        here = here[np.argsort(before.numbers[here], kind="stable")]
        theirs = np.sort(numbers[issues == issue])
        if here.size != theirs.size or (np.abs(before.numbers[here] - theirs) > slack[here].max(initial=0.0)).any():
            problems.append("sensitive ratings that are not as they were")
            break
    return problems
