"""A release: the data to publish with its decision, its proof and its cost; and the directory it is saved in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from tacit import audits
from tacit import recoding as recodings
from tacit.audits.result import AuditResult
from tacit.errors import AuditFailure, InputError
from tacit.io import FileFormat, format_named, read_table, sha256_as_written, write_table
from tacit.io.directory import new_release
from tacit.io.fingerprint import file_sha256
from tacit.job import Job, read_job, write_job
from tacit.job.sources import attributes, escaping_of, read_file
from tacit.kinds import Kind, kind_for
from tacit.methods import is_local
from tacit.recoding import Recoding
from tacit.report.public import public_readme
from tacit.report.words import earlier_ones, of_all
from tacit.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tacit.report.engine import Engine


class Verdict(NamedTuple):
    """What the audit found in what was published, and what in it is not true to the original."""

    audit: AuditResult
    problems: tuple[str, ...] = ()

    @property
    def in_order(self) -> bool:
        return self.audit.satisfied is True and not self.problems


@dataclass(eq=False, repr=False)
class Release:
    """What `anonymize` gives back. Nothing of it is written anywhere until `save` has audited the very bytes."""

    job: Job
    table: pa.Table
    original: Any
    """For each published record the number of the original one (slices: for each slice): for the data's owner only."""
    applied: Any
    """What the decision made of the original, as its kind of data applies it."""
    utility: dict[str, Any]
    format: FileFormat
    before: Any
    """The original, as its kind of data encodes it."""
    source: pa.Table
    """The input that this was made from, which the audits read for themselves."""
    hierarchies: Mapping[str, Taxonomy] = field(default_factory=dict)
    """Those of columns for which the job names no file, or that were used in its place."""
    notes: tuple[str, ...] = ()
    into_frame: Callable[[pa.Table], Any] = field(default=lambda table: table)
    published_before: tuple[Any, ...] | None = None
    """The views of earlier releases, if the promise must hold for all together."""
    deliveries: tuple[dict[str, str], ...] = ()
    """Those releases: the directory of each, and the SHA-256 of its data file."""
    made_from: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of all that was read, by what it is, such as "input"."""
    recoded_as: Path | None = None
    """The release whose recoding was used again; None if this one is a method's own."""
    command: str | None = None
    """The command that makes a release with a recoding used again, except for where it goes."""

    @property
    def kind(self) -> Kind:
        """How its kind of data is read, audited and described."""
        return kind_for(self.job.promise)

    @property
    def recoding(self) -> Any:
        """The decision: a `tacit.recoding.Recoding`."""
        return self.applied.recoding

    @cached_property
    def data(self) -> Any:
        """The published data, as the same kind of frame as the input was."""
        return self.into_frame(self.table)

    @cached_property
    def audit(self) -> AuditResult:
        """The verdict of the audit on `data`, which is also compared with the original."""
        return self.check(self.read(self.table))

    def __repr__(self) -> str:
        return f"Release({self.utility['records']:,} records, {self.job.promise})"

    def __str__(self) -> str:
        return f"{self.audit}\n{self.recoding}\nloss: {self.kind.cost_in_words(self.utility)}"

    def read(self, published: pa.Table) -> Any:
        """The view of a table that was published as this release is."""
        return audits.read_view(published, self.job)

    def verdict(self, view: Any) -> Verdict:
        """What the audit says of what was published, and what in it is not true to the original."""
        local = is_local(self.job.promise.name, self.job.method.name)
        original = audits.read_original(self.source, self.job, self.hierarchies, is_local=local)
        if self.published_before is None:
            result = audits.prove(view, self.job, original)
        else:
            result = audits.audit(audits.together((*self.published_before, view)), self.job)
            number = len(self.published_before)
            earlier = {"together_with_earlier_release": True, "earlier_releases": number}
            all_together = (
                f"This is about the new delivery and {earlier_ones(number)} together; it is not shown for this file "
                "alone."
            )
            result = replace(
                result,
                facts={**result.facts, **earlier},
                explanation=(all_together, *(of_all(words, number) for words in result.explanation)),
            )
        return Verdict(result, tuple(audits.false_values(original, view, self.original)))

    def check(self, view: Any) -> AuditResult:
        """Audits what was published and compares it with the original; raises unless both are in order."""
        found = self.verdict(view)
        if not found.audit.satisfied:
            raise AuditFailure(f"The audit did not pass, so nothing was published. {found.audit}")
        if found.problems:
            told = "; ".join(found.problems)
            raise AuditFailure(f"This is not true to the original, so nothing was published: {told}.")
        return found.audit

    def save(
        self,
        directory: str | Path,
        *,
        force: bool = False,
        report: bool = True,
        engine: Engine | None = None,
        progress: Callable[[str], None] = lambda message: None,
    ) -> Path:
        """Writes the release directory: all of it, or nothing. What is published was audited as read back.

        The largest private files are written aside. With an `engine`, charts are drawn aside, too.
        """
        if not self.table.num_rows:
            raise InputError("the release has no record, so there is nothing to publish")
        output = replace(self.job.output, directory=Path(directory).absolute())
        with new_release(Path(directory), force=force) as staging, ThreadPoolExecutor(1) as aside:
            progress("writing")
            written = aside.submit(self._write_decision, staging.private)
            file = staging.public / f"data.{self.format.extension}"
            escaping = escaping_of(self.job)
            write_table(self.table, file, self.format, escaping=escaping)
            progress("auditing")
            written_back = read_table(file, format=self.format, encoded=attributes(self.job), escaping=escaping)
            self.audit = self.check(self.read(written_back))
            (staging.public / "README.md").write_text(public_readme(self, file.name), encoding="utf-8")
            files = {
                "job.toml": self._remark() + write_job(replace(self.job, output=output)),
                "audit.json": _as_json(self.audit.to_dict()),
                "utility.json": _as_json(self.utility),
            }
            if self.deliveries:
                files["deliveries.json"] = _as_json({"earlier": list(self.deliveries)})
            if report:
                from tacit.report.page import report_page

                progress("reporting")
                files["report.html"] = report_page(self, Verdict(self.audit), file_sha256(file), engine)
            for name, text in files.items():
                (staging.private / name).write_text(text, encoding="utf-8")
            written.result()
            staging.approve()
        return Path(directory)

    def _remark(self) -> str:
        """What the job of a release with a recoding used again says first: it does not make that release."""
        if self.command is None:
            return ""
        command = "".join(sign if sign.isprintable() else "?" for sign in self.command)
        return f"# Made by: {command}\n# (`tacit anonymize` with this file would look for a recoding of its own.)\n\n"

    def _write_decision(self, folder: Path) -> None:
        """What became of which record: the largest files that only the owner gets."""
        (folder / "recoding.json").write_text(recodings.to_json(self.recoding), encoding="utf-8")
        write_table(self.kind.rows(self.before, self.original), folder / "rows.csv", format_named("csv"))

    def report(self, path: str | Path) -> Path:
        """Writes the report alone, for the data's owner; that of a release that failed its audit says so on top."""
        from tacit.report.page import report_page

        found = self.verdict(self.read(self.table))
        digest = sha256_as_written(self.table, self.format, escaping=escaping_of(self.job)) if found.in_order else None
        Path(path).write_text(report_page(self, found, digest), encoding="utf-8")
        return Path(path)


