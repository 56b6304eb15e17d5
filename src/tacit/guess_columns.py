"""What the columns of a table of persons seem to be: identifiers, quasi-identifiers, sensitive values, ratings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.encode import is_list
from tacit.io.text import as_text

_LOOKED_AT = 20_000
_MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
_IDENTIFIER = re.compile(r"name$|^id$|_id$|[a-z]ID$|number$|_nbr$|ssn|passport|e-?mail|phone|address|insurance", re.I)
_SENSITIVE = re.compile(
    "disease|diagnos|illness|severity|salary|income|occupation|religion|politic|hiv|cancer|outcome|readmit|verdict",
    re.I,
)
_RATING = re.compile("rating|stars|score|vote|grade", re.I)
_PERSON = re.compile("pers|user|customer|client|patient|member|visitor|viewer|review|rater|respond|^who$|^subj", re.I)
_ISSUE = re.compile("item|issue|product|article|movie|film|book|song|page|question|title|business|track", re.I)
_TIME = re.compile("time|date|^ts$|stamp|^when$|^year$|^day$", re.I)
_FEW_STEPS = 21
_FEWEST_ISSUES = 5


class ColumnGuess(NamedTuple):
    """A role, the type of the values, and why."""

    name: str
    role: str
    type: str
    why: str
    distinct: int


class Scale(NamedTuple):
    """The lowest and highest rating and the step between two."""

    low: float
    high: float
    step: float


class RatingLog(NamedTuple):
    """The columns of a log with a row for each rating."""

    person: str
    issue: str
    rating: str
    scale: Scale

    @property
    def is_named(self) -> bool:
        """Whether a name speaks for it, and not only what is in the columns."""
        named_so = _PERSON.search(self.person) or _ISSUE.search(self.issue) or self.person.lower().endswith("id")
        return bool(_RATING.search(self.rating) and named_so)


def missing_markers(table: pa.Table) -> list[str]:
    """The usual ways to write "no value" that stand in the table."""
    head = table.slice(0, _LOOKED_AT)
    found = {
        marker
        for column in head.columns
        if not is_list(column.type)
        for marker in _MISSING
        if pc.any(pc.equal(as_text(column), marker)).as_py()
    }
    return ["", *sorted(found - {""})]


def guess_columns(table: pa.Table, missing: Collection[str]) -> list[ColumnGuess]:
    """A guess for every column that holds one value a person."""
    head = table.slice(0, _LOOKED_AT)
    return [_guess(name, head[name], missing) for name in head.column_names if not is_list(head[name].type)]


def _guess(name: str, column: pa.ChunkedArray, missing: Collection[str]) -> ColumnGuess:
    values = _values(column, missing)
    distinct = pc.count_distinct(values).as_py()
    kind = "number" if len(values) and _numbers(values) is not None else "category"
    unique = distinct > 0.9 * len(values) and len(values) >= 20
    if distinct > 0.5 * len(values) and _IDENTIFIER.search(name):
        role, why = "identifier", "named like one, and most people have another"
    elif unique and (kind == "category" or _counts_up(values)):
        role, why = "identifier", "nearly every person has another value"
    elif _SENSITIVE.search(name):
        role, why = "sensitive", "named like something to learn of a person"
    else:
        role, why = "quasi", "may be known of a person"
    return ColumnGuess(name, role, kind, why, distinct)


def _counts_up(values: pa.ChunkedArray) -> bool:
    """Whether whole numbers lie so close that they number the rows."""
    numbers = _numbers(values)
    return numbers is not None and bool(np.all(numbers % 1 == 0)) and np.ptp(numbers) < 2 * numbers.size


def guess_scale(table: pa.Table, missing: Collection[str]) -> tuple[list[str], Scale] | None:
    """The columns of a survey that share a scale of few steps, if there are enough of them."""
    head = table.slice(0, _LOOKED_AT)
    scales: dict[str, Scale] = {}
    for name in head.column_names:
        if not is_list(head[name].type) and (scale := scale_of(head[name], missing)) is not None:
            scales[name] = scale
    if not scales:
        return None
    common, _ = Counter(scales.values()).most_common(1)[0]
    issues = [name for name, scale in scales.items() if scale.low >= common.low and scale.high <= common.high]
    return (issues, common) if len(issues) >= max(_FEWEST_ISSUES, table.num_columns // 2) else None


def scale_of(column: pa.ChunkedArray, missing: Collection[str]) -> Scale | None:
    """The scale of a column of ratings: few steps, evenly spaced."""
    numbers = _numbers(_values(column, missing))
    if numbers is None or numbers.size == 0:
        return None
    steps = np.unique(numbers)
    if not 2 < steps.size <= _FEW_STEPS:
        return None
    step = float(np.diff(steps).min())
    on_grid = np.abs(np.round((steps - steps[0]) / step) * step - (steps - steps[0])) < 1e-9
    return Scale(float(steps[0]), float(steps[-1]), step) if on_grid.all() else None


def guess_log(table: pa.Table, missing: Collection[str]) -> RatingLog | None:
    """Who rated what, and how: by the names of columns, and where they do not tell, by what is in them.

    The rating is a column with a scale. Person and issue are two columns in which values come back, but hardly ever
    both together; a time is neither. Logs are sorted by person more often than by issue, so of two columns that the
    names do not tell apart, the person is the one that changes less often from row to row; of equals, the first.
    """
    head = table.slice(0, _LOOKED_AT)
    columns = [name for name in head.column_names if not is_list(head[name].type) and not _TIME.search(name)]
    codes = {name: np.unique(as_text(head[name]).fill_null("").to_pylist(), return_inverse=True)[1] for name in columns}
    repeated = [name for name in columns if codes[name].max(initial=0) + 1 < 0.9 * head.num_rows]
    scales = {name: scale for name in repeated if (scale := scale_of(head[name], missing)) is not None}
    for rating in sorted(scales, key=lambda name: not _RATING.search(name)):
        others = [name for name in repeated if name != rating]
        pairs = [(one, other) for one, other in permutations(others, 2) if _are_key(codes[one], codes[other])]
        if pairs:
            person, issue = min(pairs, key=lambda pair: _unlikeness(pair[0], pair[1], codes))
            return RatingLog(person, issue, rating, scales[rating])
    return None


def _are_key(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two columns together tell nearly all rows apart."""
    different = np.unique(one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other).size
    return different >= 0.95 * one.size


def _unlikeness(person: str, issue: str, codes: Mapping[str, np.ndarray]) -> tuple[int, int, int]:
    """How little two columns look like a person and an issue: by their names, then by how often the person changes."""
    named = bool(_PERSON.search(person)) + bool(_ISSUE.search(issue))
    swapped = bool(_PERSON.search(issue)) + bool(_ISSUE.search(person))
    return swapped - named, int(np.count_nonzero(np.diff(codes[person]))), list(codes).index(person)


def _values(column: pa.ChunkedArray, missing: Collection[str]) -> pa.ChunkedArray:
    text = as_text(column)
    return text.filter(pc.invert(pc.is_in(text, value_set=pa.array(sorted(missing), text.type)))).drop_null()


def _numbers(values: pa.ChunkedArray) -> np.ndarray | None:
    try:
        return pc.cast(values, pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
