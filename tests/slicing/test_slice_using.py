"""Using a sliced table: reading it, drawing records, and counting without drawing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import naive_slicing as naive
from tacit.errors import InputError
from tacit.sliced import count, linked_rows, read_sliced, sample

FRAME = pa.table(
    {
        "bucket": [2, 2, 2, 1, 1],
        "1.age": ["30", "30", "41", "[18:28]", "25"],
        "1.sex": ["m", "f", "f", "f", None],
        "2.sex": ["f", "f", "m", "", "f"],
        "2.disease": ["flu", "cold", "flu", "flu", "(cold,flu)"],
    }
)


def test_reading() -> None:
    table = read_sliced(FRAME)
    assert table.slices == (("age", "sex"), ("sex", "disease"))
    assert table.attributes == ("age", "sex", "disease")
    assert len(table) == 5
    assert sorted(table.buckets) == ["1", "2"]
    assert table.texts["sex"] == ("m", "f", "")
    assert read_sliced(FRAME.to_pandas()).slices == table.slices


def test_sample_uses_every_row_once_and_agrees_on_shared_attributes() -> None:
    table = read_sliced(FRAME)
    seen = set()
    for seed in range(20):
        drawn = sample(table, seed=seed)
        assert drawn.column_names == ["age", "sex", "disease"]
        rows = Counter(map(tuple, drawn.select(["sex", "disease"]).to_pandas().fillna("").values.tolist()))
        assert rows == Counter([("f", "flu"), ("f", "cold"), ("m", "flu"), ("", "flu"), ("f", "(cold,flu)")])
        seen.add(str(drawn.to_pydict()))
    assert len(seen) == 2  # the two women of the first bucket can be exchanged, nobody else
    assert sample(table, seed=1).equals(sample(table, seed=1))


@pytest.mark.parametrize("seed", range(120))
def test_count_is_the_mean_over_linkings(seed: int) -> None:
    case = naive.random_case(seed, most_records=4)
    case = case._replace(slices=case.slices[:3])
    used = sorted({a for one in case.slices for a in one})
    rng = np.random.default_rng(seed)
    where = {a: set(rng.integers(0, 3, 2).tolist()) for a in used if rng.random() < 0.7}
    expected = 0.0
    for bucket in case.parts():
        counts = [
            sum(all(row[a] in values for a, values in where.items()) for row in linked)
            for linked in naive.linkings(bucket, case.slices)
        ]
        expected += sum(counts) / len(counts)
    table = naive.published(case)
    wanted = {f"a{a}": {f"v{v}" for v in values} for a, values in where.items()}
    assert count(table, wanted) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(40))
def test_linked_rows_agree(seed: int) -> None:
    table = naive.published(naive.random_case(seed))
    rows = linked_rows(table, np.random.default_rng(seed))
    values: dict[str, np.ndarray] = {}
    for names, columns, at in zip(table.slices, table.codes, rows, strict=True):
        assert sorted(at.tolist()) == list(range(len(table)))
        for name, column in zip(names, columns, strict=True):
            assert np.array_equal(values.setdefault(name, column[at]), column[at])


def test_conditions() -> None:
    table = read_sliced(FRAME)
    assert count(table, {}) == 5
    assert count(table, {"age": (20, 30)}) == pytest.approx(2 + 0.8 + 1)
    assert count(table, {"disease": "flu"}) == 3.5
    assert count(table, {"disease": ["cold", "flu"]}) == 5
    assert count(table, {"sex": "f", "disease": "cold"}) == 1.5
    assert count(table, {"sex": ""}) == 1
    with pytest.raises(InputError, match="'zip'"):
        count(table, {"zip": "1"})


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (["1.age"], "no column 'bucket'"),
        (["bucket"], "no slice"),
        (["bucket", "age"], "belongs to no slice"),
        (["bucket", "x.age"], "belongs to no slice"),
    ],
)
def test_what_is_no_sliced_table(columns: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_sliced(pd.DataFrame({name: ["1"] for name in columns}))


def test_cyclic_slices_cannot_be_linked() -> None:
    table = read_sliced(
        pa.table({"bucket": [1], "1.a": [1], "1.b": [1], "2.b": [1], "2.c": [1], "3.c": [1], "3.a": [1]})
    )
    with pytest.raises(InputError, match="cycle"):
        sample(table)


def test_file_is_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    FRAME.to_pandas().to_csv(tmp_path / "data.csv", index=False)
    assert read_sliced(tmp_path / "data.csv").texts["disease"] == ("flu", "cold", "(cold,flu)")
