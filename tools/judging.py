"""Tests against mutants: a plugin of pytest that collects all tests once, and then forks for each mutant.

The fork changes its own copy of what is loaded (`swapping.py`), and runs the tests that reach the changed place until
one fails. This process runs no test and no kernel itself, so that a fork of it is whole."""

from __future__ import annotations

import math
import os
import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib import import_module
from itertools import accumulate
from pathlib import Path

import pytest

from mutations import Mutant
from reaching import Reached, around, callers, calling, module_of, reaching
from swapping import NotLoaded, swap

FAULT = 3
LOADING = "whoever loads it"
EVERYTHING = "what a new test reaches, which nobody has watched"
PATIENCE, TIMES = 1800, 5
"""A mutant is given up that goes round in a circle, which nobody would overlook: when it has computed so many times as
long as the tests do without it, or waited for so many seconds."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    fate: str  # killed | survived | endless | unreached
    by: str = ""

    @property
    def lives(self) -> bool:
        return self.fate in ("survived", "unreached")

    def __str__(self) -> str:
        one = self.mutant
        return f"{one.file}:{one.line}: {one.what}\n  - {one.before}\n  + {one.after}"


@dataclass
class Judge:
    """A plugin of pytest that runs no test of its own, but those that concern each mutant."""

    mutants: list[Mutant]
    reached: Reached
    tests_of: dict[str, tuple[str, ...]]
    """Patterns of files of tests, by patterns of files that are mutated."""
    jobs: int
    tell: Callable[[Outcome], None]
    most_seconds: float = math.inf
    """Of tests, as they took without a mutant."""
    killers: dict[str, list[str]] = field(default_factory=dict)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        self.reached |= {test: (1.0, [EVERYTHING]) for test in items if test not in self.reached}
        for outcome in self.judged(items, session.config.rootpath):
            self.tell(outcome)
        return True

    def judged(self, items: dict[str, pytest.Item], root: Path) -> Iterator[Outcome]:
        waiting, running = list(reversed(self.mutants)), dict[int, tuple[Mutant, int]]()
        while waiting or running:
            while waiting and len(running) < self.jobs:
                mutant = waiting.pop()
                tests = self.few([test for test in self.tests_against(mutant, root) if test in items])
                if not tests:
                    yield Outcome(mutant, "unreached")
                    continue
                most = 60 + round(TIMES * sum(self.reached[test][0] for test in tests))
                pid, output = fork(mutant, [items[test] for test in tests], root, most)
                running[pid] = mutant, output
            if running:
                pid, status = os.wait()
                mutant, output = running.pop(pid)
                outcome = fate(mutant, os.waitstatus_to_exitcode(status), said(output))
                if outcome.fate == "killed":
                    self.killers.setdefault(mutant.file, []).append(outcome.by)
                yield outcome

    def few(self, tests: list[str]) -> list[str]:
        """The first ones that take no longer than is allowed, but at least one."""
        seconds = accumulate(self.reached[test][0] for test in tests)
        return tests[: max(1, sum(each <= self.most_seconds for each in seconds))]

    def tests_against(self, mutant: Mutant, root: Path) -> list[str]:
        """The tests that could notice a mutant: those that lately killed its like, then those whose file shares a word
        with the mutant's, then the quickest. Who stands beside one of its own words may look at what that has made."""
        patterns = next(patterns for source, patterns in self.tests_of.items() if fnmatch(mutant.file, source))
        concerned = {
            test: did for test, did in self.reached.items() if any(fnmatch(file_of(test), p) for p in patterns)
        }
        function, is_compiled = around(mutant.source, mutant.line)
        if function and not is_compiled:
            found = reaching(concerned, {f"{mutant.file}:{function}", EVERYTHING}, set())
        else:
            found = reaching(concerned, {EVERYTHING}, callers(root, mutant.file))
            direct = calling(root, set(map(file_of, concerned)), mutant.file)
            found += [test for test in concerned if file_of(test) in direct]
        own = {file_of(test) for test in found if words_of(file_of(test)) & words_of(mutant.file)}
        first = [test for test in found if file_of(test) in own]
        beside = [test for test in concerned if file_of(test) in own]
        lately = [test for test in reversed(self.killers.get(mutant.file, [])) if test in found]
        return list(dict.fromkeys([*lately, *first, *beside, *found]))


def file_of(test: str) -> str:
    return test.partition("::")[0]


def words_of(file: str) -> set[str]:
    """What a file is about, by its name."""
    return set(Path(file).stem.strip("_").split("_")) - {"", "kernels", "test", "audit"}


def fork(mutant: Mutant, items: list[pytest.Item], root: Path, most_seconds: int) -> tuple[int, int]:
    """A process that runs tests on a mutant until one fails, and where it says which."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    code, words = FAULT, ""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds + 10))
        signal.alarm(PATIENCE)
        silence()
        swap(mutant, import_module(module_of(mutant.file)))
        words = first_failure(items)
        code = int(bool(words))
    except NotLoaded:
        code, words = 1, LOADING
    except BaseException:  # noqa: BLE001, whatever it is: this process must not go on as if it were the other one
        words = traceback.format_exc()
    finally:
        os.write(writing, words.encode())
        os._exit(code)


def silence() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)


def first_failure(items: list[pytest.Item]) -> str:
    failures: list[str] = []

    class Listen:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                failures.append(report.nodeid)

    config = items[0].config
    config.pluginmanager.register(Listen())
    for item, following in zip(items, [*items[1:], None], strict=True):
        config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failures:
            return failures[0]
    return ""


def said(output: int) -> str:
    with os.fdopen(output) as file:
        return file.read()


def fate(mutant: Mutant, code: int, said: str) -> Outcome:
    if code in (-signal.SIGXCPU, -signal.SIGALRM):
        return Outcome(mutant, "endless")
    if code == FAULT:
        raise RuntimeError(f"{mutant.file}:{mutant.line}: {said}")
    return Outcome(mutant, "killed" if code else "survived", said)
