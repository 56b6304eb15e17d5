"""Baskets on an engine: equal ones are counted there, the decision is made here on the different ones, and every row is
recoded there. What this process holds is as large as the different baskets, however many people have each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.baskets import kind
from tacit.baskets.data import joined_by
from tacit.baskets.recoding import CutRecoding
from tacit.engines import frames
from tacit.engines.frames import ROWS
from tacit.engines.order import ORIGINAL, PLACE
from tacit.engines.recode import recoded
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.kinds import Encoded
from tacit.taxonomy import Taxonomy

MOST_DISTINCT = 30_000_000
"""Different baskets that this process may hold; about 100 bytes each."""


def check(job: Job) -> None:
    """Refuses what baskets have no form for on an engine."""
    persons = job.columns_with("person")
    if persons and job.engine.key is not None:
        raise InputError(
            "engine.key has no place where rows of a person are united", file=job.file, hint="Leave it out."
        )
    if persons and job.columns_with("plain"):
        raise InputError(
            "plain columns have no form on an engine where rows of a person are united",
            file=job.file, column=job.columns_with("plain")[0].name, hint="Leave the column out, or --engine local.",
        )  # fmt: skip
    for role in ("household", "weight"):
        if job.columns_with(role):
            raise InputError(
                f"rows of one {role} have no form on an engine yet" if role != "weight" else "weights have no form",
                file=job.file,
                column=job.columns_with(role)[0].name,
                hint="Leave the column out, or use --engine local.",
            )


def only_items(job: Job) -> Job:
    """The job as far as the decision and its audit look at it: the columns with items."""
    return replace(job, columns=job.columns_with("items"))


def distinct_if(frame: Any, job: Job, most: int) -> pa.Table | None:
    """The different cells of the item columns, with their number; None if they are too many."""
    return frames.collected_if(frames.distinct(frame, [column.name for column in job.columns_with("items")]), most)


def distinct(frame: Any, job: Job) -> pa.Table:
    """The same, but refused."""
    names = [column.name for column in job.columns_with("items")]
    return frames.collected(frames.distinct(frame, names), MOST_DISTINCT, "different baskets")


def encode(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat) -> Encoded:
    """Different baskets with how many people have them, ready for a method."""
    rows = table.drop_columns([ROWS])
    return kind.encode(rows, only_items(job), hierarchies, output, weight=people_of(table))


def people_of(table: pa.Table) -> np.ndarray:
    """How many records are like each row."""
    return table[ROWS].combine_chunks().cast(pa.int64()).to_numpy()


def published(frame: Any, job: Job, recoding: CutRecoding, output: FileFormat, key: bytes) -> tuple[Any, list[str]]:
    """The rows to publish, each with its place in the order, and their columns.

    With a column that tells records apart, that goes with them as `original`. Without one, equal rows are recoded once,
    and go with how many they are.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, BinaryType, LongType, StringType, StructField, StructType

    shown = [column for column in job.columns if column.role in ("items", "plain")]
    names = [name for name in frame.columns if name in {column.name for column in shown}]
    table = frames.arrow_schema(frame.select(*map(frames.quoted, names))).empty_table()
    of_frame = {field.name: field for field in frame.schema.fields}
    roles = {column.name: column for column in shown}
    fields = []
    for name in names:
        if roles[name].role == "plain":
            fields.append(StructField(name, of_frame[name].dataType))
        else:
            as_list = joined_by(roles[name], table, output) is None
            fields.append(StructField(name, ArrayType(StringType()) if as_list else StringType()))
    beside = job.engine.key
    if beside is None:
        rows, last = frames.distinct(frame, names), StructField(ROWS, LongType())
    else:
        rows = frame.select(*map(frames.quoted, names), F.col(frames.quoted(beside)).alias(ORIGINAL))
        last = StructField(ORIGINAL, of_frame[beside].dataType)
    recode = partial(recoded, job=_small(job), recoding=recoding, output=output, key=key)
    schema = StructType([*fields, last, StructField(PLACE, BinaryType())])
    return frames.mapped(rows, recode, schema), [field.name for field in fields]


def _small(job: Job) -> Job:
    """What executors need to know of a job."""
    return replace(job, file=None)
