"""The comparison with the original: whatever is not true is found, and nothing that is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from support.seeds import each_seed
from support.views import basket_original, list_job, lists
from tacit.audits import read_view
from tacit.audits.truth import baskets as truth
from tacit.audits.truth.baskets import false_values
from tacit.audits.views.baskets import BasketOriginal, BasketView
from tacit.job import Column
from tacit.taxonomy import Taxonomy

TREE = Taxonomy.from_paths(
    [["a", "A x", "T"], ["b", "A x", "T"], ["c", "C", "T"], ["d", "C", "T"], ["e", "T"], ["=f", "T"], ["s", "C", "T"]]
)


JOB = list_job(Column("x", "items", separator=" ", sensitive_items=("s",)))


def original(baskets: list[list[str]]) -> BasketOriginal:
    return basket_original(lists(baskets), JOB, {"x": TREE})


def read(baskets: list[list[str]]) -> BasketView:
    return read_view(lists(baskets), JOB)


BEFORE = [["a", "c"], ["b", "c", "s"], ["a", "b"], ["d"], ["e", "=f"], ["s"], []]


@pytest.mark.parametrize(
    "after",
    [
        BEFORE,
        [["A x", "C"], ["A x", "C", "s"], ["A x"], ["C"], ["e", "=f"], ["s"], []],
        [["A_x", "c"], ["A_x", "c", "s"], ["A_x"], ["d"], ["e", "=f"], ["s"], []],
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
    job = list_job(Column("x", "items"), Column("y", "items"))
    tree = Taxonomy.flat(["a", "b"])
    table = pa.table({"x": [["a"], ["b"]], "y": [["b"], ["a"]]})
    before = basket_original(table, job, {"x": tree, "y": tree})
    assert false_values(before, read_view(table, job), np.arange(2)) == []
    swapped = read_view(pa.table({"x": [["b"], ["b"]], "y": [["a"], ["a"]]}), job)
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
