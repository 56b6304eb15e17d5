"""LG: transactional k-anonymity by top-down, local generalization (He & Naughton, VLDB 2009).

All rows start as one part that is published as the root. A part is split on the node of its generalization that
loses most: its children replace it, and rows that hold the same children go together. Groups of fewer than k rows
stay behind, with the node as it was. Then each part is split in turn, until no split is left.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.errors import PromiseError
from tacit.sparse import as_sets
from tacit.transactions._greedy import Tree
from tacit.transactions._partition_kernels import Hierarchy, Room, Rows, anonymize
from tacit.transactions.local import LocalAnonymization

Progress = Callable[[str], None]


def partition(
    indptr: np.ndarray, items: np.ndarray, tree: Tree, k: int, progress: Progress | None = None
) -> LocalAnonymization:
    """Parts of at least k rows, numbered by their first rows; a part's cut is what each of its rows is published as.

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
    found = np.full(lengths.size, -1, np.int32)
    node_ends, nodes, cost = anonymize(order, Rows(indptr, items), hierarchy, k, _room(order.size, items.size), found)
    part, cuts = _numbered(found, node_ends, nodes)
    suppressed = [np.empty(0, np.int32)] * len(cuts)
    if stripped.any():
        part[stripped] = len(cuts)
        cuts.append(np.zeros(1, np.int32))
        suppressed.append(np.zeros(1, np.int32))
    return LocalAnonymization(part, tuple(cuts), tuple(suppressed), int(cost + worth[stripped].sum()))


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


def _numbered(found: np.ndarray, node_ends: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The parts numbered by their first rows, and the nodes of each."""
    numbers, first = np.unique(found, return_index=True)
    by_first_row = numbers[np.argsort(first)]
    by_first_row = by_first_row[by_first_row >= 0]
    number = np.full(node_ends.size + 1, -1, np.int32)  # the last one is for rows in no part
    number[by_first_row] = np.arange(by_first_row.size)
    starts = np.append(0, node_ends[:-1])
    return number[found], [nodes[starts[i] : node_ends[i]] for i in by_first_row.tolist()]
