"""Few baskets: an item is a whole number of Python, with a bit for everybody who has it.

The clusters of records are many and small, and the parts of a search are smaller still. There a union is `|`, what is
held together is `&`, and everything is counted anew at every step: that takes less time than to hand arrays to
kernels, and nothing has to be compiled for it. What is decided is the same.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace

import numpy as np

from tacit.arrays.sparse import take_rows
from tacit.baskets.solvers.constraints import Constraints
from tacit.baskets.solvers.problem import Problem

_ITEMS, _NODES, _EACH = 1 << 26, 1 << 29, 1 << 12
"""Up to so many bits are looked at for all sets of some items, or all pairs of some nodes; and so many could be in the
time that one of them takes. Beyond that kernels are quicker."""


def are_few_items(n_items: int, size: int | float, people: int) -> bool:
    """Whether sets of up to so many items are to be merged in this way."""
    return size <= 3 and n_items**size * (_EACH + people) <= _ITEMS


def are_few_nodes(n_nodes: int, people: int) -> bool:
    """Whether pairs of nodes are to be looked at in this way."""
    return n_nodes**2 * (_EACH + people) <= _NODES


def holders(indptr: np.ndarray, items: np.ndarray, n_items: int, people: np.ndarray) -> list[int]:
    """Who has each item, if so many people have each basket."""
    indptr, items = take_rows(indptr, items, np.repeat(np.arange(people.size), people))
    has = np.zeros((n_items, indptr.size - 1), bool)
    has[items, np.repeat(np.arange(indptr.size - 1), np.diff(indptr))] = True
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(has, axis=1, bitorder="little")]


class FewItems:
    """Items that are merged until k people or nobody have what a basket shows (see `merge_items`).

    A cluster goes by its lowest item, and what is not published is in cluster −1.
    """

    def __init__(
        self,
        has: list[int],
        k: int,
        constraints: Constraints,
        mass: np.ndarray | None,
        *,
        any_of_them: bool,
    ) -> None:
        self.k, self.any_of_them = k, any_of_them
        self.has, self.cluster = list(has), list(range(len(has)))
        self.members = [[item] for item in range(len(has))]  # of each cluster that is left
        self.permit, self.importance = constraints.permit().tolist(), constraints.importance().tolist()
        self.mass = None if mass is None else mass.tolist()

    def merged(self, m: int) -> np.ndarray:
        """The cluster of each item, with sets of up to m items."""
        for size in range(1, m + 1):
            self._hold_all_of(size)
        return np.array(self.cluster, np.int32)

    @property
    def _left(self) -> list[int]:
        return [c for c, members in enumerate(self.members) if members]

    def _hold_all_of(self, size: int) -> None:
        """Makes all sets of this size hold, where all smaller ones do: always the one that fewest have, the first of
        equals, and that until it holds."""
        rare = list(self._rare(size, self._left, (), -1))
        heap = [(people, place) for place, (people, _) in enumerate(rare)]
        heapify(heap)
        while heap:
            known, place = heap[0]
            people = self._people(rare[place][1])
            if known < people < self.k:
                heapreplace(heap, (people, place))
                continue
            while 0 < people < self.k:
                self._mend({self.cluster[item] for item in rare[place][1]})
                people = self._people(rare[place][1])
            heappop(heap)

    def _rare(
        self, size: int, clusters: Sequence[int], chosen: tuple[int, ...], who: int
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The sets of so many more clusters that somebody has with the chosen ones, but fewer than k; in order."""
        for place, c in enumerate(clusters):
            both = who & self.has[c]
            if size > 1 and both:
                yield from self._rare(size - 1, clusters[place + 1 :], (*chosen, c), both)
            elif 0 < both.bit_count() < self.k:
                yield both.bit_count(), (*chosen, c)

    def _people(self, items: Sequence[int]) -> int:
        """How many have the clusters of all of these items; nobody has what is not published."""
        who = -1
        for item in items:
            who &= self.has[self.cluster[item]] if self.cluster[item] >= 0 else 0
        return who.bit_count()

    def _mend(self, clusters: set[int]) -> None:
        """Merges the cluster that fewest have with the one that costs least; or the cheapest merge of any of them.
        What may be merged with none is taken out."""
        rarest_first = sorted(clusters, key=lambda c: (self.has[c].bit_count(), c))
        merges = ((self._cheapest(c), c) for c in rarest_first)
        possible = (((cost, c), d) for (cost, d), c in merges if d >= 0)
        best = min(possible, default=None) if self.any_of_them else next(possible, None)
        if best is None:
            self._put(rarest_first[0], -1)
        else:
            (_, c), d = best
            self._put(max(c, d), min(c, d))

    def _cheapest(self, c: int) -> tuple[int, int]:
        """The cluster that is cheapest to merge with this one, the lowest of equals, behind what that costs; or −1."""
        others = (d for d in self._left if d != c and self.permit[d] == self.permit[c] >= 0 and self.has[d])
        return min(((self._cost(c, d), d) for d in others), default=(0, -1))

    def _cost(self, c: int, d: int) -> int:
        """What merging two clusters costs: what their occurrences lose, or as COAT and PCTA have it."""
        size, other = len(self.members[c]), len(self.members[d])
        if self.mass is not None:
            return size * self.mass[d] + other * self.mass[c]
        people = (self.has[c] | self.has[d]).bit_count()
        return (2 ** (size + other) - 1) * people * max(self.importance[c], self.importance[d])

    def _put(self, c: int, other: int) -> None:
        """Merges a cluster into a lower one, or takes it out (−1)."""
        for item in self.members[c]:
            self.cluster[item] = other
        if other >= 0:
            self.has[other] |= self.has[c]
            self.members[other] += self.members[c]
            self.importance[other] = max(self.importance[other], self.importance[c])
            if self.mass is not None:
                self.mass[other] += self.mass[c]
        self.members[c] = []


