"""What the audit says of what was published, and what attackers get out of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacit import audits
from tacit.attack import played
from tacit.attack.flow import QUICK, Plan, attack_views, nearest_rows
from tacit.attack.stage import ids_of, published_cells
from tacit.attack.words import NOTED, warnings
from tacit.audits import foreign
from tacit.audits.foreign import AS_WRITTEN, Marks
from tacit.audits.result import AuditResult, how_many
from tacit.errors import AuditFailure, InputError
from tacit.job import Job
from tacit.job.sources import read_file, read_published, read_source
from tacit.methods import is_local
from tacit.process.memory import give_back
from tacit.release import Release, Verdict, of_all_deliveries
from tacit.steps.stages import Progress, silent

if TYPE_CHECKING:
    import numpy as np

    from tacit.audits.views.cells import Cells


def checked(
    release: Release, published: pa.Table, *, attacks: bool = False, plan: Plan = QUICK, progress: Progress = silent
) -> Release:
    """The release with the verdict on a table that was published, and with what attackers get out of that table.

    With `attacks` all quick attackers are played. Raises unless the promise holds and all is true to the original.
    """
    view = audits.read_view(published, release.job)
    attacks = attacks and release.published_before is None
    cells = published_cells(published, release.job, view) if attacks else ()
    ids = ids_of(published, release.job) if attacks else None
    del published  # the view has all that is looked at from here on, and readers and audits need room
    give_back()
    original = _original(release)
    found = _verdict(release, view, original)
    if not found.audit.satisfied:
        failed = "The audit did not pass, so nothing was published."
        raise AuditFailure(f"{failed} {found.audit.in_numbers()}", f"{failed} {found.audit}")
    if found.problems:
        failed = "This is not true to the original, so nothing was published"
        count = how_many(len(found.problems), "finding")
        raise AuditFailure(f"{failed}: {count}.", f"{failed}: {'; '.join(found.problems)}.")
    bound, seed = release.job.promise.bound, release.job.method.seed or 0
    utility = {**release.utility, **played(original, view, release.original, bound=bound, seed=seed)}
    told = () if release.job.promise.shows_ranges else warnings(utility, bound)  # those are about all ratings known
    notes = dict.fromkeys((*release.notes, *told))
    release = replace(release, audited=found.audit, utility=utility, notes=tuple(notes))
    if not attacks:
        return release
    progress("attacking")
    return attacked(release, original, view, cells, ids, plan, progress)


def attacked(
    release: Release, original: Any, view: Any, cells: Sequence[Cells], ids: Sequence[str] | None, plan: Plan,
    progress: Progress = silent,
) -> Release:  # fmt: skip
    """The release with what attackers come to, before and after; `cells` and `ids` are of the published table."""
    found = attack_views(
        release.source, original, view, cells, release.job, release.hierarchies,
        ids=ids, rows=release.original, control=release.control, plan=plan, progress=progress,
        given=nearest_rows(release.utility),
    )  # fmt: skip
    above = [each for each in found.above() if each.name not in NOTED]
    more = "is right more often than promised: see private/attack.json"
    told = [f"the attacker {each.name} ({each.after.knows}) {more}" for each in above]
    return replace(release, attacked=found, notes=(*release.notes, *told))


def verdict_on(release: Release, published: pa.Table) -> Verdict:
    """What the audit says of a table that was published, and what in it is not true to the original."""
    return _verdict(release, audits.read_view(published, release.job), _original(release))


def _original(release: Release) -> Any:
    """The input as the audits read it."""
    job = release.job
    local = is_local(job.promise.name, job.method.name)
    return audits.read_original(release.source, job, release.hierarchies, is_local=local)


def _verdict(release: Release, view: Any, original: Any) -> Verdict:
    if release.published_before is None:
        result, problems = audits.judge(view, release.job, original, release.original)
        return Verdict(result, tuple(problems))
    all_of_it = audits.together((*release.published_before, view))
    result = of_all_deliveries(audits.audit(all_of_it, release.job), release)
    return Verdict(result, tuple(audits.false_values(original, view, release.original)))


def audit_file(
    job: Job,
    data: Path,
    *,
    original: bool = False,
    rows: Path | None = None,
    format: str | None = None,
    allow_columns: Collection[str] = (),
    marks: Marks = AS_WRITTEN,
    progress: Progress = silent,
) -> tuple[AuditResult, list[str]]:
    """The verdict on a published file and, with `original`, what in it is not true to the job's input.

    Without `original`, neither the input nor a hierarchy is opened. `rows` is the file that says which record is which;
    where persons have several, that of the release is used if none is given. `marks` say what another program means by
    its own.
    """
    if job.engine.name != "local":
        from tacit.engines.verdicts import audit_file as on_engine

        if rows is not None or marks:
            raise InputError("files of rows and marks of other programs are read on this machine only")
        return on_engine(job, data, original=original, format=format, allow_columns=allow_columns, progress=progress)
    progress("reading")
    table = read_published(data, job, format=format).table
    view = audits.read_view(table, job, data, allow_columns=allow_columns)
    progress("auditing")
    verdict = foreign.audit(view, job, marks) if marks else None
    if not original:
        return verdict or audits.audit(view, job), []
    before = audits.read_original(read_source(job).table, job, {}, is_local=is_local(job.promise.name, job.method.name))
    found = rows or rows_beside(data) if getattr(before, "persons", None) is not None else rows
    judged, problems = audits.judge(view, job, before, None if found is None else read_rows(found, view))
    return verdict or judged, problems


def rows_beside(data: Path) -> Path | None:
    """The file of rows of the release that a published file is part of, if it is there."""
    file = data.absolute().parent.parent / "private" / "rows.csv"
    return file if data.absolute().parent.name == "public" and file.is_file() else None


def read_rows(file: Path, view: Any) -> np.ndarray:
    """Which record is which in a published file."""
    if view.kind_of_data not in ("records", "slices"):
        raise InputError(
            f"records of {view.kind_of_data} are compared without a file of rows", file=file, hint="Leave --rows out."
        )
    return audits.read_rows(read_file(file).table, view, file)
