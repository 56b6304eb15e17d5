"""A key that is used again: whoever knows the order of one release learns nothing about that of another."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.commands import tacit as tacit_command
from tacit import engines
from tacit.engines import shares
from tacit.engines.fingerprint import encoded, input_sha256
from tacit.engines.session import Session
from tacit.job import read_job
from tacit.job.sources import job_sha256

_PEOPLE = 120
_SHAPES = {
    "baskets": ('[columns.basket]\nrole = "items"\n[columns.note]\nrole = "plain"\n', 'model = "km"\nk = 2\nm = 1'),
    "records": (
        '[columns.age]\nrole = "quasi"\n[columns.note]\nrole = "sensitive"\n', 'model = "l"\nk = 2\nl = 1.1'),
    "wide ratings": (
        '[columns.q]\nrole = "rating"\nscale = [1, 5]\n[columns.id]\nrole = "person"\n',
        'model = "rating-km"\nk = 2\nm = 1'),
    "close ratings": (
        '[columns.q]\nrole = "rating"\nscale = [1, 5]\n[columns.id]\nrole = "person"\n',
        'model = "k-eps"\nk = 2\neps = 0'),
    "long ratings": (
        'layout = "long"\n[columns.id]\nrole = "person"\n[columns.film]\nrole = "items"\n'
        '[columns.q]\nrole = "rating"\nscale = [1, 5]\n', 'model = "rating-km"\nk = 2\nm = 1'),
    "long baskets": (
        'layout = "long"\n[columns.id]\nrole = "person"\n[columns.film]\nrole = "items"\n',
        'model = "km"\nk = 2\nm = 1'),
}  # fmt: skip
_QUICK = ("baskets", "records", "wide ratings")


def _table(note_of_the_last: str) -> pa.Table:
    """People of whom two releases differ in one cell, which nothing of the decision depends on."""
    draw = np.random.default_rng(0)
    return pa.table(
        {
            "id": [f"p{i}" for i in range(_PEOPLE)],
            "basket": [["a"] if i % 2 else ["b"] for i in range(_PEOPLE)],
            "film": ["f" if i % 2 else "g" for i in range(_PEOPLE)],
            "age": draw.integers(20, 24, _PEOPLE),
            "q": draw.integers(2, 4, _PEOPLE),
            "note": [*(f"n{i % 3}" for i in range(_PEOPLE - 1)), note_of_the_last],
        }
    )


def _places(folder: Path, out: str) -> dict[str, int]:
    """Where everybody stands in a release, as its owner knows."""
    rows = pq.read_table(folder / out / "private/rows")
    return {person: place for place, person in enumerate(rows["original"].to_pylist())}


def _alike(one: dict[str, int], other: dict[str, int]) -> float:
    """How much two orders have in common: 1 if all people stand in the same one, about 0 if nothing."""
    people = sorted(one)
    return float(np.corrcoef([one[each] for each in people], [other[each] for each in people])[0, 1])


@pytest.mark.parametrize(
    "shape", [name if name in _QUICK else pytest.param(name, marks=pytest.mark.slow) for name in _SHAPES]
)
def test_a_key_used_again_on_other_data_gives_an_unrelated_order(sail: Session, tmp_path: Path, shape: str) -> None:
    """The attacker holds two releases with one key, and knows by the first who stands before whom."""
    columns, promise = _SHAPES[shape]
    key = "" if "person" in columns else 'key = "id"\n'
    (tmp_path / "job.toml").write_text(
        f'[input]\nsource = "data.parquet"\n{columns}[privacy]\n{promise}\n[method]\nseed = 1\n'
        f'[engine]\nname = "sail"\n{key}'
    )
    (tmp_path / "key").write_text("ab" * 32)
    orders = []
    for index, note in enumerate(("n1", "n0")):
        pq.write_table(_table(note), tmp_path / "data.parquet")
        ended = tacit_command(
            "anonymize", tmp_path / "job.toml", "-o", tmp_path / f"out{index}", "--key", tmp_path / "key", "--no-report"
        )
        assert ended.code == 0, ended.err
        orders.append(_places(tmp_path, f"out{index}"))
    assert abs(_alike(*orders)) < 0.3


@pytest.mark.slow
def test_a_delivery_with_other_data_has_an_unrelated_order(sail: Session, tmp_path: Path) -> None:
    columns, promise = _SHAPES["baskets"]
    (tmp_path / "job.toml").write_text(
        f'[input]\nsource = "data.parquet"\n{columns}[privacy]\n{promise}\n[method]\nseed = 1\n'
        '[engine]\nname = "sail"\nkey = "id"\n'
    )
    (tmp_path / "key").write_text("ab" * 32)
    pq.write_table(_table("n1"), tmp_path / "data.parquet")
    ended = tacit_command("anonymize", tmp_path / "job.toml", "-o", tmp_path / "first", "--no-report")
    assert ended.code == 0, ended.err
    orders = []
    for index, note in enumerate(("n1", "n0")):
        pq.write_table(_table(note), tmp_path / "new.parquet")
        ended = tacit_command(
            "apply", tmp_path / "first", tmp_path / "new.parquet", "-o", tmp_path / f"out{index}",
            "--engine", "sail", "--key", tmp_path / "key", "--no-report",
        )  # fmt: skip
        assert ended.code == 0, ended.err
        orders.append(_places(tmp_path, f"out{index}"))
    assert abs(_alike(*orders)) < 0.3


def test_the_digest_is_of_all_cells_and_of_no_order(sail: Session, tmp_path: Path) -> None:
    table, key = _table("n1"), bytes(32)
    mixed = table.take(pa.array(np.random.default_rng(1).permutation(_PEOPLE)))
    moved = table.set_column(5, "note", pa.array(["n1", "n0", *table["note"].to_pylist()[2:]]))
    others = [
        table.slice(1), pa.concat_tables([table, table.slice(0, 1)]), moved,
        *(table.set_column(i, name, pa.nulls(_PEOPLE, table[name].type)) for i, name in enumerate(table.column_names)),
        table.rename_columns(["id", "basket", "film", "age", "q", "other"]),
    ]  # fmt: skip
    found = []
    for index, each in enumerate((table, mixed, *others)):
        pq.write_table(each, tmp_path / f"{index}.parquet", row_group_size=7 + 20 * index)
        found.append(input_sha256(sail.spark.read.parquet(str(tmp_path / f"{index}.parquet")), key))
    assert found[0] == found[1]
    assert len(set(found)) == len(found) - 1
    frame = sail.spark.read.parquet(str(tmp_path / "0.parquet"))
    assert input_sha256(frame.repartition(5), key) == found[0]
    assert input_sha256(frame, bytes([1] * 32)) != found[0]


def test_no_two_rows_are_hashed_alike() -> None:
    """Cells that would run into each other, lists that would be flattened, nothing and empty ones."""
    rows = [
        ("ab", "c", ["x"], [["y"]]), ("a", "bc", ["x"], [["y"]]), (None, "c", ["x"], [["y"]]),
        ("", "c", ["x"], [["y"]]),
        ("a", "b", ["x", "y"], []), ("a", "b", ["xy"], []), ("a", "b", [], []), ("a", "b", None, []),
        ("a", "b", [None], []), ("a", "b", [""], []), ("a", "b", [], [[]]), ("a", "b", [], [["x"], []]),
        ("a", "b", [], [["x"]]), ("a", "b", [], None), ("-", "b", [], None), ("1:a", "b", [], None),
    ]  # fmt: skip
    one, other, items, nested = zip(*rows, strict=True)
    batch = pa.RecordBatch.from_arrays(
        [pa.array(one), pa.array(other), pa.array(items), pa.array(nested, pa.list_(pa.list_(pa.string())))],
        ["one", "other", "items", "nested"],
    )
    assert len(set(encoded(batch).to_pylist())) == len(rows)
    assert encoded(batch.slice(9)).to_pylist() == encoded(batch).to_pylist()[9:]


def test_nothing_on_an_engine_hangs_on_chance_a_clock_or_a_partition() -> None:
    """A task that is done again, elsewhere and later, must give the same bytes."""
    words = r"\b(rand|randn|uuid|monotonically_increasing_id|spark_partition_id|row_number|current_timestamp)\("
    folder = Path(engines.__file__).parent
    found = [f"{file.name}: {line}" for file in folder.rglob("*.py") for line in file.read_text().splitlines()
             if re.search(words, line)]  # fmt: skip
    assert not found


def test_it_does_not_matter_where_the_work_is_done(tmp_path: Path) -> None:
    """The same key on another cluster gives the same order; another column that tells records apart does not."""
    columns, promise = _SHAPES["baskets"]
    text = f'[input]\nsource = "data.parquet"\n{columns}[privacy]\n{promise}\n[engine]\n'
    told = []
    for engine in (
        'name = "sail"',
        'name = "spark"\nremote = "sc://host"',
        'name = "spark"',
        'name = "sail"\nkey = "id"',
    ):
        (tmp_path / "job.toml").write_text(f"{text}{engine}\n")
        told.append(job_sha256(read_job(tmp_path / "job.toml"), {}))
    assert told[0] == told[1] == told[2] != told[3]


@pytest.mark.parametrize("seed", range(5))
def test_sorted_rows_get_the_numbers_that_buckets_get(seed: int) -> None:
    """However many rows come at a time, and wherever a bucket or a person begins."""
    rng = np.random.default_rng(seed)
    people = int(rng.integers(1, 40))
    place = [rng.bytes(6) for _ in range(people)]
    rows = np.repeat(np.arange(people), rng.integers(1, 5, people))
    at = np.arange(rows.size) - np.searchsorted(rows, rows)
    count = 4
    bucket = shares.bucket_of([place[row] for row in rows], count)
    table = pa.table({"film": rows * 10 + at, shares.AT: at, shares.PLACE: [place[row] for row in rows],
                      shares.BUCKET: bucket})  # fmt: skip
    sizes = np.bincount(bucket[at == 0], minlength=count)
    before = np.cumsum(sizes) - sizes
    each = [table.filter(pa.array(bucket == one)) for one in range(count)]
    wanted = pa.concat_tables([shares.ranked(some, before=before) for some in each if some.num_rows])
    in_order = table.sort_by([(name, "ascending") for name in (shares.BUCKET, shares.PLACE, shares.AT)])
    batches = in_order.combine_chunks().to_batches(max_chunksize=int(rng.integers(1, 9)))
    found = pa.Table.from_batches(list(shares.numbered_in_order(iter(batches), before=before)))
    assert found.select(wanted.column_names).to_pylist() == wanted.to_pylist()
    assert found[shares.RANK].to_pylist() == sorted(found[shares.RANK].to_pylist())
