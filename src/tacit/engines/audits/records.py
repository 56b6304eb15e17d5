"""The audit of records on an engine: groups of equal published values are dealt out, and each share is judged there."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacit.audits.result import AuditResult
from tacit.audits.values import DAY, NUMBER
from tacit.audits.views.cells import read_cells
from tacit.audits.views.records import markers_of
from tacit.engines import frames
from tacit.engines.audits import large, pieces
from tacit.engines.audits.buckets import (
    BUCKET,
    FILE,
    as_labels,
    dealt,
    judged,
    judged_counts,
    shares_of_values,
    trees_of,
)
from tacit.engines.audits.whole import together
from tacit.errors import InputError
from tacit.job.model import Column, Job
from tacit.taxonomy import Taxonomy

SHARE = 250_000
"""Published records that are judged at a time."""
MOST_OF_A_GROUP = 1_000_000
"""Records of one group that an executor is given; of larger ones it gets how many are alike."""
_NUMBERS, _DAYS, _WORDS, _NOTHING = "number", "date", "category", "nothing"


def verdict(written: Any, job: Job, given: Mapping[str, Taxonomy], whose: str | None = None) -> AuditResult:
    """What the audits say of published records; `given` are hierarchies that are no files.

    `whose` is a column beside those that are published, with the person of each record, where that is known.

    Columns that say whose record is whose are not looked at here: that is said once, of the whole file.
    """
    listed = tuple(c for c in job.columns if c.name in written.columns and c.role != "identifier")
    persons = tuple(c for c in job.columns if c.role in ("person", "household") and c not in listed)
    frames.require_columns(written, [c.name for c in job.columns if c.role in job.promise.roles], FILE)
    quasi = [column.name for column in job.columns_with("quasi")]
    beside = [] if whose is None else [whose]
    rows = written.select(*map(frames.quoted, [*(column.name for column in listed), *beside]))
    of_all, kinds = shares_of_values(written, job), _kinds(written, job)
    trees = {**given, **trees_of(job, of_all)}
    asked = replace(job, columns=(*listed, *persons), file=None, input=replace(job.input, source=FILE))
    asked = replace(asked, columns=tuple(as_labels(column, kinds.get(column.name)) for column in asked.columns))
    items = [column.name for column in job.columns_with("items")] if "items" in job.promise.roles else []
    counts = None
    if not (items and whose):
        rows, counts = large.apart(rows, quasi, MOST_OF_A_GROUP)
    deal = partial(dealt, by=quasi, count=max(1, written.count() // SHARE), missing=job.input.missing)
    told = _told(rows, partial(judged, job=asked, of_all=of_all, trees=trees, whose=whose), deal)
    if counts is not None and items:
        counts, more = pieces.verdicts(counts, quasi, job)
        told += more
    if counts is not None:
        columns = large.judged_columns(job, rows.columns)
        of_persons = ("person", "household")  # be their columns in the file or not: its records are not persons
        kept = {*quasi, *columns, *items, *(column.name for role in of_persons for column in job.columns_with(role))}
        asked = replace(asked, columns=tuple(column for column in asked.columns if column.name in kept))
        if whose is None:
            counts = large.counted(counts, quasi, columns, items)
        else:
            counts = large.counted_persons(counts, quasi, columns, whose)
        told += _told(counts, partial(judged_counts, job=asked, columns=columns, of_all=of_all, trees=trees), deal)
    return together(told, job)


def _told(rows: Any, judge: Callable[[pa.Table], pa.Table], deal: Any) -> list[dict[str, Any]]:
    """The verdicts on all shares."""
    from pyspark.sql.types import LongType, StructField, StructType

    schema = StructType([*rows.schema.fields, StructField(BUCKET, LongType())])
    told = frames.by_group(frames.mapped(rows, deal, schema), BUCKET, judge, "verdict string").collect()
    return [json.loads(row["verdict"]) for row in told]


def _kinds(written: Any, job: Job) -> dict[str, str]:
    """The types of sensitive columns in which something is no number: two texts are one number in no share, then."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StringType

    texts = {field.name for field in written.schema.fields if isinstance(field.dataType, StringType)}
    sensitive = [column for column in job.columns_with("sensitive") if column.name in written.columns]
    asked = [column for column in sensitive if column.width is not None or column.name in texts]
    if not asked:
        return {}
    rows = written.select(*(F.col(frames.quoted(column.name)).alias(f"c{at}") for at, column in enumerate(asked)))
    look = partial(kinds_met, markers=[sorted(markers_of(column, job)) for column in asked])
    met: list[set[str]] = [set() for _ in asked]
    for row in frames.mapped(rows, look, "place long, kind string").distinct().collect():
        met[row["place"]].add(row["kind"])
    for column, kinds in zip(asked, met, strict=True):
        _check_width(column, kinds)
    found = {column.name: kinds - {_NOTHING} for column, kinds in zip(asked, met, strict=True) if column.name in texts}
    return {name: _DAYS if kinds == {_DAYS} else _WORDS for name, kinds in found.items() if kinds - {_NUMBERS}}


def _check_width(column: Column, kinds: Collection[str]) -> None:
    """Refuses a width where there is nothing to measure, as the audits do that see all of the file."""
    measured = {_NUMBERS, _DAYS} if column.type not in (_NUMBERS, _DAYS) else {column.type}
    if column.width is not None and kinds and _NOTHING not in kinds and not measured & {*kinds}:
        raise InputError("width is set, but no value is a number or a date", file=FILE, column=column.name)


def kinds_met(batches: Iterator[pa.RecordBatch], *, markers: Sequence[Sequence[str]]) -> Iterator[pa.RecordBatch]:
    """On an executor: of each column what its texts are."""
    for batch in batches:
        for place, column in enumerate(batch.columns):
            cells = read_cells(f"c{place}", pa.chunked_array([column]), markers[place], None)
            has_nothing = cells.missing >= 0
            texts = pa.array(cells.texts[: cells.missing] if has_nothing else cells.texts, pa.large_string())
            is_number, is_day = (pc.match_substring_regex(texts, pattern) for pattern in (NUMBER, DAY))
            is_word = pc.invert(pc.or_(is_number, is_day))
            parts = ((_NUMBERS, is_number), (_DAYS, is_day), (_WORDS, is_word))
            kinds = [kind for kind, flags in parts if pc.any(flags).as_py()] + [_NOTHING] * has_nothing
            yield pa.RecordBatch.from_pydict({"place": [place] * len(kinds), "kind": pa.array(kinds, pa.string())})
