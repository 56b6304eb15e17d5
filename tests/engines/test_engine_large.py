"""Groups too large for an executor are judged from counts of what is alike in them: the verdict is the local one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacit
from exams.test_boundaries import EDGES, bounds_of
from tacit import audits
from tacit.engines.audits import large, many, pieces, records
from tacit.engines.session import Session
from tacit.job import read_job
from tacit.promises import MODELS

_QUASI = '[columns.age]\nrole = "quasi"\n[columns.sex]\nrole = "quasi"\n'
_ILL = '[columns.ill]\nrole = "sensitive"\n'
_PAY = '[columns.pay]\nrole = "sensitive"\n'
_ITEMS = '[columns.items]\nrole = "items"\nsensitive = ["s", "t"]\n'
_OF_PERSONS = '[columns.who]\nrole = "person"\n'
_RECORDS = ("k", "l", "t", "k-km", "k-lm")

_JOBS = {
    "k": (_QUASI, 'model = "k"\nk = 4'),
    "l by frequency": (_QUASI + _ILL + _PAY, 'model = "l"\nk = 2\nl = 1.6'),
    "l, distinct": (_QUASI + _ILL + _PAY, 'model = "l"\nk = 2\nl = 3\nkind = "distinct"'),
    "l, entropy": (_QUASI + _ILL + _PAY, 'model = "l"\nk = 2\nl = 2.5\nkind = "entropy"'),
    "l, a width and what is harmless": (
        f'{_QUASI}{_PAY}width = 2\n{_ILL}harmless = ["none"]\nl = 2\n', 'model = "l"\nk = 2\nl = 1.5'),
    "t, words": (_QUASI + _ILL, 'model = "t"\nk = 2\nt = 0.35'),
    "t, numbers": (_QUASI + _PAY + _ILL, 'model = "t"\nk = 2\nt = 0.3'),
    "t, all alike": (f'{_QUASI}{_PAY}distance = "equal"\n', 'model = "t"\nk = 2\nt = 0.4'),
    "k-km": (_QUASI + _ITEMS, 'model = "k-km"\nk = 3\nm = 2'),
    "k-lm": (_QUASI + _ITEMS, 'model = "k-lm"\nk = 2\nl = 1.5\nm = 2'),
}  # fmt: skip


def _published(seed: int, rows: int = 400) -> pa.Table:
    """Records of a few groups, one of which has half of them."""
    rng = np.random.default_rng(seed)
    group = np.where(rng.random(rows) < 0.5, 0, rng.integers(0, 9, rows))
    ages, sexes = ["[20:30]", "[31:40]", "*"], ["f", "m", None]
    ills = np.array(["flu", "Flu ", "none", "cold", "gout", "", None], object)
    pays = np.array(["1", "1.0", "2", "3.5", "4", "7", "NA"], object)
    items = np.array(["a", "b", "c", "d", "s", "t"])
    baskets = [" ".join(items[rng.random(6) < (0.9, 0.8, 0.9, 0.7, 0.2, 0.1)]) for _ in range(rows)]
    return pa.table({
        "age": [ages[each // 3] for each in group], "sex": pa.array([sexes[each % 3] for each in group], pa.string()),
        "ill": pa.array(ills[rng.integers(0, 7, rows)], pa.string()),
        "pay": pa.array(pays[rng.integers(0, rng.integers(3, 8), rows)], pa.string()),
        "items": baskets,
    })  # fmt: skip


def _job(folder: Path, name: str, *, persons: bool = False) -> Any:
    columns, promise = _JOBS[name]
    given = f'[input]\nsource = "x.csv"\nmissing = ["", "NA"]\n{columns}{_OF_PERSONS * persons}[privacy]\n{promise}\n'
    (folder / "job.toml").write_text(given)
    return read_job(folder / "job.toml")


def _told(result: Any) -> dict[str, Any]:
    """All that is found; of several spellings of a value the one that is met first is told."""
    words = re.sub(r"'Flu '|\bFlu ", "flu", re.sub(r"\b1\.0\b", "1", json.dumps(result.to_dict())))
    told = json.loads(words)
    told.pop("explanation")
    told.pop("unlisted_columns", None)  # told of the file as a whole
    told.pop("persons", None)  # not counted where one stands for several
    return told


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
@pytest.mark.parametrize("name", _JOBS)
def test_all_that_is_found_is_found_locally(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    monkeypatch.setattr(records, "MOST_OF_A_GROUP", 20)
    job, table = _job(tmp_path, name), _published(seed)
    local = audits.audit(audits.read_view(table, job, None), job)
    assert local.facts["largest_group"] > 20
    assert _told(records.verdict(sail.spark.createDataFrame(table), job, {})) == _told(local)
    monkeypatch.setattr(records, "SHARE", 50)
    assert _told(records.verdict(sail.spark.createDataFrame(table), job, {})) == _told(local)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
@pytest.mark.parametrize("name", [name for name in _JOBS if name.startswith(("k", "l")) and "-" not in name])
def test_persons_with_several_records(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    monkeypatch.setattr(records, "MOST_OF_A_GROUP", 20)
    job, table = _job(tmp_path, name, persons=True), _published(seed)
    person = np.random.default_rng(seed).integers(0, 90, table.num_rows)
    local = audits.audit_persons(audits.read_view(table, job, None), job, person)
    frame = sail.spark.createDataFrame(table.append_column("whose", pa.array(person)))
    assert _told(records.verdict(frame, job, {}, "whose")) == _told(local)


_SENSITIVE = 'sensitive = ["s", "T"]\n'
_IN_PIECES = {
    "k-km, k = 4": ("", 'model = "k-km"\nk = 4\nm = 2'),
    "k-lm, l = 1.5": (_SENSITIVE, 'model = "k-lm"\nk = 3\nl = 1.5\nm = 2'),
    "k-km, k = 2": ("", 'model = "k-km"\nk = 2\nm = 2'),
    "k-km, k = 9": ("", 'model = "k-km"\nk = 9\nm = 2'),
    "k-km, m = 3": (_SENSITIVE, 'model = "k-km"\nk = 5\nm = 3'),
    "k-lm, l = 1.1": (_SENSITIVE, 'model = "k-lm"\nk = 3\nl = 1.1\nm = 2'),
    "k-lm, l = 3": (_SENSITIVE, 'model = "k-lm"\nk = 3\nl = 3\nm = 2'),
    "k-lm, l = 6": (_SENSITIVE, 'model = "k-lm"\nk = 3\nl = 6\nm = 3'),
}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 8))])
@pytest.mark.parametrize(
    "name", [*list(_IN_PIECES)[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in list(_IN_PIECES)[2:])]
)
def test_itemsets_of_groups_are_counted_in_pieces(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    columns, promise = _IN_PIECES[name]
    monkeypatch.setattr(records, "MOST_OF_A_GROUP", 20)
    monkeypatch.setattr(pieces, "MOST_DIFFERENT", 4)
    for module in (many, pieces):
        monkeypatch.setattr(module, "_AT_ONCE", 10)
    (tmp_path / "job.toml").write_text(
        f'[input]\nsource = "x.csv"\n{_QUASI}[columns.items]\nrole = "items"\n{columns}[privacy]\n{promise}\n'
    )
    job, table = read_job(tmp_path / "job.toml"), _published(seed)
    local = _told(audits.audit(audits.read_view(table, job, None), job))
    found = _told(records.verdict(sail.spark.createDataFrame(table), job, {}))
    for told in (local, found):
        for name in ("m_for_this_k", "m_is_exact", "m_cap"):  # a larger m is not looked for
            told["level"].pop(name, None)
    assert found == local


@pytest.mark.parametrize("quick", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("model", [name for name in MODELS if name in _RECORDS])
def test_the_bound_is_where_it_is_on_one_machine(
    sail: Session, monkeypatch: pytest.MonkeyPatch, model: str, quick: bool
) -> None:
    monkeypatch.setattr(records, "MOST_OF_A_GROUP", 0)
    cases: list[tuple[pa.Table, Any, Any, bool]] = []
    for edge in EDGES[model](7) if model in EDGES else ():
        rows = [*edge.spare, *edge.needed]
        table = pa.Table.from_pylist(rows)
        cases += [
            (table, edge.promise, edge.roles, True),
            (table.slice(0, len(rows) - 1), edge.promise, edge.roles, False),
        ]
        cases += [(table, edge.stricter[0], edge.roles, False)]
    for bound in () if model in EDGES else bounds_of(model):
        cases += [(bound.kept, bound.promise, bound.roles, True), (bound.broken, bound.promise, bound.roles, False)]
    assert len(cases) > 1
    for table, promise, roles, holds in cases[:3] if quick else cases[3:]:
        found = tacit.audit(sail.spark.createDataFrame(table), promise, **roles)
        assert found.satisfied is holds, f"{promise}, {table.num_rows} rows"


def test_a_file_does_not_tell_of_persons_who_have_several_records(
    sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MOST_OF_A_GROUP", 0)
    monkeypatch.setattr(pieces, "MOST_DIFFERENT", 1)
    table = pa.table({"age": ["1"] * 8, "sex": ["f"] * 8, "ill": list("abababab"), "pay": ["1", "2"] * 4,
                      "items": ["a", "a b"] * 4})  # fmt: skip
    for name in ("k", "l by frequency", "k-km", "k-lm"):
        job = _job(tmp_path, name, persons=True)
        found = records.verdict(sail.spark.createDataFrame(table), job, {})
        assert found.satisfied is audits.audit(audits.read_view(table, job, None), job).satisfied is None, name
        with_ids = sail.spark.createDataFrame(table.append_column("who", pa.array(list("ppppqqqq"))))
        assert records.verdict(with_ids, job, {}).satisfied is None, name


def test_more_large_groups_than_are_counted(sail: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those left are judged as a whole; and what tells so many groups apart is no expression that engines refuse."""
    monkeypatch.setattr(records, "MOST_OF_A_GROUP", 1)
    job, group = _job(tmp_path, "l by frequency"), np.arange(700) % 230
    table = pa.table({
        "age": [f"{each % 23}" for each in group], "sex": [f"{each // 23}" for each in group],
        "ill": [f"i{each % 3}" for each in range(700)], "pay": [f"{each % 7}" for each in range(700)],
    })  # fmt: skip
    local = audits.audit(audits.read_view(table, job, None), job)
    assert local.facts["groups"] > 2 * large.MOST_GROUPS
    assert _told(records.verdict(sail.spark.createDataFrame(table), job, {})) == _told(local)
