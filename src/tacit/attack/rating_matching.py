"""Which published rows may be a person's, by some ratings that are known exactly.

A row fits a known rating if what it shows of the issue covers it; or if it shows nothing of the issue and no published
rating covers what is known: then that was blanked.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from tacit.attack.postings import within
from tacit.attack.rating_rows import ByIssue, Rows, known_rows, published_by_issue, view_rows_of_control
from tacit.attack.scene import Scene
from tacit.audits.views.ratings import RatingOriginal, RatingView

_CLOSE = 1e-9
_ABSENT = 1 / 3
"""What a rating counts that a row lacks, as a share of the scale: as far as two ratings are apart on average."""
_REMEMBERED = 1 << 24
"""So many fitting rows are remembered: of an issue that is blanked nearly everybody fits, and there are many such."""


class _Ladder(NamedTuple):
    """Different numbers, ascending, and how many there are below each one."""

    levels: np.ndarray
    sums: np.ndarray  # int64, one more than levels

    def below(self, level: float, side: Literal["left", "right"]) -> int:
        """How many are below a level, or at it, too ("right")."""
        return int(self.sums[np.searchsorted(self.levels, level, side=side)])


def _ladder(numbers: np.ndarray) -> _Ladder:
    levels, times = np.unique(numbers, return_counts=True)
    return _Ladder(levels, np.concatenate(([0], np.cumsum(times))))


class RatingMatcher:
    """Published ratings by issue, and those of the people, by the same numbers of issues."""

    def __init__(self, before: RatingOriginal, after: RatingView, shown: ByIssue, people: Rows | None = None) -> None:
        self.people = known_rows(before) if people is None else people
        self.records = len(after)
        self._view, self._shown = after, shown
        self._span = np.array([float(each.high - each.low) or 1.0 for each in before.scales])
        self._fits: dict[tuple[int, float], np.ndarray] = {}
        self._room = _REMEMBERED
        self._counts: dict[tuple[int, float], int] = {}
        self._ladders: dict[int, tuple[_Ladder, _Ladder]] = {}
        self._rungs = _REMEMBERED

    def given(self, person: int) -> tuple[np.ndarray, np.ndarray]:
        """The issues that a person rated, and how; without sensitive ones."""
        here = slice(self.people.starts[person], self.people.starts[person + 1])
        return self.people.issues[here], self.people.values[here]

    def lengths(self) -> np.ndarray:
        """How many ratings may be known of each person."""
        return np.diff(self.people.starts)

    def fitting(self, issue: int, value: float) -> np.ndarray:
        """The rows, ascending, that fit a known rating."""
        found = self._fits.get((issue, value))
        if found is None:
            here = self._shown.of(issue)
            rows = self._shown.rows[here]
            found = rows[self._shows(here, value)]
            if not found.size:
                found = np.setdiff1d(np.arange(self.records), rows, assume_unique=True)
            if self._room < found.size:
                self._fits.clear()
                self._room = _REMEMBERED
            self._room -= found.size
            self._fits[issue, value] = found
        return found

    def count(self, issue: int, value: float) -> int:
        """How many rows fit a known rating."""
        if (issue, value) not in self._counts:
            low, high = self._ladders.get(issue) or self._climbed(issue)
            shown = low.below(value + _CLOSE, "right") - high.below(value - _CLOSE, "left")
            self._counts[issue, value] = shown or self.records - int(low.sums[-1])
        return self._counts[issue, value]

    def _climbed(self, issue: int) -> tuple[_Ladder, _Ladder]:
        """How many ratings of an issue begin, and end, up to where: no rating ends below its beginning."""
        low, high = self._ends(self._shown.of(issue))
        found = _ladder(low), _ladder(high)
        rungs = found[0].levels.size + found[1].levels.size
        if self._rungs < rungs:
            self._ladders.clear()
            self._rungs = _REMEMBERED
        self._rungs -= rungs
        self._ladders[issue] = found
        return found

    def _shows(self, here: slice, value: float) -> np.ndarray:
        """Which ratings of an issue cover a known one."""
        low, high = self._ends(here)
        return (low <= value + _CLOSE) & (high >= value - _CLOSE)

    def _ends(self, here: slice) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of the ratings of an issue."""
        places = self._shown.places[here]
        low = self._view.numbers_at(None, places)
        return low, low if self._view.tops is None else self._view.numbers_at(self._view.tops, places)

    def candidates(self, issues: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The rows that fit all known ratings."""
        lists = [self.fitting(*each) for each in zip(issues.tolist(), values.tolist(), strict=True)]
        found: np.ndarray | None = None
        for held in sorted(lists, key=len):
            found = held if found is None else within(found, held)
        return np.arange(self.records) if found is None else found

    def closest(self, issues: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The rows that are closest to known ratings, where published ones are not quite those that were given."""
        far = np.zeros(self.records)
        for issue, value in zip(issues.tolist(), values.tolist(), strict=True):
            here = self._shown.of(issue)
            low, high = self._ends(here)
            far[self._shown.rows[here]] += np.abs((low + high) / 2 - value) / self._span[issue] - _ABSENT
        return np.flatnonzero(far <= far.min(initial=0.0) + _CLOSE)

    def drawn(self, person: int, known: int, rare: bool, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """So many ratings of a person: those that fewest rows fit, or any."""
        issues, values = self.given(person)
        order = rng.permutation(issues.size)
        if rare:
            counts = [self.count(int(issues[i]), float(values[i])) for i in order.tolist()]
            order = order[np.argsort(counts, kind="stable")]
        return issues[order[:known]], values[order[:known]]


def ratings_of(scene: Scene) -> RatingMatcher:
    """Shared by all attackers."""
    return scene.once("rating rows", lambda: RatingMatcher(scene.original, scene.view, published_by_issue(scene)))


def control_ratings(scene: Scene) -> RatingMatcher | None:
    """The same for people who are not in the file."""
    if scene.control is None:
        return None
    others = view_rows_of_control(scene.control, scene.original)
    shown = published_by_issue(scene)
    return scene.once("control rating rows", lambda: RatingMatcher(scene.original, scene.view, shown, others))
