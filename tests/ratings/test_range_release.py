"""Ratings published as ranges: what is written in each layout and type, what is refused, and what is told."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as package
from naive.audits import rating_km as naive
from support.commands import tacit, write_csv
from tacit import InputError, PromiseError, RatingKm
from tacit.audits import read_original, read_view
from tacit.audits.truth.ratings import false_values
from tacit.delivery import apply_release

STARS: dict[str, Any] = {"scale": (1, 5), "step": 1}
SLIDER: dict[str, Any] = {"scale": (-10, 10), "step": 0}


def log(people: int = 80, films: int = 12, seed: int = 1, *, share: float = 0.5, slider: bool = False) -> pa.Table:
    rng = np.random.default_rng(seed)
    chance = rng.dirichlet(np.ones(films)) * films * share
    rows = []
    for who in range(people):
        for film in np.flatnonzero(rng.random(films) < chance).tolist():
            stars = round(float(rng.uniform(-10, 10)), 2) if slider else int(rng.integers(1, 6))
            rows.append({"who": f"p{who}", "film": f"f{film}", "stars": stars})
        rows.append({"who": f"p{who}", "film": None, "stars": None})
    return pa.Table.from_pylist(rows)


LOG = {"person": "who", "items": "film", "rating": "stars"}


def wide(made: pa.Table, films: int = 12) -> pa.Table:
    """A published log as a table with a column an issue."""
    found: dict[Any, dict[str, Any]] = {}
    for row in made.to_pylist():
        own = found.setdefault(row["who"], {f"f{film}": None for film in range(films)})
        if row["film"] is not None:
            own[row["film"]] = None if row["stars"] is None else str(row["stars"])
    return pa.Table.from_pylist(list(found.values()))


@pytest.mark.parametrize("m", [1, 2, 3, "inf"])
def test_a_log_keeps_the_promise_by_the_definition(m: Any) -> None:
    promise = RatingKm(3, m)
    made = package.anonymize(log(), promise, **LOG, **STARS, seed=1)
    table = wide(made.table)
    assert table.num_rows == 80, "who keeps no rating is still there"
    assert naive.holds(table, promise, {"rating": table.column_names, **STARS})
    assert made.audit.satisfied and 0 < made.utility["kept"] <= 1


def test_ends_of_ranges_lie_on_twentieths_of_a_scale_without_steps() -> None:
    made = package.anonymize(log(200, 6, slider=True, share=0.6), RatingKm(5, 2), **LOG, **SLIDER, seed=1)
    for ranges in made.recoding.issues.values():
        for low, high in ranges:
            assert low == int(low) and (high == 10 or high + package_tick() == int(high + package_tick()))
    texts = set(made.table["stars"].to_pylist()) - {None}
    assert texts and all(text.startswith("[") for text in texts)


def test_no_range_ends_at_a_rating_where_the_job_gives_no_scale(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    people = [{"warm": f"{rng.normal(0, 3):.2f}", "tall": f"{rng.normal(50, 9):.3f}"} for _ in range(200)]
    given = {Decimal(text) for row in people for text in row.values()}
    for shown in ("range", "middle"):
        made = package.anonymize(pa.Table.from_pylist(people), RatingKm(3, 2), rating=["warm", "tall"], shown=shown)
        ends = {end for ranges in made.recoding.issues.values() for each in ranges for end in each}
        assert made.audit.satisfied and min(ends) < min(given) and max(ends) > max(given)
        assert "-10 to 80" in made.notes[0]
        write_csv(tmp_path / "data.csv", people)
        job = tmp_path / "job.toml"
        job.write_text(UNSCALED, "utf-8")
        made.save(tmp_path / shown)
        published = tmp_path / shown / "public/data.parquet"
        told = tacit("audit", job, published, "--original", "--set", f"method.shown={shown}")
        assert told.code == 0 and "True to the original" in told.out


UNSCALED = """
[input]
source = "data.csv"
[columns.warm]
role = "rating"
[columns.tall]
role = "rating"
[privacy]
model = "rating-km"
k = 3
m = 2
"""


def package_tick() -> Any:
    return Decimal("0.01")


def test_numbers_stay_numbers_where_no_range_is_needed_and_middles_always() -> None:
    frame = pa.table({"x": pa.array([1, 2] * 40, pa.int8()), "y": pa.array([1, 2, 3, 4, 5, 1, 2, 1] * 10, pa.int8())})
    made = package.anonymize(frame, RatingKm(20, 1), rating=["x", "y"], **STARS, seed=1)
    assert made.table["x"].type == pa.int8() and made.table["y"].type == pa.string()
    middle = package.anonymize(frame, RatingKm(20, 1), rating=["x", "y"], **STARS, seed=1, shown="middle")
    assert middle.table["x"].type == pa.int8() and pa.types.is_floating(middle.table["y"].type)
    assert middle.recoding.issues == made.recoding.issues


def test_the_note_lists_which_middle_is_which_range(tmp_path: Path) -> None:
    frame = pa.table({"x": [1, 1, 2, 2, 4, 5] * 5, "y": [1, 2, 3, 4, 5, 5] * 5})
    made = package.anonymize(frame, RatingKm(8, 2), rating=["x", "y"], **STARS, seed=1, shown="middle")
    made.save(tmp_path / "out")
    note = (tmp_path / "out/public/README.md").read_text("utf-8")
    for name, ranges in made.recoding.issues.items():
        for low, high in ranges:
            if low != high:
                line = next(line for line in note.splitlines() if f"`{name}`" in line and " is [" in line)
                assert f"{(low + high) / 2:f}".rstrip("0").rstrip(".") + f" is [{low}:{high}]" in line
    report = (tmp_path / "out/private/report.html").read_text("utf-8")
    assert "How scales are cut" in report and "What a recommender learns" in report


def test_sensitive_issues_are_as_they_were() -> None:
    frame = log()
    made = package.anonymize(frame, RatingKm(4, 2), **LOG, **STARS, sensitive_items=["f3"], seed=1)
    before = sorted(row["stars"] for row in frame.to_pylist() if row["film"] == "f3")
    assert sorted(int(row["stars"]) for row in made.table.to_pylist() if row["film"] == "f3") == before
    assert "f3" not in made.recoding.issues and "not sensitive" in " ".join(made.audit.explanation)


@pytest.mark.parametrize("answers", [["0"], ["-5", "0", "5"], ["0", "1"]])
def test_sensitive_answers_are_no_middles(answers: list[str]) -> None:
    rng = np.random.default_rng(4)
    table = pa.table({"a": rng.integers(-10, 11, 60), "asked": [answers[i % len(answers)] for i in range(60)]})
    release = package.anonymize(
        table, RatingKm(3, 1), rating=["a", "asked"], sensitive=["asked"], scale=(-10, 10), shown="middle", seed=1
    )
    assert release.audit.satisfied
    assert release.table["asked"].to_pylist() == [answers[i % len(answers)] for i in release.original.tolist()]
    view = read_view(release.table, release.job)
    asked = view.issues == view.names.index("asked")
    assert view.tops is not None and np.array_equal(view.values[asked], view.tops[asked])


@pytest.mark.parametrize("shown", ["range", "middle"])
def test_a_release_is_used_again_for_new_people(tmp_path: Path, shown: str) -> None:
    first = package.anonymize(log(), RatingKm(3, 2), **LOG, **STARS, seed=1, shown=shown)
    first.save(tmp_path / "first", report=False)
    others = log().set_column(0, "who", pa.array([f"other {name}" for name in log()["who"].to_pylist()]))
    pq.write_table(pa.concat_tables([log(), others]), tmp_path / "next.parquet")
    again = apply_release(tmp_path / "first", tmp_path / "next.parquet", tmp_path / "second", report=False)
    assert again.audit.satisfied and again.recoding == first.recoding
    odd = pa.Table.from_pylist([{"who": "x", "film": "new", "stars": 3}])
    pq.write_table(pa.concat_tables([log(), odd]), tmp_path / "odd.parquet")
    with pytest.raises(InputError, match=r"never seen \(1\)"):
        apply_release(tmp_path / "first", tmp_path / "odd.parquet", tmp_path / "third")
    apply_release(tmp_path / "first", tmp_path / "odd.parquet", tmp_path / "third", unseen="suppress", report=False)
    with pytest.raises(InputError, match="--union is for baskets"):
        apply_release(tmp_path / "first", tmp_path / "odd.parquet", tmp_path / "fourth", union=True)


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    frame = pa.table({"x": [1, 2, 3], "y": pa.array([None, None, None], pa.int64())})
    with pytest.raises(InputError, match="nobody rated this issue"):
        package.anonymize(frame, RatingKm(2, 1), rating=["x", "y"], **STARS)
    with pytest.raises(InputError, match="m = 2, but nobody rated more than 1 issue"):
        package.anonymize(frame, RatingKm(2, 2), rating=["x"], **STARS)
    with pytest.raises(PromiseError, match="only 3 people"):
        package.anonymize(frame, RatingKm(4, 1), rating=["x"], **STARS)
    alone = pa.table({"x": pa.array([1, None, None, None])})
    with pytest.raises(PromiseError, match="would blank every rating"):
        package.anonymize(alone, RatingKm(2, 1), rating=["x"], **STARS)
    write_csv(tmp_path / "in.csv", [{"x": "high"}, {"x": "low"}])
    job = '[input]\nsource = "in.csv"\n[columns.x]\nrole = "rating"\n[privacy]\nmodel = "rating-km"\nk = 2\nm = 1\n'
    (tmp_path / "job.toml").write_text(job)
    ended = tacit("anonymize", tmp_path / "job.toml")
    assert ended.code == 2 and "a rating is not a number" in ended.err and "high" not in ended.err


def test_what_is_not_true_is_found() -> None:
    frame = pa.table({"x": [1, 1, 2, 2, 3, 3, 4, 4], "y": [1, 2] * 4})
    promise = RatingKm(2, 1)
    made = package.anonymize(frame, promise, rating=["x", "y"], **STARS, seed=1)
    original = read_original(frame, made.job, {})

    def problems(x: list[Any]) -> str:
        table = pa.table({"x": pa.array(x, pa.string()), "y": [str(y) for y in frame["y"].to_pylist()]})
        return " ".join(false_values(original, read_view(table, made.job), np.arange(8)))

    assert problems(["1", "1", "2", "2", "3", "3", "[4:5]", "[4:5]"]) == ""
    assert "that they are not in: 1" in problems(["2", "1", "2", "2", "3", "3", "4", "4"])
    assert "blanked that are published for other people: 1" in problems(["1", None, "2", "2", "3", "3", "4", "4"])
    assert "overlap" in problems(["[1:2]", "[1:2]", "2", "2", "3", "3", "4", "4"])
    assert "outside their scale: 2" in problems(["1", "1", "2", "2", "3", "3", "[4:6]", "[4:6]"])
    assert problems([None, None, "2", "2", "3", "3", "4", "4"]) == ""


def test_a_range_that_too_many_show_is_found_without_knowing_who_is_who() -> None:
    frame = pa.table({"x": [1, 1, 2, 2, 3, 3, 4, 4, None]})
    made = package.anonymize(frame, RatingKm(2, 1), rating="x", **STARS, seed=1)
    original = read_original(frame, made.job, {})

    def problems(*x: str | None) -> str:
        return " ".join(false_values(original, read_view(pa.table({"x": pa.array(x, pa.string())}), made.job)))

    assert problems("[1:2]", "[1:2]", "[1:2]", "[1:2]", "3", "3", "[4:5]", "[4:5]", None) == ""
    assert problems("1", None, None, "[2:3]", "[2:3]", "[2:3]", "[2:3]", "4", None) == ""
    assert "1 too many" in problems("1", "1", "1", "2", "3", "3", "4", "4", None)
    assert "3 too many" in problems("[1:2]", "[1:2]", "[1:2]", "[1:2]", "5", "5", "5", "4", None)
    assert "more ratings than were given: 1" in problems(*(["[1:5]"] * 9))


def test_a_job_from_the_command_to_the_audit_of_its_file(tmp_path: Path) -> None:
    write_csv(tmp_path / "in.csv", [row for row in log().to_pylist() if row["film"] is not None])
    columns = '[columns.who]\nrole = "person"\n[columns.film]\nrole = "items"\n[columns.stars]\nrole = "rating"\n'
    promise = '[privacy]\nmodel = "rating-km"\nk = 3\nm = 2\n[method]\nshown = "middle"\nseed = 1\n'
    (tmp_path / "job.toml").write_text(f'[input]\nsource = "in.csv"\nlayout = "long"\n{columns}{promise}')
    assert tacit("anonymize", tmp_path / "job.toml", "-o", tmp_path / "out", "--no-report").code == 0
    utility = json.loads((tmp_path / "out/private/utility.json").read_text())
    assert {"as_ranges", "as_rated", "mean_width", "correlation_error", "item_based_rmse_after"} <= set(utility)
    assert "several records" not in (tmp_path / "out/public/README.md").read_text("utf-8")
    again = tacit("audit", tmp_path / "out/private/job.toml", tmp_path / "out/public/data.csv", "--original")
    assert again.code == 0, again.out
