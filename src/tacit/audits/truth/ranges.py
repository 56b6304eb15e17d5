"""Whether ratings published as ranges are true: each is in its range, and all are recoded alike."""

from __future__ import annotations

import numpy as np

from tacit.audits.views.ratings import RatingOriginal, RatingView

_ROUNDING = 1e-9
_AT_ONCE = 1 << 20
"""So many ratings are put in order at once: those of the largest files are a hundred million."""


def false_ranges(
    before: RatingOriginal,
    after: RatingView,
    keys: tuple[np.ndarray, np.ndarray],
    issues: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
) -> list[str]:
    """What is not true to the original, in sentences. Keys of people and issues, those of the release rising.

    A number in the middle of a range, if it is not known of which, stands for what it was given for.
    """
    mine = ~before.is_sensitive[issues]
    keys_after, issues, lows, tops = _those(mine, keys[1], issues, *ends)
    asked = ~before.is_sensitive[before.issues]
    keys_before, numbers, of = _those(asked, keys[0], before.numbers, before.issues)
    at = np.searchsorted(keys_before, keys_after)
    if keys_after.size and (at.max(initial=0) >= keys_before.size or (keys_before[at] != keys_after).any()):
        return []  # ratings that nobody gave are told of elsewhere
    true = numbers[at]
    slack = _slack(before, after)
    problems = []
    if before.shown == "middle":  # one that is read as a range is one; others stand for what they were given for
        low, high = _standing_for(issues, lows, true)
        lows, tops = np.where(lows < tops, lows, low), np.where(lows < tops, tops, high)
    off = int(np.count_nonzero((true < lows - slack) | (true > tops + slack)))
    if off:
        problems.append(f"ratings shown as ranges that they are not in: {off:,}")
    spans, _ = _counted(issues, lows, tops)
    crossing = (spans[1:, 0] == spans[:-1, 0]) & (spans[1:, 1] <= spans[:-1, 2])
    if crossing.any():
        problems.append(f"ranges of one issue that overlap: {int(crossing.sum()):,}")
    blanked = np.ones(numbers.size, bool)
    blanked[at] = False
    odd = _covered(spans, of[blanked], numbers[blanked])
    if before.is_mean is None and odd:
        problems.append(f"ratings blanked that are published for other people: {odd:,}")
    return problems


def crowded_ranges(before: RatingOriginal, after: RatingView, issues: np.ndarray) -> list[str]:
    """Without knowing who is who: ranges that more people show than gave a rating in them.

    A number in the middle of a range that is not known is left out: it may stand for any rating.
    """
    lows, tops = after.numbers_at(after.values), after.numbers_at(after.tops)
    is_told = ~before.is_sensitive[issues] & ((lows < tops) | (before.shown != "middle"))
    issues, lows, tops = _those(is_told, issues, lows, tops)
    slack = _slack(before, after)
    order = np.lexsort((before.numbers, before.issues))
    numbers, ends = before.numbers[order], np.searchsorted(before.issues[order], np.arange(len(before.names) + 1))
    too_many = 0
    spans, shown = _counted(issues, lows, tops)
    bounds = np.searchsorted(spans[:, 0], np.arange(len(before.names) + 1))
    for issue in np.unique(spans[:, 0]).astype(np.int64).tolist():
        own, given = slice(bounds[issue], bounds[issue + 1]), numbers[ends[issue] : ends[issue + 1]]
        inside = np.searchsorted(given, spans[own, 2] + slack, side="right")
        inside -= np.searchsorted(given, spans[own, 1] - slack)
        too_many += int(np.maximum(shown[own] - inside, 0).sum())
    return [f"ratings or ranges shown by more people than gave one: {too_many:,} too many"] if too_many else []


def _slack(before: RatingOriginal, after: RatingView) -> float:
    """How far a rating may lie outside its range: by rounding, and a mean of several ratings by a step."""
    slack = _ROUNDING + 0.5 / 10.0**after.decimals * any(scale.step is None for scale in before.scales)
    if before.is_mean is not None:
        slack += max((float(scale.step or 0) for scale in before.scales), default=0)
    return slack


def _those(is_wanted: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """What is wanted of each array; nothing is copied where that is all of it."""
    return arrays if is_wanted.all() else tuple(each[is_wanted] for each in arrays)


def _counted(issues: np.ndarray, lows: np.ndarray, tops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each range of an issue once, (issue, low, top), ascending, and how many show it. Few ones are met very often."""
    found, counts = [np.empty((0, 3))], [np.empty(0, np.int64)]
    for start in range(0, issues.size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        order = np.lexsort((tops[part], lows[part], issues[part]))
        spans = np.stack((issues[part][order].astype(float), lows[part][order], tops[part][order]), axis=1)
        first = np.flatnonzero(np.append(True, (spans[1:] != spans[:-1]).any(axis=1)))
        found.append(spans[first])
        counts.append(np.diff(np.append(first, len(spans))))
    spans, place = np.unique(np.concatenate(found), axis=0, return_inverse=True)
    shown = np.zeros(len(spans), np.int64)
    np.add.at(shown, place.ravel(), np.concatenate(counts))
    return spans, shown


def _standing_for(issues: np.ndarray, labels: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest rating that each number stands for in its issue."""
    ends, places = np.unique(labels, return_inverse=True)
    keys, which = np.unique(issues.astype(np.int64) * max(ends.size, 1) + places.ravel(), return_inverse=True)
    which = which.ravel()
    low, high = np.full(keys.size, np.inf), np.full(keys.size, -np.inf)
    np.minimum.at(low, which, true)
    np.maximum.at(high, which, true)
    return low[which], high[which]


def _covered(spans: np.ndarray, issues: np.ndarray, numbers: np.ndarray) -> int:
    """How many ratings lie well inside a range that is published for their issue."""
    found = 0
    bounds = np.searchsorted(spans[:, 0], np.arange(int(spans[:, 0].max(initial=-1)) + 2))
    order = np.argsort(issues, kind="stable")
    ends = np.searchsorted(issues[order], np.arange(bounds.size))
    for issue in range(bounds.size - 1):
        own, mine = spans[bounds[issue] : bounds[issue + 1]], numbers[order[ends[issue] : ends[issue + 1]]]
        if len(own) and mine.size:
            at = np.searchsorted(own[:, 1], mine + _ROUNDING, side="right") - 1
            found += int(np.count_nonzero((at >= 0) & (mine <= own[np.maximum(at, 0), 2] + _ROUNDING)))
    return found
