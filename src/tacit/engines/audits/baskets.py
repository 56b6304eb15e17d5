"""The audit of baskets on an engine: equal ones are counted there, and judged with how many people have each.

Where a person has several rows, the audits' own reader unites them, on the executors.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from tacit import audits
from tacit.audits.result import AuditResult, with_columns
from tacit.audits.views.baskets import group_column, read_people
from tacit.audits.views.beside import Beside
from tacit.engines import frames
from tacit.engines.audits import many
from tacit.engines.audits.buckets import BUCKET, FILE, as_labels, dealt, judged
from tacit.engines.audits.people import in_shares, refuse_nobody
from tacit.engines.audits.whole import together
from tacit.engines.frames import ROWS
from tacit.errors import InputError
from tacit.job.model import Job
from tacit.taxonomy import Taxonomy

SHARE = 250_000
"""Published rows of groups that are judged at a time."""
MOST_DISTINCT = 30_000_000
"""Different baskets that this process may hold; about 100 bytes each."""


def verdict(
    written: Any,
    job: Job,
    original: Any | None,
    hierarchies: Mapping[str, Taxonomy],
    beside: Beside,
    source: str | Path,
) -> tuple[AuditResult, list[str]]:
    """What the audits say of published baskets, and what is not true to the original, if that frame is given."""
    if job.promise.shows_groups:
        return with_columns(_of_groups(written, job), beside), []
    if many.has_form(job):
        name = job.columns_with("items")[0].name
        frames.require_columns(written, [name], source)
        sides = [None if each is None else frames.distinct(each, [name]) for each in (written, original)]
        shown, held = (None if each is None else frames.collected_if(each, many.ON_DRIVER) for each in sides)
        if shown is None or (held is None and original is not None):
            return many.verdict(written, job, original, hierarchies, beside, source)
    else:
        shown = counted(written, job, source, unites=job.input.layout == "long")
        unites = bool(job.columns_with("person"))
        held = None if original is None else counted(original, job, job.input.source, unites=unites)
    asked = replace(job, columns=job.columns_with("items"), input=replace(job.input, layout="wide"))
    view: Any = audits.read_view(shown.drop_columns([ROWS]), asked, source)
    view = replace(view, people=people_of(shown), beside=beside)
    if held is None:
        return audits.audit(view, asked), []
    before: Any = audits.read_original(held.drop_columns([ROWS]), asked, hierarchies, is_local=False)
    before = replace(before, held=replace(before.held, people=people_of(held)))
    return audits.judge(view, asked, before)


def _of_groups(written: Any, job: Job) -> AuditResult:
    """The verdict on baskets in groups: whole groups are dealt out, and judged share by share."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import LongType, StructField, StructType

    group, is_long = group_column(job), job.input.layout == "long"
    persons = [column.name for column in job.columns_with("person")] if is_long else []
    names = [*persons, *(column.name for column in job.columns_with("items")), group]
    frames.require_columns(written, names, FILE)
    rows = written.select(*map(frames.quoted, names))
    if is_long:
        refuse_nobody(rows, job, FILE)
        groups = rows.groupBy(frames.quoted(persons[0])).agg(F.countDistinct(frames.quoted(group)).alias("groups"))
        if groups.filter("groups > 1").limit(1).count():
            raise InputError("rows of one person are in different groups", file=FILE, column=group)
    schema = StructType([*rows.schema.fields, StructField(BUCKET, LongType())])
    asked = replace(job, columns=tuple(map(as_labels, job.columns)), file=None, input=replace(job.input, source=FILE))
    deal = partial(dealt, by=[group], count=max(1, rows.count() // SHARE))
    found = frames.by_group(frames.mapped(rows, deal, schema), BUCKET, partial(judged, job=asked), "verdict string")
    return together([json.loads(row["verdict"]) for row in found.collect()], job)


def counted(frame: Any, job: Job, source: str | Path, *, unites: bool) -> pa.Table:
    """The different baskets of a frame with their number; `unites` if all rows of a person are one basket."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

    names = [column.name for column in job.columns_with("items")]
    persons = [column.name for column in job.columns_with("person")] if unites else []
    frames.require_columns(frame, [*names, *persons], source)
    if not unites:
        return frames.collected(frames.distinct(frame, names), MOST_DISTINCT, "different baskets")
    refuse_nobody(frame, job, source)
    small = replace(job, columns=(*job.columns_with("person"), *job.columns_with("items")), file=None)
    rows = frame.select(*map(frames.quoted, [*persons, *names]))
    read_people(frames.arrow_schema(rows).empty_table(), small, source)  # refuses types that are no items here
    lists = [StructField(name, ArrayType(StringType())) for name in names]
    schema = StructType([*lists, StructField(ROWS, LongType())])
    read = partial(one_basket_each, job=small)
    baskets = in_shares(rows, small, rows.count() * len(rows.columns), read, schema, unites=True)
    summed = baskets.groupBy(*map(frames.quoted, names)).agg(F.sum(ROWS).alias(ROWS))
    return frames.collected(summed, MOST_DISTINCT, "different baskets")


def one_basket_each(table: pa.Table, *, job: Job) -> pa.Table:
    """On an executor: the different baskets of the people in a share, with how many have each."""
    held = read_people(table, job, "the data")
    columns = held.column_of.tolist()
    names = [column.name for column in held.columns]
    often: Counter[tuple[int, ...]] = Counter(
        tuple(sorted(held.items[start:stop].tolist()))
        for start, stop in zip(held.starts[:-1].tolist(), held.starts[1:].tolist(), strict=True)
    )
    lists: list[list[list[str]]] = [[] for _ in names]
    for basket in often:
        for index, own in enumerate(lists):
            own.append(sorted(held.labels[item] for item in basket if columns[item] == index))
    arrays = [pa.array(own, pa.list_(pa.string())) for own in lists]
    return pa.table([*arrays, pa.array(list(often.values()), pa.int64())], names=[*names, ROWS])


def people_of(table: pa.Table) -> np.ndarray:
    """How many people have each basket."""
    return table[ROWS].combine_chunks().cast(pa.int64()).to_numpy()
