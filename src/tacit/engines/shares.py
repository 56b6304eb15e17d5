"""Shares of the people: all rows of a person are in one, and an executor works on one at a time.

And numbers for people: by their rank in the order of a keyed hash, found without a sort of everybody on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.engines import frames
from tacit.engines.order import PLACE
from tacit.errors import InputError
from tacit.job.model import Job

SHARE = 4_000_000
"""Ratings that an executor works on at once."""
BUCKET = "tacit_bucket"
AT = "tacit_at"
"""Which of a person's rows it is."""
RANK = "tacit_rank"


def of_people(frame: Any, job: Job, rows: int, function: Callable[[pa.Table], pa.Table], schema: Any) -> Any:
    """What a function makes of each share of a frame with so many rows."""
    from pyspark.sql import functions as F

    if job.input.layout != "long":
        at_once = max(1, SHARE // max(len(job.columns_with("rating")), 1))
        return frame.mapInArrow(partial(chunked, function=function, at_once=at_once), schema)
    person = frames.quoted(job.columns_with("person")[0].name)
    count = max(1, -(-rows // SHARE))
    share = (F.crc32(F.col(person).cast("string")) % F.lit(count)).cast("long")
    marked = frame.withColumn(BUCKET, share)
    return frames.by_group(marked, BUCKET, lambda table: function(table.drop_columns([BUCKET])), schema)


def check_people(frame: Any, job: Job, source: Any, hint: str) -> None:
    """Refuses ratings of nobody and two of a person for an issue; of a survey, two rows of a person."""
    from pyspark.sql import functions as F

    def known(name: str) -> Any:
        text = F.col(frames.quoted(name)).cast("string")
        return text.isNotNull() & ~text.isin(["", *job.input.missing])

    for person in job.columns_with("person"):
        rows, named = frame, [person.name]
        if job.input.layout == "long":
            item, rating = (job.columns_with(role)[0].name for role in ("items", "rating"))
            nobody = frame.filter(~known(person.name)).count()
            if nobody:
                told = "Every row of the long layout belongs to a person: fill the id in, or take the row out."
                raise InputError(f"rows without a person id: {nobody:,}", file=source, column=person.name, hint=told)
            text = F.col(frames.quoted(rating)).cast("string")
            rows = frame.filter(known(item) & known(rating) & (F.trim(text) != "") & (text != "NaN"))
            named = [person.name, item]
        twice = frames.distinct(rows.filter(known(person.name)), named).filter(F.col(frames.ROWS) > 1).count()
        if twice:
            what = "rated an issue twice" if named[1:] else "has two rows"
            raise InputError(f"a person {what} (that often: {twice:,})", file=source, column=person.name, hint=hint)


def chunked(
    batches: Iterator[pa.RecordBatch], *, function: Callable[[pa.Table], pa.Table], at_once: int
) -> Iterator[pa.RecordBatch]:
    """On an executor: what a function makes of some batches at a time."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= at_once:
            yield from function(pa.Table.from_batches(held)).combine_chunks().to_batches()
            held = []
    if any(each.num_rows for each in held):
        yield from function(pa.Table.from_batches(held)).combine_chunks().to_batches()


def bucket_of(places: list[bytes], count: int) -> np.ndarray:
    """The bucket of each place: all places of one come before those of the next."""
    heads = np.frombuffer(b"".join(place[:4] for place in places), ">u4").astype(np.int64)
    return heads * count >> 32


def ranked(table: pa.Table, *, before: np.ndarray) -> pa.Table:
    """On an executor: the rows of a bucket with the number of their person, from 1, as `RANK`.

    `before` says how many people are in the buckets that come first.
    """
    table = table.sort_by([(PLACE, "ascending"), (AT, "ascending")])
    is_new = pc.equal(table[AT], 0).to_numpy()
    rank = np.cumsum(is_new) + before[table[BUCKET][0].as_py()]
    return table.drop_columns([BUCKET, PLACE]).append_column(RANK, pa.array(rank, pa.int64()))
