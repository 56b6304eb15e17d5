"""The audit of records on an engine: groups of equal published values are dealt out, and each share is judged there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tacit.audits.result import AuditResult
from tacit.engines import frames
from tacit.engines.audits.buckets import BUCKET, FILE, dealt, judged, shares_of_values, together, trees_of
from tacit.job.model import Job
from tacit.taxonomy import Taxonomy

SHARE = 250_000
"""Published records that are judged at a time."""


def verdict(written: Any, job: Job, given: Mapping[str, Taxonomy]) -> AuditResult:
    """What the audits say of published records; `given` are hierarchies that are no files.

    Columns that say whose record is whose are not looked at here: that is said once, of the whole file.
    """
    from pyspark.sql.types import LongType, StructField, StructType

    listed = tuple(c for c in job.columns if c.name in written.columns and c.role != "identifier")
    frames.require_columns(written, [c.name for c in job.columns if c.role in job.promise.roles], FILE)
    quasi = [column.name for column in job.columns_with("quasi")]
    rows = written.select(*(frames.quoted(column.name) for column in listed))
    schema = StructType([*rows.schema.fields, StructField(BUCKET, LongType())])
    of_all = shares_of_values(written, job)
    trees = {**given, **trees_of(job, of_all)}
    plain = tuple(replace(column, hierarchy=None) for column in listed)
    asked = replace(job, columns=plain, file=None, input=replace(job.input, source=FILE))
    deal = partial(dealt, quasi=quasi, count=max(1, written.count() // SHARE))
    told = frames.by_group(
        rows.mapInArrow(deal, schema), BUCKET, partial(judged, job=asked, of_all=of_all, trees=trees), "verdict string"
    ).collect()
    return together([json.loads(row["verdict"]) for row in told], job)
