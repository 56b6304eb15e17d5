"""The whole story: read, encode, search, apply, write, read back, audit, report, place.

Commands and the Python API are thin callers of this.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from tacit import audits
from tacit.arrays.spelling import in_one_spelling
from tacit.attack import played
from tacit.attack.flow import QUICK, Plan, attack_views, nearest_rows
from tacit.attack.stage import ids_of, published_cells
from tacit.attack.words import NOTED, warnings
from tacit.audits import foreign
from tacit.audits.foreign import AS_WRITTEN, Marks
from tacit.audits.result import AuditResult, how_many
from tacit.errors import AuditFailure, InputError, PromiseError
from tacit.io import FileFormat, spreadsheet, write_table
from tacit.io.database_output import check_table, new_table
from tacit.io.directory import check_target, new_release
from tacit.io.encodings import UTF8, can_write
from tacit.io.files import only_what_shows
from tacit.io.fingerprint import hashed_while_read, table_sha256
from tacit.io.text import as_text
from tacit.job import Job, Method
from tacit.job.checks import check_population, notes_on_names, notes_on_plain, notes_on_repeats
from tacit.job.sources import (
    escaping_of,
    files_read,
    input_file,
    is_all_files,
    job_sha256,
    notes_on_format,
    other_files,
    output_format,
    read_file,
    read_published,
    read_source,
    tables_read,
)
from tacit.job.styles import plain_table, styled_table
from tacit.kinds import Encoded, check_reachable, kind_for
from tacit.methods import is_local, method_for
from tacit.release import Release, Verdict, of_all_deliveries, read_back, write_decision, write_proof
from tacit.report.metadata import write_metadata
from tacit.report.public import public_readme
from tacit.shuffle import HELD_OUT, Shuffle, fresh_key
from tacit.taxonomy import Taxonomy

if TYPE_CHECKING:
    import numpy as np

    from tacit.audits.views.cells import Cells
    from tacit.report.engine import Engine

Progress = Callable[[str], None]

STAGES = ("reading", "encoding", "searching", "recoding", "writing", "auditing", "attacking", "reporting")
"""What progress is told, in this order; other messages say how a stage goes."""


def silent(message: str) -> None:
    """Progress that nobody watches."""


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
    if job.output.database is not None and job.output.table is not None:
        check_table(job.output.database, job.output.table, force=force, reads=tables_read(job))
    with drawing(report) as engine:
        progress("reading")
        with hashed_while_read(input_file(job)) as digests:
            table, input_format, told = read_source(job)
        made_from = digests if is_all_files(job) else {**digests, "rows as Arrow": table_sha256(table)}
        key = fresh_key() if key is None else key
        kept, others = split(table, job, held_out, key) if held_out else (None, None)
        if kept is not None:
            table, strangers = table.take(pa.array(kept)), table.take(pa.array(others))
        release = make_release(table, job, input_format=input_format, made_from=made_from, key=key, progress=progress)
        release = replace(release, notes=(*told, *release.notes))
        if kept is not None:
            release = with_held_out(release, kept, strangers)
        if strict:
            refuse_worthless(release)
        del table  # room for the published one, which is read back
        return place(release, target, force=force, report=report, attacks=attacks, engine=engine, progress=progress)


def refuse_worthless(release: Release) -> None:
    """Raises where a part of a release tells nothing any more."""
    doubts = release.kind.tells_nothing(release.utility)
    if doubts:
        raise PromiseError(
            f"{' '.join(doubts)}\n  A weaker promise, fewer columns or items, or a finer hierarchy may leave more; "
            "without `strict` this is published, with a warning"
        )


def split(table: pa.Table, job: Job, share: float, key: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The rows of people who stay, and of those who are held out; all rows of a person, or household, go together."""
    import numpy as np

    names = [column.name for role in ("household", "person") for column in job.columns_with(role)]
    who = _together(table[names[0]]) if names else np.arange(table.num_rows)
    people = int(who.max(initial=-1)) + 1
    out = Shuffle.keyed(key, "held out").order(people, HELD_OUT)[: round(share * people)]
    is_out = np.zeros(people, bool)
    is_out[out] = True
    if not out.size or out.size == people:
        raise InputError(
            f"a share of {share:g} holds out {out.size} of {people:,} people", hint="Choose another share."
        )
    return np.flatnonzero(~is_out[who]), np.flatnonzero(is_out[who])


def _together(column: pa.ChunkedArray) -> np.ndarray:
    """A number for each row, the same for rows of one person or household."""
    import numpy as np

    return np.from_dlpack(pc.rank(as_text(column).combine_chunks(), tiebreaker="dense")).astype(np.int64) - 1


