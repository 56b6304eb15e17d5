"""The cells of a hierarchy file, and back: encoding, delimiter, quotes; nothing about trees."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tacit.errors import InputError

QUOTED_CELL = re.compile(r'(?:^|(?<=[,;]))"(?:[^"]|"")*"(?=[,;\r\n]|\Z)', re.MULTILINE)
NEEDS_QUOTES = re.compile(r'[",;\r\n\ufeff]|^\s|\s$')


class Row(NamedTuple):
    line: int
    cells: list[str]


def read_rows(path: Path) -> list[Row]:
    """Rows that hold something, without the empty cells that spreadsheet programs add at their ends."""
    text = text_of(path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=find_delimiter(text), strict=True)
    rows, line = [], 1
    try:
        for cells in reader:
            while cells and not cells[-1].strip():
                cells.pop()
            if cells:
                rows.append(Row(line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"the row is not proper CSV ({error})",
            file=path,
            line=line,
            hint='Close every quoted cell, and write a quote inside one twice: "a ""b"" c".',
        ) from None
    if not rows:
        raise InputError(
            "the hierarchy is empty",
            file=path,
            hint="Write a row for each leaf, or make a hierarchy from the data with `tacit hierarchy build`.",
        )
    return rows


def write_rows(rows: Iterable[Sequence[str]], path: Path) -> None:
    """Write rows as CSV that `read_rows` reads back cell by cell; compressed if the name ends in `.gz`."""
    lines = (",".join(map(_quoted, row)) for row in rows)
    data = "".join(f"{line}\n" for line in lines).encode()
    try:
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    except OSError as error:
        raise InputError(
            f"the file cannot be written ({error.strerror})",
            file=path,
            hint="Check the directory and its permissions.",
        ) from None


def find_delimiter(text: str) -> str:
    """`;` if it splits every row (names in such files often hold `,`), otherwise the one that splits more.

    >>> find_delimiter("1;1,3;*\\n2;1,3;*\\n")
    ';'
    >>> find_delimiter("a,X,*\\n" 'b,"X;Y",*\\n')
    ','
    """
    bare = QUOTED_CELL.sub("x", text) if '"' in text else text
    lines = [line for line in bare.replace("\r", "\n").split("\n") if line.strip(" \t,;")] or [bare]
    by_semicolon = sum(";" in line for line in lines)
    by_comma = sum("," in line for line in lines)
    return ";" if by_semicolon == len(lines) or by_semicolon > by_comma else ","


def text_of(path: Path) -> str:
    """The text of a hierarchy file, unpacked if it is gzipped."""
    try:
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(
            f"the file is damaged: it does not decompress ({error})",
            file=path,
            hint="Make or fetch it again.",
        ) from None
    except OSError as error:
        raise InputError(
            f"the hierarchy cannot be read ({error.strerror})",
            file=path,
            hint="Check the path and its permissions.",
        ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte 0x{error.object[error.start]:02x} is not UTF-8 text",
            file=path,
            line=error.object.count(b"\n", 0, error.start) + 1,
            hint="Save the file as UTF-8.",
        ) from None


def _quoted(cell: str) -> str:
    if NEEDS_QUOTES.search(cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell
