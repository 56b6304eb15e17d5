"""Ratings as numbers: all digits of floats, scales beside each other, and numbers that cannot be counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tacit as package
from support.commands import read_csv, tacit
from support.seeds import in_parts
from tacit import KEpsAnonymity
from tacit.errors import InputError
from tacit.ratings.scale import Scale
from tacit.ratings.solvers.grid import GridColumn, find_grid

PRIVACY = '[privacy]\nmodel = "k-eps"\nk = {k}\neps = {eps}\n[method]\nseed = 1\n'


def survey(folder: Path, rows: list[dict[str, str]], settings: dict[str, str], k: int = 2, eps: str = "0.5") -> Path:
    names = list(rows[0])
    (folder / "in.csv").write_text("\n".join([",".join(names), *(",".join(row.values()) for row in rows)]) + "\n")
    columns = "".join(f'[columns.{name}]\nrole = "rating"\n{settings.get(name, "")}\n' for name in names)
    (folder / "job.toml").write_text(f'[input]\nsource = "in.csv"\n{columns}{PRIVACY.format(k=k, eps=eps)}')
    return folder / "job.toml"


def company(people: list[dict[str, Decimal]], eps: Decimal) -> int:
    """The fewest people that are close to somebody, by the definition."""
    return min(
        sum(one.keys() == other.keys() and all(abs(one[i] - other[i]) <= eps for i in one) for other in people)
        for one in people
    )


@pytest.mark.parametrize("method", ["hamming", "neighbours"])
def test_all_digits_of_floats(tmp_path: Path, method: str) -> None:
    """Ratings are rounded to what can be counted, and published as rounded: the promise is exact."""
    rng = np.random.default_rng(4)
    rows = [{name: repr(float(rng.uniform(-10, 10))) for name in "abc"} for _ in range(60)]
    rows[0]["a"] = "0.0012345678901234567"
    job = survey(tmp_path, rows, dict.fromkeys("abc", "scale = [-10, 10]"), k=3, eps="2.5")
    done = tacit("anonymize", "--no-report", job, "-o", tmp_path / "out", "--set", f"method.name={method}")
    assert done.code == 0 and "rounded to 14 decimals: 'a', 'b', 'c'" in done.err
    people = [{i: Decimal(v) for i, v in row.items()} for row in read_csv(tmp_path / "out" / "public" / "data.csv")]
    assert company(people, Decimal("2.5")) >= 3
    assert all(-10 <= value <= 10 for person in people for value in person.values())
    utility = json.loads((tmp_path / "out" / "private" / "utility.json").read_text())
    before = read_csv(tmp_path / "in.csv")
    order = [int(row["original"]) for row in read_csv(tmp_path / "out" / "private" / "rows.csv")]
    moved = sum(abs(Decimal(before[n][i]) - after[i]) for n, after in zip(order, people, strict=True) for i in after)
    assert utility["distortion"] == pytest.approx(float(moved), abs=1e-9)
    assert tacit("audit", job, tmp_path / "out" / "public" / "data.csv", "--original").code == 0


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("scale", [(-10, 10), None])
def test_floats_of_a_frame(kind: str, scale: tuple[float, float] | None) -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({name: rng.uniform(-10, 10, 80).astype(kind) for name in "ab"})
    made = package.anonymize(frame, KEpsAnonymity(4, 1), rating=["a", "b"], scale=scale, seed=1)
    shown = [{i: Decimal(repr(float(str(v)))) for i, v in row.items()} for row in made.data.to_dict("records")]
    assert made.audit.satisfied and company(shown, Decimal(1)) >= 4
    assert 0 < made.utility["distortion"] < 80


@in_parts(range(6), 2)
@pytest.mark.parametrize("eps", ["0.5", "1.5", "2"])
def test_ratings_stay_on_the_steps_of_their_own_issue(tmp_path: Path, eps: str, seeds: Sequence[int]) -> None:
    """Beside a continuous scale, and one of finer steps."""
    settings = {"a": "scale = [1, 5]\nstep = 1", "b": "scale = [-10, 10]", "c": "scale = [0, 1]\nstep = 0.25"}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        rows = [
            {"a": str(rng.integers(1, 6)), "b": f"{rng.uniform(-10, 10):.2f}", "c": f"{rng.integers(0, 5) / 4}"}
            for _ in range(8)
        ]
        for method in ("hamming", "neighbours"):
            out = tmp_path / f"{seed}{method}"
            job = survey(tmp_path, rows, settings, k=3, eps=eps)
            assert tacit("anonymize", job, "-o", out, "--no-report", "--set", f"method.name={method}").code == 0
            shown = [{i: Decimal(v) for i, v in row.items() if v} for row in read_csv(out / "public" / "data.csv")]
            assert all(person.get("a", Decimal(1)) % 1 == 0 for person in shown)
            assert all(person.get("c", Decimal(0)) % Decimal("0.25") == 0 for person in shown)


@pytest.mark.parametrize(
    ("value", "setting"),
    [
        ("1e25", ""),
        ("1e40", ""),
        ("-1e300", ""),
        ("3", "scale = [0, 1e300]"),
        ("3", "scale = [0, 1e300]\nstep = 1"),
        ("3", "scale = [0, 5]\nstep = 1e-300"),
        ("3", "scale = [0, 1e18]"),
        ("1e-300", "scale = [0, 5]\nstep = 1e-17"),
    ],
)
def test_numbers_that_cannot_be_counted(tmp_path: Path, value: str, setting: str) -> None:
    rows = [{"a": a, "b": b} for a, b in (("1", value), ("2", "3"), ("3", "4"), ("4", "5"))]
    done = tacit(
        "anonymize", "--no-report", survey(tmp_path, rows, {"b": setting} if setting else {}), "-o", tmp_path / "out"
    )
    assert done.code == 2 and ("column 'b'" in done.err or (not setting and "column 'a'" in done.err))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("value", ["1e25", "1e40", "1e-300", "0.12345678901234567890123"])
def test_an_audited_file_whose_numbers_cannot_be_counted(tmp_path: Path, value: str) -> None:
    rows = [{"a": str(a)} for a in (1, 2, 3, 4)]
    job = survey(tmp_path, rows, {"a": "scale = [0, 5]"})
    (tmp_path / "seen.csv").write_text(f"a\n1\n{value}\n2\n")
    done = tacit("audit", job, tmp_path / "seen.csv")
    assert done.code == 2 and "seen.csv" in done.err and "column 'a'" in done.err


@pytest.mark.parametrize("sensitive", [["900000000000000000"] * 4, ["1e10", "2e10", "3e10", "123456789.123456789"]])
def test_sensitive_numbers_do_not_coarsen_others(tmp_path: Path, sensitive: list[str]) -> None:
    rows = [{"a": a, "s": s} for a, s in zip(("1.5", "2.5", "3.5", "4.0"), sensitive, strict=True)]
    job = survey(tmp_path, rows, {"a": "scale = [0.5, 5]\nstep = 0.5", "s": "sensitive = true"})
    done = tacit("anonymize", "--no-report", job, "-o", tmp_path / "out")
    assert done.code == 0, done.err
    shown = read_csv(tmp_path / "out" / "public" / "data.csv")
    assert sorted(row["s"] for row in shown) == sorted(sensitive)
    assert json.loads((tmp_path / "out" / "private" / "utility.json").read_text())["distortion"] == 0.5


def test_digits_that_differ_only_far_behind_make_sensitive_ratings_differ() -> None:
    frame = pd.DataFrame({"a": ["1"] * 3, "s": ["0.1234567890123456789012", "0.1234567890123456789013", "9e40"]})
    with pytest.raises(InputError, match="too large"):
        package.anonymize(frame, KEpsAnonymity(2, 1, l=3), rating=["a", "s"], sensitive="s", step=None)
    frame["s"] = frame["s"].replace("9e40", "9")
    made = package.anonymize(frame, KEpsAnonymity(2, 1, l=3), rating=["a", "s"], sensitive="s")
    assert made.audit.facts["sensitive"]["highest_share"] == pytest.approx(1 / 3)


def test_more_people_leave_room_for_fewer_decimals() -> None:
    number = Decimal("1.234567890123456789")
    column = GridColumn("a", Scale(Decimal(-10), Decimal(10), None), [number], is_float=False)
    few, many = (find_grid([column], Decimal(1), cells, "x") for cells in (100, 10**6))
    assert few == (14, ("a",)) and many == (10, ("a",))
    assert 21 * 10**few.decimals * 100 < 2**62
    assert find_grid([column._replace(is_float=True)], Decimal(1), 1, "x").decimals == 13
    with pytest.raises(InputError, match="more digits"):
        find_grid([column], Decimal(1), 10**15, "x")
