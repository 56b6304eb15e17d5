"""What PostgreSQL has and others have not: rows as text in one stream (COPY), read by Arrow; a rule for each type.

The server writes every value as its own client shows it. So a day that no calendar has, such as `infinity`, is a text
like any other, and what Arrow has a type for is made of the text afterwards, column by column.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from psycopg import DataError
from psycopg.adapt import Loader
from psycopg.types.datetime import DateLoader, TimestampLoader, TimestamptzLoader

from tacit.errors import InputError
from tacit.io.csv_lines import told_apart

_BLOCK = 1 << 24
_WHOLE = {"int2": pa.int16(), "int4": pa.int32(), "int8": pa.int64(), "oid": pa.int64()}
_OTHERS = {"float4": pa.float32(), "float8": pa.float64(), "bool": pa.bool_(), "date": pa.date32(),
           "timestamp": pa.timestamp("us"), "timestamptz": pa.timestamp("us")}  # fmt: skip
_TYPES = {**_WHOLE, **_OTHERS}
"""What Arrow has a type for, if all values fit it. All others (uuid, numeric, json, enums, bits ...) are texts."""
BYTES = ("bytea",)


class _Column(NamedTuple):
    name: str
    kind: str
    is_array: bool


def copied(
    connection: Any, statement: str, wanted: Collection[str] | None, name: str, left_out: list[str] | None = None
) -> pa.Table | None:
    """The rows of a select, streamed; None where two of its columns have one name, so that COPY could not tell them."""
    cursor = connection.cursor()
    cursor.execute(f"select * from (\n{statement}\n) as tacit_rows limit 0")
    columns = _columns(cursor)
    names = [column.name for column in columns]
    if told_apart(list(names), name) != names:
        return None
    chosen = [column for column in columns if wanted is None or column.name in wanted]
    if not chosen or (wanted is not None and len(chosen) < len(wanted)):
        return None  # whoever reads the rows one by one says what is missing
    if left_out is not None:
        left_out += [column.name for column in chosen if column.kind in BYTES]
        chosen = [column for column in chosen if column.kind not in BYTES]
    for column in chosen:
        if column.kind in BYTES:
            hint = "Leave it out, or have the query make text of it."
            raise InputError("it holds bytes, not text", file=name, column=column.name, hint=hint)
    asked = ", ".join(map(_asked, chosen))
    rows = f"copy (select {asked} from (\n{statement}\n) as tacit_rows) to stdout (format csv)"
    with cursor.copy(rows) as copy:
        table = _read(io.BufferedReader(_Stream(copy), _BLOCK), [column.name for column in chosen])
    return pa.table({column.name: _typed(table[column.name], column) for column in chosen})


def _columns(cursor: Any) -> list[_Column]:
    described = [(each.name, each.type_code) for each in cursor.description]
    oids = ",".join(str(int(oid)) for oid in {oid for _, oid in described})
    cursor.execute(
        "select t.oid, coalesce(e.typname, b.typname, t.typname), t.typcategory = 'A' from pg_type t "
        "left join pg_type e on t.typcategory = 'A' and e.oid = t.typelem "
        f"left join pg_type b on t.typtype = 'd' and b.oid = t.typbasetype where t.oid in ({oids})"
    )
    kinds = {oid: (kind, is_array) for oid, kind, is_array in cursor.fetchall()}
    return [_Column(each, *kinds.get(oid, ("text", False))) for each, oid in described]


def _asked(column: _Column) -> str:
    """What is asked of the server for a column: an array as JSON, a moment in one zone."""
    quoted = '"' + column.name.replace('"', '""') + '"'
    if column.is_array:
        return f"array_to_json({quoted})::text"
    return f"{quoted} at time zone 'UTC'" if column.kind == "timestamptz" else quoted


class _Stream(io.RawIOBase):
    """What COPY sends, as a file."""

    def __init__(self, copy: Any) -> None:
        self._pieces, self._rest = iter(copy), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not len(self._rest):
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        taken = min(len(buffer), len(self._rest))
        buffer[:taken] = self._rest[:taken]
        self._rest = self._rest[taken:]
        return taken


def _read(stream: Any, names: Sequence[str]) -> pa.Table:
    from pyarrow import csv

    keys = [str(at) for at in range(len(names))]
    try:
        table = csv.read_csv(
            stream,
            csv.ReadOptions(column_names=keys, block_size=_BLOCK, use_threads=False),
            csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(keys, pa.string()), strings_can_be_null=True, null_values=[""],
                quoted_strings_can_be_null=False,
            ),
        )  # fmt: skip
    except pa.ArrowInvalid:  # no row at all
        table = pa.table({key: pa.array([], pa.string()) for key in keys})
    return table.rename_columns(list(names))


def _typed(texts: pa.ChunkedArray, column: _Column) -> pa.ChunkedArray:
    if column.is_array:
        return _lists(texts)
    kind = _TYPES.get(column.kind)
    if kind is None:
        return texts
    if column.kind == "bool":
        return pc.equal(texts, "t")
    try:
        typed = texts.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return texts
    return typed.cast(pa.timestamp("us", "UTC")) if column.kind == "timestamptz" else typed


def _lists(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Arrays, of texts unless all are numbers."""
    from pyarrow import json

    from tacit.io.text import as_text, concatenate, text_bytes

    lines = concatenate('{"v": ', pc.fill_null(as_text(texts.combine_chunks()), "null"), "}\n")
    if not len(lines):
        return pa.chunked_array([], pa.list_(pa.string()))
    source = bytes(text_bytes(lines))
    for kind in (None, pa.list_(pa.string())):
        schema = pa.schema([("v", kind)]) if kind is not None else None
        read = json.ReadOptions(block_size=max(len(source), 1), use_threads=False)
        found = json.read_json(io.BytesIO(source), read, json.ParseOptions(explicit_schema=schema))["v"]
        is_list = pa.types.is_list(found.type)
        inner = found.type.value_type if is_list else found.type
        if is_list and (pa.types.is_integer(inner) or pa.types.is_floating(inner) or pa.types.is_string(inner)):
            break
    return found


def read_all_days(connection: Any) -> None:
    """Has a connection give a text where it has no other value for a day."""
    for name, loader in (("date", DateLoader), ("timestamp", TimestampLoader), ("timestamptz", TimestamptzLoader)):
        connection.adapters.register_loader(name, _or_text(loader))


def _or_text(loader: type[Loader]) -> type[Loader]:
    class OrText(loader):  # type: ignore[misc, valid-type]
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except DataError:
                return bytes(data).decode()

    return OrText


def copy_into(connection: Any, table: str, rows: pa.Table, quoted: Callable[[str], str]) -> None:
    """Writes rows of texts, numbers and lists of texts into a table."""
    from pyarrow import csv

    columns = ", ".join(quoted(name) for name in rows.column_names)
    with connection.cursor().copy(f"copy {table} ({columns}) from stdin (format csv)") as copy:
        for batch in rows.to_batches(max_chunksize=1 << 16):
            sink = io.BytesIO()
            csv.write_csv(batch, sink, csv.WriteOptions(include_header=False, quoting_style="all_valid"))
            copy.write(sink.getvalue())
