"""What a job must declare of ratings, and what a release says of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tacit as package
from support.commands import tacit
from support.rating_cases import LOG_COLUMNS
from support.seeds import each_seed
from tacit import KEpsAnonymity
from tacit.errors import InputError

LOG = "who,film,stars\na,x,1\na,y,2\nb,x,5\nb,y,2\n"
PROMISE = '[privacy]\nmodel = "k-eps"\nk = 2\neps = 1\n[method]\nseed = 1\n'
LOG_JOB = LOG_COLUMNS + "scale = [1, 5]\n"
SURVEY_JOB = """\
[input]
source = "in.csv"
[columns.who]
role = "person"
[columns.a]
role = "rating"
scale = [1, 5]
[columns.b]
role = "rating"
scale = [1, 5]
"""


def job(folder: Path, content: str, text: str) -> Path:
    (folder / "in.csv").write_text(content)
    (folder / "job.toml").write_text(text + PROMISE)
    return folder / "job.toml"


def test_ratings_of_a_log_are_not_sensitive_as_a_whole(tmp_path: Path) -> None:
    done = tacit(
        "anonymize", job(tmp_path, LOG, LOG_JOB), "-o", tmp_path / "out", "--set", "columns.stars.sensitive=true"
    )
    assert done.code == 2 and "column 'stars'" in done.err and "sensitive = [...]" in done.err
    assert "'film'" in done.err and not (tmp_path / "out").exists()


def test_a_person_with_two_rows(tmp_path: Path) -> None:
    good = "who,a,b\nx,1,2\ny,1,2\nz,2,2\n"
    assert tacit("anonymize", job(tmp_path, good, SURVEY_JOB), "-o", tmp_path / "good").code == 0
    done = tacit("anonymize", job(tmp_path, good + "y,5,5\n", SURVEY_JOB), "-o", tmp_path / "out")
    assert done.code == 2 and "line 5, column 'who': a person has two rows" in done.err


@pytest.mark.parametrize(("content", "text"), [(LOG, LOG_JOB), ("who,a,b\nx,1,2\ny,1,2\n", SURVEY_JOB)])
def test_diversity_of_nothing(tmp_path: Path, content: str, text: str) -> None:
    done = tacit("anonymize", job(tmp_path, content, text), "-o", tmp_path / "out", "--set", "privacy.l=2")
    assert done.code == 2 and "no issue is declared sensitive" in done.err
    with pytest.raises(InputError, match="no issue is declared sensitive"):
        package.anonymize(pd.DataFrame({"a": [1, 2]}), KEpsAnonymity(2, 1, l=2), rating="a", scale=(1, 5))


def test_invented_ratings_are_counted_where_people_look(tmp_path: Path) -> None:
    content = "who,a,b\nx,1,1\ny,1,1\nz,1,\n"
    settings = ("--set", "privacy.k=3", "--set", "method.fill=true")
    done = tacit("anonymize", job(tmp_path, content, SURVEY_JOB), "-o", tmp_path / "out", *settings)
    assert done.code == 0 and "1 rating was filled in that nobody gave" in done.out
    assert "1 rating is invented" in (tmp_path / "out" / "public" / "README.md").read_text()
    assert "people left as they were: 2; people made close are in 2 cells that keep 2 issues each" in done.out
    assert "at least 2 such others" in done.out
    pair = tacit("audit", tmp_path / "job.toml", job(tmp_path, content[:20], SURVEY_JOB).parent / "in.csv")
    assert "at least 1 such other:" in pair.out


@each_seed(range(60))
def test_with_diversity_the_default_costs_no_more_than_the_literal_method(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people, issues = int(rng.integers(6, 30)), int(rng.integers(2, 6))
    ratings = rng.integers(1, 6, (people, issues)).astype(float)
    ratings[rng.random((people, issues)) < rng.choice([0, 0.1, 0.3])] = np.nan
    names = [f"q{i}" for i in range(issues)]
    cost = {}
    for method in ("hamming", "neighbours"):
        try:
            made = package.anonymize(
                pd.DataFrame(ratings, columns=names), KEpsAnonymity(2, 1, l=1.5), rating=names, sensitive=names[-1],
                scale=(1, 5), step=1, seed=1, method=method, fill=bool(seed % 2),
            )  # fmt: skip
        except package.PromiseError:
            continue
        assert made.audit.satisfied
        cost[method] = made.utility["distortion"]
    assert "hamming" not in cost or cost["neighbours"] <= cost["hamming"]
