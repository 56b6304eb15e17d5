"""Small tables of people for tests, and jobs about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from support.keys import shuffle_of
from tacit.audits.views.records import RecordOriginal, RecordView, read_original, read_view
from tacit.io import format_named
from tacit.job import Column, Input, Job, Method, Output
from tacit.promises import KAnonymity, Promise
from tacit.records.applied import apply_records
from tacit.records.data import RecordData, read_records
from tacit.records.publish import publish_records
from tacit.records.recoding import ClusterItems, RecordRecoding
from tacit.taxonomy import Taxonomy

ORIGIN = Taxonomy.from_paths(
    [[name, "Europe", "All"] for name in ("France", "Germany", "Greece", "Spain")]
    + [[name, "Africa", "All"] for name in ("Algeria", "Nigeria")]
)
PEOPLE = pa.table(
    {
        "name": ["John", "Steve", "Mary", "Zoe", "Ann", "Jim"],
        "age": ["19", "22", "28", "39", "70", "55"],
        "origin": ["France", "Greece", "Germany", "Spain", "Algeria", "Nigeria"],
        "sex": ["Male", "Male", "Female", "Female", "Female", "Male"],
        "products": ["E F B G", "E F D H", "B C E G", "F D H", "E G", "A F H"],
        "illness": ["flu", "", "cold", "flu", "flu", "cold"],
    }
)
"""Fig. 1(a) of Poulis et al. 2013, with two lost cells filled in, and a column more."""

COLUMNS = (
    Column("name", "identifier"),
    Column("age", "quasi"),
    Column("origin", "quasi"),
    Column("sex", "quasi"),
    Column("illness", "sensitive"),
)
PRODUCTS = Column("products", "items", separator=" ", sensitive_items=("G", "H"))
PAIRS = np.array([0, 0, 1, 1, 2, 2], np.int32)


def job(columns: Sequence[Column] = COLUMNS, promise: Promise | None = None, **keys: object) -> Job:
    given = Input("the frame", missing=tuple(keys.pop("missing", ("",))))  # type: ignore[arg-type]
    output = Output(Path("out"), **keys)  # type: ignore[arg-type]
    return Job(given, tuple(columns), promise or KAnonymity(2), output, Method(seed=1))


def encoded(
    table: pa.Table = PEOPLE,
    columns: Sequence[Column] = COLUMNS,
    trees: dict[str, Taxonomy] | None = None,
    **keys: object,
) -> tuple[Job, RecordData]:
    made = job(columns, **keys)
    trees = {"origin": ORIGIN} if trees is None and "origin" in table.column_names else trees or {}
    return made, read_records(table, made, trees, format_named("csv"))[0]


def items_as_they_are(data: RecordData, group: np.ndarray) -> ClusterItems:
    """A recoding that keeps every public item in every cluster."""
    assert data.baskets is not None
    items = data.baskets.items
    public = np.flatnonzero(data.baskets.leaf_of_item >= 0)
    record = np.repeat(np.arange(len(data)), items.baskets.lengths)
    pairs = sorted({(int(group[r]), int(i)) for r, i in zip(record, items.baskets.items, strict=True) if i in public})
    name = {int(item): code for code, item in enumerate(public)}
    sizes = np.bincount([cluster for cluster, _ in pairs], minlength=int(group.max()) + 1)
    return ClusterItems(
        tuple(column.name for column in items.columns),
        items.baskets.vocabulary,
        items.column_of,
        tuple(items.baskets.vocabulary[item] for item in public),
        items.column_of[public],
        np.ones(public.size),
        np.arange(public.size + 1),
        public,
        np.concatenate(([0], np.cumsum(sizes))),
        np.array([item for _, item in pairs]),
        np.array([name[item] for _, item in pairs]),
    )


def publish(
    table: pa.Table, data: RecordData, recoding: RecordRecoding, made: Job, format: str = "csv", seed: int = 1
) -> tuple[pa.Table, np.ndarray]:
    """The published table, and the original of each record."""
    applied, hidden = apply_records(data, recoding), shuffle_of(seed)
    return publish_records(data, applied, table, made, format_named(format), hidden)


def seen(table: pa.Table, made: Job) -> RecordView:
    return read_view(table, made, None)


def as_original(table: pa.Table, made: Job, trees: dict[str, Taxonomy] | None = None) -> RecordOriginal:
    """The people as the audits read them; `trees` as for `encoded`."""
    trees = {"origin": ORIGIN} if trees is None and "origin" in table.column_names else trees or {}
    return read_original(table, made, trees, is_local=False)
