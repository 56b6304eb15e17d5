"""`make fuzz`: damaged files, job files, hierarchies, constraints, releases and command lines, in numbers.

Every input is made from its number alone, so that `--first N --inputs 1` makes the same one again. Commands run in
processes that are started anew when one crashes, or says nothing for long. What counts as a fault: a traceback, a
crash, no end, or something written that is not whole.
"""

from __future__ import annotations

import argparse
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.fuzz.cases import prepare

_PATIENCE = 300
"""Seconds after which a process that waits for something counts as one that never ends."""
_LONGEST = 240
"""Seconds of processor time for one input, with all that has to be compiled for it."""
_LOOK_EVERY = 1.0
_TELL_EVERY = 1000
_MOST_IN_A_PROCESS = 4000
"""After so many inputs a process is started anew, so that nothing that one input leaves is there for all others."""


def main() -> int:
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="tacit-fuzz-", dir=_in_memory()) as name:
        whole = Path(name, "whole")
        prepare(whole)
        with ThreadPoolExecutor(asked.workers) as pool:
            parts = [(asked.first + part, asked.first + asked.inputs, asked.workers) for part in range(asked.workers)]
            found = [fault for faults in pool.map(lambda part: _faults(*part, whole), parts) for fault in faults]
    for number, kind, told in sorted(found):
        print(f"input {number}: {kind}\n  {told}")
    kinds = Counter(kind for _, kind, _ in found)
    print(f"{asked.inputs:,} inputs: {', '.join(f'{n:,} {kind}' for kind, n in kinds.items()) or 'no fault'}")
    return int(bool(found))


def _in_memory() -> str | None:
    """A file system in memory, if there is one with room: inputs are small files, written and deleted again."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30 else None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def _faults(first: int, last: int, step: int, whole: Path) -> list[tuple[int, str, str]]:
    """What goes wrong with every so many-th input; after a crash a new process goes on with the next one."""
    found, number = [], first
    while number < last:
        ended, until = "crash", min(last, number + _MOST_IN_A_PROCESS * step)
        for word, at, told in _told_by_worker(number, until, step, whole):
            if word == "fault":
                found.append((at, "fault", told))
                print(f"input {at}: fault", file=sys.stderr, flush=True)
            elif word in ("done", "no end"):
                ended = word
            else:
                number = at
                if at % _TELL_EVERY == 0:
                    print(f"at input {at:,}", file=sys.stderr, flush=True)
        if ended == "done":
            number += step
            continue
        found.append(
            (
                number,
                ended,
                "the process ended" if ended == "crash" else f"nothing in {_PATIENCE} s, or {_LONGEST} s of work",
            )
        )
        print(f"input {number}: {ended}", file=sys.stderr, flush=True)
        number += step
    return found


def _told_by_worker(first: int, last: int, step: int, whole: Path) -> Iterator[tuple[str, int, str]]:
    scratch = whole.with_name(f"scratch-{first}")
    command = [sys.executable, "-m", "tools.fuzz.worker", *map(str, (first, last, step, whole, scratch))]
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    assert worker.stdout is not None
    try:
        while _says_something(worker):
            line = worker.stdout.readline()
            if not line:
                return
            word, _, rest = line.rstrip("\n").partition(" ")
            number, _, told = rest.partition(" ")
            yield word, int(number or 0), told
        yield "no end", 0, ""
    finally:
        worker.kill()
        worker.wait()


def _says_something(worker: subprocess.Popen[str]) -> bool:
    """Waits for the next word of a process; False if it waits for something itself, or computes, for too long."""
    began, (_, used) = time.monotonic(), _doing(worker.pid)
    while not select.select([worker.stdout], [], [], _LOOK_EVERY)[0]:
        is_waiting, now_used = _doing(worker.pid)
        if now_used - used > _LONGEST or (is_waiting and time.monotonic() - began > _PATIENCE):
            return False
    return True


def _doing(process: int) -> tuple[bool, float]:
    """Whether a process waits, and the processor time that it has had; where the system does not tell, it waits."""
    try:
        state, *fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return True, 0.0
    return state != "R", (int(fields[10]) + int(fields[11])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
