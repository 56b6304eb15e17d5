"""What is measured, one function each. A time is the median of several runs, because a machine is never quite idle."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from benchmarks.workloads import SEARCHES, K
from tacit.baskets.data import BasketData
from tacit.baskets.solvers.problem import pose_baskets

ROOT = Path(__file__).resolve().parents[1]
TACIT = str(Path(sys.executable).with_name("tacit"))


class Run(NamedTuple):
    """One run of a command: wall time, CPU time, and the most memory it had in use."""

    seconds: float
    cpu_seconds: float
    peak_mib: float


def count_pairs(data: BasketData, repeat: int) -> list[float]:
    """How long SciPy takes to count the supports of all pairs of items; the median is P."""
    baskets = data.items.baskets
    ones = np.ones(baskets.items.size, np.int32)
    matrix = scipy.sparse.csr_matrix(
        (ones, baskets.items, baskets.indptr), shape=(len(baskets), len(baskets.vocabulary))
    )
    return _seconds(lambda: matrix.T @ matrix, repeat)


def search_seconds(data: BasketData, method: str, m: int, repeat: int) -> float:
    """How long a search takes from the encoded arrays to the cut and what is suppressed."""
    search = SEARCHES[method]
    return median(_seconds(lambda: search(pose_baskets(data), K, m), repeat))


def other_program(command: str, repeat: int) -> float:
    """How long somebody else's program takes, as a process of its own."""
    return median(_seconds(lambda: subprocess.run(shlex.split(command), capture_output=True, check=True), repeat))


def command(*arguments: str, environment: Mapping[str, str] | None = None) -> Run:
    """Runs `tacit` with these arguments in a process of its own; raises if that fails."""
    watched = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", TACIT, *arguments],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(watched.stdout)
    if found["exit_code"] != 0:
        raise RuntimeError(f"tacit {' '.join(arguments)} ended with {found['exit_code']}: {found['said']}")
    return Run(found["seconds"], found["cpu_seconds"], found["peak_mib"])


def median_run(runs: list[Run]) -> Run:
    """The median of each figure."""
    return Run(*map(median, zip(*runs, strict=True)))


def anonymize(job: str, folder: Path, repeat: int) -> tuple[Run, dict[str, Any]]:
    """The whole command on a job, without attackers and report: what it took, and the measures of the release."""
    (folder / "job.toml").write_text(job, encoding="utf-8")
    where = (str(folder / "job.toml"), "-o", str(folder / "out"), "--force")
    arguments = ("anonymize", *where, "--no-report", "--no-attack")
    run = median_run([command(*arguments) for _ in range(repeat)])
    return run, json.loads((folder / "out" / "private" / "utility.json").read_text(encoding="utf-8"))


def cold_and_warm_demo(repeat: int) -> tuple[float, float]:
    """`tacit demo` with an empty cache of compiled kernels, and with the one that such a run filled."""
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(min(repeat, 3)):
        with tempfile.TemporaryDirectory() as folder:
            cache = {"NUMBA_CACHE_DIR": f"{folder}/cache"}
            for times in (cold, warm):
                times.append(command("demo", "-o", f"{folder}/out", environment=cache).seconds)
    return median(cold), median(warm)


def _seconds(work: Callable[[], object], repeat: int) -> list[float]:
    """The times of some runs after a first one, which may compile."""
    work()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times
