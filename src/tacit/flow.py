"""The whole story: read, encode, search, apply, audit, save. Commands and the Python API are thin callers of this."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacit import baskets, spreadsheet
from tacit.audit.published import audit_baskets
from tacit.audit.result import AuditResult
from tacit.audit.truth import false_values
from tacit.directory import check_target
from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat, format_named, inspect_format, is_database_url, read_query, read_table
from tacit.job import Column, Job, Method, read_job
from tacit.methods import checked_options, method_for
from tacit.recoding import CutRecoding, Recoding, from_json
from tacit.release import Release
from tacit.taxonomy import Taxonomy, read_hierarchy
from tacit.utility.baskets import measure_baskets

Progress = Callable[[str], None]

STAGES = ("reading", "encoding", "searching", "recoding", "writing", "auditing", "reporting")
"""What progress is told, in this order; other messages say how a stage goes."""


class Source(NamedTuple):
    """A table, and the format of the file it came from."""

    table: pa.Table
    format: FileFormat


def silent(message: str) -> None:
    """Progress that nobody watches."""


def anonymize_job(
    job: Job, *, directory: Path | None = None, force: bool = False, report: bool = True, progress: Progress = silent
) -> Release:
    """Makes the release that a job file describes and saves it: all of it, audited as written, or nothing."""
    target = directory or job.output.directory
    check_target(target, force=force)
    progress("reading")
    source = read_source(job)
    release = make_release(source.table, job, input_format=source.format, progress=progress)
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
    """The release of a table, not yet audited: `Release.audit` checks it in memory, `Release.save` as written."""
    check_roles(job)
    name, method = method_for(job.promise.name, job.method.name)
    options = checked_options(name, method, job.method.options)
    output = output_format(job, input_format)
    seed = secrets.randbits(53) if job.method.seed is None else job.method.seed
    job = job.filled(Method(name, seed, options), input_format=None, output_format=output.extension)

    progress("encoding")
    items = baskets.read_items(table, job)
    trees = read_trees(items, job) if hierarchies is None else dict(hierarchies)
    data = baskets.with_taxonomies(items, readable(trees, table, job))
    check_reachable(data, job)
    progress("searching")
    recoding = method.search()(data, job.promise, progress=progress, **options)
    return _release(
        table, data, job, recoding, output, (*notes_on(items, trees), *warnings_about(data, recoding)), progress
    )


def audit_table(table: pa.Table, job: Job) -> AuditResult:
    """Checks published data against a job's promise; neither the input nor a hierarchy is opened."""
    return audit_baskets(baskets.read_items(table, job), job.promise)


def audit_file(
    job: Job, data: Path, *, original: bool = False, progress: Progress = silent
) -> tuple[AuditResult, list[str]]:
    """The verdict on a published file and, with `original`, what in it is not true to the job's input."""
    progress("reading")
    table = read_file(data, format=job.output.format if data.suffix == "" else None).table
    progress("auditing")
    result = audit_table(table, job)
    if not original:
        return result, []
    source = read_source(job).table
    items = baskets.read_items(source, job)
    before = baskets.with_taxonomies(items, readable(read_trees(items, job), source, job))
    return result, false_values(before, baskets.read_items(table, job))


def apply_release(
    directory: Path,
    data: Path,
    target: Path,
    *,
    union: bool = False,
    force: bool = False,
    report: bool = True,
    progress: Progress = silent,
) -> Release:
    """Recodes a new delivery as the release in `directory` was, and saves it as a release of its own.

    With `union` the audit is of both releases together, as someone who holds both sees them.
    """
    check_target(target, force=force)
    saved = saved_release(directory)
    progress("reading")
    source = read_file(data, format=saved.job.input.format, delimiter=saved.job.input.delimiter)
    job = replace(saved.job, input=replace(saved.job.input, source=data.absolute(), query=None, table=None))
    release = recode_table(source.table, job, saved.recoding, input_format=source.format, progress=progress)
    release.published_before = saved.table if union else None
    release.save(target, force=force, report=report, progress=progress)
    return release


class SavedRelease(NamedTuple):
    """What a release directory says about itself."""

    job: Job
    recoding: Recoding
    table: pa.Table


def saved_release(directory: Path) -> SavedRelease:
    """Reads a release directory that `anonymize` wrote."""
    for part in ("private/job.toml", "private/recoding.json"):
        if not (directory / part).is_file():
            raise InputError(
                f"this is not a release of tacit: it has no {part}",
                file=directory,
                hint="Give the directory that `tacit anonymize` wrote.",
            )
    job = read_job(directory / "private" / "job.toml")
    recoding = from_json((directory / "private" / "recoding.json").read_text(encoding="utf-8"))
    published = next((directory / "public").glob("data.*"))
    return SavedRelease(job, recoding, read_file(published).table)


def recode_table(
    table: pa.Table,
    job: Job,
    recoding: Recoding,
    *,
    input_format: FileFormat | None = None,
    progress: Progress = silent,
) -> Release:
    """A new delivery of the same kind of data, recoded as an earlier release was."""
    output = output_format(job, input_format)
    method = replace(job.method, seed=secrets.randbits(53))
    job = replace(job, method=method, output=replace(job.output, format=output.extension))
    items = baskets.read_items(table, job)
    data = baskets.with_taxonomies(items, readable(read_trees(items, job), table, job))
    return _release(table, data, job, recoding, output, notes_on(items, {}), progress)


