"""What is said of a release of ratings is true of it, and what is worth nothing is not published."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import tacit as package
from support.commands import read_csv, tacit
from support.rating_cases import LOG_COLUMNS
from tacit import KEpsAnonymity
from tacit.errors import PromiseError

LOG_JOB = (
    LOG_COLUMNS
    + """\
{scale}
[privacy]
model = "k-eps"
k = 2
eps = {eps}
[method]
seed = 1
{method}
[output]
directory = "out"
{output}
"""
)


def job(
    folder: Path,
    rows: str,
    *,
    scale: str = "scale = [1, 5]",
    eps: float = 0,
    method: str = "",
    output: str = "",
) -> Path:
    (folder / "in.csv").write_text("who,film,stars\n" + "\n".join(rows.split()) + "\n")
    text = LOG_JOB.format(scale=scale, eps=eps, method=method, output=output)
    (folder / "job.toml").write_text(text)
    return folder / "job.toml"


FREE = "a,x,3 a,z,4 b,y,3 c,z,5 d,x,1"


def test_an_epsilon_beyond_the_scale_promises_nothing_and_says_so(tmp_path: Path) -> None:
    done = tacit("anonymize", job(tmp_path, FREE, eps=5))
    audited = tacit("audit", tmp_path / "job.toml", tmp_path / "out" / "public" / "data.csv")
    note = (tmp_path / "out" / "public" / "README.md").read_text()
    report = (tmp_path / "out" / "private" / "report.html").read_text()
    assert done.code == audited.code == 0
    for told in (done.out, audited.out, note, report):
        assert "any two people of this file are close by definition" in " ".join(told.split())
        assert "rated the same issues" not in told
    assert "all as they were given" in note and "blanked; the file" not in note
    assert "at least 3 close others" in audited.out


def test_one_step_less_asks_for_equal_sets(tmp_path: Path) -> None:
    assert tacit("anonymize", "--no-report", job(tmp_path, "a,x,1 b,x,5", eps=4)).code == 0
    note = (tmp_path / "out" / "public" / "README.md").read_text()
    assert "at least 1 other who rated the same issues" in note and "leaves out" not in note


@pytest.mark.parametrize(("free", "told"), [(["b"], "leaves out 1 issue,"), (["b", "c"], "leaves out 2 issues,")])
def test_some_issues_may_be_left_out(tmp_path: Path, free: list[str], told: str) -> None:
    columns = {"a": [1, 1, 5, 5], "b": [1, None, 2, 1], "c": [None, 2, 2, None]}
    frame = pd.DataFrame({name: columns[name] for name in ("a", *free)})
    scales = "".join(f"[columns.{name}]\nrole = 'rating'\nscale = [1, {5 if name == 'a' else 2}]\n" for name in frame)
    frame.to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "job.toml").write_text(
        f"[input]\nsource = 'in.csv'\n{scales}[privacy]\nmodel = 'k-eps'\nk = 2\neps = 2\n[output]\ndirectory = 'out'\n"
    )
    done = tacit("anonymize", "--no-report", tmp_path / "job.toml")
    assert done.code == 0 and told in " ".join(done.out.split())
    assert told in (tmp_path / "out" / "public" / "README.md").read_text()


def test_a_file_without_any_rating_left_is_not_published(tmp_path: Path) -> None:
    done = tacit("anonymize", "--no-report", job(tmp_path, "a,x,3 b,, c,,"))
    assert done.code == 3 and "fill = true" in done.err and not (tmp_path / "out").exists()


@pytest.mark.parametrize("method", ["neighbours", "hamming"])
def test_of_equal_costs_ratings_are_kept(tmp_path: Path, method: str) -> None:
    done = tacit("anonymize", "--no-report", job(tmp_path, "a,x,3 b,,", method=f'fill = true\nname = "{method}"'))
    assert done.code == 0
    assert sorted(row["stars"] for row in read_csv(tmp_path / "out" / "public" / "data.csv")) == ["3", "3"]


def test_who_may_fill_already_is_not_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.ratings.solvers.neighbours._HAMMING_STEPS", -1.0)  # nothing to fall back on
    frame = pd.DataFrame({"a": [3, None]})
    with pytest.raises(PromiseError, match="would blank every rating") as told:
        package.anonymize(frame, KEpsAnonymity(2, 0), rating="a", scale=(1, 5), step=1, seed=1, fill=True)
    assert "another method." in str(told.value) and "fill" not in str(told.value)


@pytest.mark.parametrize(
    ("rows", "scale", "wanted"),
    [
        (FREE, "", "scale = [1, 5] step = 1"),
        (FREE, "scale = [0, 6]", "scale = [0, 6] step = 1"),
        ("a,x,0.5 a,y,3 b,x,4", "", "scale = [0.5, 4] step = 0.5"),
        ("a,x,-9.81 a,y,3 b,x,4.333", "", "scale = [-9.81, 4.333] step = 0"),
    ],
)
def test_the_job_of_a_release_says_what_was_guessed(tmp_path: Path, rows: str, scale: str, wanted: str) -> None:
    assert tacit("anonymize", "--no-report", job(tmp_path, rows, scale=scale, eps=40)).code == 0
    (tmp_path / "in.csv").rename(tmp_path / "gone.csv")
    private, public = tmp_path / "out" / "private" / "job.toml", tmp_path / "out" / "public" / "data.csv"
    rating = private.read_text().partition("[columns.stars]")[2].partition("\n[")[0]
    assert wanted.replace(" ", "") in "".join(rating.split()).replace(",]", "]")
    assert tacit("audit", private, public).code == 0


def test_every_column_of_a_survey_gets_the_scale_that_they_share() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [5, 4, 4]})
    made = package.anonymize(frame, KEpsAnonymity(2, 1), rating=["a", "b"], seed=1)
    assert [(column.scale, column.step) for column in made.job.columns] == [((1, 5), 1)] * 2


@pytest.mark.parametrize(
    ("rows", "wanted"), [("a,x,3 a,x,4 b,x,3 b,x,4", {"3.5"}), ("a,x,1 a,x,1 a,x,2 b,x,1 b,x,2 b,x,1", {"1.333333"})]
)
def test_a_mean_on_a_continuous_scale_is_not_rounded_to_the_data(tmp_path: Path, rows: str, wanted: set[str]) -> None:
    made = job(tmp_path, rows, scale="scale = [1, 5]\nstep = 0", method='duplicates = "mean"')
    assert tacit("anonymize", "--no-report", made).code == 0
    assert {row["stars"] for row in read_csv(tmp_path / "out" / "public" / "data.csv")} == wanted


def test_a_mean_of_whole_ratings_on_a_continuous_scale() -> None:
    frame = pd.DataFrame({"who": ["a", "a", "b", "b"], "film": "x", "stars": [3, 4, 3, 4]})
    made = package.anonymize(
        frame, KEpsAnonymity(2, 0), person="who", items="film", rating="stars", scale=(1, 5), step=0, seed=1,
        duplicates="mean",
    )  # fmt: skip
    assert made.data["stars"].tolist() == [3.5, 3.5] and made.audit.satisfied


ESCAPED = "escape_formulas = true"


@pytest.mark.parametrize("name", ["'=z", "'-9", "=z", "-9", "'@a", "''=z"])
def test_names_with_an_apostrophe_of_their_own(tmp_path: Path, name: str) -> None:
    made = job(tmp_path, f"a,{name},3 a,x,1 b,{name},3 b,x,1 c,{name},3 c,x,1", output=ESCAPED)
    made.write_text(made.read_text().replace('role = "items"', f'role = "items"\nsensitive = ["{name}"]'))
    assert tacit("anonymize", "--no-report", made).code == 0
    published = tmp_path / "out" / "public" / "data.csv"
    shown = name if name == "-9" else "'" + name
    assert {row["film"] for row in read_csv(published)} == {"x", shown}
    audited = tacit("audit", made, published, "--original")
    assert audited.code == 0 and "up to 100% gave the same sensitive rating" in " ".join(audited.out.split())


def test_names_that_differ_by_an_apostrophe(tmp_path: Path) -> None:
    made = job(tmp_path, "a,=z,3 a,'=z,1 b,=z,3 b,'=z,1", output=ESCAPED)
    assert tacit("anonymize", made).code == 0
    published = tmp_path / "out" / "public" / "data.csv"
    assert {row["film"] for row in read_csv(published)} == {"'=z", "''=z"}
    assert tacit("audit", made, published, "--original").code == 0


def test_a_published_file_in_which_a_person_rated_twice(tmp_path: Path) -> None:
    made = job(tmp_path, "a,x,3 a,x,3 b,x,3")
    mine, theirs = tacit("anonymize", "--no-report", made), tacit("audit", made, tmp_path / "in.csv")
    assert mine.code == theirs.code == 2
    assert "(there is 1 such rating)" in mine.err and 'duplicates = "last"' in mine.err
    assert "(there is 1 such rating)" in theirs.err and "duplicates" not in theirs.err
