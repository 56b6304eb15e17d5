"""Records on an engine: parts are made and audited there, put in order, written, and audited as written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
_ODD = np.uint64(0x9E3779B97F4A7C15)


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


def to_publish(made: Made, *, is_sorted: bool = True) -> Any:
    """The rows as they are published; in their order, unless that does not matter."""
    names = published_names(made.rows)
    if not is_sorted:
        return made.rows.select(*map(frames.quoted, names))
    return in_order(made.rows, names, made.release.utility["records"])


def whose(made: Made) -> Any | None:
    """The rows with the key column as `original`, if the job names one."""
    if ORIGINAL not in made.rows.columns:
        return None
    names = published_names(made.rows)
    rows = in_order(made.rows, [ORIGINAL, *names], made.release.utility["records"])
    return rows.withColumnRenamed(ORIGINAL, free_name("original", set(names)))


def published_names(frame: Any) -> list[str]:
    return [name for name in frame.columns if name not in (PLACE, ORIGINAL)]


def same_rows(one: Sequence[Any], other: Sequence[Any], names: Collection[str]) -> bool:
    """Whether two lists of frames have the same rows, in whatever order: by their number and by sums of hashes."""
    return _prints(one, names) == _prints(other, names)


def _prints(pieces: Sequence[Any], names: Collection[str]) -> tuple[int, ...]:
    sums = [0, 0, 0]
    for frame in pieces:
        chosen = frames.plainly_named(frame.select(*map(frames.quoted, names)))
        found = chosen.mapInArrow(summed, "rows long, one long, other long").toArrow()
        sums = [(each + sum(column.to_pylist())) % 2**64 for each, column in zip(sums, found.columns, strict=True)]
    return tuple(sums)


def summed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On an executor: how many rows there are, and two sums over them, modulo 2^64."""
    for batch in batches:
        words = hashed(pa.Table.from_batches([batch]))
        sums = [words.sum(dtype=np.uint64), (words * (words >> np.uint64(32))).sum(dtype=np.uint64)]
        one, other = np.array(sums).view(np.int64).tolist()
        yield pa.RecordBatch.from_pydict({"rows": [batch.num_rows], "one": [one], "other": [other]})


def hashed(table: pa.Table) -> np.ndarray:
    """A word of 64 bits for each row. What is empty in text may be null elsewhere, and is the same here."""
    words = np.zeros(table.num_rows, np.uint64)
    for column in table.columns:
        at, cells = _cells(column)
        own = b"".join(blake2b(cell, digest_size=8).digest() for cell in cells)
        words = (words ^ np.frombuffer(own, np.uint64)[at]) * _ODD
        words ^= words >> np.uint64(29)
    return words


def _cells(column: pa.ChunkedArray) -> tuple[np.ndarray, list[bytes]]:
    """The different cells of a column, as a text file has them, and which of them each row has."""
    if pa.types.is_nested(column.type):
        return np.arange(len(column)), [repr(cell).encode("utf-8", "surrogatepass") for cell in column.to_pylist()]
    encoded = pc.fill_null(as_text(column), "").combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy(), [text.encode() for text in encoded.dictionary.to_pylist()]


def as_type(frame: Any, name: str, kind: Any) -> Any:
    """A column in a type that it is not in, unless that is text or a list."""
    from pyspark.sql.types import ArrayType, StringType

    column = frame[frames.quoted(name)]
    if isinstance(kind, StringType | ArrayType) or frame.schema[name].dataType == kind:
        return column
    return column.cast(kind).alias(name)


def check_written(written: Any, *pieces: Any) -> None:
    """Raises unless what was written is what the shares, which were compared with the original, came to.

    A text file has numbers by their text, which engines spell in their own ways: they are compared as numbers.
    """
    names = list(pieces[0].columns)
    types = {field.name: field.dataType for field in pieces[0].schema.fields}
    if not same_rows([written.select(*(as_type(written, name, types[name]) for name in names))], pieces, names):
        raise AuditFailure("What was written is not what was made, so nothing was published.")
