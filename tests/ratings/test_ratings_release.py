"""Releases of ratings, by the command and from Python: what is published, and what bad input gets."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacit as package
from naive import ratings as naive
from support.commands import read_csv, tacit
from support.keys import key_of
from support.rating_cases import random_case
from support.seeds import each_seed
from tacit import KEpsAnonymity, recoding
from tacit.errors import InputError, PromiseError

WIDE = """\
name,age,a,b,c,secret
Ann,20,6,1,,6
Bob,21,3,6,,1
Cid,22,4,5,,4
Dot,23,2,5,,1
Eve,24,1,,5,1
Flo,25,2,,6,5
"""
WIDE_JOB = """\
[input]
source = "survey.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "plain"
[columns.a]
role = "rating"
scale = [1, 6]
[columns.b]
role = "rating"
scale = [1, 6]
[columns.c]
role = "rating"
scale = [1, 6]
[columns.secret]
role = "rating"
scale = [1, 6]
sensitive = true
[privacy]
model = "k-eps"
k = 2
eps = 1
[method]
seed = 3
"""
LONG_JOB = """\
[input]
source = "log.csv"
layout = "long"
[columns.who]
role = "person"
[columns.film]
role = "items"
[columns.stars]
role = "rating"
scale = [0.5, 5]
step = 0.5
[privacy]
model = "k-eps"
k = 3
eps = 1
[method]
seed = 3
"""


def survey(folder: Path, content: str = WIDE, job: str = WIDE_JOB) -> Path:
    (folder / "survey.csv").write_text(content)
    (folder / "job.toml").write_text(job)
    return folder / "job.toml"


def log(folder: Path, rows: list[tuple[Any, ...]], job: str = LONG_JOB) -> Path:
    with (folder / "log.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("who", "film", "stars", "time"), *rows])
    (folder / "job.toml").write_text(job)
    return folder / "job.toml"


def some_log(seed: int = 1, people: int = 40) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        for film in np.flatnonzero(rng.random(8) < 0.6):
            rows.append((f"p{person}", f"film {film}", rng.integers(1, 11) / 2, 1_000_000 + len(rows)))
    return rows


def of_long(rows: list[dict[str, str]]) -> list[dict[str, float]]:
    people: dict[str, dict[str, float]] = {}
    for row in rows:
        ratings = people.setdefault(row["who"], {})
        if row["film"]:
            ratings[row["film"]] = float(row["stars"])
    return list(people.values())


@pytest.mark.parametrize(("method", "distortion"), [("neighbours", 4), ("hamming", 7)])
def test_a_survey(tmp_path: Path, method: str, distortion: int) -> None:
    job = survey(tmp_path)
    out = tmp_path / "out"
    assert tacit("anonymize", job, "-o", out, "--set", f"method.name={method}").code == 0
    rows = read_csv(out / "public" / "data.csv")
    assert list(rows[0]) == ["age", "a", "b", "c", "secret"], "the identifier is gone"
    before = {row["age"]: row for row in csv.DictReader(WIDE.splitlines())}
    assert [row["age"] for row in rows] != sorted(before), "in random order"
    assert all(row["secret"] == before[row["age"]]["secret"] for row in rows), "sensitive ratings are as they were"
    people = [{i: float(row[i]) for i in "abc" if row[i]} for row in rows]
    originals = [{i: float(before[row["age"]][i]) for i in "abc" if before[row["age"]][i]} for row in rows]
    assert naive.is_k_eps_anonymous(people, 2, 1, 6)
    assert naive.total_distortion(originals, people, 0) == distortion
    utility = json.loads((out / "private" / "utility.json").read_text())
    assert utility["distortion"] == distortion and utility["kept"] == 1 and utility["records"] == 6
    assert tacit("audit", job, out / "public" / "data.csv", "--original").code == 0
    assert tacit("audit", job, tmp_path / "survey.csv").code == 1
    links = read_csv(out / "private" / "rows.csv")
    assert [rows[int(link["published"])]["age"] for link in links] == [
        list(before)[int(link["original"])] for link in links
    ]


@pytest.mark.parametrize("method", ["neighbours", "hamming"])
@pytest.mark.parametrize("fill", [False, True])
def test_a_log(tmp_path: Path, method: str, fill: bool) -> None:
    rows = some_log()
    job = log(tmp_path, rows)
    out = tmp_path / "out"
    done = tacit(
        "anonymize", job, "-o", out, "--set", f"method.name={method}", "--set", f"method.fill={str(fill).lower()}"
    )
    assert done.code == 0, done.err
    published = read_csv(out / "public" / "data.csv")
    assert list(published[0]) == ["who", "film", "stars"], "when is never published"
    people = of_long(published)
    assert naive.is_k_eps_anonymous(people, 3, 1, 5)
    assert sorted({int(row["who"]) for row in published}) == list(range(1, 41)), "everybody is there, by a fresh id"
    assert all("." in row["stars"] for row in published if row["film"]), "written as in the input"
    before: dict[str, dict[str, float]] = {}
    for who, film, stars, _ in rows:
        before.setdefault(who, {})[film] = stars
    links = {int(row["published"]): row["original"] for row in read_csv(out / "private" / "rows.csv")}
    originals = [before[links[int(who)]] for who in dict.fromkeys(row["who"] for row in published)]
    utility = json.loads((out / "private" / "utility.json").read_text())
    assert naive.total_distortion(originals, people, 0) == utility["distortion"]
    kept = sum(len(one.keys() & other.keys()) for one, other in zip(originals, people, strict=True))
    assert utility["kept"] == pytest.approx(kept / len(rows))
    invented = sum(len(other.keys() - one.keys()) for one, other in zip(originals, people, strict=True))
    assert utility["filled"] == invented and (fill or invented == 0)


def test_sensitive_films_are_published_as_they_are_and_no_part_of_what_is_known(tmp_path: Path) -> None:
    rows = some_log(2)
    job = log(tmp_path, rows, LONG_JOB.replace('role = "items"', 'role = "items"\nsensitive = ["film 0", "film 3"]'))
    assert tacit("anonymize", job, "-o", tmp_path / "out").code == 0
    people = of_long(read_csv(tmp_path / "out" / "public" / "data.csv"))
    sensitive = {"film 0", "film 3"}
    assert naive.is_k_eps_anonymous([{i: v for i, v in p.items() if i not in sensitive} for p in people], 3, 1, 5)
    shown = Counter((i, v) for p in people for i, v in p.items() if i in sensitive)
    assert shown == Counter((film, stars) for _, film, stars, _ in rows if film in sensitive)
    audit = json.loads((tmp_path / "out" / "private" / "audit.json").read_text())
    assert 0 < audit["sensitive"]["highest_share"] <= 1


def test_diversity_of_sensitive_ratings(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frame = pa.table({**{f"q{i}": rng.integers(1, 6, 60) for i in range(4)}, "s": rng.integers(1, 6, 60)})
    names = [f"q{i}" for i in range(4)]
    for promise in (KEpsAnonymity(3, 1), KEpsAnonymity(3, 1, l=2), KEpsAnonymity(3, 1, l=3)):
        made = package.anonymize(frame, promise, rating=names, sensitive="s", scale=(1, 5), seed=1)
        people = [{i: row[i] for i in names if row[i] is not None} for row in made.data.to_pylist()]
        sensitive = [{"s": row["s"]} for row in made.data.to_pylist()]
        shares = naive.highest_share(people, sensitive, 1, 5)
        assert naive.is_k_eps_anonymous(people, 3, 1, 5)
        if promise.l is not None:
            assert max(shares) <= 1 / promise.l
        assert made.audit.facts["sensitive"]["highest_share"] == pytest.approx(max(shares))
        assert sorted(row["s"] for row in sensitive) == sorted(frame["s"].to_pylist())
    with pytest.raises(PromiseError, match="could be reached"):
        package.anonymize(frame, KEpsAnonymity(3, 1, l=20), rating=names, sensitive="s", scale=(1, 5))


@each_seed(range(40))
def test_from_python_on_random_surveys(seed: int) -> None:
    case = random_case(seed)
    names = [f"i{i}" for i in range(6)]
    frame = pa.table({name: pa.array([p.get(i) for p in case.people], pa.int64()) for i, name in enumerate(names)})
    promise = KEpsAnonymity(case.k, case.eps)
    told = {"rating": names, "scale": (0, case.top), "step": 1, "seed": seed, "key": key_of(seed), "fill": case.fill}
    try:
        made = package.anonymize(frame, promise, **told)
    except PromiseError as error:
        assert "blank every rating" in str(error)
        return
    people = [{i: row[i] for i in names if row[i] is not None} for row in made.data.to_pylist()]
    assert naive.is_k_eps_anonymous(people, case.k, case.eps, case.top + 1)
    assert made.data.schema == frame.schema
    before = [{f"i{i}": v for i, v in case.people[person].items()} for person in made.original.tolist()]
    assert naive.total_distortion(before, people, -1) == made.utility["distortion"]
    if case.k == 1:
        assert made.utility["distortion"] == 0
    again = package.anonymize(frame, promise, **told)
    assert again.recoding == made.recoding and again.data == made.data
    assert recoding.from_json(recoding.to_json(made.recoding)) == made.recoding


def test_a_continuous_scale() -> None:
    rng = np.random.default_rng(3)
    ratings = np.round(rng.uniform(-10, 10, (60, 3)), 2)
    frame = pd.DataFrame(ratings, columns=["x", "y", "z"])
    frame.iloc[0, 0] = np.nan
    made = package.anonymize(frame, KEpsAnonymity(4, 2.5), rating=["x", "y", "z"], scale=(-10, 10), seed=1)
    people = [{i: v for i, v in row.items() if v == v} for row in made.data.to_dict("records")]
    assert naive.is_k_eps_anonymous(people, 4, 2.5 + 1e-9, 21)
    assert made.audit.satisfied and any("any value" in note for note in made.notes)
    before = [{i: v for i, v in frame.iloc[n].items() if v == v} for n in made.original.tolist()]
    assert made.utility["distortion"] == pytest.approx(naive.total_distortion(before, people, -11))
    texts = pl.DataFrame({name: [repr(v) for v in frame[name].fillna(0)] for name in frame})
    shown = package.anonymize(texts, KEpsAnonymity(4, 2.5), rating=["x", "y", "z"], scale=(-10, 10), seed=1)
    assert isinstance(shown.data, pl.DataFrame)


def test_columns_may_have_different_scales() -> None:
    rng = np.random.default_rng(9)
    table = {"stars": rng.integers(1, 6, 50), "thumb": rng.integers(0, 2, 50), "score": rng.integers(0, 101, 50)}
    columns = {"stars": "[1, 5]", "thumb": "[0, 1]", "score": "[0, 100]"}
    frame = pa.table(table)
    job = "".join(f'[columns.{n}]\nrole = "rating"\nscale = {s}\nstep = 1\n' for n, s in columns.items())
    made = _through_the_command(frame, job, k=3, eps=2)
    stars = [{"stars": float(r["stars"]), "score": float(r["score"])} for r in made if r["stars"] and r["score"]]
    assert len(stars) == 50 and naive.is_k_eps_anonymous(stars, 3, 2, 1000)
    assert Counter(r["thumb"] for r in made) == Counter(map(str, table["thumb"].tolist())), "two thumbs are close"


def _through_the_command(frame: pa.Table, columns: str, k: int, eps: float) -> list[dict[str, str]]:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame.to_pandas().to_csv(folder / "survey.csv", index=False)
        privacy = f'[privacy]\nmodel = "k-eps"\nk = {k}\neps = {eps}\n'
        (folder / "job.toml").write_text(f'[input]\nsource = "survey.csv"\n{columns}{privacy}')
        done = tacit("anonymize", folder / "job.toml", "-o", folder / "out")
        assert done.code == 0, done.err
        return read_csv(folder / "out" / "public" / "data.csv")


def test_the_scale_is_guessed_and_that_is_said() -> None:
    frame = pa.table({"a": ["3.5", "4", "0.5", "5"], "b": ["1", "", "2", "2"]})
    made = package.anonymize(frame, KEpsAnonymity(2, 0.7), rating=["a", "b"], seed=1)
    assert any("0.5 to 5, in steps of 0.5" in note for note in made.notes)
    assert made.audit.satisfied
    assert set(made.data["a"].to_pylist()) <= {"", *(f"{v:g}" for v in np.arange(0.5, 5.1, 0.5))}


def test_epsilon_as_large_as_the_scale_changes_nothing() -> None:
    frame = pa.table({"a": [1, 5, None], "b": [None, 2, 4]})
    made = package.anonymize(frame, KEpsAnonymity(3, 5), rating=["a", "b"], scale=(1, 5), seed=1)
    assert any("nothing was changed" in note for note in made.notes)
    assert made.utility["distortion"] == 0 and made.audit.satisfied
    assert package.anonymize(frame, KEpsAnonymity(3, 4), rating=["a", "b"], scale=(1, 5), fill=True).utility["filled"]


def test_people_without_any_rating_stay(tmp_path: Path) -> None:
    rows = [*some_log(4, 12), ("silent", "", "", 5), ("mute", "", "", 6)]
    job = log(tmp_path, rows)
    done = tacit("anonymize", job, "-o", tmp_path / "out")
    assert done.code == 0 and "people without any rating: 2" in done.err
    people = of_long(read_csv(tmp_path / "out" / "public" / "data.csv"))
    assert len(people) == 14 and naive.is_k_eps_anonymous(people, 3, 1, 5)
    assert sum(not person for person in people) >= 3, "k of them, for they need company"


@pytest.mark.parametrize(("duplicates", "stars"), [("last", {"5.0"}), ("mean", {"3.0"})])
def test_a_stated_policy_for_ratings_given_twice(tmp_path: Path, duplicates: str, stars: set[str]) -> None:
    rows = [(f"p{i}", "x", s, 0) for i in range(3) for s in ("1.0", "5.0")]
    job = log(tmp_path, rows)
    done = tacit("anonymize", job, "-o", tmp_path / "out", "--set", f"method.duplicates={duplicates}")
    assert done.code == 0 and "rated it before: 3" in done.err
    assert {row["stars"] for row in read_csv(tmp_path / "out" / "public" / "data.csv")} == stars


@pytest.mark.parametrize(("duplicates", "given", "others"), [("last", "5.0", "4.5"), ("mean", "3.0", "3.5")])
def test_sensitive_ratings_given_twice_stay_as_the_policy_says(
    tmp_path: Path, duplicates: str, given: str, others: str
) -> None:
    """What is published is compared with the ratings that the policy leaves, one by one: half a point off is false."""
    rows = [(f"p{i}", "x", "2.0", 0) for i in range(6)]
    rows += [(f"p{i}", "hidden", stars, 0) for i in range(3) for stars in ("1.0", "5.0")]
    rows += [(f"p{i}", "hidden", f"{i / 2}", 0) for i in range(3, 6)]
    job = log(tmp_path, rows, LONG_JOB.replace('role = "items"', 'role = "items"\nsensitive = ["hidden"]'))
    done = tacit("anonymize", job, "-o", tmp_path / "out", "--set", f"method.duplicates={duplicates}")
    assert done.code == 0, done.err
    public = tmp_path / "out" / "public" / "data.csv"
    assert sorted(row["stars"] for row in read_csv(public) if row["film"] == "hidden") == sorted(
        [given] * 3 + ["1.5", "2.0", "2.5"]
    )
    text = public.read_text(encoding="utf-8")
    for wrong, told in ((given, others), ("2.5", "3.5" if duplicates == "last" else "4.0")):
        lines = text.splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if f",hidden,{wrong}" in line)
        lines[at] = lines[at].replace(f",hidden,{wrong}", f",hidden,{told}")
        public.write_text("".join(lines), encoding="utf-8")
        audited = tacit("audit", tmp_path / "out" / "private" / "job.toml", public, "--original")
        assert "sensitive ratings that are not as they were" in audited.out + audited.err
    public.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "wanted", "code"),
    [
        (("3,6,,1", "3,7,,1"), "line 3, column 'b': a rating is outside the scale from 1 to 6", 2),
        (("3,6,,1", "3,2.5,,1"), "line 3, column 'b': a rating is no step of the scale", 2),
        (("3,6,,1", "3,good,,1"), "line 3, column 'b': a rating is not a number", 2),
        (("3,6,,1", "3,inf,,1"), "a rating is not a number", 2),
    ],
)
def test_ratings_that_are_none(tmp_path: Path, change: tuple[str, str], wanted: str, code: int) -> None:
    job = WIDE_JOB.replace("scale = [1, 6]", "scale = [1, 6]\nstep = 1")
    done = tacit("anonymize", survey(tmp_path, WIDE.replace(*change), job), "-o", tmp_path / "out")
    assert done.code == code and wanted in done.err and not (tmp_path / "out").exists()
    assert "good" not in done.err.replace("rating", ""), "no cell is quoted"


@pytest.mark.parametrize(
    ("setting", "code", "wanted"),
    [
        ("privacy.eps=-1", 2, "privacy.eps"),
        ("privacy.k=7", 3, "k = 6 could be reached"),
        ("privacy.l=7", 3, "could be reached"),
        ("method.fill=3", 2, "true or false"),
        ("columns.a.step=0.7", 2, "does not lead from 1 to 6"),
        ("columns.age.role=quasi", 2, "does not protect"),
    ],
)
def test_bad_jobs(tmp_path: Path, setting: str, code: int, wanted: str) -> None:
    done = tacit("anonymize", survey(tmp_path), "-o", tmp_path / "out", "--set", setting)
    assert done.code == code, done.err
    assert wanted in done.err and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        (
            [("a", "x", 1, 0), ("b", "x", 2, 0), ("a", "x", 3, 0)],
            "line 4, column 'stars': a person rated an issue twice",
        ),
        ([("a", "x", 1, 0), ("", "x", 2, 0)], "line 3, column 'who': the row has no person id"),
        ([("a", "x", 1, 0), ("b", "x", 9, 0)], "line 3, column 'stars': a rating is outside the scale"),
    ],
)
def test_bad_logs(tmp_path: Path, rows: list[tuple[Any, ...]], wanted: str) -> None:
    done = tacit("anonymize", log(tmp_path, rows), "-o", tmp_path / "out")
    assert done.code == 2 and wanted in done.err


def test_a_sensitive_issue_that_is_not_in_the_data(tmp_path: Path) -> None:
    job = log(tmp_path, some_log(), LONG_JOB.replace('role = "items"', 'role = "items"\nsensitive = ["film 99"]'))
    done = tacit("anonymize", job, "-o", tmp_path / "out")
    assert done.code == 2 and "film 99" in done.err and "nobody rated" in done.err


def test_all_issues_sensitive() -> None:
    with pytest.raises(InputError, match="nothing to protect"):
        package.anonymize(pa.table({"a": [1, 2]}), KEpsAnonymity(2, 1), rating=["a"], sensitive=["a"])


def test_names_of_issues_do_not_matter() -> None:
    rng = np.random.default_rng(6)
    ratings = rng.integers(1, 6, (40, 4))
    frames = [pa.table({name: ratings[:, i] for i, name in enumerate(names)}) for names in ("abcd", "zyxw")]
    made = [
        package.anonymize(frame, KEpsAnonymity(3, 1), rating=frame.column_names, scale=(1, 5), seed=2)
        for frame in frames
    ]
    shown = [sorted(tuple(row.values()) for row in one.data.to_pylist()) for one in made]
    assert shown[0] == shown[1]


def test_odd_frames() -> None:
    promise = KEpsAnonymity(3, 1)
    for column, k in (([], 3), ([4], 1), ([4] * 7, 3), ([None] * 4, 2)):
        frame = pa.table({"a": pa.array(column, pa.int64())})
        made = package.anonymize(frame, KEpsAnonymity(k, 1), rating="a", scale=(1, 5), seed=1)
        assert made.data["a"].to_pylist() == column, "nothing had to change"
    with pytest.raises(PromiseError, match="only 2 people"):
        package.anonymize(pa.table({"a": [1, 2]}), promise, rating="a", scale=(1, 5))


def test_formulas_in_names_of_issues(tmp_path: Path) -> None:
    rows = [(f"p{i}", film, "3.0", 0) for i in range(4) for film in ("=1+1", "plain")]
    job = log(tmp_path, rows, LONG_JOB + "[output]\nescape_formulas = true\n")
    assert tacit("anonymize", job, "-o", tmp_path / "out").code == 0
    published = tmp_path / "out" / "public" / "data.csv"
    assert {row["film"] for row in read_csv(published)} == {"'=1+1", "plain"}
    assert tacit("audit", job, published, "--original").code == 0


def test_what_is_published_falsely_is_found(tmp_path: Path) -> None:
    job = survey(tmp_path)
    assert tacit("anonymize", job, "-o", tmp_path / "out").code == 0
    published = tmp_path / "out" / "public" / "data.csv"
    rows = read_csv(published)
    rows[0]["secret"] = "2"
    with published.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    done = tacit("audit", job, published, "--original")
    assert done.code == 1 and "sensitive ratings that are not as they were" in done.out + done.err


@pytest.mark.parametrize(("k", "kept"), [(5, 0.095), (10, 0.04)])
def test_movielens(shared_data: Path, tmp_path: Path, k: int, kept: float) -> None:
    job = LONG_JOB.replace("log.csv", str(shared_data / "ratings/ml-latest-small/ratings.csv.gz"))
    for old, new in (("who", "userId"), ("film", "movieId"), ("stars", "rating"), ("k = 3", f"k = {k}")):
        job = job.replace(old, new)
    (tmp_path / "job.toml").write_text(job)
    done = tacit("anonymize", tmp_path / "job.toml", "-o", tmp_path / "out", "--no-report")
    assert done.code == 0, done.err
    utility = json.loads((tmp_path / "out" / "private" / "utility.json").read_text())
    assert utility["kept"] > kept and utility["records"] == 610


def test_a_survey_with_two_columns_of_one_name(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "ratings/young_people_survey.csv.gz"
    columns = "".join(f'[columns."{name}"]\nrole = "rating"\nscale = [1, 5]\n' for name in ("Dance", "Folk", "Opera"))
    job = f'[input]\nsource = "{source}"\n{columns}[privacy]\nmodel = "k-eps"\nk = 5\neps = 1\n'
    (tmp_path / "job.toml").write_text(job)
    assert tacit("anonymize", tmp_path / "job.toml", "-o", tmp_path / "out", "--no-report").code == 0
    (tmp_path / "job.toml").write_text(job.replace('"Dance"', '"Music"'))
    done = tacit("anonymize", tmp_path / "job.toml", "-o", tmp_path / "other", "--no-report")
    assert done.code == 0 and "more than one column 'Music'" in done.err and "called 'Music (2)'" in done.err
