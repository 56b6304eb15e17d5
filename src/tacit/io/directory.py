"""The release directory: all of it appears at once, or nothing does.

A release is written aside, into a hidden folder beside its target, and renamed into place when it is
complete and approved. Until that last step nothing in it is called `public`, so a run that is killed,
fills the disk or fails its audit leaves nothing that could be taken for a release.

A staging folder is locked for as long as its process lives. What a killed run left behind is therefore free,
and the next run for the same target removes it; the folder of a live process is never touched.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tacit.errors import InputError
from tacit.io.own_files import UNCHECKED, foreign_in, remove
from tacit.io.raw import check_name
from tacit.process.undisturbed import undisturbed

_FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})
_AT_ONCE = 8


@dataclass
class Staging:
    """A release in the making: write into `public` and `private`, audit what was written, then approve it."""

    folder: Path
    approved: bool = False

    @property
    def public(self) -> Path:
        """Where the files to publish are written; called `public` only once the release is placed."""
        return self.folder / UNCHECKED

    @property
    def private(self) -> Path:
        """Where the files for the data's owner are written."""
        return self.folder / "private"

    def approve(self) -> None:
        """The audit passed on the files in `public`: release them when the `with` block ends."""
        self.approved = True


@contextmanager
def new_release(target: Path, *, force: bool = False) -> Iterator[Staging]:
    """Write a release at `target`, which appears, or is replaced, in one step at the end of the block.

    When the block raises, or ends without `approve()`, nothing is released and an old release stays.
    """
    target = Path(os.path.realpath(target))
    check_target(target, force=force)
    with _explained(target, _FULL_DISK), _parents(target), _staging_folder(target) as folder:
        staging = Staging(folder)
        with _explained(target):
            staging.public.mkdir()
            staging.private.mkdir(mode=0o700)
        yield staging
        if staging.approved:
            with _explained(target):
                _set_modes(staging)
                _sync(folder)
                check_target(target, force=force)
                with undisturbed():
                    _place(staging, target)


def check_target(target: Path, *, force: bool = False, reads: Iterable[Path] = ()) -> None:
    """Refuse a target that exists, or, with `force`, one that holds anything but a release of tacit.

    Nor is a release replaced that holds one of the files that the new one `reads`.
    """
    check_name(target)
    with _explained(target):
        if not target.exists():
            _check_parent(target)
            return
        if not target.is_dir():
            hint = "Choose another name for it with -o DIR."
            raise InputError("the output directory is a file", file=target, hint=hint)
        if not force:
            hint = "Choose another one with -o DIR, or replace it with --force."
            raise InputError("the output directory exists already", file=target, hint=hint)
        _check_content(target)
        for file in reads:
            if Path(os.path.realpath(file)).is_relative_to(os.path.realpath(target)):
                hint = "Move it to another place, or choose another directory with -o DIR."
                raise InputError(
                    "this is read, and it lies in the release that would be replaced", file=file, hint=hint
                )


def _check_parent(target: Path) -> None:
    """Refuse a place where nothing can be written: better before the search than after it."""
    parent = next(folder for folder in target.absolute().parents if folder.exists())
    if not parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with undisturbed():  # root may everything, and still cannot write in /proc
        Path(tempfile.mkdtemp(prefix=_staging_prefix(target), dir=parent)).rmdir()


def _check_content(target: Path) -> None:
    """Refuse to replace what is no release, or more than one."""
    foreign = next(foreign_in(target), None)
    if foreign or (any(target.iterdir()) and not (target / "private" / "job.toml").is_file()):
        found = f"it holds {foreign!r}, which tacit did not write" if foreign else "it has no private/job.toml"
        raise InputError(
            f"this is not a release of tacit and nothing else ({found}), so it is not replaced",
            file=target,
            hint="Choose another directory with -o DIR, or move what you need away yourself.",
        )


@contextmanager
def _explained(target: Path, errnos: Collection[int] | None = None) -> Iterator[None]:
    """Turn what the file system refuses (only `errnos`, if given) into an error the user can act on."""
    try:
        yield
    except OSError as error:
        if errnos is not None and error.errno not in errnos:
            raise
        if error.errno in _FULL_DISK:
            problem, hint = "there is no space left on the disk", f"Free some space in {target.parent}"
        else:
            reason = error.strerror or type(error).__name__
            problem = f"cannot write the release: {reason}"
            hint = f"Make sure that {target.parent} is a directory in which you may write"
        hint += ", or choose another directory with -o DIR. Nothing was released."
        raise InputError(problem, file=target, hint=hint) from error


