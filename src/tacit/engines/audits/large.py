"""Groups of which one executor should not hold all records: the engine counts what is alike in them, and the counts go.

Every sensitive column is judged by itself, so how often a group has each value of each column is all that the audits
ask for. From these counts a share is put together again, of rows that stand for many records each: in which row the
values of two columns meet has no say. Of baskets the different ones of a group are counted.

Where persons have several records, a person has a set of values in each column; equal sets are counted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacit.engines import frames
from tacit.engines.frames import ROWS
from tacit.errors import InputError
from tacit.job.model import Job

COLUMN = "tacit_column"
"""Which sensitive column a row of counts is about."""
MOST_GROUPS = 100
"""Groups that are counted, the largest first; where there are more, each is a small share of the file."""
PERSONS = "tacit_persons"
EMPTY = "tacit_empty"
"""Whether a person has no value in some record, which no list of values holds."""


class Told(NamedTuple):
    """A share put together: published rows, the records that each stands for, and of persons whose it is and for how
    many that person stands."""

    table: pa.Table
    times: np.ndarray
    persons: np.ndarray | None = None
    alike: np.ndarray | None = None


def apart(rows: Any, quasi: Sequence[str], most: int) -> tuple[Any, Any | None]:
    """The records of groups of equal cells with up to `most` of them, and those of larger groups, if there are any."""
    from pyspark.sql import functions as F

    sizes = frames.distinct(rows, quasi)
    found = sizes.filter(F.col(ROWS) > F.lit(most)).orderBy(F.col(ROWS).desc()).limit(MOST_GROUPS).collect()
    if not found:
        return rows, None

    is_large = is_in_some(found, quasi)
    return rows.filter(~is_large), rows.filter(is_large)


def is_in_some(groups: Sequence[Any], quasi: Sequence[str]) -> Any:
    """The condition that a record is in one of some groups."""
    return _halved(operator.or_, [is_in(group, quasi) for group in groups])


def is_in(group: Any, quasi: Sequence[str]) -> Any:
    """The condition that a record is in a group."""
    from pyspark.sql import functions as F

    alike = [F.col(frames.quoted(name)).eqNullSafe(F.lit(group[name])) for name in quasi]
    return _halved(operator.and_, alike or [F.lit(True)])


def _halved(join: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
    """All parts joined, half with half: Spark Connect refuses expressions that are nested a hundred times."""
    half = len(parts) // 2
    return join(_halved(join, parts[:half]), _halved(join, parts[half:])) if half else parts[0]


def judged_columns(job: Job, columns: Sequence[str]) -> list[str]:
    """The sensitive columns that the promise is about, each of which is counted by itself."""
    names = [column.name for column in job.columns_with("sensitive")] if "sensitive" in job.promise.roles else []
    return [name for name in names if name in columns]


def counted(rows: Any, quasi: Sequence[str], columns: Sequence[str], items: Sequence[str]) -> Any:
    """The different rows of groups with their number: for each sensitive column by itself, or of the baskets."""
    if items or not columns:
        return frames.distinct(rows, [*quasi, *items])
    return _one_under_another(
        [_with_place(frames.distinct(rows, [*quasi, name]), at) for at, name in enumerate(columns)]
    )


def counted_persons(rows: Any, quasi: Sequence[str], columns: Sequence[str], whose: str) -> Any:
    """The different sets of values that persons of a group have in a column, how many have each, and their records."""
    from pyspark.sql import functions as F

    nobody = rows.filter(F.col(frames.quoted(whose)).isNull()).limit(1).count()
    if nobody:
        raise InputError("records have no person")
    known = list(map(frames.quoted, quasi))
    found = []
    for at, name in enumerate(columns or [None]):
        cells = [] if name is None else [F.col(frames.quoted(name))]
        sets = [F.array_sort(F.collect_set(cell)).alias(name) for cell in cells]
        empty = [F.max(cell.isNull()).alias(EMPTY) for cell in cells]
        each = rows.groupBy(*known, frames.quoted(whose)).agg(F.count(F.lit(1)).alias(ROWS), *sets, *empty)
        alike = each.groupBy(*known, *map(frames.quoted, [name, EMPTY] if name is not None else []))
        found.append(_with_place(alike.agg(F.count(F.lit(1)).alias(PERSONS), F.sum(ROWS).alias(ROWS)), at))
    return _one_under_another(found)


def _with_place(frame: Any, at: int) -> Any:
    from pyspark.sql import functions as F

    return frame.withColumn(COLUMN, F.lit(at).cast("long"))


def _one_under_another(found: Sequence[Any]) -> Any:
    """Frames of counts, each with its own column of values: those of the others are null in it."""
    from pyspark.sql import functions as F

    fields = {field.name: field.dataType for frame in found for field in frame.schema.fields}
    alike = [
        frame.select(
            *(
                F.col(frames.quoted(name)) if name in frame.columns else F.lit(None).cast(kind).alias(name)
                for name, kind in fields.items()
            )
        )
        for frame in found
    ]
    return reduce(lambda above, below: above.union(below), alike)


def put_together(table: pa.Table, quasi: Sequence[str], columns: Sequence[str]) -> Told:
    """On an executor: rows that have, in each group and each column, every value as often as it was counted."""
    if COLUMN not in table.column_names:
        return Told(table.drop_columns([ROWS]), _numbers(table[ROWS]))
    group, place = codes_of(table, quasi), _numbers(table[COLUMN])
    often = _numbers(table[PERSONS if PERSONS in table.column_names else ROWS])
    order = np.lexsort((group, place))
    own = [order[place[order] == at] for at in range(max(len(columns), 1))]
    ends = [np.cumsum(often[rows]) for rows in own]
    totals = [np.bincount(group[rows], weights=often[rows]) for rows in own]
    if any(not np.array_equal(totals[0], total) for total in totals[1:]):
        raise ValueError("the columns of a group have different numbers of records")
    until = np.unique(np.concatenate(ends))
    times = np.diff(until, prepend=0)
    picked = [rows[np.searchsorted(end, until)] for rows, end in zip(own, ends, strict=True)]
    shown = {name: table[name].take(pa.array(picked[0])) for name in quasi}
    shown |= {name: table[name].take(pa.array(rows)) for name, rows in zip(columns, picked, strict=bool(columns))}
    if PERSONS not in table.column_names:
        return Told(pa.table(shown), times)
    first = np.flatnonzero(np.diff(group[picked[0]], prepend=-1))
    records = np.bincount(group[own[0]], weights=_numbers(table[ROWS])[own[0]]).astype(np.int64)
    empty = {name: table[EMPTY].take(pa.array(rows)) for name, rows in zip(columns, picked, strict=bool(columns))}
    return _unfolded(pa.table(shown), columns, empty, times, first, records)


def _unfolded(
    sets: pa.Table, columns: Sequence[str], empty: dict[str, Any], alike: np.ndarray, first: np.ndarray,
    records: np.ndarray,
) -> Told:  # fmt: skip
    """A row for each value that a person has in a column; a shorter list's last value stands in further rows as well.

    Of how many records a group is, its first row says; the others count for none.
    """
    held = {}
    for name in columns:
        pairs = zip(sets[name].to_pylist(), empty[name].to_pylist(), strict=True)
        held[name] = [cells + [None] * bool(has) for cells, has in pairs]
    lengths = np.array(
        [max(map(len, lists)) for lists in zip(*held.values(), strict=True)] or [1] * alike.size, np.int64
    )
    person = np.repeat(np.arange(alike.size), lengths)
    shown = {name: sets[name].take(pa.array(person)) for name in sets.column_names if name not in columns}
    for name in columns:
        cells = [each for lists, length in zip(held[name], lengths.tolist(), strict=True)
                 for each in lists + lists[-1:] * (length - len(lists))]  # fmt: skip
        shown[name] = pa.array(cells, sets.schema.field(name).type.value_type)
    times = np.zeros(person.size, np.int64)
    times[(np.cumsum(lengths) - lengths)[first]] = records
    return Told(pa.table(shown), times, person, alike[person])


def codes_of(table: pa.Table, names: Sequence[str]) -> np.ndarray:
    """Which rows are alike in some columns; rising without gaps, in no order of the values."""
    code = np.zeros(table.num_rows, np.int64)
    for name in names:
        cells = table[name].combine_chunks().dictionary_encode(null_encoding="encode")
        code = code * (len(cells.dictionary) + 1) + cells.indices.to_numpy().astype(np.int64)
        code = np.unique(code, return_inverse=True)[1]
    return code


def _numbers(column: pa.ChunkedArray) -> np.ndarray:
    return column.combine_chunks().cast(pa.int64()).to_numpy()
