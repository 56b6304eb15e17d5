"""The whole story: read, encode, search, apply, write, read back, audit, attack, report, place.

Commands and the Python API are thin callers of this. What a step takes stands in `tacit.steps`.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from tacit.arrays.spelling import in_one_spelling
from tacit.errors import InputError
from tacit.io import FileFormat, write_table
from tacit.io.directory import check_target, new_release
from tacit.io.fingerprint import hashed_while_read, table_sha256
from tacit.job import Job
from tacit.job.checks import check_population
from tacit.job.sources import (
    escaping_of,
    files_read,
    input_file,
    is_all_files,
    notes_on_format,
    other_files,
    output_format,
    read_source,
)
from tacit.job.styles import plain_table
from tacit.kinds import Encoded, check_reachable, kind_for
from tacit.methods import method_for
from tacit.release import Release, read_back, write_decision, write_proof
from tacit.report.metadata import write_metadata
from tacit.report.public import public_readme
from tacit.shuffle import fresh_key
from tacit.steps.holding_out import hold_out
from tacit.steps.judging import checked
from tacit.steps.recoding import as_run, named_in, people_in, recoded, refuse_worthless, search, shuffle_for
from tacit.steps.stages import Progress, silent
from tacit.steps.tables import check_output_table, write_output_table
from tacit.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tacit.report.engine import Engine


def anonymize_job(
    job: Job,
    *,
    directory: Path | None = None,
    force: bool = False,
    report: bool = True,
    strict: bool = False,
    attacks: bool = True,
    held_out: float = 0.0,
    key: bytes | None = None,
    progress: Progress = silent,
) -> Release:
    """Makes the release that a job file describes and saves it: all of it, audited as written, or nothing.

    With `strict`, a release of which a part tells nothing any more is refused.
    A share of the people can be `held_out` before anything is made: attackers are played against them, too.
    """
    if job.engine.name != "local":
        from tacit.engines.flow import anonymize_job as on_engine

        if held_out:
            raise InputError("people are held out on this machine only", hint="Leave --attack-control out.")
        return on_engine(
            job, directory=directory, force=force, report=report, strict=strict, attacks=attacks, key=key,
            progress=progress,
        )  # fmt: skip
    target = directory or job.output.directory
    check_target(target, force=force, reads=files_read(job))
    check_output_table(job, force=force)
    with drawing(report) as engine:
        progress("reading")
        with hashed_while_read(input_file(job)) as digests:
            table, input_format, told = read_source(job)
        made_from = digests if is_all_files(job) else {**digests, "rows as Arrow": table_sha256(table)}
        key = fresh_key() if key is None else key
        table, control = hold_out(table, job, held_out, key) if held_out else (table, None)
        release = make_release(table, job, input_format=input_format, made_from=made_from, key=key, progress=progress)
        release = replace(release, notes=(*told, *release.notes))
        if control is not None:
            release = control.noted(release)
        if strict:
            refuse_worthless(release)
        del table  # room for the published one, which is read back
        return place(release, target, force=force, report=report, attacks=attacks, engine=engine, progress=progress)


def make_release(
    table: pa.Table,
    job: Job,
    *,
    hierarchies: Mapping[str, Taxonomy] | None = None,
    input_format: FileFormat | None = None,
    made_from: Mapping[str, str] | None = None,
    key: bytes | None = None,
    measured: bool = True,
    progress: Progress = silent,
) -> Release:
    """The release of a table, not yet audited: `checked` audits it in memory, `place` as written.

    `hierarchies` are those of columns for which the job names no file, `made_from` digests of what the table is from,
    `key` what hides people is drawn from: a fresh one, unless a release is to be made again. `measured`: whether
    anybody asks what it costs.
    """
    method, kind = method_for(job.promise.name, job.method.name), kind_for(job.promise)
    options = method.checked(job.method.options, folder=job.file and job.file.parent)
    output, hierarchies = output_format(job, input_format), hierarchies or {}
    key = fresh_key() if key is None else key
    made_from = made_from or {"rows as Arrow": table_sha256(table)}
    with hashed_while_read(other_files(job, options)) as digests:
        progress("encoding")
        plain = in_one_spelling(plain_table(table, job, hierarchies), job, hierarchies)
        encoded = kind.encode(plain, job, hierarchies, output)
        check_population(people_in(encoded.data, plain, job), job)
        check_reachable(encoded.data, job)
        job = as_run(job, encoded, options, output)
        progress("searching")
        hidden = shuffle_for(key, made_from, job, hierarchies)
        recoding = search(encoded.data, job, hidden, progress)
    applied = kind.apply(encoded.data, recoding)
    doubts = (*kind.judge(encoded.data, applied, method.name), *filter(None, [method.caution(options)]))
    told = Encoded(encoded.data, (*encoded.notes, *doubts, *notes_on_format(job, input_format)))
    release = recoded(plain, told, job, applied, output, hidden, hierarchies, progress, measured=measured)
    return replace(release, source=named_in(table, job), made_from={**made_from, **digests}, key=key)


def place(
    release: Release,
    directory: Path,
    *,
    force: bool = False,
    report: bool = True,
    attacks: bool = True,
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
        release = checked(release, read_back(release, file), attacks=attacks, progress=progress)
        (staging.public / "README.md").write_text(public_readme(release, file.name), encoding="utf-8")
        write_metadata(release, staging.public, file)
        if report:
            progress("reporting")
        write_proof(release, staging.private, directory, file, report=report, engine=engine)
        written.result()
        write_output_table(release, force=force, progress=progress)
        staging.approve()
    return release


def drawing(report: bool) -> AbstractContextManager[Engine | None]:
    """What draws the charts of a report, if one is wanted: started first, so that it is ready when it is needed."""
    if not report:
        return nullcontext()
    from tacit.report.engine import started_engine

    return started_engine()
