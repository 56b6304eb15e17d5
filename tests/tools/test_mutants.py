"""The mutation run: what it looks at is there, mutants take the place of what is loaded, their fate is told rightly."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mutations import mutants_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no forks")


@pytest.fixture(scope="module")
def mutants() -> Any:
    import mutants  # here, since Windows lacks what it needs

    return mutants


@pytest.fixture(scope="module")
def judging() -> Any:
    import judging

    return judging


def test_every_target_is_there_and_has_tests(mutants: Any) -> None:
    for pattern in (*mutants.AUDITS, *mutants.DECISIONS):
        files = sorted(mutants.ROOT.glob(pattern))
        assert files, pattern
        for file in files:
            assert mutants.tests_of(file.relative_to(mutants.ROOT).as_posix())


def test_tests_can_be_spared(mutants: Any) -> None:
    everything = mutants.tests_of("src/tacit/audits/l.py")
    some = mutants.tests_of("src/tacit/audits/l.py", ["tests/audits/test_l.py", "tests/exams/*"])
    assert "tests/audits/test_l.py" in some and "tests/audits/test_k.py" not in some
    assert some == [one for one in everything if one.startswith(("tests/audits/test_l.py", "tests/exams/"))]


REACHED = {
    "tests/audits/test_far.py::test_quick": (0.1, ["src/tacit/audits/l.py:audit"]),
    "tests/audits/test_l.py::test_slow": (9.0, ["src/tacit/audits/l.py:audit"]),
    "tests/audits/test_l.py::test_beside": (0.1, []),
    "tests/audits/test_far.py::test_killer": (5.0, ["src/tacit/audits/l.py:audit"]),
    "tests/audits/test_far.py::test_of_others": (0.1, ["src/tacit/audits/k.py:audit"]),
}


def test_killers_come_first_then_the_tests_of_the_file_then_the_quickest(mutants: Any, judging: Any) -> None:
    (mutant,) = mutants_of("src/tacit/audits/l.py", "def audit(a, b):\n    return a < b\n")
    judge = judging.Judge([mutant], REACHED, mutants.TESTS, 1, print)
    judge.killers = {mutant.file: ["tests/audits/test_far.py::test_killer"]}
    found = [test.partition("::test_")[2] for test in judge.tests_against(mutant, mutants.ROOT)]
    assert found == ["killer", "slow", "beside", "quick"]


def test_calls_are_seen_but_not_those_of_the_compiler(tmp_path: Path) -> None:
    from numba.core.event import trigger_event

    from reaching import Watch

    def ours() -> None: ...
    def of_the_compiler() -> None: ...
    def ours_again() -> None: ...

    watch, before = Watch(tmp_path, tmp_path / "reached.json", {}), sys.gettrace()
    watch.pytest_sessionstart()
    sys.settrace(watch.see)
    ours()
    with trigger_event("numba:compile", data={"dispatcher": None}):
        of_the_compiler()
        with trigger_event("numba:compile", data={"dispatcher": None}):
            of_the_compiler()
        of_the_compiler()
    ours_again()
    sys.settrace(before)
    watch.pytest_sessionfinish()
    names = {code.co_name for code in watch.called}
    assert {"ours", "ours_again"} <= names
    assert "of_the_compiler" not in names


@pytest.mark.slow
def test_who_may_call_a_kernel(mutants: Any) -> None:
    from reaching import callers

    found = callers(mutants.ROOT, "src/tacit/audits/_km_kernels.py")
    assert "src/tacit/audits/km.py" in found and "src/tacit/audits/cahd.py" not in found


def test_a_test_that_calls_a_kernel_itself_reaches_it(mutants: Any, judging: Any) -> None:
    file = "src/tacit/baskets/solvers/_merging.py"
    (mutant,) = mutants_of(file, "@kernel\ndef compare_costs(a, b):\n    return a < b\n")
    direct, other = "tests/baskets/test_pcta.py::test_direct", "tests/baskets/test_cahd.py::test_other"
    judge = judging.Judge([mutant], {each: (0.1, []) for each in (direct, other)}, mutants.TESTS, 1, print)
    assert judge.tests_against(mutant, mutants.ROOT) == [direct]


SOURCE = """
from functools import cache
from numba import njit

