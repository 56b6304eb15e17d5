"""Where machine code is kept between runs: as Numba does it, but whatever goes wrong there costs time and nothing else.

Numba reads what it finds. So beside the files of a kernel stand their digests, and before Numba looks at files that
have no digest, or another one, as those have that a power failure cut off, they are removed, and compiled anew.
Numba fails if it cannot write, on a full disk. So a kernel is kept only where there is room. And where Numba finds no
place at all (no home, sources that nobody may write beside), there is a temporary one: of this user alone, for what
lies in it is run.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from glob import escape
from inspect import getfile
from pathlib import Path
from typing import Any

from numba import config

_FOLDER = "tacit-compiled"
_HOW_TO_KEEP = "NUMBA_CACHE_DIR names a folder to keep it in"
_ROOM = 1 << 22
"""Bytes that a folder must have room for: all kernels of one take about as much."""
DIGESTS = ".sha256"


def keep(dispatcher: Any) -> bool:
    """Has a kernel's machine code kept, if there is a place for it; False if it cannot be, and must not be tried."""
    if not _is_placed(dispatcher):
        place = temporary_place()
        if place is None:
            return True
        config.CACHE_DIR = str(place)
        if not _is_placed(dispatcher):
            return True
    if not _has_room(dispatcher.stats.cache_path):
        return False
    _remove_damaged(dispatcher)
    return True


def _is_placed(dispatcher: Any) -> bool:
    """Whether Numba found a place for what it keeps. (A `RuntimeError` is how it says that not.)"""
    with suppress(RuntimeError):
        dispatcher.enable_caching()
        return True
    return False


@cache
def _has_room(folder: str) -> bool:
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_ROOM))
            probe.flush()
    except OSError:
        return False
    return True


def note(dispatcher: Any) -> None:
    """Writes down the digests of what was kept of a kernel, all at once."""
    if dispatcher.stats.cache_path is None:
        return
    with suppress(OSError):
        lines = [f"{_digest(file)} {file.name}\n" for file in sorted(_files(dispatcher))]
        target = _digests(dispatcher)
        with tempfile.NamedTemporaryFile(
            "w", dir=target.parent, prefix=_named(dispatcher), suffix=DIGESTS, delete=False
        ) as written:
            written.writelines(lines)
        Path(written.name).replace(target)


def _remove_damaged(dispatcher: Any) -> None:
    """Removes what is kept of a kernel unless all of it is as it was written."""
    files, noted = list(_files(dispatcher)), _digests(dispatcher)
    with suppress(OSError):
        if not files:
            return
        with suppress(FileNotFoundError, UnicodeDecodeError):
            if noted.read_text("utf-8") == "".join(f"{_digest(file)} {file.name}\n" for file in sorted(files)):
                return
        for file in files:
            file.unlink(missing_ok=True)
        noted.unlink(missing_ok=True)


def _files(dispatcher: Any) -> Iterator[Path]:
    """The files that Numba keeps of a kernel: an index, and one for each combination of types."""
    return Path(dispatcher.stats.cache_path).glob(f"{escape(_named(dispatcher))}-*.nb[ic]")


def _digests(dispatcher: Any) -> Path:
    return Path(dispatcher.stats.cache_path) / f"{_named(dispatcher)}{DIGESTS}"


def _named(dispatcher: Any) -> str:
    """How the names of a kernel's files begin."""
    name = f"{Path(getfile(dispatcher.py_func)).stem}.{dispatcher.__qualname__}"
    return name.replace("<", "").replace(">", "")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def temporary_place() -> Path | None:
    """A folder that outlives this run if nobody clears it; None where there is none that is this user's alone."""
    try:
        place = Path(tempfile.gettempdir(), f"{_FOLDER}-{os.getuid()}")
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
    except (OSError, AttributeError):  # Windows knows no such users, and has a cache for each
        return None
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return place if is_ours else None


def in_words() -> str:
    """What to say when kernels are compiled: once, unless there was no good place to keep them in."""
    if not temporary_place.cache_info().currsize:
        return "compiling, once"
    place = temporary_place()
    if place is None:
        return f"compiling, for this run alone; {_HOW_TO_KEEP}"
    return f"compiling; kept in {place} until that is cleared; {_HOW_TO_KEEP}"
