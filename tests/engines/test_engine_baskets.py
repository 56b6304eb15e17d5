"""Baskets on an engine: the decision is the local one, what is written keeps the promise, and order is the key's."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from support.commands import tacit as tacit_command
from support.seeds import first_fast
from tacit.engines import flow, forms, frames
from tacit.engines.order import contents
from tacit.engines.session import Session, _require_server
from tacit.errors import AuditFailure, InputError, PromiseError
from tacit.flow import anonymize_job, make_release
from tacit.io.formats import format_named
from tacit.job import Engine, Job, read_job
from tacit.methods import METHODS
from tacit.recoding import to_json
from tacit.shuffle import places
from tacit.steps.stages import silent

_ITEMS = "abcdefgh"
_HIERARCHY = "".join(f"{item};{'x' if item < 'd' else 'y'};*\n" for item in _ITEMS)
_CASES = [
    ("km", "k = 3\nm = 2", "best", ""),
    ("km", "k = 2\nm = 3", "mhghs", ""),
    ("km", "k = 3\nm = 2", "hghs", ""),
    ("km", "k = 2\nm = 2", "apriori", ""),
    ("km", 'k = 2\nm = "inf"', "suppression", ""),
    ("km", 'k = 3\nm = "inf"', "mhghs", ""),
    ("km", "k = 3\nm = 2", 'best"\nsets = "related', ""),
    ("km", "k = 4\nm = 2", 'best"\nsets = true\nloss = "lm', ""),
    ("km", "k = 3\nm = 2", "coat", ""),
    ("km", "k = 2\nm = 3", 'pcta"\nconstraints = "constraints.toml', ""),
    ("km", "k = 2\nm = 2", "vpa", ""),
    ("lm", "l = 1.5\nm = 2", "vpa", 'sensitive = ["g", "h"]'),
    ("lm", "l = 1.5\nm = 2", "apriori", 'sensitive = ["g", "h"]'),
    ("coherence", "h = 0.8\nk = 2\np = 2", "suppression", 'sensitive = ["g"]'),
]


def _baskets(seed: int, rows: int = 60) -> list[list[str]]:
    draw = np.random.default_rng(seed)
    return [sorted(draw.choice(list(_ITEMS), draw.integers(0, 5), replace=False).tolist()) for _ in range(rows)]


def _job(folder: Path, baskets: list[list[str]], case: tuple[str, str, str, str] = _CASES[0], more: str = "") -> Job:
    model, parameters, method, sensitive = case
    (folder / "tree.csv").write_text(_HIERARCHY)
    (folder / "constraints.toml").write_text('utility = [["a", "b", "c"], ["d", "e", "f", "g", "h"]]\n')
    table = pa.table({"id": [f"p{i}" for i in range(len(baskets))], "basket": baskets})
    pq.write_table(table, folder / "data.parquet")
    (folder / "job.toml").write_text(
        f'[input]\nsource = "data.parquet"\n[columns.basket]\nrole = "items"\nhierarchy = "tree.csv"\n{sensitive}\n'
        f'[privacy]\nmodel = "{model}"\n{parameters}\n[method]\nname = "{method}"\nseed = 1\n{more}'
    )
    return read_job(folder / "job.toml")


def _decided(session: Session, job: Job, key: bytes = bytes(32)) -> flow.Decided:
    frame, found = frames.read(session, job.input)
    return flow.decide(frame, job, format_named(found.name), {}, key, silent)


@pytest.mark.parametrize("case", first_fast(_CASES), ids=lambda case: f"{case[0]}-{case[2].split(chr(34))[0]}")
def test_the_decision_is_the_local_one(sail: Session, tmp_path: Path, case: tuple[str, str, str, str]) -> None:
    reached = 0
    for seed in range(6):
        job = _job(tmp_path, _baskets(seed), case)
        outcomes = []
        for decide in (
            lambda job=job: make_release(pq.read_table(job.input.source), job),
            lambda job=job: _decided(sail, job).release,
        ):
            try:
                made = decide()
                outcomes.append((to_json(made.recoding), made.utility["ncp"], made.utility["records"]))
            except PromiseError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        reached += isinstance(outcomes[0], tuple)
    assert reached >= 3


@pytest.mark.parametrize(
    "method", first_fast(['best"\nsets = "related', 'best"\nsets = true\nbound = false\nloss = "lm', "coat", "vpa"])
)
def test_sets_of_items_are_written_and_audited_as_on_one_machine(sail: Session, tmp_path: Path, method: str) -> None:
    job = _job(tmp_path, _baskets(2, rows=120), ("km", "k = 9\nm = 2", method, ""))
    local = make_release(pq.read_table(job.input.source), job)
    decided = _decided(sail, job)
    release = flow.place(sail, decided, tmp_path / "out", force=False, report=True, progress=silent)
    published = pq.read_table(tmp_path / "out/public/data")
    assert Counter(map(str, published["basket"].to_pylist())) == Counter(map(str, local.table["basket"].to_pylist()))
    assert release.audit.satisfied
    if "sets" in method:
        assert any("," in name for basket in published["basket"].to_pylist() for name in basket)
    assert {note for note in release.notes if "sets of items" in note} == {
        note for note in local.notes if "sets of items" in note
    }


@pytest.mark.slow
def test_a_release_holds_what_a_release_holds(sail: Session, tmp_path: Path) -> None:
    baskets = _baskets(3)
    job = _job(tmp_path, baskets)
    decided = _decided(sail, job)
    release = flow.place(sail, decided, tmp_path / "out", force=False, report=True, progress=silent)
    files = sorted(str(file.relative_to(tmp_path / "out")) for file in (tmp_path / "out").rglob("*") if file.is_file())
    private = ["audit.json", "job.toml", "key", "recoding.json", "report.html", "utility.json"]
    public = ["README.md", "croissant.json", "data/part-00000.parquet", "dcat.jsonld"]
    assert files == [*(f"private/{name}" for name in private), *(f"public/{name}" for name in public)]
    about = json.loads((tmp_path / "out/public/croissant.json").read_text())
    assert about["size"] == "60 records"
    assert [each["@id"] for each in about["distribution"]] == ["data/part-00000.parquet", "data"]
    assert about["recordSet"][0]["field"][0]["source"]["fileSet"] == {"@id": "data"}
    assert json.loads((tmp_path / "out/private/audit.json").read_text())["satisfied"] is True
    published = pq.read_table(tmp_path / "out/public/data")
    local = make_release(pq.read_table(job.input.source), job)
    as_sets = [Counter(map(tuple, table["basket"].to_pylist())) for table in (published, local.table)]
    assert as_sets[0] == as_sets[1]
    assert release.audit.satisfied
    assert tacit.audit(published, job.promise, items="basket").satisfied
    text = (tmp_path / "out/private/recoding.json").read_text()
    assert not any(word in text for word in ("sail", str(tmp_path)))


@pytest.mark.slow
def test_the_order_is_that_of_the_key(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, _baskets(4, rows=300))
    orders = []
    for key in (bytes(32), bytes(32), bytes([1] * 32)):
        decided = _decided(sail, job, key)
        target = tmp_path / f"out{len(orders)}"
        flow.place(sail, decided, target, force=False, report=False, progress=silent)
        table = pq.read_table(target / "public/data")
        place = places(flow.order_key(decided.release), contents(table))
        assert place == sorted(place)
        orders.append(table["basket"].to_pylist())
    assert orders[0] == orders[1] != orders[2]


def test_a_key_column_says_whose_row_is_whose(sail: Session, tmp_path: Path) -> None:
    baskets = _baskets(5)
    job = _job(tmp_path, baskets, more='[engine]\nname = "sail"\nkey = "id"\n')
    decided = _decided(sail, job)
    flow.place(sail, decided, tmp_path / "out", force=False, report=False, progress=silent)
    rows = pq.read_table(tmp_path / "out/private/rows").to_pylist()
    assert "id" not in pq.read_table(tmp_path / "out/public/data").column_names
    cut = decided.release.recoding.columns["basket"]
    assert sorted(row["original"] for row in rows) == sorted(f"p{i}" for i in range(len(baskets)))
    for row in rows:
        own = {cut.name_of(item) for item in baskets[int(row["original"][1:])]} - {None}
        assert sorted(own) == row["basket"]


def test_nothing_is_placed_that_the_audit_does_not_pass(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = _job(tmp_path, [["a"], ["b"], ["a", "b"], ["a", "c"], ["c", "d"]])
    decided = _decided(sail, job)
    asis = {item: item for item in _ITEMS}
    cut = decided.release.recoding.columns["basket"]
    leaky = replace(decided.release.recoding, columns={"basket": replace(cut, becomes=asis, suppressed=())})
    applied = replace(decided.release.applied, recoding=leaky)
    bad = decided._replace(release=replace(decided.release, applied=applied))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(AuditFailure, match="audit did not pass"):
        flow.place(sail, bad, tmp_path / "out", force=False, report=False, progress=silent)
    assert sorted(tmp_path.iterdir()) == before


def test_rows_that_are_lost_are_found(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, _baskets(3))
    decided = _decided(sail, job)
    rows, _ = flow.rows_to_write(decided)
    assert flow.judged(decided, rows)[0].in_order
    assert "59 records are shown out of 60" in flow.judged(decided, rows.limit(59))[0].problems[0]


@pytest.mark.slow
def test_commands_and_text_files(sail: Session, tmp_path: Path) -> None:
    """`.dat`, CSV with signs that need quotes, and a folder of files; the same on both engines."""
    lines = [" ".join(basket) for basket in _baskets(6)]
    (tmp_path / "data.dat").write_text("\n".join(lines) + "\n")
    (tmp_path / "tree.csv").write_text(_HIERARCHY)
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "data.dat"\n[columns.items]\nrole = "items"\nhierarchy = "tree.csv"\n'
        '[privacy]\nmodel = "km"\nk = 3\nm = 2\n[method]\nseed = 1\n'
    )
    made = {}
    for engine in ("local", "sail"):
        job = read_job(tmp_path / "job.toml", overrides=[f"engine.name={engine}"])
        made[engine] = anonymize_job(job, directory=tmp_path / engine, report=False, attacks=False)
    both = [(tmp_path / engine / "public/data.dat").read_text().splitlines() for engine in made]
    assert sorted(both[0]) == sorted(both[1])
    assert len({(tmp_path / engine / "private/recoding.json").read_bytes() for engine in made}) == 1
    with pytest.raises(InputError, match="exists already"):
        anonymize_job(job, directory=tmp_path / "sail")
    anonymize_job(job, directory=tmp_path / "sail", force=True, report=False)
    assert (tmp_path / "sail/public/data.dat").is_file()


@pytest.mark.slow
def test_spark_frames_in_and_out(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, _baskets(7))
    frame = sail.spark.read.parquet(str(job.input.source))
    release = tacit.anonymize(
        frame, job.promise, items="basket", hierarchy=tmp_path / "tree.csv", seed=1, identifier="id"
    )
    local = tacit.anonymize(
        pq.read_table(job.input.source), job.promise, items="basket", hierarchy=tmp_path / "tree.csv", seed=1
    )
    assert release.data.columns == ["basket"]
    found = [Counter(map(tuple, each.to_pylist())) for each in (release.data.toArrow()["basket"], local.data["basket"])]
    assert found[0] == found[1]
    assert tacit.audit(release.data, job.promise, items="basket").satisfied
    assert not tacit.audit(frame.drop("id"), job.promise, items="basket").satisfied
    told = tacit.audit(frame, tacit.KmAnonymity(k=1, m=1), items="basket")
    assert told.satisfied is False
    assert "'id'" in str(told)  # a column that nobody declared, and that tells everybody apart
    release.save(tmp_path / "saved", report=False)
    assert pq.read_table(tmp_path / "saved/public/data").num_rows == 60


def test_a_table_of_the_catalog_is_read(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, _baskets(7), more='[engine]\nname = "sail"\n')
    sail.spark.read.parquet(str(job.input.source)).createOrReplaceTempView("sold")
    of_file = _decided(sail, job)
    asked = replace(job, input=replace(job.input, source="catalog://", table="sold"))
    of_table = _decided(sail, asked)
    assert to_json(of_table.release.recoding) == to_json(of_file.release.recoding)
    assert of_table.frame.count() == 60
    gone = replace(job, input=replace(job.input, source="catalog://", table="gone"))
    with pytest.raises(InputError, match="the table 'gone' of the catalog: the engine cannot read this"):
        _decided(sail, gone)
    database = replace(job, input=replace(job.input, source="jdbc:postgresql://host/shop", table="sold"))
    with pytest.raises(InputError, match="Sail reads no JDBC"):
        _decided(sail, database)


def _long(baskets: list[list[str]]) -> pa.Table:
    rows = [(f"p{i}", item) for i, basket in enumerate(baskets) for item in basket or [None]]
    rows = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    return pa.table({"who": [row[0] for row in rows], "item": pa.array([row[1] for row in rows], pa.string())})


@pytest.mark.slow
def test_a_long_layout_is_united_by_person(sail: Session, tmp_path: Path) -> None:
    baskets = _baskets(8, rows=80)
    table = _long(baskets)
    table = table.append_column("mail", table["who"])
    pq.write_table(table, tmp_path / "data.parquet")
    (tmp_path / "tree.csv").write_text(_HIERARCHY)
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "data.parquet"\nlayout = "long"\n[columns.who]\nrole = "person"\n[columns.item]\n'
        'role = "items"\nhierarchy = "tree.csv"\n[columns.mail]\nrole = "identifier"\n[privacy]\nmodel = "km"\n'
        'k = 3\nm = 2\n[method]\nname = "mhghs"\nseed = 1\n[engine]\nname = "sail"\n'
    )
    job = read_job(tmp_path / "job.toml")
    local = make_release(table, job)
    decided = _decided(sail, job)
    assert to_json(decided.release.recoding) == to_json(local.recoding)
    flow.place(sail, decided, tmp_path / "out", force=False, report=True, progress=silent)
    published = pq.read_table(tmp_path / "out/public/data")
    rows = {row["published"]: row["original"] for row in pq.read_table(tmp_path / "out/private/rows").to_pylist()}
    assert published.schema.types == local.table.schema.types
    assert published["who"].to_pylist() == sorted(published["who"].to_pylist())
    shown: dict[int, set[str]] = {}
    for row in published.to_pylist():
        shown.setdefault(row["who"], set()).update([row["item"]] if row["item"] else [])
    assert sorted(rows) == sorted(shown) == list(range(1, 81))
    cut = decided.release.recoding.columns["item"]
    for number, person in rows.items():
        assert shown[number] == {cut.name_of(item) for item in baskets[int(person[1:])]} - {None}
    ended = tacit_command(
        "audit",
        tmp_path / "job.toml",
        tmp_path / "out/public/data/part-00000.parquet",
        "--engine",
        "sail",
        "--original",
    )
    assert ended.code == 0, ended.err
    frame = sail.spark.read.parquet(str(job.input.source))
    release = tacit.anonymize(frame, job.promise, person="who", items="item", hierarchy=tmp_path / "tree.csv", seed=1)
    assert release.data.columns == ["who", "item"]
    nobody = table.set_column(0, "who", pa.array([None, *table["who"].to_pylist()[1:]]))
    pq.write_table(nobody, tmp_path / "data.parquet")
    with pytest.raises(InputError, match="rows without a person id: 1"):
        _decided(sail, job)


@pytest.mark.parametrize("is_text", [False, True])
def test_rows_of_a_person_are_united(sail: Session, tmp_path: Path, is_text: bool) -> None:
    baskets = _baskets(9, rows=80)
    job = _job(tmp_path, baskets, ("km", "k = 3\nm = 2", "mhghs", ""), '[columns.id]\nrole = "person"\n')
    table = pa.table({"id": [f"p{i % 50}" for i in range(80)], "basket": baskets})
    if is_text:
        table = table.set_column(1, "basket", pa.array([" ".join(basket) for basket in baskets]))
    pq.write_table(table, tmp_path / "data.parquet")
    local = make_release(table, job)
    decided = _decided(sail, job)
    assert to_json(decided.release.recoding) == to_json(local.recoding)
    flow.place(sail, decided, tmp_path / "out", force=False, report=False, progress=silent)
    published = pq.read_table(tmp_path / "out/public/data")
    assert published.column_names == ["basket"]
    shown = [Counter(map(str, each["basket"].to_pylist())) for each in (published, local.table)]
    assert shown[0] == shown[1]
    assert published.num_rows == 50


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('[engine]\nname = "spark"\nremote = "host"\n', "engine.remote is 'host'"),
        ('[engine]\nname = "dask"\n', "engine.name is 'dask'"),
        ('[engine]\nname = "sail"\nmaster = "local[2]"\n', "engine.master does not fit the engine 'sail'"),
        ('[engine]\nkey = "id"\n', "engine.key does not fit the engine 'local'"),
        ('[engine]\nname = "sail"\nkey = "basket"\n', "engine.key names a column with the role 'items'"),
        ('[engine]\nname = "spark"\nremote = "sc://h"\nmaster = "m"\n', "has both remote and master"),
    ],
)
def test_engines_that_cannot_be(tmp_path: Path, more: str, told: str) -> None:
    with pytest.raises(InputError, match=told.replace(".", r"\.")):
        _job(tmp_path, [["a"]], more=more)


@pytest.mark.parametrize("remote", ["sc://127.0.0.1:1", "sc://127.0.0.1:1/;token=secret", "sc://[::1]:1"])
def test_a_server_that_nobody_runs_is_told_at_once(remote: str) -> None:
    with pytest.raises(InputError, match="no Spark Connect server answers at sc://") as told:
        _require_server(remote)
    assert "secret" not in str(told.value)


def test_an_engine_that_a_command_names_has_none_of_the_keys_of_another(tmp_path: Path) -> None:
    _job(tmp_path, [["a"]], more='[engine]\nname = "spark"\nmaster = "local[2]"\nkey = "id"\n')
    assert read_job(tmp_path / "job.toml", overrides=["engine.name=local"]).engine == Engine()
    assert read_job(tmp_path / "job.toml", overrides=["engine.name=sail"]).engine == Engine("sail", key="id")
    with pytest.raises(InputError, match=r"engine\.key does not fit"):
        read_job(tmp_path / "job.toml", overrides=["engine.name=local", "engine.key=id"])


def test_a_delivery_without_a_record_is_told(sail: Session, tmp_path: Path) -> None:
    (tmp_path / "data.dat").write_text("a b\n" * 5)
    (tmp_path / "job.toml").write_text(
        '[input]\nsource = "data.dat"\n[columns.items]\nrole = "items"\n[privacy]\nmodel = "km"\nk = 3\nm = 2\n'
    )
    job = read_job(tmp_path / "job.toml", overrides=["engine.name=sail"])
    anonymize_job(job, directory=tmp_path / "out", report=False)
    (tmp_path / "none.dat").write_text("")
    ended = tacit_command("apply", tmp_path / "out", tmp_path / "none.dat", "-o", tmp_path / "new", "--engine", "sail")
    assert ended.code == 2
    assert "none.dat: the data has no record" in ended.err
    audited = tacit_command("audit", tmp_path / "job.toml", tmp_path / "none.dat", "--engine", "sail")
    assert audited.code == 2
    assert "none.dat: the file has no record" in audited.err


def test_what_has_no_form_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = _job(tmp_path, _baskets(1), ("km", "k = 2\nm = 2", "lra", ""), '[engine]\nname = "sail"\n')
    Path(job.input.source).unlink()
    monkeypatch.setattr(forms, "METHODS", {"mhghs": METHODS["mhghs"]})
    with pytest.raises(InputError, match="the method 'lra' has no form on the engine 'sail'"):
        anonymize_job(job)
    monkeypatch.setattr(forms, "METHODS", {"mondrian": METHODS["mondrian"]})
    with pytest.raises(InputError, match="the promise 'km' has no form on the engine 'sail'"):
        anonymize_job(job)


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.float64(), pa.struct([("a", pa.int32())])], ids=str)
def test_a_key_that_tells_no_rows_apart(sail: Session, tmp_path: Path, kind: pa.DataType) -> None:
    job = _job(tmp_path, _baskets(1), more='[engine]\nname = "sail"\nkey = "id"\n')
    table = pq.read_table(job.input.source)
    place = table.column_names.index("id")
    pq.write_table(table.set_column(place, "id", pa.nulls(len(table), kind)), job.input.source)
    with pytest.raises(InputError, match="which cannot tell records apart") as told:
        _decided(sail, job)
    assert told.value.column == "id"


@pytest.mark.slow
def test_schemas_that_do_not_fit(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, _baskets(1), more='[engine]\nname = "sail"\nkey = "who"\n')
    with pytest.raises(InputError, match="the data has no such column"):
        _decided(sail, job)
    csv = read_job(tmp_path / "job.toml", overrides=["output.format=csv", "engine.key=id"])
    with pytest.raises(InputError, match="leave out empty lines of text files with one column"):
        anonymize_job(csv, directory=tmp_path / "none")
    (tmp_path / "one.csv").write_text("basket\na\n\nb\n")
    one = replace(job, input=replace(job.input, source=tmp_path / "one.csv"))
    with pytest.raises(InputError, match="one column, and engines leave out its empty lines"):
        _decided(sail, one)
