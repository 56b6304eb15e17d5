"""A release appears whole or not at all, whatever happens on the way."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from support.waiting import PATIENCE
from tacit.errors import InputError
from tacit.io import directory
from tacit.io.directory import Staging, check_target, new_release


def write(staging: Staging, text: str = "new") -> None:
    """Two files a part, so that a mixture of two releases would show."""
    for file in (staging.public / "data.csv", staging.public / "README.md", staging.private / "rows.csv"):
        file.write_text(text)
    (staging.private / "job.toml").write_text(text)


def release(target: Path, text: str = "new", *, force: bool = False) -> None:
    with new_release(target, force=force) as staging:
        write(staging, text)
        staging.approve()


def contents(target: Path) -> set[str]:
    return {path.read_text() for path in target.rglob("*") if path.is_file()}


def everything_below(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def test_a_release_appears_whole_with_its_modes(tmp_path: Path) -> None:
    target = tmp_path / "far" / "away" / "out"
    release(target)

    assert everything_below(tmp_path / "far" / "away") == [
        target,
        target / "private",
        target / "private" / "job.toml",
        target / "private" / "rows.csv",
        target / "public",
        target / "public" / "README.md",
        target / "public" / "data.csv",
    ]
    modes = {path.name: path.stat().st_mode & 0o777 for path in (target, *target.iterdir())}
    assert modes == {"out": 0o755, "public": 0o755, "private": 0o700}
    assert (target / "public" / "data.csv").stat().st_mode & 0o777 == 0o644
    assert (target / "private" / "rows.csv").stat().st_mode & 0o777 == 0o600


def test_nothing_is_called_public_while_the_release_is_made(tmp_path: Path) -> None:
    with new_release(tmp_path / "out") as staging:
        write(staging)
        staging.approve()
        assert [path for path in everything_below(tmp_path) if path.name == "public"] == []
        assert staging.folder.parent == tmp_path
        assert staging.folder.stat().st_mode & 0o777 == 0o700


def test_without_approval_nothing_is_released(tmp_path: Path) -> None:
    with new_release(tmp_path / "far" / "out") as staging:
        write(staging)
    assert everything_below(tmp_path) == []


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt, SystemExit, FileNotFoundError])
def test_any_exception_leaves_nothing_and_goes_on_as_it_is(tmp_path: Path, stop: type[BaseException]) -> None:
    with pytest.raises(stop), new_release(tmp_path / "far" / "out") as staging:
        write(staging)
        staging.approve()
        raise stop
    assert everything_below(tmp_path) == []


def test_an_exception_leaves_the_old_release_untouched(tmp_path: Path) -> None:
    release(tmp_path / "out", "old")
    before = everything_below(tmp_path)
    with pytest.raises(KeyboardInterrupt), new_release(tmp_path / "out", force=True) as staging:
        write(staging)
        staging.approve()
        raise KeyboardInterrupt
    assert everything_below(tmp_path) == before
    assert contents(tmp_path / "out") == {"old"}


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("old", [False, True])
def test_a_disk_that_is_full_at_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bool) -> None:
    if old:
        release(tmp_path / "out", "old")
    before = everything_below(tmp_path)
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(InputError, match=r"no space left on the disk\n  Free some space") as caught:
        release(tmp_path / "out", force=old)
    assert caught.value.exit_code == 2
    assert everything_below(tmp_path) == before


def test_a_disk_that_is_full_while_writing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no space left"), new_release(tmp_path / "out") as staging:
        write(staging)
        full_disk()
    assert everything_below(tmp_path) == []


def test_an_existing_directory_is_refused_before_any_work(tmp_path: Path) -> None:
    release(tmp_path / "out", "old")
    with (
        pytest.raises(InputError, match=r"exists already\n.*--force"),
        new_release(tmp_path / "out"),
    ):
        pytest.fail("the block must not run")
    assert contents(tmp_path / "out") == {"old"}


def test_a_directory_that_appears_during_the_run_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="exists already"), new_release(tmp_path / "out") as staging:
        write(staging)
        staging.approve()
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "precious").write_text("mine")
    assert everything_below(tmp_path) == [tmp_path / "out", tmp_path / "out" / "precious"]


@pytest.mark.parametrize("precious", ["thesis.tex", "private/letters.txt"])
def test_force_never_replaces_what_is_no_release(tmp_path: Path, precious: str) -> None:
    home = tmp_path / "home"
    (home / precious).parent.mkdir(parents=True)
    (home / precious).write_text("mine")
    with pytest.raises(InputError, match="is not a release of tacit and nothing else"):
        release(home, force=True)
    assert (home / precious).read_text() == "mine"


@pytest.mark.parametrize("added", ["notes.txt", "private/raw.csv", "private/old/job.toml", "public/data.old.csv"])
def test_force_keeps_a_release_to_which_a_user_added_files(tmp_path: Path, added: str) -> None:
    release(tmp_path / "out", "old")
    file = tmp_path / "out" / added
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    with pytest.raises(InputError, match=rf"it holds '{re.escape(added.removesuffix('/job.toml'))}'"):
        release(tmp_path / "out", force=True)
    assert contents(tmp_path / "out") == {"old", "mine"}


@pytest.mark.parametrize("part", ["public", "private"])
def test_force_does_not_follow_a_link_to_somewhere_else(tmp_path: Path, part: str) -> None:
    release(tmp_path / "out", "old")
    (tmp_path / "out" / part).rename(tmp_path / "elsewhere")
    (tmp_path / "out" / part).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=f"it holds '{part}'"):
        release(tmp_path / "out", force=True)
    assert contents(tmp_path / "elsewhere") == {"old"}


def test_what_a_user_adds_at_the_last_moment_is_not_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    release(target, "old")
    place = directory._place

    def added(staging: Staging, to: Path) -> None:
        (to / "private" / "raw.csv").write_text("mine")
        place(staging, to)

    monkeypatch.setattr(directory, "_place", added)
    with pytest.warns(UserWarning, match="could not remove .*look into it yourself"):
        release(target, force=True)
    assert contents(target) == {"new"}
    assert contents(tmp_path) == {"new", "mine"}
    monkeypatch.undo()
    with pytest.warns(UserWarning, match="could not remove"):
        release(target, "newer", force=True)
    assert contents(tmp_path) == {"newer", "mine"}


def test_force_takes_an_empty_directory_or_none(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "none"):
        release(tmp_path / name, force=True)
        assert contents(tmp_path / name) == {"new"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "none"]


def test_a_link_to_a_release_stays_a_link(tmp_path: Path) -> None:
    release(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to("real")
    release(tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "real") == {"new"}


def test_a_target_that_is_a_file_or_lies_below_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        check_target(tmp_path / "file", force=True)
    with pytest.raises(InputError, match="cannot write the release: Not a directory"):
        release(tmp_path / "file" / "below" / "out")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_name_that_the_disk_does_not_take(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write the release: File name too long"):
        release(tmp_path / ("x" * 300))
    assert everything_below(tmp_path) == []


def test_a_parent_in_which_one_may_not_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(directory.tempfile, "mkdtemp", refuse)
    with pytest.raises(InputError, match=r"Permission denied\n  Make sure that") as caught:
        release(tmp_path / "far" / "away" / "out")
    assert caught.value.exit_code == 2
    assert everything_below(tmp_path) == []


def read_at(folder: int, name: str) -> str:
    with open(os.open(name, os.O_RDONLY, dir_fd=folder)) as file:  # noqa: PTH123 - pathlib opens no descriptors
        return file.read()


def test_readers_see_the_old_release_or_the_new_one_but_never_a_mixture(tmp_path: Path) -> None:
    target = tmp_path / "out"
    release(target, "0")
    seen: list[set[str]] = []
    absent = 0
    done = threading.Event()

    def look() -> None:
        nonlocal absent
        while not done.is_set():
            try:
                folder = os.open(target, os.O_RDONLY)
            except FileNotFoundError:
                absent += 1
                continue
            with suppress(FileNotFoundError):  # replaced since it was opened, and being deleted
                seen.append({read_at(folder, name) for name in ("public/data.csv", "private/rows.csv")})
            os.close(folder)

    reader = threading.Thread(target=look)
    reader.start()
    try:
        for number in range(1, 13):
            release(target, str(number), force=True)
    finally:
        done.set()
        reader.join()
    assert absent == 0
    assert {len(texts) for texts in seen} == {1}
    assert contents(target) == {"12"}
    assert list(tmp_path.iterdir()) == [target]


def cannot_exchange(one: Path, other: Path) -> bool:
    return False


def test_replacing_where_directories_cannot_be_exchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "_exchange", cannot_exchange)
    release(tmp_path / "out", "old")
    release(tmp_path / "out", force=True)
    assert contents(tmp_path / "out") == {"new"}
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_the_old_release_comes_back_when_the_new_one_cannot_be_placed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    release(target, "old")
    rename = Path.rename

    def fail_for_the_new_one(self: Path, to: Path) -> Path:
        if to == target and ".tacit-" in self.name:
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, to)

    monkeypatch.setattr(directory, "_exchange", cannot_exchange)
    monkeypatch.setattr(Path, "rename", fail_for_the_new_one)
    with pytest.raises(InputError, match="Input/output error"):
        release(target, force=True)
    assert contents(target) == {"old"}
    assert list(tmp_path.iterdir()) == [target]


def test_an_old_release_set_aside_is_removed_only_once_there_is_a_newer_one(tmp_path: Path) -> None:
    target, aside = tmp_path / "out", tmp_path / ".out.replaced-1"
    release(aside, "old")
    release(target, "newer")
    assert contents(aside) == {"old"}
    release(target, "newest", force=True)
    assert list(tmp_path.iterdir()) == [target]


# A run that stops itself, as `kill -9` would, at the moment its first argument names.
RUN = """
import os, pathlib, signal, sys
from tacit.io import directory

