"""The fuzzer finds what it looks for, and makes the same input again from its number."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from random import Random

import pytest
from tools.fuzz import __main__ as fuzz
from tools.fuzz import cases, worker
from tools.fuzz.bench import Bench, state_of
from tools.fuzz.cases import CASES, prepare
from tools.fuzz.damage import damaged, other_words

from support.seeds import first_fast

BROKEN = """
import os, sys
from pathlib import Path
from tools.fuzz import worker

def broken():
    {fault}

worker.tacit = broken
worker.main()
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "whole"
    prepare(folder)
    return folder


def test_the_same_number_gives_the_same_input() -> None:
    content = (cases.CORPUS / "baskets" / "job.toml").read_bytes()
    made = [damaged(content, Random(number)) for number in range(200)]
    assert made == [damaged(content, Random(number)) for number in range(200)]
    assert len(set(made)) > 150
    words = list(CASES[-1].words)
    made_of = [other_words(words, Random(number)) for number in range(3000)]
    assert made_of == [other_words(words, Random(number)) for number in range(3000)]
    assert words == list(CASES[-1].words)


@pytest.mark.slow
def test_whole_inputs_are_in_order(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any damage every command does what it should, but for those that no recoding can be used again by."""
    monkeypatch.setattr(worker, "damaged", lambda content, draw: content)
    monkeypatch.setattr(worker, "other_words", lambda words, draw: words)
    codes, bench = {}, Bench(whole, tmp_path / "scratch")
    ended = worker._ended
    for case in CASES:
        monkeypatch.setattr(worker, "CASES", [case])
        monkeypatch.setattr(worker, "_ended", lambda words, folder, at=case: codes.setdefault(at, ended(words, folder)))
        assert worker.fault_of(0, bench) is None
    refused = {case for case in CASES if case.words[:2] == ("apply", "release") and case.folder != "baskets"}
    assert {case for case, (code, _) in codes.items() if code} == refused


@pytest.mark.parametrize(
    "case",
    first_fast(
        [
            ("Path('out').mkdir(); sys.exit(0)", "fault", "a part of a release"),
            ("os.abort()", "crash", "the process ended"),
            ("sys.exit(70)", "fault", "exit code 70"),
            ("Path('.out.tacit-1').touch(); sys.exit(2)", "fault", "left behind"),
            ("Path('data.csv').write_text(''); sys.exit(2)", "fault", "changed: ['data.csv']"),
            ("import time; time.sleep(600)", "no end", "nothing in 2 s"),
            ("while True: pass", "no end", "3 s of work"),
        ],
        fast=2,
    ),
)
def test_what_it_looks_for_is_found(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[str, str, str]
) -> None:
    fault, kind, told = case
    program = tmp_path / "python"
    (tmp_path / "broken.py").write_text(BROKEN.format(fault=fault))
    program.write_text(f'#!/bin/sh\nshift 2\nexec "{sys.executable}" "{tmp_path / "broken.py"}" "$@"\n')
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setenv("PYTHONPATH", str(Path(fuzz.__file__).parents[2]))
    if kind == "no end":
        monkeypatch.setattr(fuzz, "_PATIENCE", 2)
        monkeypatch.setattr(fuzz, "_LONGEST", 3)
    ((number, found, words),) = fuzz._faults(7, 8, 1, whole)
    assert (number, found) == (7, kind) and told in words


def test_what_a_command_did_is_put_back(whole: Path, tmp_path: Path) -> None:
    bench = Bench(whole, tmp_path / "scratch")
    folder = bench.folder("baskets")
    (folder / "job.toml").write_text("")
    (folder / "data.csv").unlink()
    (folder / "out").mkdir()
    (folder / "out" / "x").touch()
    bench.put_back("baskets")
    shutil.rmtree(folder / "release")
    bench.put_back("baskets")
    again = bench.folder("baskets")
    assert state_of(again).keys() == state_of(whole / "baskets").keys()
    for name, what in state_of(again).items():
        assert what.is_folder or (again / name).read_bytes() == (whole / "baskets" / name).read_bytes()


def test_a_hidden_file_that_a_damaged_job_names_is_none_left_behind(whole: Path) -> None:
    """Of 16,566,522 all that differs from the whole job is the point in `sqlite:///.stored.db`."""
    assert worker.fault_of(16_566_522, Bench(whole, whole.with_name("asked"))) is None


def test_a_statistics_file_whose_parts_point_nowhere(whole: Path) -> None:
    """The reader's own tables had no such entry in input 16,598,682: an `IndexError`, and no error of its own."""
    assert worker.fault_of(16_598_682, Bench(whole, whole.with_name("nowhere"))) is None
