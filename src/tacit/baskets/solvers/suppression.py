"""MM: (h, k, p)-coherence by total suppression of items (Xu, Wang, Fu & Yu, KDD 2008).

Public items are what an attacker may know of somebody, up to p of them; sensitive ones are what nobody shall learn. A
*mole* is a set of at most p public items that some basket holds, and that fewer than k hold or of whose baskets more
than the share h hold one sensitive item. It is minimal if no part of it is a mole. Suppressing an item touches no
count of the others, so the moles that are left are those without it: MM is a greedy hitting set of minimal moles.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb

import numpy as np

from tacit.arrays.encode import counted
from tacit.baskets.solvers import _suppression_kernels as kernels
from tacit.baskets.solvers._labelled import relabel
from tacit.baskets.solvers._suppression_baskets import hit, moles_in_whole_baskets
from tacit.baskets.solvers._suppression_kernels import Promise, Rows, Tally
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.problem import Problem

Progress = Callable[[str], None]

_TOGETHER = 5 * 10**8  # so many itemsets are looked at, at most, to weigh moles of several sizes together
_FINEST_SHARE = 10**6  # h is taken for the nearest fraction with no larger denominator


def suppress_moles(
    indptr: np.ndarray,
    items: np.ndarray,
    n_items: int,
    k: int,
    p: int | float,
    *,
    h: float = 1.0,
    is_sensitive: np.ndarray | None = None,
    item_loss: np.ndarray | None = None,
    people: np.ndarray | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """Which of the `n_items` are suppressed, so that no mole is left.

    `is_sensitive` marks items; `item_loss` is what suppressing each item costs (how often it occurs, if left out),
    `people` how many have each basket (one, if left out). First go the items that are moles alone. Then, again and
    again, goes the item with the most minimal moles per loss, of equals the last. Where that would be too much work,
    sizes are taken one after another.
    """
    share = Fraction(h).limit_denominator(_FINEST_SHARE)
    is_sensitive = np.zeros(n_items, bool) if is_sensitive is None else is_sensitive
    loss = counted(items, n_items, indptr, people) if item_loss is None else item_loss
    guarded = share < 1 and bool(is_sensitive.any())
    is_suppressed = np.zeros(n_items, bool)
    size = 0  # no mole of so many items is left
    while True:
        rows, public = _rows(indptr, items, people, is_suppressed, is_sensitive, guarded)
        lengths = _lengths(rows, k, guarded)
        longest = int(lengths.max(initial=0))
        if size >= max(min(p, longest), 1):
            return is_suppressed
        step = size + 1 if size != 1 else _together(lengths, min(p, longest))
        found = np.zeros(public.size, bool)
        promise = Promise(k, step, share.numerator, share.denominator, guarded, step == size + 1)
        weights = loss[public].astype(np.int64), public.astype(np.int64)
        if progress:
            progress(f"MM: {public.size:,} items, moles of up to {step}")
        if step == 1:
            kernels.single_moles(rows, promise, found)
        elif guarded or p < longest or _itemsets(lengths, step) <= _TOGETHER:
            kernels.suppress(rows, promise, _codes(public.size), *weights, _tally(rows), found)
        else:
            step = size if _hit_whole_baskets(rows, k, *weights, found) else longest
        is_suppressed[public[found]] = True
        size = step


def _rows(
    indptr: np.ndarray,
    items: np.ndarray,
    people: np.ndarray | None,
    is_suppressed: np.ndarray,
    is_sensitive: np.ndarray,
    guarded: bool,
) -> tuple[Rows, np.ndarray]:
    """The distinct baskets without what is suppressed, and the public item of each label: the rarest first.

    Sensitive items are left out unless they are guarded.
    """
    support = counted(items, is_suppressed.size, indptr, people)
    public = np.flatnonzero((support > 0) & ~is_suppressed & ~is_sensitive)
    public = public[np.argsort(support[public], kind="stable")]
    sensitive = np.flatnonzero((support > 0) & is_sensitive) if guarded else np.empty(0, np.int64)
    label = np.full(is_suppressed.size, -1, np.int32)
    label[np.append(public, sensitive)] = np.arange(public.size + sensitive.size)
    everyone = np.arange(indptr.size - 1, dtype=np.int32)
    starts, labels, weight = relabel(
        everyone, indptr, items, np.ones(everyone.size, np.int64) if people is None else people, label,
        np.full(is_suppressed.size, -1, np.int32), np.arange(public.size + sensitive.size, dtype=np.int32), 0,
    )  # fmt: skip
    row_of = np.repeat(np.arange(weight.size, dtype=np.int32), np.diff(starts))
    by_item = np.argsort(labels, kind="stable")
    first = np.append(0, np.cumsum(np.bincount(labels, minlength=public.size + sensitive.size)))
    rows = Rows(starts[:-1].copy(), starts[1:].copy(), labels, weight, first, row_of[by_item], public.size)
    return rows, public


def _lengths(rows: Rows, k: int, guarded: bool) -> np.ndarray:
    """How many public items the baskets hold that can hold a mole: a basket that k people share hides its parts."""
    public = np.append(0, np.cumsum(rows.items < rows.n_public))
    lengths = public[rows.end] - public[rows.begin]
    return lengths if guarded else lengths[rows.weight < k]


def _itemsets(lengths: np.ndarray, size: int) -> int:
    """How many itemsets of that size the baskets hold, one basket at a time."""
    return sum(int(n) * comb(length, size) for length, n in enumerate(np.bincount(lengths)))


def _together(lengths: np.ndarray, longest: int | float) -> int:
    """Up to what size moles are weighed together."""
    size = 2
    while size < longest and _itemsets(lengths, size + 1) <= _TOGETHER:
        size += 1
    return size


def _hit_whole_baskets(rows: Rows, k: int, loss: np.ndarray, order: np.ndarray, found: np.ndarray) -> bool:
    """For any p, when there are too many itemsets: hits one mole in every basket that holds any; False if none does."""
    ends, moles = moles_in_whole_baskets(rows, k)
    one = np.arange(loss.size, dtype=np.int32)
    everyone = np.arange(ends.size, dtype=np.int32)
    starts, distinct, _ = relabel(
        everyone, np.append(0, ends), moles, np.ones(ends.size, np.int64), one, np.full(one.size, -1, np.int32), one, 0
    )
    hit(starts, distinct, loss, order, found)
    return ends.size > 0


def _codes(n: int) -> np.ndarray:
    """A random number for each label, always the same; the sum over an itemset stands for it."""
    return np.random.default_rng(0).integers(2**64, size=n, dtype=np.uint64)


def _tally(rows: Rows) -> Tally:
    n, n_sensitive = rows.n_public, rows.first.size - 1 - rows.n_public
    of_sensitive = rows.items.size - int(rows.first[n])
    return Tally(
        people=np.zeros(n, np.int64),
        rows=np.zeros(n, np.int64),
        light=np.zeros(n, np.int64),
        beside=np.zeros(n, np.int64),
        exposed=np.zeros(n, bool),
        allowed=np.ones(n, np.int32),
        place=np.full(n, -1, np.int64),
        touched=np.empty(n, np.int32),
        held=np.empty(n_sensitive, np.int64),
        head=np.full(n_sensitive, -1, np.int64),
        chain=np.empty(of_sensitive, np.int64),
        link=np.empty(of_sensitive, np.int64),
    )


def suppress_leaves(problem: Problem, k: int, m: int | float, progress: Progress | None) -> Anonymization:
    """MM on the leaves of the taxonomy: the lowest cut, with the items that make it safe suppressed."""
    tree = problem.tree
    is_suppressed = suppress_moles(
        problem.indptr, problem.items, len(problem), k, m,
        item_loss=tree.generalize + tree.suppress, people=problem.weight, progress=progress,
    )  # fmt: skip
    leaves = np.flatnonzero(tree.end == np.arange(len(problem)) + 1).astype(np.int32)
    suppressed = leaves[is_suppressed[leaves]]
    return Anonymization(leaves, suppressed, int(tree.suppress[suppressed].sum()))
