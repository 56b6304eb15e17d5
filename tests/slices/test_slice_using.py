"""Using a sliced table: reading it, drawing records, and counting without drawing."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from naive import slicing as naive
from support.seeds import each_seed
from tacit.errors import InputError
from tacit.sliced import count, linked_rows, read_sliced, sample
from tacit.taxonomy import Taxonomy

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


@each_seed(range(120))
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


@each_seed(range(40))
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
    assert count(table, {"age": (20, 30)}) == pytest.approx(2 + 9 / 11 + 1)
    assert count(table, {"disease": "flu"}) == 3.5
    assert count(table, {"disease": ["cold", "flu"]}) == 5
    assert count(table, {"sex": "f", "disease": "cold"}) == 1.5
    assert count(table, {"sex": ""}) == 1
    assert count(table, {"sex": None}) == 1
    with pytest.raises(InputError, match="'zip'"):
        count(table, {"zip": "1"})


PARTS = pa.table(
    {
        "bucket": [1, 1, 1, 1],
        "1.age": ["[18:28]", "31", "34", "*"],
        "1.day": ["2001-01-05", "2001-02-05", "[2002-01-01:2002-01-10]", "2003-01-01"],
        "1.height": ["[1.5:1.9]", "1.75", "1.6", "1.6"],
        "1.land": ["Europe", "DE", "*", "US"],
        "2.illness": ["flu", "flu", "gout", ""],
    }
)


@pytest.mark.parametrize(
    ("attribute", "condition", "expected"),
    [
        ("age", (30, 40), 2 + 2 / 3),  # `*` may be each of the three other values
        ("age", (np.int64(30), np.float32(40)), 2 + 2 / 3),
        ("age", 31, 1 + 1 / 3),
        ("age", "20", 1 / 11 * (1 + 1 / 3)),
        ("age", [20, (20, 22)], 3 / 11 * (1 + 1 / 3)),
        ("age", np.array([31, 34]), 2 + 2 / 3),
        ("age", (float("-inf"), float("inf")), 4),
        ("age", "*", 1),
        ("day", ("2001-01-01", "2001-12-31"), 2),
        ("day", (date(2001, 1, 1), datetime(2001, 12, 31)), 2),
        ("day", ["2001-01-05", "2003-01-01"], 2),
        ("day", date(2002, 1, 4), 0.1),
        ("height", (1.5, 1.6), 11 / 41 + 2),  # steps of 0.01, as published
        ("land", "DE", 1 + 1 / 3),
        ("illness", None, 1),
        ("illness", ["flu", None], 3),
    ],
)
def test_how_much_of_a_published_value_meets_a_condition(attribute: str, condition: Any, expected: float) -> None:
    assert count(read_sliced(PARTS), {attribute: condition}) == pytest.approx(expected)


def test_a_hierarchy_says_how_much_of_a_group_meets_a_condition() -> None:
    paths = [("DE", "Europe", "Any"), ("FR", "Europe", "Any"), ("US", "America", "Any")]
    hierarchies = {"land": Taxonomy.from_paths(paths)}
    table = read_sliced(PARTS)
    assert count(table, {"land": "DE"}, hierarchies=hierarchies) == pytest.approx(0.5 + 1 + 0.5)
    assert count(table, {"land": "FR"}, hierarchies=hierarchies) == pytest.approx(0.5 + 0.5 / 3)
    assert count(table, {"land": ["Europe", "America"]}, hierarchies=hierarchies) == pytest.approx(4)


@pytest.mark.parametrize(
    ("attribute", "condition", "problem"),
    [
        ("age", (34, 30), "above its highest"),
        ("age", (float("nan"), 50), "NaN"),
        ("age", float("nan"), "NaN"),
        ("age", "nope", "does not show"),
        ("age", date(2001, 1, 1), "a date"),
        ("land", "FR", "does not show"),
        ("illness", 3, "a number"),
        ("illness", object(), "neither a value"),
    ],
)
def test_conditions_that_nothing_could_meet(attribute: str, condition: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        count(read_sliced(PARTS), {attribute: condition})


def test_nothing_is_counted_where_no_value_is_shown() -> None:
    table = read_sliced(pa.table({"bucket": [1], "1.age": ["*"], "2.illness": ["flu"]}))
    with pytest.raises(InputError, match="no value"):
        count(table, {"age": None})
    assert count(table, {"illness": "flu"}) == 1


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (["1.age"], "no column 'bucket'"),
        (["bucket"], "no slice"),
        (["bucket", "age"], "belongs to no slice"),
        (["bucket", "x.age"], "belongs to no slice"),
        (["bucket", "01.age"], "belongs to no slice"),
        (["bucket", "\u0661.age"], "belongs to no slice"),
    ],
)
def test_what_is_no_sliced_table(columns: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_sliced(pd.DataFrame({name: ["1"] for name in columns}))
    with pytest.raises(InputError, match=problem):
        tacit.audit(
            pa.table({name: ["1"] for name in columns}), tacit.SlicedDiversity(l=2), quasi="age", sensitive="illness"
        )


def test_cyclic_slices_cannot_be_linked() -> None:
    table = read_sliced(
        pa.table({"bucket": [1], "1.a": [1], "1.b": [1], "2.b": [1], "2.c": [1], "3.c": [1], "3.a": [1]})
    )
    with pytest.raises(InputError, match="cycle"):
        sample(table)


def test_file_is_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    FRAME.to_pandas().to_csv(tmp_path / "data.csv", index=False)
    assert read_sliced(tmp_path / "data.csv").texts["disease"] == ("flu", "cold", "(cold,flu)")
