"""The whole story: read, encode, search, apply, audit, save. Commands and the Python API are thin callers of this."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit import spreadsheet
from tacit.audit.published import audit_baskets
from tacit.audit.result import AuditResult
from tacit.audit.truth import false_values
from tacit.baskets import BasketData, ItemColumns, publish, read_items, with_taxonomies, with_written_names
from tacit.checks import (
    check_columns,
    check_names,
    check_outcome,
    check_output,
    check_reachable,
    notes_on,
    warnings_about,
)
from tacit.directory import check_target
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job import Job, Method
from tacit.methods import checked_options, method_for
from tacit.recoding import Recoding
from tacit.release import Release, saved_release
from tacit.sources import output_format, read_file, read_published, read_source, read_trees
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import first_few
from tacit.utility.baskets import measure_baskets

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
    progress("reading")
    table, input_format = read_source(job)
    release = make_release(table, job, input_format=input_format, progress=progress)
    del table  # room for the published one, which is read back
    release.save(target, force=force, report=report, progress=progress)
    return release


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
    name, method = method_for(job.promise.name, job.method.name)
    options = checked_options(name, method, job.method.options)
    output = output_format(job, input_format)
    check_columns(table, job)
    check_output(table, job, output)
    job = job.filled(Method(name, _fresh_seed(), options), output.extension)

    progress("encoding")
    items = read_items(table, job)
    trees = {**(hierarchies or {}), **read_trees(items)}
    written = with_written_names(trees, table, job, output)
    check_names(items, written, job)
    data = with_taxonomies(items, written)
    check_reachable(data, job)

    progress("searching")
    recoding = method.search()(data, job.promise, progress=progress, **options)
    check_outcome(items, recoding, name)
    notes = (*notes_on(items, trees), *warnings_about(data, recoding))
    return _recoded(table, data, job, recoding, output, notes, progress)


def audit_file(
    job: Job, data: Path, *, original: bool = False, format: str | None = None, progress: Progress = silent
) -> tuple[AuditResult, list[str]]:
    """The verdict on a published file and, with `original`, what in it is not true to the job's input.

    Without `original`, neither the input nor a hierarchy is opened.
    """
    progress("reading")
    table, found = read_published(data, job, format=format)
    published = read_items(table, job, data, escaped=job.output.escape_formulas and found.delimited)
    progress("auditing")
    result = audit_baskets(published, job.promise)
    if not original:
        return result, []
    items = read_items(read_source(job).table, job)
    return result, false_values(with_taxonomies(items, read_trees(items)), published)


def apply_release(
    directory: Path,
    data: Path,
    target: Path,
    *,
    union: bool = False,
    force: bool = False,
    report: bool = True,
    format: str | None = None,
    progress: Progress = silent,
) -> Release:
    """Recodes a new delivery as the release in `directory` was, and saves it as a release of its own.

    The saved recoding is all it needs: neither the old data nor a hierarchy is opened. With `union` the audit is of
    both releases together, as someone who holds both sees them.
    """
    check_target(target, force=force)
    saved = saved_release(directory)
    progress("reading")
    old = saved.job
    source = read_file(data, format=format or old.input.format, delimiter=old.input.delimiter)
    output = output_format(old, source.format)
    new_input = replace(old.input, source=data.absolute(), query=None, table=None, format=format or old.input.format)
    job = replace(old, input=new_input, method=replace(old.method, seed=_fresh_seed()))
    check_columns(source.table, job)
    check_output(source.table, job, output)

    progress("encoding")
    items = read_items(source.table, job)
    _refuse_unseen(items, saved.recoding, data)
    trees = {name: cut.as_tree() for name, cut in saved.recoding.columns.items()}
    known = with_taxonomies(items, trees)
    release = _recoded(source.table, known, job, saved.recoding, output, tuple(notes_on(items, trees)), progress)
    release.published_before = saved.published() if union else None
    release.save(target, force=force, report=report, progress=progress)
    return release


def _fresh_seed() -> int:
    return secrets.randbits(53)


def _recoded(
    table: pa.Table,
    data: BasketData,
    job: Job,
    recoding: Recoding,
    output: FileFormat,
    notes: tuple[str, ...],
    progress: Progress,
) -> Release:
    """Applies the decision, and measures what it costs."""
    progress("recoding")
    utility = measure_baskets(data.items, recoding)
    escaped = job.output.escape_formulas and output.delimited
    if escaped:
        recoding = spreadsheet.escape_recoding(recoding, alone=job.input.layout == "long")
    rng = np.random.default_rng(job.method.seed)
    published, original = publish(data.items, recoding, table, job, output, rng)
    if escaped:
        published = spreadsheet.escape_columns(published, [column.name for column in job.columns_with("plain")])
    elif output.delimited and (formulas := spreadsheet.count_formulas(published)):
        advice = "output.escape_formulas = true puts an apostrophe before them"
        notes = (*notes, f"published cells that look like formulas to a spreadsheet: {formulas:,}; {advice}")
    return Release(job, published, original, recoding, utility, output, data, notes)


def _refuse_unseen(items: ItemColumns, recoding: Recoding, file: Path) -> None:
    """A recoding says nothing about items that it has never seen."""
    for number, column in enumerate(items.columns):
        cut = recoding.columns[column.name]
        unseen = [label for label in items.vocabulary(number) if not cut.knows(label)]
        if unseen:
            raise InputError(
                f"items that the saved recoding has never seen ({len(unseen):,}): {first_few(unseen)}",
                file=file,
                column=column.name,
                hint="Anonymize the new data afresh, with a hierarchy that has these items.",
            )
