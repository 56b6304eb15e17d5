"""The story of a release on an engine: read, decide, recode there, write aside, audit what was written, place.

Nothing is called `public` until the audit passed on the files as they lie there; see `tacit.io.directory`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from tacit import recoding as recodings
from tacit.audits.result import AuditResult
from tacit.engines import baskets, frames, many, record_flow, united
from tacit.engines.fingerprint import INPUT, input_sha256
from tacit.engines.forms import check_form, check_frame, form_of, of_engine
from tacit.engines.frames import ROWS
from tacit.engines.made import Form, Keep, Made
from tacit.engines.order import ORIGINAL
from tacit.engines.passes import in_order, write_in_order
from tacit.engines.risk import found_risk
from tacit.engines.session import Session, opened, session_of
from tacit.engines.verdicts import refuse_unless_in_order, verdict
from tacit.errors import InputError
from tacit.io import FileFormat, spreadsheet
from tacit.io.directory import Staging, check_target, new_release, without_leftovers
from tacit.io.fingerprint import file_sha256
from tacit.io.formats import format_named
from tacit.io.keys import key_text
from tacit.job import Job, Method
from tacit.job.checks import check_output, notes_on_repeated
from tacit.job.sources import files_read, job_sha256, other_files, output_format
from tacit.kinds import check_reachable, kind_for
from tacit.methods import method_for
from tacit.release import Release, Verdict, write_proof
from tacit.report.metadata import write_metadata
from tacit.report.public import public_readme
from tacit.shuffle import KEY_BYTES, RECORDS, digest, fresh_key
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import free_name

Progress = Callable[[str], None]

_ONE_FILE = 10_000_000
"""Rows of a .dat that Sail writes as one file."""
_SAMPLE = 1000


class Decided(NamedTuple):
    """A release whose rows are still to be written, and the frames that they are recoded from and compared with."""

    release: Release
    frame: Any  # one row a person
    source: Any  # as it was given


def anonymize_job(
    job: Job,
    *,
    directory: Path | None = None,
    force: bool = False,
    report: bool = True,
    strict: bool = False,
    attacks: bool = True,
    key: bytes | None = None,
    progress: Progress,
) -> Release:
    """Makes the release that a job describes on the engine that it names: all of it, audited as written, or nothing.

    With `attacks`, the risk of records is told, before and after.
    """
    check_form(job)
    target = directory or job.output.directory
    check_target(target, force=force, reads=files_read(job))
    with without_leftovers(target), opened(job.engine) as session:  # tasks may write until the engine has ended
        progress("reading")
        frame, found = frames.read(session, job.input)
        if form_of(job) is not None:
            return place_shares(
                session, frame, job, output_format(job, found), {}, key or fresh_key(), target,
                force=force, report=report, strict=strict, attacks=attacks, progress=progress,
            )  # fmt: skip
        decided = decide(frame, job, output_format(job, found), {}, key or fresh_key(), progress)
        if strict:
            from tacit.steps.recoding import refuse_worthless

            refuse_worthless(decided.release)
        return place(session, decided, target, force=force, report=report, progress=progress)


def decide(
    frame: Any,
    job: Job,
    output: FileFormat,
    hierarchies: Mapping[str, Taxonomy],
    key: bytes,
    progress: Progress,
) -> Decided:
    """What becomes of the items, from the different baskets with their number."""
    from tacit.steps.recoding import fresh_seed

    output = of_engine(output, job)
    check_output(check_frame(frame, job), job, output)
    method = method_for(job.promise.name, job.method.name)
    options = method.checked(job.method.options, folder=job.file and job.file.parent)
    progress("counting equal baskets")
    source, made_from = frame, {INPUT: input_sha256(frame, key)}
    frame, asked = united.one_row_each(frame, job)
    shape = format_named("parquet") if united.is_long(job) else output  # no basket of a long layout is a text
    held, has_form = None, many.has_form(job, options, hierarchies)
    distinct = baskets.distinct_if(frame, asked, many.ON_DRIVER) if has_form else baskets.distinct(frame, asked)
    if distinct is None:
        progress("counting who holds what")
        held = many.read(frame, asked, hierarchies, shape)
        distinct, encoded = held.table, held.encoded
    elif not distinct.num_rows:
        raise InputError("the data has no record, so there is nothing to publish", file=job.input.source)
    else:
        progress("encoding")
        encoded = baskets.encode(distinct, asked, hierarchies, shape)
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
    utility = held.measured(applied) if held else kind.measure(encoded.data, applied, None, job)  # type: ignore[arg-type]
    return decided_by(
        applied, encoded.data, (*encoded.notes, *warnings), utility, job, output, (frame, source), distinct,
        hierarchies, made_from, key,
    )  # fmt: skip


def decided_by(
    applied: Any,
    data: Any,
    notes: tuple[str, ...],
    utility: dict[str, Any],
    job: Job,
    output: FileFormat,
    of: tuple[Any, Any],
    distinct: pa.Table,
    hierarchies: Mapping[str, Taxonomy],
    made_from: Mapping[str, str],
    key: bytes,
) -> Decided:
    """The release that a decision makes, without its rows.

    `of` are the rows of persons and those of the input; `made_from` has digests of what the decision is from.
    """
    frame, given = of
    source = distinct.drop_columns([ROWS])
    repeated = _repeated_identifiers(frame, job)
    notes = (*notes, *notes_on_repeated(repeated))
    files = {name: file_sha256(path) for name, path in other_files(job, job.method.options).items()}
    release = Release(
        job, source.slice(0, 0), None, applied, utility, output, data, source, hierarchies, notes,
        {**made_from, **files}, key, on_engine=True, repeats=bool(repeated),
    )  # fmt: skip
    return Decided(release, frame, given)


def _repeated_identifiers(frame: Any, job: Job) -> list[str]:
    """The identifiers that several records have."""
    from pyspark.sql import functions as F

    names = [column.name for column in job.columns_with("identifier")]
    if not names or job.columns_with("person"):  # people are counted, and united rows have no identifier
        return []
    counts = [[F.count(frames.quoted(name)), F.countDistinct(frames.quoted(name))] for name in names]
    row = frame.agg(*(count.alias(f"c{i}{j}") for i, pair in enumerate(counts) for j, count in enumerate(pair)))
    found = row.collect()[0]
    return [name for i, name in enumerate(names) if found[f"c{i}1"] < found[f"c{i}0"]]


def order_key(release: Release) -> bytes:
    """What the order of the rows is drawn from."""
    return drawn_from(release.key, release.made_from, release.job, release.hierarchies)


def drawn_from(key: bytes, made_from: Mapping[str, str], job: Job, hierarchies: Mapping[str, Taxonomy]) -> bytes:
    """A key for the order of what a job makes of some input, as `tacit.shuffle` draws one."""
    return digest(key, RECORDS, *sorted(made_from.values()), job_sha256(job, hierarchies)).digest(KEY_BYTES)


def rows_to_write(decided: Decided) -> tuple[Any, Any | None]:
    """The rows in their order, as they are published; and the same with `original`, if the job names a key column."""
    if united.is_long(decided.release.job):
        return _long_rows(decided)
    recoded, names, original = _recoded(decided)
    people = decided.release.utility["records"]
    rows = in_order(recoded, names, people)
    return rows, None if original is None else in_order(recoded, [original, *names], people)


def _recoded(decided: Decided) -> tuple[Any, list[str], str | None]:
    """The rows with their places, their columns, and the column that tells whose they are, if there is one."""
    release = decided.release
    recoded, names = baskets.published(decided.frame, release.job, release.recoding, release.format, order_key(release))
    if release.job.engine.key is None:
        return recoded, names, None
    original = free_name("original", set(names))
    return recoded.withColumnRenamed(ORIGINAL, original), names, original


def _long_rows(decided: Decided) -> tuple[Any, Any]:
    """The same of a long layout: a row for a person and an item, and which number is whose."""
    release, person = decided.release, decided.release.job.columns_with("person")[0].name
    asked = replace(release.job, engine=replace(release.job.engine, key=person))
    asked = replace(asked, input=replace(asked.input, layout="wide"), columns=asked.columns_with("items"))
    lists = format_named("parquet")
    recoded, _ = baskets.published(decided.frame, asked, release.recoding, lists, order_key(release))
    people = release.utility["records"]
    return united.in_order(united.numbered(recoded, release.job, people), release.job, people)


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
        _finish(release, staging, directory, data, written, report=report)
    return release


def place_shares(
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
    attacks: bool = True,
    progress: Progress,
) -> Release:
    """The same for records and ratings, which are made in shares."""
    from tacit.steps.recoding import refuse_worthless

    with new_release(directory, force=force) as staging:
        work, keep = _aside(session, staging)
        form, made = made_in_shares(frame, job, output, hierarchies, key, keep, progress)
        if strict:
            refuse_worthless(made.release)
        progress("writing")
        data, output = staging.public / "data", made.release.format
        frames.write_each((form.to_publish(each) for each in made.in_turn()), data, output)
        whose = form.whose(made)
        if whose is not None:
            frames.write(whose, staging.private / "rows", format_named("parquet"))
            whose = session.spark.read.parquet(str(staging.private / "rows"))
        progress("auditing")
        written, _ = frames.read_files(session, data, output.name, output.delimiter)
        rows = [form.to_publish(each, is_sorted=False) for each in made.in_turn()]
        result = checked(made, written, rows, whose)
        found = found_risk(written, frame, job) if attacks else None
        shutil.rmtree(work)
        release = replace(made.release, audited=result, attacked=found)
        _finish(release, staging, directory, data, written, report=report)
    return release


def _aside(session: Session, staging: Staging) -> tuple[Path, Keep]:
    """A folder for rows that are used more than once, and what puts them there in place of others."""
    work = staging.public / "work"

    def keep(*pieces: Any) -> Any:
        shutil.rmtree(work, ignore_errors=True)
        for rows in pieces:
            rows.write.mode("append").parquet(str(work))
        return session.spark.read.parquet(str(work))

    return work, keep


def made_in_shares(
    frame: Any,
    job: Job,
    output: FileFormat,
    hierarchies: Mapping[str, Taxonomy],
    key: bytes,
    keep: Keep,
    progress: Progress,
) -> tuple[Form, Made]:
    """Records or ratings as they are published, share by share, not yet audited as a whole."""
    from tacit.steps.recoding import fresh_seed

    form = form_of(job)
    assert form is not None
    output = of_engine(output, job)
    check_frame(frame, job)
    method = method_for(job.promise.name, job.method.name)
    options = method.checked(job.method.options, folder=job.file and job.file.parent)
    job = replace(job, method=replace(job.method, options=options))
    job = job.filled(Method(method.name, fresh_seed()), output.extension)
    made_from = {name: file_sha256(path) for name, path in other_files(job, options).items()}
    made_from |= {INPUT: input_sha256(frame, key)}
    order = drawn_from(key, made_from, job, hierarchies)
    progress("searching")
    made = form.make(frame, job, output, hierarchies, key, order, keep, progress)
    repeated = _repeated_identifiers(frame, job)
    notes = (*made.release.notes, *notes_on_repeated(repeated), *filter(None, [method.caution(options)]))
    release = replace(made.release, notes=notes, made_from=made_from, repeats=bool(repeated))
    return form, replace(made, release=release)


def checked(made: Made, written: Any, rows: Sequence[Any], whose: Any | None) -> AuditResult:
    """The verdict on published rows; raises unless the promise holds and they are what was made, in whatever pieces.

    Where persons have several records, `whose` says which are whose, and must be of the same rows.
    """
    job, names = made.release.job, list(rows[0].columns)
    persons = None
    if job.promise.kind_of_data == "records" and job.columns_with("person") and whose is not None:
        record_flow.check_written(whose, *rows)
        persons = whose, next(name for name in whose.columns if name not in names)
    result, _ = verdict(written, job, hierarchies=made.release.hierarchies, whose=persons)
    refuse_unless_in_order(Verdict(result))
    record_flow.check_written(written, *rows)
    return result


def _finish(release: Release, staging: Staging, directory: Path, data: Path, written: Any, *, report: bool) -> None:
    """What goes beside the rows; then the release may be placed."""
    rows, formulas = _rows_and_formulas(written)
    if formulas and release.format.delimited:
        told = f"cells that look like formulas to a spreadsheet: {formulas:,}; no engine puts an apostrophe before them"
        release = replace(release, notes=(*release.notes, told))
    (staging.private / "key").write_text(key_text(release.key), encoding="ascii")
    (staging.private / "recoding.json").write_text(recodings.to_json(release.recoding), encoding="utf-8")
    (staging.public / "README.md").write_text(public_readme(release, data.name), encoding="utf-8")
    write_metadata(release, staging.public, data, rows)
    write_proof(release, staging.private, directory, data, report=report)
    staging.approve()


def _rows_and_formulas(written: Any) -> tuple[int, int]:
    """How many rows there are, and how many cells a spreadsheet would take for formulas."""
    found = frames.plainly_named(written).mapInArrow(counted_formulas, "rows long, formulas long").toArrow()
    return sum(found["rows"].to_pylist()), sum(found["formulas"].to_pylist())


def counted_formulas(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """On an executor: the same of some batches."""
    for batch in batches:
        count = spreadsheet.count_formulas(pa.Table.from_batches([batch]))
        yield pa.RecordBatch.from_pydict({"rows": [batch.num_rows], "formulas": [count]})


def write_rows(session: Session, decided: Decided, staging: Staging) -> Path:
    """The public files and, where the job names a key column, private/rows; a small .dat of Sail is one file."""
    release, folder, lists = decided.release, staging.public / "data", format_named("parquet")
    if united.is_long(release.job):
        rows, whose = _long_rows(decided)
        files = frames.write(rows, folder, release.format)
        frames.write(whose, staging.private / "rows", lists)
    else:
        work, keep = _aside(session, staging)
        recoded, names, original = _recoded(decided)
        recoded = keep(recoded)
        people = release.utility["records"]
        files = write_in_order(session, recoded, names, people, folder, release.format)
        if original is not None:
            write_in_order(session, recoded, [original, *names], people, staging.private / "rows", lists)
        shutil.rmtree(work)
    is_small = release.format.name == "dat" and session.name == "sail" and release.utility["records"] <= _ONE_FILE
    return frames.joined(files, staging.public / "data.dat") if is_small else folder


def judged(decided: Decided, written: Any) -> tuple[Verdict, Release]:
    """The verdict on what was written, and the release with a few rows of it, for its notes."""
    release = decided.release
    result, problems = verdict(written, release.job, decided.source, release.hierarchies)
    return Verdict(result, tuple(problems)), replace(release, table=written.limit(_SAMPLE).toArrow())


def anonymize_frame(
    frame: Any, job: Job, hierarchies: Mapping[str, Taxonomy], key: bytes, progress: Progress
) -> Release:
    """The release of a Spark DataFrame, audited; its `data` is one, too."""
    check_form(job)
    session = session_of(frame)
    if form_of(job) is not None:
        return _frame_in_shares(session, frame, job, hierarchies, key, progress)
    decided = decide(frame, job, format_named("parquet"), hierarchies, key, progress)
    rows, _ = rows_to_write(decided)
    found, release = judged(decided, rows)
    refuse_unless_in_order(found)

    def save(directory: Path, *, force: bool, report: bool) -> None:
        place(session, decided, directory, force=force, report=report, progress=progress)

    return replace(release, audited=found.audit, into_frame=lambda table: rows, saves=save)


def _frame_in_shares(
    session: Session, frame: Any, job: Job, hierarchies: Mapping[str, Taxonomy], key: bytes, progress: Progress
) -> Release:
    """The same for records and ratings. What is made is the same each time, so that it need not be kept anywhere."""
    output = format_named("parquet")
    form, made = made_in_shares(frame, job, output, hierarchies, key, _cached, progress)
    rows = form.to_publish(made)
    release = replace(made.release, audited=checked(made, rows, [rows], form.whose(made)))

    def save(directory: Path, *, force: bool, report: bool) -> None:
        asked = made.release.job
        place_shares(session, frame, asked, output, hierarchies, key, directory, force=force, report=report,
                     strict=False, progress=progress)  # fmt: skip

    return replace(release, into_frame=lambda table: rows, saves=save)


def _cached(*pieces: Any) -> Any:
    """Rows that are used more than once, kept by the engine itself."""
    return reduce(lambda one, other: one.unionAll(other), pieces).cache()
