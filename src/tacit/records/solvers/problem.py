"""Records with baskets as a method gets them, and what it gives back: plain arrays, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.arrays.sparse import Sparse, as_sets, keep_where, take_rows
from tacit.errors import PromiseError
from tacit.promises import exact
from tacit.taxonomy import Taxonomy

_LARGEST = 2**31  # ℓ beyond it asks for no sensitive item at all in data of the machine's size


@dataclass(frozen=True, eq=False)
class RecordProblem:
    """What is to be published, and the promise.

    Public items are what an attacker may know; sensitive ones are coded on their own. Items of several columns are
    told apart, and are never published together.
    """

    attributes: tuple[Attribute, ...]
    indptr: np.ndarray  # int64; public items of record r: items[indptr[r]:indptr[r + 1]], ascending
    items: np.ndarray  # int32
    column_of_item: np.ndarray  # int32
    sensitive_indptr: np.ndarray
    sensitive: np.ndarray  # int32
    promise: Any  # with k, m, and ℓ if it is about sensitive items
    tree: Taxonomy | None = None  # of the items, without sensitive ones; several columns under one root
    leaf_of_item: np.ndarray | None = None  # int32, node of `tree`
    n_columns: int = 1  # set-valued ones
    persons: np.ndarray | None = None  # int32: whose record each one is; None if everybody has one

    def __len__(self) -> int:
        return self.indptr.size - 1

    def at(self, rows: np.ndarray) -> RecordProblem:
        """The same of some records."""
        indptr, items = take_rows(self.indptr, self.items, rows)
        sensitive_indptr, sensitive = take_rows(self.sensitive_indptr, self.sensitive, rows)
        return replace(
            self,
            attributes=tuple(attribute.at(rows) for attribute in self.attributes),
            indptr=indptr,
            items=items,
            sensitive_indptr=sensitive_indptr,
            sensitive=sensitive,
            persons=None if self.persons is None else self.persons[rows],
        )

    @property
    def n_items(self) -> int:
        return self.column_of_item.size

    @cached_property
    def weights(self) -> np.ndarray:
        """Importance of each attribute, with a sum of 1; all are alike if none has any."""
        given = np.array([attribute.weight for attribute in self.attributes], float)
        return given / given.sum() if given.sum() > 0 else np.full(given.size, 1 / max(given.size, 1))

    @cached_property
    def bound(self) -> Fraction:
        """ℓ as the fraction that is meant; 1, which no share exceeds, if the promise has none."""
        return exact(min(self.promise.l, _LARGEST)) if self.promise.about_sensitive_items else Fraction(1)

    @cached_property
    def n_sensitive(self) -> int:
        return int(self.sensitive.max(initial=-1)) + 1

    def check(self) -> None:
        """Refuses a promise that no publication of these records can keep."""
        n, k, what = len(self), self.promise.k, "records"
        if self.persons is not None:
            n, what = np.unique(self.persons).size, "persons"
        if 0 < n < k:
            raise PromiseError(
                f"k = {k:,} cannot be reached: there are only {n:,} {what}.\n  k = {n:,} or less can be reached."
            )
        if self.persons is not None or not (self.promise.about_sensitive_items and self.sensitive.size):
            return
        most = int(np.bincount(self.sensitive).max())
        if most * self.bound > n:
            raise PromiseError(
                f"ℓ = {self.promise.l:g} cannot be reached: one sensitive item is in {most:,} of {n:,} records.\n"
                f"  The largest ℓ that can be reached is {n:,} ÷ {most:,} = {_rounded_down(n / most):g}."
            )


Unions = tuple[tuple[int, ...], ...]
"""Nodes that are published together, ascending."""


@dataclass(frozen=True, eq=False)
class PublishedItems:
    """What the public items of each cluster become.

    Cluster c holds the items[indptr[c]:indptr[c + 1]], ascending, and publishes each as `becomes`: a node of the
    problem's tree (`by_tree`), or the lowest item of the set that it is in, which has all items of the cluster with
    the same code. −1: it is suppressed. Codes behind those of nodes are of `unions`, each of several nodes.
    """

    by_tree: bool
    indptr: np.ndarray  # int64
    items: np.ndarray  # int32
    becomes: np.ndarray  # int32
    unions: Unions = ()

    @classmethod
    def joined(
        cls, by_tree: bool, parts: Sequence[tuple[np.ndarray, np.ndarray]], unions: Unions = ()
    ) -> PublishedItems:
        """From (items, what they become) of each cluster."""
        sizes = [items.size for items, _ in parts]
        none = np.empty(0, np.int32)
        return cls(
            by_tree,
            np.cumsum([0, *sizes]),
            np.concatenate([none, *(items for items, _ in parts)]).astype(np.int32),
            np.concatenate([none, *(becomes for _, becomes in parts)]).astype(np.int32),
            unions,
        )

    def leaf_counts(self, tree: Taxonomy) -> np.ndarray:
        """How many leaves each node has, and each union."""
        together = [int(tree.leaf_count[list(nodes)].sum()) for nodes in self.unions]
        return np.concatenate((tree.leaf_count, np.array(together, tree.leaf_count.dtype)))


@dataclass(frozen=True, eq=False)
class RecordAnonymization:
    """The decision: clusters of records, and what their items become."""

    group: np.ndarray  # int32, the cluster of each record; numbered in the order of their first records
    published: PublishedItems
    rum: float  # of the measure that was asked for
    tum: float  # UL
    merges: int = 0


def rows_by_group(group: np.ndarray, n_groups: int) -> list[np.ndarray]:
    """The records of each cluster, ascending."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=n_groups))
    return np.split(order, ends[:-1]) if n_groups else []


def published_baskets(problem: RecordProblem, group: np.ndarray, published: PublishedItems) -> Sparse:
    """The baskets as published: codes of nodes or of lowest items, each once, ascending."""
    labels = what_becomes(problem, group, published)
    return as_sets(*keep_where(problem.indptr, labels, labels >= 0))


def what_becomes(problem: RecordProblem, group: np.ndarray, published: PublishedItems) -> np.ndarray:
    """What each occurrence of a public item becomes, in the order of the data."""
    n_items = max(problem.n_items, 1)
    known = np.repeat(np.arange(published.indptr.size - 1), np.diff(published.indptr)) * n_items + published.items
    wanted = np.repeat(group.astype(np.int64), np.diff(problem.indptr)) * n_items + problem.items
    return published.becomes[np.searchsorted(known, wanted)]


def _rounded_down(value: float) -> float:
    return int(value * 1000) / 1000
