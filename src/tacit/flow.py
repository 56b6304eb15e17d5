"""The whole story: read, encode, search, apply, write, read back, audit, report, place.

Commands and the Python API are thin callers of this.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacit import audits
from tacit.audits.result import AuditResult
from tacit.errors import AuditFailure, InputError
from tacit.io import FileFormat, spreadsheet, write_table
from tacit.io.directory import check_target, new_release
from tacit.io.fingerprint import hashed_while_read, table_sha256
from tacit.job import Job, Method
from tacit.job.checks import notes_on_plain
from tacit.job.sources import escaping_of, input_file, other_files, output_format, read_published, read_source
from tacit.kinds import Encoded, check_reachable, kind_for
from tacit.methods import is_local, method_for
from tacit.release import Release, Verdict, of_all_deliveries, read_back, write_decision, write_proof
from tacit.report.public import public_readme
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
        made_from = digests or {"rows as Arrow": table_sha256(table)}
        release = make_release(table, job, input_format=input_format, made_from=made_from, progress=progress)
        del table  # room for the published one, which is read back
        return place(release, target, force=force, report=report, engine=engine, progress=progress)


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
    made_from: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> Release:
    """The release of a table, not yet audited: `checked` audits it in memory, `place` as written.

    `hierarchies` are those of columns for which the job names no file, `made_from` digests of what the table is from.
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
    return replace(release, made_from={**(made_from or {}), **digests})


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


def place(
    release: Release,
    directory: Path,
    *,
    force: bool = False,
    report: bool = True,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Release:
    """Writes a release, reads it back, audits what was read, and puts all of it into its place, or nothing.

    The largest private files are written aside. With an `engine`, charts are drawn aside, too.
    """
    if not release.table.num_rows:
        raise InputError("the release has no record, so there is nothing to publish")
    with new_release(directory, force=force) as staging, ThreadPoolExecutor(1) as aside:
        progress("writing")
        written = aside.submit(write_decision, release, staging.private)
        file = staging.public / f"data.{release.format.extension}"
        write_table(release.table, file, release.format, escaping=escaping_of(release.job))
        progress("auditing")
        release = replace(release, audited=checked(release, read_back(release, file)))
        (staging.public / "README.md").write_text(public_readme(release, file.name), encoding="utf-8")
        if report:
            progress("reporting")
        write_proof(release, staging.private, directory, file if report else None, engine)
        written.result()
        staging.approve()
    return release


def checked(release: Release, published: pa.Table) -> AuditResult:
    """Audits a table that was published and compares it with the original; raises unless both are in order."""
    found = verdict_on(release, published)
    if not found.audit.satisfied:
        raise AuditFailure(f"The audit did not pass, so nothing was published. {found.audit}")
    if found.problems:
        told = "; ".join(found.problems)
        raise AuditFailure(f"This is not true to the original, so nothing was published: {told}.")
    return found.audit


def verdict_on(release: Release, published: pa.Table) -> Verdict:
    """What the audit says of a table that was published, and what in it is not true to the original."""
    job = release.job
    view: Any = audits.read_view(published, job)
    local = is_local(job.promise.name, job.method.name)
    original = audits.read_original(release.source, job, release.hierarchies, is_local=local)
    if release.published_before is None:
        result = audits.prove(view, job, original)
    else:
        result = of_all_deliveries(audits.audit(audits.together((*release.published_before, view)), job), release)
    return Verdict(result, tuple(audits.false_values(original, view, release.original)))


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
