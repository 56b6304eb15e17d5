"""Audits on an engine, of what was just written, a file or a frame; `tacit.engines.audits` has what finds out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from tacit.audits.result import AuditResult, how_many, with_columns
from tacit.audits.views.beside import Beside, beside_of, counted_as_people
from tacit.engines import frames
from tacit.engines.audits import baskets, ratings, record_truth, records, slices
from tacit.engines.audits.buckets import FILE
from tacit.engines.audits.whole import can_judge
from tacit.engines.session import opened
from tacit.errors import AuditFailure, InputError
from tacit.job import Job
from tacit.methods import is_local
from tacit.promises import MODELS
from tacit.release import Verdict
from tacit.taxonomy import Taxonomy

Progress = Callable[[str], None]


def verdict(
    written: Any,
    job: Job,
    original: Any | None = None,
    hierarchies: Mapping[str, Taxonomy] | None = None,
    allow_columns: Collection[str] = (),
    source: Path | None = None,
    whose: tuple[Any, str] | None = None,
) -> tuple[AuditResult, list[str]]:
    """What the audits say of published rows, and what is not true to the frame of the original, if that is given.

    `whose` are the same rows with a column that tells whose each is, and its name, where persons have several.
    """
    beside, kind, given = beside_in(written, job, allow_columns, source), job.promise.kind_of_data, hierarchies or {}
    local = is_local(job.promise.name, job.method.name)
    if original is not None and kind != "records" and (kind != "baskets" or local):
        raise InputError(
            f"{job.promise.name!r} is compared with the original where a release is made",
            hint="Leave --original out, or use --engine local.",
        )
    if kind == "baskets":
        return baskets.verdict(written, job, original, given, beside, source or FILE)
    if kind == "records":
        rows, person = (written, None) if whose is None else whose
        found = with_columns(records.verdict(rows, job, given, person), beside)
        if original is None:
            return found, []
        return found, record_truth.false_values(written, original, job, given, is_local=local)
    by_kind = {"ratings": ratings, "slices": slices}
    return with_columns(by_kind[kind].verdict(written, job), beside), []


def check_audit(job: Job) -> None:
    """Refuses what the audits cannot read or judge on an engine."""
    if not can_judge(job.promise):
        judged = ", ".join(name for name, model in MODELS.items() if can_judge(model))
        raise InputError(
            f"the audit of {job.promise.name!r} has no form on an engine",
            file=job.file,
            hint=f"These have one: {judged}. On this machine: --engine local.",
        )
    for column in job.columns:
        if column.decimal or column.thousands is not None or column.date_format:
            raise InputError(
                "decimal, thousands and date_format have no form on an engine yet",
                file=job.file, column=column.name, hint="Use --engine local.",
            )  # fmt: skip


def beside_in(written: Any, job: Job, allow_columns: Collection[str], source: Path | None) -> Beside:
    """Columns beside those of the job; how many different values each has is counted by the engine."""
    from pyspark.sql import functions as F

    def different(names: Collection[str]) -> tuple[int, dict[str, int]]:
        counts = [F.countDistinct(frames.quoted(name)).alias(f"n{index}") for index, name in enumerate(names)]
        person = counted_as_people(written.columns, job)
        people = F.count(F.lit(1)) if person is None else F.countDistinct(frames.quoted(person))
        row = written.agg(people.alias("people"), *counts).collect()[0]
        return int(row["people"]), {name: int(row[f"n{index}"]) for index, name in enumerate(names)}

    return beside_of(list(written.columns), job, allow_columns, source, different)


def audit_file(
    job: Job, data: Path, *, original: bool, format: str | None, allow_columns: Collection[str], progress: Progress
) -> tuple[AuditResult, list[str]]:
    """`tacit audit` on an engine: of a file, or of a folder of files."""
    check_audit(job)
    with opened(job.engine) as session:
        progress("reading")
        written, _ = frames.read_files(session, data, format or _format_of(data, job), job.input.delimiter)
        if not written.limit(1).count():
            raise InputError("the file has no record", file=data, hint="Check that the export was complete.")
        before = frames.read(session, job.input)[0] if original else None
        progress("auditing")
        return verdict(written, job, before, {}, allow_columns, data)


def audit_frame(frame: Any, job: Job, allow_columns: Collection[str]) -> AuditResult:
    """The verdict on a published Spark DataFrame."""
    check_audit(job)
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
