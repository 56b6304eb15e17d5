"""Clusters of records that are merged step by step, with all that a merge changes kept up to date.

Rum is computed incrementally (section 5 of the paper): a merge touches two clusters only. A merged cluster goes by the
lower of the two ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tacit.arrays.attributes import Attribute, published_codes, spans
from tacit.arrays.blocks import up_to
from tacit.arrays.encode import distinct_baskets
from tacit.arrays.order import each_once
from tacit.arrays.sparse import take_rows
from tacit.records.solvers._cluster_kernels import NODES, NUMBERS, SETS, Reach, farthest_pairs, losses_with
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
        self._reaches = Reaches(problem.attributes, group, n)
        self.losses = self.losses_with(-1, self.alive)
        self.values = rum.of_clusters(self.sizes, self.losses, self.scale)
        self._shares = rum.share(self.sizes, self.losses, self.scale)
        self._baskets: BasketBlocks | None = None
        self.sensitive, self.sensitive_beside_items = sensitive_counts(problem, group, n)
        most_beside = int(self.sensitive_beside_items.sum(axis=0, dtype=np.int64).max(initial=0))
        # whether all records with public items together are diverse: then merging makes any cluster so
        self.diverse_as_one = most_beside * problem.bound <= int(self.filled.sum())
        self.merges = 0

    def __len__(self) -> int:
        return self.alive.size

    @property
    def baskets(self) -> BasketBlocks:
        """What BTD looks at, from when it is asked for first."""
        if self._baskets is None:
            self._baskets = BasketBlocks(self.problem, self.alive[self.groups()], self.sizes.size)
        return self._baskets

    @property
    def rum_of_data(self) -> float:
        return float(self.rum.of_sum(self._shares[self.alive].sum(), len(self), self.scale))

    def in_order(self) -> list[int]:
        """The clusters in the order of their first records."""
        return sorted(self.alive.tolist(), key=lambda cluster: int(self._rows[cluster][0]))

    def rows(self, *clusters: int) -> np.ndarray:
        """The records of some clusters, ascending."""
        return np.sort(np.concatenate([self._rows[cluster] for cluster in clusters]))

    def groups(self) -> np.ndarray:
        """The place of each record's cluster among all (int32)."""
        group = np.empty(len(self.problem), np.int32)
        for place, cluster in enumerate(self.alive.tolist()):
            group[self._rows[cluster]] = place
        return group

    def others(self, seed: int) -> np.ndarray:
        return self.alive[self.alive != seed]

    def losses_with(self, seed: int, others: np.ndarray) -> np.ndarray:
        """Attributes × others: what each would lose joined with the seed; by itself if that is −1."""
        return self._reaches.losses(seed, others)

    def values_with(self, seed: int, others: np.ndarray, losses: np.ndarray) -> np.ndarray:
        """Rum of each of the others joined with the seed."""
        return self.rum.of_clusters(self.sizes[others] + self.sizes[seed], losses, self.scale)

    def rum_with(self, seed: int, others: np.ndarray, losses: np.ndarray) -> np.ndarray:
        """Rum of the data if the seed were joined with each of the others."""
        joint = self.rum.share(self.sizes[others] + self.sizes[seed], losses, self.scale)
        total = self._shares[self.alive].sum() - self._shares[seed] - self._shares[others] + joint
        return self.rum.of_sum(total, len(self) - 1, self.scale)

    def merge(self, seed: int, partner: int) -> int:
        """Joins two clusters; the id of the result."""
        kept, absorbed = min(seed, partner), max(seed, partner)
        self.alive = self.alive[self.alive != absorbed]
        self._rows[kept], self._rows[absorbed] = self.rows(kept, absorbed), np.empty(0, np.int64)
        for counts in (self.sizes, self.filled, self.sensitive, self.sensitive_beside_items):
            counts[kept] += counts[absorbed]
        one = np.array([kept])
        self._reaches.merge(kept, absorbed)
        self.losses[:, one] = self._reaches.losses(-1, one)
        self.values[kept] = self.rum.of_clusters(self.sizes[one], self.losses[:, one], self.scale)[0]
        self._shares[kept] = self.rum.share(self.sizes[one], self.losses[:, one], self.scale)[0]
        if self._baskets is not None:
            self._baskets.merge(kept, absorbed, self.alive)
        self.merges += 1
        return kept

    def merge_equal(self) -> None:
        """Joins clusters with equal published values: nobody can tell them apart."""
        each, group = self.problem.attributes, self.groups()
        found = (published_codes(attribute, spans(attribute, group, len(self))) for attribute in each)
        keys = np.stack([value for value, _ in found] or [np.zeros(len(self), np.int32)])
        _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        members = self.alive.copy()
        for place in np.flatnonzero(first[inverse.ravel()] != np.arange(members.size)).tolist():
            self.merge(int(members[first[inverse.ravel()[place]]]), int(members[place]))


