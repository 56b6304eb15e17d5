"""Ratings as the whole data have them: every different rating of every issue, with how often it was given.

That is all that the scales, the names of the issues and the spelling of numbers follow from. So it goes first into
every share of the data that an executor works on, as ratings of strangers, who are left out again: each share is then
coded, and published, as the whole would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.spelling import spelled
from tacit.engines import frames
from tacit.engines.frames import ROWS
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.io.text import as_text
from tacit.job import Job
from tacit.ratings import kind
from tacit.ratings.data import Ratings, read_ratings

MOST_LEVELS = 2_000_000
"""Different ratings of all issues that this process, and every executor, may hold."""
_MOST_SUM = 2**60
"""No sum over people and issues may be larger, in ticks."""


@dataclass(frozen=True, eq=False)
class Levels:
    """Every different rating once, each of a stranger (of a survey: the different ratings of all issues in rows)."""

    job: Job  # with the scales that were found, and no file
    table: pa.Table
    data: Ratings
    times: np.ndarray  # how often each rating of `data` was given
    spelling: Mapping[str, tuple[pa.Array, pa.Array]] = field(default_factory=dict)
    """Of columns with texts: those of ratings as they are written, and as they are published."""
    notes: tuple[str, ...] = ()

    @property
    def strangers(self) -> int:
        return len(self.data)

    def joined(self, table: pa.Table) -> pa.Table:
        """A share of the people behind the strangers."""
        table = spelt(table, self.spelling)
        person = _person(self.job)
        if person is not None:
            who, _ = numbered(table[person])
            place = table.column_names.index(person)
            table = table.set_column(place, person, _names(who + self.strangers))
        return pa.concat_tables([self.table.select(table.column_names), table])

    def coded(self, table: pa.Table) -> Ratings:
        """A share of the people, coded as the whole; the strangers are the first."""
        return read_ratings(self.joined(table), self.job)


def spelt(table: pa.Table, spelling: Mapping[str, tuple[pa.Array, pa.Array]]) -> pa.Table:
    """The ratings of a share by the texts that they are published with."""
    for name, (written, meant) in spelling.items():
        cells = meant.take(pc.index_in(as_text(table[name]), value_set=written))
        table = table.set_column(table.column_names.index(name), name, cells.cast(table[name].type))
    return table


def numbered(column: pa.ChunkedArray) -> tuple[np.ndarray, pa.Array]:
    """Each row's number of its value, by first appearance (−1: none), and the values."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = whole.dictionary_encode()
    return pc.fill_null(encoded.indices, -1).to_numpy().astype(np.int64), encoded.dictionary


def _names(numbers: np.ndarray) -> pa.Array:
    """Names of people that no marker of missing values is like."""
    return pc.binary_join_element_wise(pa.scalar("#"), pa.array(numbers).cast(pa.string()), "")


def _person(job: Job) -> str | None:
    """The column that says whose a row is, where a person has several."""
    return job.columns_with("person")[0].name if job.input.layout == "long" else None


def read_levels(frame: Any, job: Job, output: FileFormat, people: int) -> Levels:
    """The levels of a frame with so many people."""
    schema = frames.arrow_schema(frame)
    columns = [column for column in job.columns if column.role in ("person", "items", "rating", "plain")]
    for column in job.columns_with("rating"):
        if pa.types.is_decimal(schema.field(column.name).type):
            raise InputError(
                "ratings of a decimal type have no form on an engine",
                file=job.input.source, column=column.name, hint="Cast the column to double, or to text.",
            )  # fmt: skip
    is_long = job.input.layout == "long"
    found = _long(frame, job) if is_long else _wide(frame, job, schema)
    spelling = dict(_spellings(found, job))
    small = replace(job, columns=tuple(columns), file=None)
    table = spelt(found.table, spelling)
    if is_long:
        strangers = _names(np.arange(table.num_rows))
        table = table.append_column(_person(job), strangers)
    for column in columns:
        if column.name not in table.column_names:
            table = table.append_column(column.name, pa.nulls(table.num_rows, schema.field(column.name).type))
    encoded = kind.read(table, job, output)
    data: Ratings = encoded.data
    _check_room(data, people, job)
    rows = np.repeat(np.arange(len(data)), np.diff(data.indptr))
    times = found.times[rows, 0 if is_long else data.issues]
    notes = [f"ratings of no issue, left out: {found.left_out:,}"] if found.left_out else []
    scaled = {column.name: column for column in encoded.columns or ()}
    small = replace(small, columns=tuple(scaled.get(column.name, column) for column in columns))
    told = [note for note in encoded.notes if not note.startswith("people without any rating")]
    return Levels(small, table, data, times, spelling, (*told, *notes))


