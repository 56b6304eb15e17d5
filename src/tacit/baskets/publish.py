"""The table to publish: baskets as a recoding shows them, in the layout of the input; and that table read again."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import baskets_to_lists, baskets_to_strings
from tacit.arrays.sparse import Sparse, as_sets, keep_where, take_rows
from tacit.baskets.data import ItemColumns, joined_by, read_items
from tacit.baskets.local_recodings import GroupRecoding
from tacit.baskets.recoding import Applied
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.io.text import as_text
from tacit.job import Job
from tacit.kinds import Published
from tacit.shuffle import RECORDS, Shuffle
from tacit.taxonomy.nodes import free_name


@dataclass(frozen=True, eq=False)
class PublishedBaskets(ItemColumns):
    """Baskets of a published table, with what a table may hold beside them."""

    group: np.ndarray | None = None
    """The published group of each record, where the promise is about groups."""
    is_local: bool = False
    """Whether an item may be published by different names in different records."""


def publish_baskets(
    items: ItemColumns,
    applied: Applied,
    table: pa.Table,
    job: Job,
    output: FileFormat,
    hidden: Shuffle,
) -> Published:
    """The recoded table, its records in random order, with the number of each one's original."""
    order = hidden.order(len(items.baskets), RECORDS)
    recoded = {}
    for number, column in enumerate(items.columns):
        baskets, names = _recoded(items, number, applied)
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


def read_published_baskets(table: pa.Table, job: Job, source: str | Path | None, *, is_local: bool) -> PublishedBaskets:
    """The baskets of a published table, and its groups if the promise is about groups."""
    items = read_items(table, job, source)
    group = _read_groups(table, items, job, source) if job.promise.shows_groups else None
    return PublishedBaskets(**{field.name: getattr(items, field.name) for field in fields(items)}, group=group,
                            is_local=is_local)  # fmt: skip


def group_column(job: Job) -> str:
    """The column that the numbers of groups are published in: `group`, unless a published column is called so."""
    return free_name("group", {column.name for column in job.columns if column.role != "identifier"})


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


def _read_groups(table: pa.Table, items: ItemColumns, job: Job, source: str | Path | None) -> np.ndarray:
    """The group of each record: numbers if all are, otherwise texts."""
    name = group_column(job)
    if name not in table.column_names:
        raise InputError(
            "the published data has no column of groups",
            file=source,
            column=name,
            hint="Records of one group hold the same value in it, as `tacit anonymize` writes them.",
        )
    texts = as_text(table[name])
    if texts.null_count or pc.any(pc.equal(texts, "")).as_py():
        raise InputError("some records have no group", file=source, column=name, hint="Every record is in one group.")
    groups = _numbers_or_texts(texts)
    if items.persons is None:
        return groups
    person = pc.index_in(as_text(table[job.columns_with("person")[0].name]), as_text(items.persons)).to_numpy()
    of_person = groups[np.unique(person, return_index=True)[1]]
    if (of_person[person] != groups).any():
        raise InputError("rows of one person are in different groups", file=source, column=name)
    return of_person


def _numbers_or_texts(texts: pa.ChunkedArray) -> np.ndarray:
    try:
        return pc.cast(texts, pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        return np.array(texts.to_pylist(), str)
