"""Runs inputs, one after the other, in this process; says before each which it is, and afterwards what was wrong.

A crash or an endless loop takes this process down, and no other: see `tools.fuzz.__main__`.
"""

from __future__ import annotations

import io
import os
import re
import resource
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from unittest.mock import patch

from tacit.cli import main as tacit
from tools.fuzz.bench import Bench, state_of
from tools.fuzz.cases import CASES, Case
from tools.fuzz.damage import damaged, other_words

_ENDINGS = (0, 1, 2, 3)
_MEMORY = 6 << 30
_PARTS = {"public", "private"}
_OURS = re.compile(r"^\..*\.(?:tacit|replaced|running)-")
"""What work in progress is called; with other words in a command, other hidden files may be what was asked for."""


def fault_of(number: int, bench: Bench) -> str | None:
    """What is wrong with how a command takes the input of this number; None if it is in order."""
    draw = Random(number)
    case = draw.choice(CASES)
    folder, words = bench.folder(case.folder), list(case.words)
    try:
        if case.damages:
            file = folder / draw.choice(case.damages)
            file.write_bytes(damaged(file.read_bytes(), draw))
        else:
            words = other_words(words, draw)
        before = state_of(folder)
        code, said = _ended(words, folder)
        after = state_of(folder)
        changed = {name for name, what in before.items() if after.get(name) != what and not what.is_folder}
        return _judged(case, code, said, after.keys() - before.keys(), changed, folder)
    finally:
        bench.put_back(case.folder)


def _ended(words: list[str], folder: Path) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    argv = patch.object(sys, "argv", ["tacit", *words])
    with chdir(folder), argv, redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tacit()
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 0, err.getvalue()
    return 0, err.getvalue()


def _judged(case: Case, code: int, said: str, new: set[str], changed: set[str], folder: Path) -> str | None:
    if code not in _ENDINGS or "Traceback" in said:
        return f"exit code {code}: {said[-1500:]}"
    hidden = [name for name in new if name.startswith(".") and (case.damages or _OURS.search(name))]
    hidden = [name for name in hidden if not _is_asked_for(name, case, folder)]
    if hidden:
        return f"left behind: {sorted(hidden)}"
    if case.damages and changed:
        return f"changed: {sorted(changed)}"
    tops = {name.split("/")[0] for name in new}
    for top in tops & {"out"}:
        if code != 0 or {path.name for path in (folder / top).iterdir()} != _PARTS:
            return f"a part of a release, exit code {code}: {sorted(new)}"
    if code != 0 and case.damages and tops:
        return f"written, but exit code {code}: {sorted(new)}"
    return None


def _is_asked_for(name: str, case: Case, folder: Path) -> bool:
    """Whether a damaged job names a hidden file to write, as `sqlite:///.stored.db`."""
    return any(name.encode() in (folder / file).read_bytes() for file in case.damages if (folder / file).is_file())


def main() -> None:
    """Takes the first number, the one after the last, the step, the folder of whole inputs, and one to work in."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    first, last, step = map(int, sys.argv[1:4])
    bench = Bench(Path(sys.argv[4]), Path(sys.argv[5]))
    results = os.fdopen(os.dup(1), "w")
    for number in range(first, last, step):
        print("at", number, file=results, flush=True)
        fault = fault_of(number, bench)
        if fault is not None:
            print("fault", number, repr(fault), file=results, flush=True)
    print("done", file=results, flush=True)


if __name__ == "__main__":
    main()
