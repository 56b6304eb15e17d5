"""Views and originals as the audits take them, from small data of tests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute
from tacit.audits.views import baskets
from tacit.audits.views.baskets import BasketOriginal, BasketView
from tacit.audits.views.cells import Cells
from tacit.audits.views.columns import KnownColumn
from tacit.audits.views.records import RecordView
from tacit.audits.views.slices import SliceOriginal, SliceView
from tacit.job import Column, Input, Job, Output
from tacit.promises import KmAnonymity, Promise
from tacit.sliced import SlicedTable
from tacit.slices.data import PersonTable
from tacit.taxonomy import Taxonomy


def encode(rows: Iterable[Iterable[str]]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Baskets as arrays, in whatever order their items are; labels in order of first appearance."""
    code_of: dict[str, int] = {}
    held = [[code_of.setdefault(label, len(code_of)) for label in row] for row in rows]
    return np.cumsum([0, *map(len, held)]), np.array([x for row in held for x in row], np.int32), list(code_of)


def view_of(
    indptr: np.ndarray,
    items: np.ndarray,
    labels: Sequence[str],
    sensitive: Collection[str] = (),
    groups: Sequence[int] | None = None,
) -> BasketView:
    """One column of baskets."""
    column = Column("basket", "items", sensitive_items=tuple(sensitive))
    group = None if groups is None else np.array(groups, np.int64)
    column_of = np.zeros(len(labels), np.int32)
    return BasketView((column,), np.asarray(indptr), np.asarray(items, np.int32), tuple(labels), column_of, group)


def basket_view(
    rows: Iterable[Iterable[str]], sensitive: Collection[str] = (), groups: Sequence[int] | None = None
) -> BasketView:
    return view_of(*encode(rows), sensitive, groups)


def cells(name: str, texts: Sequence[str]) -> Cells:
    written = list(dict.fromkeys(texts))
    return Cells(name, np.array([written.index(text) for text in texts], np.int32), written)


def record_view(quasi: Sequence[Cells], sensitive: Sequence[Cells] = (), held: BasketView | None = None) -> RecordView:
    records = len(held) if held is not None else len(quasi[0]) if quasi else 0
    columns = tuple(Column(each.name, "sensitive") for each in sensitive)
    return RecordView(records, tuple(quasi), tuple(sensitive), (), held, columns)


def list_job(*columns: Column, promise: Promise | None = None) -> Job:
    return Job(Input("test"), columns, promise or KmAnonymity(k=2, m=2), Output(Path("out")))


def lists(rows: Sequence[Sequence[str]], column: str = "x") -> pa.Table:
    return pa.table({column: pa.array(rows, pa.list_(pa.string()))})


def basket_original(
    table: pa.Table, job: Job, trees: Mapping[str, Taxonomy], *, is_local: bool = False
) -> BasketOriginal:
    return baskets.read_original(table, job, trees, is_local=is_local)


def known_column(attribute: Attribute) -> KnownColumn:
    """An attribute as the audits read it from the original."""
    read = Cells(attribute.name, attribute.codes, attribute.texts, attribute.missing)
    leaves = None if attribute.leaf_of_code is None else attribute.leaf_of_code.astype(np.int64)
    return KnownColumn(read, ("",), attribute.tree, leaves, attribute.numbers)


def slice_view(table: SlicedTable, known: Sequence[str], sensitive: Sequence[str]) -> SliceView:
    parts = table.slices, table.bucket, table.buckets, table.codes, table.texts
    return SliceView(*parts, tuple(known), tuple(sensitive))


def slice_original(people: PersonTable) -> SliceOriginal:
    columns = tuple(known_column(attribute) for attribute in people.attributes)
    return SliceOriginal(columns, tuple(people.names[a] for a in people.known))
