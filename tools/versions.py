"""`make versions`: the samples and the exam on the lowest and on the newest versions that pyproject.toml allows.

Each has an environment of its own, .venvs/lowest and .venvs/newest, into which the project is installed as users
install it. Prints which versions that came to, and what passed; ends with 1 if anything did not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ("baskets", "records", "slices", "ratings")
FOR_TESTS = (
    "pytest", "hypothesis", "pandas", "polars", "fastexcel", "xlsxwriter", "pyreadstat", "psycopg", "pymysql",
    "connectorx",
)  # fmt: skip
"""Of the development group, what the tests below need."""
TESTS = ("tests/exams", "tests/io", "tests/test_api.py")


class Bound(NamedTuple):
    """A dependency as pyproject.toml has it, such as numpy>=2.0."""

    name: str
    extras: str
    lowest: str

    def pinned(self, which: str) -> str:
        bound = "==" if which == "lowest" else ">="
        return f"{self.name}{self.extras}{bound}{self.lowest}"


def bounds() -> list[Bound]:
    """Of all dependencies, and of what the tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    own = [read(text) for text in project["project"]["dependencies"]]
    others = [read(text) for text in project["dependency-groups"]["dev"]]
    return own + [bound for bound in others if bound.name in FOR_TESTS]


def read(text: str) -> Bound:
    found = re.fullmatch(r"([\w.-]+)(\[[\w,-]+\])?>=([\w.]+)(?:,<[\w.]+)?", text.replace(" ", ""))
    if found is None:
        sys.exit(f"pyproject.toml: {text!r} has no lowest version that this can read")
    return Bound(found[1], found[2] or "", found[3])


class Tried(NamedTuple):
    """How something ended: "passes" or how many tests passed, else the last of what it said."""

    holds: bool
    said: str


class Environment:
    """An environment of its own, with the project in it."""

    def __init__(self, which: str) -> None:
        self.which, self.folder = which, ROOT / ".venvs" / which
        self.python = self.folder / "bin" / "python"
        self.env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def install(self) -> None:
        venv.EnvBuilder(clear=True, with_pip=True).create(self.folder)
        wanted = [bound.pinned(self.which) for bound in bounds()]
        self._pip("install", "--quiet", "--upgrade", "pip>=25.1")
        self._pip("install", "--quiet", *["--upgrade"] * (self.which == "newest"), ROOT, *wanted)

    def versions(self) -> dict[str, str]:
        listed = json.loads(self._pip("list", "--format", "json", capture_output=True).stdout)
        return {normal(one["name"]): one["version"] for one in listed}

    def results(self) -> Iterator[tuple[str, Tried]]:
        """What was tried, and how it ended."""
        with tempfile.TemporaryDirectory() as folder:
            for sample in SAMPLES:
                yield f"sample {sample}", self._sample(sample, Path(folder) / sample)
        for tests in TESTS:
            yield tests, self._ended([self.python, "-m", "pytest", "-x", tests])

    def _sample(self, name: str, target: Path) -> Tried:
        made = self._ended([self.folder / "bin" / "tacit", "demo", name, "-o", target])
        if not made.holds:
            return made
        (published,) = (target / "public").glob("data.*")
        job = target / "private" / "job.toml"
        return self._ended([self.folder / "bin" / "tacit", "audit", job, published, "--original"])

    def _ended(self, command: list[str | Path]) -> Tried:
        ended = subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, check=False)
        if ended.returncode:
            return Tried(False, (ended.stdout + ended.stderr)[-2000:])
        counted = re.search(r"^\d+ passed", ended.stdout, re.MULTILINE)
        return Tried(True, counted[0] if counted else "passes")

    def _pip(self, *arguments: str | Path, capture_output: bool = False) -> subprocess.CompletedProcess[str]:
        command = [self.python, "-m", "pip", *arguments]
        ended = subprocess.run(command, env=self.env, check=False, capture_output=capture_output, text=True)
        if ended.returncode:
            sys.exit(f"{self.which}: pip {' '.join(map(str, arguments))} ended with {ended.returncode}")
        return ended


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def table(header: list[str], rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def main() -> None:
    chosen = sys.argv[1:] or ["lowest", "newest"]
    if not set(chosen) <= {"lowest", "newest"}:
        sys.exit("usage: python tools/versions.py [lowest] [newest]")
    versions, results = [], []
    for which in chosen:
        environment = Environment(which)
        print(f"{which}: installing", file=sys.stderr)
        environment.install()
        versions.append(environment.versions())
        results.append({})
        for what, ended in environment.results():
            print(f"{which}: {what}: {ended.said}", file=sys.stderr)
            results[-1][what] = ended.said if ended.holds else "FAILS"
    names = [normal(bound.name) for bound in bounds()]
    print(table(["package", *chosen], [[name, *(found[name] for found in versions)] for name in names]), end="\n\n")
    print(table(["tried", *chosen], [[what, *(found[what] for found in results)] for what in results[0]]))
    if any("FAILS" in found.values() for found in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
