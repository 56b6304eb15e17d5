"""Records as a kind of data: quasi-identifiers, perhaps sensitive columns, perhaps baskets; to arrays and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute, published, spans
from tacit.arrays.encode import baskets_to_lists, baskets_to_strings
from tacit.arrays.reading import NotOfType, attribute_of, different_values, is_text, read_values, unreadable_groups
from tacit.arrays.sparse import Sparse, as_sets, keep_where, take_rows
from tacit.baskets.checks import check_names
from tacit.baskets.data import (
    BasketData,
    joined_by,
    read_items,
    with_taxonomies,
    with_written_names,
)
from tacit.errors import InputError
from tacit.io import FileFormat, spreadsheet
from tacit.job import Column, Job
from tacit.job.places import place_of
from tacit.job.sources import read_trees, told_by_line
from tacit.records.recoding import ClusterItems, ClusterValues, RecordRecoding
from tacit.taxonomy import NotLeaves, Taxonomy, read_hierarchy

_ROWS_AT_ONCE = 1 << 20  # so that the text of a part fits into one array of Arrow


@dataclass(frozen=True, eq=False)
class RecordData:
    """Records ready for a method."""

    attributes: tuple[Attribute, ...]  # the quasi-identifiers
    sensitive: tuple[Attribute, ...]  # categories; a missing value is one, too
    baskets: BasketData | None = None  # with all set-valued columns
    markers: tuple[str, ...] = ("",)  # what means "no value"

    def __len__(self) -> int:
        return len(self.attributes[0])

    @cached_property
    def weights(self) -> np.ndarray:
        """Importance of each attribute, with a sum of 1; all are alike if none has any."""
        given = np.array([attribute.weight for attribute in self.attributes])
        return given / given.sum() if given.sum() > 0 else np.full(given.size, 1 / given.size)

    def recoding(self, group: np.ndarray, items: ClusterItems | None = None) -> RecordRecoding:
        """The recoding that a partition means: `group` has the number of each record's cluster, from 0 without gaps."""
        group = np.ascontiguousarray(group, np.int32)
        n_clusters = int(group.max(initial=-1)) + 1
        becomes = {
            attribute.name: ClusterValues(*published(attribute, spans(attribute, group, n_clusters)))
            for attribute in self.attributes
        }
        return RecordRecoding(group, becomes, items)


def read_records(
    table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None
) -> tuple[RecordData, list[str]]:
    """The table as arrays, and what reading it had to decide."""
    notes: list[str] = []
    attributes = []
    for column in job.columns_with("quasi"):
        attribute = attribute_in(table, job, column, hierarchies.get(column.name))
        attributes.append(attribute)
        notes += [f"hierarchy of {column.name!r}: {note}" for note in (attribute.tree.notes if attribute.tree else ())]
    sensitive = tuple(_category(table, job, column) for column in job.columns_with("sensitive"))
    if not job.columns_with("items"):
        return RecordData(tuple(attributes), sensitive, None, job.input.missing), notes
    items = read_items(table, job)
    given = {column.name: hierarchies[column.name] for column in items.columns if column.name in hierarchies}
    with told_by_line(items, table, job.input):
        trees = {**given, **read_trees(items)}
        written = trees if output is None else with_written_names(trees, table, job, output)
        check_names(items, written, job)
        baskets = with_taxonomies(items, written)
    notes += [f"hierarchy of {name!r}: {note}" for name, tree in trees.items() for note in tree.notes]
    return RecordData(tuple(attributes), sensitive, baskets, job.input.missing), notes


def published_table(
    data: RecordData, recoding: RecordRecoding, table: pa.Table, job: Job, output: FileFormat, order: np.ndarray
) -> pa.Table:
    """The recoded records in this order, with the columns of the input that are published, in the input's order.

    For text files the columns stay dictionary-encoded: they are written the same, and faster.
    """
    columns = {column.name: column for column in job.columns}
    sensitive = {attribute.name: attribute for attribute in data.sensitive}
    group = recoding.group[order]
    arrays = {}
    for name in table.column_names:
        role = columns[name].role if name in columns else None
        if role == "quasi":
            values = recoding.attributes[name]
            null = values.texts.index("") if table[name].null_count and "" in values.texts else -1
            arrays[name] = _texts(values.texts, values.value[group], output, null=null)
        elif role == "sensitive" and columns[name].missing == "suppress":
            arrays[name] = _texts(sensitive[name].texts, sensitive[name].codes[order], output)
        elif role in ("sensitive", "plain"):
            arrays[name] = _taken(table[name], order, output)
        elif role == "items":
            arrays[name] = _baskets(data, recoding, columns[name], table, job, output, order)
    published = pa.table(arrays)
    if job.output.escape_formulas and output.delimited:
        single = [name for name in published.column_names if columns[name].role != "items"]
        return spreadsheet.escape_columns(published, single)
    return published


def names_of_occurrences(data: RecordData, recoding: RecordRecoding) -> np.ndarray:
    """For each item of each original record its name in `recoding.items` (int32): −1 if it is suppressed, −2 if it
    is sensitive."""
    assert data.baskets is not None and recoding.items is not None
    baskets, clusters = data.baskets.items.baskets, recoding.items
    n_items = max(len(baskets.vocabulary), 1)
    known = np.repeat(np.arange(clusters.indptr.size - 1), np.diff(clusters.indptr)) * n_items + clusters.items
    wanted = np.repeat(recoding.group.astype(np.int64), baskets.lengths) * n_items + baskets.items
    is_public = data.baskets.leaf_of_item[baskets.items] >= 0
    place = np.searchsorted(known, wanted)
    found = np.append(known, -1)[place] == wanted
    if not found[is_public].all():
        raise ValueError("a recoding of items must name every public item of every cluster")
    return np.where(is_public, np.append(clusters.name, -1)[place], -2).astype(np.int32)


def attribute_in(table: pa.Table, job: Job, column: Column, tree: Taxonomy | None) -> Attribute:
    """A column of the input as an attribute; what is wrong with it is told with the file, the line and the column."""
    try:
        values = read_values(table[column.name], job.input.missing)
        if column.hierarchy is not None:
            tree = read_hierarchy(column.hierarchy, set(values.known))
        if tree is not None and (groups := unreadable_groups(tree, job.input.missing)):
            raise InputError(
                f"the hierarchy has a group {groups}, which means 'no value' in this job",
                file=job.file,
                hint="Rename the group, or take its name out of `missing` under [input].",
            )
        return attribute_of(values, column, tree)
    except NotOfType as error:
        words, line = place_of(error.record, job.input)
        raise InputError(
            error.problem + words, file=job.input.source, line=line, column=column.name, hint=error.hint
        ) from None
    except NotLeaves as error:
        wrong = np.array([text in set(error.values) for text in values.texts], bool)
        words, line = place_of(int(np.argmax(wrong[values.codes])), job.input)
        raise error.of(column.name).at(words, file=job.input.source, line=line) from None
    except InputError as error:
        raise InputError(
            error.problem, file=error.file or job.input.source, line=error.line, column=column.name, hint=error.hint
        ) from None


def _category(table: pa.Table, job: Job, column: Column) -> Attribute:
    return _labels(table[column.name], column, job.input.missing, job.input.source)


def _labels(values: pa.ChunkedArray, column: Column, missing: tuple[str, ...], source: str | Path | None) -> Attribute:
    """A column by its exact texts; null is the empty text."""
    try:
        read = read_values(values, missing)
    except InputError as error:
        raise InputError(error.problem, file=source, column=column.name, hint=error.hint) from None
    texts = (*read.known, "*") if column.missing == "suppress" and read.missing >= 0 else read.texts
    return Attribute(column.name, read.codes, texts, read.missing)


def _texts(texts: tuple[str, ...], codes: np.ndarray, output: FileFormat, *, null: int = -1) -> pa.ChunkedArray:
    """A column of texts by their numbers; `null` is the number of the one that says "no value" by being null."""
    dictionary = pa.array(texts, pa.string())
    chunks = []
    for start in range(0, codes.size, _ROWS_AT_ONCE):
        part = codes[start : start + _ROWS_AT_ONCE]
        indices = pa.array(part, pa.int32(), mask=part == null if null >= 0 else None)
        encoded = pa.DictionaryArray.from_arrays(indices, dictionary)
        chunks.append(encoded if output.delimited else encoded.cast(pa.string()))
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string()) if output.delimited else pa.string())


def _taken(column: pa.ChunkedArray, order: np.ndarray, output: FileFormat) -> pa.ChunkedArray:
    """The cells of a column in this order."""
    if output.delimited and is_text(column.type):
        texts, codes = different_values(column)
        return _texts((*texts.to_pylist(), ""), np.where(codes < 0, len(texts), codes)[order], output, null=len(texts))
    return column.take(pa.array(order))


def _baskets(
    data: RecordData,
    recoding: RecordRecoding,
    column: Column,
    table: pa.Table,
    job: Job,
    output: FileFormat,
    order: np.ndarray,
) -> pa.ChunkedArray:
    """One set-valued column: published names in the order of their texts, which tells nothing of the items."""
    assert data.baskets is not None
    number = [each.name for each in data.baskets.items.columns].index(column.name)
    baskets, labels = _shown_items(data, recoding, number)
    if job.output.escape_formulas and output.delimited:
        labels = spreadsheet.escape_names(labels, column.name, alone=False)
    recoded = take_rows(*baskets, order)
    separator = joined_by(column, table, output)
    if separator is None:
        return baskets_to_lists(*recoded, labels)
    return baskets_to_strings(*recoded, labels, separator)


def _shown_items(data: RecordData, recoding: RecordRecoding, column: int) -> tuple[Sparse, Sequence[str]]:
    """The published baskets of one column, as numbers into the labels that are published in it."""
    assert data.baskets is not None and recoding.items is not None
    items, clusters = data.baskets.items, recoding.items
    name = names_of_occurrences(data, recoding)
    vocabulary = items.baskets.vocabulary
    secret = [i for i in np.flatnonzero(data.baskets.leaf_of_item < 0).tolist() if items.column_of[i] == column]
    names = np.flatnonzero(clusters.column_of_name == column).tolist()
    labels = sorted({*(clusters.names[i] for i in names), *(vocabulary[i] for i in secret)})
    code = {label: number for number, label in enumerate(labels)}
    code_of_name, code_of_item = np.full(len(clusters.names) + 1, -1, np.int32), np.full(len(vocabulary), -1, np.int32)
    for i in names:
        code_of_name[i] = code[clusters.names[i]]
    for i in secret:
        code_of_item[i] = code[vocabulary[i]]
    codes = np.where(name == -2, code_of_item[items.baskets.items], code_of_name[np.maximum(name, -1)])
    return as_sets(*keep_where(items.baskets.indptr, codes.astype(np.int32), codes >= 0)), labels