@contextmanager
def _parents(target: Path) -> Iterator[None]:
    """Make the directories above the target; those that turn out not to be needed are taken away again."""
    missing = [folder for folder in target.parents if not folder.exists()]
    try:
        with _explained(target):
            target.parent.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in missing:
            with suppress(OSError):  # in use, as it should be after a release, or never made
                folder.rmdir()


@contextmanager
def without_leftovers(target: Path) -> Iterator[None]:
    """Looks again, if the block fails, for what others wrote while the folder of the unfinished release was removed."""
    try:
        yield
    except BaseException:
        target = Path(os.path.realpath(target))
        if target.parent.is_dir():
            with undisturbed():
                _remove_leftovers(target)
        raise


@contextmanager
def _staging_folder(target: Path) -> Iterator[Path]:
    """A fresh, locked folder beside the target.

    Whatever lies there in the end is removed: an unfinished release, or the old one after an exchange.
    """
    folder, lock = None, None
    try:
        with _explained(target):
            _remove_leftovers(target)
            with undisturbed():
                folder, lock = _fresh_folder(target)
        yield folder
    finally:
        with undisturbed():
            if lock is not None:
                os.close(lock)
            if folder is not None:
                remove(folder)


def _fresh_folder(target: Path) -> tuple[Path, int | None]:
    prefix = f"{_staging_prefix(target)}{os.getpid()}-"
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
        lock = _lock(folder, wait=True)
        if folder.exists():
            return folder, lock
        if lock is not None:  # another run took the folder for a leftover before it was locked
            os.close(lock)


def _staging_prefix(target: Path) -> str:
    return f".{target.name}.tacit-"


def _replaced_prefix(target: Path) -> str:
    return f".{target.name}.replaced-"


def _remove_leftovers(target: Path) -> None:
    """Remove what killed runs left behind; a release that was set aside only if there is a newer one."""
    for folder in list(target.parent.iterdir()):
        if folder.name.startswith(_staging_prefix(target)):
            lock = _lock(folder, wait=False)
            if lock is not None:
                remove(folder)
                os.close(lock)
        elif folder.name.startswith(_replaced_prefix(target)) and target.exists():
            remove(folder)


def _lock(folder: Path, *, wait: bool) -> int | None:
    """Hold a folder until the descriptor is closed or the process ends; None if that cannot be had."""
    if sys.platform == "win32":
        return None
    import fcntl

    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _set_modes(staging: Staging) -> None:
    """The public part is for everybody to read, the private part for its owner alone."""
    for top, directory_mode, file_mode in ((staging.public, 0o755, 0o644), (staging.private, 0o700, 0o600)):
        top.chmod(directory_mode)
        for path in top.rglob("*"):
            path.chmod(directory_mode if path.is_dir() else file_mode)


def _sync(folder: Path) -> None:
    """Bring all files and folders to the disk: only now is it known that they fit."""
    paths = list(folder.rglob("*"))
    with ThreadPoolExecutor(_AT_ONCE) as disk:  # which takes about as long for several files as for one
        list(disk.map(_sync_file, [path for path in paths if path.is_file()]))
    for path in paths:
        if path.is_dir():
            _sync_directory(path)
    _sync_directory(folder)


def _sync_file(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_directory(folder: Path) -> None:
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _place(staging: Staging, target: Path) -> None:
    """Give the public part its name and the release its place, with nothing slow in between."""
    folder = staging.folder
    folder.chmod(0o755)
    staging.public.rename(folder / "public")
    if not target.exists():
        folder.rename(target)
    elif not _exchange(folder, target):
        _replace(folder, target)
    with suppress(OSError):  # the release is in place, whether or not this disk can sync a directory
        _sync_directory(target)
        _sync_directory(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Let two directories change names in one step; False where the system or the disk cannot do that."""
    if sys.platform != "linux":
        return False
    import ctypes

    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    if renameat2(here, os.fsencode(one), here, os.fsencode(other), swap) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS):
        return False
    raise OSError(code, os.strerror(code), str(other))


def _replace(folder: Path, target: Path) -> None:
    """The second best exchange: the old release steps aside, and comes back if the new one fails."""
    aside = target.with_name(f"{_replaced_prefix(target)}{os.getpid()}")
    try:
        target.rename(aside)
        folder.rename(target)
    except BaseException:
        if aside.exists() and not target.exists():
            aside.rename(target)
        raise
    remove(aside)
