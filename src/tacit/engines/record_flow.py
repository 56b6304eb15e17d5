"""Records on an engine: parts are made and audited there, put in order, written, and audited as written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute
from tacit.engines import frames, records
from tacit.engines.made import Keep, Made
from tacit.engines.order import ORIGINAL, PLACE
from tacit.engines.passes import in_order
from tacit.engines.recoding_parts import PartsRecoding
from tacit.errors import AuditFailure
from tacit.io import FileFormat
from tacit.io.text import as_text
from tacit.job import Job
from tacit.records.checks import check_records
from tacit.records.data import RecordData
from tacit.records.recoding import ClusterValues
from tacit.release import Release
from tacit.taxonomy.nodes import free_name

_MOST_TEXTS = 100_000


def make(
    frame: Any,
    job: Job,
    output: FileFormat,
    hierarchies: Mapping[str, Any],
    key: bytes,
    order: bytes,
    keep: Keep,
    progress: Any,
) -> Made:
    """The release without its audit, and its rows with their places."""
    check_records(frames.arrow_schema(frame).empty_table(), job, output)
    made = records.make(frame, job, output, hierarchies, order, keep, progress)
    names = published_names(made.frame)
    texts = {}
    for column in job.columns_with("quasi"):
        shown = made.frame.select(frames.quoted(column.name)).distinct().limit(_MOST_TEXTS).toArrow()
        listed = tuple(sorted(text or "" for text in shown[column.name].to_pylist()))
        texts[column.name] = ClusterValues(listed, np.empty(0, np.int32))
    recoding = PartsRecoding(made.count, made.splits, texts)
    sample = made.frame.select(*map(frames.quoted, names)).limit(1000).toArrow()
    missing = [Attribute(column.name, np.empty(0, np.int32), ("",), 0) for column in job.columns_with("sensitive")]
    items: Any = SimpleNamespace(items=SimpleNamespace(columns=job.columns_with("items")))
    asked = job.columns_with("sensitive") if job.promise.by_column else ()
    before = RecordData(made.attributes, tuple(missing), items, job.input.missing, (), None, asked)
    applied = SimpleNamespace(recoding=recoding)
    source = frames.arrow_schema(frame).empty_table()
    release = Release(
        job, sample, None, applied, made.utility, output, before, source, hierarchies, (),
        {}, key, on_engine=True,
    )  # fmt: skip
    return Made(release, made.frame)


def to_publish(made: Made) -> Any:
    """The rows in their order, as they are published."""
    return in_order(made.rows, published_names(made.rows))


def whose(made: Made) -> Any | None:
    """The rows with the key column as `original`, if the job names one."""
    if ORIGINAL not in made.rows.columns:
        return None
    names = published_names(made.rows)
    rows = in_order(made.rows, [ORIGINAL, *names])
    return rows.withColumnRenamed(ORIGINAL, free_name("original", set(names)))


def published_names(frame: Any) -> list[str]:
    return [name for name in frame.columns if name not in (PLACE, ORIGINAL)]


def same_rows(one: Any, other: Any, names: Collection[str]) -> bool:
    """Whether two frames have the same rows, in whatever order: by their number and by sums of hashes."""
    return _prints(one, names) == _prints(other, names)


def _prints(frame: Any, names: Collection[str]) -> tuple[int, ...]:
    chosen = frames.plainly_named(frame.select(*map(frames.quoted, names))).mapInArrow(
        summed, "rows long, one long, other long"
    )
    table = chosen.toArrow()
    return tuple(int(sum(column.to_pylist())) for column in table.columns)


def summed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On an executor: how many rows there are, and two sums over them. What is empty in text may be null elsewhere."""
    for batch in batches:
        table = pa.Table.from_batches([batch])
        rows = [repr(row).encode() for row in zip(*map(_plain, table.columns), strict=True)]
        sums = [sum(map(crc32, rows)), sum(crc32(row[::-1], 1) for row in rows)]
        yield pa.RecordBatch.from_pydict({"rows": [len(rows)], "one": [sums[0]], "other": [sums[1]]})


def _plain(column: pa.ChunkedArray) -> list[Any]:
    """The cells of a column as a text file has them."""
    if pa.types.is_nested(column.type):
        return column.to_pylist()
    return [text or "" for text in as_text(column).to_pylist()]


def as_type(frame: Any, name: str, kind: Any) -> Any:
    """A column in a type that it is not in, unless that is text or a list."""
    from pyspark.sql.types import ArrayType, StringType

    column = frame[frames.quoted(name)]
    if isinstance(kind, StringType | ArrayType) or frame.schema[name].dataType == kind:
        return column
    return column.cast(kind).alias(name)


def check_written(written: Any, rows: Any) -> None:
    """Raises unless what was written is what the shares, which were compared with the original, came to.

    A text file has numbers by their text, which engines spell in their own ways: they are compared as numbers.
    """
    names = list(rows.columns)
    types = {field.name: field.dataType for field in rows.schema.fields}
    if not same_rows(written.select(*(as_type(written, name, types[name]) for name in names)), rows, names):
        raise AuditFailure("What was written is not what was made, so nothing was published.")
