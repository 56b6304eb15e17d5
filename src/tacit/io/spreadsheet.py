"""Values that a spreadsheet would take for formulas: found, escaped by the writer of a text file, undone by its reader.

An apostrophe goes before a text that begins with a sign of a formula, and before one that has such apostrophes already.
So no two texts become the same, and whoever takes one apostrophe away has the text that there was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.text import as_text, concatenate

_SIGNS = "=+-@\t\r\n"
_FORMULA = rf"^[{re.escape(_SIGNS)}]"
_ESCAPED = rf"^'+[{re.escape(_SIGNS)}]"
_NUMBER = r"[+\-]?[0-9]+(?:[.,][0-9]+)?"

Texts = Any  # pa.Array or pa.ChunkedArray, of which a type checker knows nothing


@dataclass(frozen=True)
class Escaping:
    """How the texts of a file are escaped: what its columns hold. Those of another type than text stay as they are."""

    baskets: Mapping[str, str] = field(default_factory=dict)
    """Columns of several items in a cell, and what stands between these: each item is escaped, wherever it stands."""
    numbers: Collection[str] = ()
    """Columns of numbers, however they are written: they stay as they are."""


def escape(text: str, *, alone: bool = True) -> str:
    """The text with an apostrophe in front if a spreadsheet may run it, or if it looks as if it had got one.

    A number with a sign is no formula if it stands alone in its cell; in front of other items it may be one.

    >>> [escape(text) for text in ("=1+1", "=5", "-9", "-9+A1", "a-b", "'=5", "'a")]
    ["'=1+1", "'=5", '-9', "'-9+A1", 'a-b', "''=5", "'a"]
    >>> escape("-9", alone=False)
    "'-9"
    """
    return "'" + text if re.match(_ESCAPED, text) or _is_formula(text, alone=alone) else text


def unescape(text: str) -> str:
    """The text that `escape` was given.

    >>> [unescape(text) for text in ("'=1+1", "-9", "''=5", "'a")]
    ['=1+1', '-9', "'=5", "'a"]
    """
    return text[1:] if re.match(_ESCAPED, text) else text


def escape_table(table: pa.Table, escaping: Escaping) -> pa.Table:
    """The table as it is written."""
    return _each_column(table, escaping, _escaped)


def unescape_table(table: pa.Table, escaping: Escaping) -> pa.Table:
    """The table that was written.

    A column that was not escaped so stays as it is: whoever wrote `=1` and `'=1` wrote two values, and taken for one
    they would hide each other.
    """
    bare = _each_column(table, escaping, _unescaped)
    again = _each_column(bare, escaping, _escaped)
    ours = [_texts_of(again[name]).equals(_texts_of(table[name])) for name in table.column_names]
    columns = [bare[name] if same else table[name] for name, same in zip(table.column_names, ours, strict=True)]
    return pa.table(columns, names=table.column_names)


def count_formulas(table: pa.Table) -> int:
    """How many cells of a table would be taken for formulas."""
    return sum(_count(column) for column in table.columns if _is_text(column.type))


def _texts_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return as_text(column) if _is_text(column.type) else column


def _is_formula(text: str, *, alone: bool) -> bool:
    return bool(re.match(_FORMULA, text)) and not (alone and re.fullmatch(_NUMBER, text))


def _each_column(table: pa.Table, escaping: Escaping, change: Callable[[Texts, bool], Texts]) -> pa.Table:
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if _is_text(column.type) and name not in escaping.numbers:
            separator = escaping.baskets.get(name)
            column = _changed(column, change) if separator is None else _changed_items(column, separator, change, name)
        columns.append(column)
    return pa.table(columns, names=table.column_names)


def _changed(column: pa.ChunkedArray, change: Callable[[Texts, bool], Texts]) -> pa.ChunkedArray:
    """A column of single texts; of a dictionary-encoded one, the different texts."""
    if not pa.types.is_dictionary(column.type):
        return change(as_text(column), True)
    chunks = []
    for chunk in column.chunks:
        texts = change(as_text(chunk.dictionary), True)
        different = pc.unique(texts)  # a file of somebody else may hold a formula both ways
        indices = pc.index_in(texts, value_set=different).cast(chunk.type.index_type).take(chunk.indices)
        chunks.append(pa.DictionaryArray.from_arrays(indices, different.cast(chunk.type.value_type)))
    return pa.chunked_array(chunks, column.type)


def _changed_items(
    column: pa.ChunkedArray, separator: str, change: Callable[[Texts, bool], Texts], name: str
) -> pa.ChunkedArray:
    """A column of baskets, each item on its own."""
    chunks = []
    for chunk in as_text(column).chunks:
        baskets = pc.split_pattern(chunk, separator)
        items = baskets.flatten()
        changed = change(items, False)
        if not changed.equals(items):
            _check_items(changed, separator, name)
            offsets = pc.subtract(baskets.offsets, baskets.offsets[0])
            joined = pc.binary_join(pa.ListArray.from_arrays(offsets, changed), pa.scalar(separator, pa.large_string()))
            chunk = pc.if_else(chunk.is_null(), chunk, joined)
        chunks.append(chunk)
    return pa.chunked_array(chunks, pa.large_string())


def _check_items(items: pa.Array, separator: str, column: str) -> None:
    """Refuses a separator with an apostrophe, where an item that got one could not be told from two."""
    if "'" in separator and pc.any(pc.match_substring(items, separator)).as_py():
        raise InputError(
            f"items that look like formulas cannot be escaped in baskets separated by {separator!r}",
            column=column,
            hint="Choose another separator, or leave output.escape_formulas out.",
        )


def _escaped(texts: Texts, alone: bool) -> Texts:
    needs_one = pc.or_(_formulas(texts, alone=alone), pc.match_substring_regex(texts, _ESCAPED))
    return pc.if_else(needs_one, concatenate("'", texts), texts)


def _unescaped(texts: Texts, alone: bool) -> Texts:
    has_one = pc.match_substring_regex(texts, _ESCAPED)
    return pc.if_else(has_one, pc.utf8_slice_codeunits(texts, 1), texts) if pc.any(has_one).as_py() else texts


def _count(column: pa.ChunkedArray) -> int:
    if not pa.types.is_dictionary(column.type):
        return pc.sum(_formulas(as_text(column))).as_py() or 0
    return sum(pc.sum(_formulas(as_text(chunk.dictionary)).take(chunk.indices)).as_py() or 0 for chunk in column.chunks)


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _formulas(texts: Texts, *, alone: bool = True) -> Texts:
    has_sign = pc.match_substring_regex(texts, _FORMULA)
    if not alone or not pc.any(has_sign).as_py():
        return has_sign
    return pc.and_(has_sign, pc.invert(pc.match_substring_regex(texts, f"^{_NUMBER}$")))
