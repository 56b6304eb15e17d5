"""Frames of pandas, Polars and Arrow: in as one Arrow table, out as the same kind of frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import pyarrow as pa

from tacit.errors import InputError


def to_table(frame: Any) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """The frame as an Arrow table, and what makes such a frame out of a table again."""
    if isinstance(frame, pa.Table):
        return frame, lambda table: table
    try:
        wrapped = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(
            f"cannot read a {type(frame).__name__} as a table",
            hint="Give a pandas or Polars DataFrame (a lazy one collected), or an Arrow table.",
        ) from None
    kind = wrapped.implementation
    if kind.is_pandas():
        return _from_pandas(frame), _to_pandas
    return wrapped.to_arrow(), lambda table: nw.from_arrow(table, backend=kind).to_native()


def _from_pandas(frame: Any) -> pa.Table:
    """Sets and tuples in cells count as lists; the index says nothing about the data and is left behind."""
    converted = {}
    for name in frame.columns:
        column = frame[name]
        if column.dtype == object and column.map(lambda cell: isinstance(cell, set | frozenset | tuple)).any():
            column = column.map(lambda cell: sorted(cell) if isinstance(cell, set | frozenset) else cell)
        try:
            converted[str(name)] = pa.Array.from_pandas(column)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise InputError(
                "the column mixes kinds of values that do not fit together",
                column=str(name),
                hint="Give the column one type, for example with .astype(str), or leave it out of the frame.",
            ) from None
    return pa.table(converted)


def _to_pandas(table: pa.Table) -> Any:
    """A pandas frame in which a list column holds lists, not arrays."""
    frame = table.to_pandas()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_list(column.type):
            frame[name] = column.to_pylist()
    return frame
