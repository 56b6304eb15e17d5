"""Inner loops over records and their groups: `codes` and `group` int32; the output is passed in."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def group_ends(keys, codes, group, low, high):
    """The lowest and the highest key of the codes of each group; `low` begins at the greatest int32, `high` at −1."""
    for record in range(len(codes)):
        key = keys[codes[record]]
        number = group[record]
        low[number] = min(low[number], key)
        high[number] = max(high[number], key)


@njit(cache=True)
def common_ancestors(parent, end, low, high, node):
    """The lowest node above the leaves `low` and `high` of each pair, and so above every leaf between them."""
    for pair in range(len(low)):
        above = low[pair]
        while end[above] <= high[pair]:
            above = parent[above]
        node[pair] = above
