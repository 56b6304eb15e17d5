"""What a group costs, against every place that its intervals may have."""

from __future__ import annotations

import numpy as np

from support.seeds import each_seed
from tacit.ratings.solvers._core_kernels import Settled, room_to_settle, settle_groups
from tacit.ratings.solvers._grouping_kernels import Block


def core_of(columns: list[list[int]], size: int, k: int) -> set[int]:
    """The k − 1 people nearest to the medians; ties: the first."""
    away = [sum(abs(column[p] - sorted(column)[(size - 1) // 2]) for column in columns) for p in range(size)]
    return set(sorted(range(size), key=lambda p: (away[p], p))[: k - 1])


def least(column: list[int], core: set[int], reach: int, top: int) -> int:
    """What an issue costs if the core's interval is of one of the widths, and begins wherever it costs least."""
    widths = {turn * reach // max(min(reach, 3), 1) for turn in range(min(reach, 3) + 1)}
    ends = [(low, low + width) for width in widths for low in range(top - width + 1)]
    return min(
        sum(
            max(low - value, value - high, 0) if p in core else max(beyond - value, value - low - reach, 0)
            for p, value in enumerate(column)
        )
        for low, high in ends
        for beyond in [max(high - reach, 0)]
    )


@each_seed(range(200))
def test_no_other_interval_is_cheaper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, issues, top = int(rng.integers(2, 12)), int(rng.integers(1, 5)), int(rng.choice([1, 4, 9, 30]))
    k, reach, fill = int(rng.integers(2, size + 1)), int(rng.integers(0, top + 1)), bool(seed % 4)
    rated = rng.random((size, issues)) < rng.uniform(0.4, 1)
    values = rng.integers(0, top + 1, rated.shape)
    every, nobody = np.ones(issues, np.int64), np.empty(0, np.int64)
    block = Block(
        np.append(0, np.cumsum(rated.sum(axis=1))), np.nonzero(rated)[1].astype(np.int32), values[rated],
        reach * every, -every, top * every, every,
    )  # fmt: skip
    found = Settled(np.zeros(1, np.int64), np.zeros(2, np.int64), nobody, nobody, nobody, np.zeros(size, bool))
    follow = np.append(np.arange(1, size), -1)
    first, room = np.zeros(1, np.int64), room_to_settle(block, fill)
    settle_groups(block, first, follow, np.ones(1, bool), -1, k, fill, room, found)
    is_shared = 3 * rated.sum(axis=0) > size if fill else rated.all(axis=0)
    columns = [np.where(rated[:, i], values[:, i], -1).tolist() for i in np.flatnonzero(is_shared)]
    core = core_of(columns, size, k)
    kept = sum(max(sum(column) + size - least(column, core, reach, top), 0) for column in columns)
    assert found.price[0] == (values[rated] + 1).sum() - kept
