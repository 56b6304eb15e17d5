"""Loops over records and their groups: `codes` and `group` int32; the output is passed in."""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import kernel


def group_ends(keys: np.ndarray, codes: np.ndarray, group: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """The lowest and the highest key of the codes of each group; `low` begins at the greatest int32, `high` at −1."""
    for start, stop in spans(codes.size):
        _group_ends(keys, codes[start:stop], group[start:stop], low, high)


@kernel
def _group_ends(keys, codes, group, low, high):
    for record in range(codes.size):
        key, own = keys[codes[record]], group[record]
        if key < low[own]:
            low[own] = key
        if key > high[own]:
            high[own] = key


def common_ancestors(parent: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray, node: np.ndarray) -> None:
    """The lowest node above the leaves `low` and `high` of each pair, and so above every leaf between them."""
    for start, stop in spans(low.size):
        _common_ancestors(parent, end, low[start:stop], high[start:stop], node[start:stop])


@kernel
def _common_ancestors(parent, end, low, high, node):
    for pair in range(low.size):
        above = low[pair]
        while end[above] <= high[pair]:
            above = parent[above]
        node[pair] = above
