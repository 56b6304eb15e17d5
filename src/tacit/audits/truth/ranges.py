"""Whether ratings published as ranges are true: each is in its range, and all are recoded alike."""

from __future__ import annotations

import numpy as np

from tacit.audits.views.ratings import RatingOriginal, RatingView

_ROUNDING = 1e-9
_AT_ONCE = 1 << 20
"""So many ratings are put in order at once: those of the largest files are a hundred million."""
_MANY = 1 << 24
"""So many are looked at once where each time all issues are gone through."""
_Ends = tuple[np.ndarray, np.ndarray]


class Ranges:
    """What is found out about ranges, some people after the others."""

    def __init__(self, before: RatingOriginal, after: RatingView) -> None:
        self._before, self._slack = before, _slack(before, after)
        self._blanked = ~before.is_sensitive[before.issues]
        self._spans = [np.empty((0, 3))]
        self._standing = [np.empty((0, 5))]
        self._off, self._invented = 0, False

    def look(self, first: int, keys: tuple[np.ndarray, np.ndarray], issues: np.ndarray, ends: _Ends) -> None:
        """Keys of people and issues, both rising: of the original's ratings from the first one on, and of the release.

        A number in the middle of a range, if it is not known of which, stands for what it was given for.
        """
        before = self._before
        keys_after, issues, lows, tops = _those(~before.is_sensitive[issues], keys[1], issues, *ends)
        at = np.searchsorted(keys[0], keys_after)
        if (np.append(keys[0], -1)[at] != keys_after).any():
            self._invented = True
            return
        true = before.numbers[first + at]
        self._blanked[first + at] = False
        if before.shown == "middle":
            is_told = lows < tops
            self._standing.append(_widest(np.column_stack((issues, lows, true, true, ~is_told))))
            issues, lows, tops, true = _those(is_told, issues, lows, tops, true)
        self._off += int(np.count_nonzero((true < lows - self._slack) | (true > tops + self._slack)))
        self._spans.append(_met(issues, lows, tops)[0])

    def problems(self) -> list[str]:
        """What is not true to the original, in sentences."""
        if self._invented:
            return []  # ratings that nobody gave are told of elsewhere
        problems = []
        if self._off:
            problems.append(f"ratings shown as ranges that they are not in: {self._off:,}")
        spans = np.unique(np.concatenate((*self._spans, _standing_for(self._standing))), axis=0)
        crossing = (spans[1:, 0] == spans[:-1, 0]) & (spans[1:, 1] <= spans[:-1, 2])
        if crossing.any():
            problems.append(f"ranges of one issue that overlap: {int(crossing.sum()):,}")
        odd = 0 if self._before.is_mean is not None else self._shown_for_others(spans)
        if odd:
            problems.append(f"ratings blanked that are published for other people: {odd:,}")
        return problems

    def _shown_for_others(self, spans: np.ndarray) -> int:
        """How many ratings were blanked that a range covers."""
        found, issues, numbers = 0, self._before.issues, self._before.numbers
        for start in range(0, issues.size, _MANY):
            at = start + np.flatnonzero(self._blanked[start : start + _MANY])
            found += _covered(spans, issues[at], numbers[at])
        return found


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
        spans, times = _met(issues[part], lows[part], tops[part])
        found.append(spans)
        counts.append(times)
    spans, place = np.unique(np.concatenate(found), axis=0, return_inverse=True)
    shown = np.zeros(len(spans), np.int64)
    np.add.at(shown, place.ravel(), np.concatenate(counts))
    return spans, shown


def _met(issues: np.ndarray, lows: np.ndarray, tops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of as many as can be put in order at once."""
    order = np.lexsort((tops, lows, issues))
    spans = np.stack((issues[order].astype(float), lows[order], tops[order]), axis=1)
    first = np.flatnonzero(np.append(True, (spans[1:] != spans[:-1]).any(axis=1))[: len(spans)])
    return spans[first], np.diff(np.append(first, len(spans)))


def _widest(standing: np.ndarray) -> np.ndarray:
    """Each number of an issue once: (issue, number, lowest and highest rating it stands for, whether it is untold)."""
    keys, which = np.unique(standing[:, :2], axis=0, return_inverse=True)
    low, high, untold = np.full(len(keys), np.inf), np.full(len(keys), -np.inf), np.zeros(len(keys))
    np.minimum.at(low, which.ravel(), standing[:, 2])
    np.maximum.at(high, which.ravel(), standing[:, 3])
    np.maximum.at(untold, which.ravel(), standing[:, 4])
    return np.column_stack((keys, low, high, untold))


def _standing_for(parts: list[np.ndarray]) -> np.ndarray:
    """The ranges, (issue, low, top), that numbers in the middle stand for, where it is not known of which they are."""
    standing = _widest(np.concatenate(parts))
    return standing[standing[:, 4] > 0][:, [0, 2, 3]]


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
