"""Whose rows are whose in a published file, and in the original that it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacit.engines import frames
from tacit.errors import InputError
from tacit.job.model import Job

SHARE = 4_000_000
"""Cells that an executor reads at once."""


def in_shares(
    frame: Any, job: Job, cells: int, function: Callable[[pa.Table], pa.Table], schema: Any, *, unites: bool
) -> Any:
    """What a function makes of shares of a frame with so many cells; `unites` if all rows of a person are in one."""
    if unites:
        count = max(1, -(-cells // SHARE))
        return frames.by_hash(frame, job.columns_with("person")[0].name, count, function, schema)
    columns = max(1, len(frame.columns))
    return frames.in_batches(frame, max(1, SHARE // columns), function, schema)


def in_turn(
    frame: Any, job: Job, cells: int, function: Callable[[pa.Table], pa.Table], schema: Any, *, unites: bool
) -> list[Any]:
    """The same, of the shares that the engine deals out at a time, one frame after the other."""
    if not unites:
        return [in_shares(frame, job, cells, function, schema, unites=False)]
    rows = cells // max(1, len(frame.columns))
    pieces = frames.pieces(frame, job.columns_with("person")[0].name, rows)
    return [in_shares(piece, job, -(-cells // len(pieces)), function, schema, unites=True) for piece in pieces]


def refuse_nobody(frame: Any, job: Job, source: str | Path) -> None:
    """Refuses rows that belong to nobody, where rows are told apart by their persons."""
    from pyspark.sql import functions as F

    for column in job.columns_with("person"):
        text = F.col(frames.quoted(column.name)).cast("string")
        rows = frame.filter(text.isNull() | text.isin(["", *job.input.missing])).count()
        if rows:
            hint = "Every row belongs to a person: fill the id in, or take the row out."
            raise InputError(f"rows without a person id: {rows:,}", file=source, column=column.name, hint=hint)


def refuse_second_rows(frame: Any, job: Job, source: str | Path) -> None:
    """Refuses a survey in which somebody has two rows."""
    from pyspark.sql import functions as F

    for column in job.columns_with("person"):
        text = F.col(frames.quoted(column.name)).cast("string")
        named = frame.filter(text.isNotNull() & ~text.isin(["", *job.input.missing]))
        found = named.agg(F.count(text).alias("rows"), F.countDistinct(text).alias("people")).collect()[0]
        more = found["rows"] - found["people"]
        if more:
            hint = "A row of the wide layout is a person: join the rows of a person, or take one of them out."
            raise InputError(
                f"a person has two rows (that often: {more:,})", file=source, column=column.name, hint=hint
            )
