"""Baskets of a table: the items of each record by their exact texts. No step loops over records."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.audits._sets import as_sets, only, sets_of
from tacit.audits.views.cells import flags
from tacit.errors import InputError
from tacit.io.text import as_text, no_text

_ROWS_AT_ONCE = 1 << 20
_BYTES_AT_ONCE = 1 << 26
"""A column is read in parts, so that the text of a big one is never in memory twice."""


class Held(NamedTuple):
    """Record r holds items[starts[r]:starts[r + 1]], ascending and each once, by their codes in `labels`."""

    starts: np.ndarray  # int64
    items: np.ndarray  # int32
    labels: tuple[str, ...]


def read_baskets(column: pa.ChunkedArray, separator: str, missing: Collection[str]) -> Held:
    """One basket a row: a list, or text that a separator divides. Null and whatever means "no value" is no item."""
    labels = _Labels(missing)
    parts = []
    for part in _parts(column):
        counts, tokens = _tokens(part, separator, labels)
        starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        codes = labels.codes(tokens)
        parts.append(as_sets(*only(starts, codes, codes >= 0)))
    return Held(*one_after_another(parts), labels.all())


def read_persons(
    person: pa.ChunkedArray, item: pa.ChunkedArray, missing: Collection[str]
) -> tuple[Held, np.ndarray, pa.Array]:
    """One row a person and item: their baskets, the person of each row, and the persons as they first appear.

    A row without an item makes its person known, if only with an empty basket.
    """
    rows, ids = _person_codes(person, missing)
    labels = _Labels(missing)
    codes = np.concatenate([np.empty(0, np.int32), *(labels.codes(part) for part in _parts(item))])
    known = codes >= 0
    return Held(*sets_of(rows[known], codes[known], len(ids)), labels.all()), rows, ids


def one_after_another(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """The baskets of all parts."""
    lengths = [np.empty(0, np.int64), *(np.diff(starts) for starts, _ in parts)]
    starts = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
    return starts, np.concatenate([np.empty(0, np.int32), *(items for _, items in parts)])


def side_by_side(columns: list[Held]) -> tuple[Held, np.ndarray]:
    """Several baskets a record as one, their items kept apart, and the column that each item is of."""
    sizes = [len(each.labels) for each in columns]
    column_of = np.repeat(np.arange(len(columns), dtype=np.int32), sizes)
    if len(columns) == 1:
        return columns[0], column_of
    first = np.cumsum([0, *sizes])
    lengths = np.array([np.diff(each.starts) for each in columns])
    starts = np.concatenate(([0], np.cumsum(lengths.sum(axis=0))))
    items, begin = np.empty(starts[-1], np.int32), starts[:-1].copy()
    for index, each in enumerate(columns):
        items[np.arange(each.items.size) + np.repeat(begin - each.starts[:-1], lengths[index])] = (
            each.items + first[index]
        )
        begin += lengths[index]
    return Held(starts, items, tuple(label for each in columns for label in each.labels)), column_of


class _Labels:
    """Texts, coded as they are met, in whatever part of a column."""

    def __init__(self, missing: Collection[str]) -> None:
        self.none = frozenset({"", *missing})
        self._code_of: dict[str, int] = {}

    def codes(self, values: pa.Array) -> np.ndarray:
        """The code of each value (int32); −1 where it means "no value"."""
        if pa.types.is_nested(values.type):
            raise no_text(values.type)
        encoded = _plain(values).dictionary_encode()
        code_of, none = self._code_of, self.none
        texts = as_text(encoded.dictionary).to_pylist()
        codes = [-1 if text is None or text in none else code_of.setdefault(text, len(code_of)) for text in texts]
        return np.array([*codes, -1], np.int32)[np.from_dlpack(pc.fill_null(encoded.indices, -1))]

    def all(self) -> tuple[str, ...]:
        return tuple(self._code_of)


def _tokens(part: pa.Array, separator: str, labels: _Labels) -> tuple[np.ndarray, pa.Array]:
    """How many items each row names, and what they are called."""
    if not is_list(part.type):
        texts = as_text(part)
        markers = pa.array(sorted(labels.none), pa.large_string())
        no_value = pc.is_in(texts, value_set=markers)
        part = pc.split_pattern(pc.if_else(no_value, pa.scalar(None, pa.large_string()), texts), separator)
    return np.from_dlpack(pc.fill_null(pc.list_value_length(part), 0)), part.flatten()


def is_list(kind: pa.DataType) -> bool:
    """Whether a column of this type holds a list in each cell."""
    kinds = pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list
    return any(fits(kind) for fits in (*kinds, pa.types.is_list_view, pa.types.is_large_list_view))


def _person_codes(person: pa.ChunkedArray, missing: Collection[str]) -> tuple[np.ndarray, pa.Array]:
    """The person of each row (int64), coded as they first appear, and the persons' ids."""
    if pa.types.is_nested(person.type):
        raise no_text(person.type)
    encoded = _plain(person).dictionary_encode().unify_dictionaries()
    ids = encoded.chunk(0).dictionary if encoded.num_chunks else pa.array([], encoded.type.value_type)
    rows = [np.from_dlpack(pc.fill_null(chunk.indices, -1)) for chunk in encoded.chunks]
    row = np.concatenate([np.empty(0, np.int64), *rows])
    no_value = pc.is_in(as_text(ids), value_set=pa.array(sorted({"", *missing}), pa.large_string()))
    absent = np.append(flags(no_value), True)[row]
    if absent.any():
        raise InputError(
            f"row {int(absent.argmax()) + 1} (counted from 1, without a header) has no person id",
            hint="Every row of the long layout belongs to a person: fill the id in, or take the row out.",
        )
    return row, ids


def _plain(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Categories as the values they stand for."""
    return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values


def _parts(column: pa.ChunkedArray) -> Iterator[pa.Array]:
    """The column in pieces small enough to be worked on at once."""
    for chunk in column.chunks:
        rows = min(_ROWS_AT_ONCE, max(1, _BYTES_AT_ONCE * len(chunk) // max(1, chunk.nbytes)))
        for start in range(0, len(chunk), rows):
            yield chunk.slice(start, rows)
