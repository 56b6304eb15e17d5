"""The story of a release on an engine: read, decide, recode there, write aside, audit what was written, place.

Nothing is called `public` until the audit passed on the files as they lie there; see `tacit.io.directory`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from tacit import audits
from tacit import recoding as recodings
from tacit.audits.result import AuditResult, how_many, with_columns
from tacit.audits.views.beside import Beside, beside_of
from tacit.engines import baskets, frames, record_flow, records
from tacit.engines.frames import ROWS
from tacit.engines.order import ORIGINAL, in_order
from tacit.engines.session import Session, opened, session_of
from tacit.errors import AuditFailure, InputError
from tacit.io import FileFormat
from tacit.io.directory import Staging, check_target, new_release
from tacit.io.fingerprint import file_sha256
from tacit.io.formats import format_named
from tacit.io.keys import key_text
from tacit.job import Job, Method
from tacit.job.checks import check_columns, note_on_repeats
from tacit.job.sources import files_read, job_sha256, other_files, output_format
from tacit.kinds import check_reachable, kind_for
from tacit.methods import method_for
from tacit.records.checks import check_records
from tacit.release import Release, Verdict, write_proof
from tacit.report.public import public_readme
from tacit.shuffle import KEY_BYTES, RECORDS, digest, fresh_key
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import free_name

Progress = Callable[[str], None]

FORMS: Mapping[str, tuple[str, ...]] = {
    "km": ("best", "mhghs", "hghs", "apriori", "suppression"),
    "lm": ("apriori",),
    "coherence": ("suppression",),
    "k": ("mondrian", "cluster"),
    "l": ("mondrian", "cluster"),
    "k-km": ("rum-bound", "tum-bound", "rfirst", "tfirst"),
    "k-lm": ("rum-bound", "tum-bound", "rfirst", "tfirst"),
}
"""The promises, and of each the methods, that have a form on an engine."""
_ONE_FILE = 10_000_000
"""Rows of a .dat that Sail writes as one file."""
_SAMPLE = 1000


class Decided(NamedTuple):
    """A release whose rows are still to be written, and the frame that they are recoded from."""

    release: Release
    frame: Any
    distinct: pa.Table


def anonymize_job(
    job: Job,
    *,
    directory: Path | None = None,
    force: bool = False,
    report: bool = True,
    strict: bool = False,
    key: bytes | None = None,
    progress: Progress,
) -> Release:
    """Makes the release that a job describes on the engine that it names: all of it, audited as written, or nothing."""
    check_form(job)
    target = directory or job.output.directory
    check_target(target, force=force, reads=files_read(job))
    with opened(job.engine) as session:
        progress("reading")
        frame, found = frames.read(session, job.input)
        if job.promise.kind_of_data == "records":
            return place_records(
                session, frame, job, output_format(job, found), {}, key or fresh_key(), target,
                force=force, report=report, strict=strict, progress=progress,
            )  # fmt: skip
        decided = decide(frame, job, output_format(job, found), {}, key or fresh_key(), progress)
        if strict:
            from tacit.flow import refuse_worthless

            refuse_worthless(decided.release)
        return place(session, decided, target, force=force, report=report, progress=progress)


def check_form(job: Job) -> None:
    """Refuses what has no form on an engine, before any work."""
    promise, method = job.promise.name, method_for(job.promise.name, job.method.name)
    fitting = FORMS.get(promise, ())
    if not fitting:
        raise InputError(
            f"the promise {promise!r} has no form on the engine {job.engine.name!r}",
            file=job.file,
            hint=f"These have one: {', '.join(FORMS)}. On this machine: --engine local.",
        )
    if method.name not in fitting:
        raise InputError(
            f"the method {method.name!r} has no form on the engine {job.engine.name!r}",
            file=job.file,
            hint=f"For {promise!r} these have one: {', '.join(fitting)}. On this machine: --engine local.",
        )
    (records if job.promise.kind_of_data == "records" else baskets).check(job)
    for key, asked in (
        ("output.escape_formulas", job.output.escape_formulas),
        ("output.database", job.output.database),
        ("input.join", job.input.join),
    ):
        if asked:
            raise InputError(
                f"{key} has no form on an engine", file=job.file, hint="Leave it out, or use --engine local."
            )


def of_engine(output: FileFormat, job: Job) -> FileFormat:
    """The format as an engine writes it: text is not packed."""
    output = replace(output, gzipped=False) if output.is_text else output
    if output.name not in ("parquet", "csv", "tsv", "dat") or output.gzipped:
        raise InputError(
            f"the engine does not write {output.extension} files",
            file=job.file,
            hint='Choose format = "parquet" or "csv" under [output].',
        )
    return output


def check_frame(frame: Any, job: Job) -> pa.Table:
    """Refuses a schema that does not fit the job; gives back the frame's columns without a row."""
    empty = frames.arrow_schema(frame).empty_table()
    check_columns(empty, job)
    if job.engine.key is not None:
        frames.require_columns(frame, [job.engine.key], job.input.source)
    return empty


