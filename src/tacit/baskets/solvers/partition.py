"""LG: transactional k-anonymity by top-down, local generalization (He & Naughton, VLDB 2009).

All rows start as one part that is published as the root. A part is split on the node of its generalization that
loses most: its children replace it, and rows that hold the same children go together. Groups of fewer than k rows
stay behind, with the node as it was. Then each part is split in turn, until no split is left.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tacit.arrays.blocks import side_by_side, tell
from tacit.arrays.sparse import as_sets, take_rows
from tacit.baskets.solvers._partition_kernels import STATES, STOP, Hierarchy, Parts, Room, Rows, anonymize
from tacit.baskets.solvers.local import LocalAnonymization
from tacit.baskets.solvers.problem import Tree
from tacit.errors import PromiseError

Progress = Callable[[str], None]

_MANY = 1 << 14
"""So many rows are worth a second thread."""
_ENOUGH = 8
"""So many parts can be shared between two."""
_ALL = 1 << 62


def partition(
    indptr: np.ndarray,
    items: np.ndarray,
    tree: Tree,
    k: int,
    progress: Progress | None = None,
    *,
    reallocate: bool = False,
) -> LocalAnonymization:
    """Parts of at least k rows, by their first rows; a part's cut is what each of its rows is published as.

    With `reallocate` rows may then go to parts in which they cost less, and leave out what does not fit (LGR).

    `items` are leaves of the tree, whose costs are those of these very rows. Rows without items are in no part (−1).
    If there are some, but fewer than k, the rows worth least lose all they have: the last part, its root suppressed.
    """
    indptr, items = as_sets(indptr, items)
    lengths = np.diff(indptr)
    hierarchy, value = _hierarchy(tree, np.bincount(items, minlength=tree.end.size))
    worth = np.add.reduceat(np.append(value[items], 0), indptr[:-1]) * (lengths > 0)
    stripped = _stripped(lengths, worth, k)
    order = np.flatnonzero((lengths > 0) & ~stripped).astype(np.int32)
    if progress:
        progress(f"LG: {order.size:,} rows to part")
    found, node_ends, nodes, cost = _parted(order, Rows(indptr, items), hierarchy, k)
    if reallocate:
        found, node_ends, nodes, cost = _reallocated(indptr, items, found, node_ends, nodes, hierarchy, value, k)
    part, ends, nodes = _in_row_order(found, node_ends, nodes)
    if stripped.any():
        part[stripped] = ends.size - 1
        ends, nodes = np.append(ends, ends[-1] + 1), np.append(nodes, np.int32(0))
    is_suppressed = np.zeros(nodes.size, bool)
    is_suppressed[-1:] = stripped.any()
    return LocalAnonymization(part, ends, nodes, is_suppressed, int(cost + worth[stripped].sum()))


def _reallocated(
    indptr: np.ndarray, items: np.ndarray, found: np.ndarray, node_ends: np.ndarray, nodes: np.ndarray,
    hierarchy: Hierarchy, worth: np.ndarray, k: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:  # fmt: skip
    """What `_parted` found, after rows went where they cost less."""
    from tacit.baskets.solvers.reallocation import Classes, Costs, reallocated

    cuts = [tuple(sorted(each.tolist())) for each in np.split(nodes, node_ends[:-1])] if node_ends.size else []
    costs = Costs(hierarchy.end, hierarchy.loss, hierarchy.worth, worth)
    classes, row_cost = reallocated(indptr, items, Classes(found, cuts), costs, int(k))
    used, of = np.unique(classes.of, return_inverse=True)
    missing = int(used.size > 0 and used[0] < 0)  # rows that are in no part
    kept = [classes.nodes[c] for c in used[missing:].tolist()]
    ends = np.cumsum([len(each) for each in kept], dtype=np.int64)
    flat = np.array([node for each in kept for node in each], np.int32)
    return (of - missing).astype(np.int32), ends, flat, int(row_cost.sum())


def _parted(
    order: np.ndarray, rows: Rows, hierarchy: Hierarchy, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The part of each row (−1: not in `order`), the nodes of each part, (their ends, nodes), and the cost of all.

    What becomes of a part depends on no other one, so two threads share the parts that many rows fall into at first.
    """
    part_of = np.full(rows.indptr.size - 1, -1, np.int32)
    if not order.size:
        return part_of, np.empty(0, np.int64), np.empty(0, np.int32), 0

    def split(parts: Parts, stop: int, most: int, state: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, Parts, int]:
        mine = order[parts.begin[0] : stop]
        room = _room(mine.size, int((rows.indptr[mine + 1] - rows.indptr[mine]).sum()))
        return anonymize(order, stop, parts, most, rows, hierarchy, k, room, part_of, state)

    root, state = np.zeros(1, np.int32), np.zeros((3, STATES), np.int64)
    whole = Parts(np.zeros(1, np.int64), np.arange(2), root, root)
    done = [split(whole, order.size, _ENOUGH if order.size >= _MANY else _ALL, state[0])]
    *_, waiting, stop = done[0]
    if waiting.begin.size:
        one, other = _halved(waiting, stop)
        middle = int(other.begin[0])
        done += side_by_side(
            [partial(split, one, middle, _ALL, state[1]), partial(split, other, stop, _ALL, state[2])],
            lambda: tell("rows in parts", 1 - (state[1:, STOP].sum() - middle) / order.size),
        )
        part_of[order[:stop]] += done[0][0].size
        part_of[order[middle:stop]] += done[1][0].size
    ends = np.cumsum(np.concatenate([np.diff(node_ends, prepend=0) for node_ends, *_ in done]))
    return part_of, ends, np.concatenate([each[1] for each in done]), sum(each[2] for each in done)


