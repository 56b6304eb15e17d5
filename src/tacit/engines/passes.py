"""Sorted files of more rows than an engine sorts at once: Sail sorts in memory.

Rows are kept aside with their places, equal ones once with their number, and written in passes, each of which has the
rows between two places. Places are words of a keyed hash, so they are spread evenly; what is not are rows that many
people have. So rows are counted by the first bytes of their places, and one that is too many by itself is written in
several passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacit.engines import cuts, frames
from tacit.engines.frames import ROWS
from tacit.engines.order import PLACE, as_often
from tacit.engines.session import Session
from tacit.io import FileFormat

AT_ONCE = 5_000_000
"""Rows that Sail sorts at a time."""
_BYTES = 2


class Pass(NamedTuple):
    """The rows from one place up to before another one; of each so many shares of its copies, this one."""

    first: bytes
    before: bytes | None
    share: int = 0
    shares: int = 1


def write_in_order(
    session: Session, rows: Any, names: Sequence[str], people: int, folder: Path, output: FileFormat
) -> list[Path]:
    """Writes the columns of kept rows by their places, each row as often as it occurs, of so many people in all; gives
    back the files."""
    if session.name != "sail":  # all others spill to disk what they sort
        return frames.write(in_order(rows, names, people), folder, output)
    pieces = (in_order(_in_pass(rows, each), names, people, each) for each in _passes(rows))
    return frames.write_each(pieces, folder, output)


def in_order(rows: Any, names: Sequence[str], people: int, of: Pass | None = None) -> Any:
    """Rows of so many people by their places, each as often as it occurs, with nothing but these columns.

    It must be the last step before they are written: engines keep no order through a function of ours."""
    if ROWS in rows.columns:
        shares = (0, 1) if of is None else (of.share, of.shares)
        wanted = [field for field in rows.schema.fields if field.name != ROWS]
        rows = frames.mapped(rows, partial(repeated, shares=shares), type(rows.schema)(wanted))
    return cuts.by_place(rows, cuts.files_for(people)).select(*map(frames.quoted, names))


def repeated(batches: Iterator[pa.RecordBatch], *, shares: tuple[int, int]) -> Iterator[pa.RecordBatch]:
    """On an executor: a share of the copies of each row."""
    share, of = shares
    for batch in batches:
        often = batch[ROWS].to_numpy()
        copies = often * (share + 1) // of - often * share // of
        yield from as_often(pa.Table.from_batches([batch]).drop_columns([ROWS]), copies)


def _in_pass(rows: Any, wanted: Pass) -> Any:
    """The rows between two places. Where these are written in several passes, all of them are alike: then they are one
    row with their number, since the copies of many single ones cannot be shared out."""
    from pyspark.sql import functions as F

    rows = rows.filter(F.col(PLACE) >= F.lit(wanted.first)) if wanted.first else rows
    rows = rows if wanted.before is None else rows.filter(F.col(PLACE) < F.lit(wanted.before))
    if wanted.shares == 1:
        return rows
    often = F.sum(ROWS) if ROWS in rows.columns else F.count(F.lit(1))
    return rows.groupBy(*(frames.quoted(name) for name in rows.columns if name != ROWS)).agg(often.alias(ROWS))


def _passes(rows: Any) -> list[Pass]:
    """As few passes as that takes, each of about as many rows as are sorted at once, if that is possible."""
    counts = _counted(rows, _BYTES)
    ends: list[tuple[bytes, int]] = []
    for first, often in sorted(counts.items()):
        if often <= AT_ONCE:
            ends.append((first, often))
        else:
            inside = rows.filter(_starts_with(first))
            ends += sorted(_counted(inside, None).items())
    found, held = list[Pass](), 0
    for place, often in ends:
        if found and held + often <= AT_ONCE:
            held += often
            continue
        if found:
            found = [*_until(found, place)]
        shares = max(1, -(-often // AT_ONCE))
        found += [Pass(place, None, share, shares) for share in range(shares)]
        held = often if shares == 1 else AT_ONCE
    return found or [Pass(b"", None)]


def _until(found: list[Pass], place: bytes) -> Iterator[Pass]:
    """The same passes, of which those without an end have this one."""
    for each in found:
        yield each if each.before is not None else each._replace(before=place)


def _starts_with(first: bytes) -> Any:
    from pyspark.sql import functions as F

    following = (int.from_bytes(first) + 1).to_bytes(_BYTES + 1)[-_BYTES:]
    from_here = F.col(PLACE) >= F.lit(first)
    return from_here if not any(following) else from_here & (F.col(PLACE) < F.lit(following))


def _counted(rows: Any, length: int | None) -> dict[bytes, int]:
    """How many rows there are of each place, or of each beginning of one."""
    from pyspark.sql import functions as F

    given = rows.select(PLACE, *([ROWS] if ROWS in rows.columns else []))
    found = frames.mapped(given, partial(by_beginning, length=length), "place binary, often long")
    table = found.groupBy("place").agg(F.sum("often").alias("often")).toArrow()
    return dict(zip(table["place"].to_pylist(), table["often"].to_pylist(), strict=True))


def by_beginning(batches: Iterator[pa.RecordBatch], *, length: int | None) -> Iterator[pa.RecordBatch]:
    """On an executor: the same of some rows."""
    counts: Counter[bytes] = Counter()
    for batch in batches:
        often = batch[ROWS].to_numpy() if ROWS in batch.schema.names else np.ones(batch.num_rows, np.int64)
        for place, count in zip(batch[PLACE].to_pylist(), often.tolist(), strict=True):
            counts[place[:length]] += count
    yield pa.RecordBatch.from_arrays(
        [pa.array(list(counts), pa.binary()), pa.array(list(counts.values()), pa.int64())], ["place", "often"]
    )
