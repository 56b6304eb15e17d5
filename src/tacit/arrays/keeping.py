"""Where machine code is kept between runs: as Numba does it, but whatever goes wrong there costs time and nothing else.

A file that is damaged, as one is that a power failure cut off, counts as none. What cannot be written, on a full disk,
is not. And where Numba finds no place at all (no home, sources that nobody may write beside), there is a temporary
one: of this user alone, for what lies in it is run.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import config
from numba.core.caching import FunctionCache

_FOLDER = "tacit-compiled"
_HOW_TO_KEEP = "NUMBA_CACHE_DIR names a folder to keep it in"


class Kept(FunctionCache):
    """The machine code of one kernel on disk."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001, what a damaged pickle raises may be anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


def keep(dispatcher: Any) -> None:
    """Has a kernel's machine code kept, if there is a place for it. (A `RuntimeError` is how Numba says that not.)"""
    with suppress(RuntimeError):
        dispatcher._cache = Kept(dispatcher.py_func)
        return
    place = temporary_place()
    if place is not None:
        config.CACHE_DIR = str(place)
        with suppress(RuntimeError):
            dispatcher._cache = Kept(dispatcher.py_func)


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
