"""`make mutants`: do the tests notice small faults in the audits, and in what decides about a release?

Each mutant is a copy of the project with one place changed (`mutations.py`). The tests that its file concerns run on
it; a mutant that they pass has survived. Of 3,000 mutants a sample of 150 takes about half an hour on two cores:

    python tools/mutants.py --sample 150 --seed 1
    python tools/mutants.py --files 'src/tacit/audits/l.py'

Survivors are printed and kept, with all others, in out/mutants/."""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple

import hypothesis  # noqa: F401  loaded once for all runs, as the following
import numba  # noqa: F401
import pyarrow.compute  # noqa: F401
import pytest
import scipy.optimize  # noqa: F401

from mutations import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("src", "tests", "pyproject.toml", "README.md", "docs")
PATIENCE, TIMES = 3600, 5
"""A mutant is given up that goes round in a circle, which nobody would overlook: when it has computed so many times as
long as the tests do without it, or waited for so many seconds."""

AUDITED = tuple(f"tests/exams/test_{exam}.py" for exam in ("definitions", "boundaries", "results"))
RELEASES = ("tests/exams/*.py", "tests/commands/test_cli_release.py", "tests/commands/test_cli_bad_input.py")
TESTS: dict[str, tuple[str, ...]] = {
    "src/tacit/audits/*.py": ("tests/audits/*.py", *AUDITED),
    "src/tacit/baskets/*.py": ("tests/baskets/test_[brc]*.py", *RELEASES),
    "src/tacit/records/*.py": ("tests/records/test_[rcap]*.py", *RELEASES),
    "src/tacit/slices/*.py": ("tests/slices/test_*.py", *RELEASES),
    "src/tacit/ratings/*.py": ("tests/ratings/test_*.py", *RELEASES),
    "src/tacit/*.py": (*RELEASES, "tests/test_*.py"),
}
"""Which tests concern which files; the first pattern that fits counts."""
TARGETS = (
    "src/tacit/audits/**/*.py",
    "src/tacit/*/publish.py",
    "src/tacit/*/checks.py",
    "src/tacit/*/reach.py",
    "src/tacit/records/kind.py",
    "src/tacit/flow.py",
    "src/tacit/shuffle.py",
)
"""What is mutated unless --files says otherwise: audits, and where releases are decided, shuffled and numbered."""


@dataclass
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    fate: str  # killed | survived | endless
    by: str = ""

    def as_dict(self) -> dict[str, object]:
        about = {key: value for key, value in asdict(self.mutant).items() if key != "source"}
        return {**about, "fate": self.fate, "by": self.by}

    def __str__(self) -> str:
        one = self.mutant
        return f"{one.file}:{one.line}: {one.what}\n  - {one.before}\n  + {one.after}"


class Copy:
    """A copy of the project, with its compiled kernels, in which one file at a time is changed.

    A copy of the project itself is not changed; it keeps what Python compiled, for the copies made of it."""

    def __init__(self, folder: Path, origin: Path = ROOT) -> None:
        self.folder, self.origin = folder, origin
        self.is_changed = origin != ROOT
        for name in COPIED:
            if (origin / name).is_dir():
                shutil.copytree(origin / name, folder / name)
            elif (origin / name).exists():
                shutil.copy2(origin / name, folder / name)

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        """The mutant, as long as the block runs. A kernel would be kept whatever it calls; so it is forgotten."""
        affected = [mutant.file, *importers(self.folder, mutant.file)]
        for file in affected:
            forget_kernels(self.folder / file)
        (self.folder / mutant.file).write_text(mutant.source, "utf-8")
        yield
        shutil.copy2(self.origin / mutant.file, self.folder / mutant.file)
        for file in affected:
            forget_kernels(self.folder / file)
            for kept in kernels_of(self.origin / file):
                shutil.copy2(kept, self.folder / kept.relative_to(self.origin))

    def run(self, tests: list[str], output: Path) -> None:
        """Runs tests until one fails, in this process, which ends with it."""
        os.chdir(self.folder)
        os.environ |= {"PYTHONDONTWRITEBYTECODE": "1" * self.is_changed, "PYTHONPATH": str(self.folder / "src")}
        sys.dont_write_bytecode = self.is_changed
        sys.path[:0] = [str(self.folder / "src")]
        with output.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os._exit(int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests])))


def importers(folder: Path, file: str) -> list[str]:
    """The files of the package that import a module, at once or by way of others."""
    found, modules = dict[str, None](), [module_of(file)]
    while modules:
        wanted = modules.pop()
        for path, names in imports_below(folder).items():
            if wanted in names and path not in found and path != file:
                found[path] = None
                modules.append(module_of(path))
    return list(found)


def module_of(file: str) -> str:
    return ".".join(Path(file).with_suffix("").parts[1:])


@cache
def imports_below(folder: Path) -> dict[str, set[str]]:
    """What each file of the package imports; no mutant changes that."""
    uses: dict[str, set[str]] = {}
    for path in (folder / "src").rglob("*.py"):
        names = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
        uses[path.relative_to(folder).as_posix()] = names
    return uses


def kernels_of(file: Path) -> Iterator[Path]:
    """What Numba compiled from a file."""
    return (file.parent / "__pycache__").glob(f"{file.stem}.*.nb?")


def forget_kernels(file: Path) -> None:
    for kept in kernels_of(file):
        kept.unlink()


