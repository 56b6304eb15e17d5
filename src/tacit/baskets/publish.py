"""The table to publish: baskets as a recoding shows them, in the layout of the input."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.arrays.encode import baskets_to_lists, baskets_to_strings
from tacit.arrays.sparse import Sparse, as_sets, keep_where, take_rows
from tacit.baskets.data import ItemColumns, joined_by
from tacit.baskets.local_recodings import GroupRecoding
from tacit.baskets.recoding import Applied
from tacit.io import FileFormat
from tacit.job import Job
from tacit.kinds import Published
from tacit.shuffle import RECORDS, Shuffle
from tacit.taxonomy.nodes import free_name


def publish_baskets(
    items: ItemColumns,
    applied: Applied,
    table: pa.Table,
    job: Job,
    output: FileFormat,
    hidden: Shuffle,
) -> Published:
    """The recoded table, its records in random order, with the place of each one's original."""
    return publish_in_order(items, applied, table, job, output, hidden.order(len(items.baskets), RECORDS))


def publish_in_order(
    items: ItemColumns, applied: Applied, table: pa.Table, job: Job, output: FileFormat, order: np.ndarray
) -> Published:
    """The recoded table, its records in this order."""
    recoded = {}
    for index, column in enumerate(items.columns):
        baskets, names = _recoded(items, index, applied)
        recoded[column.name] = take_rows(*baskets, order), names
    groups = applied.recoding.group[order] if isinstance(applied.recoding, GroupRecoding) else None
    if items.persons is not None:
        return Published(_long_table(*recoded.popitem(), groups, job), order)
    columns = {column.name: column for column in job.columns}
    arrays = {}
    for name in table.column_names:
        if name in recoded:
            (indptr, codes), labels = recoded[name]
            separator = joined_by(columns[name], table, output)
            if separator is None:
                arrays[name] = baskets_to_lists(indptr, codes, labels)
            else:
                arrays[name] = baskets_to_strings(indptr, codes, labels, separator)
        elif name in columns and columns[name].role == "plain":
            arrays[name] = table[name].take(pa.array(order))
    if groups is not None:
        arrays[group_column(job)] = pa.array(groups)
    return Published(pa.table(arrays), order)


def group_column(job: Job) -> str:
    """The column that the numbers of groups are published in: `group`, unless a column of the job is called so."""
    return free_name("group", {column.name for column in job.columns})


def _recoded(items: ItemColumns, column: int, applied: Applied) -> tuple[Sparse, tuple[str, ...]]:
    """The baskets of one column as sets of names, in the order of the names' texts.

    Any other order may tell something: items are numbered as they appear in the data, so that what is new in a basket
    would show who came first.
    """
    indptr, codes = items.baskets.indptr, applied.code
    stays = codes >= 0
    if len(items.columns) > 1:
        stays &= (items.column_of == column)[items.baskets.items]
    if applied.record is not None:
        order = np.argsort(applied.record, kind="stable")
        codes, stays = codes[order], stays[order]
        indptr = np.concatenate(([0], np.cumsum(np.bincount(applied.record, minlength=len(items.baskets)))))
    names = applied.names[column]
    by_text = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int32)
    rank[by_text] = np.arange(len(names), dtype=np.int32)
    starts, kept = keep_where(indptr, codes, stays)
    return as_sets(starts, rank[kept]), tuple(names[i] for i in by_text)


def _long_table(name: str, recoded: tuple[Sparse, tuple[str, ...]], groups: np.ndarray | None, job: Job) -> pa.Table:
    """One row per person and published item, with fresh ids; whose basket is empty gets a row without an item."""
    (indptr, codes), names = recoded
    lengths = np.diff(indptr)
    rows = np.maximum(lengths, 1)
    labels = pa.array([*names, None], pa.string())
    shown = np.full(rows.sum(), len(labels) - 1)
    shown[np.arange(codes.size) + np.repeat(np.cumsum(rows) - rows - indptr[:-1], lengths)] = codes
    person = job.columns_with("person")[0].name
    arrays = {person: np.repeat(np.arange(1, rows.size + 1), rows), name: labels.take(pa.array(shown))}
    if groups is not None:
        arrays[group_column(job)] = np.repeat(groups, rows)
    return pa.table(arrays)
