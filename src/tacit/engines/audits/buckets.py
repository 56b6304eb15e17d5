"""The audit of records on an engine: groups of equal published values, as many as fit, are judged at a time.

A group is never divided, so what the audit's own code finds in one bucket of groups is what it would find in the whole:
it is for promises about single groups, and for no other. No code of a method is imported here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from tacit import audits
from tacit.audits.result import AuditResult
from tacit.audits.views.beside import NOTHING
from tacit.audits.views.cells import read_cells
from tacit.audits.views.records import markers_of
from tacit.engines import frames
from tacit.engines.audits.large import codes_of, put_together
from tacit.engines.frames import ROWS
from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job.model import Column, Job
from tacit.taxonomy import Taxonomy, read_hierarchy

BUCKET = "tacit_bucket"
FILE = "the published data"
"""What errors call what is judged."""
MOST_VALUES = 2_000_000


def dealt(
    batches: Iterator[pa.RecordBatch], *, by: Sequence[str], count: int, missing: Collection[str] = ()
) -> Iterator[pa.RecordBatch]:
    """On an executor: published records, with the bucket of all that are alike in some columns.

    All that means "no value" is alike.
    """
    nothing = {None, *missing}
    for batch in batches:
        table = pa.Table.from_batches([batch])
        _, some, which = np.unique(codes_of(table, by), return_index=True, return_inverse=True)
        columns = [as_text(table[name].take(pa.array(some))).to_pylist() for name in by]
        rows = (
            repr(tuple("" if text in nothing else text for text in row)).encode()
            for row in (zip(*columns, strict=True) if by else [()] * some.size)
        )
        bucket = np.fromiter((crc32(row) % count for row in rows), np.int64, some.size)[which]
        yield from table.append_column(BUCKET, pa.array(bucket)).combine_chunks().to_batches()


def as_labels(column: Column, kind: str | None = None) -> Column:
    """A column as executors take it, who have not the file of its hierarchy, whose leaves are names all the same.

    `kind` is the type of all texts of the file, of which a share may have others alone.
    """
    kind = "category" if column.hierarchy is not None else kind
    return replace(column, hierarchy=None, type=kind if column.type is None else column.type)


def shares_of_values(frame: Any, job: Job) -> dict[str, dict[str | None, int]]:
    """How many records of a frame have each text of the sensitive columns, if distances to all are measured."""
    found: dict[str, dict[str | None, int]] = {}
    for column in job.columns_with("sensitive") if job.promise.measures_distances else ():
        met = frames.collected(frames.distinct(frame, [column.name]), MOST_VALUES, f"different {column.name!r}")
        cells = read_cells(column.name, met[column.name], markers_of(column, job), None)
        own = found.setdefault(column.name, {})
        for code, people in zip(cells.codes.tolist(), met[ROWS].to_pylist(), strict=True):
            text = None if code == cells.missing else cells.texts[code]
            own[text] = own.get(text, 0) + people
    return found


def trees_of(job: Job, of_all: Mapping[str, Mapping[str | None, int]]) -> dict[str, Taxonomy]:
    """The hierarchies of sensitive columns that distances are taken from, read here: executors have not the files."""
    named = {column.name: column.hierarchy for column in job.columns_with("sensitive") if column.name in of_all}
    return {
        name: read_hierarchy(file, {text for text in of_all[name] if text is not None})
        for name, file in named.items()
        if file is not None
    }


def judged(
    table: pa.Table,
    *,
    job: Job,
    of_all: Mapping[str, Mapping[str | None, int]] | None = None,
    trees: Mapping[str, Taxonomy] | None = None,
    whose: str | None = None,
) -> pa.Table:
    """On an executor: the verdict on the groups of a bucket, as JSON; `whose` is the column with persons, if known."""

    def judge() -> AuditResult:
        view = _seen(table.drop_columns([BUCKET] if whose is None else [BUCKET, whose]), job, of_all, trees)
        return audits.audit(view, job) if whose is None else audits.audit_persons(view, job, _codes(table[whose]))

    return as_json(judge)


def judged_counts(
    table: pa.Table,
    *,
    job: Job,
    columns: Sequence[str],
    of_all: Mapping[str, Mapping[str | None, int]] | None = None,
    trees: Mapping[str, Taxonomy] | None = None,
) -> pa.Table:
    """The same from counts of what is alike in the groups, for each of some sensitive columns."""

    def judge() -> AuditResult:
        share = put_together(table.drop_columns([BUCKET]), [each.name for each in job.columns_with("quasi")], columns)
        view = replace(_seen(share.table, job, of_all, trees), times=share.times, alike=share.alike)
        return audits.audit(view, job) if share.persons is None else audits.audit_persons(view, job, share.persons)

    return as_json(judge)


def _seen(
    table: pa.Table,
    job: Job,
    of_all: Mapping[str, Mapping[str | None, int]] | None,
    trees: Mapping[str, Taxonomy] | None,
) -> Any:
    """A share of a published table; what says whose record is whose is told of the whole file, once."""
    view: Any = replace(audits.read_view(table, job), beside=NOTHING)
    view = replace(view, is_share=True) if view.kind_of_data == "records" else view
    return replace(view, of_all=of_all, trees=trees or {}) if of_all else view


def as_json(judge: Callable[[], AuditResult]) -> pa.Table:
    """A verdict, or why there is none, as an executor sends it."""
    try:
        told = judge().to_dict()
    except InputError as error:
        told = refused(error)
    return pa.table({"verdict": [json.dumps(told)]})


def _codes(persons: pa.ChunkedArray) -> np.ndarray:
    if persons.null_count:
        raise InputError("records have no person")
    return persons.combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)


def refused(error: InputError) -> dict[str, Any]:
    """What a reader refuses, without place and number: those of a share are not those of the file."""
    problem = error.problem.partition("; the first stands")[0].partition(" (there ")[0]
    return {"error": problem, "column": error.column, "hint": error.hint}
