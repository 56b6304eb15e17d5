"""A private place for what a comparison needs while it runs: copies of fetched data, and what its processes tell."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = ".running-"
"""Before the number of the process, so that a later run can tell what a killed one has left behind."""


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """A hidden folder below this one for as long as the block runs; what killed runs left there is removed first."""
    for left in folder.glob(f"{_PREFIX}*"):
        if not _in_use(left.name.removeprefix(_PREFIX)):
            shutil.rmtree(left, ignore_errors=True)
    mine = folder / f"{_PREFIX}{os.getpid()}"
    shutil.rmtree(mine, ignore_errors=True)
    mine.mkdir(mode=0o700)
    try:
        yield mine
    finally:
        shutil.rmtree(mine, ignore_errors=True)


def _in_use(process: str) -> bool:
    """Whether a process of this number still runs; where the system cannot say, open files stay on their own."""
    if os.name != "posix" or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True
