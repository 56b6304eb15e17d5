"""Stopped by Ctrl-C, or by the system: at whatever moment, nothing is published and nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from support.commands import files_below, make_shop, read_csv, tacit
from support.seeds import first_fast
from support.waiting import until
from tacit.steps.stages import STAGES

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals to send")

STOPPED_AT = """
import os, signal
from tacit.commands import progress

def stop(*arguments, **options):
    os.kill(os.getpid(), signal.{number})

def at_stage(wanted, shown=progress.lines):
    from contextlib import contextmanager
    @contextmanager
    def lines():
        with shown() as tell:
            yield lambda message: (tell(message), message == wanted and stop())
    progress.lines = lines
"""
RUN = """
import sys
from tacit.cli import run
sys.argv[0] = "tacit"
run()
"""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def wait_for(running: subprocess.Popen[str]) -> Ended:
    """How it ended; no process that it started is left."""
    out, err = running.communicate()
    until(lambda: not lives(running.pid))
    assert "Traceback" not in err
    return Ended(running.returncode, out, err)


def lives(group: int) -> bool:
    """Whether any process of a group is still there."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def start(folder: Path, program: str, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def ended(folder: Path, program: str, *words: object, number: str = "SIGINT") -> Ended:
    return wait_for(start(folder, STOPPED_AT.format(number=number) + program + RUN, *words))


SIGNALS = {"SIGINT": 130, "SIGTERM": 143}
QUICK = {("SIGINT", "searching"), ("SIGTERM", STAGES[-1])}
"""What every run tries; a process each takes its time, so the others are slow."""
MOMENTS = [
    pytest.param(number, stage, marks=[] if (number, stage) in QUICK else pytest.mark.slow)
    for number in SIGNALS
    for stage in STAGES
]


