"""Ratings as integer arrays with their vocabulary: from a survey (one column an issue) or a log (one row a rating)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacit.arrays.labels import places_in
from tacit.arrays.order import Content, Lists
from tacit.arrays.reading import codes_beside
from tacit.arrays.sparse import keep_where, take_all_rows
from tacit.arrays.spellings import all_spellings
from tacit.errors import InputError
from tacit.io.text import as_text, no_text
from tacit.job import Column, Job
from tacit.job.checks import require_columns
from tacit.job.places import place_of
from tacit.ratings.codes import coded, distinct, from_zero, issues_in_order
from tacit.ratings.scale import (
    Scale,
    check_scale,
    common_unit,
    find_scale,
    finest_part,
    read_number,
    ticks,
    with_round_ends,
)
from tacit.ratings.solvers.grid import GridColumn, decimals_of_means, find_grid, rounded_scale
from tacit.ratings.solvers.problem import Problem
from tacit.ratings.spelling import Style, style_of
from tacit.taxonomy.nodes import first_few

DUPLICATES = ("error", "mean", "last")
"""What may be done if a person rated an issue twice."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Person p rated issues[indptr[p]:indptr[p + 1]], ascending, by values in units above the lowest rating of each.

    A unit is `unit` ticks of 10^-`decimals`. Arrays with one entry an issue say what its scale is, in units.
    """

    indptr: np.ndarray  # int64
    issues: np.ndarray  # int32
    values: np.ndarray  # int16, or int64 where that is too small
    names: tuple[str, ...]
    scales: tuple[Scale, ...]  # of each issue
    is_sensitive: np.ndarray  # bool per issue: sensitive
    is_free: np.ndarray  # bool per issue: epsilon is as large as its scale, so that nothing tells people apart
    low: np.ndarray  # int64 per issue, in ticks
    reach: np.ndarray  # int64 per issue, in units; so are the next two
    null: np.ndarray
    top: np.ndarray
    step: np.ndarray  # int64 per issue, in units; 1 where the scale is continuous
    unit: int
    decimals: int
    styles: tuple[Style, ...]  # of each rating column
    persons: pa.Array | None  # of a long layout
    notes: tuple[str, ...] = ()
    fill: bool = False
    given: Mapping[int, tuple[Decimal, ...]] = field(default_factory=dict)
    """The different ratings of a sensitive column of a survey, ascending: its values are places in that."""
    plain: tuple[pa.ChunkedArray, ...] = ()
    """Columns of a survey that are published as they are."""

    def __len__(self) -> int:
        return self.indptr.size - 1

    def content(self) -> Content:
        """All ratings, and what is published beside them."""
        rated = [(self.issues, len(self.names)), from_zero(self.values)]
        return Content(len(self), lists=Lists(self.indptr, rated), beside=codes_beside(self.plain))

    def at(self, order: np.ndarray) -> Ratings:
        """The people of these numbers, without what no method looks at."""
        indptr, issues, values = take_all_rows(self.indptr, [self.issues, self.values], order)
        persons = None if self.persons is None else self.persons.take(pa.array(order))
        return replace(self, indptr=indptr, issues=issues, values=values, persons=persons, plain=())

    @property
    def is_known(self) -> np.ndarray:
        """Per issue: whether an attacker may tell people apart by it."""
        return ~(self.is_sensitive | self.is_free)

    @property
    def free_issues(self) -> int:
        """How many issues that are not sensitive the promise says nothing about."""
        return int(np.count_nonzero(self.is_free & ~self.is_sensitive))

    @property
    def is_all_free(self) -> bool:
        """Whether any two people are close by definition."""
        return self.free_issues > 0 and not bool(self.is_known.any())

    def problem(self, k: int, fill: bool) -> Problem:
        """What a method works on: the ratings an attacker may know. Issues keep their codes."""
        known = self.is_known
        stays = np.ones(0, bool) if known.all() else known[self.issues]
        if known.all():
            indptr, issues, values = self.indptr, self.issues, self.values
        else:
            indptr, issues = keep_where(self.indptr, self.issues, stays)
            values = self.values if issues is self.issues else self.values[stays]
        is_even = np.array([scale.step is not None for scale in self.scales], bool)
        return Problem(indptr, issues, values, self.reach, self.null, self.top, k, fill, self.step, is_even)

    def numbers(self, issues: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Ratings of these issues as plain numbers; where all issues begin alike, read off a table."""
        alike = not self.given and (not self.low.size or self.low.min() == self.low.max())
        if alike and values.dtype == np.int16:
            start, stop = int(values.min(initial=0)), int(values.max(initial=0)) + 1
            table = (self.low[:1] + self.unit * np.arange(start, stop)) / 10.0**self.decimals
            return table[values - start] if start else table[values]
        found = (self.low[issues] + self.unit * values.astype(np.int64)) / 10.0**self.decimals
        for issue, given in self.given.items():
            here = issues == issue
            found[here] = np.array([float(number) for number in given])[values[here]]
        return found

    def number_of(self, issue: int, value: int) -> Decimal:
        """A rating as users write it."""
        if issue in self.given:
            return self.given[issue][int(value)]
        return Decimal(int(self.low[issue]) + self.unit * int(value)).scaleb(-self.decimals)


