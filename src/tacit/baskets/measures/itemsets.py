"""Frequent itemsets: which of those of the original somebody who mines the release still finds.

An itemset of up to three items is frequent at a support if so large a share of the records holds it. It is *kept* if
that many published records hold all of its items by their own names, and *generalized* if that many hold all of them by
whatever names, a name of its own for each: `{beer, bread}` is seen as `{alcohol, bread}`, but not as `{food}`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tacit.arrays.sparse import keep_where
from tacit.baskets.measures._itemset_kernels import count_itemsets
from tacit.baskets.measures.shown import Shown

SUPPORTS = (0.005, 0.01, 0.05)
_MOST_PAIRS = 2_000
"""A support at which more pairs are frequent is left out."""


class Holdings(NamedTuple):
    """Records with what they hold of the frequent items, which are numbered from 0 in the items' order."""

    indptr: np.ndarray  # int64
    items: np.ndarray  # int32
    name: np.ndarray  # int32: by which each is published; −1 for none


class Itemsets(NamedTuple):
    """The frequent itemsets of one, two and three items."""

    frequent: np.ndarray
    """bool: whether each item of the data is."""
    pair_of: np.ndarray
    """int32: [a, b] is the index of the pair of frequent items a < b; −1 if it is not frequent."""
    n_pairs: int
    triples: tuple[np.ndarray, np.ndarray]
    """The index of the pair of the two lower items, and the third item."""


class Counts(NamedTuple):
    """How many records hold each itemset: of one item, of two, of three."""

    single: np.ndarray
    pair: np.ndarray
    triple: np.ndarray


class Mined(NamedTuple):
    """The lowest of the supports at which there are not too many pairs, and what is frequent at it."""

    support: float
    itemsets: Itemsets
    held: Holdings
    counts: Counts


def measure_itemsets(seen: Shown) -> dict[str, dict[str, float | None]]:
    """For each support the share of the original's frequent itemsets that are kept, and that are seen in some form."""
    records, mined = seen.indptr.size - 1, mine(seen)
    kept: dict[str, float | None] = {}
    generalized: dict[str, float | None] = {}
    if mined is not None and records:
        held = mined.held if seen.record is None else _among(mined.itemsets.frequent, seen.moved)
        is_exact = np.append(seen.leaves == 1, False)[held.name]
        by_their_names = count(held, np.where(is_exact, held.items, np.int32(-1)), mined.itemsets)
        by_any_names = count(held, held.name, mined.itemsets)
        for support in SUPPORTS:
            if support >= mined.support:
                wanted = _least_count(support, records)
                kept[str(support)] = _share(mined.counts, by_their_names, wanted)
                generalized[str(support)] = _share(mined.counts, by_any_names, wanted)
    return {"frequent_itemsets_kept": kept, "frequent_itemsets_generalized": generalized}


def mine(seen: Shown) -> Mined | None:
    """The itemsets that are frequent in the original; None if too many pairs are at every support."""
    single = np.bincount(seen.items, minlength=seen.n_items)
    for support in SUPPORTS:
        wanted = _least_count(support, seen.indptr.size - 1)
        frequent = single >= wanted
        n_frequent = int(np.count_nonzero(frequent))
        if n_frequent**2 > 4_000 * _MOST_PAIRS:
            continue
        held = _among(frequent, seen)
        pair_of = np.arange(n_frequent**2, dtype=np.int32).reshape(n_frequent, n_frequent)
        pairs = np.flatnonzero(_counted(held, held.items, pair_of, n_frequent**2, thirds=0)[0] >= wanted)
        if pairs.size > _MOST_PAIRS:
            continue
        pair_of.fill(-1)
        pair_of.flat[pairs] = np.arange(pairs.size)
        pair, thirds = _counted(held, held.items, pair_of, pairs.size, thirds=n_frequent)
        triples = np.nonzero(thirds >= wanted)
        itemsets = Itemsets(frequent, pair_of, pairs.size, (triples[0], triples[1]))
        return Mined(support, itemsets, held, Counts(single[frequent], pair, thirds[triples]))
    return None


def count(held: Holdings, names: np.ndarray, itemsets: Itemsets) -> Counts:
    """How many records hold these itemsets, a different name for each item; what has no name is not there."""
    n_frequent = len(itemsets.pair_of)
    single = np.bincount(np.compress(names >= 0, held.items), minlength=n_frequent)
    pair, thirds = _counted(held, names, itemsets.pair_of, itemsets.n_pairs, thirds=n_frequent)
    return Counts(single, pair, thirds[itemsets.triples])


def _counted(
    held: Holdings, names: np.ndarray, pair_of: np.ndarray, n_pairs: int, *, thirds: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many records hold each pair, and each pair with each of so many third items, a different name for each."""
    counts = np.zeros(n_pairs, np.int32), np.zeros((n_pairs, thirds), np.int32)
    count_itemsets(held.indptr, held.items, names, pair_of, *counts)
    return counts


def _among(frequent: np.ndarray, seen: Shown) -> Holdings:
    """What the records hold of the frequent items."""
    stays = frequent[seen.items]
    indptr, items = keep_where(seen.indptr, seen.items, stays)
    code = np.cumsum(frequent, dtype=np.int32) - np.int32(1)
    return Holdings(indptr, code[items], np.compress(stays, seen.name))


def _least_count(support: float, records: int) -> int:
    return max(1, math.ceil(support * records - 1e-9))


def _share(before: Counts, after: Counts, wanted: int) -> float | None:
    """Of the itemsets that were frequent those that still are; None if none were."""
    were = [each >= wanted for each in before]
    total = sum(int(each.sum()) for each in were)
    still = sum(int((counts[was] >= wanted).sum()) for was, counts in zip(were, after, strict=True))
    return still / total if total else None
