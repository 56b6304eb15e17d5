"""Values that a spreadsheet would take for formulas: found, and escaped where the job asks for it."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from tacit.recoding import CutRecoding

_STARTS = ("=", "+", "-", "@", "\t", "\r")
_PATTERN = r"^[=+\-@\t\r]"
_NUMBER = r"^[+-]?[0-9]+([.,][0-9]+)?$"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may run it: a plain number with a sign is none.

    >>> [is_formula(text) for text in ("=1+1", "-9", "a-b")]
    [True, False, False]
    """
    return text.startswith(_STARTS) and not text[1:].replace(".", "", 1).isdigit()


def escape(text: str) -> str:
    """An apostrophe in front makes it text."""
    return "'" + text if is_formula(text) else text


def escape_recoding(recoding: CutRecoding) -> CutRecoding:
    """Published names escaped wherever they stand in a basket, so that an item has one name in the whole file."""
    return CutRecoding(
        {
            name: replace(
                cut, becomes={leaf: node if node is None else escape(node) for leaf, node in cut.becomes.items()}
            )
            for name, cut in recoding.columns.items()
        }
    )


def escape_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column with its formulas escaped; other columns as they are."""
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return column
    return pc.if_else(_formulas(column), pc.binary_join_element_wise("'", column, ""), column)


def count_formulas(table: pa.Table) -> int:
    """How many cells of a table would be taken for formulas."""
    texts = [c for c in table.columns if pa.types.is_string(c.type) or pa.types.is_large_string(c.type)]
    return sum(pc.sum(_formulas(column)).as_py() or 0 for column in texts)


def _formulas(column: pa.ChunkedArray) -> pa.ChunkedArray:
    number = pc.match_substring_regex(column, _NUMBER)
    return pc.and_(pc.match_substring_regex(column, _PATTERN), pc.invert(number))
