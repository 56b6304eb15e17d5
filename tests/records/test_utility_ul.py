"""UL: in logarithms, against whole numbers of any size."""

from __future__ import annotations

import numpy as np
import pytest

from naive import reltrans as naive_reltrans
from tacit.records.measures.ul import ul_of_records, utility_loss


def test_agrees_with_whole_numbers() -> None:
    rng = np.random.default_rng(3)
    rows = [rng.integers(1, [4, 60, 900][rng.integers(0, 3)], rng.integers(0, 9)).tolist() for _ in range(300)]
    indptr = np.cumsum([0, *map(len, rows)])
    found = ul_of_records(indptr, np.array([size for row in rows for size in row]))
    for row, value in zip(rows, found.tolist(), strict=True):
        assert value == pytest.approx(float(naive_reltrans.ul(row)), rel=1e-12, abs=1e-300)


def test_untouched_data_has_a_loss() -> None:
    """One item 1, two items 2/3, none 0."""
    indptr = np.array([0, 1, 3, 3])
    assert ul_of_records(indptr, np.ones(3)).tolist() == pytest.approx([1, 2 / 3, 0])
    assert utility_loss(indptr, np.ones(3)) == pytest.approx(5 / 9)


def test_no_record() -> None:
    assert utility_loss(np.zeros(1, np.int64), np.empty(0)) == 0


def test_hundreds_of_items_do_not_overflow() -> None:
    assert ul_of_records(np.array([0, 2]), np.array([2000, 3000])).tolist() == [0.0]
    assert ul_of_records(np.array([0, 1]), np.array([5000])).tolist() == [1.0]
