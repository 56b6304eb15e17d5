"""What a form sends, read as it comes: a file goes straight to its place in the workspace, whatever it is called."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import parse_qsl

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from tacit.errors import InputError
from tacit.job import FORMATS, PACKABLE
from tacit.web.limits import Limits, TooMuch

LOADABLE = (*FORMATS, "deid")
"""Endings of the files that make a project: data of any format, or a project of ARX."""
_NAME = "file"


@dataclass
class Form:
    """Fields by name, each with all its values in order; and a file, if one was sent."""

    fields: dict[str, list[str]] = field(default_factory=dict)
    file: Path | None = None
    file_name: str = ""
    """As the sender called it: to be shown, and to tell the format. It is never part of a path."""

    def get(self, name: str, default: str = "") -> str:
        values = self.fields.get(name)
        return values[-1] if values else default

    def all(self, name: str) -> list[str]:
        return self.fields.get(name, [])


async def form_of(request: Request, limits: Limits, scratch: Path | None = None) -> Form:
    """The form of a request; a file in it is written to `scratch`, and refused if there is none."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind == b"multipart/form-data":
        return await _multipart(request, options, limits, scratch)
    form, size = Form(), 0
    text = (await request.body()).decode("utf-8", errors="replace")
    for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=200_000):
        size += len(value)
        form.fields.setdefault(name, []).append(value)
    return form


async def file_of(request: Request, scratch: Path) -> Path:
    """The body of a request as a file."""
    with scratch.open("xb") as out:
        async for piece in request.stream():
            out.write(piece)
    return scratch


async def _multipart(request: Request, options: dict[bytes, bytes], limits: Limits, scratch: Path | None) -> Form:
    reader = _Reader(limits, scratch)
    try:
        parser = MultipartParser(options.get(b"boundary", b""), reader.callbacks())
        async for piece in request.stream():
            parser.write(piece)
        parser.finalize()
    except (MultipartParseError, ValueError):
        raise InputError("the form cannot be read", hint="Send it again.") from None
    finally:
        reader.close()
    return reader.form


class _Reader:
    """Takes the parts of a form as they come."""

    def __init__(self, limits: Limits, scratch: Path | None) -> None:
        self.form, self._limits, self._scratch = Form(), limits, scratch
        self._parts, self._name = 0, ""
        self._header, self._value, self._text = b"", b"", bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._out: BinaryIO | None = None

    def callbacks(self) -> Any:
        names = (
            "part_begin",
            "part_data",
            "part_end",
            "header_field",
            "header_value",
            "header_end",
            "headers_finished",
        )
        return {f"on_{name}": getattr(self, f"_{name}") for name in names}

    def close(self) -> None:
        if self._out is not None:
            self._out.close()

    def _part_begin(self) -> None:
        self._parts += 1
        if self._parts > self._limits.parts:
            raise TooMuch(413, f"A form has at most {self._limits.parts} parts.")
        self._headers, self._header, self._value, self._text = {}, b"", b"", bytearray()

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._header.lower()] = self._value
        self._header, self._value = b"", b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._name = options.get(b"name", b"").decode("utf-8", errors="replace")
        name = options.get(b"filename")
        if name is None:
            return
        if self._scratch is None or self.form.file is not None or self._name != _NAME:
            raise TooMuch(413, "One file at a time.")
        self.form.file_name = shown_name(name.decode("utf-8", errors="replace"))
        self.form.file = self._scratch
        self._out = self._scratch.open("xb")

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._out is not None:
            self._out.write(data[start:end])
            return
        self._text += data[start:end]
        if len(self._text) > self._limits.field:
            raise TooMuch(413, "A field of the form is too long.")

    def _part_end(self) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None
        else:
            self.form.fields.setdefault(self._name, []).append(self._text.decode("utf-8", errors="replace"))


def shown_name(name: str) -> str:
    """What a file is called, as it may be shown: without directories of the sender's machine.

    >>> shown_name("C:\\\\data\\\\visits.csv"), shown_name("../../etc/passwd"), shown_name("")
    ('visits.csv', 'passwd', '')
    """
    return PurePosixPath(name.replace("\\", "/")).name[-120:]


def format_of(name: str, chosen: str, known: tuple[str, ...]) -> str:
    """The ending of the file's own name in the project: one of the known formats, told or by the sender's name."""
    lower = name.lower()
    packed = ".gz" if lower.endswith(".gz") else ""
    ending = lower.removesuffix(".gz").rpartition(".")[2]
    if chosen:
        ending, packed = chosen.removesuffix(".gz"), packed or (".gz" if chosen.endswith(".gz") else "")
    if ending not in (PACKABLE if packed else known):
        also = f"{', '.join(PACKABLE)} also with .gz"
        raise InputError(
            "the name of the file does not tell its format",
            hint=f"Choose it below, or name the file like one of these: {', '.join(known)}; {also}.",
        )
    return ending + packed


def drop(file: Path | None) -> None:
    """Removes what was sent and is not wanted."""
    if file is not None:
        with suppress(OSError):
            file.unlink(missing_ok=True)
