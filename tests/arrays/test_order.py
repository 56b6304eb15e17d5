"""The order of records by their content, and of labels, beside plain Python doing the same."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from tacit.arrays import order
from tacit.arrays.labels import label_order
from tacit.arrays.order import Content, Lists, content_order, joint_codes, list_order, put_back
from tacit.arrays.reading import codes_beside


def random_content(seed: int) -> tuple[Content, list[tuple[object, ...]]]:
    """Few different records, and each one's content to compare with."""
    rng = np.random.default_rng(seed)
    records, size = int(rng.integers(0, 40)), int(rng.choice([1, 2, 3, 2**20, 2**62]))
    columns = [(rng.integers(0, 3, records), 3) for _ in range(rng.integers(0, 3))]
    beside = [(rng.integers(0, 2, records), 2) for _ in range(rng.integers(0, 2))]
    lengths = rng.integers(0, int(rng.choice([1, 3, 30])), records)
    indptr = np.append(0, np.cumsum(lengths))
    items, values = rng.integers(0, min(size, 4), indptr[-1]), rng.integers(0, 2, indptr[-1])
    held = [list(zip(items[a:b].tolist(), values[a:b].tolist(), strict=True)) for a, b in pairwise(indptr)]
    keys = [
        (*(int(codes[i]) for codes, _ in columns), held[i], *(int(codes[i]) for codes, _ in beside))
        for i in range(records)
    ]
    return Content(records, columns, Lists(indptr, [(items, size), (values, 2)]), beside), keys


@pytest.mark.parametrize("bits", [63, 4, 3])
def test_records_are_sorted_by_columns_then_lists_then_what_stands_beside(
    bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few entries are compared at once."""
    monkeypatch.setattr(order, "_KEY_BITS", bits)
    for seed in range(150):
        content, keys = random_content(seed)
        if bits < 63 and content.lists is not None and content.lists.columns[0][1] > 2:
            continue
        rng = np.random.default_rng(seed)
        found = content_order(content, partial(rng.permutation, content.records)).tolist()
        assert sorted(found) == list(range(content.records))
        assert [keys[i] for i in found] == sorted(keys)


def test_equal_records_come_in_random_order() -> None:
    alike = Content(4, [(np.array([1, 0, 1, 1]), 2)])
    draws = [partial(np.random.default_rng(seed).permutation, 4) for seed in range(600)]
    seen = Counter(tuple(content_order(alike, draw).tolist()) for draw in draws)
    assert len(seen) == 6 and all(first == 1 for first, *_ in seen)
    assert min(seen.values()) > 60
    assert content_order(alike).tolist() == [1, 0, 2, 3]


def test_more_codes_than_16_bits_hold() -> None:
    codes = np.random.default_rng(1).integers(0, 10**6, 10**5)
    assert np.array_equal(content_order(Content(codes.size, [(codes, 10**6)])), np.argsort(codes, kind="stable"))


def test_codes_ascend_with_rows() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows, sizes = int(rng.integers(0, 50)), [int(s) for s in rng.choice([1, 2, 5, 10**9], 3)]
        columns = [rng.integers(0, size, rows) for size in sizes]
        different = sorted(set(zip(*map(np.ndarray.tolist, columns), strict=True)))
        in_order = np.lexsort(columns[::-1])
        for some in (columns, [column[in_order] for column in columns]):
            code, count = joint_codes(some, sizes, rows)
            assert count == len(different)
            assert code.tolist() == [different.index(row) for row in zip(*map(np.ndarray.tolist, some), strict=True)]


def test_different_records_are_in_order_without_a_draw() -> None:
    """Chance decides between equal records alone."""
    codes = np.random.default_rng(3).permutation(50)
    nobody = partial(pytest.fail, "there is nothing to draw")
    assert codes[content_order(Content(50, [(codes, 50)]), nobody)].tolist() == list(range(50))


def test_an_order_is_undone() -> None:
    taken = np.random.default_rng(2).permutation(9)
    values = np.arange(9) * 7
    assert np.array_equal(put_back(values[taken], taken), values)


def test_baskets_in_order() -> None:
    indptr, items = np.array([0, 2, 3, 3, 5]), np.array([0, 2, 1, 0, 1], np.int32)
    assert list_order(indptr, items, 3).tolist() == [2, 3, 0, 1]
    assert list_order(np.zeros(1, np.int64), items[:0], 0).tolist() == []


def test_labels_are_ordered_by_value_if_all_are_numbers() -> None:
    assert [["é", "b", "10", "9"][i] for i in label_order(["é", "b", "10", "9"])] == ["10", "9", "b", "é"]
    assert [["10", " 9", "-1", "9"][i] for i in label_order(["10", " 9", "-1", "9"])] == ["-1", " 9", "9", "10"]
    assert label_order([]).size == 0


def test_plain_columns_of_any_type_have_an_order_but_lists() -> None:
    columns = [
        pa.chunked_array([["b", None], ["a", "b"]]),
        pa.chunked_array([[2.5, 1.0, None, 1.0]]),
        pa.chunked_array([[[1], [], None, [1]]]),
        pa.chunked_array([pa.array(["z", "y", None, "z"]).dictionary_encode()]),
        pa.chunked_array([[True, False, None, True]]),
    ]
    found = [(codes.tolist(), size) for codes, size in codes_beside(columns)]
    assert found == [([1, 2, 0, 1], 3), ([1, 0, 2, 0], 3), ([1, 0, 2, 1], 3), ([1, 0, 2, 1], 3)]
