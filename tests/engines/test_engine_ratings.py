"""Ratings on an engine: the decision is the local one, or parts keep the promise; ids are ranks of a keyed hash."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from support.commands import tacit as tacit_command
from support.seeds import first_fast
from tacit import audits
from tacit.audits import _rating_pairs as rating_pairs
from tacit.engines import flow, frames, rating_cuts, rating_flow, rating_parts, shares
from tacit.engines.audits import people
from tacit.engines.levels import read_levels
from tacit.engines.session import ROWS_AT_ONCE, Session
from tacit.engines.verdicts import audit_frame
from tacit.errors import InputError, PromiseError
from tacit.flow import anonymize_job, make_release
from tacit.io.formats import format_named
from tacit.job import Job, read_job
from tacit.recoding import to_json
from tacit.steps.stages import silent

_KM = 'model = "rating-km"\nk = 3\nm = 2'
_EPS = 'model = "k-eps"\nk = 3\neps = 1'


PROMISES = pytest.mark.parametrize(
    "promise",
    first_fast(
        [
            'model = "rating-km"\nk = 3\nm = 3', _KM, 'model = "rating-km"\nk = 4\nm = 1',
            'model = "rating-km"\nk = 1\nm = 2', 'model = "rating-km"\nk = 2\nm = "inf"',
        ], 2,
    ),
)  # fmt: skip


def _log(people: int, seed: int = 0, issues: int = 6) -> pa.Table:
    """One row a rating."""
    draw = np.random.default_rng(seed)
    rows = [
        (f"p{person}", f"film{film}", int(np.clip(draw.normal(3 + film % 2, 1), 1, 5)))
        for person in range(people)
        for film in draw.choice(issues, draw.integers(1, issues), replace=False)
    ]
    who, film, stars = zip(*rows, strict=True)
    return pa.table({"who": who, "film": film, "stars": stars})


def _survey(people: int, seed: int = 0, issues: int = 4) -> pa.Table:
    draw = np.random.default_rng(seed)
    columns = {f"q{i}": pa.array(draw.integers(1, 6, people), mask=draw.random(people) < 0.2) for i in range(issues)}
    return pa.table({"id": [f"p{i}" for i in range(people)], **columns})


def _job(folder: Path, table: pa.Table, promise: str = _KM, more: str = "", sensitive: str = "") -> Job:
    pq.write_table(table, folder / "data.parquet")
    if "film" in table.column_names:
        columns = f'layout = "long"\n[columns.who]\nrole = "person"\n[columns.film]\nrole = "items"\n{sensitive}'
        columns += '[columns.stars]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n'
    else:
        rated = [name for name in table.column_names if name.startswith("q")]
        columns = '[columns.id]\nrole = "person"\n' if "id" in table.column_names else ""
        columns += "".join(f'[columns.{name}]\nrole = "rating"\nscale = [1, 5]\nstep = 1\n' for name in rated)
    (folder / "job.toml").write_text(
        f'[input]\nsource = "data.parquet"\n{columns}[privacy]\n{promise}\n[method]\nseed = 1\n{more}'
        '[engine]\nname = "sail"\n'
    )
    return read_job(folder / "job.toml")


def _released(session: Session, job: Job, target: Path) -> tuple[tacit.Release, pa.Table]:
    frame, _ = frames.read(session, job.input)
    release = flow.place_shares(
        session, frame, job, format_named("parquet"), {}, bytes(32), target,
        force=False, report=False, strict=False, progress=silent,
    )  # fmt: skip
    return release, pq.read_table(target / "public/data")


def _as_people(table: pa.Table, columns: list[str]) -> Counter[tuple[str, ...]]:
    """How many people are shown alike, whatever they are called."""
    people: dict[object, list[str]] = {}
    for row in table.to_pylist():
        shown = [repr(row[name]) for name in columns]
        people.setdefault(row.get("who", row.get("id", len(people))), []).extend(shown)
    return Counter(tuple(shown) for shown in people.values())


@pytest.mark.parametrize("shape", [_log, _survey])
def test_more_ratings_than_are_taken_at_once_are_refused(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: object
) -> None:
    """Of a log 20 people have more than 40 ratings, of a survey 20 people may have 80; two of them are counted."""
    monkeypatch.setattr(rating_flow, "MOST_AT_ONCE", 40)
    table = shape(20)  # type: ignore[operator]
    with pytest.raises(InputError, match="m = 3 takes all ratings at once, up to 40"):
        _released(sail, _job(tmp_path, table, 'model = "rating-km"\nk = 3\nm = 3'), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    assert _released(sail, _job(tmp_path, table), tmp_path / "out")[0].audit.satisfied


@PROMISES
@pytest.mark.parametrize("shape", [_log, _survey])
def test_the_decision_is_the_local_one(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, promise: str, shape: object
) -> None:
    monkeypatch.setattr(shares, "SHARE", 150)
    monkeypatch.setattr(people, "SHARE", 300)
    table = shape(90, 3)  # type: ignore[operator]
    job = _job(tmp_path, table, promise)
    local = make_release(table, job)
    release, published = _released(sail, job, tmp_path / "out")
    assert (tmp_path / "out/private/recoding.json").read_text() == to_json(local.recoding)
    names = ["film", "stars"] if "film" in table.column_names else [n for n in table.column_names if n != "id"]
    assert _as_people(published, names) == _as_people(local.table, names)
    assert published.schema.types == local.table.schema.types
    same = ("distortion", "kept", "unchanged", "as_ranges", "as_rated", "mean_width", "blanked", "emptied_people",
            "issues_before", "issues_after", "issue_mean_error", "records")  # fmt: skip
    assert {name: release.utility[name] for name in same} == pytest.approx({n: local.utility[n] for n in same})
    told = {name: release.audit.facts[name] for name in ("people", "issues_an_attacker_may_know", "violation_count")}
    assert told == {name: local.audit.facts[name] for name in told}
    assert release.audit.facts["level"]["k_for_this_m"] == local.audit.facts["level"]["k_for_this_m"]
    person = "who" if "film" in table.column_names else "id"
    ids = published[person].to_pylist()
    assert ids == sorted(ids)
    assert set(ids) == set(range(1, 91))
    rows = pq.read_table(tmp_path / "out/private/rows")
    assert sorted(rows["published"].to_pylist()) == list(range(1, 91))
    assert sorted(rows["original"].to_pylist()) == sorted(f"p{i}" for i in range(90))


@pytest.fixture
def in_turns(sail: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """An engine that deals out and sorts so many rows at a time, and spills none."""
    monkeypatch.setattr(rating_flow, "_RANKED", 40)
    monkeypatch.setattr(shares, "SHARE", 30)
    monkeypatch.setattr(people, "SHARE", 90)
    before = sail.spark.conf.get(ROWS_AT_ONCE)

    def at_once(rows: int) -> None:
        monkeypatch.setattr(rating_flow, "AT_ONCE", rows)
        sail.spark.conf.set(ROWS_AT_ONCE, str(rows))

    yield at_once
    sail.spark.conf.set(ROWS_AT_ONCE, before)


def test_in_turns_nothing_is_different(sail: Session, tmp_path: Path, in_turns: Callable[[int], None]) -> None:
    """Ratings that the engine does not take at once: the same decision, the same rows in their order, one verdict."""
    table = _log(90, 3)
    job = _job(tmp_path, table, _KM)
    found = []
    for rows in (10_000, 80):
        in_turns(rows)
        release, published = _released(sail, job, tmp_path / str(rows))
        rows_of = pq.read_table(tmp_path / f"{rows}/private/rows").to_pylist()
        recoding = (tmp_path / f"{rows}/private/recoding.json").read_text()
        found.append((published.to_pylist(), rows_of, recoding, release.audit.facts, release.utility))
    assert found[0] == found[1]
    assert len(list((tmp_path / "80/public/data").iterdir())) > 1
    raw = replace(job, input=replace(job.input, source=tmp_path / "data.parquet"))
    told = []
    for rows in (10_000, 80):
        in_turns(rows)
        frame, _ = frames.read(sail, raw.input)
        verdict = audit_frame(frame, raw, {})
        told.append((verdict.satisfied, verdict.facts, verdict.violations))
    assert told[0] == told[1]
    assert told[0][0] is False


def test_in_turns_people_are_counted_once(sail: Session, tmp_path: Path, in_turns: Callable[[int], None]) -> None:
    table = _log(90, 3)
    job = _job(tmp_path, table, _KM)
    frame, _ = frames.read(sail, job.input)
    levels = read_levels(frame, job, format_named("parquet"), table.num_rows)
    counts = []
    for rows in (10_000, 80):
        in_turns(rows)
        counts.append(rating_cuts.count(frame, levels, table.num_rows, rating_cuts.plan_for(levels, 3, 2), 3))
    assert [known.people for known in counts] == [90, 90]
    assert [known.most for known in counts] == [5, 5]
    assert np.array_equal(counts[0].near, counts[1].near)
    assert counts[0].near.max() == 3


def test_rows_say_whose_ratings_they_are(sail: Session, tmp_path: Path) -> None:
    table = _log(60, 5)
    _, published = _released(sail, _job(tmp_path, table), tmp_path / "out")
    rows = {row["published"]: row["original"] for row in pq.read_table(tmp_path / "out/private/rows").to_pylist()}
    own: dict[tuple[str, str], int] = {(row["who"], row["film"]): row["stars"] for row in table.to_pylist()}
    seen = 0
    for row in published.to_pylist():
        if row["film"] is not None:
            low, _, high = str(row["stars"]).strip("[]").partition(":")
            assert int(low) <= own[rows[row["who"]], row["film"]] <= int(high or low)
            seen += 1
    assert seen > 50


@pytest.mark.slow
def test_ids_are_those_of_the_key_and_of_the_input(sail: Session, tmp_path: Path) -> None:
    table, made = _log(60, 6), []
    other = table.slice(0, table.num_rows - 1)
    mixed = table.take(pa.array(np.random.default_rng(0).permutation(table.num_rows)))
    for index, each in enumerate((table, mixed, other)):
        _, published = _released(sail, _job(tmp_path, each), tmp_path / f"out{index}")
        rows = pq.read_table(tmp_path / f"out{index}/private/rows")
        made.append((published.to_pylist(), dict(zip(*map(pa.ChunkedArray.to_pylist, rows.columns), strict=True))))
    assert made[0] == made[1]
    assert made[0][1] != made[2][1]


@pytest.mark.parametrize("shape", [_log, _survey])
def test_the_audit_is_the_local_one(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: object
) -> None:
    """Of originals, which keep nothing, as of what is published."""
    monkeypatch.setattr(rating_pairs, "_BLOCK_COUNTS", 40)
    told = ("satisfied", "people", "violation_count", "records_affected", "issues_with_a_part_blanked")
    for seed, k in ((0, 3), (1, 6)):
        table = shape(40, seed)  # type: ignore[operator]
        _job(tmp_path, table, f'model = "rating-km"\nk = {k}\nm = 2')
        found, local = (
            json.loads(tacit_command("audit", tmp_path / "job.toml", tmp_path / "data.parquet", "--engine", engine,
                                     "--json").out)
            for engine in ("sail", "local")
        )  # fmt: skip
        assert {name: found[name] for name in told} == {name: local[name] for name in told}
        assert found["level"]["m_for_this_k"] == local["level"]["m_for_this_k"]
        assert sorted(e["text"] for e in found["violations"]) == sorted(e["text"] for e in local["violations"])
        assert found["violation_count"] > 0


@pytest.mark.parametrize("shape", [_log, _survey])
@pytest.mark.parametrize("method", first_fast(["neighbours", "hamming"]))
def test_parts_keep_k_eps(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: object, method: str
) -> None:
    monkeypatch.setattr(rating_parts, "PART_RATINGS", 200)
    monkeypatch.setattr(shares, "SHARE", 150)
    monkeypatch.setattr(people, "SHARE", 300)
    table = shape(200, 4)  # type: ignore[operator]
    job = _job(tmp_path, table, _EPS, f'name = "{method}"\n')
    release, published = _released(sail, job, tmp_path / "out")
    assert release.recoding.parts >= 3
    local = make_release(table, job)
    found = audits.audit(audits.read_view(published, job), job)
    assert found.satisfied
    assert release.audit.satisfied
    assert release.audit.facts["level"] == found.facts["level"]
    assert release.audit.facts["people"] == 200
    assert release.utility["records"] == 200
    assert release.utility["distortion"] <= 2 * local.utility["distortion"]  # a part has about twenty of k = 3


def test_parts_that_are_too_small_become_larger(sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating_parts, "PART_RATINGS", 4)
    release, _ = _released(sail, _job(tmp_path, _log(30, 2), _EPS), tmp_path / "out")
    assert release.recoding.parts < 20
    with pytest.raises(PromiseError, match="only 2 people"):
        _released(sail, _job(tmp_path, _log(2, 2), _EPS), tmp_path / "none")
    with pytest.raises(PromiseError, match="only 2 people"):
        _released(sail, _job(tmp_path, _log(2, 2)), tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("part_ratings", [2_000_000, 4])
def test_a_release_without_any_rating_is_refused_as_on_one_machine(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part_ratings: int
) -> None:
    monkeypatch.setattr(rating_parts, "PART_RATINGS", part_ratings)
    table = pa.table({"id": [f"p{i}" for i in range(4)], "q0": [1, 5, None, None], "q1": [None, None, 1, 5]})
    job = _job(tmp_path, table, _EPS)
    found = []
    for make in (lambda: make_release(table, job), lambda: _released(sail, job, tmp_path / "out")):
        with pytest.raises(PromiseError) as told:
            make()
        found.append(str(told.value))
    assert found[0] == found[1]
    assert "would blank every rating" in found[0]
    assert not (tmp_path / "out").exists()


def test_sensitive_ratings_stay_and_spellings_are_one(sail: Session, tmp_path: Path) -> None:
    table = _log(60, 7)
    texts = [f"{stars}.0" if i % 3 else str(stars) for i, stars in enumerate(table["stars"].to_pylist())]
    table = table.set_column(2, "stars", pa.array(texts))
    job = _job(tmp_path, table, sensitive='sensitive = ["film0"]\n')
    local = make_release(table, job)
    _, published = _released(sail, job, tmp_path / "out")
    assert _as_people(published, ["film", "stars"]) == _as_people(local.table, ["film", "stars"])
    assert published["stars"].type == pa.string()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: pa.concat_tables([t, t.slice(0, 1)]), "a person rated an issue twice"),
        (lambda t: t.set_column(0, "who", pa.array([None, *t["who"].to_pylist()[1:]])), "rows without a person id: 1"),
        (lambda t: t.set_column(2, "stars", pa.array(["x", *map(str, t["stars"].to_pylist()[1:])])), "not a number"),
        (lambda t: t.slice(0, 0), "the data has no record"),
    ],
)
@pytest.mark.parametrize("promise", [_KM, _EPS])
def test_logs_that_cannot_be(sail: Session, tmp_path: Path, change: object, told: str, promise: str) -> None:
    job = _job(tmp_path, change(_log(20)), promise)  # type: ignore[operator]
    with pytest.raises(InputError, match=told):
        _released(sail, job, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("promise", ['model = "rating-km"\nk = 5\nm = 1', 'model = "k-eps"\nk = 5\neps = 0'])
def test_rows_are_not_taken_for_people(sail: Session, tmp_path: Path, promise: str) -> None:
    """Files of others, which count a person five times, or nobody."""
    stars = [str(star) for star in range(1, 6) for _ in range(5)]
    survey = pa.table({"id": stars, "q0": stars})
    log = pa.table({"who": stars, "film": ["f"] * 25, "stars": stars})
    nobody = log.set_column(0, "who", pa.nulls(25, pa.string()))
    no_number = log.set_column(0, "who", pa.array(map(str, range(25)))).set_column(2, "stars", pa.array(["x"] * 25))
    for table, told in (
        (log, "rated an issue twice"), (nobody, "rows without a person id: 25"), (survey, "has two rows"),
        (no_number, "a rating is not a number"),
    ):  # fmt: skip
        job = _job(tmp_path, table, promise)
        with pytest.raises(InputError, match=told):
            audit_frame(sail.spark.read.parquet(str(job.input.source)), job, ())


def test_ratings_that_have_no_form(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="duplicates has no form"):
        anonymize_job(_job(tmp_path, _log(9), more='duplicates = "last"\n'))


@pytest.mark.slow
def test_spark_frames_in_and_out(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, _log(60, 8))
    frame = sail.spark.read.parquet(str(job.input.source))
    asked = {"person": "who", "items": "film", "rating": "stars", "scale": (1, 5), "step": 1}
    release = tacit.anonymize(frame, job.promise, seed=1, **asked)
    assert release.data.columns == ["who", "film", "stars"]
    assert release.audit.satisfied
    assert tacit.audit(release.data, job.promise, **asked).satisfied
    assert not tacit.audit(frame, job.promise, **asked).satisfied
    release.save(tmp_path / "saved", report=False)
    assert pq.read_table(tmp_path / "saved/public/data").to_pylist() == release.data.toArrow().to_pylist()
