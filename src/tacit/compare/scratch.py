"""A private place for what a comparison needs while it runs: copies of fetched data, and what its processes tell."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = ".running-"
_LOCK = "lock"
"""The file of a scratch folder that its run holds locked. The system lets go of it however the run ends."""


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """A hidden folder below this one for as long as the block runs; what killed runs left there is removed first."""
    for left in folder.glob(f"{_PREFIX}*"):
        _remove_if_abandoned(left)
    mine, lock = _locked_folder(folder)
    try:
        yield mine
    finally:
        os.close(lock)
        shutil.rmtree(mine, ignore_errors=True)


def write_private(file: Path, text: str, aside: Path) -> None:
    """All of it or nothing, for its owner alone; `aside` is this run's own folder on the same file system."""
    descriptor, whole = tempfile.mkstemp(dir=aside)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(text)
    Path(whole).replace(file)


def _locked_folder(parent: Path) -> tuple[Path, int]:
    """A new folder and the descriptor of its lock; anew if another run took it for abandoned before it was locked."""
    while True:
        mine = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        try:
            lock = _open_lock(mine)
        except FileNotFoundError:
            continue
        _hold(lock, wait=True)
        try:
            if os.path.samestat(os.fstat(lock), (mine / _LOCK).stat()):
                return mine, lock
        except FileNotFoundError:
            pass
        os.close(lock)


def _remove_if_abandoned(left: Path) -> None:
    """Removes the folder of a run that no longer holds its lock; where nobody can say, it stays."""
    try:
        if sys.platform == "win32":  # there, nobody can remove what another process has open
            (left / _LOCK).unlink(missing_ok=True)
            shutil.rmtree(left, ignore_errors=True)
            return
        lock = _open_lock(left)
    except OSError:
        return
    if _hold(lock, wait=False):
        shutil.rmtree(left, ignore_errors=True)
    os.close(lock)


def _open_lock(folder: Path) -> int:
    return os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)


def _hold(lock: int, *, wait: bool) -> bool:
    """Whether the lock is this run's now; never, where the system has no such locks."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
