"""JSON lines: an object a line, a record each. Lists are baskets; a name that a line lacks is no value."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.csv_lines import told_apart
from tacit.io.memory import as_arrow, pieces_of
from tacit.io.raw import BOM, find_bad_utf8, no_record, not_utf8, open_for_reading
from tacit.io.text import as_text, concatenate, text_bytes

_BLOCK = 1 << 26
_ROWS_AT_ONCE = 1 << 17
_DEEPEST = 500
_OPENING, _CLOSING = [ord(sign) for sign in "[{"], [ord(sign) for sign in "]}"]
_HINT = 'Each line is one object, such as {"age": 41, "products": ["milk", "tea"]}.'


def read_json_lines(path: Path, *, gzipped: bool) -> pa.Table:
    """The records; texts stay texts, those that look like moments, too."""
    with open_for_reading(path, gzipped=gzipped) as file:
        content = as_arrow(pieces_of(file))
    if content.size >= 3 and content[:3].to_pybytes() == BOM:
        content = content[3:]
    bad = find_bad_utf8(memoryview(content))
    if bad is not None:
        raise not_utf8(path, b"", content[:bad].to_pybytes().count(b"\n") + 1)
    if not content.size or not content.to_pybytes().strip():
        raise no_record(path)
    _refuse_depth(content, path)
    table = _parsed(content, path, {})
    moments = {field.name: _as_written(field.type) for field in table.schema if _has_moments(field.type)}
    if moments:
        table = _parsed(content, path, moments).select(table.column_names)
    if not table.num_columns or not table.num_rows:
        raise no_record(path)
    for field in table.schema:
        if pa.types.is_struct(field.type) or (
            pa.types.is_list(field.type) and pa.types.is_nested(field.type.value_type)
        ):
            hint = "Make columns of what is inside it, or a list of texts."
            raise InputError("a value is an object, or a list of lists", file=path, column=field.name, hint=hint)
    table = pa.table([_never_null(column) for column in table.columns], names=table.column_names)
    return table.rename_columns(told_apart(table.column_names, path))


def _refuse_depth(content: pa.Buffer, path: Path) -> None:
    """Refuses lines with so many values inside each other that Arrow's reader would crash."""
    signs = np.frombuffer(content, np.uint8)
    ends = np.concatenate([[-1], np.flatnonzero(signs == ord("\n")), [signs.size]])
    for line in np.flatnonzero(np.diff(ends) > 2 * _DEEPEST).tolist():
        inside = signs[ends[line] + 1 : ends[line + 1]]
        opened = np.isin(inside, _OPENING).astype(np.int32) - np.isin(inside, _CLOSING)
        if np.cumsum(opened).max() <= _DEEPEST:
            continue
        try:  # brackets may stand in texts
            json.loads(inside.tobytes())
        except RecursionError:
            raise InputError(
                "values are far too deep inside each other", file=path, line=line + 1, hint=_HINT
            ) from None
        except ValueError:
            raise InputError("this is not JSON lines", file=path, line=line + 1, hint=_HINT) from None


def _parsed(content: pa.Buffer, path: Path, types: dict[str, pa.DataType]) -> pa.Table:
    from pyarrow.json import ParseOptions, ReadOptions, read_json

    schema = pa.schema(list(types.items())) if types else None
    try:
        return read_json(
            pa.BufferReader(content),
            ReadOptions(block_size=min(_BLOCK, max(content.size, 1)), use_threads=False),
            ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer"),
        )
    except (pa.ArrowException, ValueError) as error:
        changed = re.search(r"Column\(/([^)/]*)[^)]*\) changed from (\w+) to (\w+)", str(error))
        row = re.search(r"in row (\d+)", str(error))
        line = int(row[1]) + 1 if row else None
        if changed:
            problem = f"the column has values of two kinds, {changed[2]} and {changed[3]}"
            raise InputError(
                problem, file=path, line=line, column=changed[1], hint="Write all of them alike."
            ) from None
        raise InputError("this is not JSON lines", file=path, line=line, hint=_HINT) from None


def _has_moments(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) or (pa.types.is_list(kind) and pa.types.is_timestamp(kind.value_type)))


def _as_written(kind: pa.DataType) -> pa.DataType:
    return pa.list_(pa.string()) if pa.types.is_list(kind) else pa.string()


def _never_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of which no line says anything is one of texts."""
    if pa.types.is_null(column.type):
        return column.cast(pa.string())
    if pa.types.is_list(column.type) and pa.types.is_null(column.type.value_type):
        return column.cast(pa.list_(pa.string()))
    return column


def write_json_lines(table: pa.Table, sink: BinaryIO) -> None:
    """An object a line with all names in the order of the columns; no value is null."""
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        parts: list[Any] = []
        for at, (name, column) in enumerate(zip(table.column_names, batch.columns, strict=True)):
            parts += [("{" if not at else ", ") + json.dumps(name, ensure_ascii=False) + ": ", _values(column)]
        sink.write(text_bytes(concatenate(*parts, "}\n")))


def _values(column: pa.Array) -> pa.Array:
    """Each value as JSON."""
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        items = _values(column.flatten())
        lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(ends), items), pa.scalar(", ", pa.large_string()))
        lists = concatenate("[", joined, "]")
        return pc.if_else(column.is_null(), pa.scalar("null", pa.large_string()), lists)
    if pa.types.is_boolean(column.type) or pa.types.is_integer(column.type):
        return pc.fill_null(as_text(column), "null")
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_finite(column), column, pa.scalar(None, column.type))
        return pc.fill_null(as_text(column), "null")
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = as_text(encoded.dictionary).to_pylist()
    written = pa.array([json.dumps(text, ensure_ascii=False) for text in texts], pa.large_string())
    return pc.fill_null(written.take(encoded.indices), "null")
