"""What a release says of the nearest-row attack: in utility.json, in the report, on the console and in the note."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tacit as package
from support.commands import tacit
from tacit import KEpsAnonymity

QUESTIONS = [f"q{i}" for i in range(12)]


def survey(people: int = 80, top: int = 5) -> pd.DataFrame:
    """A few tastes and some noise; `secret` tells everybody apart."""
    rng = np.random.default_rng(4)
    tastes = rng.integers(1, top + 1, (8, len(QUESTIONS)))
    noise = rng.integers(-1, 2, (people, len(QUESTIONS)))
    frame = pd.DataFrame(np.clip(tastes[rng.integers(0, 8, people)] + noise, 1, top), columns=QUESTIONS)
    return frame.assign(secret=np.arange(people))


def release_of(eps: float, frame: pd.DataFrame, **more: object) -> package.Release:
    promise = KEpsAnonymity(k=4, eps=eps)
    settings = {name: {"scale": [1, 5], "step": 1} for name in QUESTIONS}
    return package.anonymize(
        frame, promise, rating=QUESTIONS, sensitive="secret", column_settings=settings, seed=3, **more
    )


def found(release: package.Release) -> dict[object, tuple[float, float]]:
    return {each["known"]: (each["before"], each["after"]) for each in release.utility["nearest_row"]}


@pytest.mark.parametrize("method", ["neighbours", "hamming"])
def test_with_equal_rows_nobody_is_found_more_often_than_promised(method: str) -> None:
    release = release_of(0, survey(), method=method)
    attacks = found(release)
    assert set(attacks) == {2, 4, 8, "all"}  # nobody answered twenty questions
    assert max(after for _, after in attacks.values()) <= 1 / 4 < attacks["all"][0]
    assert release.utility["verbatim_unique"] == 0 and not any("row" in note for note in release.notes)
    assert all(each["bound"] == 1 / 4 for each in release.utility["nearest_row"])


def test_with_close_rows_most_are_found_and_it_is_said(tmp_path: Path) -> None:
    release = release_of(1, survey())
    attacks = found(release)
    assert attacks["all"][1] == release.utility["found_by_nearest_row"] > 1 / 2
    (told,) = [note for note in release.notes if "closest row" in note]
    release.save(tmp_path / "out")
    saved = json.loads((tmp_path / "out" / "private" / "utility.json").read_text())
    assert saved["nearest_row"] == release.utility["nearest_row"]
    report = (tmp_path / "out" / "private" / "report.html").read_text()
    assert "Whom the closest row gives away" in report and report.count(told[1:]) == 2  # above, and there
    assert f"{attacks['all'][1]:.1%}" in report and f"{attacks['all'][0]:.1%}" in report


def test_rows_that_are_as_they_were_and_alone_are_counted_everywhere(tmp_path: Path) -> None:
    """With three answers and ε = 1 somebody in the middle is close to all."""
    frame = pd.DataFrame(np.random.default_rng(1).integers(1, 4, (40, 8)), columns=list("abcdefgh"))
    frame.iloc[:4] = 2
    frame.to_csv(tmp_path / "in.csv", index=False)
    columns = "".join(f"[columns.{name}]\nrole = 'rating'\nscale = [1, 3]\nstep = 1\n" for name in frame)
    (tmp_path / "job.toml").write_text(
        f"[input]\nsource = 'in.csv'\n{columns}[privacy]\nmodel = 'k-eps'\nk = 4\neps = 1\n"
        "[output]\ndirectory = 'out'\n"
    )
    done = tacit("anonymize", tmp_path / "job.toml", "--no-report")
    note = (tmp_path / "out" / "public" / "README.md").read_text()
    alone = len(frame) - int(frame.duplicated(keep=False).sum())
    told = f"{alone} of 40 rows are shown word for word and unlike any other row"
    assert alone > 30 and f"note: {told}" in done.err and told in note
    again = tacit("anonymize", tmp_path / "job.toml", "--no-report", "--force", "--set", "privacy.eps=0")
    assert again.code == 0 and "word for word" not in again.err
    assert "word for word" not in (tmp_path / "out" / "public" / "README.md").read_text()


def test_eps_is_0_if_it_is_left_out(tmp_path: Path) -> None:
    assert KEpsAnonymity(k=5) == KEpsAnonymity(5, 0)
    frame = pd.DataFrame({"a": [1, 1, 5, 4], "b": [2, 2, 3, 3]})
    made = package.anonymize(frame, KEpsAnonymity(k=2), rating=["a", "b"], scale=(1, 5), step=1, seed=1)
    assert made.data.groupby(["a", "b"], dropna=False).size().min() >= 2


@pytest.mark.parametrize("sensitive", [[], ["f3"]])
def test_a_log_is_attacked_by_who_is_who(sensitive: list[str]) -> None:
    """Ids of people, the order of issues and sensitive ones: none of it may mix people up."""
    rng = np.random.default_rng(2)
    rows = [
        {"who": f"p{p:02}", "film": f"f{9 - i}", "stars": int(rng.integers(1, 6))}
        for p in rng.permutation(30)
        for i in rng.permutation(9)[:7]
    ]
    made = package.anonymize(
        pd.DataFrame(rows), KEpsAnonymity(k=1), person="who", items="film", rating="stars", sensitive_items=sensitive,
        scale=(1, 5), step=1, seed=1,
    )  # fmt: skip
    assert made.utility["verbatim_unique"] == 30  # nothing was changed
    assert all(before == after for before, after in found(made).values())
    assert found(made)["all"][1] > 0.8  # by the draw 0.88 to 1; of people mixed up, a thirtieth
