"""Ratings: what a stranger reads in a published survey or rating log, and the original that it is compared with."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.audits.values import ends_of
from tacit.audits.views import scales as exact
from tacit.audits.views.beside import NOTHING, Beside
from tacit.audits.views.cells import different_values, flags
from tacit.audits.views.middles import as_ranges
from tacit.audits.views.scales import Scale, decimals_of, finest_part, read_rating, scale_of, ticks
from tacit.audits.views.spellings import declared
from tacit.errors import InputError
from tacit.io.text import as_text, no_text
from tacit.job.checks import require_columns
from tacit.job.model import Column, Job
from tacit.job.places import place_of
from tacit.taxonomy import Taxonomy

_SMALL = 2**14
"""Ratings below that are kept in 16 bits."""
Places = slice | np.ndarray
EVERYWHERE = slice(None)


@dataclass(frozen=True, eq=False)
class RatingView:
    """Published ratings: person p rated issues[starts[p]:starts[p + 1]], ascending, by values in ticks."""

    kind_of_data: ClassVar[str] = "ratings"
    starts: np.ndarray  # int64
    issues: np.ndarray  # int32
    values: np.ndarray  # int16 or int64, in ticks of 10^-decimals
    names: tuple[str, ...]  # of the issues
    scales: tuple[Scale, ...]  # of each issue
    is_sensitive: np.ndarray  # bool per issue
    decimals: int
    given: Mapping[int, tuple[Decimal, ...]] = field(default_factory=dict)
    """The different ratings of a sensitive column of a survey: its values are places in that."""
    declares_sensitive: bool = False  # whether the job does, be such ratings in the file or not
    tops: np.ndarray | None = None
    """The upper ends of ratings published as ranges, whose lower ends are `values`; None: all are numbers."""
    beside: Beside = NOTHING

    def __len__(self) -> int:
        return len(self.starts) - 1

    def number_of(self, issue: int, value: int) -> Decimal:
        """A rating as users write it."""
        if issue in self.given:
            return self.given[issue][int(value)]
        return Decimal(int(value)).scaleb(-self.decimals)

    def numbers(self, at: Places = EVERYWHERE) -> np.ndarray:
        """Ratings as plain numbers (float64), all or those at some places; a range counts as its middle."""
        found = self.numbers_at(self.values, at)
        return found if self.tops is None else (found + self.numbers_at(self.tops, at)) / 2

    def numbers_at(self, ends: np.ndarray | None, at: Places = EVERYWHERE) -> np.ndarray:
        """The lower or upper ends of ratings as plain numbers; None: those are the same."""
        values = (self.values if ends is None else ends)[at]
        found = values / 10.0**self.decimals
        for issue, numbers in self.given.items():
            here = self.issues[at] == issue
            found[here] = np.array([float(number) for number in numbers])[values[here]]
        return found


@dataclass(frozen=True, eq=False)
class RatingOriginal:
    """The ratings that were published: person p rated issues[starts[p]:starts[p + 1]], ascending."""

    starts: np.ndarray
    issues: np.ndarray
    numbers: np.ndarray  # float64
    names: tuple[str, ...]
    scales: tuple[Scale, ...]  # of each issue
    is_sensitive: np.ndarray  # bool per issue
    is_long: bool  # all issues are in one column
    may_fill: bool  # ratings may be shown that nobody gave
    is_mean: np.ndarray | None  # bool per rating: it is the mean of several; None: none is
    shown: str | None = None  # how ranges are published; None: there are none

    def __len__(self) -> int:
        return len(self.starts) - 1


class _Ratings(NamedTuple):
    """A rating column: for each row the code of its rating among the different ones (−1: none), and what they are."""

    column: Column
    codes: np.ndarray
    numbers: tuple[Decimal, ...]
    tops: tuple[Decimal, ...]  # the same, but for ranges, of which `numbers` are the lower ends


class _Table(NamedTuple):
    """The ratings of a table by person and issue: codes[i] is that of a rating in the column of its issue."""

    starts: np.ndarray
    issues: np.ndarray
    codes: np.ndarray
    names: tuple[str, ...]
    is_sensitive: np.ndarray
    repeated: np.ndarray | None = None  # which ratings are followed by one of the same person and issue


def read_view(table: pa.Table, job: Job, source: str | Path | None) -> RatingView:
    """A published table as it is: ratings off the scale are compared as they stand, sensitive issues may be absent."""
    is_long, file = job.input.layout == "long", source or job.input.source
    columns = _read_columns(table, job, file, ranges=job.promise.shows_ranges)
    scales = _scales(columns, job, file)
    rated = _long(table, job, columns[0], file, published=True) if is_long else _wide(table, job, columns, file)
    given = {
        issue: tuple(sorted(set(each.numbers)))
        for issue, each in enumerate(columns)
        if not is_long and each.column.sensitive
    }
    counted = [
        exact.Column(each.column.name, (*each.numbers, *each.tops), scale)
        for issue, (each, scale) in enumerate(zip(columns, scales, strict=True))
        if issue not in given
    ]
    finest = finest_part(scales) if job.promise.shows_ranges else Decimal(str(job.promise.parameters()["eps"]))
    decimals = decimals_of(counted, finest, file)
    values, tops = _in_ticks(columns, rated, given, decimals), None
    every_scale = tuple(scales) * (len(rated.names) if is_long else 1)
    if any(each.tops != each.numbers for each in columns):
        tops = _in_ticks([each._replace(numbers=each.tops) for each in columns], rated, given, decimals)
    elif job.promise.shows_ranges and job.method.options.get("shown") == "middle":
        values, tops = as_ranges(rated.issues, values, every_scale, decimals, rated.is_sensitive)
    return RatingView(
        rated.starts,
        rated.issues,
        values,
        rated.names,
        every_scale,
        rated.is_sensitive,
        decimals,
        given,
        any(each.sensitive or each.sensitive_items for each in job.columns),
        tops,
    )


def read_original(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool) -> RatingOriginal:
    """The job's ratings; of a person's several ratings of an issue, what the job asks to take."""
    is_long, file = job.input.layout == "long", job.input.source
    require_columns(table, job.columns, file)
    columns = _read_columns(table, job, file)
    scales = _scales(columns, job, file)
    rated = _long(table, job, columns[0], file, published=False) if is_long else _wide(table, job, columns, file)
    numbers = _as_numbers(columns, rated)
    is_mean = None
    if rated.repeated is not None:
        rated, numbers, is_mean = _once(rated, numbers, str(job.method.options.get("duplicates")))
    return RatingOriginal(
        rated.starts, rated.issues, numbers, rated.names, tuple(scales) * (len(rated.names) if is_long else 1),
        rated.is_sensitive, is_long, bool(job.method.options.get("fill", False)), is_mean,
        str(job.method.options.get("shown", "range")) if job.promise.shows_ranges else None,
    )  # fmt: skip


def issues_by_name(original: RatingOriginal, view: RatingView) -> dict[str, int]:
    """The index of each issue of the original by what the file calls it."""
    return {name: issue for issue, name in enumerate(original.names)}


def _read_columns(table: pa.Table, job: Job, source: str | Path, *, ranges: bool = False) -> list[_Ratings]:
    columns = job.columns_with("rating")
    named = (*job.columns_with("person"), *job.columns_with("items")) if job.input.layout == "long" else ()
    require_columns(table, (*columns, *named), source)
    if named and columns[0].sensitive:
        hint = f"List the sensitive issues as `sensitive = [...]` of the column {named[-1].name!r} instead."
        problem = "`sensitive = true` stands with the ratings of a long layout, which are of many issues"
        raise InputError(problem, file=job.file, column=columns[0].name, hint=hint)
    return [
        _read_column(table[column.name], column, job, source, ranges=ranges and not column.sensitive)
        for column in columns
    ]


def _read_column(cells: pa.ChunkedArray, column: Column, job: Job, source: str | Path, *, ranges: bool) -> _Ratings:
    """The ratings of a column; with `ranges`, some may be ranges such as `[3:4]`."""
    if pa.types.is_nested(cells.type):
        raise no_text(cells.type)
    values, codes = different_values(cells)
    texts = as_text(values).to_pylist()
    none = {None, "", *job.input.missing, *(("nan",) if pa.types.is_floating(values.type) else ())}
    kept = [code for code, text in enumerate(texts) if text not in none and text.strip()]
    place = np.full(len(texts) + 1, -1, np.int32)
    place[kept] = np.arange(len(kept))
    spans = [_span(texts[code], ranges=ranges) for code in kept]
    if None in spans:
        row = int(np.flatnonzero(place[codes] == spans.index(None))[0])
        hint = "Ratings are numbers such as 4 or 3.5; list what means 'not rated' in `missing` under [input]."
        kind = "a number or a range such as [3:4]" if ranges else "a number"
        raise _mistake(f"a rating is not {kind}", row, job, source, column, hint)
    found = [span for span in spans if span is not None]
    return _Ratings(column, place[codes], tuple(low for low, _ in found), tuple(high for _, high in found))


def _span(text: str, *, ranges: bool) -> tuple[Decimal, Decimal] | None:
    """Both ends of what a text says: a number, or a range if there may be some; None if it is neither."""
    number = read_rating(text)
    if number is not None:
        return number, number
    low, high = ends_of(text.strip()) or (None, None) if ranges else (None, None)
    ends = (read_rating(low or ""), read_rating(high or ""))
    return None if ends[0] is None or ends[1] is None or ends[0] > ends[1] else (ends[0], ends[1])


def _mistake(problem: str, row: int, job: Job, source: str | Path, column: Column, hint: str) -> InputError:
    """What is wrong with a row, told by its line in a text file."""
    words, line = place_of(row, job.input, source)
    return InputError(problem if line else problem + words, file=source, line=line, column=column.name, hint=hint)


def _scales(columns: Sequence[_Ratings], job: Job, source: str | Path) -> list[Scale]:
    """The scale of every column; columns that say nothing of theirs share one, guessed from all of them."""
    found: dict[tuple[tuple[float, float] | None, float | None], Scale] = {}
    for each_column in columns:
        said = (each_column.column.scale, each_column.column.step)
        if said not in found:
            alike = [each for each in columns if (each.column.scale, each.column.step) == said]
            try:
                met = {number for each in alike for number in (*each.numbers, *each.tops)}
                found[said] = scale_of(met, *said)
            except InputError as error:
                file = source if said[0] is None else job.file
                raise InputError(error.problem, file=file, column=each_column.column.name, hint=error.hint) from None
    return [found[each.column.scale, each.column.step] for each in columns]


def _wide(table: pa.Table, job: Job, columns: Sequence[_Ratings], source: str | Path) -> _Table:
    """One column an issue: a row is a person."""
    _check_persons(table, job, source)
    rated = sum((each.codes >= 0 for each in columns), np.zeros(table.num_rows, np.int64))
    starts = np.concatenate(([0], np.cumsum(rated)))
    issues, codes = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    at = starts[:-1].copy()
    for issue, each in enumerate(columns):
        here = each.codes >= 0
        issues[at[here]], codes[at[here]] = issue, each.codes[here]
        at += here
    is_sensitive = np.array([each.column.sensitive for each in columns], bool)
    return _Table(starts, issues, codes, tuple(each.column.name for each in columns), is_sensitive)


def _check_persons(table: pa.Table, job: Job, source: str | Path) -> None:
    """A row of a survey is a person: nobody may have two."""
    for column in job.columns_with("person"):
        require_columns(table, (column,), source)
        person, _ = _coded(table[column.name], job.input.missing)
        rows = np.flatnonzero(person >= 0)
        _, first = np.unique(person[rows], return_index=True)
        more = rows.size - first.size
        if more:
            such = "is 1 such row" if more == 1 else f"are {more:,} such rows"
            problem = f"a person has two rows (there {such})"
            hint = "A row of the wide layout is a person: join the rows of a person, or take one of them out."
            raise _mistake(problem, int(np.delete(rows, first)[0]), job, source, column, hint)


def _long(table: pa.Table, job: Job, ratings: _Ratings, source: str | Path, *, published: bool) -> _Table:
    """One row a rating. A row without an issue or a rating makes its person known, if only without any."""
    person_column, items = job.columns_with("person")[0], job.columns_with("items")[0]
    person, ids = _coded(table[person_column.name], job.input.missing)
    if person.size and person.min() < 0:
        hint = "Every row of the long layout belongs to a person: fill the id in, or take the row out."
        raise _mistake("the row has no person id", int(person.argmin()), job, source, person_column, hint)
    issue, names = _by_text(*_coded(table[items.name], job.input.missing))
    rows = np.flatnonzero((issue >= 0) & (ratings.codes >= 0))
    key = person[rows].astype(np.int64)  # in place: the largest logs have a hundred million ratings
    key *= max(len(names), 1)
    key += issue[rows]
    if np.any(key[1:] <= key[:-1]):
        order = np.argsort(key, kind="stable")
        key = key[order]
        rows = rows[order]
    repeated = np.append(key[1:] == key[:-1], False)[: key.size]
    policy = "error" if published else str(job.method.options.get("duplicates", "error"))
    if repeated.any() and policy == "error":
        _refuse_repeated(repeated, rows, job, source, ratings.column, published=published)
    starts = np.concatenate(([0], np.cumsum(np.bincount(person[rows], minlength=len(ids)))))
    is_sensitive = declared(names, items.sensitive_items, fold=items.fold)
    again = repeated if repeated.any() else None
    return _Table(starts, issue[rows].astype(np.int32), ratings.codes[rows], names, is_sensitive, again)


def _refuse_repeated(
    repeated: np.ndarray, rows: np.ndarray, job: Job, source: str | Path, column: Column, *, published: bool
) -> None:
    count = int(np.count_nonzero(repeated))
    hint = 'Take one of the ratings out, or set duplicates = "last" or "mean" under [method].'
    if published:
        hint = "What tacit publishes has one row for a person and an issue: this file is another, or was changed."
    such = "is 1 such rating" if count == 1 else f"are {count:,} such ratings"
    second = int(rows[int(repeated.argmax()) + 1])
    raise _mistake(f"a person rated an issue twice (there {such})", second, job, source, column, hint)


def _coded(column: pa.ChunkedArray, missing: Collection[str]) -> tuple[np.ndarray, pa.Array]:
    """The code of each row's value, and the values in their order; −1 for "no value"."""
    if pa.types.is_nested(column.type):
        raise no_text(column.type)
    values, codes = different_values(column)
    none = flags(pc.is_in(as_text(values), value_set=pa.array(sorted({"", *missing}), pa.large_string())))
    if not none.any():
        return codes, values
    place = np.append(np.where(none, -1, np.cumsum(~none) - 1), -1).astype(np.int32)
    return place[codes], values.filter(pa.array(~none))


