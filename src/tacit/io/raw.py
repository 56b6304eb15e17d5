"""Bytes of a file, gzipped or not, with errors that say what to do."""

from __future__ import annotations

import codecs
import gzip
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, cast

from tacit.errors import InputError
from tacit.io.encodings import UTF8, as_utf8

BOM = codecs.BOM_UTF8
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_LEVEL = 5
"""About 6 % more bytes than level 6, zlib's own choice, in half of its time."""
_UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ZIP = b"PK\x03\x04"
_DECODED_AT_ONCE = 1 << 24


@contextmanager
def open_for_reading(path: Path, *, gzipped: bool, encoding: str = UTF8) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if gzipped, text as UTF-8; whatever goes wrong with the file is an `InputError`."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():  # to open a pipe may take forever
            hint = "Data are read more than once: save them as a file first."
            raise InputError("this is a pipe or a device, not a file", file=path, hint=hint)
        with path.open("rb") as raw:
            looks_gzipped = raw.peek(2)[:2] == _GZIP_MAGIC
            if looks_gzipped and not gzipped:
                raise InputError(
                    "the file is gzipped, but its name does not say so",
                    file=path,
                    hint='Add .gz to its name, or set a format that ends in .gz, as format = "csv.gz".',
                )
            with gzip.GzipFile(fileobj=raw, mode="rb") if gzipped else nullcontext(raw) as unpacked:
                bytes_ = cast(BinaryIO, unpacked)
                yield bytes_ if encoding == UTF8 else as_utf8(bytes_, encoding, path)
    except FileNotFoundError:
        raise InputError(
            "there is no such file",
            file=path,
            hint="Check the path; in a job file it is relative to the job file.",
        ) from None
    except IsADirectoryError:
        raise is_directory(path) from None
    except PermissionError:
        raise InputError(
            "no permission to read the file", file=path, hint="Ask its owner, or change its access rights."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InputError(
            "the gzip data is broken or cut off", file=path, hint="Copy the file again; `gzip -t` checks it."
        ) from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror or error}", file=path) from None


@contextmanager
def open_for_writing(path: Path, *, gzipped: bool) -> Iterator[BinaryIO]:
    """A new file; gzip stores no time and no name in it."""
    with path.open("wb") as raw, packed(raw, gzipped=gzipped) as sink:
        yield sink


@contextmanager
def packed(raw: BinaryIO, *, gzipped: bool) -> Iterator[BinaryIO]:
    """What writes into an open file, gzipped or as it is. The bytes depend on the content alone."""
    if not gzipped:
        yield raw
        return
    with gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=raw, mtime=0) as sink:
        yield cast(BinaryIO, sink)


def find_bad_utf8(data: memoryview) -> int | None:
    """Where the first byte is that is not UTF-8, if there is one."""
    start = 0
    while start < len(data):
        piece = data[start : start + _DECODED_AT_ONCE]
        try:
            start += codecs.utf_8_decode(piece, "strict", start + len(piece) == len(data))[1]
        except UnicodeDecodeError as error:
            return start + error.start
    return None


def not_utf8(path: Path, start_of_file: bytes, line: int, column: str | None = None) -> InputError:
    """The error for bytes that are not UTF-8, with the command that most likely mends the file."""
    if start_of_file[:4] == _ZIP:
        hint = "If it is an Excel workbook, give it the name .xlsx; if it is an archive, unpack it first."
        return InputError("this is a packed file (zip), and no text", file=path, hint=hint)
    encoding = "utf-16" if start_of_file[:2] in _UTF16_BOMS else "cp1252"
    return InputError(
        "the text is not UTF-8",
        file=path,
        line=line,
        column=column,
        hint=f'Name its encoding: encoding = "{encoding}" under [input], if it is that one.',
    )


def check_name(path: Path) -> None:
    """Refuses a path that is no text, as one with a byte 0xff: files that are text could not name it."""
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        raise InputError("the name holds bytes that are no text", file=path, hint="Rename it, in UTF-8.") from None


def is_directory(path: Path) -> InputError:
    """The error for a directory where a file is due."""
    return InputError("this is a directory", file=path, hint="Name a file in it.")


def no_record(path: Path) -> InputError:
    """The error for a file that holds nothing to anonymize."""
    return InputError("the file has no record", file=path, hint="Check that the export was complete.")
