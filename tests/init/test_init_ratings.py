"""`tacit init` on ratings that are not few steps of a scale, each given once: the job file runs unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from support.commands import tacit
from support.seeds import first_fast
from tacit.job import Job, read_job

_BEYOND = 20_100
"""More rows than are looked at to tell what columns are."""


def first_job(folder: Path, frame: pd.DataFrame, *, wanted: str = "ratings") -> tuple[Job, str]:
    """The job that is written for a frame, and its text."""
    frame.to_csv(folder / "in.csv", index=False)
    made = tacit("init", folder / "in.csv", "-o", folder / "first.toml", "--json")
    assert made.code == 0, made.err
    assert made.json()["kind"] == wanted
    return read_job(folder / "first.toml"), (folder / "first.toml").read_text()


def runs(folder: Path) -> dict[str, Any]:
    ended = tacit("anonymize", folder / "first.toml", "--no-report", "--no-attack", "--json")
    assert ended.code == 0, ended.err
    return ended.json()


def log(people: int, films: int, numbers: np.ndarray) -> pd.DataFrame:
    """Everybody rated every film."""
    who, film = np.divmod(np.arange(people * films), films)
    return pd.DataFrame({"user": who, "movie": [f"m{number}" for number in film], "stars": numbers})


def scale_of(job: Job, column: int = -1) -> tuple[tuple[float, float] | None, float | None]:
    return job.columns[column].scale, job.columns[column].step


@pytest.mark.parametrize("late", first_fast([7, 0, 2.5]))
def test_the_scale_of_a_log_is_that_of_all_rows(tmp_path: Path, late: float) -> None:
    numbers = np.resize(np.arange(1, 6), _BEYOND).astype(float)
    numbers[-1] = late
    job, _ = first_job(tmp_path, log(_BEYOND // 3, 3, numbers))
    assert scale_of(job) == ((min(late, 1), max(late, 5)), 0.5 if late == 2.5 else 1)
    runs(tmp_path)


def test_the_scale_of_a_survey_is_that_of_all_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame({f"q{number}": np.resize(np.arange(1, 6), _BEYOND) for number in range(6)}).astype(object)
    frame.loc[_BEYOND - 1, "q3"] = 6
    frame.loc[_BEYOND - 2, "q2"] = "NA"
    job, _ = first_job(tmp_path, frame)
    assert {(column.scale, column.step) for column in job.columns} == {((1, 6), 1)}
    assert "NA" in job.input.missing
    runs(tmp_path)


def test_a_log_on_a_continuous_scale(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).uniform(-10, 10, 400).round(3)
    job, text = first_job(tmp_path, log(50, 8, numbers))
    assert scale_of(job) == ((-10, 10), 0) and "eps = 0 " in text
    assert runs(tmp_path)["audit"]["satisfied"]


@pytest.mark.parametrize("share", [0.02, 0.4])
def test_a_log_in_which_some_rated_twice(tmp_path: Path, share: float) -> None:
    rng = np.random.default_rng(2)
    frame = log(40, 6, rng.integers(1, 6, 240))
    again = frame.sample(frac=share, random_state=1).assign(stars=3)
    job, text = first_job(tmp_path, pd.concat([frame, again]))
    assert job.method.options["duplicates"] == "last" and f"# {len(again)} rows rate an issue once more" in text
    runs(tmp_path)


def test_a_log_in_which_somebody_late_rated_twice(tmp_path: Path) -> None:
    frame = log(_BEYOND // 3, 3, np.resize(np.arange(1, 6), _BEYOND))
    job, text = first_job(tmp_path, pd.concat([frame, frame[-1:]]))
    assert job.method.options["duplicates"] == "last" and "# 1 row rates an issue once more" in text
    runs(tmp_path)


def test_a_log_in_which_people_rate_few_of_many_issues(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    film = np.concatenate([rng.choice(60, 6, replace=False) for _ in range(50)])
    frame = pd.DataFrame({"user": np.repeat(np.arange(50), 6), "film": film, "stars": rng.integers(1, 6, 300)})
    job, text = first_job(tmp_path, frame)
    assert job.promise.parameters() == {"k": 5, "m": 2} and 'model = "rating-km"' in text
    assert runs(tmp_path)["audit"]["satisfied"]


def test_a_log_in_which_nobody_rated_twice_says_nothing_of_it(tmp_path: Path) -> None:
    assert "duplicates" not in first_job(tmp_path, log(20, 5, np.resize(np.arange(1, 6), 100)))[1]


def test_a_survey_with_sliders(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    jokes = pd.DataFrame({f"joke{number}": rng.uniform(-10, 10, 60).round(2) for number in range(8)})
    jokes = jokes.mask(rng.random(jokes.shape) < 0.1)
    jokes.insert(0, "rated", jokes.notna().sum(axis=1))
    job, text = first_job(tmp_path, jokes)
    assert [column.name for column in job.columns] == list(jokes.columns[1:])
    assert scale_of(job) == ((-10, 10), 0) and "eps = 0 " in text
    assert runs(tmp_path)["audit"]["satisfied"]


def test_measures_of_people_are_no_survey(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    measures = {"height": (150, 200), "weight": (40, 120), "blood": (4, 9), "heat": (36, 41), "pulse": (50, 140)}
    frame = pd.DataFrame({name: rng.uniform(*ends, 80).round(1) for name, ends in measures.items()})
    first_job(tmp_path, frame, wanted="records")
