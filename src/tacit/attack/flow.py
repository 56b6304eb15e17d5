"""The story of `tacit attack`: read the published file and the original, set both scenes, play, and tell."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tacit import audits
from tacit.attack.other_spellings import in_our_words
from tacit.attack.people import called, earlier_release, only_published, rows_of, without_held_out
from tacit.attack.rerun import rerun_of
from tacit.attack.result import Findings
from tacit.attack.risk.figures import Keys, risk_figures
from tacit.attack.runner import Progress, play_all
from tacit.attack.scene import GUESSES, Earlier, Scene
from tacit.attack.stage import (
    identifier_values,
    ids_of,
    keys_of,
    original_as_published,
    published_cells,
    sensitive_trees,
)
from tacit.attack.statistics import Share
from tacit.audits.views.cells import Cells
from tacit.audits.views.records import RecordOriginal
from tacit.errors import InputError
from tacit.io.fingerprint import file_sha256
from tacit.job import Job
from tacit.job.checks import require_columns
from tacit.job.sources import read_file, read_published, read_source
from tacit.methods import is_local
from tacit.process.memory import give_back
from tacit.release import SavedRelease, saved_release
from tacit.taxonomy import Taxonomy


@dataclass(frozen=True)
class Plan:
    """How attacks are played."""

    known: tuple[str, ...] | None = None
    quick: bool = False
    exact: bool = False
    guesses: int = GUESSES
    seed: int = 0
    only: tuple[str, ...] | None = None
    threshold: float | None = None
    """The own risk threshold, beside the usual ones."""
    compared: bool = True
    """Whether the original is attacked, too."""


USUAL = Plan()
QUICK = Plan(quick=True)
"""What `anonymize` plays."""
AFTER = Plan(quick=True, compared=False)
"""What `compare` plays."""


def attack_job(
    job: Job,
    *,
    release: Path | None = None,
    published: Path | None = None,
    rows: Path | None = None,
    control: Path | None = None,
    reference: Path | None = None,
    earlier: Sequence[Path] = (),
    format: str | None = None,
    plan: Plan = USUAL,
    progress: Progress = lambda message: None,
) -> Findings:
    """Attacks a release, a published file that anybody made, or the original as if it were published."""
    progress("reading")
    saved = None if release is None else _belonging(saved_release(release), job)
    job = job if saved is None else replace(saved.job, about=job.about, input=job.input, file=job.file)
    table = everything = read_source(job).table
    shown, source, which, kept = None, None, None, None
    if saved is not None or published is not None:
        source = saved.file() if saved is not None else published
        assert source is not None
        shown = read_published(source, job, format=format).table
        if saved is not None and rows is None:
            rows = _private(saved, "rows.csv")
    others = None if control is None else _people(control, job, "quasi", "sensitive", "items", "rating")
    if rows is not None and shown is not None:
        which, table, held_out, kept = _who_is_who(rows, shown, table, job)
        others = held_out if others is None else others
    give_back()
    population = None if reference is None else _people(reference, job, "quasi")
    before_now = [earlier_release(directory, everything, table, kept, job) for directory in earlier]
    read = _read(table, shown, job, {}, others, source, source_of_control=control, is_ours=saved is not None)
    del shown  # the view has all that attackers look at
    found = _played(
        table, read, job, {}, rows=which, reference=population, earlier=before_now, plan=plan, progress=progress
    )
    return found.with_witnesses(called(table, kept, job))


def _who_is_who(
    rows: Path, shown: pa.Table, table: pa.Table, job: Job
) -> tuple[np.ndarray, pa.Table, pa.Table | None, np.ndarray | None]:
    """The original record of each published one, the people who are in the file, those held out, and their places."""
    said, table, held_out, kept = without_held_out(read_file(rows).table, table, job, rows)
    return rows_of(said, shown, table, job, rows), table, held_out, kept


def _people(file: Path, job: Job, *roles: str) -> pa.Table:
    """Other people, in a file with the columns of these roles."""
    table = read_file(file).table
    require_columns(table, [column for role in roles for column in job.columns_with(role)], file)
    return table


class _Read(NamedTuple):
    """What is read once: the original, the published file as a stranger sees it, and people who are not in it."""

    original: Any
    view: Any
    cells: tuple[Cells, ...]
    """Every published column with one value a record."""
    ids: tuple[str, ...] | None
    control: Any
    not_understood: Mapping[str, int]


def attack_tables(
    table: pa.Table,
    published: pa.Table | None,
    job: Job,
    *,
    hierarchies: Mapping[str, Taxonomy] | None = None,
    rows: np.ndarray | None = None,
    control: pa.Table | None = None,
    reference: pa.Table | None = None,
    earlier: Sequence[Earlier] = (),
    plan: Plan = USUAL,
    progress: Progress = lambda message: None,
) -> Findings:
    """The same for tables; without `published`, the original is attacked. `rows` says which record is whose."""
    trees = hierarchies or {}
    if rows is not None and published is not None:
        rows, table, held_out, place = only_published(rows, published, table, job)
        control = held_out if control is None else control
        earlier = [each if each.people is None else replace(each, people=place[each.people]) for each in earlier]
    read = _read(table, published, job, trees, control)
    return _played(
        table, read, job, trees, rows=rows, reference=reference, earlier=earlier, plan=plan, progress=progress
    )


def _read(
    table: pa.Table,
    published: pa.Table | None,
    job: Job,
    trees: Mapping[str, Taxonomy],
    control: pa.Table | None,
    source: Path | None = None,
    *,
    source_of_control: Path | None = None,
    is_ours: bool = False,
) -> _Read:
    """Reads the tables; `is_ours`: tacit wrote the published one, so that nothing in it is spelled otherwise."""
    local = is_local(job.promise.name, job.method.name)
    original = audits.read_original(table, job, trees, is_local=local)
    unread: dict[str, int] = {}
    if published is not None and isinstance(original, RecordOriginal) and not is_ours:
        published, unread = in_our_words(published, original.quasi)
    view = None if published is None else audits.read_view(published, job, source)
    cells = () if published is None else published_cells(published, job, view)
    theirs = job if source_of_control is None else replace(job, input=replace(job.input, source=source_of_control))
    others = None if control is None else audits.read_original(control, theirs, trees, is_local=local)
    ids = None if published is None else ids_of(published, job)
    return _Read(original, view, cells, ids, others, unread)


def _played(
    table: pa.Table, read: _Read, job: Job, trees: Mapping[str, Taxonomy], *, progress: Progress, **given: Any
) -> Findings:
    progress("attacking")
    give_back()
    found = attack_views(
        table,
        read.original,
        read.view,
        read.cells,
        job,
        trees,
        ids=read.ids,
        control=read.control,
        progress=progress,
        **given,
    )
    return replace(found, not_understood=read.not_understood)


def attack_views(
    table: pa.Table,
    original: Any,
    view: Any,
    cells: Sequence[Cells],
    job: Job,
    trees: Mapping[str, Taxonomy],
    *,
    ids: Sequence[str] | None = None,
    rows: np.ndarray | None = None,
    control: Any = None,
    reference: pa.Table | None = None,
    earlier: Sequence[Earlier] = (),
    plan: Plan = USUAL,
    progress: Progress = lambda message: None,
    given: Mapping[str, Any] | None = None,
) -> Findings:
    """The same for what was read already; `view` None: the original is attacked.

    `cells` and `ids` are of the published table, `given` is what the nearest-row attack on ratings came to, before and
    after, if it was played already.
    """
    _check_known(plan.known, job)
    if control is not None and not len(control):
        raise InputError("the control has no record", hint="Give people who are not in the release.")
    as_it_is, everybody = original_as_published(original, table, job)
    listed = table.select([name for name in table.column_names if name in {column.name for column in job.columns}])
    before = Scene(
        as_it_is, original, everybody, published_cells(listed, job, as_it_is), None, job.promise, control, (),
        plan.known, sensitive_trees(job, trees), {}, None, plan.guesses, plan.seed, plan.exact, plan.quick,
    )  # fmt: skip
    threshold = plan.threshold if plan.threshold is not None else job.about.threshold
    risk = None
    if plan.compared or view is None:
        keys = _with_reference(keys_of(before, table, job, is_original=True), reference, before, job, trees)
        risk = risk_figures(keys, threshold=threshold, seed=plan.seed)
    if view is None:
        assert risk is not None
        attacks, left_out = play_all(before, quick=plan.quick, only=plan.only, progress=progress)
        unbound = tuple(replace(each, after=replace(each.after, bound=None)) for each in attacks)
        return Findings(risk, risk, unbound, left_out, plan.seed)
    own = None if ids is None else ids_of(table, job)
    after = replace(
        before, view=view, people=rows, cells=tuple(cells), earlier=tuple(earlier),
        ids=None if ids is None or own is None else (ids, own),
        identifiers=identifier_values(table, job), rerun=None if plan.quick else rerun_of(job, table, trees),
    )  # fmt: skip
    now = risk_figures(
        _with_reference(keys_of(after, table, job, is_original=False), reference, after, job, trees),
        threshold=threshold, seed=plan.seed,
    )  # fmt: skip
    for name, scene in (("before", before), ("after", after)):
        if given and given[name]:
            scene.memo["nearest row"] = given[name]
    attacks, left_out = play_all(
        after, before if plan.compared else None, quick=plan.quick, only=plan.only, progress=progress
    )
    return Findings(now, risk, attacks, left_out, plan.seed)


def nearest_rows(utility: Mapping[str, Any]) -> dict[str, dict[int | None, Share]]:
    """The figures of utility.json on the closest row, as attackers give them."""
    rows = utility.get("nearest_row") or ()
    return {
        when: {
            None if row["known"] == "all" else row["known"]: Share(row[when] * row["people"], row["people"])
            for row in rows
        }
        for when in ("before", "after")
    }


def _with_reference(
    keys: Keys, reference: pa.Table | None, scene: Scene, job: Job, trees: Mapping[str, Taxonomy]
) -> Keys:
    """The figures against a file of the population, if there is one."""
    if reference is None:
        return keys
    if scene.kind != "records":
        raise InputError("a reference file is compared with the quasi-identifiers of records, and there are none")
    from tacit.attack.record_matching import RecordMatcher
    from tacit.attack.records_known import known_columns
    from tacit.attack.risk.classes import THRESHOLDS, classes_of
    from tacit.attack.risk.reference import against
    from tacit.audits.views.columns import read_column

    wanted = job.columns_with("quasi")
    require_columns(reference, wanted, "the reference file")
    was = [read_column(reference, job, column, trees) for column in wanted]
    _, shown = known_columns(replace(scene, known=tuple(column.name for column in wanted)))
    matcher = RecordMatcher(was, shown, len(scene.view))
    fits = np.zeros(matcher.sizes.size, np.int64)
    alike = classes_of([column.codes for column in was], reference.num_rows)
    some = np.zeros(alike.sizes.size, np.int64)
    some[alike.of] = np.arange(reference.num_rows)
    for person, people in zip(some.tolist(), alike.sizes.tolist(), strict=True):
        fits[matcher.candidates(person)] += people
    return replace(keys, reference=against(classes_of([matcher.group], len(scene.view), scene.whose), fits, THRESHOLDS))


def _belonging(saved: SavedRelease, job: Job) -> SavedRelease:
    """A release of this very job's data, whose public file is as it was audited."""

    def foreign(what: str) -> InputError:
        hint = "Give the job that the release was made with, or attack the file with --published."
        return InputError(f"this release does not belong to the job: {what}", file=saved.directory, hint=hint)

    if saved.job.promise.kind_of_data != job.promise.kind_of_data:
        raise foreign("it is about another kind of data")
    if {column.name: column.role for column in saved.job.columns} != {c.name: c.role for c in job.columns}:
        raise foreign("its columns are others, or have other roles")
    if saved.job.input.layout != job.input.layout:
        raise foreign("its layout is another")
    _private(saved, "rows.csv")
    _private(saved, "audit.json")
    proof = saved.directory / "private" / "attack.json"
    try:  # not there if nothing was played, or in an earlier version
        said = json.loads(proof.read_text("utf-8")) if proof.is_file() else {}
        digest, made_from = said.get("published_sha256"), said.get("made_from") or {}
    except (ValueError, AttributeError, RecursionError):
        raise InputError("these are no attacks that tacit saved", file=proof) from None
    digest = _said_in_public(saved) if digest is None else digest
    if digest is not None and file_sha256(saved.file()) != digest:
        hint = "Make the release again, or attack the file as somebody else's with --published."
        raise InputError("the public file was changed after it was audited", file=saved.file(), hint=hint)
    if isinstance(job.input.source, Path) and "input" in made_from:
        if not job.input.source.is_file():
            raise InputError("the original is not there", file=job.input.source, hint="Attacks are judged by it.")
        if file_sha256(job.input.source) != made_from["input"]:
            raise foreign("it was made from other data, or the data changed since")
    return saved


