"""Where commands run: folders of whole files, put back after every input by what was changed, not copied anew."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import NamedTuple


class State(NamedTuple):
    """What tells whether a file is still the one that it was."""

    is_folder: bool
    inode: int
    size: int
    changed: int  # when, in nanoseconds


def state_of(folder: Path) -> dict[str, State]:
    """All that lies in a folder, by its name as seen from there."""
    found: dict[str, State] = {}
    open_folders = [""]
    while open_folders:
        inside = open_folders.pop()
        with os.scandir(folder / inside) as entries:
            for entry in entries:
                name = f"{inside}{entry.name}"
                found[name] = _state(entry.stat(follow_symlinks=False))
                open_folders += [f"{name}/"] if found[name].is_folder else []
    return found


class Bench:
    """A folder of each kind of data, as whole as at the beginning whenever it is asked for."""

    def __init__(self, whole: Path, scratch: Path) -> None:
        shutil.rmtree(scratch, ignore_errors=True)  # a crash left it
        self._whole, self._scratch = whole, scratch
        self._states: dict[str, dict[str, State]] = {}

    def folder(self, name: str) -> Path:
        """A folder of whole files."""
        if name not in self._states:
            shutil.copytree(self._whole / name, self._scratch / name)
            self._states[name] = state_of(self._scratch / name)
        return self._scratch / name

    def put_back(self, name: str) -> None:
        """Takes away what is new, and copies what is gone or changed."""
        whole, folder, wanted = self._whole / name, self._scratch / name, self._states[name]
        found = state_of(folder)
        for each in sorted(found.keys() - wanted.keys()):
            path = folder / each
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)  # with a folder that is gone already
        wrong = [each for each, what in wanted.items() if found.get(each) != what]
        if any(wanted[each].is_folder for each in wrong):  # a release was replaced as a whole
            shutil.rmtree(folder)
            del self._states[name]
            return
        for each in wrong:
            shutil.copy2(whole / each, folder / each)
            wanted[each] = _state((folder / each).stat())


def _state(what: os.stat_result) -> State:
    if stat.S_ISDIR(what.st_mode):  # it is what lies in it that tells
        return State(True, what.st_ino, 0, 0)
    return State(False, what.st_ino, what.st_size, what.st_mtime_ns)
