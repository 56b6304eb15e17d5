"""Blocks of units that threads can work on by themselves, cut so that few near units are separated."""

from __future__ import annotations

import numpy as np

from tacit.records.solvers._box_kernels import Measure

_LOOKED_AT = 1 << 12
"""Units of a block that tell where it is cut."""
_FRIENDS = 4
"""How many of its nearest units a unit had best not be separated from."""
_MIDDLE = 0.35, 0.65
"""Between these shares of the units of a block it is cut."""
_LEAST = 0.2
"""Share of the units that must lie on each side."""


def blocks_of(
    measure: Measure, place: np.ndarray, near: np.ndarray, halvings: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """All units, halved so many times, each time otherwise; the units of a block are in their order.

    `place` is where units lie, units × attributes, `near` has the nearest ones of each.
    """
    blocks = [np.arange(len(place), dtype=np.int32)]
    for _ in range(halvings):
        blocks = [half for block in blocks for half in _halves(measure, place, near, block, rng)]
    return blocks


def _halves(
    measure: Measure, place: np.ndarray, near: np.ndarray, block: np.ndarray, rng: np.random.Generator
) -> list[np.ndarray]:
    """The two sides of the cut that separates the fewest near units, by lot; the block itself if there is none."""
    some = block[rng.integers(0, block.size, _LOOKED_AT)]
    friends = near[some, :_FRIENDS]
    best, best_cost, best_behind = -1, np.inf, 0
    for a in range(place.shape[1]):
        behind = _cut(measure, a, place[some, a], rng)
        left = place[some, a] <= behind
        if min(left.mean(), 1 - left.mean()) < _LEAST:
            continue
        cost = rng.uniform(0.5, 1) * ((friends >= 0) & ((place[friends, a] <= behind) != left[:, None])).mean()
        if cost < best_cost:
            best, best_cost, best_behind = a, cost, behind
    if best < 0:
        return [block]
    left = place[block, best] <= best_behind
    return [block[left], block[~left]]


def _cut(measure: Measure, a: int, places: np.ndarray, rng: np.random.Generator) -> int:
    """The place near the middle behind which attribute a is cut: one of the most wanted borders, by lot."""
    low, high = np.quantile(places, _MIDDLE, method="nearest").tolist()
    low = max(low - 1, 0) if low == high else low
    border = measure.border[measure.shape[a, 3] + low : measure.shape[a, 3] + high]
    wanted = np.flatnonzero(border == border.max(initial=0))
    return low + int(rng.choice(wanted)) if wanted.size else low
