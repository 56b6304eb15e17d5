"""Published ratings as attackers compare them: what is not sensitive, row by row, beside the original's."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tacit.audits.views.ratings import RatingOriginal, RatingView


class Rows(NamedTuple):
    """Ratings that are not sensitive: row r has issues[starts[r]:starts[r + 1]], ascending, with those values."""

    starts: np.ndarray  # int64
    issues: np.ndarray  # int32
    values: np.ndarray

    def digests(self) -> list[str]:
        """What equal rows have in common, and no others, as text."""
        bounds = self.starts.tolist()
        return [
            hashlib.blake2b(self.issues[a:b].tobytes() + self.values[a:b].tobytes(), digest_size=16).hexdigest()
            for a, b in pairwise(bounds)
        ]


def rows_of(before: RatingOriginal, after: RatingView) -> tuple[Rows, Rows]:
    """The original and what was published of it, with the same numbers for the same issues."""
    issue_of = {name: issue for issue, name in enumerate(before.names)}
    issues = np.array([issue_of[name] for name in after.names] or [0], np.int32)[after.issues]
    return (
        _known(before.starts, before.issues, before.numbers, before.is_sensitive),
        _known(after.starts, issues, after.numbers(), before.is_sensitive),
    )


def view_rows(view: RatingView) -> Rows:
    """Published ratings that are not sensitive, in the file's own numbers of issues."""
    return _known(view.starts, view.issues, view.numbers(), view.is_sensitive)


def view_rows_of_control(control: RatingOriginal, original: RatingOriginal) -> Rows:
    """The ratings of people who are not in the file, with the issues' numbers of the original; others are left out."""
    issue_of = {name: issue for issue, name in enumerate(original.names)}
    issues = np.array([issue_of.get(name, -1) for name in control.names] or [0], np.int32)[control.issues]
    stays = (issues >= 0) & ~control.is_sensitive[control.issues]
    starts = np.concatenate(([0], np.cumsum(stays)))[control.starts]
    return Rows(starts, issues[stays], control.numbers[stays])


def rating_view_of(original: RatingOriginal) -> RatingView:
    """The original as if it were published as it is; its ratings are plain numbers."""
    return RatingView(
        original.starts, original.issues, original.numbers, original.names, original.scales, original.is_sensitive, 0
    )


def _known(starts: np.ndarray, issues: np.ndarray, numbers: np.ndarray, is_sensitive: np.ndarray) -> Rows:
    issues = issues.astype(np.int32, copy=False)
    if not is_sensitive.any() and _are_ascending(starts, issues):
        return Rows(starts, issues, numbers)  # the largest files are like that, and need not be copied
    stays = ~is_sensitive[issues]
    person = np.repeat(np.arange(starts.size - 1), np.diff(starts))[stays]
    order = np.lexsort((issues[stays], person))
    ends = np.cumsum(np.bincount(person, minlength=starts.size - 1))
    return Rows(np.concatenate(([0], ends)), issues[stays][order], numbers[stays][order])


def _are_ascending(starts: np.ndarray, issues: np.ndarray) -> bool:
    rises = np.append(issues[1:] > issues[:-1], True)
    rises[starts[1:] - 1] = True  # what follows is another row's
    return bool(rises.all())


def taken(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where some rows begin if they stand one after the other, and where each of their ratings stood."""
    lengths = np.diff(starts)[rows]
    ends = np.concatenate(([0], np.cumsum(lengths)))
    return ends, np.arange(ends[-1]) + np.repeat(starts[rows] - ends[:-1], lengths)


def verbatim_rows(true: Rows, shown: Rows, people: np.ndarray) -> int:
    """How many rows are published word for word and unlike any other row; `people[i]` is who published row i was."""
    was, now, has_any = true.digests(), shown.digests(), np.diff(shown.starts) > 0
    times = Counter(now)
    return sum(
        times[row] == 1 and row == was[person]
        for row, person, rated in zip(now, people.tolist(), has_any.tolist(), strict=True)
        if rated
    )
