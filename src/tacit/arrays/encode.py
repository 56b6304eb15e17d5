"""Baskets as integer arrays with their vocabulary, and back to columns of text or lists.

A column is worked on a million rows at a time, so that the text of a big one is never in memory twice.
No step loops over rows in Python.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.labels import label_order, places_in
from tacit.arrays.sparse import take_all_rows, take_rows
from tacit.errors import InputError
from tacit.io.text import as_text, no_text

NO_VALUE = ("",)
"""What means "no value" unless the job file says otherwise."""

_ROWS_AT_ONCE = 1 << 20
_BYTES_AT_ONCE = 1 << 26
_TEXT_AT_ONCE = 1 << 30  # below the 2 GiB of a string array, with room for separators
_ITEM_BITS = 32


@dataclass(frozen=True)
class EncodeNotes:
    """What was left out while baskets were made sets, for the user to know."""

    duplicates: int = 0  # an item that its basket already had
    dropped: int = 0  # an empty item or a missing-value marker inside a basket

    def __add__(self, other: EncodeNotes) -> EncodeNotes:
        return EncodeNotes(self.duplicates + other.duplicates, self.dropped + other.dropped)


@dataclass(frozen=True, eq=False)
class Baskets:
    """Baskets one after the other: basket i is `items[indptr[i]:indptr[i + 1]]`, ascending, no item twice."""

    indptr: np.ndarray  # int64, one more than there are baskets
    items: np.ndarray  # int32, index into the vocabulary
    vocabulary: tuple[str, ...]  # label of each item, in an order of their own (`label_order`)
    notes: EncodeNotes = field(default=EncodeNotes())
    weight: np.ndarray | None = None  # int64: how many people have each basket; None: one

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def people(self) -> np.ndarray:
        """How many people have each basket (int64)."""
        return np.ones(len(self), np.int64) if self.weight is None else self.weight

    @cached_property
    def records(self) -> int:
        """How many people there are."""
        return len(self) if self.weight is None else int(self.weight.sum())

    @cached_property
    def occurrences(self) -> np.ndarray:
        """How many people have each item of the vocabulary (int64)."""
        return counted(self.items, len(self.vocabulary), self.indptr, self.weight)

    @cached_property
    def lengths(self) -> np.ndarray:
        """Number of items of each basket (int64)."""
        return np.diff(self.indptr)


class DistinctBaskets(NamedTuple):
    """Different baskets in order of first appearance, how often each occurs, and which one each row has."""

    indptr: np.ndarray  # int64
    items: np.ndarray  # int32
    weight: np.ndarray  # int64
    inverse: np.ndarray  # int32


def split_baskets(
    column: pa.Array | pa.ChunkedArray, *, separator: str | None = None, missing: Collection[str] = NO_VALUE
) -> Baskets:
    """Baskets of a column, one a row: lists, or text whose items a separator divides.

    A null or missing cell is an empty basket. Items keep their exact text; empty ones and markers of missing
    values are dropped, duplicates are merged, and `notes` counts both.

    >>> baskets = split_baskets(pa.array(["b a", "", "a c a"]), separator=" ")
    >>> baskets.vocabulary, baskets.indptr.tolist(), baskets.items.tolist(), baskets.notes
    (('a', 'b', 'c'), [0, 2, 2, 4], [0, 1, 0, 2], EncodeNotes(duplicates=1, dropped=0))
    """
    vocabulary, notes = _Vocabulary(missing), EncodeNotes()
    lengths, items = [], []
    for part in _parts(column):
        token_counts, tokens = _split(part, separator, missing)
        lengths.append(token_counts)
        items.append(vocabulary.encode(tokens))
    labels, code = vocabulary.in_order()
    for index, counts in enumerate(lengths):
        row = np.repeat(np.arange(counts.size, dtype=np.int64), counts)
        lengths[index], items[index], part_notes = _as_sets(row, code[items[index]], counts.size)
        notes += part_notes
    return Baskets(_indptr(_joined(lengths, np.int64)), _joined(items, np.int32), labels, notes)


def group_baskets(
    person: pa.Array | pa.ChunkedArray, item: pa.Array | pa.ChunkedArray, missing: Collection[str] = NO_VALUE
) -> tuple[Baskets, pa.Array]:
    """Baskets of a long layout, one row per person and item, and the persons in order of first appearance.

    A row without an item makes its person known, if only with an empty basket.

    >>> baskets, persons = group_baskets(pa.array([7, 8, 7]), pa.array(["x", None, "y"]))
    >>> baskets.indptr.tolist(), baskets.vocabulary, persons.to_pylist()
    ([0, 2, 2], ('x', 'y'), [7, 8])
    """
    row, persons = _person_codes(person, missing)
    vocabulary = _Vocabulary(missing)
    codes = _joined([vocabulary.encode(part) for part in _parts(item)], np.int32)
    labels, code = vocabulary.in_order()
    known = codes >= 0
    lengths, items, notes = _as_sets(row[known], code[codes[known]], len(persons))
    return Baskets(_indptr(lengths), items, labels, notes), persons


def baskets_to_lists(indptr: np.ndarray, codes: np.ndarray, labels: Sequence[str]) -> pa.ChunkedArray:
    """A list column of the baskets; an empty one is [], never null."""
    texts = pa.array(labels, pa.string())
    chunks = []
    for start, stop in _pieces(indptr, codes, labels):
        bounds = indptr[start : stop + 1]
        values = texts.take(pa.array(codes[bounds[0] : bounds[-1]]))
        chunks.append(pa.ListArray.from_arrays(pa.array((bounds - bounds[0]).astype(np.int32)), values))
    return pa.chunked_array(chunks, pa.list_(pa.string()))


def baskets_to_strings(indptr: np.ndarray, codes: np.ndarray, labels: Sequence[str], separator: str) -> pa.ChunkedArray:
    """A text column of the baskets; refuses a label that would not be found again between the separators."""
    for code in np.flatnonzero(np.bincount(codes, minlength=len(labels))):
        label = labels[int(code)]
        if not label or (label + separator).find(separator) < len(label):
            raise InputError(
                f"an item cannot stand in a basket separated by {separator!r}",
                values=repr(label),
                hint='Choose another separator, rename the item, or write lists (format = "parquet").',
            )
    lists = baskets_to_lists(indptr, codes, labels)
    return pa.chunked_array([pc.binary_join(chunk, separator) for chunk in lists.chunks], pa.string())


def distinct_baskets(indptr: np.ndarray, items: np.ndarray) -> DistinctBaskets:
    """Equal baskets merged, with their count."""
    from tacit.arrays._encode_kernels import index_baskets

    indptr, items = indptr.astype(np.int64, copy=False), items.astype(np.int32, copy=False)
    rows = len(indptr) - 1
    slots = np.full(1 << (rows + rows // 2 + 1).bit_length(), -1, np.int32)
    first, inverse = np.empty(rows, np.int32), np.empty(rows, np.int32)
    hashes, weight = np.empty(rows, np.int64), np.empty(rows, np.int64)
    count = index_baskets(indptr, items, slots, first, hashes, weight, inverse)
    del slots, hashes
    merged_indptr, merged_items = take_all_rows(indptr, [items], first[:count])
    return DistinctBaskets(merged_indptr, merged_items, weight[:count].copy(), inverse)


def rarest_first(found: DistinctBaskets) -> DistinctBaskets:
    """The same, those that occur least first, of equals the ones with most items; the rest as they are."""
    order = np.lexsort((-np.diff(found.indptr), found.weight))
    baskets = take_rows(found.indptr, found.items, order)
    return DistinctBaskets(*baskets, found.weight[order], places_in(order)[found.inverse])


def counted(codes: np.ndarray, size: int, indptr: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """How many people have each code; those of a basket count as often as people have the basket (int64).

    >>> counted(np.array([0, 1, 1]), 3, np.array([0, 2, 3]), np.array([5, 1])).tolist()
    [5, 6, 0]
    """
    if weight is None:
        return np.bincount(codes, minlength=size)
    found = np.zeros(max(size, int(codes.max(initial=-1)) + 1), np.int64)
    np.add.at(found, codes, np.repeat(weight, np.diff(indptr)))
    return found


def is_list(kind: pa.DataType) -> bool:
    """Whether a column of this type holds a list in each cell."""
    return (
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )


class _Vocabulary:
    """The labels of any number of parts of a column. They are coded as they come, and in their order in the end."""

    def __init__(self, missing: Collection[str]) -> None:
        self._none = _markers(missing)
        self._labels = pa.array([], pa.large_string())

    def encode(self, values: pa.Array) -> np.ndarray:
        """The code of each value for now (int32); -1 where it is null, empty or a missing-value marker."""
        if pa.types.is_nested(values.type):
            raise no_text(values.type)
        encoded = plain_values(values).dictionary_encode()
        texts = as_text(encoded.dictionary)
        texts = pc.if_else(pc.is_in(texts, value_set=self._none), pa.scalar(None, pa.large_string()), texts)
        unseen = texts.filter(pc.invert(pc.is_in(texts, value_set=self._labels))).drop_null().unique()
        self._labels = pa.concat_arrays([self._labels, unseen])
        codes = pc.fill_null(pc.index_in(texts, value_set=self._labels), -1)
        none_last = np.append(codes.to_numpy(), -1).astype(np.int32)
        return none_last[pc.fill_null(encoded.indices, -1).to_numpy()]

    def in_order(self) -> tuple[tuple[str, ...], np.ndarray]:
        """The labels in their order, and the code then of each code now, with −1 for −1 at the end (int32)."""
        order = label_order(self._labels)
        return tuple(self._labels.take(pa.array(order)).to_pylist()), np.append(places_in(order), np.int32(-1))


def _split(part: pa.Array, separator: str | None, missing: Collection[str]) -> tuple[np.ndarray, pa.Array]:
    """How many tokens each row has, and all tokens."""
    if not is_list(part.type):
        if not separator:
            raise InputError(
                "a text column of baskets needs a separator",
                hint='Say what stands between two items: separator = " " under its [columns] entry.',
            )
        texts = as_text(part)
        no_value = pc.is_in(texts, value_set=_markers(missing))
        part = pc.split_pattern(pc.if_else(no_value, pa.scalar(None, pa.large_string()), texts), separator)
    counts = pc.fill_null(pc.list_value_length(part), 0)
    return counts.to_numpy(), part.flatten()


def _as_sets(row: np.ndarray, codes: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray, EncodeNotes]:
    """Lengths and items of the sets that (row, code) pairs make; codes below 0 are left out, and counted."""
    known = codes >= 0
    dropped = len(codes) - int(np.count_nonzero(known))
    if dropped:
        row, codes = row[known], codes[known]
    pairs = (row << _ITEM_BITS) | codes
    pairs.sort()
    new = np.ones(len(pairs), bool)
    np.not_equal(pairs[1:], pairs[:-1], out=new[1:])
    duplicates = len(pairs) - int(np.count_nonzero(new))
    if duplicates:
        pairs = pairs[new]
    lengths = np.bincount(pairs >> _ITEM_BITS, minlength=rows)
    items = (pairs & ((1 << _ITEM_BITS) - 1)).astype(np.int32)
    return lengths, items, EncodeNotes(duplicates, dropped)


def _person_codes(person: pa.Array | pa.ChunkedArray, missing: Collection[str]) -> tuple[np.ndarray, pa.Array]:
    """The code of the person of each row (int64), in order of first appearance, and the persons' ids."""
    column = person if isinstance(person, pa.ChunkedArray) else pa.chunked_array([person])
    if pa.types.is_nested(column.type):
        raise no_text(column.type)
    encoded = plain_values(column).dictionary_encode().unify_dictionaries()
    chunks = encoded.chunks
    persons = chunks[0].dictionary if chunks else pa.array([], encoded.type.value_type)
    row = _joined([pc.fill_null(chunk.indices, -1).to_numpy() for chunk in chunks], np.int64)
    no_value = pc.is_in(as_text(persons), value_set=_markers(missing))
    absent = np.append(no_value.to_numpy(zero_copy_only=False), True)[row]
    if absent.any():
        raise InputError(
            f"row {int(absent.argmax()) + 1} (counted from 1, without a header) has no person id",
            hint="Every row of the long layout belongs to a person: fill the id in, or take the row out.",
        )
    return row.astype(np.int64, copy=False), persons


