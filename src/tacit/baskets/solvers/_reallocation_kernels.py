"""The loop of reallocation: for each row the published set, of those that it holds, that costs it least.

Published sets stand in a trie, their nodes in the order of the tree: node[t] is the last one of place t, child[t] the
first place below t, sibling[t] the next one beside it, ends[t] the class whose set ends there (−1: none). Place 0 is
the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import kernel


class Trie(NamedTuple):
    node: np.ndarray  # int32, as the others
    child: np.ndarray
    sibling: np.ndarray
    ends: np.ndarray


class Costs(NamedTuple):
    """What an occurrence costs: value[leaf] · loss[node] as a node, worth[leaf] if it is left out."""

    end: np.ndarray
    loss: np.ndarray
    value: np.ndarray
    worth: np.ndarray


class Path(NamedTuple):
    """Room for the way down the trie: places, the row's first item that is not yet placed, and the cost so far."""

    place: np.ndarray
    at: np.ndarray
    cost: np.ndarray


@kernel
def find_others(start, stop, indptr, items, own, is_open, trie, costs, path, other, other_cost):
    """For each row the open class, not its own, in which it costs least, of equals the first; −1 if there is none."""
    for row in range(start, stop):
        best, best_cost = np.int32(-1), np.int64(0)
        last = indptr[row + 1]
        depth = 0
        path.place[0], path.at[0], path.cost[0] = trie.child[0], indptr[row], 0
        if own[row] < 0:
            depth = -1
        while depth >= 0:
            t = path.place[depth]
            if t < 0:
                depth -= 1
                continue
            path.place[depth] = trie.sibling[t]
            node, a, cost = trie.node[t], path.at[depth], path.cost[depth]
            while a < last and items[a] < node:
                cost += costs.worth[items[a]]
                a += 1
            if a == last or items[a] >= costs.end[node]:
                continue
            while a < last and items[a] < costs.end[node]:
                cost += costs.value[items[a]] * costs.loss[node]
                a += 1
            if best >= 0 and cost > best_cost:
                continue
            c = trie.ends[t]
            if c >= 0 and is_open[c] and c != own[row]:
                whole = cost
                for rest in range(a, last):
                    whole += costs.worth[items[rest]]
                if best < 0 or whole < best_cost or (whole == best_cost and c < best):
                    best, best_cost = c, whole
            if trie.child[t] >= 0:
                depth += 1
                path.place[depth], path.at[depth], path.cost[depth] = trie.child[t], a, cost
        other[row], other_cost[row] = best, best_cost
