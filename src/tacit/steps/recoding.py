"""What is decided about the data, and the release that a decision makes of them; not yet audited."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat, spreadsheet
from tacit.io.encodings import UTF8, can_write
from tacit.io.files import only_what_shows
from tacit.job import Job, Method
from tacit.job.checks import notes_on_names, notes_on_plain, notes_on_repeats
from tacit.job.sources import job_sha256
from tacit.job.styles import styled_table
from tacit.kinds import Encoded, kind_for
from tacit.methods import method_for
from tacit.release import Release
from tacit.shuffle import Shuffle
from tacit.steps.stages import Progress, silent
from tacit.taxonomy import Taxonomy


def fresh_seed() -> int:
    """A seed from the operating system that every reader of JSON and TOML takes for a whole number."""
    return secrets.randbits(53)


def as_run(job: Job, encoded: Encoded, options: Mapping[str, Any], output: FileFormat) -> Job:
    """The job with all that was left open: what the data say of columns, method, options, a seed, a format."""
    method = method_for(job.promise.name, job.method.name)
    chosen = replace(job, columns=encoded.columns or job.columns, method=replace(job.method, options=dict(options)))
    return chosen.filled(Method(method.name, fresh_seed()), output.extension)


def shuffle_for(
    key: bytes, made_from: Mapping[str, str], job: Job, hierarchies: Mapping[str, Taxonomy] | None = None
) -> Shuffle:
    """What hides people in the release that a job makes of some input."""
    return Shuffle.keyed(key, *sorted(made_from.values()), job_sha256(job, hierarchies or {}))


def search(data: Any, job: Job, hidden: Shuffle, progress: Progress) -> Any:
    """The decision of the job's method."""
    method = method_for(job.promise.name, job.method.name)
    searched, seed = method.search(job.promise), job.method.seed or 0
    try:
        return searched(data, job.promise, seed=seed, hidden=hidden, progress=progress, **job.method.options)
    except InputError as error:  # an option that does not suit the data: it stands in the job
        where = job.file if error.file is None else error.file
        raise InputError(error.problem, file=where, line=error.line, column=error.column, hint=error.hint) from None


def recoded(
    table: pa.Table,
    encoded: Encoded,
    job: Job,
    applied: Any,
    output: FileFormat,
    hidden: Shuffle,
    hierarchies: Mapping[str, Taxonomy],
    progress: Progress = silent,
    *,
    measured: bool = True,
) -> Release:
    """The release of data that a decision was applied to, with what it costs; the table's numbers are plain ones."""
    progress("recoding")
    kind, data = kind_for(job.promise), encoded.data
    notes = (
        *encoded.notes, *notes_on_plain(table, job), *notes_on_names(table, job), *notes_on_repeats(table, job)
    )  # fmt: skip
    published = kind.publish(data, applied, table, job, output, hidden)
    utility = kind.measure(data, applied, published, job) if measured else {}
    shown = styled_table(only_what_shows(published.table), job)
    if output.delimited and not job.output.escape_formulas:
        formulas = spreadsheet.count_formulas(shown)
        if formulas:
            advice = "output.escape_formulas = true puts an apostrophe before them"
            notes = (*notes, f"cells that look like formulas to a spreadsheet: {formulas:,}; {advice}")
    if output.is_text and not can_write(shown, output.encoding):
        lacks = f"{output.encoding}, the encoding of the input, has no sign for all that is published"
        notes, output = (*notes, f"published in UTF-8: {lacks}"), replace(output, encoding=UTF8, bom=True)
    source = named_in(table, job)
    return Release(job, shown, published.original, applied, utility, output, data, source, hierarchies, notes)


def named_in(table: pa.Table, job: Job) -> pa.Table:
    """The columns that the job names."""
    return table.select([column.name for column in job.columns if column.name in table.column_names])


def people_in(data: Any, table: pa.Table, job: Job) -> int:
    """Of how many people a table is that was encoded. Who is of one household is counted each."""
    if getattr(data, "persons", None) is None or not job.columns_with("person"):
        return len(data)
    (person,) = job.columns_with("person")
    return len(pc.unique(table[person.name]))


def refuse_worthless(release: Release) -> None:
    """Raises where a part of a release tells nothing any more."""
    doubts = release.kind.tells_nothing(release.utility)
    if doubts:
        raise PromiseError(
            f"{' '.join(doubts)}\n  A weaker promise, fewer columns or items, or a finer hierarchy may leave more; "
            "without `strict` this is published, with a warning"
        )
