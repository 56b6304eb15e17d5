"""Projects on disk: a directory each, for their owner alone. What is in a workspace outlives the server.

No name that somebody sent is ever part of a path: projects and works have ids of our own, and files names of ours.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tacit.errors import InputError
from tacit.web.files import private_folder, read_json, write_json
from tacit.web.work import Work

_PREFIX = "tacit-serve-"
_ID = re.compile(r"[0-9a-f]{12}")


class NotFound(Exception):
    """There is no such project, work or file."""


def fresh_id() -> str:
    return secrets.token_hex(6)


@dataclass(frozen=True)
class Project:
    """Data, what was found in it, its job file, and what was run."""

    folder: Path

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def job(self) -> Path:
        return self.folder / "job.toml"

    @property
    def about(self) -> dict[str, Any]:
        return read_json(self.folder / "project.json")

    def note(self, **more: Any) -> None:
        """Keeps something about the project."""
        write_json(self.folder / "project.json", {**self.about, **more})

    @property
    def profile(self) -> dict[str, Any] | None:
        """What was found in the data; None until it was looked at."""
        file = self.folder / "profile.json"
        return read_json(file) if file.is_file() else None

    def works(self, kind: str | None = None) -> list[Work]:
        """What was run for it, the newest first."""
        folders = self.folder / "works"
        found = [Work(each) for each in folders.iterdir() if _ID.fullmatch(each.name)] if folders.is_dir() else []
        wanted = [work for work in found if (work.folder / "work.json").is_file() and kind in (None, work.kind)]
        return sorted(wanted, key=lambda work: work.about["created"], reverse=True)

    def work(self, given: str) -> Work:
        folder = within(self.folder / "works", given)
        if not (folder / "work.json").is_file():
            raise NotFound
        return Work(folder)

    def new_work(self, kind: str, words: list[str], **more: Any) -> Work:
        """A work that waits to be started."""
        folder = private_folder(private_folder(self.folder / "works") / fresh_id())
        about = {"kind": kind, "words": words, "state": "waiting", "created": time.time(), **more}
        write_json(folder / "work.json", about)
        return Work(folder)


@dataclass(frozen=True)
class Workspace:
    """A directory of projects, held by one server at a time."""

    root: Path
    is_scratch: bool
    _lock: IO[str]

    def projects(self) -> list[Project]:
        """The newest first."""
        found = [Project(each) for each in (self.root / "projects").iterdir() if (each / "project.json").is_file()]
        return sorted(found, key=lambda project: project.about["created"], reverse=True)

    def project(self, given: str) -> Project:
        folder = within(self.root / "projects", given)
        if not (folder / "project.json").is_file():
            raise NotFound
        return Project(folder)

    def new_project(self, title: str) -> Project:
        folder = private_folder(self.root / "projects" / fresh_id())
        write_json(folder / "project.json", {"title": title[:120] or "?", "created": time.time()})
        return Project(folder)

    def delete(self, project: Project) -> None:
        """At once, for whoever looks at the list; the files go after it."""
        gone = self.root / "scratch" / fresh_id()
        project.folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def scratch_file(self) -> Path:
        """A new place for what is not whole yet."""
        return self.root / "scratch" / fresh_id()

    def close(self) -> None:
        """What is scratch goes."""
        shutil.rmtree(self.root if self.is_scratch else self.root / "scratch", ignore_errors=True)
        self._lock.close()


def open_workspace(root: Path | None) -> Workspace:
    """The workspace in a directory, which is made if it is not there; without one, a directory that goes at exit."""
    if root is None:
        _remove_leftovers()
        made = Path(tempfile.mkdtemp(prefix=_PREFIX))
        return Workspace(_furnished(made), True, _locked(made))
    if root.exists() and not root.is_dir():
        raise InputError("the workspace is a file", file=root, hint="Choose a directory with --workspace DIR.")
    known = root / "projects"
    if root.is_dir() and any(root.iterdir()) and not known.is_dir():
        hint = "Choose another one with --workspace DIR, or an empty one."
        raise InputError("this directory holds something else than a workspace", file=root, hint=hint)
    try:
        private_folder(root)
        lock = _locked(root)
        shutil.rmtree(root / "scratch", ignore_errors=True)
        return Workspace(_furnished(root.absolute()), False, lock)
    except OSError as error:
        raise InputError(f"the workspace cannot be used: {error.strerror}", file=root) from None


def _furnished(root: Path) -> Path:
    for name in ("projects", "scratch"):
        private_folder(root / name)
    return root


def within(folder: Path, given: str) -> Path:
    """What has this id in a folder. An id is no path; should it ever become one, it does not lead out of there."""
    if not _ID.fullmatch(given):
        raise NotFound
    place = (folder / given).resolve()
    if not place.is_relative_to(folder.resolve()) or not place.is_dir():
        raise NotFound
    return place


def _locked(root: Path) -> IO[str]:
    """Holds a workspace until it is closed, or until this process dies."""
    lock = (root / ".lock").open("w")
    if not _try_lock(lock):
        lock.close()
        raise InputError(
            "another `tacit serve` uses this workspace", file=root, hint="Stop it, or choose another directory."
        )
    return lock


def _try_lock(lock: IO[str]) -> bool:
    try:
        import fcntl
    except ImportError:  # where files are not locked this way, two servers are not kept apart
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_leftovers() -> None:
    """What servers left that were killed: directories of ours that nobody holds."""
    for folder in _own_folders(Path(tempfile.gettempdir())):
        with suppress(OSError), (folder / ".lock").open("a") as lock:
            if _try_lock(lock):
                shutil.rmtree(folder, ignore_errors=True)


def _own_folders(place: Path) -> Iterator[Path]:
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            is_mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            if folder.is_dir() and not folder.is_symlink() and is_mine and (folder / ".lock").is_file():
                yield folder
