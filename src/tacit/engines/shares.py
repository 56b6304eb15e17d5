"""Shares of the people: all rows of a person are in one, and an executor works on one at a time.

And numbers for people: by their rank in the order of a keyed hash, found without a sort of everybody on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    if job.input.layout != "long":
        at_once = max(1, SHARE // max(len(job.columns_with("rating")), 1))
        return frames.in_batches(frame, at_once, function, schema)
    return frames.by_hash(frame, job.columns_with("person")[0].name, max(1, -(-rows // SHARE)), function, schema)


def in_turn(frame: Any, job: Job, rows: int, function: Callable[[pa.Table], pa.Table], schema: Any) -> list[Any]:
    """The same, of the shares that the engine deals out at a time, one frame after the other."""
    if job.input.layout != "long":
        return [of_people(frame, job, rows, function, schema)]
    pieces = frames.pieces(frame, job.columns_with("person")[0].name, rows)
    return [of_people(piece, job, -(-rows // len(pieces)), function, schema) for piece in pieces]


def refuse_second_ratings(frame: Any, job: Job) -> None:
    """Refuses two ratings of a person for an issue, of a log."""
    from pyspark.sql import functions as F

    person, item, rating = (job.columns_with(role)[0].name for role in ("person", "items", "rating"))
    cells = [F.col(frames.quoted(name)).cast("string") for name in (item, rating)]
    known = [cell.isNotNull() & ~cell.isin(["", *job.input.missing]) for cell in cells]
    rows = frame.filter(known[0] & known[1] & (F.trim(cells[1]) != "") & (cells[1] != "NaN"))
    twice = frames.distinct(rows, [person, item]).filter(F.col(frames.ROWS) > 1).count()
    if twice:
        raise InputError(
            f"a person rated an issue twice (that often: {twice:,})",
            file=job.input.source, column=person, hint="Take one of the ratings out.",
        )  # fmt: skip


def bucket_of(places: list[bytes], count: int) -> np.ndarray:
    """The bucket of each place: all places of one come before those of the next."""
    heads = np.frombuffer(b"".join(place[:4] for place in places), ">u4").astype(np.int64)
    return heads * count >> 32


def numbered_in_order(batches: Iterator[pa.RecordBatch], *, before: np.ndarray) -> Iterator[pa.RecordBatch]:
    """On an executor: rows that come in their order, by bucket, place and `AT`, with the number of their person.

    A bucket is in one partition as a whole. It is for engines that keep the order of what a function is given.
    """
    last, people = -1, 0
    for batch in batches:
        if not batch.num_rows:
            continue
        bucket, is_new = batch[BUCKET].to_numpy(), batch[AT].to_numpy() == 0
        upto, first = np.cumsum(is_new), np.searchsorted(bucket, bucket)
        inside = upto - upto[first] + is_new[first] + np.where(bucket == last, people, 0)
        last, people = int(bucket[-1]), int(inside[-1])
        yield batch.drop_columns([BUCKET, PLACE]).append_column(RANK, pa.array(before[bucket] + inside, pa.int64()))


def ranked(table: pa.Table, *, before: np.ndarray) -> pa.Table:
    """On an executor: the rows of a bucket with the number of their person, from 1, as `RANK`.

    `before` says how many people are in the buckets that come first.
    """
    table = table.sort_by([(PLACE, "ascending"), (AT, "ascending")])
    is_new = pc.equal(table[AT], 0).to_numpy()
    rank = np.cumsum(is_new) + before[table[BUCKET][0].as_py()]
    return table.drop_columns([BUCKET, PLACE]).append_column(RANK, pa.array(rank, pa.int64()))