def decide(
    frame: Any,
    job: Job,
    output: FileFormat,
    hierarchies: Mapping[str, Taxonomy],
    key: bytes,
    progress: Progress,
) -> Decided:
    """What becomes of the items, from the different baskets with their number."""
    from tacit.flow import fresh_seed

    output = of_engine(output, job)
    check_frame(frame, job)
    method = method_for(job.promise.name, job.method.name)
    options = method.checked(job.method.options, folder=job.file and job.file.parent)
    progress("counting equal baskets")
    distinct = baskets.distinct(frame, job)
    if not distinct.num_rows:
        raise InputError("the data has no record, so there is nothing to publish", file=job.input.source)
    progress("encoding")
    encoded = baskets.encode(distinct, job, hierarchies, output)
    check_reachable(encoded.data, job)
    job = replace(job, method=replace(job.method, options=options)).filled(
        Method(method.name, fresh_seed()), output.extension
    )
    progress("searching")
    recoding = method.search(job.promise)(
        encoded.data, job.promise, seed=job.method.seed or 0, hidden=None, progress=progress, **options
    )
    kind = kind_for(job.promise)
    applied = kind.apply(encoded.data, recoding)
    warnings = (*kind.judge(encoded.data, applied, method.name), *filter(None, [method.caution(options)]))
    return decided_by(
        applied, encoded.data, (*encoded.notes, *warnings), job, output, frame, distinct, hierarchies, key
    )


def decided_by(
    applied: Any,
    data: Any,
    notes: tuple[str, ...],
    job: Job,
    output: FileFormat,
    frame: Any,
    distinct: pa.Table,
    hierarchies: Mapping[str, Taxonomy],
    key: bytes,
) -> Decided:
    """The release that a decision makes, without its rows."""
    kind = kind_for(job.promise)
    utility = kind.measure(data, applied, None, job)  # type: ignore[arg-type]  # baskets measure the decision alone
    source = distinct.drop_columns([ROWS])
    repeated = _repeated_identifiers(frame, job)
    notes = (*notes, *map(note_on_repeats, repeated))
    made_from = {name: file_sha256(path) for name, path in other_files(job, job.method.options).items()}
    release = Release(
        job, source.slice(0, 0), None, applied, utility, output, data, source, hierarchies, notes, made_from, key,
        on_engine=True, repeats=bool(repeated),
    )  # fmt: skip
    return Decided(release, frame, distinct)


def _repeated_identifiers(frame: Any, job: Job) -> list[str]:
    """The identifiers that several records have."""
    from pyspark.sql import functions as F

    names = [column.name for column in job.columns_with("identifier")]
    if not names:
        return []
    counts = [[F.count(frames.quoted(name)), F.countDistinct(frames.quoted(name))] for name in names]
    row = frame.agg(*(count.alias(f"c{i}{j}") for i, pair in enumerate(counts) for j, count in enumerate(pair)))
    found = row.collect()[0]
    return [name for i, name in enumerate(names) if found[f"c{i}1"] < found[f"c{i}0"]]


