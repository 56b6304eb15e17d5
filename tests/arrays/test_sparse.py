"""Verbs on baskets as arrays, against Python's own lists and sets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from support.seeds import each_seed, first_fast
from tacit.arrays import sparse
from tacit.arrays.sparse import (
    Sparse,
    as_sets,
    keep_where,
    side_by_side,
    sorted_sets,
    take_all_rows,
    take_rows,
)


def to_arrays(baskets: list[list[int]]) -> Sparse:
    return np.cumsum([0, *map(len, baskets)]), np.array([item for basket in baskets for item in basket], np.int32)


def to_lists(sparse: Sparse) -> list[list[int]]:
    indptr, items = sparse
    return [items[start:end].tolist() for start, end in pairwise(indptr)]


def random_baskets(seed: int, most: int = 9) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 7, rng.integers(0, 5)).tolist() for _ in range(rng.integers(0, most))]


@each_seed(range(40))
def test_all_verbs(seed: int) -> None:
    baskets = random_baskets(seed)
    rng = np.random.default_rng(seed)
    arrays = to_arrays(baskets)
    assert to_lists(as_sets(*arrays)) == [sorted(set(basket)) for basket in baskets]
    assert to_lists(keep_where(*arrays, arrays[1] % 2 == 0)) == [[i for i in b if i % 2 == 0] for b in baskets]
    order = rng.permutation(len(baskets))
    assert to_lists(take_rows(*arrays, order)) == [baskets[row] for row in order]
    starts, taken, negative = take_all_rows(arrays[0], [arrays[1], -arrays[1]], order)
    assert to_lists((starts, taken)) == to_lists((starts, -negative)) == [baskets[row] for row in order]
    other = [rng.integers(0, 3, rng.integers(0, 4)).tolist() for _ in baskets]
    both = to_lists(side_by_side([arrays, to_arrays(other)], [7, 3]))
    assert both == [b + [7 + i for i in o] for b, o in zip(baskets, other, strict=True)]


def test_the_largest_item_is_no_trouble() -> None:
    top = 2**31 - 1
    assert to_lists(as_sets(*to_arrays([[top, 0, top], [top]]))) == [[0, top], [top]]


@pytest.mark.parametrize("bits", [4, 26, 27, 28, 30])
def test_sets_of_items_with_codes_of_any_width(bits: int) -> None:
    """Rows and items together fit into 32 bits, or do not."""
    rng = np.random.default_rng(bits)
    baskets = [(rng.integers(0, 1 << bits, 6) & rng.integers(0, 1 << bits, 6)).tolist() * 2 for _ in range(20)]
    assert to_lists(as_sets(*to_arrays(baskets))) == [sorted(set(basket)) for basket in baskets]
    indptr, items = to_arrays([list(set(basket)) for basket in baskets])
    assert to_lists((indptr, sorted_sets(indptr, items))) == [sorted(set(basket)) for basket in baskets]


def test_rows_are_taken_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse, "_ROWS_AT_ONCE", 3)
    baskets = random_baskets(5, most=40)
    indptr, items = to_arrays(baskets)
    rows = np.random.default_rng(1).permutation(len(baskets))
    assert to_lists(take_all_rows(indptr, [items], rows)) == [baskets[row] for row in rows]


def test_no_basket() -> None:
    nothing = to_arrays([])
    assert sorted_sets(*nothing).size == 0
    assert [part.tolist() for part in take_all_rows(nothing[0], [nothing[1]], nothing[1])] == [[0], []]
    assert to_lists(as_sets(*nothing)) == []
    assert to_lists(take_rows(*nothing, np.empty(0, np.int64))) == []


@pytest.mark.parametrize("top", first_fast([20_000, 40_000, 90_000]))
def test_sets_of_many_rows_are_made_in_parts(top: int) -> None:
    """More than fit into one part, with numbers of items that do and that do not fit beside them."""
    rng = np.random.default_rng(top)
    lengths = rng.integers(0, 4, 70_000 if top < 1 << 15 else 1_100_000)
    row = np.repeat(np.arange(lengths.size), lengths)
    items = rng.integers(0, top, row.size).astype(np.int32)
    indptr, sets = as_sets(np.concatenate(([0], np.cumsum(lengths))), items)
    wanted = np.unique(row * top + items)
    assert np.array_equal(sets, wanted % top)
    assert np.array_equal(np.repeat(np.arange(lengths.size), np.diff(indptr)), wanted // top)
