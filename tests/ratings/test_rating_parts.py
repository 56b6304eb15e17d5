"""Small parts that ratings of any size are counted with, and the table of the benchmark."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks import ratings as benchmark

import tacit
from support.seeds import each_seed
from tacit.ratings.measures import Sparse
from tacit.ratings.report import fates
from tacit.ratings.solvers.problem import places_in


@each_seed(range(50))
def test_places_in_ascending_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = np.unique(rng.integers(0, 20, rng.integers(0, 12)))
    wanted = rng.integers(-2, 23, 9)
    places = {int(key): place for place, key in enumerate(keys)}
    assert places_in(keys, wanted).tolist() == [places.get(int(key), -1) for key in wanted]


def test_fates_of_ratings() -> None:
    before = Sparse(np.array([0, 3, 4]), np.array([0, 1, 2, 1]), np.array([1.0, 2.0, 3.0, 4.0]))
    after = Sparse(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([1.0, 5.0, 2.0, 4.0]))
    stayed, moved, blanked, filled = fates(before, after, 3).tolist()
    assert (stayed, moved, blanked, filled) == ([1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0])


def test_what_is_suppressed_is_what_is_blanked() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"q{i}": np.where(rng.random(40) < 0.6, rng.integers(1, 6, 40), None) for i in range(5)})
    utility = tacit.anonymize(frame, tacit.KEpsAnonymity(k=3, eps=1), rating=list(frame), seed=1).utility
    assert 0 < utility["suppressed"] < 1
    assert utility["blanked"] == utility["suppressed"] == 1 - utility["kept"]


def test_the_benchmark_writes_a_log_of_the_wanted_shape(tmp_path: Path) -> None:
    ratings = benchmark.write_log(0.0005, tmp_path / "log.csv")
    log = pd.read_csv(tmp_path / "log.csv")
    assert len(log) == ratings and log["person"].nunique() == 240
    assert set(log["stars"]) == {1, 2, 3, 4, 5} and not log.duplicated(["person", "movie"]).any()


def test_the_page_of_the_benchmark_is_made_from_its_records() -> None:
    assert benchmark.PAGE.read_text("utf-8") == benchmark.page(benchmark.read())
