"""A release: the data to publish with its decision, its proof and its cost; and the directory it is saved in."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from tacit import audits
from tacit import recoding as recodings
from tacit.audits.result import AuditResult
from tacit.errors import InputError
from tacit.io import FileFormat, format_named, read_table, sha256_as_written, write_table
from tacit.io.fingerprint import file_sha256
from tacit.io.keys import key_text
from tacit.io.passwords import without_password
from tacit.job import Job, read_job, write_job
from tacit.job.sources import attributes, escaping_of, published_encoding, read_file
from tacit.kinds import Kind, kind_for
from tacit.recoding import Recoding
from tacit.report.words import earlier_ones, of_all
from tacit.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tacit.attack.result import Findings
    from tacit.report.engine import Engine


class Verdict(NamedTuple):
    """What the audit found in what was published, and what in it is not true to the original."""

    audit: AuditResult
    problems: tuple[str, ...] = ()

    @property
    def in_order(self) -> bool:
        return self.audit.satisfied is True and not self.problems


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What `anonymize` gives back: the data to publish, the decision, the proof and the cost.

    It is data. What is done with it is done by the flow, and nothing of it is written anywhere until `save` has audited
    the very bytes.
    """

    job: Job
    table: pa.Table
    original: Any
    """For each published record the place of the original one (slices: for each slice): for the data's owner only."""
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
    made_from: Mapping[str, str] = field(default_factory=dict)
    """The SHA-256 of all that was read, by what it is, such as "input"."""
    key: bytes = b""
    """What its order and numbers were drawn from: as secret as `original`."""
    kept: Any = None
    """The rows of the input that it was made from, if some people were held out; None: all."""
    into_frame: Callable[[pa.Table], Any] = field(default=lambda table: table)
    audited: AuditResult | None = None
    """What the audit said, once it was asked."""
    attacked: Findings | None = None
    """What attackers came to, once they were asked."""
    control: Any = None
    """People who were held out before anything was made, as attackers' judges read them; None if there are none."""
    published_before: tuple[Any, ...] | None = None
    """The views of earlier releases, if the promise must hold for all together."""
    deliveries: tuple[dict[str, str], ...] = ()
    """Those releases: the directory of each, and the SHA-256 of its data file."""
    recoded_as: Path | None = None
    """The release whose recoding was used again; None if this one is a method's own."""
    command: str | None = None
    """The command that makes a release with a recoding used again, except for where it goes."""
    on_engine: bool = False
    """Whether it was made by an engine: then `table` has a few rows of it, and `before` the different records."""
    repeats: bool = False
    """Whether identifiers repeat, as the engine found."""
    saves: Callable[..., None] | None = None
    """What saves it where an engine holds its rows."""

    @property
    def kind(self) -> Kind:
        """How its kind of data is encoded, published and described."""
        return kind_for(self.job.promise)

    @property
    def recoding(self) -> Any:
        """The decision: a `tacit.recoding.Recoding`."""
        return self.applied.recoding

    @cached_property
    def data(self) -> Any:
        """The published data, as the same kind of frame as the input was."""
        return self.into_frame(self.table)

    @property
    def audit(self) -> AuditResult:
        """The verdict of the audit on `data`, which was also compared with the original."""
        if self.audited is not None:
            return self.audited
        from tacit.steps.judging import checked

        found = checked(self, self.table).audited
        assert found is not None
        return found

    @property
    def view(self) -> Any:
        """What a stranger reads in what is published."""
        return audits.read_view(self.table, self.job)

    def __repr__(self) -> str:
        return f"Release({self.utility['records']:,} records, {self.job.promise})"

    def __str__(self) -> str:
        return f"{self.audit}\n{self.recoding}\nloss: {self.kind.cost_in_words(self.utility)}"

    def save(self, directory: str | Path, *, force: bool = False, report: bool = True, attack: bool = True) -> Path:
        """Writes the release directory: all of it, or nothing. What is published was audited as read back.

        Quick attackers are played against it, unless they are left out.
        """
        if self.saves is not None:
            self.saves(Path(directory), force=force, report=report)
            return Path(directory)
        from tacit.flow import place

        place(self, Path(directory), force=force, report=report, attacks=attack)
        return Path(directory)

    def report(self, path: str | Path) -> Path:
        """Writes the report alone, for the data's owner; that of a release that failed its audit says so on top."""
        from tacit.report.page import report_page
        from tacit.steps.judging import verdict_on

        if self.on_engine:
            assert self.audited is not None
            Path(path).write_text(report_page(self, Verdict(self.audited)), encoding="utf-8")
            return Path(path)
        found = verdict_on(self, self.table)
        digest = sha256_as_written(self.table, self.format, escaping=escaping_of(self.job)) if found.in_order else None
        Path(path).write_text(report_page(self, found, digest), encoding="utf-8")
        return Path(path)


