"""`make mutants`: do the tests notice small faults in the audits, and in what decides about a release?

Each mutant is the project with one place changed (`mutations.py`). The tests that reach that place (`reaching.py`) run
on it until one fails (`judging.py`): first those by which the last mutants of the file fell, then the quickest. A
mutant that all of them pass has survived. Half of a sample is drawn from the audits, half from what decides:

    python tools/mutants.py --sample 150 --seed 1
    python tools/mutants.py --files 'src/tacit/audits/l.py'

Survivors are printed and kept, with all others, in out/mutants/. `--resume` goes on from there: who was killed is dead,
survivors meet the tests again, above all new ones. Two options spare tests, and who survives then has not survived
all: with `--most 5` each mutant meets only the likeliest of them, which took five seconds without it; with
`--tests 'tests/audits/*.py'` only those of these files, and no others need be watched before the first is judged."""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from fnmatch import fnmatch
from itertools import islice, zip_longest
from pathlib import Path

import pytest

from judging import Judge, Outcome
from mutations import Mutant, mutants_of
from reaching import Reached, Watch
from swapping import can_be_swapped

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = (".git", ".venv*", ".*_cache", "out", "site")
"""What a copy of the project does without; all else may be what a test looks at."""
AUDITED = tuple(f"tests/exams/test_{exam}.py" for exam in ("definitions", "boundaries", "results"))
READ = ("tests/ratings/test_rating*.py", "tests/slices/test_slice_release.py")  # what only releases show to readers
RELEASES = ("tests/exams/*.py", "tests/commands/test_cli_release.py", "tests/commands/test_cli_bad_input.py")
TESTS: dict[str, tuple[str, ...]] = {
    "src/tacit/audits/*.py": (
        "tests/audits/*.py",
        *AUDITED,
        "tests/ratings/test_ra*.py",
        "tests/slices/test_slice_r*",
    ),
    "src/tacit/baskets/*.py": ("tests/baskets/test_*.py", *RELEASES),
    "src/tacit/records/*.py": ("tests/records/test_*.py", *RELEASES),
    "src/tacit/slices/*.py": ("tests/slices/test_*.py", *RELEASES),
    "src/tacit/ratings/*.py": ("tests/ratings/test_*.py", *RELEASES),
    "src/tacit/*.py": (*RELEASES, "tests/test_*.py", "tests/io/*.py", "tests/job/*.py"),
}
"""Which tests may concern which files; the first pattern that fits counts."""
AUDITS = ("src/tacit/audits/**/*.py", "src/tacit/job/checks.py")
DECISIONS = (
    "src/tacit/*/publish.py",
    "src/tacit/*/checks.py",
    "src/tacit/*/reach.py",
    "src/tacit/*/methods/*.py",
    "src/tacit/*/solvers/*.py",
    "src/tacit/records/kind.py",
    "src/tacit/flow.py",
    "src/tacit/steps/*.py",
    "src/tacit/shuffle.py",
)
"""What is mutated unless --files says otherwise: audits, and where releases are decided, shuffled and numbered."""


