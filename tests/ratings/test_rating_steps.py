"""Scales with and without steps, means of ratings given twice, and how ratings are written."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit as package
from support.commands import read_csv, tacit
from tacit import KEpsAnonymity

PRIVACY = '[privacy]\nmodel = "k-eps"\nk = 2\neps = {eps}\n[method]\nseed = 1\n'
LONG = '[input]\nsource = "in.csv"\nlayout = "long"\n[columns.who]\nrole = "person"\n[columns.what]\nrole = "items"\n'


def survey(folder: Path, column: list[str], settings: str, eps: str) -> Path:
    (folder / "in.csv").write_text("\n".join(["a", *column]) + "\n")
    columns = f'[columns.a]\nrole = "rating"\n{settings}\n'
    (folder / "job.toml").write_text(f'[input]\nsource = "in.csv"\n{columns}{PRIVACY.format(eps=eps)}')
    return folder / "job.toml"


def published(folder: Path) -> list[str]:
    """The column as published, people in the original order."""
    rows = read_csv(folder / "out" / "private" / "rows.csv")
    column = [row["a"] for row in read_csv(folder / "out" / "public" / "data.csv")]
    return [text for _, text in sorted(zip((int(row["original"]) for row in rows), column, strict=True))]


@pytest.mark.parametrize("method", ["hamming", "neighbours"])
@pytest.mark.parametrize(("step", "moved"), [("step = 0", Decimal("1.75")), ("", Decimal(2)), ("step = 0.5", 2)])
def test_without_steps_epsilon_is_not_rounded(tmp_path: Path, method: str, step: str, moved: Decimal) -> None:
    """On steps of 0.5, ε = 0.25 is 0; on a scale without steps it is what it says."""
    job = survey(tmp_path, ["1", "3", "4.5", "4.5"], f"scale = [0, 10]\n{step}", "0.25")
    done = tacit(
        "anonymize",
        "--no-report",
        job,
        "-o",
        tmp_path / "out",
        "--set",
        f"method.name={method}",
        "--set",
        "privacy.k=2",
    )
    assert done.code == 0
    before, after = [Decimal("1"), Decimal(3), Decimal("4.5"), Decimal("4.5")], published(tmp_path)
    if method == "hamming":  # all four are one group, which goes into the cheapest interval
        moved = Decimal("4.5") + Decimal("0.5") - (Decimal("0.5") if step == "step = 0" else 0)
    assert sum(abs(one - Decimal(other)) for one, other in zip(before, after, strict=True)) == moved
    audit = json.loads((tmp_path / "out" / "private" / "audit.json").read_text())
    assert audit["satisfied"] is True
    assert tacit("audit", job, tmp_path / "out" / "public" / "data.csv", "--original").code == 0
    words = json.loads((tmp_path / "out" / "private" / "recoding.json").read_text())["scale"]["scales"]
    assert words == ["0 to 10, any value" if step == "step = 0" else "0 to 10, in steps of 0.5"]
    assert ("guessed" in done.err) == (step == "")


def test_without_steps_no_rating_counts_one_below_the_lowest(tmp_path: Path) -> None:
    job = survey(tmp_path, ["0", "0.5", "NA", "NA"], "scale = [0, 0.5]\nstep = 0", "0.25")
    text = job.read_text().replace('"in.csv"', '"in.csv"\nmissing = ["NA"]').replace("eps = 0.25", "eps = {}")
    for eps, told in (("1.49", False), ("1.5", True)):  # r = 0.5 − 0 + 1
        job.write_text(text.format(eps))
        done = tacit("anonymize", "--no-report", job, "-o", tmp_path / f"out{eps}")
        assert done.code == 0 and ("nothing was changed" in done.err) == told


def test_a_step_of_zero_in_python_as_in_a_job() -> None:
    frame = pd.DataFrame({"a": [1.0, 3.0, 4.5, 4.5]})
    release = package.anonymize(frame, KEpsAnonymity(2, 0.25), rating="a", scale=(0, 10), step=0, seed=1)
    assert release.utility["distortion"] == 1.75
    assert package.audit(release.data, KEpsAnonymity(2, 0.25), rating="a", scale=(0, 10), step=0).satisfied
    settings = {"a": {"scale": [0, 10], "step": 0}}
    told = {"rating": "a", "column_settings": settings, "seed": 1, "key": release.key}
    again = package.anonymize(frame, KEpsAnonymity(2, 0.25), **told)
    assert again.data.equals(release.data)


@pytest.mark.parametrize(
    ("given", "mean"),
    [("3 4", "4"), ("4 5", "5"), ("1 2", "2"), ("1 1 2", "1"), ("1 2 2", "2"), ("1 2 3 4", "3"), ("5 5", "5")],
)
@pytest.mark.parametrize("low", [1, 0, -4])
def test_a_mean_halfway_between_two_steps_goes_up(tmp_path: Path, given: str, mean: str, low: int) -> None:
    rows = [f"{who},x,{rating}" for who in "ab" for rating in given.split()]
    (tmp_path / "in.csv").write_text("\n".join(["who,what,stars", *rows]) + "\n")
    column = f'[columns.stars]\nrole = "rating"\nscale = [{low}, 5]\nstep = 1\n'
    (tmp_path / "job.toml").write_text(LONG + column + PRIVACY.format(eps=0) + 'duplicates = "mean"\n')
    assert tacit("anonymize", "--no-report", tmp_path / "job.toml", "-o", tmp_path / "out").code == 0
    assert [row["stars"] for row in read_csv(tmp_path / "out" / "public" / "data.csv")] == [mean, mean]


def test_equal_ratings_are_written_alike(tmp_path: Path) -> None:
    texts = ["1", "1.0", "01", "2", "2.00", "+2", " 5", "5", "5.0"]
    assert (
        tacit(
            "anonymize", "--no-report", survey(tmp_path, texts, "scale = [1, 5]\nstep = 1", "1"), "-o", tmp_path / "out"
        ).code
        == 0
    )
    assert published(tmp_path) == ["1"] * 3 + ["2"] * 3 + ["5"] * 3


def test_a_rating_that_is_moved_is_written_as_others_are(tmp_path: Path) -> None:
    job = survey(tmp_path, ["1.0", "1.0", "1", "1", "4.0"], "scale = [1, 5]\nstep = 1", "1")
    assert tacit("anonymize", "--no-report", job, "-o", tmp_path / "out").code == 0
    *stays, moved = published(tmp_path)
    assert stays == ["1"] * 4, "as many are written so as the other way, and it is shorter"
    assert Decimal(moved) == 2


def test_a_log_and_its_sensitive_issues_have_one_spelling_for_a_number(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [(who, what, str(rng.choice(["1", "1.0", "3", "3.0", "3.0", "5"]))) for who in range(40) for what in "abs"]
    text = "\n".join(["who,what,stars", *(f"p{who},{what},{stars}" for who, what, stars in rows)])
    (tmp_path / "in.csv").write_text(text + "\n")
    column = 'sensitive = ["s"]\n[columns.stars]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
    (tmp_path / "job.toml").write_text(LONG + column + PRIVACY.format(eps=1))
    assert tacit("anonymize", "--no-report", tmp_path / "job.toml", "-o", tmp_path / "out").code == 0
    was = {row["published"]: row["original"] for row in read_csv(tmp_path / "out" / "private" / "rows.csv")}
    before = {(f"p{who}", what): stars for who, what, stars in rows}
    often = Counter(stars for _, _, stars in rows)
    spelt = {Decimal(text): text for text in sorted(often, key=lambda text: often[text])}
    assert spelt[Decimal(3)] == "3.0"
    stays = 0
    for row in read_csv(tmp_path / "out" / "public" / "data.csv"):
        own = Decimal(before[was[row["who"]], row["what"]])
        assert row["stars"] == spelt.get(Decimal(row["stars"]), row["stars"])
        stays += own == Decimal(row["stars"])
    assert stays > 60


def test_rounded_ratings_are_published_as_rounded(tmp_path: Path) -> None:
    """A text that was rounded is no longer what the rating is, even if the rating stays."""
    texts = ["0.12345678901234567891", "0.123456789012345678910", "0.5", "0.50"]
    job = survey(tmp_path, texts, "scale = [-10, 10]\nstep = 0", "0")
    done = tacit("anonymize", "--no-report", job, "-o", tmp_path / "out")
    assert done.code == 0 and "rounded" in done.err
    one, other, *exact = published(tmp_path)
    assert one == other != texts[0] and len(one) < len(texts[0])
    assert exact == ["0.5", "0.5"]


@pytest.mark.parametrize("moved", [False, True])
def test_decimal_numbers_come_back_as_such(moved: bool) -> None:
    given = [Decimal("1.50"), Decimal("1.50"), Decimal("4.25"), Decimal("4.00") if moved else Decimal("4.25")]
    frame = pa.table({"a": pa.array(given, pa.decimal128(5, 2))})
    release = package.anonymize(frame, KEpsAnonymity(2, 0), rating="a", scale=(1, 5), step=0.25, seed=1)
    assert release.data["a"].type == pa.decimal128(5, 2)
    assert sorted(release.data["a"].to_pylist())[:2] == [Decimal("1.50")] * 2


def test_decimal_numbers_with_more_digits_where_a_moved_rating_needs_them() -> None:
    frame = pa.table({"a": pa.array([Decimal("1"), Decimal("4"), Decimal("4")], pa.decimal128(1, 0))})
    release = package.anonymize(frame, KEpsAnonymity(2, 0.25), rating="a", scale=(1, 5), step=0, seed=1)
    assert release.data["a"].type == pa.decimal128(3, 2)
    assert sorted(release.data["a"].to_pylist()) == [Decimal("3.75"), Decimal("4.00"), Decimal("4.00")]


@pytest.mark.parametrize("kind", ["Int64", "Int8", "Float64", "int64[pyarrow]", "int64", "float32"])
def test_pandas_numbers_come_back_in_their_type(kind: str) -> None:
    frame = pd.DataFrame({"a": pd.array([1, 1, 4, 5, 5], kind), "b": pd.array([1, 1, 1, 5, 5], kind)})
    release = package.anonymize(frame, KEpsAnonymity(2, 0), rating=["a", "b"], scale=(1, 5), step=1, seed=1)
    assert release.data.dtypes.astype(str).to_dict() == {"a": kind, "b": kind}


def test_nullable_numbers_hold_blanks() -> None:
    frame = pd.DataFrame({"a": pd.array([1, 1, 4, None, None], "Int64"), "b": pd.array([2, 2, 2, 2, 2], "Int64")})
    release = package.anonymize(frame, KEpsAnonymity(2, 0), rating=["a", "b"], scale=(1, 5), step=1, seed=1)
    assert str(release.data["a"].dtype) == "Int64" and release.data["a"].isna().sum() >= 2


def test_nullable_numbers_that_are_moved_between_whole_numbers_are_floats() -> None:
    frame = pd.DataFrame({"a": pd.array([1, 4, 4], "Int64")})
    release = package.anonymize(frame, KEpsAnonymity(2, 0.25), rating="a", scale=(1, 5), step=0, seed=1)
    assert sorted(release.data["a"]) == [3.75, 4, 4]


@pytest.mark.parametrize(
    ("column", "settings", "told"),
    [
        (["1", "1", "5", "5"], "", True),  # both ends are shown
        (["1", "1", "4", "4", "5"], "", False),  # the 5 is somebody's, and the file hides it
        (["1", "1", "4", "4", "5"], "scale = [0, 5]\nstep = 1", True),
        (["3", "3", "3"], "", True),
    ],
)
def test_the_job_as_run_makes_the_same_bytes_where_the_scale_was_guessed(
    tmp_path: Path, column: list[str], settings: str, told: bool
) -> None:
    job, out = survey(tmp_path, column, settings, "0"), tmp_path / "out"
    quickly = ("--no-report", "--no-attack")
    assert tacit("anonymize", job, "-o", out, *quickly).code == 0
    private = out / "private"
    again = tacit("anonymize", private / "job.toml", "--key", private / "key", "-o", tmp_path / "again", *quickly)
    assert again.code == 0, again.err
    for file in (out / "public").iterdir():
        assert file.read_bytes() == (tmp_path / "again/public" / file.name).read_bytes(), file.name
    assert ("on the scale" in (out / "public/README.md").read_text("utf-8")) is told
