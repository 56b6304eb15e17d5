"""Runs the cells, each in a process of its own: several at a time where memory allows, resumed where they ended."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacit.compare.grid import Cell, with_digests
from tacit.compare.scratch import write_private
from tacit.errors import InputError
from tacit.io import format_named, is_database_url, write_table
from tacit.job.sources import read_source
from tacit.process import child

Outcome = dict[str, Any]
Tell = Callable[[Cell, Outcome, bool], None]
"""Told of each cell that ends: what it came to, and whether an earlier run had done it already."""

_PAUSE = 0.02
_FIRST_GUESS = 30
"""Memory of a first cell as a multiple of its input file, until one has told."""
_BASE_MIB = 300


@dataclass
class _Running:
    cell: Cell
    process: subprocess.Popen[bytes]
    began: float
    folder: Path

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


def run_cells(
    cells: Sequence[Cell],
    folder: Path,
    aside: Path,
    *,
    timeout: float | None,
    workers: int,
    keep_failed: bool,
    tell: Tell,
) -> list[Outcome]:
    """What each cell came to, in the order of the cells; each is kept as a file in `folder` as soon as it ends.

    `aside` is for what the cells' processes write, and for files that are not whole yet.
    """
    outcomes = {cell.name: found for cell in cells if (found := _kept(folder, cell, keep_failed)) is not None}
    for cell in cells:
        if cell.name in outcomes:
            tell(cell, outcomes[cell.name], True)
    waiting = [cell for cell in cells if cell.name not in outcomes]
    for cell, outcome in _run(waiting, aside, timeout, workers):
        outcomes[cell.name] = {**cell.about(), **outcome}
        text = json.dumps(outcomes[cell.name], ensure_ascii=False, indent=1) + "\n"
        write_private(folder / f"{cell.name}.json", text, aside)
        tell(cell, outcomes[cell.name], False)
    return [outcomes[cell.name] for cell in cells]


def fetched(cells: Sequence[Cell], aside: Path) -> list[Cell]:
    """The cells, with a file in `aside` of what they read from a database."""
    copies: dict[object, Path] = {}
    for cell in cells:
        if is_database_url(str(cell.job.input.source)) and cell.job.input not in copies:
            copies[cell.job.input] = aside / f"{len(copies)}.parquet"
            write_table(read_source(cell.job).table, copies[cell.job.input], format_named("parquet"))
    return with_digests(replace(cell, copy=copies.get(cell.job.input)) for cell in cells)


def usable_cores() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _kept(folder: Path, cell: Cell, keep_failed: bool) -> Outcome | None:
    """What an earlier run made of a cell; what failed is tried again, unless it is to be kept."""
    file = folder / f"{cell.name}.json"
    try:
        outcome = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        hint = "Remove the file; the cell is run again then."
        raise InputError("this is not a cell that tacit saved", file=file, hint=hint) from None
    return outcome if outcome.get("status") == "done" or keep_failed else None


def _run(cells: Sequence[Cell], aside: Path, timeout: float | None, workers: int) -> Iterator[tuple[Cell, Outcome]]:
    """Each cell with its outcome, as they end; whatever still runs when this is left is killed."""
    waiting, running = list(reversed(cells)), list[_Running]()
    most_mib = 0.0
    try:
        while waiting or running:
            while waiting and len(running) < workers and (not running or _fits(waiting[-1], most_mib)):
                cell = waiting.pop()
                running.append(_start(cell, aside / cell.name))
            time.sleep(_PAUSE)
            for one in [each for each in running if _ended(each, timeout)]:
                running.remove(one)
                outcome = _outcome(one)
                most_mib = max(most_mib, outcome.get("peak_mib") or 0.0)
                yield one.cell, outcome
    finally:
        for one in running:
            one.process.kill()
            one.process.wait()


def _start(cell: Cell, folder: Path) -> _Running:
    folder.mkdir()
    with (folder / "errors").open("wb") as errors:
        command = child.command("tacit.compare.cell", str(folder / "outcome"))
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=errors, stderr=errors)
    assert process.stdin is not None
    try:
        process.stdin.write(pickle.dumps(cell))
        process.stdin.close()
    except BrokenPipeError:
        pass  # it died at once; how, its exit code tells
    return _Running(cell, process, time.monotonic(), folder)


def _ended(one: _Running, timeout: float | None) -> bool:
    """Whether a cell is over; one that takes too long is ended."""
    if one.process.poll() is not None:
        return True
    if timeout is None or one.seconds < timeout:
        return False
    one.process.kill()
    one.process.wait()
    (one.folder / "outcome").write_text(
        json.dumps({"status": "timeout", "exit_code": None, "message": f"took longer than {timeout:g} s"})
    )
    return True


def _outcome(one: _Running) -> Outcome:
    """What a process left: its outcome, or how it died."""
    file = one.folder / "outcome"
    if file.is_file():
        return json.loads(file.read_text("utf-8"))
    code = one.process.returncode
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        reason = "; the machine ran out of memory, most likely" if name == "SIGKILL" else ""
        message = f"ended by the system ({name}){reason}"
    else:
        lines = (one.folder / "errors").read_text("utf-8", errors="replace").strip().splitlines()
        message = lines[-1] if lines else f"ended with exit code {code}"
    return {"status": "failed", "exit_code": code, "message": message}


def _fits(cell: Cell, most_mib: float) -> bool:
    """Whether there is room for one more cell: as much as the largest so far took, or a guess from the input's size."""
    free = _free_mib()
    if free is None:
        return True
    file = cell.copy or cell.job.input.source
    size = file.stat().st_size / 2**20 if isinstance(file, Path) else 0.0
    return free > (1.2 * most_mib or _BASE_MIB + _FIRST_GUESS * size)


def _free_mib() -> float | None:
    """Memory that is free, or could be at once; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("MemAvailable:")), None)