class _Cells(NamedTuple):
    """A rating column: for each row the code of its distinct value (−1: none), and what those are."""

    column: Column
    codes: np.ndarray
    texts: tuple[str, ...]
    numbers: tuple[Decimal, ...]
    kind: pa.DataType


def read_ratings(table: pa.Table, job: Job) -> Ratings:
    """The ratings of the job's input."""
    promise: Any = job.promise  # with ε, unless ranges are published
    columns = job.columns_with("rating")
    is_long = job.input.layout == "long"
    named = (*job.columns_with("person"), *job.columns_with("items")) if is_long else ()
    source = job.input.source
    require_columns(table, (*columns, *named), source)
    if is_long and columns[0].sensitive:
        hint = f"List the sensitive issues as `sensitive = [...]` of the column {named[-1].name!r} instead."
        problem = "`sensitive = true` stands with the ratings of a long layout, which are of many issues"
        raise InputError(problem, file=job.file, column=columns[0].name, hint=hint)
    read = [_read_column(table[column.name], column, job, source) for column in columns]
    scales, notes = _scales(read, job, source)
    read = [_in_order(cells) for cells in read]
    if is_long:
        shape = _long_shape(table, job, read[0], source)
    else:
        _check_persons(table, job, source)
        shape = _wide_shape(read)
    data = _encoded(read, shape, scales, promise, notes, job, source)
    return replace(data, plain=tuple(table[each.name] for each in job.columns_with("plain")))


class _Shape(NamedTuple):
    """Ratings sorted by person and issue: codes[i] is the distinct value, in the column of its issue."""

    indptr: np.ndarray
    issues: np.ndarray
    codes: np.ndarray  # numbers of distinct values, in the column of the issue
    names: tuple[str, ...]
    is_sensitive: np.ndarray
    persons: pa.Array | None
    merged: np.ndarray | None = None  # with duplicates = "mean": codes[i] belongs to rating merged[i]
    notes: tuple[str, ...] = ()


def _read_column(cells: pa.ChunkedArray, column: Column, job: Job, source: str | Path) -> _Cells:
    if pa.types.is_nested(cells.type):
        raise no_text(cells.type)
    joined, values = distinct(cells)
    texts = as_text(values).to_pylist()
    none = {None, "", *job.input.missing, *(("nan",) if pa.types.is_floating(values.type) else ())}
    kept = [code for code, text in enumerate(texts) if text not in none and text.strip()]
    renumbered = np.full(len(texts) + 1, -1, np.int32)
    renumbered[kept] = np.arange(len(kept))
    numbers = [number for code in kept if (number := read_number(texts[code])) is not None]
    if len(numbers) < len(kept):
        odd = next(i for i, text in enumerate(kept) if read_number(texts[text]) is None)
        wrong = int(np.flatnonzero(renumbered[joined] == odd)[0])
        hint = "Ratings are numbers such as 4 or 3.5; list what means 'not rated' in `missing` under [input]."
        raise _mistake("a rating is not a number", wrong, job, source, column, hint)
    return _Cells(
        column,
        renumbered[joined],
        tuple(texts[code] for code in kept),
        tuple(numbers),
        values.type,
    )


