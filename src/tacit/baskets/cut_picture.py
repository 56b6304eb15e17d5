"""A hierarchy with its cut: what of it a release shows as it was, what as a group, and what is suppressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from tacit.baskets.recoding import ItemCut
from tacit.report.blocks import Chart, Folded, Node, Tree
from tacit.report.charts import icicle
from tacit.taxonomy import Taxonomy

ABOVE, KEPT, GROUP, SUPPRESSED, INSIDE = range(5)
_STATES = ("above the cut", "kept", "group", "suppressed", "part of a group")
_CLASSES = ("", "kept", "group", "suppressed", "inside")
_PICTURE_COLOURS = dict(zip(_STATES, ("line", "c3", "c1", "c2", "dim"), strict=True))
_MOST_NODES = 1000
_MOST_CHILDREN = 60
_MOST_OPEN = 60
_MOST_BLOCKS = 400
_COLUMNS = 300


def has_cut(tree: Taxonomy, cut: ItemCut) -> bool:
    """Whether everything that is shown is a node of the hierarchy: sets of items are none."""
    return len(tree) > 1 and {name for name in cut.becomes.values() if name is not None} <= set(tree.names)


def states(tree: Taxonomy, cut: ItemCut) -> np.ndarray:
    """What became of each node: one of ABOVE, KEPT, GROUP, GONE, INSIDE."""
    found = np.full(len(tree), ABOVE, np.int8)
    shown, suppressed = set(cut.becomes.values()), set(cut.suppressed)
    parent = tree.parent.tolist()
    for node, name in enumerate(tree.names):
        above = found[parent[node]] if node else ABOVE
        if above != ABOVE:
            found[node] = INSIDE
        elif name in suppressed or (tree.is_leaf[node] and cut.becomes.get(name, name) is None):
            found[node] = SUPPRESSED
        elif name in shown:
            found[node] = KEPT if tree.is_leaf[node] else GROUP
    return found


def cut_picture(tree: Taxonomy, cut: ItemCut) -> Chart:
    """The whole hierarchy at a glance, its leaves from left to right, the root on top."""
    return icicle("The hierarchy and its cut", [*_blocks(tree, states(tree, cut))], _PICTURE_COLOURS)


def _blocks(tree: Taxonomy, state: np.ndarray) -> Iterator[dict[str, Any]]:
    """A block for each node; in a large hierarchy, for each run of leaves that are alike on a level."""
    first = np.concatenate(([0], np.cumsum(tree.is_leaf)))[:-1]
    if len(tree) <= _MOST_BLOCKS:
        for node, depth in enumerate(tree.depth.tolist()):
            start, end = int(first[node]), int(first[node] + tree.leaf_count[node])
            yield {"depth": depth, "start": start, "end": end, "state": _STATES[state[node]]}
        return
    for depth in range(int(tree.depth.max()) + 1):
        row = np.full(int(tree.leaf_count[0]), -1, np.int8)
        for node in np.flatnonzero(tree.depth == depth).tolist():
            row[first[node] : first[node] + tree.leaf_count[node]] = state[node]
        yield from _runs(row, depth)


def _runs(row: np.ndarray, depth: int) -> Iterator[dict[str, Any]]:
    """A level in as many columns as can be told apart, each of the state that most of its leaves have."""
    edges = np.linspace(0, row.size, min(row.size, _COLUMNS) + 1).astype(int).tolist()
    most = [int(np.bincount(row[a:b] + 1).argmax()) - 1 for a, b in pairwise(edges)]
    for value, some in groupby(zip(most, pairwise(edges), strict=True), key=lambda column: column[0]):
        columns = [edge for _, edge in some]
        if value >= 0:
            yield {"depth": depth, "start": columns[0][0], "end": columns[-1][1], "state": _STATES[value]}


def cut_tree(tree: Taxonomy, cut: ItemCut, records: Mapping[str, int]) -> Tree | Folded:
    """The hierarchy node by node, to open and close; `records` says how many records show a name.

    A large one is folded, and drawn in part: what is left out is counted.
    """
    state = states(tree, cut)
    drawn = _drawn_nodes(tree, state)
    whole = Tree(_node(tree, state, records, drawn, 0))
    return whole if len(tree) <= _MOST_OPEN else Folded("The hierarchy, node by node", [whole])


def _drawn_nodes(tree: Taxonomy, state: np.ndarray) -> set[int]:
    """The nodes that are drawn: level by level, and at the cut or above it before anything below."""
    level_by_level = np.lexsort((np.arange(len(tree)), tree.depth, state == INSIDE))
    drawn = {0}
    children = np.zeros(len(tree), np.int64)
    for node in level_by_level.tolist():
        above = int(tree.parent[node])
        if len(drawn) >= _MOST_NODES:
            break
        if above in drawn and children[above] < _MOST_CHILDREN:
            drawn.add(node)
            children[above] += 1
    return drawn


def _node(tree: Taxonomy, state: np.ndarray, records: Mapping[str, int], drawn: set[int], node: int) -> Node:
    below = tree.children(node).tolist()
    children = [_node(tree, state, records, drawn, child) for child in below if child in drawn]
    left = [child for child in below if child not in drawn]
    if left:
        children.append(Node(f"… and {len(left):,} more", note=_counted(state[left])))
    name, kind = tree.names[node], int(state[node])
    said = [_count(int(tree.leaf_count[node]), "leaf", "leaves")] if below else []
    said += [_count(records.get(name, 0), "record", "records")] if kind in (KEPT, GROUP) else []
    is_open = node == 0 or (kind == ABOVE and len(drawn) <= _MOST_OPEN)
    return Node(name, _CLASSES[kind], ", ".join(said), children, is_open)


def _count(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _counted(state: np.ndarray) -> str:
    counts = np.bincount(state, minlength=len(_STATES))
    return ", ".join(f"{count:,} {name}" for name, count in zip(_STATES, counts.tolist(), strict=True) if count)