def _halved(parts: Parts, stop: int) -> tuple[Parts, Parts]:
    """The parts in two, with about half of the rows up to `stop` in each."""
    at = min(max(1, int(np.searchsorted(parts.begin, stop // 2))), parts.begin.size - 1)
    start = parts.start[at]
    one = Parts(parts.begin[:at], parts.start[: at + 1], parts.nodes[:start], parts.flags[:start])
    return one, Parts(parts.begin[at:], parts.start[at:] - start, parts.nodes[start:], parts.flags[start:])


def _stripped(lengths: np.ndarray, worth: np.ndarray, k: int) -> np.ndarray:
    """The rows that lose all they have, so that k rows are empty or none: those worth least, of equals the first."""
    filled = np.flatnonzero(lengths)
    empty = lengths.size - filled.size
    missing = max(k - empty, 0) if empty else 0
    if lengths.size and filled.size - missing < k and (filled.size or missing):
        raise PromiseError(_too_few(filled.size, empty, k))
    stripped = np.zeros(lengths.size, bool)
    stripped[filled[np.argsort(worth[filled], kind="stable")[:missing]]] = True
    return stripped


def largest_k(filled: int, empty: int) -> int:
    """The largest k with which so many baskets with items, and so many without, have anything worth publishing.

    Empty baskets stay empty. If there are any, k baskets must be, and k others must keep something.
    """
    return min(filled, (filled + empty) // 2) if filled and empty else filled + empty


def _too_few(filled: int, empty: int, k: int) -> str:
    """Why there is nothing worth publishing, and the largest k with which there is."""
    reachable = largest_k(filled, empty)
    found = f"{filled:,} baskets hold an item" + (f", and {empty:,} are empty" if empty else "")
    advice = f"Set k to {reachable:,} at most." if reachable > 1 else "More baskets are needed."
    return f"{found}: too few for every one to be published with {k - 1:,} equals. {advice}"


def _hierarchy(tree: Tree, occurrences: np.ndarray) -> tuple[Hierarchy, np.ndarray]:
    """The tree with the loss of one occurrence at each node, and what an occurrence of each leaf is worth in all.

    The tree has costs of all occurrences below a node. Loss and worth of one come out in whole numbers again.
    """
    whole = tree.generalize + tree.suppress
    common = np.maximum(np.gcd(tree.generalize, whole), 1)
    denominators = np.maximum(whole // common, 1)
    denominator = int(np.lcm.reduce(denominators))
    value = whole // np.maximum(occurrences, 1)
    children = np.argsort(tree.parent, kind="stable")[1:].astype(np.int32)
    first = np.searchsorted(tree.parent[children], np.arange(tree.end.size + 1))
    loss = tree.generalize // common * (denominator // denominators)
    return Hierarchy(tree.end, first, children, loss, value // denominator), value


def _room(rows: int, items: int) -> Room:
    slots = 1 << max(4, (2 * rows).bit_length())
    return Room(
        class_of=np.empty(rows, np.int32),
        loss=np.empty(rows, np.int64),
        start=np.empty(rows + 1, np.int64),
        held=np.empty(items, np.int32),
        table=np.empty(slots, np.int64),
        member=np.empty(rows, np.int32),
        size=np.empty(rows, np.int64),
        total=np.empty(rows, np.int64),
        place=np.empty(rows, np.int64),
        sorted=np.empty(rows, np.int32),
    )


def _in_row_order(
    found: np.ndarray, node_ends: np.ndarray, nodes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parts in the order of their first rows, and the nodes of each: (their ends, nodes)."""
    first = np.empty(node_ends.size + 1, np.int64)  # the last one is for rows in no part
    first[found[::-1]] = np.arange(found.size)[::-1]  # of several rows of a part the first one is written last
    by_first_row = np.argsort(first[:-1])
    index = np.full(first.size, -1, np.int32)
    index[by_first_row] = np.arange(by_first_row.size)
    return index[found], *take_rows(np.append(0, node_ends), nodes, by_first_row)
