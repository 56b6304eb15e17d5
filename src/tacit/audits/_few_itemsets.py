"""The audit of few baskets: every itemset of a size is counted outright, in the prefix tree, before a kernel is there.

Upwards the numbers of items grow, so each way up from a node is a basket's itemset in order. A node has the weight of
all baskets that pass through it.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from tacit.audits._trie_kernels import Trie

_FEW = 1 << 20
"""So many are not worth a kernel, which takes longer to load."""


class Counted(NamedTuple):
    """Itemsets, one a row, in the order of their numbers, and how many baskets hold each."""

    itemsets: np.ndarray
    supports: np.ndarray


def ways_up(trie: Trie, size: int) -> int:
    """How many itemsets of a size the nodes have above them, each with its own item; an itemset may be met often."""
    depths = enumerate(np.bincount(trie.depth[1:]).tolist())
    return sum(nodes * comb(depth - 1, size - 1) for depth, nodes in depths if depth >= size)


def are_few(trie: Trie, size: int) -> bool:
    return ways_up(trie, size) <= _FEW and trie.support.size**size < 2**63


def counted(trie: Trie, size: int) -> Counted:
    """All itemsets of a size that some basket holds."""
    node, weight = trie.order.astype(np.int64), trie.weight[trie.order]
    key = trie.item[node].astype(np.int64)
    for _ in range(size - 1):
        key, node, weight = _one_item_more(trie, key, node, weight)
    order = np.argsort(key)
    key, weight = key[order], weight[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    n_items = trie.support.size
    rows = [key[first] // n_items ** (size - 1 - place) % n_items for place in range(size)]
    return Counted(np.stack(rows, axis=1).astype(np.int32), np.add.reduceat(weight, first) if first.size else weight)


def _one_item_more(
    trie: Trie, key: np.ndarray, node: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each itemset with every item above the node where it ends."""
    found = [(key[:0], node[:0], weight[:0])]
    above = trie.parent[node]
    while above.size:
        goes_on = above > 0
        key, weight, above = key[goes_on], weight[goes_on], above[goes_on]
        found.append((key * trie.support.size + trie.item[above], above, weight))
        above = trie.parent[above]
    keys, nodes, weights = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return keys, nodes, weights


def least_of(all_of_them: Counted, below: int) -> Counted:
    """The itemset of least support, the first of equals; none if that is not under `below`."""
    supports = all_of_them.supports
    place = np.flatnonzero((supports < below) & (supports == supports.min(initial=below)))[:1]
    return Counted(all_of_them.itemsets[place], supports[place])


def contained(trie: Trie, ends: np.ndarray) -> np.ndarray | None:
    """In how many baskets each of those is contained that end in some nodes; None if there are many to compare."""
    item = trie.item[ends]
    count = trie.head[item + 1] - trie.head[item]
    if count.sum() > _FEW:
        return None
    whose = np.repeat(np.arange(ends.size), count)
    node = trie.order[np.arange(whose.size) - np.repeat(np.cumsum(count) - count, count) + trie.head[item][whose]]
    held, asked, above = np.zeros(ends.size, np.int64), trie.parent[ends[whose]], trie.parent[node]
    weight = trie.weight[node]
    while whose.size:  # one step up the ways of all pairs, as long as there is something left to find
        found = asked == 0
        np.add.at(held, whose[found], weight[found])
        left = ~found & (trie.item[above] <= trie.item[asked])
        whose, asked, above, weight = whose[left], asked[left], above[left], weight[left]
        asked = np.where(trie.item[above] == trie.item[asked], trie.parent[asked], asked)
        above = trie.parent[above]
    return held