def _in_order(cells: _Cells) -> _Cells:
    """The same with the different values by their numbers, those of one number by their texts."""
    order = sorted(range(len(cells.texts)), key=lambda i: (cells.numbers[i], cells.texts[i]))
    if order == list(range(len(order))):
        return cells
    code = np.append(places_in(np.array(order)), np.int32(-1))
    return cells._replace(
        codes=code[cells.codes],
        texts=tuple(map(cells.texts.__getitem__, order)),
        numbers=tuple(map(cells.numbers.__getitem__, order)),
    )


def _mistake(problem: str, row: int, job: Job, source: str | Path, column: Column, hint: str) -> InputError:
    """What is wrong with a row, told by its line in a text file."""
    words, line = place_of(row, job.input, source)
    return InputError(problem if line else problem + words, file=source, line=line, column=column.name, hint=hint)


def _scales(read: Sequence[_Cells], job: Job, source: str | Path) -> tuple[list[Scale], list[str]]:
    """The scale of every column; columns that say nothing of theirs share one, guessed from all of them."""
    promise: Any = job.promise
    notes: list[str] = []
    by_spec: dict[tuple[tuple[float, float] | None, float | None], Scale] = {}
    scales = []
    for cells in read:
        spec = (cells.column.scale, cells.column.step)
        if spec not in by_spec:
            met = {number for each in read if (each.column.scale, each.column.step) == spec for number in each.numbers}
            try:
                found = find_scale(met, *spec)
            except InputError as error:
                file = source if spec[0] is None else job.file
                raise InputError(error.problem, file=file, column=cells.column.name, hint=error.hint) from None
            by_spec[spec] = with_round_ends(found) if promise.shows_ranges else found
            if None in spec:
                notes.append(f"scale of the ratings, as far as it is not given, guessed from the data: {by_spec[spec]}")
        wrong = check_scale(cells.numbers, by_spec[spec])
        if wrong is not None:
            row = int(np.flatnonzero(cells.codes == cells.numbers.index(wrong[0]))[0])
            hint = "Correct the rating, or `scale` and `step` of the column in the job file."
            raise _mistake(f"a rating {wrong[1]}", row, job, source, cells.column, hint)
        scales.append(by_spec[spec])
    return scales, notes


def _check_persons(table: pa.Table, job: Job, source: str | Path) -> None:
    """A row of a survey is a person: nobody may have two."""
    for column in job.columns_with("person"):
        require_columns(table, (column,), source)
        person, _ = coded(table[column.name], job.input.missing)
        rows = np.flatnonzero(person >= 0)
        _, first = np.unique(person[rows], return_index=True)
        if first.size < rows.size:
            second = int(np.delete(rows, first)[0])
            more = rows.size - first.size
            such = "is 1 such row" if more == 1 else f"are {more:,} such rows"
            problem = f"a person has two rows (there {such})"
            hint = "A row of the wide layout is a person: join the rows of a person, or take one of them out."
            raise _mistake(problem, second, job, source, column, hint)


def _wide_shape(read: Sequence[_Cells]) -> _Shape:
    """One column an issue: a row is a person."""
    rows = read[0].codes.size
    rated = np.zeros(rows + 1, np.int64)
    for cells in read:
        rated[1:] += cells.codes >= 0
    indptr = np.cumsum(rated)
    issues, codes = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int32)
    at = indptr[:-1].copy()
    for issue, cells in enumerate(read):
        here = cells.codes >= 0
        issues[at[here]], codes[at[here]] = issue, cells.codes[here]
        at += here
    names = tuple(cells.column.name for cells in read)
    return _Shape(indptr, issues, codes, names, np.array([cells.column.sensitive for cells in read], bool), None)