def _release(
    table: pa.Table,
    data: baskets.BasketData,
    job: Job,
    recoding: Recoding,
    output: FileFormat,
    notes: tuple[str, ...],
    progress: Progress,
) -> Release:
    """Applies the decision, and measures what it costs."""
    progress("recoding")
    utility = measure_baskets(data, recoding)
    escape = job.output.escape_formulas and output.delimited
    if escape:
        recoding = spreadsheet.escape_recoding(recoding)
    published = baskets.publish(data.items, recoding, table, job, np.random.default_rng(job.method.seed))
    shown = published.table
    if escape:
        shown = pa.table([spreadsheet.escape_column(column) for column in shown.columns], names=shown.column_names)
    elif output.delimited and (formulas := spreadsheet.count_formulas(shown)):
        notes = (
            *notes,
            f"{formulas:,} published cells look like formulas to a spreadsheet; "
            "output.escape_formulas = true puts an apostrophe before them",
        )
    return Release(job, shown, published.original, recoding, utility, output, data, notes)


def read_source(job: Job) -> Source:
    """The job's input, from a file or a database."""
    given = job.input
    if is_database_url(str(given.source)):
        return Source(read_query(str(given.source), query=given.query, table=given.table), format_named("csv"))
    return read_file(Path(given.source), format=given.format, delimiter=given.delimiter)


def read_file(path: Path, *, format: str | None = None, delimiter: str | None = None) -> Source:
    found = inspect_format(path, format=format, delimiter=delimiter)
    return Source(read_table(path, format=found), found)


def output_format(job: Job, input_format: FileFormat | None) -> FileFormat:
    """The format of the release: as the job says, else as the input; a frame is saved as Parquet, which has lists."""
    if job.output.format is None:
        return input_format or format_named("parquet")
    if input_format is not None and input_format.extension == job.output.format:
        return input_format  # with the delimiter of the input
    return format_named(job.output.format)


def read_trees(items: baskets.ItemColumns, job: Job) -> dict[str, Taxonomy]:
    """The hierarchies that the job names, checked against the data."""
    trees = {}
    for number, column in enumerate(items.columns):
        if column.hierarchy is not None:
            known = set(items.vocabulary(number)) - set(column.sensitive_items)
            trees[column.name] = read_hierarchy(column.hierarchy, known)
    return trees


def readable(trees: Mapping[str, Taxonomy], table: pa.Table, job: Job) -> dict[str, Taxonomy]:
    """The hierarchies with node names that the published file can hold."""

    def joined_by(column: Column) -> str | None:
        as_list = baskets.is_list(table[column.name].type) and not baskets.is_text(job.output.format)
        return None if job.input.layout == "long" or as_list else baskets.separator_of(column)

    return {
        column.name: baskets.with_readable_names(trees[column.name], separator) if separator else trees[column.name]
        for column in job.columns_with("items")
        if column.name in trees
        for separator in [joined_by(column)]
    }


def check_roles(job: Job) -> None:
    """Refuses columns that this promise says nothing about, rather than publish them unprotected."""
    for role in ("quasi", "sensitive", "rating"):
        for column in job.columns_with(role):
            raise InputError(
                f"the promise {job.promise.name!r} does not protect a column with the role {role!r}",
                file=job.file,
                column=column.name,
                hint='Leave the column out (it is not published then), or publish it as it is with role = "plain".',
            )
    if job.input.layout == "long" and job.columns_with("plain"):
        raise InputError(
            "a long layout has one row per person and item, so a plain column cannot be published with it",
            file=job.file,
            column=job.columns_with("plain")[0].name,
            hint="Leave the column out, or bring the data to one row per person.",
        )


def check_reachable(data: baskets.BasketData, job: Job) -> None:
    """Fewer than k people with anything to publish cannot hide each other."""
    indptr, _, leaf_of_item = data.attackable()
    people, k = int(np.count_nonzero(np.diff(indptr))), job.promise.k
    nothing_known = leaf_of_item.size == 0 and data.leaf_of_item.size > 0
    if len(indptr) > 1 and k > 1 and people < k and not nothing_known:
        reach = f"k = {people} could be reached" if people > 1 else "No k above 1 could be reached"
        raise PromiseError(
            f"k = {k}, but only {people} of {len(indptr) - 1:,} baskets are not empty, so that only empty baskets "
            f"could be published.\n  {reach}; nothing was published."
        )


def notes_on(items: baskets.ItemColumns, trees: Mapping[str, Taxonomy]) -> tuple[str, ...]:
    """What reading the data had to decide."""
    met = items.baskets.notes
    notes = [f"hierarchy of {name!r}: {note}" for name, tree in trees.items() for note in tree.notes]
    if met.duplicates:
        notes.append(f"{met.duplicates:,} items stood twice in their basket; a basket is a set, so they count once")
    if met.dropped:
        notes.append(f"{met.dropped:,} items that mean 'no value' were left out")
    for column in items.columns:
        if column.name not in trees:
            notes.append(
                f"column {column.name!r} has no hierarchy, so its items can only be kept, suppressed, or all be merged; "
                "`tacit hierarchy build` makes one"
            )
    return tuple(notes)


def warnings_about(data: baskets.BasketData, recoding: CutRecoding) -> tuple[str, ...]:
    """What the data's owner should know before handing the release on."""
    found = []
    for tree, (name, cut) in zip(data.trees, recoding.columns.items(), strict=True):
        if cut.published == (tree.names[0],) and len(tree) > 1:
            found.append(f"all items of {name!r} became {tree.names[0]!r}: only empty baskets can be told apart")
    return tuple(found)
