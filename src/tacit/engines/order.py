"""The order of what an engine publishes: a sort by a keyed hash of what is published, and of what tells records apart.

No number of a partition, no clock and no chance is in it: a task that is done again gives the same rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

PLACE = "tacit_place"
ORIGINAL = "tacit_original"
_ROWS_AT_ONCE = 1 << 16


def contents(table: pa.Table, beside: pa.ChunkedArray | None = None) -> Iterator[bytes]:
    """The content of each row, as bytes that no other content has."""
    columns = [column.to_pylist() for column in (*table.columns, *([] if beside is None else [beside]))]
    return (repr(row).encode("utf-8", "surrogatepass") for row in zip(*columns, strict=True))


def keyed_numbers(key: bytes, rows: Iterable[bytes]) -> np.ndarray:
    """A number for each content, by which rows are dealt into parts.

    It is secret: whoever could reckon the part of a row with this or that sensitive value would see which value it has.
    """
    words = b"".join(hashlib.blake2b(row, key=key, digest_size=8, person=b"tacit part").digest() for row in rows)
    return (np.frombuffer(words, ">u8") >> np.uint64(1)).astype(np.int64)


def as_often(table: pa.Table, often: np.ndarray) -> Iterator[pa.RecordBatch]:
    """Every row as often as it occurs, some at a time, however often one does."""
    ends = np.cumsum(often)
    people = int(ends[-1]) if ends.size else 0
    for start in range(0, people, _ROWS_AT_ONCE):
        rows = np.searchsorted(ends, np.arange(start, min(start + _ROWS_AT_ONCE, people)), side="right")
        yield from table.take(pa.array(rows)).combine_chunks().to_batches()
