"""Records on an engine: parts keep the promise each by itself, and what is written keeps it as a whole."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from support.commands import tacit as tacit_command
from support.seeds import first_fast
from tacit.audits.result import in_words
from tacit.engines import flow, frames, record_flow, records
from tacit.engines.audits import record_truth
from tacit.engines.audits import records as record_verdicts
from tacit.engines.order import ORIGINAL
from tacit.engines.part import PART
from tacit.engines.recoding_parts import PartsRecoding
from tacit.engines.session import Session
from tacit.errors import AuditFailure, InputError, PromiseError
from tacit.flow import make_release
from tacit.io.formats import format_named
from tacit.job import Job, read_job
from tacit.recoding import from_json
from tacit.release import Release
from tacit.steps.stages import silent

_TREE = "north;land;*\nsouth;land;*\nport;sea;*\nisle;sea;*\n"


def _table(rows: int, seed: int = 0) -> pa.Table:
    draw = np.random.default_rng(seed)
    items = [sorted(draw.choice(list("abcd"), draw.integers(0, 3), replace=False).tolist()) for _ in range(rows)]
    return pa.table(
        {
            "id": [f"p{i}" for i in range(rows)],
            "age": draw.integers(18, 80, rows),
            "town": draw.choice(["north", "south", "port", "isle"], rows),
            "ill": draw.choice(["flu", "cold", "gout", "none"], rows),
            "items": items,
        }
    )


_CASES = {
    "t": ("mondrian", "k = 3\nt = 0.4", '[columns.ill]\nrole = "sensitive"\n'),
    "k": ("mondrian", "k = 3", ""),
    "l": ("cluster", "k = 3\nl = 2", '[columns.ill]\nrole = "sensitive"\n'),
    "k-km": ("rum-bound", "k = 3\nm = 1", '[columns.items]\nrole = "items"\n'),
}


def _job(folder: Path, table: pa.Table, model: str = "k", more: str = "") -> Job:
    method, parameters, columns = _CASES[model]
    (folder / "town.csv").write_text(_TREE)
    pq.write_table(table, folder / "data.parquet")
    (folder / "job.toml").write_text(
        '[input]\nsource = "data.parquet"\n[columns.id]\nrole = "identifier"\n[columns.age]\nrole = "quasi"\n'
        f'[columns.town]\nrole = "quasi"\nhierarchy = "town.csv"\n{columns}[privacy]\nmodel = "{model}"\n{parameters}\n'
        f'[method]\nname = "{method}"\nseed = 1\n{more}'
    )
    return read_job(folder / "job.toml")


def _placed(session: Session, job: Job, target: Path, key: bytes = bytes(32), output: str = "parquet") -> Release:
    frame, _ = frames.read(session, job.input)
    return flow.place_shares(
        session, frame, job, format_named(output), {}, key, target,
        force=False, report=False, strict=False, progress=silent,
    )  # fmt: skip


@pytest.mark.parametrize("model", first_fast(_CASES, 2))
def test_the_union_of_parts_keeps_the_promise(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setattr(records, "PART_ROWS", 80)
    monkeypatch.setattr(record_verdicts, "SHARE", 100)
    table = _table(300)
    job = _job(tmp_path, table, model)
    release = _placed(sail, job, tmp_path / "out")
    published = pq.read_table(tmp_path / "out/public/data")
    assert release.recoding.parts >= 3
    assert published.num_rows == 300
    assert "id" not in published.column_names
    roles = {"quasi": ["age", "town"]}
    roles |= {"sensitive": "ill"} if model in ("l", "t") else {"items": "items"} if model == "k-km" else {}
    found = tacit.audit(published, job.promise, **roles)
    assert found.satisfied
    assert release.audit.satisfied
    assert release.audit.facts["records"] == 300
    assert release.audit.facts["level"]["k" if model != "k-km" else "k_for_this_m"] == next(iter(
        value for name, value in found.facts["level"].items() if name in ("k", "k_for_this_m")))  # fmt: skip
    local = make_release(table, job)
    assert release.utility["ncp"] <= 1.6 * local.utility["ncp"] + 0.05
    if model == "t":
        assert release.audit.facts["level"]["t"] == found.facts["level"]["t"] <= 0.4
    saved = from_json((tmp_path / "out/private/recoding.json").read_bytes())
    assert isinstance(saved, PartsRecoding)
    assert saved == release.recoding


def test_a_sensitive_item_that_only_few_parts_have(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "PART_ROWS", 60)
    columns = '[columns.items]\nrole = "items"\nsensitive = ["rare"]\n'
    monkeypatch.setitem(_CASES, "k-lm", ("rfirst", "k = 3\nm = 1\nl = 1.5", columns))
    table = _table(200, seed=5)
    items = [["rare"] if place in (3, 90) else own for place, own in enumerate(table["items"].to_pylist())]
    table = table.set_column(4, "items", pa.array(items))
    release = _placed(sail, _job(tmp_path, table, "k-lm"), tmp_path / "out")
    assert release.recoding.parts >= 3
    assert release.audit.satisfied
    job = _job(tmp_path, table.set_column(4, "items", pa.array([["a"]] * 200)), "k-lm")
    with pytest.raises(InputError, match="lists 'rare', which no basket holds"):
        _placed(sail, job, tmp_path / "none")


def test_days_as_text_have_their_order_in_all_parts(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their order few days are far from others; by themselves, each of forty, all groups would be."""
    monkeypatch.setattr(records, "PART_ROWS", 80)
    monkeypatch.setattr(record_verdicts, "SHARE", 100)
    days = [f"2024-{1 + each // 28:02}-{1 + each % 28:02}" for each in np.random.default_rng(1).integers(0, 40, 300)]
    table = _table(300).set_column(3, "ill", pa.array(days))
    release = _placed(sail, _job(tmp_path, table, "t"), tmp_path / "out")
    found = tacit.audit(pq.read_table(tmp_path / "out/public/data"), release.job.promise, quasi=["age", "town"],
                        sensitive="ill")  # fmt: skip
    assert release.recoding.parts >= 3
    assert release.audit.facts["level"] == found.facts["level"]