def with_held_out(release: Release, kept: np.ndarray, strangers: pa.Table) -> Release:
    """The release with the people who were held out, as attackers' judges read them."""
    local = is_local(release.job.promise.name, release.job.method.name)
    control = audits.read_original(strangers, release.job, release.hierarchies, is_local=local)
    told = f"{len(control):,} people were held out as a control for attackers, and are not published"
    return replace(release, control=control, kept=kept, notes=(*release.notes, told))


def drawing(report: bool) -> AbstractContextManager[Engine | None]:
    """What draws the charts of a report, if one is wanted: started first, so that it is ready when it is needed."""
    if not report:
        return nullcontext()
    from tacit.report.engine import started_engine

    return started_engine()


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
    method = method_for(job.promise.name, job.method.name)
    options = method.checked(job.method.options, folder=job.file and job.file.parent)
    output = output_format(job, input_format)
    kind = kind_for(job.promise)
    key = fresh_key() if key is None else key
    made_from = made_from or {"rows as Arrow": table_sha256(table)}

    with hashed_while_read(other_files(job, options)) as digests:
        progress("encoding")
        plain = in_one_spelling(plain_table(table, job, hierarchies or {}), job, hierarchies or {})
        encoded = kind.encode(plain, job, hierarchies or {}, output)
        check_population(_people(encoded.data), job)
        check_reachable(encoded.data, job)
        chosen = replace(job, columns=encoded.columns or job.columns, method=replace(job.method, options=options))
        job = chosen.filled(Method(method.name, fresh_seed()), output.extension)

        progress("searching")
        search = method.search(job.promise)
        try:
            hidden = shuffle_for(key, made_from, job, hierarchies or {})
            seed = job.method.seed or 0
            recoding = search(encoded.data, job.promise, seed=seed, hidden=hidden, progress=progress, **options)
        except InputError as error:  # an option that does not suit the data: it stands in the job
            where = job.file if error.file is None else error.file
            raise InputError(error.problem, file=where, line=error.line, column=error.column, hint=error.hint) from None
    applied = kind.apply(encoded.data, recoding)
    warnings = (*kind.judge(encoded.data, applied, method.name), *filter(None, [method.caution(options)]))
    warnings += tuple(notes_on_format(job, input_format))
    told = Encoded(encoded.data, (*encoded.notes, *warnings))
    release = recoded(plain, told, job, applied, output, hidden, hierarchies or {}, progress, measured=measured)
    return replace(release, source=_named_in(table, job), made_from={**made_from, **digests}, key=key)


def shuffle_for(
    key: bytes, made_from: Mapping[str, str], job: Job, hierarchies: Mapping[str, Taxonomy] | None = None
) -> Shuffle:
    """What hides people in the release that a job makes of some input."""
    return Shuffle.keyed(key, *sorted(made_from.values()), job_sha256(job, hierarchies or {}))


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
    source = _named_in(table, job)
    return Release(job, shown, published.original, applied, utility, output, data, source, hierarchies, notes)


def _named_in(table: pa.Table, job: Job) -> pa.Table:
    """The columns that the job names."""
    return table.select([column.name for column in job.columns if column.name in table.column_names])


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
    with new_release(directory, force=force) as staging, ThreadPoolExecutor(1) as aside, ExitStack() as stack:
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
        if release.job.output.database is not None and release.job.output.table is not None:
            progress("auditing the table")
            output = release.job.output
            table = stack.enter_context(new_table(str(output.database), str(output.table), force=force))
            table.write(release.table)
            checked(release, table.read())
            table.keep()
        staging.approve()
    return release


def checked(
    release: Release, published: pa.Table, *, attacks: bool = False, plan: Plan = QUICK, progress: Progress = silent
) -> Release:
    """The release with the verdict on a table that was published, and with what attackers get out of that table.

    With `attacks` all quick attackers are played. Raises unless the promise holds and all is true to the original.
    """
    view, original = _read_both(release, published)
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
    if not attacks or release.published_before is not None:
        return release
    progress("attacking")
    cells, ids = published_cells(published, release.job, view), ids_of(published, release.job)
    del published  # attackers need room
    return attacked(release, original, view, cells, ids, plan, progress)


def _people(data: Any) -> int:
    """Of how many people encoded data are."""
    import numpy as np

    persons = getattr(data, "persons", None)
    return len(data) if persons is None else len(np.unique(persons))


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
    return _verdict(release, *_read_both(release, published))


def _read_both(release: Release, published: pa.Table) -> tuple[Any, Any]:
    """What a stranger reads in a table that was published, and the original."""
    job = release.job
    local = is_local(job.promise.name, job.method.name)
    original = audits.read_original(release.source, job, release.hierarchies, is_local=local)
    return audits.read_view(published, job), original


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


def fresh_seed() -> int:
    """A seed from the operating system that every reader of JSON and TOML takes for a whole number."""
    return secrets.randbits(53)
