"""The comparison with the original: whatever is not true is found, and nothing that is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from support.seeds import each_seed
from tacit.audits import truth
from tacit.audits.truth import false_values
from tacit.baskets.data import BasketData, ItemColumns, read_items, with_taxonomies
from tacit.job import Column, Input, Job, Output
from tacit.promises import KmAnonymity
from tacit.taxonomy import Taxonomy

TREE = Taxonomy.from_paths(
    [["a", "A x", "T"], ["b", "A x", "T"], ["c", "C", "T"], ["d", "C", "T"], ["e", "T"], ["=f", "T"], ["s", "C", "T"]]
)


def job_of(*columns: Column) -> Job:
    return Job(Input("test"), columns, KmAnonymity(k=2, m=2), Output(Path("out")))


JOB = job_of(Column("x", "items", separator=" ", sensitive_items=("s",)))


def original(baskets: list[list[str]]) -> BasketData:
    return with_taxonomies(read(baskets), {"x": TREE})


def read(baskets: list[list[str]]) -> ItemColumns:
    return read_items(pa.table({"x": pa.array(baskets, pa.list_(pa.string()))}), JOB)


BEFORE = [["a", "c"], ["b", "c", "s"], ["a", "b"], ["d"], ["e", "=f"], ["s"], []]


@pytest.mark.parametrize(
    "after",
    [
        BEFORE,
        [["A x", "C"], ["A x", "C", "s"], ["A x"], ["C"], ["e", "=f"], ["s"], []],
        [["A_x", "c"], ["A_x", "c", "s"], ["A_x"], ["d"], ["e", "'=f"], ["s"], []],
        [["T"], ["T", "s"], ["T"], ["T"], ["T"], ["s"], []],
        [["C"], ["C", "s"], [], ["C"], ["e"], ["s"], []],
        [[], ["s"], [], [], [], ["s"], []],
    ],
)
def test_what_is_true(after: list[list[str]]) -> None:
    everyone = np.arange(len(BEFORE))
    assert false_values(original(BEFORE), read(after), everyone) == []
    assert false_values(original(BEFORE), read(after[::-1]), everyone[::-1]) == []
    assert false_values(original(BEFORE), read(after[::-1])) == []


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        (BEFORE[1:], "6 records are shown out of 7"),
        ([*BEFORE, []], "8 records are shown out of 7"),
        ([["a", "d"], *BEFORE[1:]], "records that are not what their original becomes: 1"),
        ([["a"], *BEFORE[1:]], "records that are not what their original becomes: 1"),
        ([["a", "c", "e"], *BEFORE[1:]], "records that are not what their original becomes: 1"),
        ([*BEFORE[:5], [], []], "records that are not what their original becomes: 1"),
        ([*BEFORE[:6], ["e"]], "records that are not what their original becomes: 1"),
        ([["a", "z"], *BEFORE[1:]], "shown in 'x', but neither an item nor a node of the hierarchy (1): 'z'"),
        ([["A x", "c"], *BEFORE[1:]], "'A x' is shown beside 'a', which is below it"),
        ([["a", "c", "T"], *BEFORE[1:]], "'T' is shown beside 'a', which is below it"),
    ],
)
def test_what_is_false(after: list[list[str]], wanted: str) -> None:
    assert false_values(original(BEFORE), read(after)) == [wanted]
    if len(after) == len(BEFORE):
        assert false_values(original(BEFORE), read(after), np.arange(len(BEFORE))) == [wanted]


def test_records_are_compared_one_by_one_if_it_is_known_which_is_which() -> None:
    swapped = [BEFORE[1], BEFORE[0], *BEFORE[2:]]
    assert false_values(original(BEFORE), read(swapped)) == []
    assert false_values(original(BEFORE), read(swapped), np.arange(len(BEFORE))) == [
        "records that are not what their original becomes: 2"
    ]


def test_columns_are_not_mixed_up() -> None:
    """The same label in two columns is not the same item."""
    job = job_of(Column("x", "items"), Column("y", "items"))
    tree = Taxonomy.flat(["a", "b"])
    table = pa.table({"x": [["a"], ["b"]], "y": [["b"], ["a"]]})
    before = with_taxonomies(read_items(table, job), {"x": tree, "y": tree})
    assert false_values(before, read_items(table, job), np.arange(2)) == []
    swapped = read_items(pa.table({"x": [["b"], ["b"]], "y": [["a"], ["a"]]}), job)
    assert false_values(before, swapped, np.arange(2)) == ["records that are not what their original becomes: 1"]


@each_seed(range(30))
def test_any_small_lie_is_found(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take an item out of, or put one into, some basket of a true release: that record does not match any more."""
    monkeypatch.setattr(truth, "_AT_ONCE", 5)
    rng = np.random.default_rng(seed)
    leaves = ["a", "b", "c", "d", "e"]
    baskets = [[leaf for leaf in leaves if rng.random() < 0.5] for _ in range(12)]
    becomes = {"a": "A x", "b": "A x", "c": "c", "d": "d", "e": "e"}
    after = [sorted({becomes[leaf] for leaf in basket}) for basket in baskets]
    assert false_values(original(baskets), read(after), np.arange(12)) == []
    row, item = int(rng.integers(12)), ["A x", "c", "d", "e"][rng.integers(4)]
    after[row] = sorted(set(after[row]) ^ {item})
    assert false_values(original(baskets), read(after), np.arange(12)) == [
        "records that are not what their original becomes: 1"
    ]
