"""Where in a file a mistake stands."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tacit.errors import InputError
from tacit.io import inspect_format, line_of_record
from tacit.job.model import Input


class Place(NamedTuple):
    """Where the first of several mistakes stands: its line in a text file, or words that say so."""

    words: str
    line: int | None


def place_of(row: int, given: Input, source: str | Path | None = None) -> Place:
    """Where a row of a table stands in the file that it came from; `source` is that file, if it is not the input."""
    file, line = source or given.source, None
    with suppress(InputError):  # a file that cannot be gone over again: what was found in it is told all the same
        if isinstance(file, Path) and file == given.source:
            found = inspect_format(
                file, format=given.format, delimiter=given.delimiter, encoding=given.encoding, sheet=given.table
            )
            line = line_of_record(file, row, format=found)
        elif isinstance(file, Path):
            line = line_of_record(file, row, format=inspect_format(file))
    return Place(f"; the first stands in record {row + 1:,}" if line is None else "; the first stands here", line)