def tests_of(file: str, folder: Path = ROOT) -> list[str]:
    """The tests of a file: those that share a word with its name first, they are the likeliest to notice."""
    patterns = next(patterns for source, patterns in TESTS.items() if fnmatch(file, source))
    found = [path for pattern in patterns for path in sorted(folder.glob(pattern)) if path.name.startswith("test_")]
    names = [path.relative_to(folder).as_posix() for path in dict.fromkeys(found)]
    words = set(Path(file).stem.strip("_").replace("kernels", "").split("_")) - {""}
    return sorted(names, key=lambda name: not words & set(Path(name).stem.split("_")))


def all_mutants(patterns: list[str]) -> list[Mutant]:
    files = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
    return [
        mutant for file in files for mutant in mutants_of(file.relative_to(ROOT).as_posix(), file.read_text("utf-8"))
    ]


class Ended(NamedTuple):
    """A run of tests that is over."""

    pid: int
    code: int
    said: str
    seconds: float
    """That it computed."""


class Runs:
    """Runs of tests, a few at a time: each in a fork of this process, which has already loaded what all of them need.

    This process has one thread and runs no kernel, so that a fork of it is whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outputs: dict[int, Path] = {}

    def start(self, copy: Copy, tests: list[str], most_seconds: int = PATIENCE) -> int:
        output = self.folder / f"output{len(list(self.folder.iterdir()))}.txt"
        output.touch()
        pid = os.fork()
        if not pid:
            resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds + 10))
            signal.alarm(PATIENCE)
            copy.run(tests, output)
        self.outputs[pid] = output
        return pid

    def ended(self) -> Ended:
        """Waits for a run."""
        pid, status, used = os.wait4(-1, 0)
        said = self.outputs.pop(pid).read_text("utf-8", "replace")
        return Ended(pid, os.waitstatus_to_exitcode(status), said, used.ru_utime + used.ru_stime)


def seconds_unchanged(copy: Copy, files: set[str], runs: Runs) -> dict[str, float]:
    """How long the tests of each file compute on the project as it is, on which they must pass.

    Their first run compiles its kernels, as the run of a mutant does."""
    found: dict[tuple[str, ...], float] = {}
    of_file = {file: tuple(sorted(tests_of(file, copy.folder))) for file in sorted(files)}
    for tests in dict.fromkeys(of_file.values()):
        runs.start(copy, list(tests))
        ended = runs.ended()
        if ended.code:
            sys.exit(f"the tests fail without any mutant:\n{ended.said[-3000:]}")
        found[tests] = ended.seconds
    return {file: found[tests] for file, tests in of_file.items()}


def judged(mutants: list[Mutant], folder: Path, jobs: int) -> Iterator[Outcome]:
    """Each in a copy; copies are used again and again, by one mutant at a time."""
    (folder / "outputs").mkdir()
    runs, first = Runs(folder / "outputs"), Copy(folder / "0")
    usual = seconds_unchanged(first, {mutant.file for mutant in mutants}, runs)
    free = [Copy(folder / str(number + 1), first.folder) for number in range(jobs)]
    waiting, running = list(reversed(mutants)), dict[int, tuple[Mutant, Copy, ExitStack]]()
    while waiting or running:
        while waiting and free:
            mutant, copy, stack = waiting.pop(), free.pop(), ExitStack()
            stack.enter_context(copy.changed(mutant))
            pid = runs.start(copy, tests_of(mutant.file, copy.folder), 60 + round(TIMES * usual[mutant.file]))
            running[pid] = mutant, copy, stack
        ended = runs.ended()
        mutant, copy, stack = running.pop(ended.pid)
        stack.close()
        free.append(copy)
        yield fate(mutant, ended)


def fate(mutant: Mutant, ended: Ended) -> Outcome:
    if ended.code in (-signal.SIGXCPU, -signal.SIGALRM):
        return Outcome(mutant, "endless")
    if ended.code == 0:
        return Outcome(mutant, "survived")
    failed = [line for line in ended.said.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return Outcome(mutant, "killed", failed[0] if failed else ended.said[-500:])


def report(outcomes: list[Outcome], folder: Path) -> str:
    """What happened, printed and kept."""
    survivors = [one for one in outcomes if one.fate == "survived"]
    text = "\n\n".join(map(str, survivors))
    text += f"\n\n{len(outcomes)} mutants, {len(outcomes) - len(survivors)} killed, {len(survivors)} survived\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "survivors.txt").write_text(text.lstrip(), "utf-8")
    found = [one.as_dict() for one in outcomes]
    (folder / "mutants.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description="Do the tests notice small faults?")
    parser.add_argument("--files", nargs="+", default=list(TARGETS), metavar="GLOB", help="what to mutate")
    parser.add_argument("--sample", type=int, metavar="N", help="only so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--list", action="store_true", help="only list them")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "out" / "mutants", metavar="DIR")
    given = parser.parse_args()
    mutants = all_mutants(given.files)
    if given.sample is not None and given.sample < len(mutants):
        mutants = random.Random(given.seed).sample(
            mutants, given.sample
        )  # in any order: what is stopped is a sample, too
    if given.list:
        print("\n".join(str(Outcome(one, "")) for one in mutants), f"\n{len(mutants):,} mutants")
        return
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        outcomes = []
        for outcome in judged(mutants, Path(folder), given.jobs):
            outcomes.append(outcome)
            print(f"{len(outcomes):4} {outcome.fate:8} {str(outcome).splitlines()[0]}", file=sys.stderr)
            report(outcomes, given.output)  # what is known so far, should the run be stopped
        print(report(outcomes, given.output))


if __name__ == "__main__":
    main()
