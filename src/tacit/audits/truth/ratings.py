"""Whether published ratings are true: sensitive ones as they were, nobody's ratings invented unless they may be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacit.audits.truth import not_shown
from tacit.audits.truth.ranges import Ranges, crowded_ranges
from tacit.audits.views.ratings import EVERYWHERE, RatingOriginal, RatingView, issues_by_name
from tacit.audits.views.scales import Scale

_ROUNDING = 1e-9
_AT_ONCE = 1 << 20
"""About so many ratings are compared at once: the largest logs have a hundred times as many."""
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
    issues = np.array([issue_of[name] for name in after.names] or [0], np.int32)
    problems = _outside(before, after, issues)
    if rows is None:
        return problems + _compared_as_a_whole(before, after, issues[after.issues], after.numbers())
    return problems + not_shown(len(before), rows) + _compared_one_by_one(before, after, issues, rows)


def _compared_one_by_one(
    before: RatingOriginal, after: RatingView, issues: np.ndarray, rows: np.ndarray
) -> list[str]:  # fmt: skip
    """Everybody's ratings with what became of them; `issues` are the original's numbers of those of the file."""
    invented, is_changed = 0, False
    ranges = None if before.shown is None else Ranges(before, after)
    for start, stop, at, keys_before, keys_after in _some_people(before, after, issues, rows):
        invented += int(np.count_nonzero(~_held(keys_before, keys_after)))
        of = issues[after.issues[at]]
        if before.is_sensitive.any():
            mine, theirs = before.is_sensitive[before.issues[start:stop]], before.is_sensitive[of]
            given, shown = before.numbers[start:stop][mine], after.numbers(at)[theirs]
            is_changed |= not np.array_equal(keys_before[mine], keys_after[theirs]) or bool(
                (np.abs(given - shown) > _slack(before, after, slice(start, stop))[mine]).any()
            )
        if ranges is not None:
            ends = after.numbers_at(after.values, at), after.numbers_at(after.tops, at)
            ranges.look(start, (keys_before, keys_after), of, ends)
    problems = []
    if invented and not before.may_fill:
        problems.append(f"ratings shown that nobody gave: {invented:,}")
    if is_changed:
        problems.append("sensitive ratings that are not as they were")
    return problems if ranges is None else problems + ranges.problems()


def _some_people(
    before: RatingOriginal, after: RatingView, issues: np.ndarray, rows: np.ndarray
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray, np.ndarray]]:
    """The original from one rating up to another, where the same people's ratings are in the file, and keys of both.

    A key is a person and an issue; those of either side rise.
    """
    width = np.int64(max(len(before.names), 1))
    order = np.argsort(rows, kind="stable")
    whose, lengths = rows[order], np.diff(after.starts)
    first = 0
    while first < len(before):
        last = max(int(np.searchsorted(before.starts, before.starts[first] + _AT_ONCE, side="right")) - 1, first + 1)
        last = min(last, len(before))
        begin = 0 if first == 0 else int(np.searchsorted(whose, first))
        end = whose.size if last == len(before) else int(np.searchsorted(whose, last))
        own = order[begin:end]
        ends = np.concatenate(([0], np.cumsum(lengths[own])))
        at = np.arange(ends[-1]) + np.repeat(after.starts[own] - ends[:-1], lengths[own])
        keys = np.repeat(rows[own], lengths[own]) * width + issues[after.issues[at]]
        rising = np.argsort(keys, kind="stable")
        start, stop = int(before.starts[first]), int(before.starts[last])
        given = np.repeat(np.arange(first, last), np.diff(before.starts[first : last + 1])) * width
        yield start, stop, at[rising], given + before.issues[start:stop], keys[rising]
        first = last


def _held(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Whether each of the wanted keys is among ascending ones."""
    return np.append(keys, -1)[np.searchsorted(keys, wanted)] == wanted


def _outside(before: RatingOriginal, after: RatingView, issues: np.ndarray) -> list[str]:
    """Ratings that the scale does not have. Where ranges are shown and the job gives no scale, they may reach further
    than the original's ratings do."""
    rounded = [
        np.inf if scale.is_guessed and before.shown is not None else _rounding(scale, after) for scale in before.scales
    ]
    lowest = np.array([float(scale.low) for scale in before.scales]) - rounded
    highest = np.array([float(scale.high) for scale in before.scales]) + rounded
    outside = 0
    for start in range(0, after.issues.size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        of = issues[after.issues[part]]
        lows, tops = after.numbers_at(None, part), after.numbers_at(after.tops, part)
        outside += int(np.count_nonzero((lows < lowest[of]) | (tops > highest[of])))
    return [f"ratings shown outside their scale: {outside:,}"] if outside else []


def _slack(before: RatingOriginal, after: RatingView, part: slice = EVERYWHERE) -> np.ndarray:
    """How far a sensitive rating may be from the original one. In a survey they keep their texts; in a long layout
    they are rounded as all others are, and a mean of several ones to a step."""
    issues = before.issues[part]
    if not before.is_long:
        return np.full(issues.size, _ROUNDING)
    slack = np.array([_rounding(scale, after) for scale in before.scales])[issues]
    if before.is_mean is not None:
        steps = np.array([float(scale.step or 0) for scale in before.scales])[issues]
        slack = np.where(before.is_mean[part], slack + steps / 2, slack)
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