@pytest.mark.parametrize(("number", "stage"), MOMENTS)
def test_as_a_stage_begins(tmp_path: Path, number: str, stage: str) -> None:
    make_shop(tmp_path)
    before = files_below(tmp_path)
    found = ended(tmp_path, f"at_stage({stage!r})", "anonymize", "job.toml", number=number)
    assert (found.code, found.out) == (SIGNALS[number], "")
    assert found.err.endswith(f"tacit: {stage}\ntacit: stopped; nothing was published\n")
    assert files_below(tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("seed", range(3))
def test_at_any_moment(tmp_path: Path, stage: str, seed: int) -> None:
    """Some time after a stage began. A release that was quicker than the signal is whole."""
    make_shop(tmp_path)
    before = files_below(tmp_path)
    with start(tmp_path, RUN, "anonymize", "job.toml") as running:
        assert running.stderr is not None
        while running.stderr.readline() not in (f"tacit: {stage}\n", ""):
            pass
        time.sleep(random.Random(f"{stage} {seed}").random() / 5)
        running.send_signal(signal.SIGINT)
        found = wait_for(running)
    if (tmp_path / "out").exists():
        assert found.code == 0 or f"tacit: stopped; the release is in place: {tmp_path / 'out'}\n" in found.err
        assert {path.split("/")[0] for path in files_below(tmp_path) - before} == {"out"}
        assert tacit("audit", tmp_path / "job.toml", tmp_path / "out/public/data.csv").code == 0
    else:
        assert found.code == 130 and found.err.endswith("tacit: stopped; nothing was published\n")
        assert files_below(tmp_path) == before


@pytest.mark.slow
def test_an_old_release_stays(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    assert tacit("anonymize", job, "--no-report", "--no-attack").code == 0
    before, published = files_below(tmp_path), read_csv(tmp_path / "out/public/data.csv")
    found = ended(tmp_path, "at_stage('auditing')", "anonymize", "job.toml", "--force", "--set", "method.seed=6")
    assert found.code == 130 and found.err.endswith("tacit: stopped; nothing was published\n")
    assert (files_below(tmp_path), read_csv(tmp_path / "out/public/data.csv")) == (before, published)


@pytest.mark.parametrize("force", first_fast([["--force"], []]))
def test_while_the_release_is_put_in_place(tmp_path: Path, force: list[str]) -> None:
    """Too late: it is said that the release is there, and it is whole."""
    job = make_shop(tmp_path)
    if force:
        assert tacit("anonymize", job, "--no-report", "--no-attack").code == 0
    program = """
from tacit.io import directory
directory._sync_directory = lambda folder: folder.name == "out" and stop()
"""
    found = ended(tmp_path, program, "anonymize", "job.toml", "--no-report", "--no-attack", *force)
    assert found.code == 130
    assert found.err.endswith(f"tacit: stopped; the release is in place: {tmp_path / 'out'}\n")
    assert {path.name for path in tmp_path.iterdir()} == {"shop.csv", "hierarchy.csv", "job.toml", "out"}
    assert tacit("audit", job, tmp_path / "out/public/data.csv", "--original").code == 0


@pytest.mark.slow
def test_asked_again_while_cleaning_up(tmp_path: Path) -> None:
    make_shop(tmp_path)
    before = files_below(tmp_path)
    program = """
at_stage("auditing")
from tacit.io import directory
remove = directory.remove
directory.remove = lambda folder: (stop(), stop(), remove(folder))
"""
    found = ended(tmp_path, program, "anonymize", "job.toml")
    assert found.code == 130 and found.err.endswith("tacit: stopped; nothing was published\n")
    assert files_below(tmp_path) == before


def test_an_interrupt_that_gets_lost(tmp_path: Path) -> None:
    """Python drops what is raised while an object is deleted; the next stage raises it again."""
    make_shop(tmp_path)
    before = files_below(tmp_path)
    program = """
import sys
sys.unraisablehook = lambda lost: print("lost:", lost.exc_type.__name__, file=sys.stderr)
class Deleted:
    def __del__(self):
        stop()
        stop()
at_stage("never")
import tacit.flow
def source(job, read=tacit.flow.read_source):
    Deleted()
    return read(job)
tacit.flow.read_source = source
"""
    found = ended(tmp_path, program, "anonymize", "job.toml")
    assert found.err.startswith("tacit: reading\nlost: KeyboardInterrupt\n")
    assert found.code == 130 and found.err.endswith("tacit: stopped; nothing was published\n")
    assert files_below(tmp_path) == before


LOSES = {
    "as machine code calls back": """
import ctypes
lose = ctypes.CFUNCTYPE(None)(stop)
""",
    "as an object is deleted": """
class Deleted:
    def __del__(self):
        stop()
def lose():
    Deleted()
""",
    "as a generator is closed": """
def lose():
    def numbers():
        try:
            yield 1
        finally:
            stop()
    for _ in numbers():
        break
""",
    "by a package that drops it": """
def lose():
    try:
        stop()
    except BaseException:
        pass
""",
}


@pytest.mark.parametrize("how", first_fast(LOSES, 2))
def test_an_interrupt_that_gets_lost_comes_again(tmp_path: Path, how: str) -> None:
    """Though no stage begins, and nothing is told, after it."""
    make_shop(tmp_path)
    before = files_below(tmp_path)
    program = """
import threading
import tacit.flow
def source(job):
    lose()
    for _ in range(10):
        threading.Event().wait(10)
    raise AssertionError("nobody stopped it")
tacit.flow.read_source = source
"""
    found = ended(tmp_path, LOSES[how] + program, "anonymize", "job.toml", "--quiet")
    assert (found.code, found.err) == (130, "tacit: stopped; nothing was published\n")
    assert files_below(tmp_path) == before


@pytest.mark.slow
def test_as_a_kernel_is_loaded(tmp_path: Path) -> None:
    """An interrupt lost there would leave a kernel without code, and the process would crash as it is called."""
    make_shop(tmp_path)
    assert ended(tmp_path, "", "anonymize", "job.toml", "--no-report", "--no-attack").code == 0  # so it is in the cache
    shutil.rmtree(tmp_path / "out")
    before = files_below(tmp_path)
    program = """
from numba.core import codegen
load = codegen.CPUCodeLibrary._object_getbuffer_hook
stops = iter([stop])
def stopped(module):
    library = getattr(module, "_CPUCodeLibrary__library", None)
    if getattr(library, "_compiled_object", None):
        next(stops, lambda: None)()
    return load(module)
codegen.CPUCodeLibrary._object_getbuffer_hook = stopped
"""
    found = ended(tmp_path, program, "anonymize", "job.toml", "--quiet")
    assert (found.code, found.err) == (130, "tacit: stopped; nothing was published\n")
    assert files_below(tmp_path) == before


def test_what_python_says_of_a_lost_interrupt_is_not_shown(tmp_path: Path) -> None:
    make_shop(tmp_path)
    program = """
class Deleted:
    def __del__(self):
        stop()
import tacit.flow
def source(job, read=tacit.flow.read_source):
    Deleted()
    return read(job)
tacit.flow.read_source = source
"""
    found = ended(tmp_path, program, "anonymize", "job.toml", "--no-report")
    assert found.err == "tacit: reading\ntacit: stopped; nothing was published\n"


def test_a_package_that_makes_an_error_of_it(tmp_path: Path) -> None:
    make_shop(tmp_path)
    program = """
import tacit.flow
def broken(*arguments, **options):
    try:
        stop()
    except KeyboardInterrupt:
        raise RuntimeError("cancelled") from None
tacit.flow.read_source = broken
"""
    found = ended(tmp_path, program, "anonymize", "job.toml", "--quiet")
    assert (found.code, found.err) == (130, "tacit: stopped; nothing was published\n")


def test_told_to_other_programs(tmp_path: Path) -> None:
    make_shop(tmp_path)
    program = "import tacit.flow\ntacit.flow.read_source = stop"
    found = ended(tmp_path, program, "anonymize", "job.toml", "--json", "--progress=json", number="SIGTERM")
    said = "stopped; nothing was published"
    assert found.code == 143 and json.loads(found.out) == {"error": said, "exit_code": 143}
    assert json.loads(found.err.splitlines()[-1])["message"] == said


def test_a_command_that_publishes_nothing(tmp_path: Path) -> None:
    make_shop(tmp_path)
    found = ended(tmp_path, "at_stage('auditing')", "audit", "job.toml", "shop.csv")
    assert found.code == 130 and found.err.endswith("tacit: stopped\n")


@pytest.mark.slow
def test_a_comparison(tmp_path: Path) -> None:
    """The processes of its cells end, too; cells that were done are kept."""
    job = make_shop(tmp_path)
    program = """
import tacit.compare.run as cells
outcome = cells._outcome
cells._outcome = lambda one: (outcome(one), stop())[0]
"""
    words = ("compare", "job.toml", "-o", "there", "--vary", "privacy.k=2,3", "--workers", "2")
    found = ended(tmp_path, program, *words)
    assert found.code == 130
    assert found.err.endswith("tacit: stopped; what was done is kept, and the same command goes on from there\n")
    assert {path.name for path in (tmp_path / "there").iterdir()} == {"cells"}
    assert tacit(*words[:1], job, *words[2:3], tmp_path / "there", *words[4:]).code == 0


def test_a_signal_that_is_to_be_ignored_is(tmp_path: Path) -> None:
    """As with `nohup`, and for what a shell starts in the background."""
    make_shop(tmp_path)
    program = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nat_stage('searching')"
    found = ended(tmp_path, program, "anonymize", "job.toml", "--no-report")
    assert found.code == 0 and (tmp_path / "out/public/data.csv").is_file()


def test_the_program_around_keeps_its_own_ways(tmp_path: Path) -> None:
    before = [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)]
    assert tacit("methods").code == 0
    assert [signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)] == before
