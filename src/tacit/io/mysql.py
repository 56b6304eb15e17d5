"""What MySQL and MariaDB have and others have not: rows as text, read by connectorx, straight into Arrow.

Their driver is written in Python, and makes an object of every value. Connectorx makes Arrow of the rows itself, but
has no rule for a day that no calendar has, a negative time or a long decimal number. So the server writes whatever is
no text as text, and what Arrow has a type for is made of it afterwards, column by column, by the rules of
`tacit.io.database_values`: both ways give the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pymysql import Error
from pymysql.constants import FIELD_TYPE

from tacit.errors import InputError
from tacit.io.csv_lines import told_apart

_ROWS_AT_ONCE = 1 << 16
_READ_ONLY = "SET SESSION TRANSACTION READ ONLY"
_WHOLE = {
    FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.INT24, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.YEAR
}  # fmt: skip
_DECIMAL = {FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL}
_TYPES = {
    **dict.fromkeys(_WHOLE, pa.int64()),
    **dict.fromkeys((FIELD_TYPE.FLOAT, FIELD_TYPE.DOUBLE), pa.float64()),
    **dict.fromkeys((FIELD_TYPE.DATE, FIELD_TYPE.NEWDATE), pa.date32()),
    **dict.fromkeys((FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP), pa.timestamp("us")),
}
"""What is made of the text of a column, if it holds all of it; else it stays text."""
_BYTES = {FIELD_TYPE.BIT, FIELD_TYPE.GEOMETRY}
_TEXTS = {
    FIELD_TYPE.VARCHAR, FIELD_TYPE.VAR_STRING, FIELD_TYPE.STRING, FIELD_TYPE.ENUM, FIELD_TYPE.SET, FIELD_TYPE.BLOB,
    FIELD_TYPE.TINY_BLOB, FIELD_TYPE.MEDIUM_BLOB, FIELD_TYPE.LONG_BLOB,
}  # fmt: skip
"""What is asked for as it stands: the types of texts, which are those of bytes, too."""
_IN_ORDER = re.compile(r"\border\s+by\b", re.IGNORECASE)


class _Column(NamedTuple):
    name: str
    kind: int
    scale: int


def streamed(
    connection: Any, statement: str, wanted: Collection[str] | None, name: str, left_out: list[str] | None = None
) -> pa.Table | None:
    """The rows of a select; None where they must be read one by one.

    That is where connectorx is not installed, where the URL has options (which are the other driver's), where two
    columns have one name, and where the rows come in an order, which a select around them forgets.
    """
    address = connection.engine.url
    if address.query or _IN_ORDER.search(statement):
        return None
    try:
        import connectorx
    except ModuleNotFoundError:
        return None
    rows = f"(\n{statement}\n) as tacit_rows"
    try:
        columns = _columns(connection, rows)
    except Error:  # whoever reads the rows one by one says what is wrong; so below
        return None
    names = [column.name for column in columns]
    chosen = [column for column in columns if wanted is None or column.name in wanted]
    if told_apart(list(names), name) != names or not chosen or (wanted is not None and len(chosen) < len(wanted)):
        return None
    url = address.set(drivername="mysql").render_as_string(hide_password=False)
    while chosen := _without_bytes(chosen, {each.name for each in chosen if each.kind in _BYTES}, name, left_out):
        asked = ", ".join(f"{_asked(column)} as c{place}" for place, column in enumerate(chosen))
        try:
            reader = connectorx.read_sql(
                url, f"select {asked} from {rows}", return_type="arrow_stream", batch_size=_ROWS_AT_ONCE,
                pre_execution_query=_READ_ONLY,
            )  # fmt: skip
        except RuntimeError:  # its words may quote data or the address
            return None
        bytes_in = {column.name for column, field in zip(chosen, reader.schema, strict=True) if _is_bytes(field.type)}
        if not bytes_in:
            table = reader.read_all()
            return pa.table({each.name: _typed(table.column(place), each) for place, each in enumerate(chosen)})
        chosen = _without_bytes(chosen, bytes_in, name, left_out)
    return None


def _columns(connection: Any, rows: str) -> list[_Column]:
    cursor = connection.connection.cursor()
    cursor.execute(f"select * from {rows} limit 0")
    return [_Column(each[0], each[1], each[5]) for each in cursor.description]


def _asked(column: _Column) -> str:
    """What is asked of the server for a column: a text. A time is written to the millionth of a second or to none."""
    quoted = "`" + column.name.replace("`", "``") + "`"
    if column.kind in _TEXTS:
        return quoted
    if column.kind == FIELD_TYPE.TIME:
        return f"replace(cast(cast({quoted} as time(6)) as char), '.000000', '')"
    return f"cast({quoted} as char)"


def _without_bytes(columns: list[_Column], bytes_in: set[str], name: str, left_out: list[str] | None) -> list[_Column]:
    """The columns but for those of bytes, which are refused unless somebody lists what was left out."""
    for column in columns:
        if column.name in bytes_in:
            if left_out is None:
                hint = "Leave it out, or have the query make text of it."
                raise InputError("it holds bytes, not text", file=name, column=column.name, hint=hint)
            left_out.append(column.name)
    return [column for column in columns if column.name not in bytes_in]


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _typed(texts: pa.ChunkedArray, column: _Column) -> pa.ChunkedArray:
    kinds = [_TYPES[column.kind]] if column.kind in _TYPES else []
    if column.kind in _DECIMAL:
        kinds = [pa.decimal128(38, column.scale), pa.decimal256(76, column.scale)]
    for kind in kinds:
        try:
            return pc.cast(texts, kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    return texts.cast(pa.string())
