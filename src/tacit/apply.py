"""The next delivery: new data of the same kind, recoded as an earlier release was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tacit.baskets import ItemColumns, read_items, with_taxonomies
from tacit.checks import check_columns, check_output, notes_on
from tacit.directory import check_target
from tacit.errors import InputError
from tacit.flow import Progress, fresh_seed, recoded, silent
from tacit.kinds import Encoded
from tacit.recoding import CutRecoding
from tacit.release import Release, saved_release
from tacit.sources import output_format, read_file
from tacit.taxonomy.nodes import first_few


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
    recoding = saved.recoding
    if not isinstance(recoding, CutRecoding):
        raise InputError(
            f"the recoding of this release ({recoding.kind}) depends on its own records and cannot be reused",
            file=directory,
            hint="Anonymize the new data afresh with `tacit anonymize`.",
        )
    progress("reading")
    old = saved.job
    source = read_file(data, format=format or old.input.format, delimiter=old.input.delimiter)
    output = output_format(old, source.format)
    new_input = replace(old.input, source=data.absolute(), query=None, table=None, format=format or old.input.format)
    job = replace(old, input=new_input, method=replace(old.method, seed=fresh_seed()))
    check_columns(source.table, job)
    check_output(source.table, job, output)

    progress("encoding")
    items = read_items(source.table, job)
    _refuse_unseen(items, recoding, data)
    trees = {name: cut.as_tree() for name, cut in recoding.columns.items()}
    known = Encoded(with_taxonomies(items, trees), tuple(notes_on(items, trees)))
    release = recoded(source.table, known, job, recoding, output, progress)
    release.published_before = saved.published() if union else None
    release.save(target, force=force, report=report, progress=progress)
    return release


def _refuse_unseen(items: ItemColumns, recoding: CutRecoding, file: Path) -> None:
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
