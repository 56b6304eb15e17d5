"""Sets of items for clusters of records: as `tacit.baskets.solvers.merging` makes them, for many clusters at once.

Clusters are laid out for the kernel that merges. What it does not do is left to the general method: a cluster with so
many items that bits for everybody are more work than lists, and sets of three items and more, if a record shows three.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import tell, up_to
from tacit.arrays.labels import places_in
from tacit.arrays.order import each_once
from tacit.arrays.sparse import Sparse, take_rows
from tacit.records.solvers._sets_kernels import STATES, Sets, merge_sets

UNDECIDED = -1.0
_FEW_RECORDS, _FEW_ITEMS = 1024, 256
"""Parts of so many records, with so many items, are judged many at once: about so many records of them."""
_AT_ONCE = 1 << 17
_PAIRS, _WORDS = 1 << 23, 1 << 30
"""Up to so many pairs of items may be too rare in one cluster, and so many words are looked at for all its pairs."""
_FIRST_BLOCK = 1 << 16


class Layout(NamedTuple):
    """The items of some clusters: a row for each, from the rarest of a cluster on, of equals the lower first."""

    first: np.ndarray  # where the rows of each cluster begin, and behind the last
    item: np.ndarray
    often: np.ndarray  # how many records of the cluster hold it
    row: np.ndarray  # of each occurrence,
    basket: np.ndarray  # and whose it is
    bit: np.ndarray  # the same within the cluster, of those who have items
    filled: np.ndarray  # how many those are in each cluster
    rare: np.ndarray  # no more rows of it, or pairs that somebody holds, are there than this

    @property
    def words(self) -> int:
        """So many have a bit for each record of a cluster."""
        return (int(self.filled.max(initial=1)) + 63) // 64

    @property
    def is_little(self) -> bool:
        """Whether bits for everybody are not more work than lists."""
        most = int(np.diff(self.first).max(initial=0))
        return int(self.rare.max(initial=0)) <= _PAIRS and most * most * self.words <= _WORDS

    @property
    def cluster(self) -> np.ndarray:
        """Of each row."""
        return np.repeat(np.arange(self.filled.size), np.diff(self.first))


def laid_out(baskets: Sparse, cluster: np.ndarray, n_clusters: int) -> Layout:
    """The baskets of clusters, one cluster after the other; `cluster` is that of each basket."""
    indptr, items = baskets
    lengths, top = np.diff(indptr), int(items.max(initial=0)) + 1
    keys, place, often = np.unique(np.repeat(cluster, lengths) * top + items, return_inverse=True, return_counts=True)
    order = np.lexsort((often, keys // top))
    first = np.searchsorted(keys, np.arange(n_clusters + 1) * top)
    filled = np.append(0, np.cumsum(lengths > 0))
    before = filled[np.searchsorted(cluster, np.arange(n_clusters + 1))]
    rows, pairs = np.diff(first), np.bincount(cluster, lengths * (lengths - 1) // 2, minlength=n_clusters)
    basket, bit = np.repeat(np.arange(cluster.size), lengths), filled[:-1] - before[cluster]
    return Layout(
        first, keys[order] % top, often[order], places_in(order)[place], basket, bit[basket], np.diff(before),
        np.maximum(np.minimum(rows * (rows - 1) // 2, pairs), rows),
    )  # fmt: skip


def merged(
    layout: Layout, some: np.ndarray, k: int, m: int | float, mass: np.ndarray, column: np.ndarray
) -> tuple[Sets, np.ndarray]:
    """The sets of some clusters, such that k records or none hold up to m of them; and in which of these clusters that
    is so, since more than pairs are not looked at.

    `mass` is what the occurrences of each row weigh: merges are chosen by what these lose; as COAT does if it is empty.
    Sets stay within columns.
    """
    n, words = layout.item.size, layout.words
    bits = np.zeros(n * words, np.uint64)
    one = np.uint64(1) << (layout.bit % 64).astype(np.uint64)
    np.add.at(bits, layout.row.astype(np.int64) * words + layout.bit // 64, one)
    sets = Sets(bits.reshape(n, words), layout.often.copy(), np.ones(n, np.int64), column, np.arange(n, dtype=np.int32))
    rare = np.zeros((int(layout.rare[some].max(initial=0)), 3), np.int32)
    state, mass = np.zeros(STATES, np.int64), mass.copy()
    starts, stops = layout.first[some], layout.first[some + 1]
    for steps in up_to(state, some.size, first=_FIRST_BLOCK):
        merge_sets(steps, state, starts, stops, k, int(min(m, 2)), sets, mass, rare)
    return sets, np.ones(some.size, bool) if m <= 2 else ~_shows_three(layout, sets.label)[some]


def _shows_three(layout: Layout, label: np.ndarray) -> np.ndarray:
    """Which clusters have a record that shows three sets."""
    shown, n = label[layout.row], max(layout.item.size, 1)
    keys = each_once((layout.basket * n + shown)[shown >= 0])
    found = np.zeros(layout.filled.size, bool)
    found[layout.cluster[keys[2:][keys[2:] // n == keys[:-2] // n] % n]] = True
    return found


class Judged(NamedTuple):
    """Some clusters with few records: what their items become, if that is known."""

    cluster: np.ndarray  # which ones
    layout: Layout
    sets: Sets
    has_sets: np.ndarray  # by cluster: its items are in sets,
    has_none: np.ndarray  # or are suppressed: fewer than k records have any


def _judged(baskets: Sparse, clusters: Sequence[np.ndarray], k: int, m: int | float, by_loss: bool) -> Iterator[Judged]:
    """Clusters of few records, from the smallest to the largest: as many at a time as need equally many words."""
    sizes = np.array([rows.size for rows in clusters], np.int64)
    order = np.argsort(sizes, kind="stable")
    order = order[: np.searchsorted(sizes[order], _FEW_RECORDS, side="right")]
    new = np.diff((sizes[order] - 1) // 64) | np.diff(np.cumsum(sizes[order]) // _AT_ONCE)
    done = 0
    for few in np.split(order, np.flatnonzero(new) + 1) if order.size else ():
        rows = np.concatenate([clusters[cluster] for cluster in few.tolist()])
        layout = laid_out(take_rows(*baskets, rows), np.repeat(np.arange(few.size), sizes[few]), few.size)
        has_sets = (layout.filled >= k) & (np.diff(layout.first) <= _FEW_ITEMS)
        mass, one_column = layout.often[: None if by_loss else 0], np.zeros(layout.item.size, np.int32)
        sets, are_right = merged(layout, np.flatnonzero(has_sets), k, m, mass, one_column)
        has_sets[has_sets] = are_right
        yield Judged(few, layout, sets, has_sets, layout.filled < k)
        done += few.size
        tell("items of parts", done / order.size)


def losses(
    baskets: Sparse, clusters: Sequence[np.ndarray], k: int, m: int | float, everything: int, *, by_loss: bool
) -> np.ndarray:
    """For each cluster what its items lose: the sum over occurrences of (items of its set − 1) ÷ everything; 1 each
    where fewer than k records have any. UNDECIDED where there are many, or sets of three would have to be looked at."""
    lost = np.full(len(clusters), UNDECIDED)
    for few, layout, sets, has_sets, has_none in _judged(baskets, clusters, k, m, by_loss):
        n, often = few.size, layout.often
        in_sets = np.bincount(layout.cluster, often * (sets.size[sets.label] - 1), minlength=n) / everything
        suppressed = np.bincount(layout.cluster, often, minlength=n)
        lost[few] = np.where(has_none, suppressed, np.where(has_sets, in_sets, UNDECIDED))
    return lost


def hidden(
    baskets: Sparse, clusters: Sequence[np.ndarray], k: int, m: int | float, *, by_loss: bool
) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """The items of each cluster, and the lowest of the set of each; without those that losses are UNDECIDED of."""
    found = {}
    for few, layout, sets, has_sets, has_none in _judged(baskets, clusters, k, m, by_loss):
        lowest = np.full(layout.item.size, layout.item.max(initial=0))
        np.minimum.at(lowest, sets.label, layout.item)
        becomes = np.where(has_none[layout.cluster], -1, lowest[sets.label]).astype(np.int32)
        order = np.lexsort((layout.item, layout.cluster))
        items, becomes = layout.item[order].astype(np.int32), becomes[order]
        for place in np.flatnonzero(has_sets | has_none).tolist():
            here = slice(layout.first[place], layout.first[place + 1])
            found[int(few[place])] = items[here], becomes[here]
    return found
