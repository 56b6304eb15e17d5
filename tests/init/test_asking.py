"""`tacit init -i`: every guess is shown with its reason, and an answer changes it."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from support.commands import Outcome, files_below, read_csv, tacit, write_csv
from tacit.job import read_job


def people(folder: Path) -> Path:
    rng = np.random.default_rng(4)
    rows = [
        {"surname": f"Zq{i}", "age": str(rng.integers(20, 70)), "town": f"T{rng.integers(5)}", "wage": str(i % 7)}
        for i in range(60)
    ]
    folder.mkdir(exist_ok=True)
    write_csv(folder / "in.csv", rows)
    return folder / "in.csv"


def asked(folder: Path, answers: str) -> Outcome:
    with patch.object(sys, "stdin", io.StringIO(answers)):
        return tacit("init", people(folder), "-o", folder / "jobs/job.toml", "-i")


def roles(folder: Path) -> list[str]:
    return [column.role for column in read_job(folder / "jobs/job.toml").columns]


def test_empty_answers_keep_the_guesses(tmp_path: Path) -> None:
    ended = asked(tmp_path, "\n" * 5)
    assert ended.code == 0, ended.err
    assert roles(tmp_path) == ["identifier", "quasi", "quasi", "sensitive"]
    assert "the kind of data: records?" in ended.err
    assert "1/4 surname (60 values in 60 rows; named like names of people): identifier?" in ended.err
    assert "Zq1" not in ended.err + ended.out, "no value is shown"


def test_answers_change_roles_and_the_job_runs(tmp_path: Path) -> None:
    ended = asked(tmp_path, "\n\n\nident\nquasi\n")
    assert ended.code == 0, ended.err
    assert roles(tmp_path) == ["identifier", "quasi", "identifier", "quasi"]
    assert "# you said so" in (tmp_path / "jobs/job.toml").read_text()
    assert read_job(tmp_path / "jobs/job.toml").promise.name == "k", "nothing is sensitive any more"
    assert tacit("anonymize", tmp_path / "jobs/job.toml", "--no-report").code == 0
    assert set(read_csv(tmp_path / "jobs/out/public/data.csv")[0]) == {"age", "wage"}


def test_a_mark_keeps_all_that_follow(tmp_path: Path) -> None:
    assert asked(tmp_path, "\nhousehold\n!\n").code == 0
    assert roles(tmp_path) == ["household", "quasi", "quasi", "sensitive"]


def test_another_kind(tmp_path: Path) -> None:
    assert asked(tmp_path, "slices\n!\n").code == 0
    assert read_job(tmp_path / "jobs/job.toml").promise.name == "sliced-l"


def test_what_is_no_role_is_explained_and_asked_again(tmp_path: Path) -> None:
    ended = asked(tmp_path, "\n?\nnonsense\n\n!\n")
    assert ended.code == 0, ended.err
    assert ended.err.count("  identifier  whose record it is: never published\n") == 2
    assert ended.err.count("1/4 surname") == 3


@pytest.mark.parametrize(
    ("answers", "about"), [("", "the kind of data"), ("\n\n", "2/4 age"), ("rat\n", "no columns look like ratings")]
)
def test_answers_that_end_too_early_write_nothing(tmp_path: Path, answers: str, about: str) -> None:
    people(tmp_path)
    before = files_below(tmp_path)
    ended = asked(tmp_path, answers)
    assert (ended.code, ended.out) == (2, "")
    assert about in ended.err
    assert files_below(tmp_path) == before


def test_roles_that_do_not_suit_the_kind(tmp_path: Path) -> None:
    ended = asked(tmp_path, "slices\n\n\n\nidentifier\n")
    assert ended.code == 2
    assert "no column looks like one with the role 'sensitive'" in ended.err
    assert not (tmp_path / "jobs").exists()


def test_an_answer_can_be_taken_back(tmp_path: Path) -> None:
    ended = asked(tmp_path, "\n\nident\n<\nsens\n!\n")
    assert ended.code == 0, ended.err
    assert roles(tmp_path) == ["identifier", "sensitive", "quasi", "sensitive"]
    assert "2/4 age" in ended.err and ": identifier?" in ended.err.split("2/4 age")[-1], "what was said is the guess"
    assert asked(tmp_path / "kind", "<\n\n<\nslices\n!\n").code == 0
    assert read_job(tmp_path / "kind/jobs/job.toml").promise.name == "sliced-l"


def test_names_are_published_only_after_a_second_question(tmp_path: Path) -> None:
    ended = asked(tmp_path, "\nq\n\n\n!\n")
    assert ended.code == 0, ended.err
    assert "it may tell who somebody is: named like names of people. Publish it all the same: no?" in ended.err
    assert roles(tmp_path)[0] == "identifier"
    assert asked(tmp_path / "sure", "\nq\nyes\n!\n").code == 0
    assert roles(tmp_path / "sure")[0] == "quasi"


def test_days_that_may_be_months_are_asked_for(tmp_path: Path) -> None:
    rows = [{"dob": f"{1 + i % 12}/{1 + i % 11}/{1960 + i % 40}", "sex": "fm"[i % 2]} for i in range(90)]
    write_csv(tmp_path / "in.csv", rows)
    with patch.object(sys, "stdin", io.StringIO("\nquasi\nM/D/YYYY\n!\n")):
        ended = tacit("init", tmp_path / "in.csv", "-o", tmp_path / "job.toml", "-i")
    assert ended.code == 0, ended.err
    column = read_job(tmp_path / "job.toml").columns[0]
    assert (column.role, column.date_format) == ("quasi", "M/D/YYYY")
    assert tacit("anonymize", tmp_path / "job.toml", "--no-report").code == 0
