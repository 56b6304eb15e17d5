"""No test depends on how fast the machine is: none reads a clock, none expects a process to end in time.

How long things take is the business of `benchmarks/`. A test that starts processes passes `timeout=PATIENCE`, or none;
one that waits for something calls `support.waiting.until`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
IN_TEXT = re.compile(
    r"\b(perf_counter|monotonic|process_time|thread_time|clock_gettime)(_ns)?\b|\btime\.time(_ns)?\("
    r"|\b(utc)?now\(\)|\bos\.times\b|\bgetrusage\b|\bdefault_timer\b"
)
CLOCKS = {"perf_counter", "monotonic", "process_time", "thread_time", "clock_gettime", "default_timer"}
CLOCKS |= {"getrusage", "setitimer", "alarm", "utcnow", "today"}
OF_MODULES = {"time": {"sleep"}, "timeit": set(), "resource": set(), "sched": set()}
"""Modules that are about time, and what a test may use of them."""
OF_OTHERS = {"os.times", "datetime.now", "datetime.datetime.now", "Timestamp.now", "mark.timeout"}
LATE = {"TimeoutExpired", "TimeoutError"}
WAITING = {"wait": 0, "join": 0, "acquire": 1, "communicate": 1, "result": 0}
"""Methods that wait, and which of their arguments says how long."""


def dependencies(source: str) -> Iterator[str]:
    """What in a test depends on the clock, with its line."""
    nodes = list(ast.walk(ast.parse(source)))
    of_time = modules_of_time(nodes)
    fine = {inside for node in nodes for inside in replaced_clocks(node)}
    fine |= {node.value for node in nodes if isinstance(node, ast.Attribute) and may_be_used(node, of_time)}
    for node in nodes:
        found = None if node in fine else of_node(node, of_time)
        if found:
            yield f"line {node.lineno}: {found}"  # type: ignore[attr-defined]


def replaced_clocks(node: ast.AST) -> Iterator[ast.AST]:
    """What names the clock in a call that gives the code one of the test's own: the test depends on none then."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "setattr"
        and ast.unparse(node.func.value).endswith("monkeypatch")
    ):
        yield from (inside for target in node.args[:-1] for inside in ast.walk(target))


def modules_of_time(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """By which names a test knows modules that are about time."""
    imported = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {alias.asname or alias.name: alias.name for alias in imported if alias.name in OF_MODULES}


def may_be_used(node: ast.Attribute, of_time: dict[str, str]) -> bool:
    return isinstance(node.value, ast.Name) and node.attr in OF_MODULES.get(of_time.get(node.value.id, ""), ())


def of_node(node: ast.AST, of_time: dict[str, str]) -> str | None:
    if isinstance(node, ast.Name) and node.id in of_time:
        return f"the module {of_time[node.id]}"
    if isinstance(node, ast.Name | ast.Attribute | ast.alias):
        return of_name(node)
    if isinstance(node, ast.keyword) and node.arg == "timeout" and not is_patient(node.value):
        return f"timeout={ast.unparse(node.value)} is no safety net; use PATIENCE of support.waiting"
    if isinstance(node, ast.ImportFrom):
        return of_import(node)
    if isinstance(node, ast.Call):
        return of_call(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and (clock := IN_TEXT.search(node.value)):
        return f"the clock {clock[0]}, in a text"
    return None


def of_name(node: ast.Name | ast.Attribute | ast.alias) -> str | None:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else node.name
    if name.removesuffix("_ns") in CLOCKS:
        return f"the clock {name}"
    whole = ast.unparse(node) if name in ("now", "times", "timeout") else name
    if any(whole == clock or whole.endswith(f".{clock}") for clock in OF_OTHERS):
        return f"the clock {whole}"
    return f"{name} is expected" if name in LATE else None


def of_import(node: ast.ImportFrom) -> str | None:
    """`from time import time as now`, and all else of such a module that tells the time."""
    if node.module not in OF_MODULES:
        return None
    names = [each.name for each in node.names if each.name not in OF_MODULES[node.module]]
    return f"of the module {node.module}: {', '.join(names)}" if names else None


def of_call(node: ast.Call) -> str | None:
    """`thread.join(5)`, and settings by `**`: a time that has no name before it."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    given = node.args[WAITING[name] :][:1] if name in WAITING else []
    if any(isinstance(each, ast.Constant) and isinstance(each.value, int | float) for each in given):
        return f"{name} does not wait for more than {ast.unparse(given[0])} seconds; use PATIENCE of support.waiting"
    spread = [each.value for each in node.keywords if each.arg is None and isinstance(each.value, ast.Dict)]
    if any(isinstance(key, ast.Constant) and key.value == "timeout" for each in spread for key in each.keys):
        return "a timeout that is no safety net; use PATIENCE of support.waiting"
    return None


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
        ("assert perf_counter() - start < 20", "the clock perf_counter"),
        ("assert clock.process_time_ns() < 20", "the clock process_time_ns"),
        ("from time import monotonic_ns as now", "of the module time: monotonic_ns"),
        ("from time import sleep, time as now", "of the module time: time"),
        ("from timeit import repeat", "of the module timeit: repeat"),
        ("import time as t; start = t.time()", "the module time"),
        ("import time; start = getattr(time, 'mono' + 'tonic')()", "the module time"),
        ("import resource; resource.getrusage", "the module resource"),
        ("assert datetime.datetime.now() < then", "the clock datetime.datetime.now"),
        ("before = pd.Timestamp.now()", "the clock pd.Timestamp.now"),
        ("assert os.times().user < 3", "the clock os.times"),
        ("signal.alarm(5)", "the clock alarm"),
        ("pytest.mark.timeout(5)", "the clock pytest.mark.timeout"),
        ("run(['python', '-c', 'import time; print(time.time())'])", "the clock time.time(, in a text"),
        ("run(['python', '-c', 'print(datetime.now())'])", "the clock now(), in a text"),
        ("monkeypatch.setattr(module, 'is_quick', lambda: perf_counter() < 5)", "the clock perf_counter"),
        ("subprocess.run(command, timeout=5)", "timeout=5 is no safety net; use PATIENCE of support.waiting"),
        (
            "subprocess.run(command, **{'timeout': 5})",
            "a timeout that is no safety net; use PATIENCE of support.waiting",
        ),
        ("thread.join(5)", "join does not wait for more than 5 seconds; use PATIENCE of support.waiting"),
        (
            "child.communicate(None, 0.5)",
            "communicate does not wait for more than 0.5 seconds; use PATIENCE of support.waiting",
        ),
        ("with pytest.raises(subprocess.TimeoutExpired): pass", "TimeoutExpired is expected"),
    ],
)
def test_what_is_found(source: str, wanted: str) -> None:
    assert f"line 2: {wanted}" in list(dependencies(f"def test():\n    {source}"))


@pytest.mark.parametrize(
    "source",
    [
        "run(timeout=PATIENCE)",
        "run(timeout=None)",
        "import time; time.sleep(1)",
        "from time import sleep",
        "times = 3",
        "datetime(2001, 1, 2)",
        "','.join(names)",
        "cells.get('name', 1)",
        "child.wait()",
        "self.now = 0.0",
        "monkeypatch.setattr('tacit.commands.progress.time.monotonic', clock)",
        "assert cell['status'] == 'timeout'",
    ],
)
def test_what_is_not(source: str) -> None:
    assert list(dependencies(source)) == []


def test_hypothesis_has_no_deadline_either() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
