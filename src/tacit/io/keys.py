"""The key of a release, as it lies in `private/key`: 64 hexadecimal digits. No message ever shows one."""

from __future__ import annotations

import string
from pathlib import Path

from tacit.errors import InputError

_DIGITS = 64
_MOST_BYTES = 1 << 10


def read_key(path: Path) -> bytes:
    """The key in a file that `key_text` wrote."""
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES)
    except OSError as error:
        hint = "Give the file private/key of the release that is to be made again."
        raise InputError(f"cannot read the key: {error.strerror}", file=path, hint=hint) from None
    return key_from(raw.decode("ascii", errors="replace").strip(), path)


def key_from(digits: str, file: Path | None = None) -> bytes:
    """The key that so many digits mean."""
    if len(digits) != _DIGITS or not set(digits) <= set(string.hexdigits):
        raise InputError(
            f"this is not a key of tacit: it must be {_DIGITS} hexadecimal digits",
            file=file,
            hint="Give the file private/key of a release, or leave it out: then a fresh one is drawn.",
        )
    return bytes.fromhex(digits)


def key_text(key: bytes) -> str:
    """The content of private/key."""
    return f"{key.hex()}\n"
