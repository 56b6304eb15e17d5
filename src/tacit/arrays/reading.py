"""From a column of a table to a relational attribute: distinct values, what they are, and their order."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.attributes import Attribute
from tacit.arrays.encode import NO_VALUE
from tacit.arrays.grid import grid_of
from tacit.arrays.labels import as_numbers, flags, label_order, places_in
from tacit.arrays.order import Codes
from tacit.errors import InputError
from tacit.io.text import as_text, no_text
from tacit.job import Column
from tacit.taxonomy import NotLeaves, Taxonomy, read_hierarchy
from tacit.taxonomy.nodes import first_few, free_name
from tacit.values.writing import SUPPRESSED

_NEARLY_ALL = 0.8  # of the different values: the others are taken for mistakes, unless the job says what they are
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


@dataclass(frozen=True, eq=False)
class Values:
    """The different values of a column in order of first appearance, and which one each record has."""

    codes: np.ndarray  # int32 per record
    texts: tuple[str, ...]
    missing: int = -1  # the last code, if a value is missing

    @property
    def known(self) -> tuple[str, ...]:
        """The values without the missing one."""
        return self.texts if self.missing < 0 else self.texts[:-1]


class NotOfType(InputError):
    """A value is not what the column's type says; `record` is the first such one."""

    def __init__(self, problem: str, record: int, *, column: str, hint: str) -> None:
        super().__init__(problem, column=column, hint=hint)
        self.record = record


def read_values(values: pa.Array | pa.ChunkedArray, missing: Collection[str] = NO_VALUE) -> Values:
    """The values of a column by their exact text.

    All that means "no value" is one value: null, empty text, and the markers. It is written as the empty text if some
    record has that or null, else as the first of `missing` that some record has.

    >>> read = read_values(pa.array(["b", "?", "a", "NA", "b"]), missing=["NA", "?"])
    >>> read.codes.tolist(), read.texts, read.missing
    ([0, 2, 1, 2, 0], ('b', 'a', 'NA'), 2)
    """
    dictionary, raw = different_values(values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values]))
    texts = _texts_or_null(dictionary)
    markers = pa.array(sorted({"", *missing}), pa.large_string())
    is_missing = pc.or_(pc.is_null(texts), pc.fill_null(pc.is_in(texts, value_set=markers), True))
    known = pc.unique(texts.filter(pc.invert(is_missing)))
    code_of = np.from_dlpack(pc.fill_null(pc.index_in(texts, value_set=known), len(known)))  # the missing ones are last
    absent = {text or "" for text in texts.filter(is_missing).to_pylist()} | ({""} if (raw < 0).any() else set())
    if not absent and len(known) == len(texts):
        return Values(raw, tuple(known.to_pylist()))
    codes = np.append(code_of, len(known)).astype(np.int32)[raw]  # −1, null, takes the last one
    if not absent:
        return Values(codes, tuple(known.to_pylist()))
    shown = next(marker for marker in ("", *missing) if marker in absent)
    return Values(codes, (*known.to_pylist(), shown), len(known))


def attribute_of(values: Values, column: Column, tree: Taxonomy | None = None) -> Attribute:
    """The values as an attribute of the type that the job says, or that they look like.

    With a tree they are its leaves. Else they are numbers or dates if all are, and categories if not. If nearly all
    are, the job must say what they are: a column of numbers is not to become one of categories by a slip.
    """
    if column.missing == "suppress" and values.missing >= 0:
        values = replace(values, texts=(*values.known, SUPPRESSED))
    if tree is not None:
        return _leaf_attribute(values, column, tree)
    numbers = _numbers(values, column)
    if numbers is None:
        return _attribute(values, column, label_order(values.known))
    order = _ascending(numbers, values.known, exact=not _is_day(values.known[0]))
    attribute = _attribute(values, column, order)
    sorted_numbers = np.full(len(values.texts), np.nan)
    sorted_numbers[: order.size] = numbers[order]
    return replace(attribute, numbers=sorted_numbers)


def read_attribute(
    values: pa.Array | pa.ChunkedArray,
    column: Column,
    *,
    missing: Collection[str] = NO_VALUE,
    tree: Taxonomy | None = None,
) -> Attribute:
    """A column of a table as an attribute; the hierarchy is `tree`, or the file that the job names.

    >>> age = read_attribute(pa.array(["41", "9", "41", ""]), Column("age", "quasi"))
    >>> age.texts, age.codes.tolist(), age.numbers.tolist()
    (('9', '41', ''), [1, 0, 1, 2], [9.0, 41.0, nan])
    """
    read = read_values(values, missing)
    if tree is None and column.hierarchy is not None:
        tree = read_hierarchy(column.hierarchy, set(read.known))
    return attribute_of(read, column, tree)


def with_grid(attribute: Attribute, column: Column, k: int, persons: np.ndarray | None = None) -> Attribute:
    """The attribute with what its ranges may show, if it becomes ranges; `persons` if some have several records."""
    if attribute.numbers is not None:
        grid = grid_of(attribute.texts, attribute.missing, attribute.codes, column, k, persons)
        return replace(attribute, grid=grid)
    given = [key for key in ("round", "top", "bottom") if getattr(column, key) is not None]
    if given and len(attribute.texts) > (attribute.missing >= 0):
        raise InputError(
            f"{given[0]} is for numbers and dates that become ranges, and this column does not",
            column=column.name,
            hint="Leave it out, or take away the hierarchy or the type that makes something else of the column.",
        )
    return attribute


def different_values(column: pa.ChunkedArray) -> tuple[pa.Array, np.ndarray]:
    """The different values in order of first appearance, and the code of each record's (int32); −1 for null."""
    if pa.types.is_nested(column.type) and not pa.types.is_dictionary(column.type):
        raise no_text(column.type)
    is_encoded = pa.types.is_dictionary(column.type)
    encoded = (column if is_encoded else _days(column).dictionary_encode()).unify_dictionaries()
    if not encoded.num_chunks:
        return pa.array([], encoded.type.value_type), np.empty(0, np.int32)
    dictionary = encoded.chunk(0).dictionary
    raw = np.concatenate([_indices(chunk) for chunk in encoded.chunks])
    if not is_encoded:
        return dictionary, raw
    first = np.full(len(dictionary) + 1, raw.size, np.int32)  # of categories in whatever order, some unused
    first[raw[::-1]] = np.arange(raw.size - 1, -1, -1, dtype=np.int32)
    used = np.flatnonzero(first[:-1] < raw.size)
    used = used[np.argsort(first[used])]
    if (used == np.arange(used.size)).all():
        return dictionary.slice(0, used.size), raw
    place = np.full(len(dictionary) + 1, -1, np.int32)
    place[used] = np.arange(used.size, dtype=np.int32)
    return dictionary.take(pa.array(used)), place[raw]


def codes_beside(columns: Sequence[pa.ChunkedArray]) -> list[Codes]:
    """Columns that are published as they are, by the order of their values; lists have none, and are left out."""
    found = []
    for column in columns:
        if not pa.types.is_nested(column.type) or pa.types.is_dictionary(column.type):
            values, codes = different_values(column)
            place = np.append(places_in(np.from_dlpack(pc.sort_indices(values))), np.int32(len(values)))
            found.append((place[codes], len(values) + 1))
    return found


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds text, be it dictionary-encoded."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(value) or pa.types.is_large_string(value)


def _indices(chunk: pa.DictionaryArray) -> np.ndarray:
    """The codes of the values, int32 and −1 for null. (Arrow's own `to_numpy` would import pandas.)"""
    indices = chunk.indices.cast(pa.int32())
    return np.from_dlpack(pc.fill_null(indices, -1) if indices.null_count else indices)


