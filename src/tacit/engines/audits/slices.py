"""The audit of sliced tables on an engine: buckets are dealt out, and each share is judged there.

Whoever fits buckets of several shares is as sure of a value as the mean of them makes him, so what is certain of every
bucket by itself is certain of the file. What is not, is judged once more with all buckets at once, if they fit.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from tacit.audits.result import AuditResult, unproven
from tacit.audits.views.slices import BUCKET as NUMBER
from tacit.audits.views.slices import read_view
from tacit.engines import frames
from tacit.engines.audits.buckets import BUCKET, FILE, as_labels, dealt, judged
from tacit.engines.audits.whole import together
from tacit.job.model import Job

SHARE = 250_000
"""Published rows that are judged at a time."""
MOST_AT_ONCE = 4_000_000
"""Published rows that one executor may judge at once."""
_TOO_MANY = "Some buckets leave a doubt, and there are too many rows to judge all buckets at once."


def verdict(written: Any, job: Job) -> AuditResult:
    """What the audits say of a published sliced table."""
    asked = replace(job, columns=tuple(map(as_labels, job.columns)), file=None)
    asked = replace(asked, input=replace(job.input, source=FILE))
    read_view(frames.arrow_schema(written).empty_table(), asked, FILE)  # refuses what is no sliced table
    rows = int(written.count())
    found = _judged(written, asked, max(1, rows // SHARE))
    if len(found) == 1 or all(each.get("satisfied") is True for each in found):
        return together(found, job)
    if rows <= MOST_AT_ONCE:
        return together(_judged(written, asked, 1), job)
    return unproven(together(found, job), _TOO_MANY)


def _judged(written: Any, job: Job, count: int) -> list[dict[str, Any]]:
    from pyspark.sql.types import LongType, StructField, StructType

    names = list(written.columns)
    rows = frames.plainly_named(written)
    schema = StructType([*rows.schema.fields, StructField(BUCKET, LongType())])
    deal = partial(dealt, by=[f"c{names.index(NUMBER)}"], count=count)
    judge = partial(judged_by_name, names=[*names, BUCKET], job=job)
    told = frames.by_group(frames.mapped(rows, deal, schema), BUCKET, judge, "verdict string")
    return [json.loads(row["verdict"]) for row in told.collect()]


def judged_by_name(table: pa.Table, *, names: list[str], job: Job) -> pa.Table:
    """On an executor: the verdict on the buckets of a share, whose columns have these names."""
    return judged(table.rename_columns(names), job=job)
