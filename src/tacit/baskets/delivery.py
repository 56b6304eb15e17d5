"""The next delivery: new data of the same kind, recoded as an earlier release was."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tacit.arrays.spelling import in_one_spelling
from tacit.baskets.checks import notes_on
from tacit.baskets.data import ItemColumns, notes_on_spellings, read_items, with_taxonomies, with_written_names
from tacit.baskets.extension import Extension, what_it_takes
from tacit.baskets.persons import notes_on_persons, united
from tacit.baskets.recoding import CutRecoding
from tacit.delivery import SEED_DOES_NOTHING
from tacit.errors import AuditFailure, InputError
from tacit.flow import place
from tacit.io.directory import check_target
from tacit.io.fingerprint import hashed_while_read
from tacit.job import Job
from tacit.job.checks import check_columns, check_output
from tacit.job.sources import Source, output_format, read_file
from tacit.kinds import Encoded
from tacit.release import Release, SavedRelease, saved_release
from tacit.shuffle import fresh_key
from tacit.steps.judging import verdict_on
from tacit.steps.recoding import recoded, shuffle_for
from tacit.steps.stages import Progress, silent
from tacit.taxonomy import Taxonomy, read_hierarchy
from tacit.taxonomy.nodes import first_few

UNSEEN = ("refuse", "suppress")
"""What can be done with items that the saved recoding has never seen."""


class DeliveryFailure(AuditFailure):
    """The promise does not hold for a new delivery; says what it would take."""

    def __init__(self, failure: AuditFailure, extension: Extension) -> None:
        told, in_full = extension.in_words(named=False), extension.in_words(named=True)
        super().__init__(f"{failure}\n{told}", f"{failure.in_full}\n{in_full}")
        self.details = {"what_it_takes": extension.to_dict()}


class Delivery(NamedTuple):
    """A new delivery, read and checked: all that is needed to recode it in one way or another."""

    source: Source
    data: Encoded
    job: Job
    hierarchies: Mapping[str, Taxonomy]
    made_from: Mapping[str, str]
    key: bytes

    def recoded(self, recoding: CutRecoding, saved: SavedRelease, options: str, progress: Progress) -> Release:
        output = output_format(self.job, self.source.format)
        applied = recoding.applied(self.data.data.items)
        hidden = shuffle_for(self.key, self.made_from, self.job)
        table = in_one_spelling(self.source.table, self.job, self.hierarchies)
        release = recoded(table, self.data, self.job, applied, output, hidden, self.hierarchies, progress)
        recoded_as = saved.directory.absolute()
        named = shlex.join((str(recoded_as), str(self.job.input.source)))
        command = f"tacit apply {named}{options} --key key"
        return replace(release, made_from=self.made_from, recoded_as=recoded_as, command=command, key=self.key)


def apply_release(
    directory: Path,
    data: Path,
    target: Path,
    *,
    union: bool = False,
    unseen: str = "refuse",
    extend: bool = False,
    force: bool = False,
    report: bool = True,
    format: str | None = None,
    key: bytes | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> Release:
    """Recodes a new delivery as the release in `directory` was, and saves it as a release of its own.

    The saved recoding is all it needs: neither the old data nor a hierarchy is opened. With `union` the audit is of
    all deliveries together, as someone who holds them sees them: this one, that in `directory`, and those that it was
    audited with itself. Where the promise fails, the error says what it would take to keep it; with `extend` the
    names that stand in its way are left out. A `key` makes a delivery again; a `seed` has no part in it, for nothing is
    searched.
    """
    if unseen not in UNSEEN:
        raise InputError(f"--unseen is {unseen!r}, but it must be {' or '.join(UNSEEN)}")
    check_target(target, force=force, reads=[data])
    saved = saved_release(directory)
    recoding = reusable(saved)
    deliveries = saved.deliveries()

    progress("reading")
    new, recoding = _read(saved, data, recoding, unseen, format, fresh_key() if key is None else key, progress)
    if seed is not None:
        new = new._replace(data=new.data._replace(notes=(*new.data.notes, SEED_DOES_NOTHING)))
    options = _options(union=union, unseen=unseen, extend=extend, format=format)
    release = _joined(new.recoded(recoding, saved, options, progress), deliveries if union else None)
    try:
        return place(release, target, force=force, report=report, progress=progress)
    except AuditFailure as failure:
        if verdict_on(release, release.table).audit.satisfied is not False:
            raise  # the promise holds; what failed is something else
        progress("what it would take")
        earlier = [delivery.view() for delivery in deliveries]
        extension = what_it_takes(release, earlier, _trees(new))
        if not extend or extension.suppress is None:
            raise DeliveryFailure(failure, extension) from None
        mended = new.recoded(extension.suppress.recoding, saved, options, progress)
        release = _joined(mended, deliveries if union else None)
        count = sum(map(len, extension.suppress.names.values()))
        told = f"names left out of this delivery to keep the promise: {count:,} (private/recoding.json has them)"
        release = replace(release, notes=(*release.notes, told))
        return place(release, target, force=force, report=report, progress=progress)


def _options(*, union: bool, unseen: str, extend: bool, format: str | None) -> str:
    """What the command was told, as it is written."""
    told = [*(["--union"] * union), *(["--extend"] * extend), *(["--unseen", unseen] if unseen != UNSEEN[0] else [])]
    told += [] if format is None else ["--format", format]
    return "".join(f" {shlex.quote(one)}" for one in told)


def reusable(saved: SavedRelease) -> CutRecoding:
    """Refuses a recoding that says nothing about other records than its own."""
    if not isinstance(saved.recoding, CutRecoding):
        raise InputError(
            f"the recoding of this release ({saved.recoding.kind}) depends on its own records and cannot be reused",
            file=saved.directory,
            hint="Anonymize the new data afresh with `tacit anonymize`.",
        )
    if set(saved.recoding.columns) != {column.name for column in saved.job.columns_with("items")}:
        raise InputError(
            "its job and its recoding are about different columns, so that one of them was changed",
            file=saved.directory / "private",
            hint="Restore both, or make the release again with `tacit anonymize`.",
        )
    return saved.recoding


def _read(
    saved: SavedRelease,
    data: Path,
    recoding: CutRecoding,
    unseen: str,
    format: str | None,
    key: bytes,
    progress: Progress,
) -> tuple[Delivery, CutRecoding]:
    """The new delivery as the saved recoding takes it, and the recoding, which then knows all its items."""
    old = saved.job
    decision = saved.directory / "private" / "recoding.json"
    with hashed_while_read({"input": data, "recoding that was used again": decision}) as digests:
        source = read_file(
            data, format=format or old.input.format, delimiter=old.input.delimiter, encoding=old.input.encoding
        )
    new_input = replace(old.input, source=data.absolute(), query=None, table=None, format=format or old.input.format)
    job = replace(old, input=new_input)
    check_columns(source.table, job)
    check_output(source.table, job, output_format(job, source.format))

    progress("encoding")
    items, recoding, trees, notes = recodable(read_items(source.table, job), recoding, unseen, data)
    data_read = united(with_taxonomies(items, trees), source.table, job)
    encoded = Encoded(data_read, (*notes_on_persons(data_read), *notes))
    return Delivery(source, encoded, job, trees, digests, key), recoding


def recodable(
    items: ItemColumns, recoding: CutRecoding, unseen: str, data: Path
) -> tuple[ItemColumns, CutRecoding, dict[str, Taxonomy], tuple[str, ...]]:
    """Items as a saved recoding takes them, the recoding, which then knows all of them, its hierarchies, and notes."""
    recoding = _with_spellings(recoding, items)
    new = _unseen(items, recoding)
    if new and unseen == "refuse":
        _refuse(new, data)
    notes = [
        f"items of {column!r} that the saved recoding has never seen, left out: {len(new[column]):,}" for column in new
    ]
    recoding = CutRecoding(
        {
            column: replace(
                cut, becomes={**cut.becomes, **dict.fromkeys(new.get(column, ()))},
                suppressed=(*cut.suppressed, *new.get(column, ())),
            )
            for column, cut in recoding.columns.items()
        }
    )  # fmt: skip
    trees = {name: cut.as_tree() for name, cut in recoding.columns.items()}
    return items, recoding, trees, (*notes_on(items, trees), *notes_on_spellings(items), *notes)


def _joined(release: Release, deliveries: tuple[SavedRelease, ...] | None) -> Release:
    """The release, to be audited together with earlier ones, if there are any."""
    if deliveries is not None:
        views, told = [delivery.view() for delivery in deliveries], [delivery.reference() for delivery in deliveries]
        release = replace(release, published_before=tuple(views), deliveries=tuple(told))
    return release


def _with_spellings(recoding: CutRecoding, items: ItemColumns) -> CutRecoding:
    """The recoding with all spellings of sensitive items that these baskets have, unless it has another use for one."""
    cuts = dict(recoding.columns)
    for column in items.columns:
        cut = cuts[column.name]
        new = {label: label for label in column.sensitive_items if not cut.knows(label) and label not in cut.published}
        cuts[column.name] = replace(cut, sensitive={**cut.sensitive, **new})
    return CutRecoding(cuts)


def _unseen(items: ItemColumns, recoding: CutRecoding) -> dict[str, list[str]]:
    """The items of each column that a recoding says nothing about."""
    found = {}
    for index, column in enumerate(items.columns):
        cut = recoding.columns[column.name]
        labels = [label for label in items.vocabulary(index) if not cut.knows(label)]
        if labels:
            found[column.name] = labels
    return found


def _refuse(unseen: Mapping[str, list[str]], file: Path) -> None:
    for column, labels in unseen.items():
        raise InputError(
            f"items that the saved recoding has never seen ({len(labels):,})",
            file=file,
            values=first_few(labels),
            column=column,
            hint="Leave them out with --unseen suppress, or anonymize the new data afresh, with a hierarchy that has "
            "these items.",
        )


def _trees(new: Delivery) -> dict[str, Taxonomy]:
    """The hierarchies that the job names, if they are still there: for advice alone."""
    trees = {}
    for column in new.job.columns_with("items"):
        if column.hierarchy is not None and column.hierarchy.is_file():
            with suppress(InputError):  # it was changed since, and is of no use now
                trees[column.name] = read_hierarchy(column.hierarchy)
    return with_written_names(trees, new.source.table, new.job, output_format(new.job, new.source.format))
