"""Clusters of records that are merged step by step, with all that a merge changes kept up to date.

Rum is computed incrementally (section 5 of the paper): a merge touches two clusters only. A merged cluster goes by the
lower of the two numbers.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from tacit.arrays.attributes import Attribute, published, spans
from tacit.arrays.encode import distinct_baskets
from tacit.records.solvers import _cluster_kernels as _kernels
from tacit.records.solvers.problem import RecordProblem, rows_by_group
from tacit.records.solvers.rum import Rum, Scale

_GREATEST = np.iinfo(np.int32).max
_ROOM = 4  # the pool of baskets is packed when it has grown to so many times its first size


class Clusters:
    """The clusters of a partition: sizes, losses, sensitive items, baskets."""

    def __init__(self, problem: RecordProblem, group: np.ndarray, rum: Rum) -> None:
        self.problem, self.rum = problem, rum
        self.scale = Scale(len(problem), problem.promise.k, problem.weights)
        n = int(group.max(initial=-1)) + 1
        self.alive = np.arange(n)
        self._rows = rows_by_group(group, n)
        self.sizes = np.bincount(group, minlength=n)
        self.filled = np.bincount(group[np.diff(problem.indptr) > 0], minlength=n)  # records with public items
        self._reaches = [_reach(attribute, group, n) for attribute in problem.attributes]
        self.losses = self.losses_with(-1, self.alive)
        self.values = rum.of_clusters(self.sizes, self.losses, self.scale)
        self._shares = rum.share(self.sizes, self.losses, self.scale)
        self.baskets = BasketBlocks(problem, group, n)
        self.secrets, self.secrets_beside_items = _secret_counts(problem, group, n)
        most_beside = int(self.secrets_beside_items.sum(axis=0, dtype=np.int64).max(initial=0))
        # whether all records with public items together are diverse: then merging makes any cluster so
        self.diverse_as_one = most_beside * problem.bound <= int(self.filled.sum())
        self.merges = 0

    def __len__(self) -> int:
        return self.alive.size

    @property
    def rum_of_data(self) -> float:
        return float(self.rum.of_sum(self._shares[self.alive].sum(), len(self), self.scale))

    def in_order(self) -> list[int]:
        """The clusters in the order of their first records."""
        return sorted(self.alive.tolist(), key=lambda cluster: int(self._rows[cluster][0]))

    def rows(self, *clusters: int) -> np.ndarray:
        """The records of some clusters, ascending."""
        return np.sort(np.concatenate([self._rows[cluster] for cluster in clusters]))

    def others(self, seed: int) -> np.ndarray:
        return self.alive[self.alive != seed]

    def losses_with(self, seed: int, others: np.ndarray) -> np.ndarray:
        """Attributes × others: what each would lose joined with the seed; by itself if that is −1."""
        losses = [reach.losses(seed, others) for reach in self._reaches]
        return np.array(losses, float).reshape(len(losses), others.size)

    def values_with(self, seed: int, others: np.ndarray, losses: np.ndarray) -> np.ndarray:
        """Rum of each of the others joined with the seed."""
        return self.rum.of_clusters(self.sizes[others] + self.sizes[seed], losses, self.scale)

    def rum_with(self, seed: int, others: np.ndarray, losses: np.ndarray) -> np.ndarray:
        """Rum of the data if the seed were joined with each of the others."""
        joint = self.rum.share(self.sizes[others] + self.sizes[seed], losses, self.scale)
        total = self._shares[self.alive].sum() - self._shares[seed] - self._shares[others] + joint
        return self.rum.of_sum(total, len(self) - 1, self.scale)

    def merge(self, seed: int, partner: int) -> int:
        """Joins two clusters; the number of the result."""
        kept, gone = min(seed, partner), max(seed, partner)
        self.alive = self.alive[self.alive != gone]
        self._rows[kept], self._rows[gone] = self.rows(kept, gone), np.empty(0, np.int64)
        for counts in (self.sizes, self.filled, self.secrets, self.secrets_beside_items):
            counts[kept] += counts[gone]
        for place, reach in enumerate(self._reaches):
            reach.merge(kept, gone)
            self.losses[place, kept] = reach.losses(-1, np.array([kept]))[0]
        one = np.array([kept])
        self.values[kept] = self.rum.of_clusters(self.sizes[one], self.losses[:, one], self.scale)[0]
        self._shares[kept] = self.rum.share(self.sizes[one], self.losses[:, one], self.scale)[0]
        self.baskets.merge(kept, gone, self.alive)
        self.merges += 1
        return kept

    def merge_equal(self) -> None:
        """Joins clusters with equal published values: nobody can tell them apart."""
        group = np.empty(len(self.problem), np.int32)
        for place, cluster in enumerate(self.alive.tolist()):
            group[self._rows[cluster]] = place
        found = (published(attribute, spans(attribute, group, len(self))) for attribute in self.problem.attributes)
        keys = np.stack([value for _, value in found] or [np.zeros(len(self), np.int32)])
        _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        members = self.alive.copy()
        for place in np.flatnonzero(first[inverse.ravel()] != np.arange(members.size)).tolist():
            self.merge(int(members[first[inverse.ravel()[place]]]), int(members[place]))


class _Reach(Protocol):
    """How far clusters reach in one attribute."""

    def losses(self, seed: int, others: np.ndarray) -> np.ndarray:
        """Loss of each of the others joined with the seed; of themselves if that is −1."""

    def merge(self, kept: int, gone: int) -> None: ...


def _reach(attribute: Attribute, group: np.ndarray, n: int) -> _Reach:
    if attribute.tree is not None or attribute.numbers is not None:
        return _Ranges(attribute, group, n)
    return _Sets(attribute, group, n)


def _blank(attribute: Attribute, group: np.ndarray, n: int) -> tuple[np.ndarray, int, float]:
    """Which clusters hold a missing value that goes with no other, its code (−1: there is none), and what it loses."""
    blank = np.zeros(n, bool)
    if attribute.missing < 0 or (attribute.numbers is None and not attribute.suppress_missing):
        return blank, -1, 0.0
    blank[group[attribute.codes == attribute.missing]] = True
    return blank, attribute.missing, float(attribute.suppress_missing)


class _Ranges:
    """Ranges of numbers, or of leaves of a hierarchy, for which the lowest node above stands."""

    def __init__(self, attribute: Attribute, group: np.ndarray, n: int) -> None:
        self.blank, missing, self.blank_loss = _blank(attribute, group, n)
        self.low, self.high = np.full(n, _GREATEST, np.int32), np.full(n, -1, np.int32)
        known = attribute.codes != missing
        codes = attribute.codes[known]
        keys = codes if attribute.leaf_of_code is None else attribute.leaf_of_code[codes]
        np.minimum.at(self.low, group[known], keys)
        np.maximum.at(self.high, group[known], keys)
        self.tree, self.numbers, self.length = attribute.tree, attribute.numbers, attribute.domain_length
        if self.tree is not None:
            self.share = self.tree.leaf_count / self.tree.leaf_count[0]
            self.share[self.tree.is_leaf] = 0.0

    def losses(self, seed: int, others: np.ndarray) -> np.ndarray:
        out = np.empty(others.size)
        if self.tree is not None:
            _kernels.tree_losses(
                self.low, self.high, self.blank, self.tree.parent, self.tree.end, self.share, self.blank_loss,
                seed, others, out,
            )  # fmt: skip
        else:
            _kernels.range_losses(
                self.low, self.high, self.blank, self.numbers, self.length, self.blank_loss, seed, others, out
            )
        return out

    def merge(self, kept: int, gone: int) -> None:
        self.low[kept] = min(self.low[kept], self.low[gone])
        self.high[kept] = max(self.high[kept], self.high[gone])
        self.blank[kept] |= self.blank[gone]


class _Sets:
    """Sets of values without a hierarchy."""

    def __init__(self, attribute: Attribute, group: np.ndarray, n: int) -> None:
        self.blank, missing, self.blank_loss = _blank(attribute, group, n)
        self.n_codes = len(attribute.texts)
        self.bits = np.zeros((n, (self.n_codes + 63) // 64), np.uint64)
        _kernels.gather_bits(attribute.codes, group, missing, self.bits)

    def losses(self, seed: int, others: np.ndarray) -> np.ndarray:
        out = np.empty(others.size)
        _kernels.set_losses(self.bits, self.blank, self.n_codes, self.blank_loss, seed, others, out)
        return out

    def merge(self, kept: int, gone: int) -> None:
        self.bits[kept] |= self.bits[gone]
        self.blank[kept] |= self.blank[gone]


class BasketBlocks:
    """The different baskets of each cluster, the longest first: what BTD looks at.

    BTD of a cluster is the largest of its pairs; of two clusters joined, the largest of theirs and of the pairs across.
    """

    def __init__(self, problem: RecordProblem, group: np.ndarray, n: int) -> None:
        distinct = distinct_baskets(problem.indptr, problem.items)
        self.indptr, self.items = distinct.indptr, distinct.items
        length = np.diff(self.indptr)
        pairs = np.unique(group.astype(np.int64) << 32 | distinct.inverse)
        cluster, basket = pairs >> 32, pairs & 0xFFFFFFFF
        order = np.lexsort((basket, -length[basket], cluster))
        self.count = np.bincount(cluster, minlength=n)
        self.start = np.cumsum(self.count) - self.count
        self.free = basket.size
        self.pool = np.empty(_ROOM * max(basket.size, 1), np.int32)
        self.pool[: self.free] = basket[order]
        self.own = np.zeros(n)
        _kernels.own_distances(self.pool, self.start, self.count, self.indptr, self.items, self.own)

    def distances(self, seed: int, others: np.ndarray) -> np.ndarray:
        """BTD of each of the others joined with the seed."""
        out = np.empty(others.size)
        _kernels.joint_distances(
            self.pool, self.start, self.count, self.own, self.indptr, self.items, seed, others, out
        )
        return out

    def nearest(self, seed: int, others: np.ndarray) -> int:
        """Of the others the one with the least BTD joined with the seed, the first of equals."""
        place, _ = _kernels.nearest(self.pool, self.start, self.count, self.own, self.indptr, self.items, seed, others)
        return int(others[place])

    def merge(self, kept: int, gone: int, alive: np.ndarray) -> None:
        self.own[kept] = self.distances(kept, np.array([gone]))[0]
        if self.free + self.count[kept] + self.count[gone] > self.pool.size:
            self._pack(np.append(alive, gone))
        start = self.free
        self.free = _kernels.joined_blocks(
            self.pool, self.start[kept], self.start[kept] + self.count[kept],
            self.start[gone], self.start[gone] + self.count[gone], start, self.indptr,
        )  # fmt: skip
        self.start[kept], self.count[kept] = start, self.free - start

    def _pack(self, clusters: np.ndarray) -> None:
        """Moves the blocks of these clusters together."""
        blocks = [self.pool[self.start[c] : self.start[c] + self.count[c]] for c in clusters]
        packed = np.concatenate(blocks)
        self.start[clusters] = np.cumsum(self.count[clusters]) - self.count[clusters]
        self.pool[: packed.size] = packed
        self.free = packed.size


def _secret_counts(problem: RecordProblem, group: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Clusters × sensitive items: records with each, and those of them that have public items, too.

    Nothing is counted where the promise says nothing about sensitive items.
    """
    if problem.bound == 1:
        return np.zeros((n, 0), np.int32), np.zeros((n, 0), np.int32)
    record = np.repeat(np.arange(len(problem)), np.diff(problem.secret_indptr))
    key = group[record].astype(np.int64) * problem.n_secrets + problem.secrets
    filled = (np.diff(problem.indptr) > 0)[record]
    shape = (n, problem.n_secrets)
    counts = (np.bincount(keys, minlength=n * problem.n_secrets).reshape(shape) for keys in (key, key[filled]))
    whole, beside = counts
    return whole.astype(np.int32), beside.astype(np.int32)
