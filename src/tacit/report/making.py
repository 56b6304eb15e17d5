"""How a release was made: all that is needed to make it again, byte for byte."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.io import is_database_url, shown_url
from tacit.report.blocks import Block, Grid, Text, Words
from tacit.report.words import parameters, setting

if TYPE_CHECKING:
    from tacit.release import Release

_KEY = "the key beside this page, which must stay as secret as the original,"
_AGAIN = "tacit anonymize job.toml --key key -o DIR"
_PARTS = ("tacit", "numpy", "numba", "pyarrow", "scipy", "scikit-learn", "vl-convert-python")


def making(release: Release, output_hash: str | None) -> Iterator[Block]:
    """What it was made from, with which settings and versions, and the command that does it again."""
    yield Grid([(Words(what), told) for what, told in _origin(release, output_hash)])
    if release.command is not None:
        yield Text(
            f"Made by tacit apply: recoded as the release in {release.recoded_as} was. The recoding.json beside this "
            f"page says what becomes of each item. With the same input and recoding, by these hashes, {_KEY} and the "
            f"same versions, this command makes the same files again, byte for byte: {release.command} -o DIR\n"
            "The job.toml beside this page does not, if it is anonymized: it would get a recoding of its own. It says "
            "what the promise and the columns are."
        )
    elif isinstance(release.job.input.source, Path):
        yield Text(
            f"The job.toml beside this page holds every setting. With the same input, by these hashes, {_KEY} and the "
            f"same versions, the command {_AGAIN} makes the same files again, byte for byte; only job.toml differs, "
            "for it names its directory."
        )
    elif is_database_url(release.job.input.source):
        yield Text(
            "The job.toml beside this page holds every setting. As long as the database gives the same rows in the "
            f"same order, by their hash, with {_KEY} and the same versions, the command {_AGAIN} makes the same files "
            "again, byte for byte; only job.toml differs, for it names its directory."
        )
    else:
        yield Text(
            "With the same frame, by the hash of those of its columns that were named, and the same versions, "
            f"tacit.anonymize with these settings, this seed and {_KEY} (key=...) gives the same release again, byte "
            "for byte."
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
    yield "source", shown_url(str(job.input.source))  # a page gets around: no password in it
    for key, asked in (("query", job.input.query), ("table", job.input.table)):
        if asked is not None:
            yield key, asked
    yield from ((f"SHA-256 of the {what}", digest) for what, digest in release.made_from.items())
    if output_hash:
        yield "SHA-256 of the data file", output_hash
    yield from ((part, version(part)) for part in _PARTS)
    yield "Python", f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
