"""Processes that tacit starts: they run its own code alone, and end with the one that started them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import make_shop
from support.waiting import until
from tacit.process import child

KILLED_AT_ONCE = """
import os, signal, sys
import tacit.compare.run as cells
start = cells.subprocess.Popen

def started(*arguments, **options):
    process = start(*arguments, **options)
    pipe = process.stdin.fileno()
    process.stdin.write = lambda content: (os.write(pipe, content), os.kill(os.getpid(), signal.SIGKILL))
    return process

cells.subprocess.Popen = started
from tacit.cli import run
run()
"""
MODULES = ("json", "runpy", "pickle", "ctypes", "signal", "numpy", "pyarrow", "vl_convert", "tacit")


def plant(folder: Path) -> None:
    """Modules beside the data that tell when somebody runs them."""
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open('{name} was run', 'w')\n")


def test_a_process_runs_nothing_beside_the_data(tmp_path: Path) -> None:
    plant(tmp_path)
    ended = subprocess.run(child.command("tacit.cli", "methods"), cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0 and ended.stdout
    assert [path.name for path in tmp_path.glob("*was run")] == []


@pytest.mark.slow
def test_nothing_beside_the_data_is_run(tmp_path: Path) -> None:
    job = make_shop(tmp_path)
    plant(tmp_path)
    tacit = Path(sys.executable).with_name("tacit")
    for words in (["anonymize", job.name, "--no-attack"], ["compare", job.name, "-o", "there"]):
        ended = subprocess.run([tacit, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
    assert "<svg" in (tmp_path / "out/private/report.html").read_text("utf-8")
    assert [path.name for path in tmp_path.glob("*was run")] == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not end a process with its parent")
def test_a_comparison_that_is_killed_leaves_no_cell_running(tmp_path: Path) -> None:
    """Killed when the cell has all it needs to run on, and has not yet imported anything."""
    make_shop(tmp_path)
    words = [sys.executable, "-c", KILLED_AT_ONCE, "compare", "job.toml", "-o", "there"]
    killed = subprocess.Popen(words, cwd=tmp_path, start_new_session=True, stderr=subprocess.DEVNULL)
    assert killed.wait() == -9
    until(lambda: not _runs(killed.pid))
    assert list(tmp_path.glob("there/.running-*/*/errors")), "no cell was started"
    assert list(tmp_path.glob("there/.running-*/*/outcome")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not end a process with its parent")
def test_a_parent_that_was_dead_before_it_could_be_watched(tmp_path: Path) -> None:
    command = child.command("tacit.cli", "--version")
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith("tacit ")
    command[command.index(str(os.getpid()))] = "1"
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")


def _runs(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