@dataclass(frozen=True, eq=False)
class _Counted:
    table: pa.Table  # item and rating; of a survey the different ratings of each column, one below the other
    times: np.ndarray  # int64 [row, column]
    left_out: int = 0


def _long(frame: Any, job: Job) -> _Counted:
    item, rating = (job.columns_with(role)[0].name for role in ("items", "rating"))
    found = frames.collected(frames.distinct(frame, [item, rating]), MOST_LEVELS, "different ratings of issues")
    none = pa.array(["", *job.input.missing], pa.large_string())

    def known(name: str) -> np.ndarray:
        texts = as_text(found[name])
        return pc.and_(pc.is_valid(texts), pc.invert(pc.is_in(texts, value_set=none))).to_numpy()

    times, has_item = found[ROWS].to_numpy(), known(item)
    left_out = int(times[~has_item & known(rating)].sum())
    table = found.drop_columns([ROWS]).filter(pa.array(has_item))
    return _Counted(_in_order(table), _sorted_times(table, times[has_item]), left_out)


def _order(table: pa.Table) -> np.ndarray:
    return pc.sort_indices(table, sort_keys=[(name, "ascending") for name in table.column_names]).to_numpy()


def _in_order(table: pa.Table) -> pa.Table:
    return table.take(pa.array(_order(table)))


def _sorted_times(table: pa.Table, times: np.ndarray) -> np.ndarray:
    return times[_order(table)].reshape(-1, 1)


def _wide(frame: Any, job: Job, schema: pa.Schema) -> _Counted:
    """The different cells of every column of ratings, all counted in one pass."""
    from pyspark.sql import functions as F

    names = [column.name for column in job.columns_with("rating")]
    chosen = frame.select(*map(frames.quoted, names))
    met = frames.mapped(chosen, counted_cells, f"issue long, cell string, {ROWS} long")
    summed = met.groupBy("issue", "cell").agg(F.sum(ROWS).alias(ROWS))
    found = frames.collected(summed, MOST_LEVELS, "different ratings of issues").sort_by(
        [("issue", "ascending"), ("cell", "ascending")]
    )
    issues, times = found["issue"].to_numpy(), found[ROWS].to_numpy()
    longest = int(np.bincount(issues, minlength=1).max())
    counts, columns = np.zeros((longest, len(names)), np.int64), {}
    for issue, name in enumerate(names):
        here = np.flatnonzero(issues == issue)
        cells = found["cell"].take(pa.array(here)).combine_chunks()
        filled = pa.concat_arrays([cells, pa.nulls(longest - here.size, cells.type)])
        columns[name] = filled.cast(schema.field(name).type)
        counts[: here.size, issue] = times[here]
    return _Counted(pa.table(columns), counts)


def counted_cells(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On an executor: the different cells of each column, with their number."""
    for batch in batches:
        for issue, column in enumerate(batch.columns):
            met = pc.value_counts(column)
            cells = as_text(pa.chunked_array([met.field(0)])).combine_chunks().cast(pa.string())
            yield pa.RecordBatch.from_arrays(
                [pa.array(np.full(len(cells), issue)), cells, met.field(1)], ["issue", "cell", ROWS]
            )


def _spellings(found: _Counted, job: Job) -> Iterator[tuple[str, tuple[pa.Array, pa.Array]]]:
    """Columns whose texts write equal numbers in several ways: as they are written, and as they are published."""
    for at, column in enumerate(job.columns_with("rating")):
        cells = found.table[column.name]
        if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
            codes, written = numbered(as_text(cells))
            people = np.zeros(len(written) + 1, np.int64)
            np.add.at(people, np.where(codes < 0, len(written), codes), found.times[:, at])
            meant = spelled(written.to_pylist(), people, {"", *job.input.missing}, blank_is_nothing=True)
            if meant is not None:
                yield column.name, (written, pa.array(meant, written.type))


def _check_room(data: Ratings, people: int, job: Job) -> None:
    """Refuses ratings with more digits than sums over all people have room for."""
    widest = int(np.max(np.abs(np.concatenate((data.top, data.null, [1]))))) * data.unit
    if not all(style.is_exact for style in data.styles) or widest * people * max(len(data.names), 1) > _MOST_SUM:
        raise InputError(
            "the ratings have more digits than can be counted exactly on an engine",
            file=job.input.source, hint="Round them to fewer decimals.",
        )  # fmt: skip
