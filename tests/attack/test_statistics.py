"""Intervals by hand and by simulation, and what several looks cost."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.attack.statistics import Share, bonferroni, newcombe, residual, wilson


def test_the_papers_intervals() -> None:
    """Newcombe 1998, tables I and II: 81 of 263, 15 of 148, 0 of 20, 1 of 29; differences by method 10."""
    assert np.round(wilson(Share(81, 263)), 4).tolist() == [0.2553, 0.3662]
    assert np.round(wilson(Share(15, 148)), 4).tolist() == [0.0624, 0.1605]
    assert np.round(wilson(Share(0, 20)), 4).tolist() == [0.0, 0.1611]
    assert np.round(wilson(Share(1, 29)), 4).tolist() == [0.0061, 0.1718]
    assert newcombe(Share(56, 70), Share(48, 80)) == (0.0524, 0.3339)
    assert newcombe(Share(9, 10), Share(3, 10)) == (0.1705, 0.8090)
    assert newcombe(Share(10, 10), Share(0, 20)) == (0.6791, 1.0)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5])
def test_the_interval_holds_the_true_share_as_often_as_it_says(share: float) -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for right in rng.binomial(400, share, 2000).tolist():
        low, high = wilson(Share(right, 400))
        inside += low <= share <= high
    assert 0.93 < inside / 2000 < 0.975


def test_several_looks_widen_each_interval() -> None:
    narrow, wide = wilson(Share(30, 100)), wilson(Share(30, 100), bonferroni(20))
    assert wide[0] < narrow[0] < 0.3 < narrow[1] < wide[1]
    assert bonferroni(1) == bonferroni(0) == pytest.approx(0.95)


def test_what_is_left_beyond_the_control() -> None:
    assert residual(0.4, 0.4) == 0
    assert residual(0.7, 0.4) == pytest.approx(0.5)
    assert residual(0.2, 1.0) == 0
    assert residual(0.1, 0.4) < 0, "worse than against strangers: said as it is"
