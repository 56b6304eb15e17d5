"""The next delivery of ratings: new people, recoded as an earlier release was."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from tacit.arrays.spelling import in_one_spelling
from tacit.errors import InputError
from tacit.flow import place
from tacit.io.fingerprint import hashed_while_read
from tacit.job.sources import output_format, read_file
from tacit.job.styles import plain_table
from tacit.kinds import Encoded
from tacit.ratings import kind
from tacit.ratings.data import Ratings
from tacit.ratings.ranges import RangeRecoding
from tacit.release import Release, SavedRelease
from tacit.steps.recoding import recoded, shuffle_for
from tacit.steps.stages import Progress
from tacit.taxonomy.nodes import first_few


def apply_ranges(
    saved: SavedRelease,
    recoding: RangeRecoding,
    data: Path,
    target: Path,
    *,
    unseen: str,
    force: bool,
    report: bool,
    format: str | None,
    key: bytes,
    notes: tuple[str, ...],
    progress: Progress,
) -> Release:
    """Recodes new ratings as the saved release was, audits them, and saves them as a release of their own.

    The scales are those of the saved job; a rating that is on none of them is refused.
    """
    old = saved.job
    progress("reading")
    decision = saved.directory / "private" / "recoding.json"
    with hashed_while_read({"input": data, "recoding that was used again": decision}) as made_from:
        given = old.input
        source = read_file(data, format=format or given.format, delimiter=given.delimiter, encoding=given.encoding)
    job = replace(
        old, input=replace(given, source=data.absolute(), query=None, table=None, format=format or given.format)
    )
    progress("encoding")
    output = output_format(job, source.format)
    table = in_one_spelling(plain_table(source.table, job, {}), job, {})
    encoded = kind.encode(table, job, {}, output)
    new = _unseen(encoded.data, recoding)
    if new and unseen == "refuse":
        raise InputError(
            f"issues that the saved recoding has never seen ({len(new):,})",
            file=data,
            values=first_few(new),
            column=next((column.name for column in job.columns_with("items")), None),
            hint="Leave them out with --unseen suppress, or anonymize the new data afresh.",
        )
    told = (f"issues that the saved recoding has never seen, blanked: {len(new):,}",) if new else ()
    applied = recoding.applied(encoded.data)
    kind.judge(encoded.data, applied, "cuts")
    hidden = shuffle_for(key, made_from, job)
    read = Encoded(encoded.data, (*encoded.notes, *told, *notes))
    release = recoded(table, read, job, applied, output, hidden, {}, progress)
    named = shlex.join((str(saved.directory.absolute()), str(job.input.source)))
    options = f"{' --unseen suppress' * (unseen == 'suppress')}{'' if format is None else f' --format {format}'}"
    command = f"tacit apply {named}{options} --key key"
    release = replace(release, made_from=made_from, recoded_as=saved.directory.absolute(), command=command, key=key)
    return place(release, target, force=force, report=report, progress=progress)


def _unseen(data: Ratings, recoding: RangeRecoding) -> list[str]:
    """The issues that may be known, and that a recoding says nothing about."""
    named = zip(data.names, data.is_sensitive, strict=True)
    return [name for name, is_sensitive in named if not is_sensitive and name not in recoding.issues]
