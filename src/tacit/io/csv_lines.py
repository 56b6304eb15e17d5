"""CSV line by line with Python's `csv` module: the header, and what is wrong with a file PyArrow refuses."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from tacit.errors import InputError
from tacit.io.formats import DELIMITERS
from tacit.io.raw import BOM, no_record, not_utf8

END_OF_FILE = "end of file"
"""The record that is read after the last one: only an open quote can swallow it."""

_UNDECODED = re.compile("[\udc80-\udcff]")  # how "surrogateescape" shows bytes that are not UTF-8


def read_header(file: BinaryIO, path: Path, delimiter: str) -> list[str]:
    """The names of the columns, all different; leaves the file where the records begin."""
    start = _skip_bom(file)
    consumed: list[str] = []
    with _any_field_size(), closing(_text_lines(file)) as lines:
        names = next(csv.reader(_noting(_with_end(lines), consumed), delimiter=delimiter))
    if consumed == [END_OF_FILE]:
        raise no_record(path)
    if consumed[-1] == END_OF_FILE:
        raise _open_quote(path, line=1)
    header = "".join(consumed)
    if _UNDECODED.search(header):
        raise not_utf8(path, _encode(header), line=1)
    if len(names) <= 1:
        _check_delimiter(header, path, delimiter)
    file.seek(start + len(_encode(header)))
    return told_apart(names, path)


def told_apart(names: Sequence[str], source: Path | str) -> list[str]:
    """Names that are all different: the second `age` is called `age (2)`, and what has no name by its place.

    >>> told_apart(["age", "", "age", "age (2)"], "t.csv")
    ['age', 'column 2', 'age (3)', 'age (2)']
    """
    if not any(map(str.strip, names)):
        raise InputError(
            "its columns have no names", file=source, hint="Put the names of the columns on the first line."
        )
    named = [name if name.strip() else f"column {place}" for place, name in enumerate(names, start=1)]
    taken, found = set(named), list[str]()
    for name in named:
        number, free = 1, name
        while free in found or (number > 1 and free in taken):
            number += 1
            free = f"{name} ({number})"
        found.append(free)
    return found


def sniff_delimiter(sample: str) -> str:
    """The delimiter that makes the most even table of the first lines; a comma when there is but one column.

    Only what splits the header is considered. The one that gives most records as many fields as the header
    wins, and among equals the one that gives more fields.
    """
    merit = {}
    for delimiter in DELIMITERS:
        with _any_field_size():
            sizes = [len(fields) for fields in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)]
        if sizes and sizes[0] > 1:
            merit[delimiter] = (sizes.count(sizes[0]) / len(sizes), sizes[0])
    return max(merit, key=lambda delimiter: merit[delimiter], default=DELIMITERS[0])


def explain(file: BinaryIO, path: Path, delimiter: str) -> InputError:
    """The first fault of a file, by the line its record starts in; cells are not quoted."""
    _skip_bom(file)
    with _any_field_size(), closing(_text_lines(file)) as lines:
        records = _records_by_line(lines, delimiter)
        _, names = next(records)
        ragged: tuple[int, int] | None = None
        for line, fields in records:
            for name, field in zip(names, fields, strict=False):
                if undecoded := _UNDECODED.search(field):
                    return not_utf8(path, b"", line + field.count("\n", 0, undecoded.start()), name)
            if fields and fields != [END_OF_FILE] and len(fields) != len(names) and ragged is None:
                ragged = line, len(fields)
    if fields != [END_OF_FILE] and (ragged is None or ragged[0] == line):
        return _open_quote(path, line)
    if ragged is not None:
        line, count = ragged
        return InputError(
            f"the record has {count} field{'s' * (count != 1)}, but the header has {len(names)}",
            file=path,
            line=line,
            hint=f"Fields are separated by {delimiter!r}; one that holds it must be quoted. "
            'If the file is baskets without a header, set format = "dat".',
        )
    return InputError(f"this is not a table separated by {delimiter!r}", file=path)


def line_of(file: BinaryIO, delimiter: str, record: int) -> int | None:
    """The line that a record begins in, counted from 0 without the header; None if the file has not so many."""
    _skip_bom(file)
    with _any_field_size(), closing(_text_lines(file)) as lines:
        records = _records_by_line(lines, delimiter)
        _, names = next(records)
        filled = (line for line, fields in records if fields or len(names) == 1)  # Arrow skips other empty lines
        return next(islice(filled, record, None), None)


def _check_delimiter(header: str, path: Path, delimiter: str) -> None:
    """Refuses a delimiter that leaves the header whole when another one would split it."""
    others = [other for other in DELIMITERS if len(next(csv.reader([header], delimiter=other))) > 1]
    if others:
        raise InputError(
            f"the delimiter {delimiter!r} does not occur in the header, but {others[0]!r} does",
            file=path,
            line=1,
            hint=f"Set delimiter = {others[0]!r}, or quote the header if it is one column.",
        )


def _open_quote(path: Path, line: int) -> InputError:
    return InputError(
        "a quote that opens in this record is never closed",
        file=path,
        line=line,
        hint='Close it, or write a quote that is part of the text as "" inside a quoted field.',
    )


def _records_by_line(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line it starts in; the last one is `END_OF_FILE`, unless a quote is open."""
    reader = csv.reader(_with_end(lines), delimiter=delimiter)
    line = 1
    for fields in reader:
        yield line, fields
        line = reader.line_num + 1


def _with_end(lines: Iterable[str]) -> Iterator[str]:
    yield from lines
    yield END_OF_FILE


def _noting(lines: Iterable[str], consumed: list[str]) -> Iterator[str]:
    for line in lines:
        consumed.append(line)
        yield line


def _text_lines(file: BinaryIO) -> Generator[str]:
    text = io.TextIOWrapper(file, encoding="utf-8", errors="surrogateescape", newline="")
    try:
        while line := text.readline():
            yield line
    finally:
        text.detach()


def _skip_bom(file: BinaryIO) -> int:
    start = len(BOM) if file.read(len(BOM)) == BOM else 0
    file.seek(start)
    return start


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@contextmanager
def _any_field_size() -> Iterator[None]:
    """Lifts the limit on the size of a field, which the `csv` module keeps for the whole process."""
    before = csv.field_size_limit(min(sys.maxsize, (1 << 31) - 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)