class SavedRelease(NamedTuple):
    """What a release directory says about itself."""

    directory: Path
    job: Job
    recoding: Recoding

    def file(self) -> Path:
        """The file that was published."""
        for file in sorted((self.directory / "public").glob("data.*")):
            return file
        raise _no_release(self.directory, "public/data.*")

    def view(self) -> Any:
        """What was published, as a stranger reads it."""
        return audits.read_view(read_file(self.file(), escaping=escaping_of(self.job)).table, self.job, self.file())

    def reference(self) -> dict[str, str]:
        """How a later release remembers this one."""
        return {"directory": str(self.directory.absolute()), "sha256": file_sha256(self.file())}

    def deliveries(self) -> tuple[SavedRelease, ...]:
        """The releases that this one was audited with, the first one first, and this one."""
        file = self.directory / "private" / "deliveries.json"
        if not file.is_file():
            return (self,)
        try:
            content = json.loads(file.read_text("utf-8"))
            references = [(Path(each["directory"]), each["sha256"]) for each in content["earlier"]]
        except (ValueError, KeyError, TypeError):
            hint = "Restore the file, or make the release again with `tacit apply --union`."
            raise InputError("this is not a list of deliveries that tacit saved", file=file, hint=hint) from None
        for directory, digest in references:
            if not directory.is_dir() or file_sha256(saved_release(directory).file()) != digest:
                raise InputError(
                    "this release belongs to the deliveries that are audited together, but it was moved or changed",
                    file=directory,
                    hint=f"Put it back; the list of deliveries is in {file}.",
                )
        return (*(saved_release(directory) for directory, _ in references), self)


def saved_release(directory: Path) -> SavedRelease:
    """Reads what `Release.save` wrote."""
    job, recoding = directory / "private" / "job.toml", directory / "private" / "recoding.json"
    for file in (job, recoding):
        if not file.is_file():
            raise _no_release(directory, f"private/{file.name}")
    return SavedRelease(directory, read_job(job), recodings.from_json(recoding.read_text("utf-8"), file=recoding))


def is_release_of(directory: Path, source: str | Path) -> bool:
    """Whether a directory holds a release that was made from this source."""
    job = directory / "private" / "job.toml"
    return job.is_file() and read_job(job).input.source == source


def _no_release(directory: Path, lacks: str) -> InputError:
    hint = "Give the directory that `tacit anonymize` wrote."
    return InputError(f"this is not a release of tacit: it has no {lacks}", file=directory, hint=hint)


def _as_json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
