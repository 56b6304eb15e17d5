"""What a database gives, as Arrow has it: kept as it is where people would write it so, else as text.

A UUID is its text. A span of time, as MySQL has for a time of day, is hours, minutes and seconds. A day that no
calendar has, as `infinity` in PostgreSQL, is a text among days. Bytes mean nothing to a reader, and are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa

from tacit.errors import InputError

BYTES = (bytes, bytearray, memoryview)


def to_arrow(values: Sequence[Any]) -> pa.Array:
    """Some values of a column; those that have no type in common become text."""
    try:
        found = pa.array(values)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return _texts(values)
    kind = found.type
    as_text = pa.types.is_duration(kind) or isinstance(kind, pa.BaseExtensionType) or pa.types.is_interval(kind)
    return _texts(values) if as_text or _is_bytes(kind) else found


def one_type(batches: Sequence[pa.Array]) -> pa.ChunkedArray:
    """The batches of a column under the narrowest type that holds them all, text if there is no other."""
    try:
        schemas = [pa.schema([("", batch.type)]) for batch in batches]
        kind = pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowTypeError:
        kind = pa.string()
    try:
        return pa.chunked_array([batch.cast(kind) for batch in batches], kind)
    except (pa.ArrowTypeError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.chunked_array([_texts(batch.to_pylist()) for batch in batches], pa.string())


def clock(span: timedelta) -> str:
    """A span of time as databases write it.

    >>> clock(timedelta(hours=10)), clock(-timedelta(hours=1, seconds=2, microseconds=30))
    ('10:00:00', '-01:00:02.000030')
    """
    seconds, parts = divmod(abs(span), timedelta(seconds=1))
    minutes, second = divmod(seconds, 60)
    fraction = f".{parts // timedelta(microseconds=1):06}" if parts else ""
    return f"{'-' * (span < timedelta(0))}{minutes // 60:02}:{minutes % 60:02}:{second:02}{fraction}"


def _texts(values: Sequence[Any]) -> pa.Array:
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _text(value: Any) -> str:
    if isinstance(value, BYTES):
        raise InputError("it holds bytes, not text", hint="Leave it out, or have the query make text of it.")
    return clock(value) if isinstance(value, timedelta) else str(value)


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))