def _days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Points in time that are all midnights as days, as people write them."""
    if pa.types.is_timestamp(column.type) and column.type.tz is None:
        days = pc.cast(column, pa.date32(), safe=False)
        if pc.all(pc.equal(pc.cast(days, column.type), column)).as_py() in (True, None):
            return days
    return column


def _texts_or_null(dictionary: pa.Array) -> pa.Array:
    texts = as_text(dictionary)
    if pa.types.is_floating(dictionary.type):
        return pc.if_else(pc.is_nan(dictionary), pa.scalar(None, pa.large_string()), texts)
    return texts


def _attribute(values: Values, column: Column, order: np.ndarray) -> Attribute:
    """A category whose known values are in this order."""
    place = np.empty(len(values.texts), np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    known = values.texts
    if values.missing >= 0:
        place[values.missing] = values.missing
    return Attribute(
        column.name,
        place[values.codes],
        (*(known[i] for i in order.tolist()), *values.texts[len(values.known) :]),
        values.missing,
        weight=column.weight,
        suppress_missing=column.missing == "suppress",
    )


def _leaf_attribute(values: Values, column: Column, tree: Taxonomy) -> Attribute:
    """A missing value is the leaf of its name, or a new one at the end, below the root."""
    try:
        leaves = tree.find_leaves(values.known)
    except NotLeaves as error:
        raise error.of(column.name) from None
    order = np.argsort(leaves)
    attribute, leaf_of_code = _attribute(values, column, order), leaves[order]
    if values.missing >= 0:
        marker = values.texts[values.missing]
        if column.missing == "suppress" or marker not in tree.names or not tree.is_leaf[tree.node(marker)]:
            tree = _with_leaf(tree, free_name(marker, set(tree.names)))
            leaf_of_code = np.append(leaf_of_code, len(tree) - 1)
        else:
            leaf_of_code = np.append(leaf_of_code, tree.node(marker))
    return replace(attribute, tree=tree, leaf_of_code=leaf_of_code.astype(np.int32))


def _with_leaf(tree: Taxonomy, name: str) -> Taxonomy:
    """The tree with one more leaf at the end, directly below the root."""
    size = len(tree) + 1
    end = np.append(tree.end, size).astype(np.int32)
    end[0] = size
    return Taxonomy((*tree.names, name), np.append(tree.parent, 0).astype(np.int32), end, tree.notes)


def _numbers(values: Values, column: Column) -> np.ndarray | None:
    """The number of each known value, if the column holds numbers or dates."""
    texts = pa.array(values.known, pa.large_string())
    if column.type == "category" or not len(texts):
        return None
    readers = {"number": as_numbers, "date": _as_days}
    for name in (column.type,) if column.type in readers else tuple(readers):
        fits, numbers = readers[name](texts)
        if numbers is not None:
            return numbers
        if column.type == name or fits.mean() >= _NEARLY_ALL:
            wrong = np.flatnonzero(~fits)
            first = int(np.argmax(np.append(~fits, False)[values.codes]))
            what = "number" if name == "number" else "date written as 2024-03-05"
            raise NotOfType(
                f"{wrong.size:,} of {len(texts):,} different values {'is' if wrong.size == 1 else 'are'} no {what}",
                first,
                column=column.name,
                hint='List what means "no value" under `missing` in [input], correct the data, '
                'or set type = "category" for this column.',
            )
    return None


def _is_day(text: str) -> bool:
    return re.fullmatch(_DATE, text) is not None


def _as_days(texts: pa.Array) -> tuple[np.ndarray, np.ndarray | None]:
    """Which texts are ISO dates, and if all are their days since 1970."""
    shaped = pc.match_substring_regex(texts, _DATE)
    parsed = pc.strptime(texts, format="%Y-%m-%d", unit="s", error_is_null=True)
    real = pc.equal(pc.strftime(parsed, format="%Y-%m-%d"), pc.cast(texts, pa.string()))  # no 30th of February
    fits = flags(pc.fill_null(pc.and_(shaped, real), False))
    if not fits.all():
        return fits, None
    return fits, np.from_dlpack(pc.cast(parsed, pa.int64())).astype(float) / 86_400.0


def _ascending(numbers: np.ndarray, texts: tuple[str, ...], *, exact: bool) -> np.ndarray:
    """The order of the numbers; those that are equal as float64 by their digits, and then by their text."""
    order = np.argsort(numbers, kind="stable")
    differs = np.flatnonzero(np.diff(numbers[order])) + 1
    bounds = np.concatenate(([0], differs, [order.size]))
    for run in np.flatnonzero(np.diff(bounds) > 1).tolist():
        same = order[bounds[run] : bounds[run + 1]]
        same[:] = sorted(same.tolist(), key=lambda i: (Decimal(texts[i].strip()) if exact else 0, texts[i]))
    return order


def unreadable_groups(tree: Taxonomy, missing: Collection[str]) -> str:
    """The groups of a hierarchy that would be read as "no value", in quotes; empty if there are none."""
    groups = {tree.names[node] for node in np.flatnonzero(~tree.is_leaf).tolist()}
    return first_few(sorted(groups & set(missing)))
