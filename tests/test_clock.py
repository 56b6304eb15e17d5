"""No test depends on how fast the machine is: none reads a clock, none expects a process to end in time.

How long things take is the business of `benchmarks/`. A test that starts processes passes `timeout=PATIENCE`, or none;
one that waits for something calls `support.waiting.until`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
CLOCK = re.compile(r"\b(perf_counter|monotonic|process_time|thread_time|clock_gettime)(_ns)?\b|\btime\.time(_ns)?\(")
CLOCKS = {"perf_counter", "monotonic", "process_time", "thread_time", "clock_gettime", "default_timer"}
LATE = {"TimeoutExpired", "TimeoutError"}


def dependencies(source: str) -> Iterator[str]:
    """What in a test depends on the clock, with its line."""
    tree = ast.parse(source)
    own = {inside for node in ast.walk(tree) if replaces_a_clock(node) for inside in ast.walk(node)}
    for node in ast.walk(tree):
        found = None if node in own else of_node(node)
        if found:
            yield f"line {node.lineno}: {found}"  # type: ignore[attr-defined]


def replaces_a_clock(node: ast.AST) -> bool:
    """Whether a test gives the code a clock of its own: then it depends on none."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("monkeypatch.setattr")


def of_node(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name | ast.Attribute | ast.alias):
        return of_name(node)
    if isinstance(node, ast.keyword) and node.arg == "timeout" and not is_patient(node.value):
        return f"timeout={ast.unparse(node.value)} is no safety net; use PATIENCE of support.waiting"
    if isinstance(node, ast.ImportFrom) and node.module == "time" and any(each.name == "time" for each in node.names):
        return "the clock time.time"
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and (clock := CLOCK.search(node.value)):
        return f"the clock {clock[0]}, in a text"
    return None


def of_name(node: ast.Name | ast.Attribute | ast.alias) -> str | None:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else node.name
    if name.removesuffix("_ns") in CLOCKS:
        return f"the clock {name}"
    if isinstance(node, ast.Attribute) and ast.unparse(node) in ("time.time", "time.time_ns"):
        return f"the clock {ast.unparse(node)}"
    return f"{name} is expected" if name in LATE else None


def is_patient(value: ast.expr) -> bool:
    """The safety net, or none."""
    return ast.unparse(value) in ("PATIENCE", "None")


FILES = sorted({*TESTS.rglob("*.py")} - {Path(__file__)})


def test_no_test_depends_on_the_clock() -> None:
    found = [f"{file.relative_to(TESTS)}, {what}" for file in FILES for what in dependencies(file.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("assert time.perf_counter() - start < 20", "the clock perf_counter"),
        ("from time import monotonic_ns as now", "the clock monotonic_ns"),
        ("from time import time", "the clock time.time"),
        ("start = time.time()", "the clock time.time"),
        ("timeit.default_timer()", "the clock default_timer"),
        ("run(['python', '-c', 'import time; print(time.time())'])", "the clock time.time(, in a text"),
        ("subprocess.run(command, timeout=5)", "timeout=5 is no safety net; use PATIENCE of support.waiting"),
        ("with pytest.raises(subprocess.TimeoutExpired): pass", "TimeoutExpired is expected"),
    ],
)
def test_what_is_found(source: str, wanted: str) -> None:
    assert list(dependencies(f"def test():\n    {source}")) == [f"line 2: {wanted}"]


@pytest.mark.parametrize(
    "source",
    ["run(timeout=PATIENCE)", "run(timeout=None)", "time.sleep(1)", "times = 3", "assert cell['status'] == 'timeout'"],
)
def test_what_is_not(source: str) -> None:
    assert list(dependencies(source)) == []


def test_hypothesis_has_no_deadline_either() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
