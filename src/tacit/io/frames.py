"""Frames of pandas, Polars and Arrow: in as one Arrow table, out as the same kind of frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import narwhals as nw
import pyarrow as pa

from tacit.arrays.encode import is_list
from tacit.errors import InputError
from tacit.io.text import without_extensions


def to_table(frame: Any, wanted: Collection[str] | None) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """The wanted columns of a frame (None: all) as an Arrow table, and what makes such a frame out of a table again."""
    if isinstance(frame, pa.Table):
        return without_extensions(frame.select(_positions(frame.column_names, wanted))), lambda table: table
    if nw.dependencies.is_pandas_dataframe(frame):
        given = without_extensions(_from_pandas(frame, wanted))
        dtypes = dict(zip(map(str, frame.columns), frame.dtypes, strict=True))
        return given, lambda table: _to_pandas(table, given.schema, dtypes)
    try:
        wrapped = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(
            f"cannot read a {type(frame).__name__} as a table",
            hint="Give a pandas or Polars DataFrame (a lazy one collected), or an Arrow table.",
        ) from None
    chosen = wrapped.select([name for name in wrapped.columns if wanted is None or name in wanted])
    return chosen.to_arrow(), lambda table: nw.from_arrow(table, backend=wrapped.implementation).to_native()


def _positions(names: list[str], wanted: Collection[str] | None) -> list[int]:
    """Where the wanted columns stand; two of one name are refused."""
    wanted = names if wanted is None else wanted
    for name in wanted:
        if names.count(name) > 1:
            hint = "Rename one of them."
            raise InputError("the frame has two columns of this name", column=name, hint=hint)
    return [position for position, name in enumerate(names) if name in wanted]


def _from_pandas(frame: Any, wanted: Collection[str] | None) -> pa.Table:
    """Sets in cells count as lists; the index says nothing about the data and is left behind.

    Columns are copied: Arrow would share their memory, and who gave the frame may change it later.
    """
    names = [str(name) for name in frame.columns]
    columns = {}
    for position in _positions(names, wanted):
        column = frame.iloc[:, position]
        if column.dtype == object and isinstance(next(iter(column.dropna()), None), set | frozenset):
            column = column.map(lambda cell: sorted(cell, key=str), na_action="ignore")
        try:
            columns[names[position]] = pa.Array.from_pandas(column.copy())
        except OverflowError:
            raise InputError(
                "the column has whole numbers of more than 64 bits",
                column=names[position],
                hint="Give them as text, for example with .astype(str).",
            ) from None
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise InputError(
                "the column mixes kinds of values that do not fit together",
                column=names[position],
                hint="Give the column one type, for example with .astype(str).",
            ) from None
    return pa.table(columns)


def _to_pandas(table: pa.Table, given: pa.Schema, dtypes: Mapping[str, Any]) -> Any:
    """A pandas frame in which a list column holds lists, not arrays, and nullable numbers are what they were."""
    frame = table.to_pandas()
    for name, column in zip(table.column_names, table.columns, strict=True):
        dtype: Any = dtypes.get(name)
        if is_list(column.type):
            frame[name] = column.to_pylist()
        elif hasattr(dtype, "__from_arrow__") and dtype.kind in "iuf" and column.type == given.field(name).type:
            frame[name] = dtype.__from_arrow__(column)
    return frame
