"""Baskets in groups or with equals, and slices, on an engine: made in parts, whose union keeps the promise."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit
from support.commands import tacit as tacit_command
from tacit.baskets.solvers.lra import in_gray_order
from tacit.engines import flow, frames, plain_flow, slice_columns, verdicts
from tacit.engines.plain_parts import divided, gray_key
from tacit.engines.recoding_parts import PartsRecoding
from tacit.engines.session import Session
from tacit.engines.slice_columns import sensitive_apart
from tacit.errors import InputError, PromiseError
from tacit.flow import make_release
from tacit.io.formats import format_named
from tacit.job import Job, read_job
from tacit.recoding import from_json
from tacit.release import Release
from tacit.steps.stages import silent

_TREE = "".join(f"{item};{'x' if item < 'd' else 'y'};*\n" for item in "abcdef")
_ITEMS = '[columns.basket]\nrole = "items"\n'
_CASES = {
    "transactional-k": (f'{_ITEMS}hierarchy = "tree.csv"\n', 'model = "transactional-k"\nk = 3'),
    "km": (f'{_ITEMS}hierarchy = "tree.csv"\n', 'model = "km"\nk = 3\nm = 2\n[method]\nname = "lra"'),
    "lm": (
        f'{_ITEMS}hierarchy = "tree.csv"\nsensitive = ["f"]\n',
        'model = "lm"\nl = 2\nm = 2\n[method]\nname = "lra"'),
    "cahd": (f'{_ITEMS}sensitive = ["f"]\n', 'model = "cahd"\np = 3'),
    "sliced-l": (
        '[columns.age]\nrole = "quasi"\n[columns.town]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n',
        'model = "sliced-l"\nl = 2\n[method]\nname = "bucketization"'),
    "slicing": (
        '[columns.age]\nrole = "quasi"\n[columns.town]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n',
        'model = "sliced-l"\nl = 2\n[method]\nname = "slicing"\noverlap = true'),
    "one-per-column": (
        '[columns.age]\nrole = "quasi"\n[columns.town]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n',
        'model = "sliced-l"\nl = 2\n[method]\nname = "one-per-column"'),
}  # fmt: skip


_SLICED = ("sliced-l", "slicing", "one-per-column")


def _table(rows: int, seed: int = 0) -> pa.Table:
    draw = np.random.default_rng(seed)
    baskets = [sorted(draw.choice(list("abcde"), draw.integers(0, 4), replace=False).tolist()) for _ in range(rows)]
    baskets = [[*basket, "f"] if draw.random() < 0.1 else basket for basket in baskets]
    return pa.table(
        {
            "id": [f"p{i}" for i in range(rows)],
            "basket": baskets,
            "age": draw.integers(18, 60, rows),
            "town": draw.choice(["north", "south"], rows),
            "ill": draw.choice(["flu", "cold", "gout", "none"], rows),
        }
    )


def _job(folder: Path, table: pa.Table, case: str, more: str = "") -> Job:
    columns, promise = _CASES[case]
    (folder / "tree.csv").write_text(_TREE)
    pq.write_table(table, folder / "data.parquet")
    (folder / "job.toml").write_text(
        f'[input]\nsource = "data.parquet"\n[columns.id]\nrole = "identifier"\n{columns}[privacy]\n{promise}\n{more}'
    )
    return read_job(folder / "job.toml")


def _placed(session: Session, job: Job, target: Path, key: bytes = bytes(32), output: str = "parquet") -> Release:
    frame, _ = frames.read(session, job.input)
    return flow.place_shares(
        session, frame, job, format_named(output), {}, key, target,
        force=False, report=True, strict=False, progress=silent,
    )  # fmt: skip


def _roles(case: str) -> dict[str, object]:
    if case in _SLICED:
        return {"quasi": ["age", "town"], "sensitive": "ill"}
    return {"items": "basket"} | ({"sensitive_items": ["f"]} if case in ("cahd", "lm") else {})


def _shown_above_its_items(table: pa.Table, published: pa.Table) -> bool:
    """Whether there is a basket of names above its items for every original one: a sum over all people tells."""
    above = {item: {item, "x" if item < "d" else "y", "*"} for item in "abcdef"}
    shown = Counter(name for basket in published["basket"].to_pylist() for name in basket)
    held = Counter(item for basket in table["basket"].to_pylist() for item in basket)
    return shown["f"] <= held["f"] and all(sum(shown[name] for name in above[item]) >= held[item] for item in "abcde")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow if case in ("lm", "one-per-column") else []) for case in _CASES]
)
def test_the_union_of_parts_keeps_the_promise(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.setattr(plain_flow, "PART_ROWS", 60)
    table = _table(300)
    job = _job(tmp_path, table, case)
    release = _placed(sail, job, tmp_path / "out")
    published = pq.read_table(tmp_path / "out/public/data")
    local = make_release(table, job)
    assert release.recoding.parts >= 2
    assert release.audit.satisfied
    assert published.num_rows == release.utility["records"] == 300
    assert published.column_names == local.table.column_names
    assert tacit.audit(published, job.promise, **_roles(case)).satisfied
    if case == "transactional-k":
        assert release.utility["ncp"] <= 1.5 * local.utility["ncp"] + 0.05
        assert min(Counter(map(tuple, published["basket"].to_pylist())).values()) >= 3
    elif case in ("km", "lm"):
        assert release.utility["ncp"] <= 1.5 * local.utility["ncp"] + 0.1
        assert _shown_above_its_items(table, published)
    elif case == "cahd":
        items = [
            Counter(item for basket in each["basket"].to_pylist() for item in basket) for each in (published, table)
        ]
        assert items[0] == items[1]
    else:
        for name in ("town", "ill"):
            column = next(each for each in published.column_names if each.endswith(f".{name}"))
            assert Counter(published[column].to_pylist()) == Counter(table[name].to_pylist())
    saved = from_json((tmp_path / "out/private/recoding.json").read_bytes())
    assert isinstance(saved, PartsRecoding)
    assert saved == release.recoding
    assert (tmp_path / "out/private/report.html").is_file()
    number = {"cahd": "group", **dict.fromkeys(_SLICED, "bucket")}.get(case)
    if number:
        numbers = published[number].to_pylist()
        assert numbers == sorted(numbers)
        assert f"`{number}`" in (tmp_path / "out/public/README.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("case", ["cahd", "sliced-l", "slicing"])
def test_order_and_numbers_hang_on_the_key_and_on_no_order_of_the_input(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.setattr(plain_flow, "PART_ROWS", 60)
    table, made = _table(200, seed=1), []
    for index, rows in enumerate((np.arange(200), np.random.default_rng(3).permutation(200), np.arange(200))):
        job = _job(tmp_path, table.take(pa.array(rows)), case, "" if case in _SLICED else "[method]\nseed = 1\n")
        job = read_job(tmp_path / "job.toml", overrides=["method.seed=1"])
        _placed(sail, job, tmp_path / f"out{index}", bytes(32) if index < 2 else bytes([7] * 32))
        made.append(pq.read_table(tmp_path / f"out{index}/public/data").to_pylist())
    assert made[0] == made[1]
    assert made[0] != made[2]


@pytest.mark.slow
def test_columns_of_slices_are_found_in_a_sample_and_are_the_same_in_all_parts(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_flow, "PART_ROWS", 60)
    table = _table(300)
    places = {"north": "sea", "south": "land"}
    table = table.append_column("coast", pa.array([places[town] for town in table["town"].to_pylist()]))
    case = _CASES["slicing"]
    monkeypatch.setitem(_CASES, "slicing", (f'{case[0]}[columns.coast]\nrole = "quasi"\n', case[1]))
    found = []
    for sample in (100, 100_000):
        monkeypatch.setattr(slice_columns, "SAMPLE", sample)
        release = _placed(sail, _job(tmp_path, table, "slicing"), tmp_path / str(sample))
        assert release.audit.satisfied
        found.append(release.recoding.slices)
    assert found[1] == make_release(table, _job(tmp_path, table, "slicing")).recoding.slices
    assert all(any({"town", "coast"} <= set(names) for names in slices) for slices in found)


def test_a_promise_that_a_sample_cannot_keep_is_looked_for_in_more(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of all have one illness: just what ℓ = 2 allows, in all of the data and in few samples."""
    monkeypatch.setattr(slice_columns, "SAMPLE", 10)
    table = _table(60)
    ill = ["flu"] * 30 + [f"rare {i}" for i in range(30)]
    table = table.set_column(table.column_names.index("ill"), "ill", pa.array(ill))
    release = _placed(sail, _job(tmp_path, table, "slicing"), tmp_path / "out")
    assert release.audit.satisfied
    more = table.set_column(table.column_names.index("ill"), "ill", pa.array(["flu"] * 31 + ill[31:]))
    with pytest.raises(PromiseError):
        _placed(sail, _job(tmp_path, more, "slicing"), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_parts_of_which_nothing_is_left_become_larger(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a hierarchy all items are one as soon as a pair is rare: then it must be so in all of the data."""
    monkeypatch.setattr(plain_flow, "PART_ROWS", 60)
    monkeypatch.setitem(_CASES, "km", (_ITEMS, _CASES["km"][1]))
    found = []
    for most in (1.0, 0.02):
        monkeypatch.setattr(plain_flow, "_MOST_LOST", most)
        release = _placed(sail, _job(tmp_path, _table(300), "km"), tmp_path / str(most))
        found.append(release.recoding.parts)
    assert found[0] > found[1] == 1


def test_keys_go_by_the_gray_code() -> None:
    """As LRA sorts baskets; and as the definition says: the place in the code, bit by bit, is the sum of the digits."""
    draw = np.random.default_rng(0)
    baskets = [np.flatnonzero(draw.random(9) < 0.4).tolist() for _ in range(200)]
    starts = np.concatenate(([0], np.cumsum([len(basket) for basket in baskets])))
    items = np.array([item for basket in baskets for item in basket], np.int32)
    keys = [gray_key(basket) for basket in baskets]
    own = in_gray_order(starts, items).tolist()
    assert [keys[row] for row in own] == sorted(keys)
    place = [int("".join(str(sum(item <= at for item in basket) % 2) for at in range(9)), 2) for basket in baskets]
    assert np.array_equal(np.argsort(np.argsort(keys, kind="stable")), np.argsort(np.argsort(place, kind="stable")))


def test_sensitive_attributes_stand_apart(tmp_path: Path) -> None:
    job = _job(tmp_path, _table(5), "slicing")
    assert sensitive_apart((("age", "ill"), ("town",)), job) == (("ill",), ("town",), ("age",))
    assert sensitive_apart((("age", "ill"), ("age", "town")), job) == (("ill",), ("age", "town"))
    assert sensitive_apart((("age", "town"), ("ill",)), job) == (("age", "town"), ("ill",))


def test_whose_rows_they_are(sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_flow, "PART_ROWS", 60)
    table = _table(150, seed=2)
    job = _job(tmp_path, table, "cahd", '[engine]\nname = "sail"\nkey = "id"\n')
    _placed(sail, job, tmp_path / "out", output="csv")
    rows = pq.read_table(tmp_path / "out/private/rows").to_pylist()
    people = {row["id"]: row["basket"] for row in table.to_pylist()}
    assert sorted(row["original"] for row in rows) == sorted(people)
    for row in rows:
        assert set(row["basket"].split()) - {"f"} == set(people[row["original"]]) - {"f"}


@pytest.mark.slow
def test_parts_that_cannot_keep_it_become_larger(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_flow, "PART_ROWS", 2)
    for case in _CASES:
        release = _placed(sail, _job(tmp_path, _table(40), case), tmp_path / case)
        assert release.recoding.parts < 20
    with pytest.raises(PromiseError, match="k = 3"):
        _placed(sail, _job(tmp_path, _table(2), "transactional-k"), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_commands(sail: Session, tmp_path: Path) -> None:
    _job(tmp_path, _table(80), "sliced-l", '[engine]\nname = "sail"\n[output]\nformat = "csv"\n')
    ended = tacit_command("anonymize", tmp_path / "job.toml", "-o", tmp_path / "out", "--no-report")
    assert ended.code == 0, ended.err
    audited = tacit_command("audit", tmp_path / "job.toml", tmp_path / "out/public/data", "--engine", "sail", "--json")
    assert audited.code == 0, audited.err
    assert json.loads(audited.out)["records"] == 80
    for case in _CASES:
        _job(tmp_path, _table(80), case, '[engine]\nname = "sail"\n')
        ended = tacit_command("audit", tmp_path / "job.toml", tmp_path / "out/public/data", "--original")
        assert ended.code == 2
        assert "compared with the original where a release is made" in ended.err


@pytest.mark.parametrize(
    ("case", "change", "told"),
    [
        ("sliced-l", ('role = "identifier"', 'role = "person"'), "the role 'person' has no form"),
        ("slicing", ("overlap = true", "generalize_k = 3"), "generalize_k has no form on an engine"),
        ("slicing", ("overlap = true", 'columns = [["age", "ill"], ["town", "ill"]]'), "column 'ill': method.columns"),
        ("sliced-l", ("[privacy]", '[engine]\nname = "sail"\nkey = "id"\n[privacy]'), "engine.key has no place"),
        ("cahd", ('role = "items"', 'role = "items"\ndecimal = ","'), "decimal"),
    ],
)
def test_what_has_no_form(tmp_path: Path, case: str, change: tuple[str, str], told: str) -> None:
    _job(tmp_path, _table(5), case)
    text = (tmp_path / "job.toml").read_text()
    (tmp_path / "job.toml").write_text(text.replace(*change))
    with pytest.raises(InputError, match=told.replace(".", r"\.")):
        flow.check_form(read_job(tmp_path / "job.toml", overrides=["engine.name=sail"]))


def test_parts_are_of_about_one_size_and_frequent_keys_are_divided() -> None:
    found = divided(["b", "a", "c"], np.array([10, 100, 12]), 25)
    assert found.limits == ("a",)
    assert found.pieces.tolist() == [4, 1]
    table = pa.table({"x": list(range(400))})
    parts = np.bincount(found.part_of(["a"] * 399 + ["c"], table, bytes(32)))
    assert parts.size == 5
    assert parts[-1] == 1
    assert parts[:4].min() > 60


@pytest.mark.parametrize("case", ["transactional-k", "cahd"])
def test_columns_stand_under_their_names_whatever_order_the_job_has(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """A plain column that the job lists behind the baskets, and the file before them; one of them is called `group`."""
    table = _table(60).select(["id", "town", "basket"]).rename_columns(["id", "group", "basket"])
    columns, promise = _CASES[case]
    monkeypatch.setitem(_CASES, case, (f'{columns}[columns.group]\nrole = "plain"\n', promise))
    release = _placed(sail, _job(tmp_path, table, case), tmp_path / "out")
    published = pq.read_table(tmp_path / "out/public/data")
    assert release.audit.satisfied and published.column_names[:2] == ["group", "basket"]
    assert Counter(published["group"].to_pylist()) == Counter(table["group"].to_pylist())
    assert all(isinstance(basket, list) for basket in published["basket"].to_pylist())
    assert published.column_names[2:] == (["group~2"] if case == "cahd" else [])


def test_texts_stay_as_they_are_in_parts_without_a_word(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codes that look like equal numbers: where a word stands among them, they are texts, be it in another part."""
    monkeypatch.setattr(plain_flow, "PART_ROWS", 60)
    table = _table(240)
    codes = ["word", *np.random.default_rng(1).choice(["1E5", "10E4", "2", "3"], 239).tolist()]
    table = table.set_column(table.column_names.index("ill"), "ill", pa.array(codes))
    release = _placed(sail, _job(tmp_path, table, "sliced-l"), tmp_path / "out")
    published = pq.read_table(tmp_path / "out/public/data")
    column = next(name for name in published.column_names if name.endswith(".ill"))
    assert release.recoding.parts >= 2
    assert Counter(published[column].to_pylist()) == Counter(codes)


def test_a_column_of_slices_that_is_allowed_is_allowed_on_engines_too(sail: Session, tmp_path: Path) -> None:
    job = _job(tmp_path, _table(40), "sliced-l")
    rows = {"1.age": ["30", "31"] * 4, "1.town": ["n", "s"] * 4, "2.ill": ["flu", "cold"] * 4}
    published = pa.table({"bucket": [i // 2 for i in range(8)], **rows, "1.note": [f"own {i}" for i in range(8)]})
    pq.write_table(published, tmp_path / "published.parquet")
    frame, _ = frames.read_files(sail, tmp_path / "published.parquet")
    assert verdicts.audit_frame(frame, job, ()).satisfied is False
    assert verdicts.audit_frame(frame, job, ("note",)).satisfied is True


def test_a_part_tells_no_line_of_its_own(sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are in an order of their own: what is wrong in one is told without a place."""
    monkeypatch.setattr(plain_flow, "PART_ROWS", 60)
    table = _table(200)
    ages = ["?" if i == 7 else str(20 + i % 30) for i in range(200)]
    job = _job(tmp_path, table.set_column(2, "age", pa.array(ages)), "sliced-l")
    with pytest.raises(InputError) as refused:
        _placed(sail, job, tmp_path / "out")
    assert "column 'age'" in str(refused.value) and refused.value.line is None and ", line " not in str(refused.value)
    assert "first stands" not in str(refused.value) and not (tmp_path / "out").exists()
