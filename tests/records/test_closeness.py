"""How far a group is from all records on a line: by its few values as by all that there are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from tacit.records.solvers._closeness_kernels import ON_LINE, Closeness, _distance_on_line


class Groups(NamedTuple):
    first: np.ndarray
    after: np.ndarray


class Units(NamedTuple):
    sensitive: np.ndarray
    weight: np.ndarray


@njit
def distance(units, groups, close):
    return _distance_on_line(units, groups, None, close, 0, -1, 0, -1, np.int32(-1))


@pytest.mark.parametrize("seed", range(30))
def test_the_few_values_of_a_group_tell_the_same_as_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, members = int(rng.integers(2, 700)), int(rng.integers(1, 80))
    counts = rng.integers(1, 9, values)
    held = rng.integers(0, values + 1, members)  # the last one is missing
    share = np.cumsum(counts) / counts.sum()
    known = held[held < values]
    within = np.bincount(known, minlength=values)[:values].cumsum() / max(known.size, 1)
    wanted = np.abs(within - share)[:-1].sum() / (values - 1) if known.size else 0.0
    for room in (0, 64):
        assert _away(values, share, held, room) == pytest.approx(max(wanted, abs(known.size / members - 1)), abs=1e-13)


def _away(values: int, share: np.ndarray, held: np.ndarray, room: int) -> float:
    one = np.ones(1)
    close = Closeness(
        0.5, np.array([ON_LINE]), np.zeros(1, np.int64), np.array([values]), one, np.full(values, -1), np.zeros(values),
        share, np.zeros(values + 1, np.int64), np.cumsum(share) - share, np.zeros(room, np.int64),
    )  # fmt: skip
    after = np.append(np.arange(1, held.size), -1).astype(np.int32)
    units = Units(held.astype(np.int32)[:, None], np.ones(held.size, np.int64))
    return float(distance(units, Groups(np.zeros(1, np.int32), after), close))
