"""private/report.html: one self-contained page for the data's owner. Records first, drawing second."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.methods import METHODS
from tacit.report.blocks import Block, Folded, Grid, Section, Text
from tacit.report.html import document, verdict
from tacit.report.words import parameters, setting
from tacit.utility.meanings import MEASURES, Measure

if TYPE_CHECKING:
    from tacit.release import Release, Verdict
    from tacit.report.engine import Engine

_PARTS = ("tacit", "numpy", "numba", "pyarrow", "scipy", "scikit-learn", "vl-convert-python")
_MOST_PARTS = 12
_FAILED = "Do not hand this data on: it is not safe, or not true."


def report_page(release: Release, found: Verdict, output_hash: str | None = None, engine: Engine | None = None) -> str:
    """The whole page. That of a release that failed says so first, and does not describe data that must not go out.

    Nothing else has to be reworded for it: no words that a failed page can hold, be they of a promise, an audit, a
    measure or a note, speak of data as handed on. Values of the data are never touched. With an `engine`, it draws
    while the rest of the page is made.
    """
    described: Sequence[Section] = release.kind.sections(release) if found.in_order else ()
    if engine is not None:
        described = engine.draw_ahead(described)
    sections = [
        Section("The promise" if found.in_order else "The promise that was asked for", [*_promise(release)]),
        Section("What it cost", [*_cost(release.utility)]),
        *described,
        Section("How it was made", [*_making(release, output_hash)]),
    ]
    lines = str(found.audit).splitlines()
    if found.in_order:
        return document(_title(release), [verdict(lines, good=True)], sections)
    false = [f"Not true to the original: {problem}" for problem in found.problems]
    title = f"NOT SAFE. {_title(release)}" if found.audit.satisfied is not True else f"NOT TRUE. {_title(release)}"
    return document(title, [verdict([_FAILED, *lines, *false], good=False)], sections)


def _title(release: Release) -> str:
    return f"Release: {release.job.promise.name} ({parameters(release.job.promise)})"


def _promise(release: Release) -> Iterator[Block]:
    promise = release.job.promise
    yield Text(f"{promise.title} with {parameters(promise)}: {promise.in_words()}")
    yield Text(f"What it does not stop: {promise.not_stopped}")
    if release.published_before is not None:
        yield Text("Audited together with the earlier releases that this one adds to:", is_note=True)
        yield Grid([(each["directory"], each["sha256"]) for each in release.deliveries], ("directory", "SHA-256"))
    yield from (Text(note, is_note=True) for note in release.notes)


def _cost(utility: Mapping[str, Any]) -> Iterator[Block]:
    """All measures; those of many numbers can be opened, and share a table if they are about the same things."""
    long = {key: value for key, value in utility.items() if isinstance(value, Mapping) and len(value) > _MOST_PARTS}
    head = ("measure", "value", "range")
    yield Grid([*measures({key: value for key, value in utility.items() if key not in long})], head)
    shared: dict[tuple[str, ...], list[str]] = {}
    for key, value in long.items():
        shared.setdefault(tuple(value), []).append(key)
    for parts, keys in shared.items():
        rows = [(part, *(long[key][part] for key in keys)) for part in parts]
        about = [MEASURES.get(key, Measure(key)) for key in keys]
        title = "; ".join((*(one.meaning for one in about), *dict.fromkeys(filter(None, map(_range, about)))))
        yield Folded(title, [Grid(rows, ("", *(one.short or one.meaning for one in about)))])


def measures(utility: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Each measure in words, what it came to, and its range with the better end; several numbers take a row each."""
    for key, value in utility.items():
        about = MEASURES.get(key, Measure(key))
        parts = value if isinstance(value, Mapping) else {"": value}
        for part, number in parts.items():
            yield about.named(part) if part else about.meaning, number, _range(about)


def _range(about: Measure) -> str:
    return "; ".join(filter(None, (about.range, about.better and f"{about.better} is better")))


def _making(release: Release, output_hash: str | None) -> Iterator[Block]:
    """All that is needed to make the release again."""
    yield Grid([*_origin(release, output_hash)])
    if release.recoded_as is not None:
        yield Text(
            f"Made by tacit apply: recoded as the release in {release.recoded_as} was. The recoding.json beside this "
            "page says what becomes of each item."
        )
    elif isinstance(release.job.input.source, Path):
        yield Text(
            "The job.toml beside this page holds every setting. With the same input, by these hashes, and the same "
            "versions, the command tacit anonymize job.toml -o DIR makes the same files again, byte for byte; only "
            "job.toml differs, for it names its directory."
        )


def _origin(release: Release, output_hash: str | None) -> Iterator[tuple[str, str]]:
    job = release.job
    yield "promise", f"{job.promise.name}: {parameters(job.promise)}"
    yield "method", str(job.method.name)
    yield from ((f"option {key}", setting(value)) for key, value in job.method.options.items())
    yield "seed", str(job.method.seed)
    roles = {column.name: f"sensitive {column.role}" if column.sensitive else column.role for column in job.columns}
    for role in dict.fromkeys(roles.values()):
        yield f"columns: {role}", ", ".join(name for name, own in roles.items() if own == role)
    yield "source", re.sub(r"(?<=://)[^/@]*@", "", str(job.input.source))  # a page gets around: no password in it
    for what, file in _files(release):
        yield f"SHA-256 of the {what}", _sha256(file)
    if output_hash:
        yield "SHA-256 of the data file", output_hash
    yield from ((part, version(part)) for part in _PARTS)
    yield "Python", f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"


def _files(release: Release) -> Iterator[tuple[str, Path]]:
    """The files that the release was made from."""
    job = release.job
    if isinstance(job.input.source, Path):
        yield "input", job.input.source
    for column in job.columns:
        if column.hierarchy is not None:
            yield f"hierarchy of {column.name}", column.hierarchy
    for key, option in METHODS[str(job.method.name)].options.items():
        if option.is_path and job.method.options.get(key):
            yield key, Path(job.method.options[key])


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return "no longer there"
