"""How much may be sent to the server, in bytes and in time; nothing is read beyond it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
UPLOADS = re.compile(r"/projects|/projects/[0-9a-f]+/hierarchies/\d+/load|/api/projects")
"""Where files are taken."""


class TooMuch(Exception):
    """More than the server takes, or too slowly."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Limits:
    """Bounds of what is sent: files, other forms, how long it may take, and how long nothing may come."""

    upload: int = 2 * 2**30
    form: int = 8 * 2**20
    parts: int = 50
    field: int = 2 * 2**20
    seconds: float = 900.0
    silence: float = 30.0
    unpacked: int = 4 * 2**30
    """Of a file that is sent packed."""

    def of(self, path: str) -> int:
        return self.upload if UPLOADS.fullmatch(path) else self.form

    def receiver(self, receive: Receive, headers: Headers, path: str) -> Receive:
        """`receive` with the bounds of a path; what says beforehand that it is too large is not read at all."""
        most = self.of(path)
        _check_length(headers, most)
        size, began, is_open = 0, time.monotonic(), True

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal size, is_open
            if not is_open:
                return await receive()
            left = self.seconds - (time.monotonic() - began)
            try:
                message = await asyncio.wait_for(receive(), max(0.01, min(left, self.silence)))
            except TimeoutError:
                raise TooMuch(408, "What was sent came too slowly, so it was refused.") from None
            size += len(message.get("body", b""))
            is_open = bool(message.get("more_body", False))
            if size > most:
                raise _too_large(most)
            return message

        return bounded

    async def bounded(self, receive: Receive, headers: Headers, most: int) -> AsyncIterator[bytes]:
        """The body of a request, piece by piece, if it is small enough."""
        _check_length(headers, most)
        size, more = 0, True
        while more:
            message = await asyncio.wait_for(receive(), self.silence)
            size, more = size + len(message.get("body", b"")), bool(message.get("more_body", False))
            if size > most:
                raise _too_large(most)
            yield message.get("body", b"")


def _check_length(headers: Headers, most: int) -> None:
    said = headers.get("content-length", "0")
    if not said.isdigit() or int(said) > most:
        raise _too_large(most)


def _too_large(most: int) -> TooMuch:
    return TooMuch(413, f"This is larger than the server takes, which is {shown_bytes(most)}.")


def shown_bytes(size: float) -> str:
    """A size for people.

    >>> shown_bytes(2 * 2**30), shown_bytes(1500)
    ('2.0 GiB', '1.5 KiB')
    """
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError
