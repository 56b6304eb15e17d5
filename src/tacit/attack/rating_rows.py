"""Published ratings as attackers compare them: what is not sensitive, row by row, beside the original's."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.audits.views.ratings import RatingOriginal, RatingView

if TYPE_CHECKING:
    from tacit.attack.scene import Scene

_AT_ONCE = 1 << 20
"""So many ratings are computed with at once: the largest logs have a hundred times as many."""


class Rows(NamedTuple):
    """Ratings that are not sensitive: row r has issues[starts[r]:starts[r + 1]], ascending, with those values."""

    starts: np.ndarray  # int64
    issues: np.ndarray  # int32
    values: np.ndarray

    def digests(self) -> list[str]:
        """What equal rows have in common, and no others, as text."""
        bounds = self.starts.tolist()
        return [
            hashlib.blake2b(
                self.issues[a:b].tobytes() + self.values[a:b].astype(np.float64).tobytes(), digest_size=16
            ).hexdigest()
            for a, b in pairwise(bounds)
        ]


class ByIssue(NamedTuple):
    """Ratings by issue: rows[begins[i]:ends[i]], ascending, rated issue i, and their ratings stand at such places."""

    begins: np.ndarray  # int64
    ends: np.ndarray  # int64
    rows: np.ndarray
    places: np.ndarray

    def of(self, issue: int) -> slice:
        return slice(self.begins[issue], self.ends[issue])


def by_issue(starts: np.ndarray, issues: np.ndarray, count: int) -> ByIssue:
    """The ratings of some rows by issue. (SciPy counts: it neither sorts nor needs more room than what comes out.)"""
    from scipy.sparse import csr_matrix

    rated = csr_matrix((_numbered(issues.size), issues, starts), shape=(starts.size - 1, count), copy=False).tocsc()
    return ByIssue(rated.indptr[:-1], rated.indptr[1:], rated.indices, rated.data)


def _numbered(size: int) -> np.ndarray:
    return np.arange(size, dtype=np.int32 if size < 2**31 else np.int64)


def shown_by_issue(scene: Scene) -> ByIssue:
    """What a file shows, by its own numbers of issues; made once for all attackers."""
    view = scene.view
    if view.issues is scene.original.issues:
        return given_by_issue(scene)
    found: ByIssue = scene.once("by issue", lambda: by_issue(view.starts, view.issues, len(view.names)))
    return found


def given_by_issue(scene: Scene) -> ByIssue:
    """The original's ratings; made once for the file and for the original, as if that were published."""
    original, known = scene.original, scene.of_original
    if id(original) not in known:
        known[id(original)] = by_issue(original.starts, original.issues, len(original.names))
    found: ByIssue = known[id(original)]
    return found


def published_by_issue(scene: Scene) -> ByIssue:
    """What a file shows, by the original's numbers of issues; nothing of those that are not shown."""
    shown, names = shown_by_issue(scene), scene.original.names
    place = {name: issue for issue, name in enumerate(scene.view.names)}
    own = np.array([place.get(name, -1) for name in names], np.int64)
    begins, ends = (np.append(each, 0)[own] for each in (shown.begins, shown.ends))
    return shown._replace(begins=begins, ends=ends)


def known_lengths(ratings: RatingView | RatingOriginal) -> np.ndarray:
    """How many ratings that are not sensitive each row has."""
    if not ratings.is_sensitive.any():
        return np.diff(ratings.starts)
    known = np.concatenate(([0], np.cumsum(~ratings.is_sensitive[ratings.issues])))
    return np.diff(known[ratings.starts])


def known_rows(original: RatingOriginal) -> Rows:
    """The original's ratings that are not sensitive."""
    return _known(original.starts, original.issues, original.numbers, original.is_sensitive)


def rows_of(before: RatingOriginal, after: RatingView) -> tuple[Rows, Rows]:
    """The original and what was published of it, with the same numbers for the same issues."""
    issues, left_out = after.issues, before.is_sensitive
    if after.names != before.names:
        issue_of = {name: issue for issue, name in enumerate(before.names)}
        issues = np.array([issue_of.get(name, -1) for name in after.names] or [0], np.int32)[issues]
        left_out = np.append(left_out, True) if (issues < 0).any() else left_out  # issues that the original has not
    return known_rows(before), _known(after.starts, issues, _compact(after), left_out)


def view_rows(view: RatingView) -> Rows:
    """Published ratings that are not sensitive, in the file's own numbers of issues."""
    return _known(view.starts, view.issues, _compact(view), view.is_sensitive)


def _compact(view: RatingView) -> np.ndarray:
    """All ratings of a file as plain numbers, in half the room where that loses nothing."""
    found = np.empty(view.issues.size, np.float32)
    for start in range(0, found.size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        exact = view.numbers(part)
        found[part] = exact
        if (found[part] != exact).any():
            return view.numbers()
    return found


def different_numbers(view: RatingView) -> np.ndarray:
    """The different ratings that a file shows as plain numbers, ascending."""
    found = np.empty(0)
    for start in range(0, view.issues.size, _AT_ONCE):
        found = np.union1d(found, view.numbers(slice(start, start + _AT_ONCE)))
    return found


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
