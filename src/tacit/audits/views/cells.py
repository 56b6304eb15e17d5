"""Columns of a table by the texts of their cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.text import as_text, no_text
from tacit.taxonomy.nodes import free_name

NO_VALUE = ("",)


@dataclass(frozen=True, eq=False)
class Cells:
    """A column: `texts[codes[r]]` stands in record r. Equal texts are one value, whatever their codes."""

    name: str
    codes: np.ndarray  # int32 per record
    texts: Sequence[str]
    missing: int = -1  # the last code, if some record has no value
    written: Mapping[str, str] = field(default_factory=dict)  # texts that stand in the file in another way: `5.3.2024`

    def told(self, code: int) -> str:
        """A value as the file has it."""
        return self.written.get(str(self.texts[code]), str(self.texts[code]))

    def __len__(self) -> int:
        return len(self.codes)


def read_cells(name: str, column: pa.ChunkedArray, missing: Collection[str], source: str | Path | None) -> Cells:
    """A column by its exact texts.

    All that means "no value" is one value: null, empty text, and the markers. It is called as the empty text if some
    record has that or null, else as the marker that comes first.
    """
    try:
        values, codes = different_values(column)
        texts = _texts_or_null(values)
    except InputError as error:
        raise InputError(error.problem, file=source, column=name, hint=error.hint) from None
    markers = pa.array(sorted({"", *missing}), pa.large_string())
    is_missing = pc.or_(pc.is_null(texts), pc.is_in(texts, value_set=markers))
    known = pc.unique(texts.filter(pc.invert(is_missing)))
    absent = [text or "" for text in texts.filter(is_missing).to_pylist()] + [""] * bool((codes < 0).any())
    place = pc.fill_null(pc.index_in(texts, value_set=known), len(known))
    codes = np.append(np.from_dlpack(place), len(known)).astype(np.int32)[codes]  # −1, null, takes the last one
    shown = known.to_pylist()
    if not absent:
        return Cells(name, codes, tuple(shown))
    return Cells(name, codes, (*shown, "" if "" in absent else absent[0]), len(known))


def read_labels(name: str, column: pa.ChunkedArray, source: str | Path | None) -> Cells:
    """A column as everybody can tell its cells apart: whatever means "no value", null and an empty text are two."""
    cells = read_cells(name, column, NO_VALUE, source)
    if column.null_count in (0, np.count_nonzero(cells.codes == cells.missing)):
        return cells
    is_null = np.concatenate([flags(pc.is_null(chunk)) for chunk in column.chunks])
    codes = np.where(is_null, len(cells.texts), cells.codes).astype(np.int32)
    return replace(cells, codes=codes, texts=(*cells.texts, free_name("null", set(cells.texts))))


def different_values(column: pa.ChunkedArray) -> tuple[pa.Array, np.ndarray]:
    """The different values, and which of them each row has (int32; −1 for null)."""
    is_encoded = pa.types.is_dictionary(column.type)
    if pa.types.is_nested(column.type) and not is_encoded:
        raise no_text(column.type)
    encoded = (column if is_encoded else _days(column).dictionary_encode()).unify_dictionaries()
    if not encoded.num_chunks:
        return pa.array([], encoded.type.value_type), np.empty(0, np.int32)
    values = encoded.chunk(0).dictionary
    codes = np.concatenate([_indices(chunk) for chunk in encoded.chunks])
    occurs = np.zeros(len(values) + 1, bool)
    occurs[codes] = True
    if occurs[:-1].all():
        return values, codes
    new_code = np.append(np.cumsum(occurs[:-1], dtype=np.int32) - 1, np.int32(-1)).astype(np.int32)
    return values.filter(pa.array(occurs[:-1])), new_code[codes]


def flags(values: pa.BooleanArray) -> np.ndarray:
    """Booleans without null as an array. (Arrow's own `to_numpy` would import pandas.)"""
    return np.from_dlpack(pc.cast(values, pa.int8())) == 1


def _indices(chunk: pa.DictionaryArray) -> np.ndarray:
    indices = chunk.indices.cast(pa.int32())
    return np.from_dlpack(pc.fill_null(indices, -1) if indices.null_count else indices)


def _days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Points in time that are all midnights as days, as people write them."""
    if pa.types.is_timestamp(column.type) and column.type.tz is None:
        days = pc.cast(column, pa.date32(), safe=False)
        if pc.all(pc.equal(pc.cast(days, column.type), column)).as_py() in (True, None):
            return days
    return column


def _texts_or_null(values: pa.Array) -> pa.Array:
    texts = as_text(values)
    if pa.types.is_floating(values.type):
        return pc.if_else(pc.is_nan(values), pa.scalar(None, pa.large_string()), texts)
    return texts