def order_key(release: Release) -> bytes:
    """What the order of the rows is drawn from."""
    return digest(release.key, RECORDS, job_sha256(release.job, release.hierarchies)).digest(KEY_BYTES)


def rows_to_write(decided: Decided) -> tuple[Any, Any | None]:
    """The rows in their order, as they are published; and the same with `original`, if the job names a key column."""
    release = decided.release
    recoded, names = baskets.published(decided.frame, release.job, release.recoding, release.format, order_key(release))
    rows = in_order(recoded, names)
    if release.job.engine.key is None:
        return rows, None
    return rows, in_order(recoded, [ORIGINAL, *names]).withColumnRenamed(ORIGINAL, free_name("original", set(names)))


def place(
    session: Session,
    decided: Decided,
    directory: Path,
    *,
    force: bool,
    report: bool,
    progress: Progress,
) -> Release:
    """Writes a release aside, audits what was written, and puts all of it into its place, or nothing."""
    release = decided.release
    with new_release(directory, force=force) as staging:
        progress("writing")
        data = write_rows(session, decided, staging)
        progress("auditing")
        written, _ = frames.read_files(session, data, release.format.name, release.format.delimiter)
        found, release = judged(decided, written)
        refuse_unless_in_order(found)
        release = replace(release, audited=found.audit)
        _finish(release, staging, directory, data, report=report)
    return release


def place_records(
    session: Session,
    frame: Any,
    job: Job,
    output: FileFormat,
    hierarchies: Mapping[str, Taxonomy],
    key: bytes,
    directory: Path,
    *,
    force: bool,
    report: bool,
    strict: bool,
    progress: Progress,
) -> Release:
    """The same for records, which are made in parts."""
    from tacit.flow import fresh_seed, refuse_worthless

    output = of_engine(output, job)
    check_records(frames.arrow_schema(frame).empty_table(), job, output)
    check_frame(frame, job)
    method = method_for(job.promise.name, job.method.name)
    options = method.checked(job.method.options, folder=job.file and job.file.parent)
    job = replace(job, method=replace(job.method, options=options))
    job = job.filled(Method(method.name, fresh_seed()), output.extension)
    order = digest(key, RECORDS, job_sha256(job, hierarchies)).digest(KEY_BYTES)
    with new_release(directory, force=force) as staging:
        progress("searching")
        work = staging.public / "work"
        release, rows = record_flow.make(frame, job, output, hierarchies, key, order, work, session, progress)
        repeated = _repeated_identifiers(frame, job)
        cautions = (*map(note_on_repeats, repeated), *filter(None, [method.caution(options)]))
        release = replace(release, notes=cautions, repeats=bool(repeated))
        if strict:
            refuse_worthless(release)
        progress("writing")
        names, data = record_flow.published_names(rows), staging.public / "data"
        frames.write(in_order(rows, names), data, output)
        if job.engine.key is not None:
            shown = free_name("original", set(names))
            kept = in_order(rows, [ORIGINAL, *names]).withColumnRenamed(ORIGINAL, shown)
            frames.write(kept, staging.private / "rows", format_named("parquet"))
        progress("auditing")
        written, _ = frames.read_files(session, data, output.name, output.delimiter)
        result = with_columns(record_flow.verdict(written, job), _beside(written, job, (), None))
        refuse_unless_in_order(Verdict(result))
        record_flow.check_written(written, rows)
        shutil.rmtree(work)
        release = replace(release, audited=result)
        _finish(release, staging, directory, data, report=report)
    return release


def _finish(release: Release, staging: Staging, directory: Path, data: Path, *, report: bool) -> None:
    """What goes beside the rows; then the release may be placed."""
    (staging.private / "key").write_text(key_text(release.key), encoding="ascii")
    (staging.private / "recoding.json").write_text(recodings.to_json(release.recoding), encoding="utf-8")
    (staging.public / "README.md").write_text(public_readme(release, data.name), encoding="utf-8")
    write_proof(release, staging.private, directory, data, report=report)
    staging.approve()