def _said_in_public(saved: SavedRelease) -> str | None:
    """The digest of the public file that its metadata have; None if they have none."""
    metadata = saved.directory / "public" / "croissant.json"
    try:
        files = json.loads(metadata.read_text("utf-8"))["distribution"]
        return next((str(each["sha256"]) for each in files if each.get("contentUrl") == saved.file().name), None)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None  # of an earlier version, or somebody else's


def _private(saved: SavedRelease, name: str) -> Path:
    file = saved.directory / "private" / name
    if not file.is_file():
        hint = "Without the private part of a release, attack its file with --published."
        raise InputError(f"the release has no private/{name}", file=saved.directory, hint=hint)
    return file


def _check_known(known: Collection[str] | None, job: Job) -> None:
    for name in known or ():
        if name not in {column.name for column in job.columns if column.role in ("quasi", "sensitive")}:
            can = [column.name for column in job.columns if column.role in ("quasi", "sensitive")]
            hint = f"These can be known: {', '.join(can)}." if can else "Only of records columns can be known."
            raise InputError("this is no column that --known can name", column=name, hint=hint)


def write_witnesses(found: Findings, directory: Path) -> Path:
    """The people whom attackers found for certain, as `rows.csv` calls them, for the owner alone."""
    file = directory / "private" / "witnesses.csv"
    file.touch(mode=0o600)
    with file.open("w", encoding="utf-8", newline="") as opened:
        lines = csv.writer(opened, lineterminator="\n")
        lines.writerow(("attack", "knows", "original"))
        for each in found.played:
            whom = () if each.after.witnesses is None else np.sort(each.after.witnesses).tolist()
            lines.writerows((each.name, each.after.knows, who) for who in whom)
    return file
