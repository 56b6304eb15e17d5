"""What a release on an engine was made from: a digest of all rows of the input, with all of their columns.

What hides people is drawn from it, so that a key that is used again on changed data, whatever column changed, gives an
unrelated order. Each row is hashed on an executor and the hashes are summed modulo 2^256, so that neither the order of
rows, nor how they lie in partitions, nor a task that is done again matters. The hash of a row is keyed by a word of the
release's own key: sums of plain hashes can be made to agree by whoever chooses the rows, sums of keyed ones cannot by
whoever has not the key, and by chance two inputs agree once in 2^256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.engines import frames
from tacit.shuffle import KEY_BYTES, digest

INPUT = "input's rows, each hashed with the key of the release"
"""What a release on an engine calls the digest of its input."""
_LABEL = "digest of the input"
_WORDS = KEY_BYTES // 4
_BYTES = pa.large_binary()
_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
_NUMBERS = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)


def input_sha256(frame: Any, key: bytes) -> str:
    """A digest of all rows of a frame, whatever order and partitions they are in."""
    own = digest(key, _LABEL).digest(KEY_BYTES)
    found = frames.plainly_named(frame).mapInArrow(partial(summed, key=own), "rows long, total binary").toArrow()
    total = sum(int.from_bytes(each) for each in found["total"].to_pylist()) % 2**256
    told = f"{frame.columns} {sum(found['rows'].to_pylist())} {total}"
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


def summed(batches: Iterator[pa.RecordBatch], *, key: bytes) -> Iterator[pa.RecordBatch]:
    """On an executor: how many rows there are, and the sum of their hashes."""
    rows, total = 0, 0
    for batch in batches:
        hashes = b"".join(
            hashlib.blake2b(row, key=key, digest_size=KEY_BYTES).digest() for row in encoded(batch).to_pylist()
        )
        words = np.frombuffer(hashes, ">u4").reshape(-1, _WORDS).sum(axis=0, dtype=np.uint64).tolist()
        total += reduce(lambda high, low: (high << 32) + low, words, 0)
        rows += batch.num_rows
    yield pa.RecordBatch.from_pydict({"rows": [rows], "total": [(total % 2**256).to_bytes(32)]})


def encoded(batch: pa.RecordBatch) -> pa.Array:
    """The content of each row as bytes that no other content has: every cell with its length before it."""
    cells = [_with_length(_cells(column)) for column in batch.columns]
    return pc.binary_join_element_wise(*cells, _bytes(b""))


def _cells(column: pa.Array) -> pa.Array:
    """The cells of a column as bytes; null where there is nothing."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _cells(column.dictionary_decode())
    if any(is_one(kind) for is_one in _TEXTS):
        return column.cast(_BYTES)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        lists = column.cast(pa.large_list(kind.value_type))
        items = _with_length(_cells(pc.list_flatten(lists)))
        lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
        ends = pa.array(np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths))))
        joined = pc.binary_join(pa.LargeListArray.from_arrays(ends, items), _bytes(b""))
        return pc.if_else(lists.is_valid(), joined, _bytes(None))
    if any(is_one(kind) for is_one in _NUMBERS):
        return column.cast(pa.large_string()).cast(_BYTES)
    texts = [None if each is None else repr(each).encode("utf-8", "surrogatepass") for each in column.to_pylist()]
    return pa.array(texts, _BYTES)


def _with_length(cells: pa.Array) -> pa.Array:
    lengths = pc.binary_length(cells).cast(pa.large_string()).cast(_BYTES)
    return pc.fill_null(pc.binary_join_element_wise(lengths, cells, _bytes(b":")), _bytes(b"-"))


def _bytes(value: bytes | None) -> pa.Scalar:
    return pa.scalar(value, _BYTES)