def _long_shape(table: pa.Table, job: Job, ratings: _Cells, source: str | Path) -> _Shape:
    """One row a rating. A row without an issue or a rating makes its person known, if only without any."""
    person_column, items = job.columns_with("person")[0], job.columns_with("items")[0]
    person, ids = coded(table[person_column.name], job.input.missing)
    if person.size and person.min() < 0:
        hint = "Every row of the long layout belongs to a person: fill the id in, or take the row out."
        raise _mistake("the row has no person id", int(person.argmin()), job, source, person_column, hint)
    issue, labels = coded(table[items.name], job.input.missing)
    issue, names = issues_in_order(issue, as_text(labels))
    meant = all_spellings(items.sensitive_items, names) if items.fold else items.sensitive_items
    is_sensitive = np.array([name in set(meant) for name in names], bool)
    held = [name for name, stays in zip(names, is_sensitive.tolist(), strict=True) if stays]
    absent = sorted(set(items.sensitive_items) - set(all_spellings(held, meant) if items.fold else held))
    if absent and names:
        raise InputError(
            f"`sensitive` lists {first_few(absent)}, which nobody rated",
            file=job.file,
            column=items.name,
            hint="Correct the spelling, or take it out of the list.",
        )
    rated = (issue >= 0) & (ratings.codes >= 0)
    left_out = int(np.count_nonzero((issue < 0) & (ratings.codes >= 0)))
    notes = (f"ratings of no issue, left out: {left_out:,}",) if left_out else ()
    rows = np.flatnonzero(rated)
    key = person[rows].astype(np.int64)  # in place: the largest logs have a hundred million ratings
    key *= max(len(names), 1)
    key += issue[rows]
    if np.any(key[1:] <= key[:-1]):
        order = np.argsort(key, kind="stable")
        key, rows = key[order], rows[order]
    is_last = np.append(key[1:] != key[:-1], True)[: key.size]
    repeated = int(key.size - np.count_nonzero(is_last))
    policy = str(job.method.options.get("duplicates", "error"))
    if repeated and policy == "error":
        hint = 'Take one of the ratings out, or set duplicates = "last" or "mean" under [method].'
        such = "is 1 such rating" if repeated == 1 else f"are {repeated:,} such ratings"
        problem = f"a person rated an issue twice (there {such})"
        second = int(rows[int(is_last.argmin()) + 1])
        raise _mistake(problem, second, job, source, ratings.column, hint)
    merged = None
    codes = ratings.codes[rows]
    if repeated:
        notes = (*notes, f"ratings of an issue by a person who had rated it before: {repeated:,}; {policy} was taken")
        if policy == "mean":
            merged = np.cumsum(is_last) - is_last
        else:
            codes = codes[is_last]
        rows = rows[is_last]
    indptr = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(np.bincount(person[rows], minlength=len(ids)), out=indptr[1:])
    return _Shape(indptr, issue[rows].astype(np.int32), codes, names, is_sensitive, ids, merged, notes)