def drawn(files: list[str] | None, sample: int | None, seed: int) -> list[Mutant]:
    """The mutants of these files; else of audits and decisions, as many of each. What is stopped is a sample, too."""
    parts = [files] if files else [list(AUDITS), list(DECISIONS)]
    found = []
    for number, patterns in enumerate(parts):
        mutants = all_mutants(patterns)
        random.Random(seed).shuffle(mutants)
        can = (one for one in mutants if can_be_swapped(one, (ROOT / one.file).read_text("utf-8")))
        found.append(list(islice(can, None if sample is None else (sample + number) // len(parts))))
    return [one for several in zip_longest(*found) for one in several if one]


def all_mutants(patterns: list[str]) -> list[Mutant]:
    files = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
    return [one for file in files for one in mutants_of(file.relative_to(ROOT).as_posix(), file.read_text("utf-8"))]


def tests_of(file: str, among: Sequence[str] = ("*",)) -> list[str]:
    """The files of tests that may concern a file, of those that one of these patterns fits."""
    patterns = next(patterns for source, patterns in TESTS.items() if fnmatch(file, source))
    found = {path for pattern in patterns for path in ROOT.glob(pattern) if path.name.startswith("test_")}
    files = sorted(path.relative_to(ROOT).as_posix() for path in found)
    return [one for one in files if any(fnmatch(one, pattern) for pattern in among)]


def digest(mutant: Mutant) -> str:
    return hashlib.sha256(f"{mutant.file} {mutant.source}".encode()).hexdigest()[:16]


# --- a run --------------------------------------------------------------------------------------------------------


def judge(mutants: list[Mutant], outcomes: list[Outcome], folder: Path, given: argparse.Namespace) -> None:
    """Judges mutants in a copy of the project, and adds what became of them to `outcomes`."""

    def tell(outcome: Outcome) -> None:
        outcomes.append(outcome)
        print(f"{len(outcomes):4} {outcome.fate:9} {str(outcome).splitlines()[0]}", file=sys.stderr, flush=True)
        report(outcomes, folder)  # what is known so far, should the run be stopped

    tests = sorted({test for mutant in mutants for test in tests_of(mutant.file, given.tests)})
    with tempfile.TemporaryDirectory(prefix="mutants-") as copy:
        enter(Path(copy))
        reached = known(folder / "reached.json", tests, Path(copy))
        run(tests, Judge(mutants, reached, TESTS, given.jobs, tell, given.most))


def enter(copy: Path) -> None:
    """Goes to a copy of the project, with the kernels that are compiled."""
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "src")
    sys.path[:0] = [str(copy / "src"), str(copy)]


def known(file: Path, tests: list[str], copy: Path) -> Reached:
    """What each test reaches, on the project as it is. An earlier run may have seen it; else all tests must pass."""
    found: Reached = json.loads(file.read_text("utf-8")) if file.exists() else {}
    seen = {test.partition("::")[0] for test in found}
    if new := [test for test in tests if test not in seen]:
        pid = os.fork()
        if not pid:
            file.parent.mkdir(parents=True, exist_ok=True)
            os._exit(run(new, Watch(copy, file, found)))
        if os.waitpid(pid, 0)[1]:
            sys.exit("the tests fail without any mutant")
        found = json.loads(file.read_text("utf-8"))
    return found


def run(tests: list[str], plugin: object) -> int:
    return int(pytest.main(["-x", "-q", "-s", "-p", "no:cacheprovider", *tests], plugins=[plugin]))


# --- what is kept of it -------------------------------------------------------------------------------------------


def report(outcomes: list[Outcome], folder: Path) -> str:
    """What happened, printed and kept."""
    living = [one for one in outcomes if one.lives]
    text = "\n\n".join(f"{one}\n  {one.fate}" for one in living)
    text += f"\n\n{len(outcomes)} mutants, {len(outcomes) - len(living)} killed, {len(living)} survived\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "survivors.txt").write_text(text.lstrip(), "utf-8")
    found = [as_dict(one) for one in outcomes]
    (folder / "mutants.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return text


def as_dict(one: Outcome) -> dict[str, object]:
    about = {key: value for key, value in asdict(one.mutant).items() if key != "source"}
    return {**about, "digest": digest(one.mutant), "fate": one.fate, "by": one.by}


def dead(mutants: list[Mutant], folder: Path) -> list[Outcome]:
    """Those of the mutants that an earlier run has killed."""
    kept = folder / "mutants.json"
    known = {one["digest"]: one for one in json.loads(kept.read_text("utf-8"))} if kept.exists() else {}
    found = [Outcome(one, was["fate"], was["by"]) for one in mutants if (was := known.get(digest(one)))]
    return [one for one in found if not one.lives]


def main() -> None:
    parser = argparse.ArgumentParser(description="Do the tests notice small faults?")
    parser.add_argument("--files", nargs="+", metavar="GLOB", help="what to mutate")
    parser.add_argument("--sample", type=int, metavar="N", help="only so many mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--most", type=float, default=math.inf, metavar="SECONDS", help="of tests, for each of them")
    parser.add_argument("--tests", nargs="+", metavar="GLOB", default=["*"], help="only these files of tests")
    parser.add_argument("--list", action="store_true", help="only list them")
    parser.add_argument("--resume", action="store_true", help="go on from what DIR has of an earlier run")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "out" / "mutants", metavar="DIR")
    given = parser.parse_args()
    mutants = drawn(given.files, given.sample, given.seed)
    if given.list:
        print("\n".join(str(Outcome(one, "")) for one in mutants), f"\n{len(mutants):,} mutants")
        return
    folder = given.output.resolve()
    if not given.resume:
        (folder / "reached.json").unlink(missing_ok=True)
    outcomes = dead(mutants, folder) if given.resume else []
    over = {digest(one.mutant) for one in outcomes}
    judge([one for one in mutants if digest(one) not in over], outcomes, folder, given)
    print(report(outcomes, folder))


if __name__ == "__main__":
    main()
