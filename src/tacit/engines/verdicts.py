"""The audits on an engine: it counts equal baskets and deals out groups of records; the rest is the audits' own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacit import audits
from tacit.audits.result import AuditResult, how_many, with_columns
from tacit.audits.views.beside import Beside, beside_of
from tacit.engines import baskets, frames, rating_flow, record_flow, united
from tacit.engines.forms import check_form
from tacit.engines.frames import ROWS
from tacit.engines.made import Form
from tacit.engines.session import opened
from tacit.errors import AuditFailure, InputError
from tacit.job import Job
from tacit.release import Verdict
from tacit.taxonomy import Taxonomy

Progress = Callable[[str], None]


def form_of(job: Job) -> Form | None:
    """How a kind of data is made in shares; None for baskets, of which equal ones are counted."""
    return {"records": record_flow, "ratings": rating_flow}.get(job.promise.kind_of_data)


def verdict(
    written: Any,
    job: Job,
    original: pa.Table | None = None,
    hierarchies: Mapping[str, Taxonomy] | None = None,
    allow_columns: Collection[str] = (),
    source: Path | None = None,
) -> tuple[AuditResult, list[str]]:
    """What the audits say of published rows: equal ones are counted by the engine, all else is their own code.

    `original` has the different baskets of the job's input with their number, to compare with.
    """
    beside = beside_in(written, job, allow_columns, source)
    written, job = united.one_row_each(written, replace(job, input=replace(job.input, source=source or "the file")))
    names = [column.name for column in job.columns_with("items")]
    frames.require_columns(written, names, source or "the published data")
    asked = baskets.only_items(job)
    distinct = frames.collected(frames.distinct(written, names), baskets.MOST_DISTINCT, "different published baskets")
    view: Any = audits.read_view(distinct.drop_columns([ROWS]), asked, source)
    view = replace(view, people=baskets.people_of(distinct), beside=beside)
    if original is None:
        return audits.audit(view, asked), []
    before: Any = audits.read_original(original.drop_columns([ROWS]), asked, hierarchies or {}, is_local=False)
    before = replace(before, held=replace(before.held, people=baskets.people_of(original)))
    return audits.judge(view, asked, before)


def beside_in(written: Any, job: Job, allow_columns: Collection[str], source: Path | None) -> Beside:
    """Columns beside those of the job; how many different values each has is counted by the engine."""
    from pyspark.sql import functions as F

    def different(names: Collection[str]) -> tuple[int, dict[str, int]]:
        counts = [F.countDistinct(frames.quoted(name)).alias(f"n{index}") for index, name in enumerate(names)]
        row = written.agg(F.count(F.lit(1)).alias("rows"), *counts).collect()[0]
        return int(row["rows"]), {name: int(row[f"n{index}"]) for index, name in enumerate(names)}

    return beside_of(list(written.columns), job, allow_columns, source, different)


def audit_file(
    job: Job, data: Path, *, original: bool, format: str | None, allow_columns: Collection[str], progress: Progress
) -> tuple[AuditResult, list[str]]:
    """`tacit audit` on an engine: of a file, or of a folder of files."""
    check_form(job)
    with opened(job.engine) as session:
        progress("reading")
        written, _ = frames.read_files(session, data, format or _format_of(data, job), job.input.delimiter)
        if not written.limit(1).count():
            raise InputError("the file has no record", file=data, hint="Check that the export was complete.")
        form = form_of(job)
        if form is not None:
            if original:
                raise InputError(
                    f"{job.promise.kind_of_data} are compared with the original where they are made",
                    hint="Leave --original out.",
                )
            progress("auditing")
            return with_columns(form.verdict(written, job), beside_in(written, job, allow_columns, data)), []
        before = None
        if original:
            frame, _ = frames.read(session, job.input)
            before = baskets.distinct(*united.one_row_each(frame, job))
        progress("auditing")
        return verdict(written, job, before, {}, allow_columns, data)


def audit_frame(frame: Any, job: Job, allow_columns: Collection[str]) -> AuditResult:
    """The verdict on a published Spark DataFrame."""
    check_form(job)
    form = form_of(job)
    if form is not None:
        return with_columns(form.verdict(frame, job), beside_in(frame, job, allow_columns, None))
    return verdict(frame, job, allow_columns=allow_columns)[0]


def refuse_unless_in_order(found: Verdict) -> None:
    """Raises unless the promise holds and all is true to the original."""
    if not found.audit.satisfied:
        failed = "The audit did not pass, so nothing was published."
        raise AuditFailure(f"{failed} {found.audit.in_numbers()}", f"{failed} {found.audit}")
    if found.problems:
        failed, count = "This is not true to the original", how_many(len(found.problems), "finding")
        raise AuditFailure(f"{failed}, so nothing was published: {count}.", f"{failed}: {'; '.join(found.problems)}.")


def _format_of(data: Path, job: Job) -> str | None:
    return None if data.is_dir() or data.suffix else job.output.format
