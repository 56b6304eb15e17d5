"""The audit of t-closeness: compared with the definition, and at the very bound."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from naive.audits.t import distance, holds
from support.seeds import each_seed
from tacit import TCloseness, audits
from tacit.flow import make_release
from tacit.job import Column, Input, Job, Output
from tacit.taxonomy import Taxonomy, write_hierarchy

PATHS = [[f"d{i}", f"g{i // 2}", f"f{i // 4}", "*"] for i in range(7)] + [["d7", "*"]]


def random_column(rng: np.random.Generator, rows: int, kind: str) -> list[Any]:
    values: list[Any] = [int(v) for v in rng.integers(0, 9, rows) ** 2]
    if kind != "number":
        values = [f"d{v % 8}" for v in values]
    return [None if rng.random() < 0.15 else value for value in values]


@each_seed(range(200), 40)
@pytest.mark.parametrize("kind", ["number", "category", "hierarchy"])
def test_the_verdict_is_that_of_the_definition(kind: str, seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 40))
    table = pa.table({"q": [f"q{i}" for i in rng.integers(0, 4, rows)], "s": random_column(rng, rows, kind)})
    trees = {"s": PATHS} if kind == "hierarchy" else {}
    groups = {
        name: [i for i, q in enumerate(table["q"].to_pylist()) if q == name] for name in set(table["q"].to_pylist())
    }
    values = table["s"].to_pylist()
    apart = max(distance([values[i] for i in group], values, trees.get("s")) for group in groups.values())
    settings = {}
    if kind == "hierarchy":
        write_hierarchy(Taxonomy.from_paths(PATHS), tmp_path / "h.csv")
        settings = {"hierarchy": {"s": tmp_path / "h.csv"}}
    for t in (apart, apart - Fraction(1, 10**5), Fraction(1, 3), Fraction(1)):
        if not 0 < t <= 1 or t.denominator > 10**6:
            continue
        promise = TCloseness(k=1, t=float(t))
        found = tacit.audit(table, promise, quasi="q", sensitive="s", **settings)
        assert found.satisfied is holds(table, promise, {"quasi": "q", "sensitive": "s"}, trees), t
    assert found.facts["level"]["t"] == pytest.approx(float(apart), abs=2e-6)


def test_ordered_distance_of_the_paper() -> None:
    """Li et al. 2007, section 5: salaries 3k to 11k; the groups {3k, 4k, 5k} and {6k, 8k, 11k} are 0.375 and 0.167."""
    salaries = [3, 4, 5, 6, 11, 8, 7, 9, 10]
    assert distance([3, 4, 5], salaries) == Fraction(3, 8)
    assert distance([6, 8, 11], salaries) == Fraction(1, 6)
    table = pa.table({"q": ["a", "a", "a", "b", "b", "b", "c", "c", "c"], "s": [3, 4, 5, 6, 11, 8, 7, 9, 10]})
    found = tacit.audit(table, TCloseness(k=3, t=0.375), quasi="q", sensitive="s")
    assert found.satisfied and found.worst is not None and found.worst["distance"] == 0.375
    assert tacit.audit(table, TCloseness(k=3, t=0.374999), quasi="q", sensitive="s").satisfied is False
    assert tacit.audit(table, TCloseness(k=4, t=1), quasi="q", sensitive="s").satisfied is False


def test_without_the_hierarchy_nothing_is_said(tmp_path: Path) -> None:
    table = pa.table({"q": ["a", "a"], "s": ["x", "y"]})
    found = tacit.audit(
        table, TCloseness(k=2, t=0.5), quasi="q", sensitive="s", hierarchy={"s": tmp_path / "nowhere.csv"}
    )
    assert found.satisfied is None and "hierarchy of 's'" in str(found)


def test_the_distance_can_be_chosen() -> None:
    table = pa.table({"q": ["a", "a", "b", "b"], "s": [1, 2, 3, 4]})
    by = {
        name: tacit.audit(
            table, TCloseness(k=2, t=1), quasi="q", sensitive="s", column_settings={"s": {"distance": name}}
        ).facts["level"]["t"]
        for name in ("equal", "ordered")
    }
    assert by == {"equal": 0.5, "ordered": pytest.approx(1 / 3, abs=1e-6)}


@pytest.mark.parametrize("values", [["1", "2", "NA"], ["2024-01-01", "2024-01-05", "NA"]])
def test_suppressed_values_are_missing_ones(values: list[str], tmp_path: Path) -> None:
    """They stand beside the line of the others, not among them: as where "no value" is one."""
    table = pa.table({"zip": ["1", "1", "1", "2", "2", "2"], "s": [*values, *values]})
    found = []
    for missing, sign in (("value", "NA"), ("suppress", "*")):
        column = Column("s", "sensitive", missing=missing)
        job = Job(
            Input("x", missing=("", "NA")), (Column("zip", "quasi"), column), TCloseness(k=2, t=0.1), Output(tmp_path)
        )
        shown = pa.table({"zip": ["1"] * 4 + ["2"] * 2, "s": [sign if v == "NA" else v for v in [*values, *values]]})
        view = audits.read_view(shown, job)
        found.append(audits.audit(view, job).facts["level"])
        assert audits.audit(audits.read_view(make_release(table, job).table, job), job).satisfied is True
    assert found[0] == found[1]
