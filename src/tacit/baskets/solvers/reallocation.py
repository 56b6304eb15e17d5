"""Reallocation, the second half of LGR (Kim, Electronics 2023): rows go to the part that suits them better.

LG never takes a step back: a row that shared too little with others at one node stays coarse there. Here each row may
be published as any set that some part is published as, if it holds something below each node of it; what it holds
besides is left out. Whoever is left behind must be k or none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.baskets.solvers._reallocation_kernels import Costs, Path, Trie, find_others

_MOST_ROUNDS = 20


class Classes(NamedTuple):
    """Rows that are published alike: the class of each row (−1: none), and each class's nodes, in the tree's order."""

    of: np.ndarray  # int32
    nodes: list[tuple[int, ...]]


def reallocated(
    indptr: np.ndarray, items: np.ndarray, classes: Classes, costs: Costs, k: int
) -> tuple[Classes, np.ndarray]:
    """Rows moved while that costs less, a class at a time: as many as it can spare, or all of them.

    In each round classes have their turn from the one that costs most on. Returns the classes, and what each row costs.
    """
    of, nodes = _united(classes)
    trie, depth = _trie(nodes)
    path = Path(*(np.zeros(depth + 1, np.int64) for _ in range(3)))
    own_cost = _costs(indptr, items, of, nodes, costs)
    is_open = np.ones(len(nodes), bool)
    other, other_cost = np.empty(of.size, np.int32), np.empty(of.size, np.int64)
    for _ in range(_MOST_ROUNDS):
        for start, stop in spans(of.size, "rows that move", first=256):
            find_others(start, stop, indptr, items, of, is_open, trie, costs, path, other, other_cost)
        if not _round(of, is_open, own_cost, other, other_cost, k):
            break
    return Classes(of, nodes), own_cost


def _round(
    of: np.ndarray, is_open: np.ndarray, own_cost: np.ndarray, other: np.ndarray, other_cost: np.ndarray, k: int
) -> int:
    """Every class has its turn; how many rows moved."""
    size = np.bincount(of[of >= 0], minlength=is_open.size)
    total = np.zeros(is_open.size, np.int64)
    np.add.at(total, of[of >= 0], own_cost[of >= 0])
    members = np.split(np.argsort(of, kind="stable"), np.cumsum(np.bincount(of + 1, minlength=is_open.size + 1))[:-1])
    has_guests, moved = np.zeros(is_open.size, bool), 0
    for c in np.argsort(-total, kind="stable").tolist():
        rows = members[c + 1]
        if not rows.size:
            continue
        can = (other[rows] >= 0) & is_open[other[rows]]
        gain = np.where(can, own_cost[rows] - other_cost[rows], np.int64(-1))
        leaving = rows[np.argsort(-gain, kind="stable")[: min(size[c] - k, int(np.count_nonzero(gain > 0)))]]
        spared = int((own_cost[leaving] - other_cost[leaving]).sum())
        if can.all() and not has_guests[c] and int(gain.sum()) > spared:
            leaving, is_open[c] = rows, False
        size[c] -= leaving.size
        np.add.at(size, other[leaving], 1)
        has_guests[other[leaving]] = True
        of[leaving], own_cost[leaving] = other[leaving], other_cost[leaving]
        moved += leaving.size
    return moved


def _united(classes: Classes) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Parts that are published alike as one, in the order of their nodes."""
    nodes = sorted(set(classes.nodes))
    code = {each: at for at, each in enumerate(nodes)}
    united = np.array([code[each] for each in classes.nodes] + [-1], np.int32)
    return united[classes.of], nodes


def _trie(nodes: list[tuple[int, ...]]) -> tuple[Trie, int]:
    """The trie of sets that are in order, and how deep it is."""
    node, child, sibling, ends = [-1], [-1], [-1], [-1]
    below: list[dict[int, int]] = [{}]
    for c, each in enumerate(nodes):
        place = 0
        for name in each:
            if name not in below[place]:
                below[place][name] = len(node)
                node.append(name)
                child.append(-1)
                sibling.append(child[place])
                ends.append(-1)
                below.append({})
                child[place] = len(node) - 1
            place = below[place][name]
        ends[place] = c
    arrays = (np.array(each, np.int32) for each in (node, child, sibling, ends))
    return Trie(*arrays), max(map(len, nodes), default=0)


def _costs(
    indptr: np.ndarray, items: np.ndarray, of: np.ndarray, nodes: list[tuple[int, ...]], costs: Costs
) -> np.ndarray:
    """What each row costs in its class; all of its items are below the class's nodes."""
    starts = np.cumsum([0, *map(len, nodes)])
    flat = np.array([node for each in nodes for node in each], np.int64)
    row = np.repeat(np.arange(of.size), np.diff(indptr))
    inside = of[row] >= 0
    row, item = row[inside], items[inside].astype(np.int64)
    width = costs.end.size + 1
    key = np.repeat(np.arange(len(nodes)), np.diff(starts)) * width + flat  # ascending
    at = np.searchsorted(key, of[row].astype(np.int64) * width + item, side="right") - 1
    found = np.zeros(of.size, np.int64)
    np.add.at(found, row, costs.value[item] * costs.loss[flat[at]])
    return found