def test_what_is_asked_of_values_that_few_parts_have(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "PART_ROWS", 60)
    monkeypatch.setattr(record_verdicts, "SHARE", 50)
    columns = '[columns.ill]\nrole = "sensitive"\nharmless = ["Rare "]\nwidth = 2\n'
    monkeypatch.setitem(_CASES, "l", ("mondrian", "k = 3\nl = 2", columns))
    table = _table(200, seed=5)
    ill = [{3: "rare", 90: "7"}.get(place, each) for place, each in enumerate(table["ill"].to_pylist())]
    job = _job(tmp_path, table.set_column(3, "ill", pa.array(ill)), "l")
    release = _placed(sail, job, tmp_path / "out")
    assert release.recoding.parts >= 3
    assert release.audit.satisfied
    for place, told in ((3, "`harmless` lists 1 value that no record has"), (90, "width is set, but no value")):
        fewer = [table["ill"][0].as_py() if at == place else each for at, each in enumerate(ill)]
        with pytest.raises(InputError, match=told):
            _placed(sail, _job(tmp_path, table.set_column(3, "ill", pa.array(fewer)), "l"), tmp_path / "none")


def test_names_with_dots_and_ticks(sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "PART_ROWS", 80)
    monkeypatch.setattr(record_verdicts, "MOST_OF_A_GROUP", 5)
    job = _job(tmp_path, _table(200), "l")
    names = {"id": "i.d", "age": "age.in.years", "town": "to`wn", "ill": "ill.`now"}
    pq.write_table(_table(200).rename_columns([*names.values(), "items"]), tmp_path / "data.parquet")
    text = (tmp_path / "job.toml").read_text()
    for name, dotted in names.items():
        text = text.replace(f"[columns.{name}]", f'[columns."{dotted}"]')
    (tmp_path / "job.toml").write_text(text)
    release = _placed(sail, read_job(job.file), tmp_path / "out")
    assert release.recoding.parts >= 2
    assert pq.read_table(tmp_path / "out/public/data").column_names == ["age.in.years", "to`wn", "ill.`now"]


