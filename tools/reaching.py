"""Which tests reach which functions: so that a mutant meets those alone that could notice it, the quickest first.

Python tells of every call of its own functions, and nothing of calls inside machine code. So tests reach a kernel if
they reach a function of a module that imports its file, or import it themselves. What a command does in a process of
its own is not seen."""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

KERNELS = {"kernel", "inner", "part", "within"}
Reached = dict[str, tuple[float, list[str]]]
"""Of each test how many seconds it computed, and the functions that it called: "src/tacit/audits/k.py:audit"."""


class Watch:
    """A plugin of pytest that writes down what each test calls, a file of tests at a time, should the run be stopped.

    While Numba compiles it looks away: that would take many times as long, and calls none of our functions. Nor does
    it count as time of the test, for it is done once.
    """

    def __init__(self, folder: Path, output: Path, found: Reached) -> None:
        self.folder, self.output, self.found = folder, output, found
        self.names: dict[CodeType, str | None] = {}
        self.called: set[CodeType] = set()
        self.of_file: Reached = {}
        self.looks_away, self.since, self.aside = 0, 0.0, 0.0

    def pytest_sessionstart(self) -> None:
        from numba.core import event

        event.register("numba:compile", self.compilations)

    def pytest_sessionfinish(self) -> None:
        from numba.core import event

        event.unregister("numba:compile", self.compilations)

    @cached_property
    def compilations(self) -> Any:
        """What Numba tells when it begins to compile, and when that is done; a kernel may need others first."""
        from numba.core.event import Listener

        watch = self

        class Compilations(Listener):  # type: ignore[misc]
            def on_start(self, event: object) -> None:
                if not watch.looks_away:
                    sys.settrace(None)
                    watch.since = time.process_time()
                watch.looks_away += 1

            def on_end(self, event: object) -> None:
                watch.looks_away -= 1
                if not watch.looks_away:
                    watch.aside += time.process_time() - watch.since
                    sys.settrace(watch.see)

        return Compilations()

    def see(self, frame: FrameType, event: str, argument: object) -> None:
        self.called.add(frame.f_code)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        self.called, self.aside, start = set(), 0.0, time.process_time()
        sys.settrace(self.see)
        yield
        sys.settrace(None)
        names = {name for code in self.called if (name := self.name(code))}
        self.of_file[item.nodeid] = time.process_time() - start - self.aside, sorted(names)
        if not item.session.testsfailed and (nextitem is None or nextitem.path != item.path):
            self.found |= self.of_file
            self.of_file = {}
            self.output.write_text(json.dumps(self.found), "utf-8")

    def name(self, code: CodeType) -> str | None:
        """A function by its file and its name; none if it is not ours."""
        if code not in self.names:
            file = Path(code.co_filename)
            ours = file.is_relative_to(self.folder / "src")
            self.names[code] = f"{file.relative_to(self.folder).as_posix()}:{code.co_qualname}" if ours else None
        return self.names[code]


def reaching(reached: Reached, functions: set[str], files: set[str]) -> list[str]:
    """The tests that reach one of these functions, or any function of one of these files; the quickest first."""
    found = []
    for test, (seconds, called) in reached.items():
        if any(name in functions or name.partition(":")[0] in files for name in called):
            found.append((seconds, test))
    return [test for _, test in sorted(found)]


def around(source: str, line: int) -> tuple[str | None, bool]:
    """The function or method that a line belongs to, by its qualified name, and whether it is compiled."""
    within, nodes = "", list[ast.AST](ast.parse(source).body)
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.lineno <= line <= (node.end_lineno or 0):
            if isinstance(node, ast.FunctionDef):
                return f"{within}{node.name}", bool({ast.unparse(one) for one in node.decorator_list} & KERNELS)
            within = f"{node.name}."
            nodes += node.body
    return None, False


def callers(folder: Path, file: str) -> set[str]:
    """The files whose functions may call the kernels of a file, at once or by way of other kernels."""
    found, waiting = {file}, [file]
    while waiting:
        wanted = module_of(waiting.pop())
        for path, names in imports_below(folder).items():
            if wanted in names and path not in found:
                found.add(path)
                if "tacit.arrays.jit" in names:
                    waiting.append(path)
    return found


def calling(folder: Path, tests: Iterable[str], file: str) -> set[str]:
    """Of these files of tests those that import a file, and so may call its kernels with nobody of ours in between."""
    wanted = module_of(file)
    return {test for test in tests if any(f"{name}.".startswith(f"{wanted}.") for name in imports_of(folder / test))}


def module_of(file: str) -> str:
    return ".".join(Path(file).with_suffix("").parts[1:]).removesuffix(".__init__")


@cache
def imports_below(folder: Path) -> dict[str, set[str]]:
    """What each file of the package imports."""
    return {path.relative_to(folder).as_posix(): imports_of(path) for path in (folder / "src").rglob("*.py")}


@cache
def imports_of(path: Path) -> set[str]:
    """The modules that a file imports, and what it takes from them."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names