class FewNodes:
    """The walk of `hghs` for pairs (see `Walk`): each cut is judged as the paper does, from the first node on.

    Nodes go by their rank. Those without an occurrence cost nothing, and are left out.
    """

    def __init__(self, problem: Problem, k: int) -> None:
        tree, n = problem.tree, len(problem)
        has = holders(problem.indptr, problem.items, n, problem.weight)
        for node in range(n - 1, 0, -1):
            has[tree.parent[node]] |= has[node]
        self.problem, self.k = problem, k
        self.has = [has[node] for node in tree.by_rank.tolist()]
        self.suppress = tree.suppress[tree.by_rank].tolist()
        self.is_rare = [0 < who.bit_count() < k for who in self.has]
        self.blocked_by: dict[int, int] = {}  # the ranks before a node's, as bits, with which it is too rare

    def walked(self) -> tuple[np.ndarray, np.ndarray, int]:
        """The cut where no split lowers the cost, the nodes of it that are suppressed, and the cost."""
        tree = self.problem.tree
        rank, gain = tree.rank.tolist(), tree.gain.tolist()
        children = [list[int]() for _ in rank]
        for node in np.flatnonzero(self.problem.occurrences)[1:].tolist():
            children[tree.parent[node]].append(rank[node])
        is_split, cut = np.zeros(len(rank), bool), [rank[0]]
        lost, gone = self._judged(cut)
        total = int(tree.generalize[0]) + lost
        while True:
            best, change = -1, 0
            for node in sorted(tree.by_rank[cut].tolist()):
                if children[node]:
                    by = self._judged(_split(cut, rank[node], children[node]))[0] - lost - gain[node]
                    best, change = (node, by) if by < change else (best, change)
            if best < 0:
                break
            cut = _split(cut, rank[best], children[best])
            (lost, gone), total, is_split[best] = self._judged(cut), total + change, True
        in_cut = ~is_split & (is_split[tree.parent] | (tree.parent < 0))
        return np.flatnonzero(in_cut).astype(np.int32), np.sort(tree.by_rank[np.array(gone, np.int64)]), total

    def _judged(self, cut: Sequence[int]) -> tuple[int, list[int]]:
        """What suppression costs in a cut, and of whom: a node is kept if k people, or none, have it alone and with
        each one that is kept before it."""
        kept, lost, gone = 0, 0, []
        for node in cut:
            if self.is_rare[node] or self._blocks(node) & kept:
                lost += self.suppress[node]
                gone.append(node)
            else:
                kept |= 1 << node
        return lost, gone

    def _blocks(self, node: int) -> int:
        if node not in self.blocked_by:
            who = self.has[node]
            rare = (0 < (who & other).bit_count() < self.k for other in self.has[:node])
            self.blocked_by[node] = sum(1 << before for before, is_rare in enumerate(rare) if is_rare)
        return self.blocked_by[node]


def _split(cut: Sequence[int], node: int, children: Sequence[int]) -> list[int]:
    """A cut, by rank, with its children in place of a node."""
    found = [each for each in cut if each != node]
    for child in children:
        insort(found, child)
    return found
