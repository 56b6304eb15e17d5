"""Baskets in a long layout on an engine: the rows of a person are united, and published rows numbered, there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.baskets.data import separator_of
from tacit.engines import cuts, frames
from tacit.engines.order import ORIGINAL, PLACE
from tacit.engines.shares import AT, BUCKET, RANK, bucket_of
from tacit.errors import InputError
from tacit.job.model import Column, Job

_RANKED = 1_000_000
"""Rows that are put into their order at once."""


def is_long(job: Job) -> bool:
    return job.input.layout == "long"


def one_row_each(frame: Any, job: Job) -> tuple[Any, Job]:
    """The baskets as one row a person, with all items that the person's rows have, and the job for that.

    What is published of a wide layout has no persons, and is as it is.
    """
    from pyspark.sql import functions as F

    items = job.columns_with("items")
    asked = replace(job, input=replace(job.input, layout="wide"))
    for person in job.columns_with("person"):
        if not is_long(job) and person.name not in frame.columns:
            return frame, replace(asked, columns=items)
        frames.require_columns(frame, [person.name, *(column.name for column in items)], job.input.source)
        who = F.col(frames.quoted(person.name))
        refuse_nobody(frame, who, person.name, job)
        sets = [(_long_set if is_long(job) else _wide_set)(frame, column, job).alias(column.name) for column in items]
        if is_long(job):
            items = tuple(replace(column, separator=None) for column in items)
        return frame.groupBy(who.alias(person.name)).agg(*sets), replace(asked, columns=items)
    return frame, job


def refuse_nobody(frame: Any, who: Any, name: str, job: Job) -> None:
    """Refuses rows that belong to nobody."""
    nobody = frame.filter(who.isNull() | who.cast("string").isin(["", *job.input.missing])).count()
    if nobody:
        hint = "Every row belongs to a person: fill the id in, or take the row out."
        raise InputError(f"rows without a person id: {nobody:,}", file=job.input.source, column=name, hint=hint)


def _long_set(frame: Any, column: Column, job: Job) -> Any:
    """All items of a person's rows, of which each has one."""
    from pyspark.sql import functions as F

    kind = frame.schema[column.name].dataType.typeName()
    if kind not in ("string", "byte", "short", "integer", "long"):
        raise InputError(
            f"items of the type {kind} have no form in a long layout on an engine",
            file=job.input.source, column=column.name, hint="Give them as text or as whole numbers.",
        )  # fmt: skip
    item = F.col(frames.quoted(column.name)).cast("string")
    return F.array_sort(F.collect_set(F.when(~item.isin(["", *job.input.missing]), item)))


def _wide_set(frame: Any, column: Column, job: Job) -> Any:
    """All items of a person's rows, of which each has a basket: a list, or a text; always in the same order."""
    from pyspark.sql import functions as F

    cells = F.col(frames.quoted(column.name))
    if frame.schema[column.name].dataType.typeName() == "array":
        return F.array_sort(F.array_distinct(F.flatten(F.collect_list(cells))))
    return F.concat_ws(separator_of(column), F.array_sort(F.collect_list(cells)))


def numbered(rows: Any, job: Job, people: int) -> Any:
    """Recoded baskets with their places as rows of a person and an item; persons are numbered by rank."""
    from pyspark.sql.types import LongType, StringType, StructField, StructType

    item = job.columns_with("items")[0].name
    buckets = max(1, -(-people // _RANKED))
    kept = [field for field in rows.schema.fields if field.name in (item, ORIGINAL, PLACE)]
    with_bucket = StructType([*kept, StructField(BUCKET, LongType())])
    marked = frames.mapped(rows, partial(with_buckets, count=buckets), with_bucket)
    counts = np.zeros(buckets, np.int64)
    for row in marked.groupBy(BUCKET).count().collect():
        counts[row[BUCKET]] = row["count"]
    original = next(field for field in kept if field.name == ORIGINAL)
    schema = StructType(
        [StructField(item, StringType()), original, StructField(AT, LongType()), StructField(RANK, LongType())]
    )
    return frames.by_group(marked, BUCKET, partial(ranked, before=np.cumsum(counts) - counts, item=item), schema)


def with_buckets(batches: Any, *, count: int) -> Any:
    """On an executor: rows with the bucket of their place."""
    for batch in batches:
        bucket = bucket_of(batch[PLACE].to_pylist(), count)
        yield batch.append_column(BUCKET, pa.array(bucket))


def ranked(table: pa.Table, *, before: np.ndarray, item: str) -> pa.Table:
    """On an executor: the people of a bucket by their places, a row for each item; without any, one without an item."""
    table = table.sort_by(PLACE).combine_chunks()
    lists = table[item].combine_chunks()
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    rows = np.maximum(lengths, 1)
    person = np.repeat(np.arange(rows.size), rows)
    at = np.arange(person.size) - np.repeat(np.cumsum(rows) - rows, rows)
    flat = np.full(person.size, -1, np.int64)
    flat[lengths[person] > 0] = np.arange(int(lengths.sum()))
    shown = pc.list_flatten(lists).take(pa.array(flat, mask=flat < 0))
    first = before[table[BUCKET][0].as_py()] + 1
    return pa.table({item: shown.cast(pa.string()), ORIGINAL: table[ORIGINAL].take(pa.array(person)),
                     AT: pa.array(at), RANK: pa.array(first + person)})  # fmt: skip


def in_order(rows: Any, job: Job, people: int) -> tuple[Any, Any]:
    """The rows of so many people to publish, in their order; and which published number is whose."""
    person, item = (job.columns_with(role)[0].name for role in ("person", "items"))
    ordered = cuts.by_rank(rows, cuts.files_for(people), people, RANK, AT)
    whose = ordered.filter(ordered[AT] == 0).select(RANK, ORIGINAL)
    whose = whose.withColumnRenamed(RANK, "published").withColumnRenamed(ORIGINAL, "original")
    return ordered.withColumnRenamed(RANK, person).select(frames.quoted(person), frames.quoted(item)), whose