def _parts(column: pa.Array | pa.ChunkedArray) -> Iterator[pa.Array]:
    """The column in pieces small enough to be worked on at once."""
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        rows = min(_ROWS_AT_ONCE, max(1, _BYTES_AT_ONCE * len(chunk) // max(1, chunk.nbytes)))
        for start in range(0, len(chunk), rows):
            yield chunk.slice(start, rows)


def _pieces(indptr: np.ndarray, codes: np.ndarray, labels: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ranges of baskets whose text fits into one Arrow array."""
    sizes = np.array([len(label.encode()) for label in labels], np.int64)
    start, rows = 0, len(indptr) - 1
    while start < rows:
        stop = min(start + _ROWS_AT_ONCE, rows)
        while stop > start + 1 and sizes[codes[indptr[start] : indptr[stop]]].sum() > _TEXT_AT_ONCE:
            stop = (start + stop) // 2
        yield start, stop
        start = stop


def plain_values(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Categories (dictionary-encoded values) as the values they stand for."""
    return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values


def _markers(missing: Collection[str]) -> pa.Array:
    return pa.array(sorted({"", *missing}), pa.large_string())


def _indptr(lengths: np.ndarray) -> np.ndarray:
    indptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


def _joined(arrays: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate(arrays, dtype=kind) if arrays else np.empty(0, kind)