def refuse_unless_in_order(found: Verdict) -> None:
    """Raises unless the promise holds and all is true to the original."""
    if not found.audit.satisfied:
        failed = "The audit did not pass, so nothing was published."
        raise AuditFailure(f"{failed} {found.audit.in_numbers()}", f"{failed} {found.audit}")
    if found.problems:
        failed, count = "This is not true to the original", how_many(len(found.problems), "finding")
        raise AuditFailure(f"{failed}, so nothing was published: {count}.", f"{failed}: {'; '.join(found.problems)}.")


def write_rows(session: Session, decided: Decided, staging: Staging) -> Path:
    """The public files and, where the job names a key column, private/rows; a small .dat of Sail is one file."""
    release = decided.release
    rows, with_key = rows_to_write(decided)
    folder = staging.public / "data"
    is_small = release.format.name == "dat" and session.name == "sail" and release.utility["records"] <= _ONE_FILE
    files = frames.write(rows, folder, release.format)
    if with_key is not None:
        frames.write(with_key, staging.private / "rows", format_named("parquet"))
    return frames.joined(files, staging.public / "data.dat") if is_small else folder


def judged(decided: Decided, written: Any) -> tuple[Verdict, Release]:
    """The verdict on what was written, and the release with a few rows of it, for its notes."""
    release = decided.release
    result, problems = verdict(written, release.job, decided.distinct, release.hierarchies)
    return Verdict(result, tuple(problems)), replace(release, table=written.limit(_SAMPLE).toArrow())


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
    names = [column.name for column in job.columns_with("items")]
    frames.require_columns(written, names, source or "the published data")
    asked = baskets.only_items(job)
    distinct = frames.collected(frames.distinct(written, names), baskets.MOST_DISTINCT, "different published baskets")
    view: Any = audits.read_view(distinct.drop_columns([ROWS]), asked, source)
    view = replace(view, people=baskets.people_of(distinct), beside=_beside(written, job, allow_columns, source))
    if original is None:
        return audits.audit(view, asked), []
    before: Any = audits.read_original(original.drop_columns([ROWS]), asked, hierarchies or {}, is_local=False)
    before = replace(before, held=replace(before.held, people=baskets.people_of(original)))
    return audits.judge(view, asked, before)


def _beside(written: Any, job: Job, allow_columns: Collection[str], source: Path | None) -> Beside:
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
        if job.promise.kind_of_data == "records":
            if original:
                raise InputError(
                    "records are compared with the original where they are made", hint="Leave --original out."
                )
            progress("auditing")
            return with_columns(record_flow.verdict(written, job), _beside(written, job, allow_columns, data)), []
        before = None
        if original:
            frame, _ = frames.read(session, job.input)
            before = baskets.distinct(frame, job)
        progress("auditing")
        return verdict(written, job, before, {}, allow_columns, data)


def anonymize_frame(
    frame: Any, job: Job, hierarchies: Mapping[str, Taxonomy], key: bytes, progress: Progress
) -> Release:
    """The release of a Spark DataFrame, audited; its `data` is one, too."""
    check_form(job)
    session = session_of(frame)
    if job.promise.kind_of_data == "records":
        raise InputError(
            "records of a Spark DataFrame have no form in Python yet",
            hint="Write it as Parquet, and make the release with `tacit anonymize --engine spark`.",
        )
    decided = decide(frame, job, format_named("parquet"), hierarchies, key, progress)
    rows, _ = rows_to_write(decided)
    found, release = judged(decided, rows)
    refuse_unless_in_order(found)

    def save(directory: Path, *, force: bool, report: bool) -> None:
        place(session, decided, directory, force=force, report=report, progress=progress)

    return replace(release, audited=found.audit, into_frame=lambda table: rows, saves=save)


def audit_frame(frame: Any, job: Job, allow_columns: Collection[str]) -> AuditResult:
    """The verdict on a published Spark DataFrame."""
    check_form(job)
    if job.promise.kind_of_data == "records":
        return with_columns(record_flow.verdict(frame, job), _beside(frame, job, allow_columns, None))
    return verdict(frame, job, allow_columns=allow_columns)[0]


def _format_of(data: Path, job: Job) -> str | None:
    return None if data.is_dir() or data.suffix else job.output.format