def read_back(release: Release, file: Path) -> pa.Table:
    """What was published, as it lies on the disk."""
    encoded, escaping = attributes(release.job), escaping_of(release.job)
    return read_table(file, format=release.format, encoded=encoded, escaping=escaping)


def write_decision(release: Release, folder: Path) -> None:
    """What became of which record: the largest files that only the owner gets."""
    (folder / "key").write_text(key_text(release.key), encoding="ascii")
    (folder / "recoding.json").write_text(recodings.to_json(release.recoding), encoding="utf-8")
    rows = release.kind.rows(release.before, release.original)
    if release.kept is not None and release.job.input.layout == "wide":
        place = rows.column_names.index("original")
        rows = rows.set_column(place, "original", pa.array(release.kept).take(rows["original"].combine_chunks()))
    write_table(rows, folder / "rows.csv", format_named("csv"))


def write_proof(
    release: Release, folder: Path, target: Path, data: Path, *, report: bool = True, engine: Engine | None = None
) -> None:
    """The job as run, the audit, the cost, and the report on what was published in `data`, if it is wanted."""
    assert release.audited is not None
    output = replace(release.job.output, directory=target.absolute())
    files = {
        "job.toml": _remark(release) + write_job(replace(release.job, output=output)),
        "audit.json": _as_json(release.audited.to_dict()),
        "utility.json": _as_json(release.utility),
    }
    if release.deliveries:
        files["deliveries.json"] = _as_json({"earlier": list(release.deliveries)})
    if release.attacked is not None:
        files["attack.json"] = _as_json({**release.attacked.to_dict(), **_digests(release, data)})
    if report:
        from tacit.report.page import report_page

        files["report.html"] = report_page(release, Verdict(release.audited), file_sha256(data), engine)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _digests(release: Release, data: Path) -> dict[str, Any]:
    """Of what was published and of what it was made from: whoever attacks the release can tell that nothing changed."""
    return {"published_sha256": file_sha256(data), "made_from": dict(release.made_from)}


def _remark(release: Release) -> str:
    """What the job of a release with a recoding used again says first: it does not make that release."""
    if release.command is None:
        return ""
    command = "".join(sign if sign.isprintable() else "?" for sign in release.command)
    return f"# Made by: {command}\n# (`tacit anonymize` with this file would look for a recoding of its own.)\n\n"


def _as_json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def of_all_deliveries(result: AuditResult, release: Release) -> AuditResult:
    """A verdict on a release together with earlier ones, in words that say so."""
    count = len(release.published_before or ())
    earlier = {"together_with_earlier_release": True, "earlier_releases": count}
    all_together = (
        f"This is about the new delivery and {earlier_ones(count)} together; it is not shown for this file alone."
    )
    return replace(
        result,
        facts={**result.facts, **earlier},
        explanation=(all_together, *(of_all(words, count) for words in result.explanation)),
    )


@dataclass(frozen=True)
class SavedRelease:
    """What a release directory says about itself."""

    directory: Path
    job: Job

    @cached_property
    def recoding(self) -> Recoding:
        """How the values were recoded, read when it is asked for: audits and attackers have no use for it."""
        file = _recoding_in(self.directory)
        return recodings.from_json(file.read_bytes(), file=file)

    def file(self) -> Path:
        """The file that was published."""
        for file in sorted((self.directory / "public").glob("data.*")):
            return file
        raise _no_release(self.directory, "public/data.*")

    def view(self) -> Any:
        """What was published, as a stranger reads it."""
        encoding = published_encoding(self.file(), self.job)
        table = read_file(self.file(), encoding=encoding, escaping=escaping_of(self.job)).table
        return audits.read_view(table, self.job, self.file())

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
            references = [(_folder(each["directory"]), each["sha256"]) for each in content["earlier"]]
        except (ValueError, LookupError, TypeError, RecursionError):
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
    job = directory / "private" / "job.toml"
    for file in (job, _recoding_in(directory)):
        if not file.is_file():
            raise _no_release(directory, f"private/{file.name}")
    return SavedRelease(directory, read_job(job))


def _recoding_in(directory: Path) -> Path:
    return directory / "private" / "recoding.json"


def _folder(name: str) -> Path:
    """The folder of this name, if it can be one."""
    if "\0" in name:
        raise ValueError("no file has such a name")
    return Path(os.fsdecode(os.fsencode(name)))


def is_release_of(directory: Path, source: str | Path) -> bool:
    """Whether a directory holds a release that was made from this source."""
    job = directory / "private" / "job.toml"
    kept = without_password(source) if isinstance(source, str) else source
    return job.is_file() and read_job(job).input.source == kept


def _no_release(directory: Path, lacks: str) -> InputError:
    hint = "Give the directory that `tacit anonymize` wrote."
    return InputError(f"this is not a release of tacit: it has no {lacks}", file=directory, hint=hint)
