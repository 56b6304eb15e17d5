"""The mutation run: what it looks at is there, and what became of a mutant is told rightly."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no forks")


@pytest.fixture(scope="module")
def mutants() -> Any:
    import mutants  # here, since Windows lacks what it needs

    return mutants


def test_every_target_is_there_and_has_tests(mutants: Any) -> None:
    for pattern in mutants.TARGETS:
        files = sorted(mutants.ROOT.glob(pattern))
        assert files, pattern
        for file in files:
            assert mutants.tests_of(file.relative_to(mutants.ROOT).as_posix())


def test_the_tests_that_share_a_word_with_a_file_come_first(mutants: Any) -> None:
    assert "ratings" in mutants.tests_of("src/tacit/audits/_ratings_kernels.py")[0]
    assert mutants.tests_of("src/tacit/audits/coherence.py")[0] == "tests/audits/test_audit_coherence.py"


def test_who_imports_a_module_by_way_of_others(mutants: Any) -> None:
    found = mutants.importers(mutants.ROOT, "src/tacit/audits/_entropy.py")
    assert "src/tacit/audits/l.py" in found and "src/tacit/audits/km.py" not in found


@pytest.mark.parametrize(
    ("code", "wanted"),
    [(0, "survived"), (1, "killed"), (-signal.SIGSEGV, "killed"), (-signal.SIGXCPU, "endless")],
)
def test_what_became_of_a_mutant(mutants: Any, code: int, wanted: str) -> None:
    (mutant,) = mutants.mutants_of("m.py", "x = a < b\n")
    assert mutants.fate(mutant, mutants.Ended(1, code, "FAILED tests/x.py::y\n", 0.1)).fate == wanted


def test_a_run_that_goes_round_in_a_circle_is_given_up(mutants: Any, tmp_path: Path) -> None:
    class Circle:
        def run(self, tests: list[str], output: Path) -> None:
            while True:
                pass

    runs = mutants.Runs(tmp_path)
    pid = runs.start(Circle(), [], most_seconds=1)
    ended = runs.ended()
    assert (ended.pid, ended.code) == (pid, -signal.SIGXCPU)
