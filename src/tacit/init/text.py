"""Writing a first job file: a table of TOML a heading, with comments for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tacit.errors import InputError

Table = tuple[str, Sequence[str]]
"""A heading and its lines."""


def job_text(tables: Sequence[Table], first: Sequence[str] = ()) -> str:
    """The job file, its output going beside it; `first` is what has to be read before anything else."""
    shown = ("\n".join((f"[{name}]", *lines)) for name, lines in (*tables, ("output", ['directory = "out"'])))
    intro = "# What is published of this data, and what is promised. `tacit anonymize` reads it."
    return "\n\n".join(("\n".join((intro, *(f"# {line}" for line in first))), *shown)) + "\n"


def about(line: str, comment: str) -> str:
    """A line with a comment, in a column of their own."""
    return f"{line:<31} # {comment}"


def quoted(text: str) -> str:
    """A text as TOML writes it."""
    import tomli_w

    return tomli_w.dumps({"text": text}).removeprefix("text = ").rstrip("\n")


def key(name: str) -> str:
    """A key as TOML writes it: bare if that is possible."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)


def relative(path: Path, folder: Path) -> str:
    """The path as seen from the job file, if it lies beside or below it."""
    path = path.absolute()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def refuse_existing(path: Path, force: bool) -> None:
    """A file of the user's is replaced only if that is asked for."""
    if path.exists() and not force:
        hint = "Choose another name with -o, or replace it with --force."
        raise InputError("the file exists already", file=path, hint=hint)