def _encoded(
    read: Sequence[_Cells],
    shape: _Shape,
    column_scales: Sequence[Scale],
    promise: Any,
    notes: Sequence[str],
    job: Job,
    source: str | Path,
) -> Ratings:
    """Everything in whole units: the largest that divides all steps, or a tick where a scale is continuous."""
    epsilon = finest_part(column_scales) if promise.shows_ranges else Decimal(str(promise.eps))
    given = {
        issue: tuple(sorted(set(cells.numbers)))
        for issue, cells in enumerate(read)
        if shape.persons is None and cells.column.sensitive
    }
    columns = {
        issue: GridColumn(cells.column.name, scale, cells.numbers, pa.types.is_floating(cells.kind))
        for issue, (cells, scale) in enumerate(zip(read, column_scales, strict=True))
        if issue not in given
    }
    cells_in_all = (shape.indptr.size - 1) * len(shape.names)
    merged = shape.merged  # makes ratings that are written nowhere
    spare = 0 if merged is None or column_scales[0].step is not None else decimals_of_means(np.bincount(merged))
    decimals, rounded = find_grid(list(columns.values()), epsilon, cells_in_all, source, spare=spare)
    counted = [rounded_scale(each, decimals) if i in columns else each for i, each in enumerate(column_scales)]
    scales = tuple(counted) * (1 if shape.persons is None else len(shape.names))
    different = list(dict.fromkeys(counted[issue] for issue in columns))
    is_exact = any(scale.step is None for scale in different)
    unit = 1 if is_exact else common_unit([ticks(scale.null_step, decimals) for scale in different])
    by_scale = {scale: _in_units(scale, epsilon, decimals, unit) for scale in different}
    units = [_UNCOUNTED if issue in given else by_scale[scale] for issue, scale in enumerate(scales)]
    low, reach, null, top, step = np.array(units, np.int64).reshape(-1, 5).T.copy()
    values = _values(read, shape, low, decimals, unit, given)
    small = max(abs(int(each)) for each in (*reach, *null, *top, 0, values.max(initial=0), values.min(initial=0)))
    told: tuple[str, ...] = ()
    if rounded:
        told = (f"ratings with more digits than can be counted, rounded to {decimals} decimals: {first_few(rounded)}",)
    styles = tuple(style_of(cells.texts, cells.numbers, cells.kind, decimals) for cells in read)
    return Ratings(
        shape.indptr, shape.issues, values.astype(np.int16 if small < 8_000 else np.int64), shape.names, scales,
        shape.is_sensitive, reach >= top - null, low, reach, null, top, step, unit, decimals,
        styles, shape.persons, (*notes, *told, *shape.notes),
        bool(job.method.options.get("fill", False)), given,
    )  # fmt: skip


_UNCOUNTED = (0, 0, -1, 0, 1)
"""What stands for the scale of a sensitive column of a survey, whose values count nothing."""


def _in_units(scale: Scale, epsilon: Decimal, decimals: int, unit: int) -> tuple[int, int, int, int, int]:
    """(lowest rating in ticks, reach, null, highest rating, step); epsilon is rounded down to whole steps, if any."""
    null_step, apart = ticks(scale.null_step, decimals), ticks(scale.apart, decimals)
    step = unit if scale.step is None else null_step
    reach = min(int(epsilon.scaleb(decimals)), apart) // step * step
    top = ticks(scale.high, decimals) - ticks(scale.low, decimals)
    return ticks(scale.low, decimals), reach // unit, -null_step // unit, top // unit, step // unit


def _values(
    read: Sequence[_Cells],
    shape: _Shape,
    low: np.ndarray,
    decimals: int,
    unit: int,
    given: Mapping[int, Sequence[Decimal]],
) -> np.ndarray:
    """Each rating in units above the lowest of its issue, or its place among those that are given."""
    starts = np.cumsum([0, *(len(cells.numbers) for cells in read)])
    counted: list[int] = []
    for issue, cells in enumerate(read):
        if issue in given:
            places = {number: place * unit for place, number in enumerate(given[issue])}
            counted += [places[number] for number in cells.numbers]
        else:
            counted += [ticks(number, decimals) for number in cells.numbers]
    whole = np.array(counted, np.int64)
    if len(read) == 1:
        code, lowest = shape.codes, low[0] if low.size else 0
    else:
        code, lowest = shape.codes + starts[shape.issues], np.repeat(low, np.diff(starts))
    values = ((whole - lowest) // unit)[code]
    if shape.merged is not None:  # only of a long layout; the mean is rounded to a whole unit, a half of one up
        times = np.bincount(shape.merged)
        sums = np.add.reduceat(values, np.cumsum(times) - times)
        values = (2 * sums + times) // (2 * times)
    return values