class Reaches:
    """How far clusters reach in each attribute, and what they lose by it."""

    def __init__(self, attributes: Sequence[Attribute], group: np.ndarray, n: int) -> None:
        parts = [_OneReach.of(attribute, group, n) for attribute in attributes]
        values, words = [0, *(part.value.size for part in parts)], [0, *(part.bits.shape[1] for part in parts)]
        starts = np.stack([np.cumsum(values), np.cumsum(words)], axis=1)
        form = np.array([part.form for part in parts], np.int64)
        of_sets = (form == SETS).astype(np.int64)[:, None]
        start, end = (np.take_along_axis(ends, of_sets, axis=1).ravel() for ends in (starts[:-1], starts[1:]))
        self.arrays = Reach(
            shape=np.stack([form, start, end], axis=1),
            low=_stacked([part.low for part in parts], n, np.int32),
            high=_stacked([part.high for part in parts], n, np.int32),
            blank=_stacked([part.blank for part in parts], n, np.bool_),
            blank_loss=np.array([float(attribute.suppress_missing) for attribute in attributes]),
            length=np.array([part.length for part in parts]),
            value=_joined([part.value for part in parts], np.float64),
            parent=_joined([part.parent for part in parts], np.int32),
            end=_joined([part.end for part in parts], np.int32),
            bits=np.concatenate([np.zeros((n, 0), np.uint64), *(part.bits for part in parts)], axis=1),
        )

    def losses(self, seed: int, others: np.ndarray) -> np.ndarray:
        """Attributes × others: what each loses joined with the seed; by itself if that is −1."""
        out = np.empty((self.arrays.shape.shape[0], others.size))
        losses_with(self.arrays, seed, others, out)
        return out

    def merge(self, kept: int, absorbed: int) -> None:
        reach = self.arrays
        for part, join in ((reach.low, np.minimum), (reach.high, np.maximum), (reach.blank, np.logical_or)):
            part[:, kept] = join(part[:, kept], part[:, absorbed])
        reach.bits[kept] |= reach.bits[absorbed]


class _OneReach(NamedTuple):
    """The part of one attribute in `Reach`."""

    form: int
    low: np.ndarray
    high: np.ndarray
    blank: np.ndarray
    length: float
    value: np.ndarray
    parent: np.ndarray
    end: np.ndarray
    bits: np.ndarray

    @classmethod
    def of(cls, attribute: Attribute, group: np.ndarray, n: int) -> _OneReach:
        blank, missing = np.zeros(n, np.bool_), -1
        if attribute.missing >= 0 and (attribute.numbers is not None or attribute.suppress_missing):
            missing = attribute.missing  # it goes with no other value
            blank[group[attribute.codes == missing]] = True
        low, high = np.full(n, _GREATEST, np.int32), np.full(n, -1, np.int32)
        known = attribute.codes != missing
        codes, clusters, none = attribute.codes[known], group[known], np.empty(0, np.int32)
        if attribute.tree is None and attribute.numbers is None:
            n_codes = len(attribute.texts)
            return cls(SETS, low, high, blank, n_codes, none, none, none, bits_of(clusters, codes, (n, n_codes)))
        keys = codes if attribute.leaf_of_code is None else attribute.leaf_of_code[codes]
        np.minimum.at(low, clusters, keys)
        np.maximum.at(high, clusters, keys)
        no_bits, tree = np.zeros((n, 0), np.uint64), attribute.tree
        if tree is None:
            value = np.asarray(attribute.numbers, np.float64)
            nodes = np.zeros(value.size)
            return cls(NUMBERS, low, high, blank, attribute.domain_length, value, nodes, nodes, no_bits)
        share = tree.leaf_count / tree.leaf_count[0]
        share[tree.is_leaf] = 0.0
        return cls(NODES, low, high, blank, 1.0, share, tree.parent, tree.end, no_bits)


def _stacked(rows: list[np.ndarray], n: int, kind: type) -> np.ndarray:
    return np.array(rows, kind).reshape(len(rows), n)


