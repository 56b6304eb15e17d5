"""The whole story: read, encode, search, apply, audit, save. Commands and the Python API are thin callers of this."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacit import audits
from tacit.audits.result import AuditResult
from tacit.errors import InputError
from tacit.io import FileFormat, spreadsheet
from tacit.io.directory import check_target
from tacit.io.fingerprint import hashed_while_read, table_sha256
from tacit.job import Job, Method
from tacit.job.checks import notes_on_plain
from tacit.job.sources import input_file, other_files, output_format, read_published, read_source
from tacit.kinds import Encoded, check_reachable, kind_for
from tacit.methods import is_local, method_for
from tacit.release import Release
from tacit.shuffle import Shuffle
from tacit.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tacit.report.engine import Engine

Progress = Callable[[str], None]

STAGES = ("reading", "encoding", "searching", "recoding", "writing", "auditing", "reporting")
"""What progress is told, in this order; other messages say how a stage goes."""


def silent(message: str) -> None:
    """Progress that nobody watches."""


def anonymize_job(
    job: Job, *, directory: Path | None = None, force: bool = False, report: bool = True, progress: Progress = silent
) -> Release:
    """Makes the release that a job file describes and saves it: all of it, audited as written, or nothing."""
    target = directory or job.output.directory
    check_target(target, force=force)
    with drawing(report) as engine:
        progress("reading")
        with hashed_while_read(input_file(job)) as digests:
            table, input_format = read_source(job)
        release = make_release(table, job, input_format=input_format, progress=progress)
        release.made_from = {**(digests or {"rows as Arrow": table_sha256(table)}), **release.made_from}
        release.save(target, force=force, report=report, engine=engine, progress=progress)
    return release


def drawing(report: bool) -> AbstractContextManager[Engine | None]:
    """What draws the charts of a report, if one is wanted: started first, so that it is ready when it is needed."""
    if not report:
        return nullcontext()
    from tacit.report.engine import started_engine

    return started_engine()


def make_release(
    table: pa.Table,
    job: Job,
    *,
    hierarchies: Mapping[str, Taxonomy] | None = None,
    input_format: FileFormat | None = None,
    progress: Progress = silent,
) -> Release:
    """The release of a table, not yet audited: `Release.check` audits it in memory, `Release.save` as written.

    `hierarchies` are those of columns for which the job names no file.
    """
    method = method_for(job.promise.name, job.method.name)
    options = method.checked(job.method.options, folder=job.file and job.file.parent)
    output = output_format(job, input_format)
    kind = kind_for(job.promise)

    with hashed_while_read(other_files(job, options)) as digests:
        progress("encoding")
        encoded = kind.encode(table, job, hierarchies or {}, output)
        check_reachable(encoded.data, job)
        chosen = replace(job, columns=encoded.columns or job.columns, method=replace(job.method, options=options))
        job = chosen.filled(Method(method.name, fresh_seed()), output.extension)

        progress("searching")
        search = method.search(job.promise)
        try:
            seed, hidden = job.method.seed or 0, Shuffle.seeded(job.method.seed or 0)
            recoding = search(encoded.data, job.promise, seed=seed, hidden=hidden, progress=progress, **options)
        except InputError as error:  # an option that does not suit the data: it stands in the job
            where = job.file if error.file is None else error.file
            raise InputError(error.problem, file=where, line=error.line, column=error.column, hint=error.hint) from None
    applied = kind.apply(encoded.data, recoding)
    warnings = kind.judge(encoded.data, applied, method.name)
    told = Encoded(encoded.data, (*encoded.notes, *warnings))
    release = recoded(table, told, job, applied, output, hidden, hierarchies or {}, progress)
    release.made_from = digests
    return release


def recoded(
    table: pa.Table,
    encoded: Encoded,
    job: Job,
    applied: Any,
    output: FileFormat,
    hidden: Shuffle,
    hierarchies: Mapping[str, Taxonomy],
    progress: Progress = silent,
) -> Release:
    """The release of data that a decision was applied to, with what it costs."""
    progress("recoding")
    kind, data = kind_for(job.promise), encoded.data
    notes = (*encoded.notes, *notes_on_plain(table, job))
    published = kind.publish(data, applied, table, job, output, hidden)
    utility = kind.measure(data, applied, published, job)
    if output.delimited and not job.output.escape_formulas:
        formulas = spreadsheet.count_formulas(published.table)
        if formulas:
            advice = "output.escape_formulas = true puts an apostrophe before them"
            notes = (*notes, f"cells that look like formulas to a spreadsheet: {formulas:,}; {advice}")
    source = table.select([column.name for column in job.columns if column.name in table.column_names])
    return Release(job, published.table, published.original, applied, utility, output, data, source, hierarchies, notes)


def audit_file(
    job: Job, data: Path, *, original: bool = False, format: str | None = None, progress: Progress = silent
) -> tuple[AuditResult, list[str]]:
    """The verdict on a published file and, with `original`, what in it is not true to the job's input.

    Without `original`, neither the input nor a hierarchy is opened.
    """
    progress("reading")
    view = audits.read_view(read_published(data, job, format=format).table, job, data)
    progress("auditing")
    if not original:
        return audits.audit(view, job), []
    before = audits.read_original(read_source(job).table, job, {}, is_local=is_local(job.promise.name, job.method.name))
    return audits.prove(view, job, before), audits.false_values(before, view, None)


def fresh_seed() -> int:
    """A seed from the operating system that every reader of JSON and TOML takes for a whole number."""
    return secrets.randbits(53)