LEAST = 2

@cache
def is_enough(n):
    return n > LEAST

class Some:
    @property
    def other(self):
        return [n + 1 for n in (1, 2)]

@njit
def inner(n):
    return n + 1

@njit
def kernel(n):
    return inner(n) * 10

def limited(n=5):
    return n
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of the package, as far as anybody can tell."""
    file = tmp_path / "some.py"
    file.write_text(SOURCE)
    made = ModuleType("tacit.some")
    made.__file__ = str(file)
    monkeypatch.setitem(sys.modules, made.__name__, made)
    exec(compile(SOURCE, made.__file__, "exec"), vars(made))
    return made


@pytest.mark.parametrize(
    ("changed", "asked", "before", "after"),
    [
        ("n >= LEAST", "is_enough(2)", False, True),
        pytest.param("LEAST = (2 + 1)", "is_enough(3)", True, False, marks=pytest.mark.slow),
        pytest.param("n + (1 + 1) for", "Some().other", [2, 3], [3, 4], marks=pytest.mark.slow),
        ("return n + (1 + 1)", "kernel(0)", 10, 20),
    ],
)
def test_a_mutant_takes_the_place_of_what_is_loaded(
    module: ModuleType, changed: str, asked: str, before: object, after: object
) -> None:
    """Wherever a decorator, a class or a compiled caller has kept the original."""
    from swapping import can_be_swapped, swap

    (mutant,) = [one for one in mutants_of("some.py", SOURCE) if changed in one.source]
    assert can_be_swapped(mutant, SOURCE)
    if "kernel" not in asked:  # what is compiled once is compiled: the run of mutants calls no kernel before
        assert eval(asked, vars(module)) == before
        module.is_enough.cache_clear()
    swap(mutant, module)
    assert eval(asked, vars(module)) == after


def test_a_default_is_not_swapped() -> None:
    from swapping import can_be_swapped

    assert not any(can_be_swapped(one, SOURCE) for one in mutants_of("some.py", SOURCE) if "n=(5" in one.source)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [(0, "survived"), (1, "killed"), (-signal.SIGSEGV, "killed"), (-signal.SIGXCPU, "endless")],
)
def test_what_became_of_a_mutant(judging: Any, code: int, wanted: str) -> None:
    (mutant,) = mutants_of("m.py", "x = a < b\n")
    outcome = judging.fate(mutant, code, "tests/x.py::y")
    assert outcome.fate == wanted and outcome.lives == (wanted == "survived")


def test_a_fault_of_the_run_is_no_death(judging: Any) -> None:
    (mutant,) = mutants_of("m.py", "x = a < b\n")
    with pytest.raises(RuntimeError, match=r"m\.py:1: whatever"):
        judging.fate(mutant, judging.FAULT, "whatever")


def test_what_cannot_be_loaded_is_dead(module: ModuleType, judging: Any, tmp_path: Path) -> None:
    source = "ONE, TWO = range(2)\n"
    vars(module).update(ONE=0, TWO=1)
    (mutant,) = [one for one in mutants_of("src/tacit/some.py", source) if "range((2 + 1))" in one.source]
    pid, output = judging.fork(mutant, [], tmp_path, 10)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    outcome = judging.fate(mutant, code, judging.said(output))
    assert (outcome.fate, outcome.by) == ("killed", judging.LOADING)


def test_who_was_killed_before_is_dead(mutants: Any, tmp_path: Path) -> None:
    one, other = mutants_of("m.py", "x = a < b > c\n")
    mutants.report([mutants.Outcome(one, "killed", "t"), mutants.Outcome(other, "survived")], tmp_path)
    assert [found.mutant for found in mutants.dead([one, other], tmp_path)] == [one]
    assert "1 killed, 1 survived" in (tmp_path / "survivors.txt").read_text()
