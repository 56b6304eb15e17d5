"""Machine code is never older than the code it was compiled from, and is compiled once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tacit
from tacit.arrays import jit

CALLER = """
from tacit.arrays.jit import kernel
from small.called import FACTOR, shifted

@kernel
def answer(x):
    return FACTOR * shifted(x)
"""
CALLED = """
from tacit.arrays.jit import inner
from small.far import shift

FACTOR = 3

@inner
def shifted(x):
    return x + shift(x)
"""
FAR = """
from tacit.arrays.jit import inner

@inner
def shift(x):
    return 10
"""
RUN = """
from tacit.arrays import jit
from small.caller import answer
told = []
with jit.on_compile(lambda words: told.append(words.replace(" ", "_"))):
    print(answer(1), answer(2), *told)
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    for name, text in {"__init__": "", "caller": CALLER, "called": CALLED, "far": FAR}.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return folder


def run(small: Path, program: str = RUN, **settings: str) -> list[str]:
    """What a new process says."""
    here = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    paths = os.pathsep.join([str(small.parent), str(Path(tacit.__file__).parents[1])])
    settings = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **settings}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=here | settings, capture_output=True, text=True, check=True
    )
    return ran.stdout.split()


def edit(file: Path, old: str, new: str) -> None:
    """An edit that neither the file's size nor its time of change tells of."""
    assert len(old) == len(new)
    before = file.stat()
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def kept(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.rglob("*.nb[ic]"))


def test_a_kernel_is_compiled_once(small: Path) -> None:
    assert run(small) == ["33", "36", "compiling,_once"]
    assert run(small) == ["33", "36"]


@pytest.mark.slow
def test_an_edit_anywhere_a_kernel_comes_from_is_seen(small: Path) -> None:
    """One after the other: what a called kernel calls, what is called, a constant that it names, and the caller."""
    run(small)
    for file, old, new, answer in (
        ("far.py", "return 10", "return 20", ["63", "66"]),
        ("called.py", "x + shift", "x - shift", ["-57", "-54"]),
        ("called.py", "FACTOR = 3", "FACTOR = 5", ["-95", "-90"]),
        ("caller.py", "FACTOR *", "FACTOR +", ["-14", "-13"]),
    ):
        edit(small / file, old, new)
        assert run(small) == [*answer, "compiling,_once"], (file, new)
    assert run(small) == answer


def test_what_was_kept_before_an_edit_is_removed(small: Path) -> None:
    run(small)
    before = kept(small)
    edit(small / "far.py", "return 10", "return 20")
    run(small)
    assert len(kept(small)) == len(before) == 6
    assert not {*kept(small)} & {*before}


@pytest.mark.slow
def test_the_users_folder_is_used(small: Path, tmp_path: Path) -> None:
    assert run(small, NUMBA_CACHE_DIR=str(tmp_path / "mine")) == ["33", "36", "compiling,_once"]
    assert not kept(small)
    assert len(kept(tmp_path / "mine")) == 6
    assert run(small, NUMBA_CACHE_DIR=str(tmp_path / "mine")) == ["33", "36"]


def without_a_home(small: Path) -> dict[str, str]:
    """What a container has: nobody may write beside the sources, and there is no home."""
    for place in ("__pycache__", "home"):
        (small / place).write_text("a file where a folder would be needed", "utf-8")
    nowhere = str(small / "home")
    return {"HOME": nowhere, "XDG_CACHE_HOME": nowhere, "LOCALAPPDATA": nowhere, "TMPDIR": str(small.parent)}


@pytest.mark.slow
def test_where_nothing_can_be_kept_there_is_a_temporary_place(small: Path, tmp_path: Path) -> None:
    settings = without_a_home(small)
    said = run(small, **settings)
    place = next(tmp_path.glob("tacit-compiled-*"))
    assert said[:2] == ["33", "36"] and f"kept_in_{place}" in said[2] and "NUMBA_CACHE_DIR" in said[2]
    assert place.stat().st_mode & 0o077 == 0
    assert len(kept(place)) == 6
    assert run(small, **settings) == ["33", "36"]


@pytest.mark.slow
@pytest.mark.parametrize("spoil", ["open to all", "a link"])
def test_a_temporary_place_that_somebody_else_could_write_in_is_not_used(
    small: Path, tmp_path: Path, spoil: str
) -> None:
    settings, place, other = without_a_home(small), tmp_path / f"tacit-compiled-{os.getuid()}", tmp_path / "other"
    other.mkdir(mode=0o700)
    if spoil == "a link":
        place.symlink_to(other)
    else:
        place.mkdir()
        place.chmod(0o777)
    said = run(small, **settings)
    assert said[:2] == ["33", "36"] and said[2].startswith("compiling,_for_this_run_alone")
    assert not kept(place) and not kept(other)


@pytest.mark.slow
def test_a_damaged_file_is_compiled_again(small: Path) -> None:
    """One damage after the other: what is compiled because of one is what the next one spoils."""
    damages: list[Callable[[bytes], bytes]] = [
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: b"\0" * 99,
        lambda content: content[:-99] + bytes(99),
        lambda content: content.replace(b"\x00\x00\x00\x00", b"\x00\x01\x00\x00"),
    ]
    run(small)
    for ending in ("nbi", "nbc"):
        for number, damage in enumerate(damages):
            for file in small.rglob(f"*.{ending}"):
                file.write_bytes(damage(file.read_bytes()))
            assert run(small) == ["33", "36", "compiling,_once"], (ending, number)
    assert run(small) == ["33", "36"]


@pytest.mark.slow
def test_a_disk_that_is_full_is_no_reason_to_fail(small: Path) -> None:
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    said = run(small, program=full + RUN)
    assert said == ["33", "36", "compiling,_once"]
    assert not [file for file in small.rglob("*.nbc") if file.stat().st_size > 100]


def test_kernels_are_plain_functions_without_the_compiler(small: Path) -> None:
    assert run(small, NUMBA_DISABLE_JIT="1") == ["33", "36"]
    assert not kept(small)


def test_a_mark_is_of_all_that_a_module_imports() -> None:
    names = jit._with_imports("tacit.baskets.solvers._apriori_kernels")
    assert {"tacit.baskets.solvers._apriori_kernels", "tacit.baskets.solvers._apriori_ways"} <= names


def test_a_module_that_cannot_be_read_has_no_mark() -> None:
    assert jit.mark_of("tacit.no_such_module") is None


@pytest.mark.slow
def test_passes_that_find_nothing_to_do_are_left_out(small: Path) -> None:
    listening = """
from numba.core import event

class Passes(event.Listener):
    def on_start(self, event):
        if "answer" in event.data["qualname"]:
            print(event.data["name"].split()[0])

    def on_end(self, event):
        pass

event.register("numba:run_pass", Passes())
"""
    passes = run(small, listening + RUN)
    assert "native_lowering" in passes
    assert not {"with_lifting", "inline_closure_likes", "inline_overloads", "nopython_rewrites"} & set(passes)
