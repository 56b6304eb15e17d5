"""Whether a table seems to hold ratings: a survey with a column an issue, or a log with a row a rating.

What the columns are is judged by the first rows. What the ratings are, their scale and whether somebody rated an issue
twice, is taken from all rows: the job file must run on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.order import each_once
from tacit.init.vocabulary import topics_of
from tacit.io.text import as_text

LOOKED_AT = 20_000
"""By so many rows it is judged what a column is."""
_FEW_STEPS = 21
_MOST_STEPS = 101
"""A scale with more steps is written as a continuous one."""
_FEWEST_ISSUES = 5
_ALIKE = 0.25
"""The ends of continuous scales that are one differ by at most this share of it."""
_SAME = 0.6
"""Such a share of the columns of a survey has the very same scale."""
_SPARSE = 0.2
"""Where a smaller share of all that could be is rated, people hardly ever rated the same issues."""
_KEY, _NEARLY_KEY = 0.95, 0.5
"""Person and issue tell such a share of the rows apart; the lower one is enough if names speak for a log."""


class Scale(NamedTuple):
    """The lowest and highest rating and the step between two; 0: any value."""

    low: float
    high: float
    step: float


class RatingLog(NamedTuple):
    """The columns of a log with a row for each rating."""

    person: str
    issue: str
    rating: str

    @property
    def is_named(self) -> bool:
        """Whether a name speaks for it, and not only what is in the columns."""
        named_so = _speaks(self.person, "person") or _speaks(self.issue, "item") or self.person.lower().endswith("id")
        return _speaks(self.rating, "rating") and named_so


def _speaks(name: str, topic: str) -> bool:
    return topic in topics_of(name)


def guess_survey(table: pa.Table, missing: Collection[str], columns: Sequence[str]) -> list[str] | None:
    """Those of the columns that share a scale, of few steps or a continuous one, if they are half of the table."""
    head = table.slice(0, LOOKED_AT)
    enough = max(_FEWEST_ISSUES, table.num_columns // 2)
    scales = {name: scale for name in columns if (scale := _few_steps(head[name], missing)) is not None}
    if scales:
        common, alike = Counter(scales.values()).most_common(1)[0]
        issues = [name for name, scale in scales.items() if scale.low >= common.low and scale.high <= common.high]
        if len(issues) >= enough and alike >= _SAME * len(issues):
            return issues
    ends = {name: found for name in columns if (found := _slider(head[name], missing)) is not None}
    if len(ends) < enough:
        return None
    low, high = np.median(np.array(list(ends.values())), axis=0)
    issues = [
        name for name, each in ends.items() if max(abs(each[0] - low), abs(each[1] - high)) <= _ALIKE * (high - low)
    ]
    return issues if len(issues) >= enough else None


def scale_of_all(table: pa.Table, columns: Sequence[str], missing: Collection[str]) -> Scale | None:
    """The scale of all ratings of some columns; None if there is none, or one is no number.

    The ends of a continuous scale are rounded outwards: they are hardly ever in the data.
    """
    met = [numbers_of(values_of(pa.chunked_array([pc.unique(as_text(table[name]))]), missing)) for name in columns]
    numbers = np.concatenate([each for each in met if each is not None] or [np.empty(0)])
    steps = np.unique(numbers[np.isfinite(numbers)])
    if not steps.size or any(each is None for each in met):
        return None
    low, high = float(steps[0]), float(steps[-1])
    step = _step(steps)
    if step is not None and (high - low) / step < _MOST_STEPS:
        return Scale(low, high, step)
    unit = Decimal(1).scaleb(Decimal(repr(high - low)).adjusted() - 1)
    least = (Decimal(repr(low)) / unit).to_integral_value(ROUND_FLOOR) * unit
    most = (Decimal(repr(high)) / unit).to_integral_value(ROUND_CEILING) * unit
    return Scale(float(least), float(most), 0.0)


def _few_steps(column: pa.ChunkedArray, missing: Collection[str]) -> Scale | None:
    """The scale of a column of ratings: few steps, evenly spaced."""
    numbers = numbers_of(values_of(column, missing))
    if numbers is None or numbers.size == 0:
        return None
    steps = np.unique(numbers)
    step = _step(steps) if 2 < steps.size <= _FEW_STEPS else None
    if step is not None and 2 * steps.size < (steps[-1] - steps[0]) / step:  # 1, 2 and 9 are codes, and no scale
        return None
    return None if step is None else Scale(float(steps[0]), float(steps[-1]), step)


def _step(steps: np.ndarray) -> float | None:
    """The step between different numbers, ascending, if they are evenly spaced; a number alone has steps of 1."""
    if steps.size == 1:
        return 1.0
    step = float(f"{np.diff(steps).min():.12g}")
    on_grid = np.abs(np.round((steps - steps[0]) / step) * step - (steps - steps[0])) < 1e-9
    return step if on_grid.all() else None


def _slider(column: pa.ChunkedArray, missing: Collection[str]) -> tuple[float, float] | None:
    """The ends of a column that looks like a continuous rating: many values, with one or two decimals."""
    numbers = numbers_of(values_of(column, missing))
    if numbers is None or np.unique(numbers).size <= _FEW_STEPS or not np.isfinite(numbers).all():
        return None
    has_decimals = bool(np.any(numbers % 1)) and bool(np.all(np.abs(numbers * 100 - np.round(numbers * 100)) < 1e-6))
    return (float(numbers.min()), float(numbers.max())) if has_decimals else None


def guess_log(table: pa.Table, missing: Collection[str], columns: Sequence[str]) -> RatingLog | None:
    """Who rated what, and how: by the names of columns, and where they do not tell, by what is in them.

    The rating is a column with a scale, or with numbers and a name for ratings. Person and issue are two columns in
    which values come back, but hardly ever both together, if no name speaks for them; a time is neither. Logs are
    sorted by person more often than by issue, so of two columns that the names do not tell apart, the person is the
    one that changes less often from row to row; of equals, the first.
    """
    head = table.slice(0, LOOKED_AT)
    columns = [name for name in columns if not _speaks(name, "date") and not _speaks(name, "year")]
    codes = {name: np.unique(as_text(head[name]).fill_null("").to_pylist(), return_inverse=True)[1] for name in columns}
    repeated = [name for name in columns if codes[name].max(initial=0) + 1 < 0.9 * head.num_rows]
    ratings = [name for name in repeated if _few_steps(head[name], missing) is not None]
    ratings += [
        name for name in columns if name not in ratings and _speaks(name, "rating") and _is_number(head[name], missing)
    ]
    for rating in sorted(ratings, key=lambda name: not _speaks(name, "rating")):
        others = [name for name in repeated if name != rating]
        different = {pair: _told_apart(codes[pair[0]], codes[pair[1]]) for pair in permutations(others, 2)}
        pairs = [pair for pair, share in different.items() if share >= _KEY] or [
            pair for pair, share in different.items() if share >= _NEARLY_KEY and RatingLog(*pair, rating).is_named
        ]
        if pairs:
            return RatingLog(*min(pairs, key=lambda pair: _unlikeness(pair[0], pair[1], codes)), rating)
    return None


def repeated_ratings(table: pa.Table, log: RatingLog) -> int:
    """How many rows of a log rate an issue that the same person rates in another row, too."""
    person, issue = (_codes(table[name]) for name in (log.person, log.issue))
    rated = issue >= 0
    keys = (person * (int(issue.max(initial=0)) + 1) + issue)[rated]
    return int(keys.size - each_once(keys).size)


def known_ratings(table: pa.Table, log: RatingLog) -> int:
    """How many issues somebody rated at most, of a log in which people rate few of many; 0 for other ones."""
    person, issue = (_codes(table[name]) for name in (log.person, log.issue))
    rated = issue >= 0
    issues = int(issue.max(initial=-1)) + 1
    keys = each_once((person * max(issues, 1) + issue)[rated])
    people = int(person.max(initial=-1)) + 1
    if keys.size >= _SPARSE * people * issues:
        return 0
    return int(np.bincount(keys // max(issues, 1)).max(initial=0))


def _codes(column: pa.ChunkedArray) -> np.ndarray:
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    indices = [pc.fill_null(chunk.indices.cast(pa.int64()), -1) for chunk in encoded.unify_dictionaries().chunks]
    return np.concatenate([np.empty(0, np.int64), *(each.to_numpy() for each in indices)])


def values_of(column: pa.ChunkedArray, missing: Collection[str]) -> pa.ChunkedArray:
    """The texts of a column, without those that mean "no value"."""
    text = as_text(column)
    return text.filter(pc.invert(pc.is_in(text, value_set=pa.array(sorted(missing), text.type)))).drop_null()


def numbers_of(values: pa.ChunkedArray) -> np.ndarray | None:
    """Texts as numbers; None if some are none."""
    try:
        return pc.cast(values, pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None


def _is_number(column: pa.ChunkedArray, missing: Collection[str]) -> bool:
    numbers = numbers_of(values_of(column, missing))
    return numbers is not None and np.unique(numbers).size > 2 and bool(np.isfinite(numbers).all())


def _told_apart(one: np.ndarray, other: np.ndarray) -> float:
    """The share of rows that two columns together tell apart."""
    different = each_once(one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other).size
    return different / max(one.size, 1)


def _unlikeness(person: str, issue: str, codes: Mapping[str, np.ndarray]) -> tuple[int, int, int]:
    """How little two columns look like a person and an issue: by their names, then by how often the person changes."""
    named = _speaks(person, "person") + _speaks(issue, "item")
    swapped = _speaks(issue, "person") + _speaks(person, "item")
    return swapped - named, int(np.count_nonzero(np.diff(codes[person]))), list(codes).index(person)
