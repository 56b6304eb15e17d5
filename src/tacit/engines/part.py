"""What an executor does with a part of the records: all that one machine does with a table, and its own audit of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from tacit import audits
from tacit.arrays.spelling import in_one_spelling
from tacit.engines.columns import Quasi, Spellings, in_those_spellings
from tacit.engines.order import ORIGINAL, PLACE, contents
from tacit.engines.parts import Splits
from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.kinds import check_reachable, kind_for
from tacit.methods import is_local, method_for
from tacit.records.asked import in_part
from tacit.records.data import read_records
from tacit.shuffle import Shuffle, places
from tacit.taxonomy import Taxonomy

PART = "tacit_part"
PERSON = "tacit_person"
META = "tacit_meta"
"""A row of each part has no record, but what the part came to, as JSON."""


@dataclass(frozen=True, eq=False)
class Task:
    """All that an executor needs to know."""

    job: Job  # with the types that the whole data have, and no file
    quasi: tuple[Quasi, ...]
    hierarchies: Mapping[str, Taxonomy]
    output: FileFormat
    key: bytes
    schema: pa.Schema  # of what is given back
    sensitive: tuple[Quasi, ...] = ()  # of which distances to all records are measured
    of_all: Mapping[str, Mapping[str | None, int]] = field(default_factory=dict)  # what audits compare with
    spellings: Spellings = field(default_factory=dict)
    numbered: str | None = None  # the column with numbers of groups, if any are published
    leads: str | None = None  # the column that rows are in the order of, before their places
    shown: tuple[str, ...] = ()  # the columns of what baskets and slices publish, in their order

    def names(self) -> list[str]:
        return [column.name for column in self.job.columns]


def sampled(batches: Iterator[pa.RecordBatch], *, task: Task, one_in: int) -> Iterator[pa.RecordBatch]:
    """The keys of a sample of the records, drawn by a hash of their quasi-identifiers; of persons with several records,
    by a hash of whose they are, which goes with them."""
    persons = [column.name for column in task.job.columns_with("person")]
    for batch in batches:
        table = pa.Table.from_batches([batch])
        by = table.select(persons or [each.attribute.name for each in task.quasi])
        hashes = np.fromiter((crc32(row) for row in contents(by)), np.int64, len(table)) * 0x9E3779B1 >> 7
        drawn = np.flatnonzero(hashes % one_in == 0)
        keys = _keys(table.take(pa.array(drawn)), task)
        columns = {f"k{index}": pa.array(keys[:, index].astype(np.int64)) for index in range(keys.shape[1])}
        columns[PERSON] = pa.array(hashes[drawn] if persons else np.zeros(drawn.size, np.int64))
        yield pa.RecordBatch.from_pydict(columns)


def routed(batches: Iterator[pa.RecordBatch], *, task: Task, splits: Splits) -> Iterator[pa.RecordBatch]:
    """The records, each with the number of its part."""
    for batch in batches:
        table = pa.Table.from_batches([batch])
        persons = [column.name for column in task.job.columns_with("person")]
        part = splits.part_of(_keys(table, task), table.select(persons) if persons else table, task.key)
        yield from table.append_column(PART, pa.array(part, pa.int64())).combine_chunks().to_batches()


def _keys(table: pa.Table, task: Task) -> np.ndarray:
    return np.stack([each.keys(table[each.attribute.name]) for each in task.quasi], axis=1)


def made(table: pa.Table, *, task: Task) -> pa.Table:
    """A part as it is published, audited and compared with the original; or why that cannot be."""
    return made_by(_published, table, task)


Publish = Callable[[pa.Table, "Task", str], tuple[pa.Table, dict[str, Any]]]
"""What becomes of a part with a number: its rows as they are published, and what they came to, `rows` among it."""


def _told(error: PromiseError | InputError) -> str:
    """What was wrong, without a place: lines of a part are not those of the file."""
    if isinstance(error, PromiseError):
        return str(error)
    problem = error.problem.partition("; the first stands")[0]
    return str(InputError(problem, file=error.file, column=error.column, hint=error.hint))


def refuse(failed: Sequence[Mapping[str, Any]], parts: int, *, file: str | Path | None = None) -> None:
    """Raises what larger parts cannot mend: mistakes of the user and, if there is but one part, a broken promise."""
    for each in failed:
        if each["error"] != "PromiseError":
            raise InputError(each["message"], file=file)
    if failed and parts == 1:
        raise PromiseError(failed[0]["message"].removesuffix("\n  Nothing was published."))


def made_by(publish: Publish, table: pa.Table, task: Task) -> pa.Table:
    """The rows of a part with their places, and behind them what the part came to."""
    part = table[PART][0].as_py()
    table = table.drop_columns([PART])
    order = np.array(sorted(range(len(table)), key=list(contents(table)).__getitem__), np.int64)
    table = table.take(pa.array(order))  # engines give rows in any order, and the outcome must not depend on it
    try:
        shown, told = publish(table.select(task.names()), task, str(part))
    except (PromiseError, InputError) as error:
        return _with_meta(None, None, {"part": part, "error": type(error).__name__, "message": _told(error)}, task)
    rows = told.pop("rows")
    beside = table[ORIGINAL].take(pa.array(rows)) if ORIGINAL in table.column_names else None
    return _with_meta(shown, beside, {"part": part, **told}, task)


def _published(table: pa.Table, task: Task, part: str) -> tuple[pa.Table, dict[str, Any]]:
    job, kind = task.job, kind_for(task.job.promise)
    method = method_for(job.promise.name, job.method.name)
    spelt = in_those_spellings(table, task.spellings)
    plain = in_one_spelling(spelt, job, task.hierarchies)
    data, _ = read_records(plain, _as_categories(job), task.hierarchies, task.output, is_part=True)
    data = replace(data, attributes=tuple(each.of(table[each.attribute.name]) for each in task.quasi))
    if task.sensitive:
        data = replace(data, sensitive=tuple(each.of(table[each.attribute.name]) for each in task.sensitive))
    pairs = zip(data.sensitive, data.sensitive_columns, strict=False)  # none where the promise asks for nothing more
    data = replace(data, sensitive_columns=tuple(in_part(*pair, data.markers) for pair in pairs))
    check_reachable(data, job)
    hidden = Shuffle.keyed(task.key, "part", part)
    search = method.search(job.promise)
    recoding = search(
        data, job.promise, seed=job.method.seed or 0, hidden=hidden, progress=_silent, **job.method.options
    )
    applied = kind.apply(data, recoding)
    shown = kind.publish(data, applied, plain, job, task.output, hidden)
    local = is_local(job.promise.name, job.method.name)
    original = audits.read_original(table, job, task.hierarchies, is_local=local)
    read: Any = audits.read_view(shown.table, job)
    view = replace(read, of_all=task.of_all, is_share=True)
    verdict, problems = audits.judge(view, job, original, shown.original)
    if task.sensitive and verdict.satisfied is False:
        raise PromiseError("A part of the records is further from all of them than t by itself.")
    utility = kind.measure(data, applied, shown, job)
    told = {
        "satisfied": verdict.satisfied,
        "problems": len(problems),
        "utility": {name: value for name, value in utility.items() if isinstance(value, int | float | dict)},
        "rows": shown.original,
    }
    return shown.table, told


def _as_categories(job: Job) -> Job:
    """The job with quasi-identifiers by their texts alone: what they mean is known from the whole data."""
    columns = tuple(
        replace(column, type="category", round=None, top=None, bottom=None) if column.role == "quasi" else column
        for column in job.columns
    )
    return replace(job, columns=columns)


def _with_meta(shown: pa.Table | None, beside: pa.ChunkedArray | None, meta: Mapping[str, Any], task: Task) -> pa.Table:
    """The rows in the schema that was announced, with their places, and behind them what the part came to."""
    last = pa.Table.from_pylist([{META: json.dumps(meta)}], schema=task.schema)
    if shown is None:
        return last
    place = places(task.key, contents(shown, beside))
    if task.leads is not None:
        place = [
            int(number).to_bytes(8) + each for number, each in zip(shown[task.leads].to_numpy(), place, strict=True)
        ]
    columns = {name: shown[name] for name in shown.column_names} | {PLACE: pa.array(place, pa.binary())}
    if beside is not None:
        columns[ORIGINAL] = beside
    columns[META] = pa.nulls(shown.num_rows, pa.string())
    columns[PART] = pa.repeat(pa.scalar(meta["part"], pa.int64()), shown.num_rows)
    rows = pa.table(
        [columns[name].cast(task.schema.field(name).type) for name in task.schema.names], schema=task.schema
    )
    return pa.concat_tables([rows, last]).combine_chunks()


def _silent(message: str) -> None:
    """Nobody watches an executor."""
