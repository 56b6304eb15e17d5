"""Values that a spreadsheet would take for formulas: found, and escaped where the job asks for it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.text import as_text, concatenate
from tacit.recoding import CutRecoding, ItemCut

_FORMULA = r"^[=+\-@\t\r\n]"
_NUMBER = r"^[+\-]?[0-9]+(?:[.,][0-9]+)?$"


def escape(text: str, *, alone: bool = True) -> str:
    """The text with an apostrophe in front if a spreadsheet may run it.

    A number with a sign is no formula if it stands alone in its cell; in front of other items it may be one.

    >>> [escape(text) for text in ("=1+1", "=5", "-9", "-9+A1", "a-b")]
    ["'=1+1", "'=5", '-9', "'-9+A1", 'a-b']
    >>> escape("-9", alone=False)
    "'-9"
    """
    is_formula = re.match(_FORMULA, text) and not (alone and re.match(_NUMBER, text))
    return "'" + text if is_formula else text


def escape_recoding(recoding: CutRecoding, *, alone: bool) -> CutRecoding:
    """Published names escaped wherever they stand in a basket, so that an item has one name in the whole file."""
    return CutRecoding({name: _escape_cut(name, cut, alone) for name, cut in recoding.columns.items()})


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
    texts = (as_text(column) for column in table.columns if _is_text(column.type))
    return sum(pc.sum(_formulas(text)).as_py() or 0 for text in texts)


def _escape_cut(column: str, cut: ItemCut, alone: bool) -> ItemCut:
    escaped = {name: escape(name, alone=alone) for name in cut.published}
    if len(set(escaped.values())) < len(escaped):
        raise InputError(
            "two published names would be the same once formulas are escaped",
            column=column,
            hint="Rename one of the items that start with an apostrophe, or leave output.escape_formulas out.",
        )
    return replace(
        cut,
        becomes={leaf: None if node is None else escaped[node] for leaf, node in cut.becomes.items()},
        sensitive={label: escaped[name] for label, name in cut.sensitive.items()},
    )


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _formulas(text: pa.ChunkedArray) -> pa.ChunkedArray:
    number = pc.match_substring_regex(text, _NUMBER)
    return pc.and_(pc.match_substring_regex(text, _FORMULA), pc.invert(number))