def _joined(parts: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)


def bits_of(rows: np.ndarray, places: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """So many rows of so many bits, 64 a word: in row rows[i] bit places[i] is set."""
    bits = np.zeros((shape[0], (shape[1] + 63) // 64), np.uint64)
    where = rows.astype(np.int64) * bits.shape[1] + places // 64
    np.bitwise_or.at(bits.reshape(-1), where, np.uint64(1) << (places % 64).astype(np.uint64))
    return bits


class BasketBlocks:
    """The different baskets of each cluster: what BTD looks at. They are numbered from the longest to the shortest.

    BTD of a cluster is the largest of its pairs; of two clusters joined, the largest of theirs and of the pairs across.
    """

    def __init__(self, problem: RecordProblem, group: np.ndarray, n: int) -> None:
        distinct = distinct_baskets(problem.indptr, problem.items)
        order = np.argsort(-np.diff(distinct.indptr), kind="stable")
        self.indptr, self.items = take_rows(distinct.indptr, distinct.items, order)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        pairs = each_once(group.astype(np.int64) << 32 | rank[distinct.inverse])
        count = np.bincount(pairs >> 32, minlength=n)
        end = np.cumsum(count)
        self.where = np.stack([end - count, end], axis=1)  # from which place of the pool to which
        self.free = pairs.size
        self.pool = np.empty(_ROOM * max(pairs.size, 1), np.int32)
        self.pool[: self.free] = pairs & 0xFFFFFFFF
        self.own = self._farthest(self.where, self.where, np.zeros(n))

    def _farthest(
        self, ones: np.ndarray, others: np.ndarray, out: np.ndarray, *, only_least: bool = False
    ) -> np.ndarray:
        at = np.array([0, 0, -1])
        for steps in up_to(at, out.size):
            farthest_pairs(steps, at, self.pool, ones, others, self.indptr, self.items, only_least, out)
        return out

    def distances(self, seed: int, others: np.ndarray, *, only_least: bool = False) -> np.ndarray:
        """BTD of each of the others joined with the seed; with `only_least`, only the first of the least is sure."""
        ones = np.repeat(self.where[seed : seed + 1], others.size, axis=0)
        floor = np.maximum(self.own[seed], self.own[others])
        return self._farthest(ones, self.where[others], floor, only_least=only_least)

    def nearest(self, seed: int, others: np.ndarray) -> int:
        """Of the others the one with the least BTD joined with the seed, the first of equals."""
        return int(others[self.distances(seed, others, only_least=True).argmin()])

    def merge(self, kept: int, absorbed: int, alive: np.ndarray) -> None:
        self.own[kept] = self.distances(kept, np.array([absorbed]))[0]
        blocks = [self.pool[slice(*self.where[cluster])] for cluster in (kept, absorbed)]
        joined = np.union1d(*blocks)
        if self.free + joined.size > self.pool.size:
            self._pack(alive[alive != kept])
        self.where[kept] = self.free, self.free + joined.size
        self.pool[slice(*self.where[kept])] = joined
        self.free += joined.size

    def _pack(self, clusters: np.ndarray) -> None:
        """Moves the blocks of these clusters together."""
        packed = np.concatenate([self.pool[slice(*self.where[c])] for c in clusters] or [self.pool[:0]])
        count = self.where[clusters, 1] - self.where[clusters, 0]
        end = np.cumsum(count)
        self.where[clusters] = np.stack([end - count, end], axis=1)
        self.pool[: packed.size] = packed
        self.free = packed.size


def sensitive_counts(problem: RecordProblem, group: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Clusters × sensitive items: records with each, and those of them that have public items, too.

    Nothing is counted where the promise says nothing about sensitive items, nor where persons have several records:
    counts of persons do not add up (see `tacit.records.solvers.persons`).
    """
    if problem.bound == 1 or problem.persons is not None:
        return np.zeros((n, 0), np.int32), np.zeros((n, 0), np.int32)
    record = np.repeat(np.arange(len(problem)), np.diff(problem.sensitive_indptr))
    key = group[record].astype(np.int64) * problem.n_sensitive + problem.sensitive
    filled = (np.diff(problem.indptr) > 0)[record]
    shape = (n, problem.n_sensitive)
    counts = (np.bincount(keys, minlength=n * problem.n_sensitive).reshape(shape) for keys in (key, key[filled]))
    whole, beside = counts
    return whole.astype(np.int32), beside.astype(np.int32)