def _by_text(codes: np.ndarray, labels: pa.Array) -> tuple[np.ndarray, tuple[str, ...]]:
    """Issues numbered in the order of their texts, in which a person's ratings are published, and those texts."""
    texts = as_text(labels).to_pylist()
    order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.full(len(texts) + 1, -1, np.int32)
    place[order] = np.arange(len(texts))
    return place[codes], tuple(texts[code] for code in order)


def _once(rated: _Table, numbers: np.ndarray, policy: str) -> tuple[_Table, np.ndarray, np.ndarray | None]:
    """Of a person's several ratings of an issue the last one, or their mean."""
    assert rated.repeated is not None
    is_last = ~rated.repeated
    starts = np.concatenate(([0], np.cumsum(is_last)))[rated.starts]
    once = rated._replace(starts=starts, issues=rated.issues[is_last], codes=rated.codes[is_last], repeated=None)
    if policy != "mean":
        return once, numbers[is_last], None
    rating = np.cumsum(is_last) - is_last
    times = np.bincount(rating)
    return once, np.bincount(rating, numbers) / times, times > 1


def _places(columns: Sequence[_Ratings], rated: _Table) -> np.ndarray:
    """Where the rating of each row stands among the different ratings of all columns."""
    if len(columns) == 1:
        return rated.codes
    starts = np.cumsum([0, *(len(each.numbers) for each in columns)])
    return rated.codes + starts[rated.issues]


def _in_ticks(
    columns: Sequence[_Ratings], rated: _Table, given: Mapping[int, tuple[Decimal, ...]], decimals: int
) -> np.ndarray:
    """Each rating in ticks, or its place among those that are given."""
    counted: list[int] = []
    for issue, each in enumerate(columns):
        if issue in given:
            place = {number: i for i, number in enumerate(given[issue])}
            counted += [place[number] for number in each.numbers]
        else:
            counted += [ticks(number, decimals) for number in each.numbers]
    is_small = max(map(abs, counted), default=0) < _SMALL
    return np.array(counted, np.int16 if is_small else np.int64)[_places(columns, rated)]


def _as_numbers(columns: Sequence[_Ratings], rated: _Table) -> np.ndarray:
    return np.array([float(number) for each in columns for number in each.numbers])[_places(columns, rated)]
