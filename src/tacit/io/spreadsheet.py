"""Values that a spreadsheet would take for formulas: found, and escaped where the job asks for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.text import as_text, concatenate

_SIGNS = "=+-@\t\r\n"
_FORMULA = rf"^[{re.escape(_SIGNS)}]"
_NUMBER = r"^[+\-]?[0-9]+(?:[.,][0-9]+)?$"


def escape(text: str, *, alone: bool = True) -> str:
    """The text with an apostrophe in front if a spreadsheet may run it.

    A number with a sign is no formula if it stands alone in its cell; in front of other items it may be one.

    >>> [escape(text) for text in ("=1+1", "=5", "-9", "-9+A1", "a-b")]
    ["'=1+1", "'=5", '-9', "'-9+A1", 'a-b']
    >>> escape("-9", alone=False)
    "'-9"
    """
    is_formula = text and text[0] in _SIGNS and not (alone and re.match(_NUMBER, text))
    return "'" + text if is_formula else text


def escape_names(names: Sequence[str], column: str, *, alone: bool) -> tuple[str, ...]:
    """The names of a column escaped; refused if two of them would be the same then."""
    escaped = tuple(escape(name, alone=alone) for name in names)
    if len(set(escaped)) < len(set(names)):
        raise InputError(
            "two published names would be the same once formulas are escaped",
            column=column,
            hint="Rename one of the items that start with an apostrophe, or leave output.escape_formulas out.",
        )
    return escaped


def escape_columns(table: pa.Table, names: Collection[str]) -> pa.Table:
    """The table with the formulas in these columns escaped, as far as they are text."""
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name in names and _is_text(column.type):
            text = as_text(column)
            column = pc.if_else(_formulas(text), concatenate("'", text), text)
        columns.append(column)
    return pa.table(columns, names=table.column_names)


def count_formulas(table: pa.Table) -> int:
    """How many cells of a table would be taken for formulas."""
    return sum(_count(column) for column in table.columns if _is_text(column.type))


def _count(column: pa.ChunkedArray) -> int:
    if not pa.types.is_dictionary(column.type):
        return pc.sum(_formulas(as_text(column))).as_py() or 0
    return sum(pc.sum(_formulas(as_text(chunk.dictionary)).take(chunk.indices)).as_py() or 0 for chunk in column.chunks)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _formulas(text: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    has_sign = pc.match_substring_regex(text, _FORMULA)
    if not pc.any(has_sign).as_py():
        return has_sign
    return pc.and_(has_sign, pc.invert(pc.match_substring_regex(text, _NUMBER)))