@pytest.mark.parametrize(
    "model", [pytest.param("k", marks=pytest.mark.slow), "l", pytest.param("k-km", marks=pytest.mark.slow)]
)
def test_people_are_counted_and_not_records(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """Some have a dozen records: a group of k records would be one of few people."""
    monkeypatch.setattr(records, "PART_ROWS", 80)
    monkeypatch.setattr(record_verdicts, "SHARE", 100)
    table = _table(300, seed=6)
    who = [f"p{i % 12}" if i % 2 else f"q{i}" for i in range(300)]
    table = table.set_column(0, "id", pa.array(who))
    job = _job(tmp_path, table, model)
    text = (tmp_path / "job.toml").read_text().replace('role = "identifier"', 'role = "person"')
    (tmp_path / "job.toml").write_text(text)
    job = read_job(tmp_path / "job.toml")
    release = _placed(sail, job, tmp_path / "out")
    published = pq.read_table(tmp_path / "out/public/data")
    assert release.recoding.parts >= 2
    assert release.audit.satisfied
    assert "id" not in published.column_names
    rows = pq.read_table(tmp_path / "out/private/rows").to_pylist()
    groups: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        groups.setdefault((row["age"], row["town"]), set()).add(row["original"])
    assert min(map(len, groups.values())) >= 3
    assert release.audit.facts["smallest_group"] == min(map(len, groups.values()))
    assert Counter(row["original"] for row in rows) == Counter(who)
    if model == "l":
        for group, people in groups.items():
            for value in ("flu", "cold", "gout", "none"):
                having = {r["original"] for r in rows if (r["age"], r["town"]) == group and r["ill"] == value}
                assert 2 * len(having) <= len(people)
    alone = tacit_command("audit", tmp_path / "job.toml", tmp_path / "out/public/data", "--engine", "sail", "--json")
    assert alone.code == 1
    assert json.loads(alone.out)["satisfied"] is None


@pytest.mark.slow
def test_the_same_key_gives_the_same_bytes(sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "PART_ROWS", 80)
    table, made = _table(300, seed=1), []
    for index, rows in enumerate((np.arange(300), np.random.default_rng(3).permutation(300), np.arange(300))):
        job = _job(tmp_path, table.take(pa.array(rows)))
        _placed(sail, job, tmp_path / f"out{index}", bytes(32) if index < 2 else bytes([7] * 32))
        made.append(pq.read_table(tmp_path / f"out{index}/public/data").to_pylist())
    assert made[0] == made[1]
    assert made[0] != made[2]


def test_rows_say_whose_they_are_and_cover_them(sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "PART_ROWS", 80)
    table = _table(200, seed=2)
    job = _job(tmp_path, table, "k", '[engine]\nname = "sail"\nkey = "id"\n')
    _placed(sail, job, tmp_path / "out", output="csv")
    rows = pq.read_table(tmp_path / "out/private/rows").to_pylist()
    people = {row["id"]: row for row in table.to_pylist()}
    above = {"north": "land", "south": "land", "port": "sea", "isle": "sea"}
    assert sorted(row["original"] for row in rows) == sorted(people)
    for row in rows:
        own = people[row["original"]]
        low, _, high = row["age"].strip("[]").partition(":")
        if low.isdigit():
            assert int(low) <= own["age"] <= int(high or low)
        assert row["town"] in (own["town"], above[own["town"]], "*")
    parts = sorted((tmp_path / "out/public/data").iterdir())
    lines = [line for part in parts for line in part.read_text().splitlines()[1:]]
    assert Counter(lines) == Counter(f"{row['age']},{row['town']}" for row in rows)


def test_risk_figures_are_those_of_one_machine(sail: Session, tmp_path: Path) -> None:
    table = _table(120, seed=7)
    job = _job(tmp_path, table, "l", '[engine]\nname = "sail"\n')
    ended = tacit_command("anonymize", tmp_path / "job.toml", "-o", tmp_path / "out")
    assert ended.code == 0, ended.err
    found = json.loads((tmp_path / "out/private/attack.json").read_text())
    published = pq.read_table(tmp_path / "out/public/data")
    roles = {"quasi": ["age", "town"], "sensitive": "ill"}
    local = tacit.attack(table, published, job.promise, **roles)
    same = ("records", "classes", "uniques", "sample_uniqueness", "smallest_class", "marketer")
    for key in ("risk", "before"):
        assert {name: found[key][name] for name in same} == {name: local[key][name] for name in same}
        for name, value in found[key]["prosecutor"].items():
            assert value == pytest.approx(local[key]["prosecutor"][name])
        assert found[key]["all_columns"]["uniques"] == local[key]["all_columns"]["uniques"]
    assert found["attacks"] == []
    assert "No attacker was played" in (tmp_path / "out/private/report.html").read_text()
    ended = tacit_command("anonymize", tmp_path / "job.toml", "-o", tmp_path / "none", "--no-attack", "--no-report")
    assert ended.code == 0, ended.err
    assert not (tmp_path / "none/private/attack.json").exists()


def test_parts_that_cannot_keep_it_become_larger(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "PART_ROWS", 2)
    assert _placed(sail, _job(tmp_path, _table(40)), tmp_path / "out").recoding.parts < 20
    with pytest.raises(PromiseError, match="k = 3, but there are only 2 records"):
        _placed(sail, _job(tmp_path, _table(2)), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_what_is_written_is_what_was_made(sail: Session, tmp_path: Path) -> None:
    frame, _ = frames.read(sail, _job(tmp_path, _table(50)).input)
    record_flow.check_written(frame.orderBy("age"), frame)
    with pytest.raises(AuditFailure, match="not what was made"):
        record_flow.check_written(frame.limit(49), frame)
    halves = frame.limit(20), frame.exceptAll(frame.limit(20))
    record_flow.check_written(frame, *halves)


def test_rows_are_told_apart_by_what_stands_in_which_column() -> None:
    table = pa.table({"a": ["x", "y", "x"], "b": ["y", "x", None], "c": [[1], [1], []]})
    words = record_flow.hashed(table).tolist()
    assert len(set(words)) == 3
    again = table.take([2, 0]).set_column(1, "b", pa.array(["", "y"]))  # what is empty in text is null elsewhere
    assert record_flow.hashed(again).tolist() == [words[2], words[0]]
    exchanged = table.set_column(0, "a", pa.array(["y", "x", "x"]))
    assert set(record_flow.hashed(exchanged).tolist()[:2]).isdisjoint(words)


def test_numbers_may_be_spelled_anew_in_a_text_file(sail: Session, tmp_path: Path) -> None:
    draw = np.random.default_rng(4)
    table = _table(50).append_column("pay", pa.array(draw.integers(1, 9, 50) * 1e8 + 0.5))
    table = table.append_column("share", pa.array([None, *draw.random(49)]))
    plain = '[columns.pay]\nrole = "plain"\n[columns.share]\nrole = "plain"\n'
    _placed(sail, _job(tmp_path, table, more=plain), tmp_path / "out", output="csv")
    lines = [part.read_text().splitlines()[1:] for part in sorted((tmp_path / "out/public/data").iterdir())]
    cells = [line.split(",")[-2:] for part in lines for line in part]
    shown = Counter((float(pay), float(share) if share else None) for pay, share in cells)
    assert shown == Counter(zip(table["pay"].to_pylist(), table["share"].to_pylist(), strict=True))


@pytest.mark.parametrize("model", first_fast(["k", "t"]))
def test_equal_numbers_stand_in_one_spelling_in_all_parts(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """Who wrote 7.00 where others wrote 7 would stand out by it, if they were in another part."""
    monkeypatch.setattr(records, "PART_ROWS", 30)
    table = _table(120)
    order = np.argsort(table["age"].to_numpy()).tolist()
    pay = ["5" if i % 2 else "9" for i in range(120)]
    pay[order[0]], pay[order[-1]], pay[order[60]], pay[order[30]] = "7", "7", "7.00", ""
    columns = '[columns.ill]\nrole = "sensitive"\nmissing = "suppress"\n'
    monkeypatch.setitem(_CASES, model, ("mondrian", "k = 3" + "\nt = 0.6" * (model == "t"), columns))
    _placed(sail, _job(tmp_path, table.set_column(3, "ill", pa.array(pay)), model), tmp_path / "out")
    shown = Counter(pq.read_table(tmp_path / "out/public/data")["ill"].to_pylist())
    assert {text: shown[text] for text in shown if text not in ("5", "9")} == {"7": 3, "*": 1}


@pytest.mark.parametrize(("published", "told"), [("age,town\n", "the file has no record"), ("", "it has no column")])
def test_a_file_without_a_record_is_told(published: str, told: str, sail: Session, tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text(published)
    _job(tmp_path, _table(5))
    ended = tacit_command("audit", tmp_path / "job.toml", tmp_path / "none.csv", "--engine", "sail")
    assert ended.code == 2, ended.err
    assert told in ended.err


@pytest.mark.parametrize(("share", "model"), [(15, "l"), (1000, "l"), (15, "t")])
def test_the_audit_of_an_original_tells_what_it_does_on_one_machine(
    share: int, model: str, sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_verdicts, "SHARE", share)
    job = _job(tmp_path, _table(60), model)
    found, local = (
        json.loads(tacit_command("audit", tmp_path / "job.toml", job.input.source, "--engine", engine, "--json").out)
        for engine in ("sail", "local")
    )
    told = ("satisfied", "records", "groups", "smallest_group", "violation_count", "telling_columns", "level")
    assert {name: found[name] for name in told} == {name: local[name] for name in told}
    texts = [sorted(in_words(each) for each in one["violations"]) for one in (found, local)]
    assert texts[0] == texts[1]
    assert found["worst"]["support"] == local["worst"]["support"]
    assert any(f"{local['violation_count']:,}" in sentence for sentence in found["explanation"])


def _tampered(published: pa.Table) -> dict[str, pa.Table]:
    """A release with a record less, and with a cell of each kind that is not true."""
    found = {"less": published.slice(1)}
    for name in published.column_names:
        cells = published[name].to_pylist()
        false = [*(cells[0] or []), "nobody"] if name == "items" else "200" if name == "age" else "elsewhere"
        at, kind = published.column_names.index(name), published.schema.field(name).type
        found[name] = published.set_column(at, name, pa.array([false, *cells[1:]], kind))
    return found


@pytest.mark.parametrize("case", first_fast([(0, "k-km"), (0, "l"), (1000, "l"), (1000, "k-km")]))
def test_a_release_is_compared_with_its_original(
    case: tuple[int, str], sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once, model = case
    monkeypatch.setattr(record_truth, "AT_ONCE", at_once)
    job = _job(tmp_path, _table(120), model)
    _placed(sail, job, tmp_path / "out")
    published = pq.read_table(tmp_path / "out/public/data")
    for name, table in {"true": published, **_tampered(published)}.items():
        pq.write_table(table, tmp_path / "shown.parquet")
        found, local = (
            tacit_command(
                "audit", tmp_path / "job.toml", tmp_path / "shown.parquet", "--engine", engine, "--original", "--json"
            )
            for engine in ("sail", "local")
        )
        told, as_local = (json.loads(each.out)["false_values"] for each in (found, local))
        assert bool(told) == bool(as_local) == (name != "true")
        assert found.code == local.code
        if at_once:
            assert told == as_local


def test_a_value_that_more_records_show_than_had_it_is_found_in_its_column(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_truth, "AT_ONCE", 0)
    table = pa.table({"id": list("abcdef"), "age": [20, 20, 20, 30, 30, 30], "town": ["north"] * 6})
    job = _job(tmp_path, table)
    for ages, wrong in ((["20"] * 3 + ["30"] * 3, 0), (["20"] * 4 + ["30"] * 2, 1), (["[20:30]"] * 6, 0)):
        pq.write_table(pa.table({"age": ages, "town": ["north"] * 6}), tmp_path / "shown.parquet")
        told = tacit_command(
            "audit", tmp_path / "job.toml", tmp_path / "shown.parquet", "--engine", "sail", "--original", "--json"
        )
        said = [f"values in 'age' that stand for no original one: {wrong}"] if wrong else []
        assert json.loads(told.out)["false_values"] == said
    assert job.promise.name == "k"


def test_a_file_that_is_not_there_is_told(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, _table(5))
    (tmp_path / "data.parquet").unlink()
    with pytest.raises(InputError, match=r"data\.parquet: there is no such file"):
        frames.read(sail, job.input)


def test_records_that_have_no_form(tmp_path: Path) -> None:
    job = _job(tmp_path, _table(5), more='[engine]\nname = "sail"\n')
    text = (tmp_path / "job.toml").read_text()
    (tmp_path / "job.toml").write_text(text.replace('role = "identifier"', 'role = "household"'))
    with pytest.raises(InputError, match="the role 'household' has no form"):
        flow.check_form(read_job(tmp_path / "job.toml"))
    flow.check_form(job)
    spelled = text.replace('"quasi"', '"quasi"\nthousands = ","', 1)
    (tmp_path / "job.toml").write_text(spelled)
    with pytest.raises(InputError, match="thousands and date_format have no form"):
        flow.check_form(read_job(tmp_path / "job.toml"))


@pytest.mark.slow
def test_spark_frames_in_and_out(sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "PART_ROWS", 80)
    job = _job(tmp_path, _table(200, seed=3), "k")
    frame = sail.spark.read.parquet(str(job.input.source))
    asked = {"quasi": ["age", "town"], "sensitive": "ill"}
    release = tacit.anonymize(
        frame, tacit.LDiversity(k=3, l=1.5), identifier="id", hierarchy={"town": tmp_path / "town.csv"}, seed=1,
        key_column="id", **asked,
    )  # fmt: skip
    assert release.data.columns == ["age", "town", "ill"]
    assert release.recoding.parts >= 2
    assert tacit.audit(release.data, tacit.LDiversity(k=3, l=1.5), **asked).satisfied
    release.save(tmp_path / "saved", report=False)
    assert pq.read_table(tmp_path / "saved/public/data").to_pylist() == release.data.toArrow().to_pylist()
    assert pq.read_table(tmp_path / "saved/private/rows").num_rows == 200


@pytest.mark.parametrize(("model", "meets"), [("k", True), ("l", False), ("l", True)])
def test_persons_are_together_where_they_would_meet(
    model: str, meets: bool, sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records go where they belong, unless somebody is in one group by two parts; of k-anonymity even then."""
    monkeypatch.setattr(records, "PART_ROWS", 80)
    table = _table(300, seed=5)
    table = table.set_column(0, "id", pa.array([f"p{i % 150}" for i in range(300)]))
    job = _job(tmp_path, table, model)
    text = (tmp_path / "job.toml").read_text().replace('role = "identifier"', 'role = "person"')
    (tmp_path / "job.toml").write_text(text)
    job, seen, dealt = read_job(tmp_path / "job.toml"), dict[str, set[int]](), records.in_parts
    if meets and model == "l":
        monkeypatch.setattr(records, "meet", lambda rows, quasi: PART in rows.columns)

    def spied(*given: Any, **named: Any) -> Any:
        rows = dealt(*given, **named)
        seen.clear()
        for row in rows.collect():
            seen.setdefault(row["id"], set()).add(row[PART])
        return rows

    monkeypatch.setattr(records, "in_parts", spied)
    release = _placed(sail, job, tmp_path / "out")
    assert any(len(parts) > 1 for parts in seen.values()) is (model == "k" or not meets)
    assert release.audit.satisfied
    assert release.recoding.parts >= 3
    assert PART not in pq.read_table(tmp_path / "out/private/rows").column_names


def test_who_meets_whom(sail: Session) -> None:
    rows = [("30", "f", "p1", 0), ("30", "f", "p2", 0), ("30", "m", "p1", 1), ("30", "f", "p3", 1)]
    schema = f"age string, sex string, {ORIGINAL} string, {PART} long"
    apart = sail.spark.createDataFrame(rows, schema)
    assert not records.meet(apart, ["age", "sex"])
    assert records.meet(apart, ["age"])  # p1, by records of both
    assert not records.meet(apart.drop(PART), ["age"])


@pytest.mark.parametrize(("role", "told"), [("identifier", "40 records"), ("person", "20 people")])
def test_a_population_smaller_than_the_file_is_refused(role: str, told: str, sail: Session, tmp_path: Path) -> None:
    table = _table(40).set_column(0, "id", pa.array([f"p{i % 20}" for i in range(40)]))
    _job(tmp_path, table)
    text = (tmp_path / "job.toml").read_text().replace('role = "identifier"', f'role = "{role}"')
    (tmp_path / "job.toml").write_text(text.replace("[input]\n", "[input]\npopulation = 19\n"))
    with pytest.raises(InputError, match=f"population is 19, but the file has {told}"):
        _placed(sail, read_job(tmp_path / "job.toml"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