moment, target, force = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3] == "force"

def killed_before(name):
    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(directory, name, die)

def killed_after(name):
    step = getattr(directory, name)
    def run(*arguments, **options):
        step(*arguments, **options)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(directory, name, run)

if moment.startswith("before "):
    killed_before(moment.split()[1])
if moment.startswith("after "):
    killed_after(moment.split()[1])
with directory.new_release(target, force=force) as staging:
    for file in (staging.public / "data.csv", staging.private / "rows.csv", staging.private / "job.toml"):
        file.write_text("new")
    if moment == "writing":
        os.kill(os.getpid(), signal.SIGKILL)
    if moment == "waiting":
        print("staged", flush=True)
        sys.stdin.read()
    staging.approve()
"""


def run_and_kill(moment: str, target: Path, force: str = "") -> None:
    done = subprocess.run([sys.executable, "-c", RUN, moment, str(target), force], timeout=PATIENCE, check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("moment", ["writing", "before _set_modes", "before _sync", "before _place"])
@pytest.mark.parametrize("force", ["", "force"])
def test_a_killed_run_leaves_nothing_public_and_the_next_one_cleans_up(tmp_path: Path, moment: str, force: str) -> None:
    target = tmp_path / "out"
    if force:
        release(target, "old")
    run_and_kill(moment, target, force)
    leftovers = [path for path in tmp_path.iterdir() if path != target]
    assert len(leftovers) == 1
    assert leftovers[0].name.startswith(".out.tacit-")
    assert [path for path in everything_below(leftovers[0]) if path.name == "public"] == []
    assert contents(target) == ({"old"} if force else set())

    release(target, force=bool(force))
    assert contents(target) == {"new"}
    assert list(tmp_path.iterdir()) == [target]


def test_a_run_killed_right_after_the_exchange_has_released_it_all(tmp_path: Path) -> None:
    target = tmp_path / "out"
    release(target, "old")
    run_and_kill("after _exchange", target, "force")
    assert contents(target) == {"new"}
    release(target, "newest", force=True)
    assert contents(target) == {"newest"}
    assert list(tmp_path.iterdir()) == [target]


def test_the_staging_of_a_live_process_is_kept_until_it_dies(tmp_path: Path) -> None:
    target = tmp_path / "out"
    command = [sys.executable, "-c", RUN, "waiting", str(target), ""]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "staged\n"
        (theirs,) = tmp_path.iterdir()
        before = everything_below(theirs)

        release(target)
        assert everything_below(theirs) == before

        other.kill()
    release(target, force=True)
    assert list(tmp_path.iterdir()) == [target]
