"""How far published records are from what is known of a person: numbers by distance, names by whether they fit."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacit.attack.record_matching import RecordMatcher, one_code_a_text
from tacit.attack.records_known import known_columns, matcher_of
from tacit.attack.scene import Scene
from tacit.audits.coverage import Coverage, covers, equals
from tacit.audits.values import ends_of, number_of
from tacit.audits.views.columns import KnownColumn

_STEPS = 100_000_000
_AT_ONCE = 50_000
"""So many groups are computed with at once."""


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A column of numbers: the ends of each label, NaN if it has none, and the values of the people."""

    low: np.ndarray
    high: np.ndarray
    values: np.ndarray
    codes: np.ndarray  # which of the values each person has
    span: float

    def told(self, person: int, off: float, rng: np.random.Generator) -> float:
        """A person's number, so far off."""
        number = float(self.values[self.codes[person]])
        return number if np.isnan(number) else number + rng.uniform(-off, off) * self.span

    def far(self, number: float, labels: np.ndarray) -> np.ndarray:
        if np.isnan(number):
            return np.isfinite(self.low[labels]).astype(float)
        below, above = self.low[labels] - number, number - self.high[labels]
        return np.nan_to_num(np.maximum(np.maximum(below, above), 0.0) / self.span, nan=1.0, posinf=1.0, neginf=0.0)


@dataclass(frozen=True, eq=False)
class _Names:
    """A column of names: 0 if the label covers the value, else 1."""

    coverage: Coverage
    codes: np.ndarray
    seen: dict[int, np.ndarray] = field(default_factory=dict)

    def told(self, person: int, off: float, rng: np.random.Generator) -> float:
        """A person's value, which is known or not: nothing is off."""
        return float(self.codes[person])

    def far(self, value: float, labels: np.ndarray) -> np.ndarray:
        code, every = int(value), np.arange(self.coverage.same.size)
        if code not in self.seen:
            self.seen[code] = 1.0 - self.coverage.holds(np.full(every.size, code), every)
        return self.seen[code][labels]


@dataclass(frozen=True, eq=False)
class Apart:
    """Distances of groups of equal records from people."""

    matcher: RecordMatcher
    columns: tuple[_Numbers | _Names, ...]
    is_all: bool
    """Whether distances are 0 just where all values fit."""

    @property
    def most(self) -> int:
        return max(_STEPS // max(self.matcher.sizes.size * max(len(self.columns), 1), 1), 100)

    @property
    def has_numbers(self) -> bool:
        return any(isinstance(column, _Numbers) for column in self.columns)

    def closest(self, person: int, off: float, rng: np.random.Generator) -> np.ndarray:
        """The groups that are closest to a person; those that fit in every column, if values are known as they are."""
        if not off:
            fits = self.matcher.candidates(person)
            if fits.size:
                return fits
        far = self.groups(person, off, rng)
        return np.flatnonzero(far <= far.min() + 1e-12)

    def groups(self, person: int, off: float, rng: np.random.Generator) -> np.ndarray:
        """How far each group is; some at a time, so that what is computed with stays small."""
        far = np.zeros(self.matcher.sizes.size)
        for column, labels in zip(self.columns, self.matcher.labels, strict=True):
            number = column.told(person, off, rng)
            for first in range(0, far.size, _AT_ONCE):
                some = slice(first, first + _AT_ONCE)
                far[some] += column.far(number, labels[some])
        return far

    def records(self, person: int, off: float, rng: np.random.Generator) -> np.ndarray:
        return self.groups(person, off, rng)[self.matcher.group]


def apart_from(scene: Scene) -> Apart | None:
    """The distances in the columns that are known; None if there are none."""
    was, shown = known_columns(scene)
    if not was:
        return None
    columns: list[_Numbers | _Names] = []
    for column, cells in zip(was, shown, strict=True):
        _, texts = one_code_a_text(cells)
        is_number = column.numbers is not None and column.tree is None
        columns.append(_numbers(column, texts) if is_number else _names(column, texts))
    return Apart(matcher_of(scene), tuple(columns), True)


def _names(column: KnownColumn, texts: tuple[str, ...]) -> _Names:
    may_be_wider = column.said is not None or column.tree is not None
    return _Names((covers if may_be_wider else equals)(column, texts), column.codes)


def _numbers(column: KnownColumn, texts: tuple[str, ...]) -> _Numbers:
    assert column.numbers is not None
    low, high = np.full(len(texts), np.nan), np.full(len(texts), np.nan)
    code_of = {text: code for code, text in enumerate(column.cells.texts)} | dict(column.spellings)
    for index, text in enumerate(texts):
        ends = ends_of(text)
        if text == "*":
            low[index], high[index] = -np.inf, np.inf
        elif ends is not None:
            low[index] = _value(ends[0], column, code_of, -np.inf)
            high[index] = _value(ends[1], column, code_of, np.inf)
        else:
            low[index] = high[index] = _value(text, column, code_of, np.nan)
    known = column.numbers[np.flatnonzero(np.bincount(column.codes, minlength=column.numbers.size))]
    span = float(np.nanmax(known) - np.nanmin(known)) if np.isfinite(known).any() else 1.0
    return _Numbers(low, high, column.numbers, column.codes, span or 1.0)


def _value(text: str | None, column: KnownColumn, code_of: dict[str, int], otherwise: float) -> float:
    """A number as the column counts it: days are those of the original's count."""
    if text is None:
        return otherwise
    if text in code_of and column.numbers is not None:
        return float(column.numbers[code_of[text]])
    number = number_of(text)
    if number is None:
        return otherwise
    return float(number) + (4.0 if "-" in text[1:] and len(text) == 10 else 0.0)


def one_to_one(far: np.ndarray) -> np.ndarray:
    """For each row of a table of distances the column that is linked to it, at least total distance (Hungarian)."""
    from scipy.optimize import linear_sum_assignment

    _, column = linear_sum_assignment(far)
    return np.asarray(column)
