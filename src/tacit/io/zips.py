"""Archives of somebody else: looked through before anything of them is unpacked, whatever they say of themselves.

What an archive says of its sizes is not believed: every part is unpacked once, piece by piece, and counted.
"""

from __future__ import annotations

import stat
import zlib
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tacit.errors import InputError

MOST_UNPACKED = 1 << 31
MOST_PARTS = 20_000
_MOST_TIMES = 400
"""Text packs to a tenth, a table of one value to a hundredth of its size; a bomb to a thousandth."""
_HARMLESS = 1 << 24
"""As large as this a part may become, however small it was."""
_PIECE = 1 << 16


def refuse_bomb(path: Path, *, what: str, most: int = MOST_UNPACKED) -> None:
    """Refuses an archive that is damaged, that becomes immense, or whose parts name places outside of it."""
    try:
        with path.open("rb") as raw, ZipFile(raw) as archive:
            parts = archive.infolist()
            if len(parts) > MOST_PARTS:
                raise _too_large(path, f"it has more than {MOST_PARTS:,} parts")
            total = 0
            for part in parts:
                _refuse_place(part, path)
                total += _unpacked_size(part, raw, path, most - total)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError):
        raise _broken(path, what) from None


def part_of(path: Path, name: str, *, what: str, most: int = MOST_UNPACKED) -> bytes | None:
    """The bytes of a part of an archive that was looked through; None if it has none of this name."""
    try:
        with ZipFile(path) as archive, archive.open(name) as part:
            content = part.read(most + 1)
    except KeyError:
        return None
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError, RuntimeError):
        raise _broken(path, what) from None
    if len(content) > most:
        raise _too_large(path, "a part of it is larger than it says")
    return content


def _refuse_place(part: ZipInfo, path: Path) -> None:
    """Nothing is ever unpacked to a place that an archive names; one that tries is not what it seems."""
    name = part.filename.replace("\\", "/")
    is_link = stat.S_ISLNK(part.external_attr >> 16)
    if name.startswith("/") or ".." in PurePosixPath(name).parts or ":" in name.split("/")[0] or is_link:
        raise InputError("a part of the archive names a place outside of it", file=path, hint="Do not use this file.")


def _unpacked_size(part: ZipInfo, raw: object, path: Path, most: int) -> int:
    if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED) or part.flag_bits & 1:
        hint = "Save it again, without a password."
        raise InputError("the archive is encrypted, or packed in a way that is not read", file=path, hint=hint)
    raw.seek(part.header_offset)  # type: ignore[attr-defined]
    head = raw.read(30)  # type: ignore[attr-defined]
    if len(head) < 30 or head[:4] != b"PK\x03\x04":
        raise BadZipFile
    raw.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)  # type: ignore[attr-defined]
    if part.compress_type == ZIP_STORED:
        if part.file_size != part.compress_size or part.file_size > most:
            raise _too_large(path, f"unpacked it is larger than {most:,} bytes")
        return part.file_size
    unpacker, size, left = zlib.decompressobj(-15), 0, part.compress_size
    allowed = min(most, max(_HARMLESS, _MOST_TIMES * part.compress_size))
    rest = b""
    while not unpacker.eof and (rest or left > 0):
        packed = rest or raw.read(min(_PIECE, left))  # type: ignore[attr-defined]
        if not rest:
            if not packed:
                raise EOFError
            left -= len(packed)
        size += len(unpacker.decompress(packed, 16 * _PIECE))
        rest = unpacker.unconsumed_tail
        if size > allowed:
            raise _too_large(path, f"a part of it becomes {_MOST_TIMES} times as large, or larger than {most:,} bytes")
    if not unpacker.eof or size != part.file_size:
        raise BadZipFile
    return size


def _too_large(path: Path, why: str) -> InputError:
    return InputError(f"unpacked, the file is too large: {why}", file=path, hint="Save the data as CSV or Parquet.")


def _broken(path: Path, what: str) -> InputError:
    return InputError(
        f"this is not a whole {what}", file=path, hint="It may be damaged: copy it again, or save it anew."
    )
