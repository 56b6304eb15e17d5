"""The table of records to publish: the columns of the input that may be, as a recoding shows them, in random order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from tacit.arrays.encode import baskets_to_lists, baskets_to_strings
from tacit.arrays.reading import different_values, is_text
from tacit.arrays.sparse import Sparse, as_sets, keep_where, take_rows
from tacit.baskets.data import joined_by
from tacit.io import FileFormat
from tacit.job import Column, Job
from tacit.kinds import Published
from tacit.records.applied import SENSITIVE_ITEM, AppliedRecords
from tacit.records.data import RecordData
from tacit.shuffle import RECORDS, Shuffle

_ROWS_AT_ONCE = 1 << 20  # so that the text of a part fits into one array of Arrow


def publish_records(
    data: RecordData, applied: AppliedRecords, table: pa.Table, job: Job, output: FileFormat, hidden: Shuffle
) -> Published:
    """The recoded table, its records in random order, with the place of each one's original."""
    order = hidden.order(len(data), RECORDS)
    return Published(_table(data, applied, table, job, output, order), order)


def _table(
    data: RecordData, applied: AppliedRecords, table: pa.Table, job: Job, output: FileFormat, order: np.ndarray
) -> pa.Table:
    """The recoded records in this order, with the columns of the input that are published, in the input's order.

    For text files the columns stay dictionary-encoded: they are written the same, and faster.
    """
    columns = {column.name: column for column in job.columns}
    sensitive = {attribute.name: attribute for attribute in data.sensitive}
    group = applied.recoding.group[order]
    arrays = {}
    for name in table.column_names:
        role = columns[name].role if name in columns else None
        if role == "quasi":
            values = applied.recoding.attributes[name]
            null = values.texts.index("") if table[name].null_count and "" in values.texts else -1
            arrays[name] = _texts(values.texts, values.value[group], output, null=null)
        elif role == "sensitive" and columns[name].missing == "suppress":
            arrays[name] = _texts(sensitive[name].texts, sensitive[name].codes[order], output)
        elif role in ("sensitive", "plain"):
            arrays[name] = _taken(table[name], order, output)
        elif role == "items":
            arrays[name] = _baskets(data, applied, columns[name], table, output, order)
    return pa.table(arrays)


def _texts(texts: tuple[str, ...], codes: np.ndarray, output: FileFormat, *, null: int = -1) -> pa.ChunkedArray:
    """A column of texts by their codes; `null` is the code of the one that says "no value" by being null."""
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
    applied: AppliedRecords,
    column: Column,
    table: pa.Table,
    output: FileFormat,
    order: np.ndarray,
) -> pa.ChunkedArray:
    """One set-valued column: published names in the order of their texts, which tells nothing of the items."""
    assert data.baskets is not None
    index = [each.name for each in data.baskets.items.columns].index(column.name)
    baskets, labels = _shown_items(data, applied, index)
    recoded = take_rows(*baskets, order)
    separator = joined_by(column, table, output)
    if separator is None:
        return baskets_to_lists(*recoded, labels)
    return baskets_to_strings(*recoded, labels, separator)


def _shown_items(data: RecordData, applied: AppliedRecords, column: int) -> tuple[Sparse, Sequence[str]]:
    """The published baskets of one column, as codes into the labels that are published in it."""
    assert data.baskets is not None and applied.recoding.items is not None and applied.names is not None
    items, clusters, name = data.baskets.items, applied.recoding.items, applied.names
    vocabulary = items.baskets.vocabulary
    sensitive = [i for i in np.flatnonzero(data.baskets.leaf_of_item < 0).tolist() if items.column_of[i] == column]
    names = np.flatnonzero(clusters.column_of_name == column).tolist()
    labels = sorted({*(clusters.names[i] for i in names), *(vocabulary[i] for i in sensitive)})
    code = {label: index for index, label in enumerate(labels)}
    code_of_name, code_of_item = np.full(len(clusters.names) + 1, -1, np.int32), np.full(len(vocabulary), -1, np.int32)
    for i in names:
        code_of_name[i] = code[clusters.names[i]]
    for i in sensitive:
        code_of_item[i] = code[vocabulary[i]]
    codes = np.where(name == SENSITIVE_ITEM, code_of_item[items.baskets.items], code_of_name[np.maximum(name, -1)])
    return as_sets(*keep_where(items.baskets.indptr, codes.astype(np.int32), codes >= 0)), labels
