"""Frequent itemsets: which of those of the original somebody who mines the release still finds.

An itemset of up to three items is frequent at a support if so large a share of the records holds it. It is *kept* if
that many published records hold all of its items by their own names, and *generalized* if that many hold all of them by
whatever names, a name of its own for each: `{beer, bread}` is seen as `{alcohol, bread}`, but not as `{food}`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tacit.sparse import keep_where
from tacit.utility._itemset_kernels import count_pairs
from tacit.utility.shown import Shown

SUPPORTS = (0.005, 0.01, 0.05)
_MOST_PAIRS = 2_000
"""A support at which more pairs are frequent is left out."""


class View(NamedTuple):
    """Records as somebody sees them: items, and the name that each is shown by."""

    indptr: np.ndarray
    items: np.ndarray
    name: np.ndarray


class Counts(NamedTuple):
    """How many records hold each itemset: of one item, of two, of three."""

    single: np.ndarray
    pair: np.ndarray
    triple: np.ndarray


class Itemsets(NamedTuple):
    """Pairs as (items, 2) and triples as (items, 3), each ascending, sorted."""

    pairs: np.ndarray
    triples: np.ndarray


def measure_itemsets(seen: Shown) -> dict[str, dict[str, float | None]]:
    """For each support the share of the original's frequent itemsets that are kept, and that are seen in some form."""
    records = seen.indptr.size - 1
    original = View(seen.indptr, seen.items, seen.items)
    least = least_support(original, seen.n_items)
    kept: dict[str, float | None] = {}
    generalized: dict[str, float | None] = {}
    if least is None or not records:
        return {"frequent_itemsets_kept": kept, "frequent_itemsets_generalized": generalized}
    itemsets, before = mine(original, seen.n_items, _least_count(least, records))
    moved = seen.moved
    exact = np.append(seen.leaves == 1, False)[moved.name]
    by_their_names = count(_where(View(moved.indptr, moved.items, moved.items), exact), seen.n_items, itemsets)
    by_any_names = count(_where(View(moved.indptr, moved.items, moved.name), moved.name >= 0), seen.n_items, itemsets)
    for support in SUPPORTS:
        if support >= least:
            wanted = _least_count(support, records)
            kept[str(support)] = _share(before, by_their_names, wanted)
            generalized[str(support)] = _share(before, by_any_names, wanted)
    return {"frequent_itemsets_kept": kept, "frequent_itemsets_generalized": generalized}


def least_support(view: View, n_items: int) -> float | None:
    """The lowest of the supports at which there are not too many pairs."""
    records = view.indptr.size - 1
    frequent_items = np.bincount(view.items, minlength=n_items)
    for support in SUPPORTS:
        wanted = _least_count(support, records)
        few = np.count_nonzero(frequent_items >= wanted) ** 2 <= 4_000 * _MOST_PAIRS
        if few and len(_frequent_pairs(view, n_items, wanted)[0]) <= _MOST_PAIRS:
            return support
    return None


def mine(view: View, n_items: int, wanted: int) -> tuple[Itemsets, Counts]:
    """The itemsets that so many records hold, with how many do."""
    single = np.bincount(view.items, minlength=n_items)
    pairs, pair = _frequent_pairs(view, n_items, wanted)
    triples, triple = [np.empty((0, 3), np.int64)], [np.empty(0, np.int64)]
    for a, b, _, thirds in _with_thirds(view, n_items, pairs):
        third = np.flatnonzero(thirds >= wanted)
        third = third[third > b]
        triples.append(np.stack([np.full(third.size, a), np.full(third.size, b), third], axis=1))
        triple.append(thirds[third])
    return Itemsets(pairs, np.concatenate(triples)), Counts(single, pair, np.concatenate(triple))


def count(view: View, n_items: int, itemsets: Itemsets) -> Counts:
    """How many records hold these itemsets, a different name for each item."""
    pair, triple = np.zeros(len(itemsets.pairs), np.int64), np.zeros(len(itemsets.triples), np.int64)
    first_two = itemsets.triples[:, 0] * n_items + itemsets.triples[:, 1]
    for i, (a, b, records, thirds) in enumerate(_with_thirds(view, n_items, itemsets.pairs)):
        pair[i] = records
        here = slice(*np.searchsorted(first_two, [a * n_items + b, a * n_items + b + 1]))
        triple[here] = thirds[itemsets.triples[here, 2]]
    return Counts(np.bincount(view.items, minlength=n_items), pair, triple)


class _Thirds(NamedTuple):
    """A pair, how many records hold it, and how many of them each third item as well."""

    a: int
    b: int
    records: int
    thirds: np.ndarray


def _with_thirds(view: View, n_items: int, pairs: np.ndarray) -> Iterator[_Thirds]:
    """Counts for each pair, and for each item beside it, every item by a name of its own."""
    records = view.indptr.size - 1
    record = np.repeat(np.arange(records), np.diff(view.indptr))
    by_item = np.argsort(view.items, kind="stable")
    start = np.searchsorted(view.items[by_item], np.arange(n_items + 1))
    name_of_first = np.full(records, -1, np.int64)
    for a, b in pairs.tolist():
        of_a, of_b = by_item[start[a] : start[a + 1]], by_item[start[b] : start[b + 1]]
        name_of_first[record[of_a]] = view.name[of_a]
        name = name_of_first[record[of_b]]
        both = (name >= 0) & (name != view.name[of_b])
        rows, names = record[of_b[both]], (name[both], view.name[of_b[both]])
        name_of_first[record[of_a]] = -1
        lengths = np.diff(view.indptr)[rows]
        place = np.arange(lengths.sum()) + np.repeat(view.indptr[rows] - np.cumsum(lengths) + lengths, lengths)
        third = view.name[place]
        differs = (third != np.repeat(names[0], lengths)) & (third != np.repeat(names[1], lengths))
        yield _Thirds(a, b, rows.size, np.bincount(view.items[place[differs]], minlength=n_items))


def _frequent_pairs(view: View, n_items: int, wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of items that so many records hold, and how many do."""
    frequent = np.bincount(view.items, minlength=n_items) >= wanted
    number = np.cumsum(frequent) - 1
    indptr, items = keep_where(view.indptr, view.items, frequent[view.items])
    together = count_pairs(indptr, number[items], int(frequent.sum()))
    rows, columns = np.nonzero(together >= wanted)  # in order
    item = np.flatnonzero(frequent)
    return np.stack([item[rows], item[columns]], axis=1), together[rows, columns]


def _where(view: View, stays: np.ndarray) -> View:
    indptr, items = keep_where(view.indptr, view.items, stays)
    return View(indptr, items, view.name[stays])


def _least_count(support: float, records: int) -> int:
    return max(1, math.ceil(support * records - 1e-9))


def _share(before: Counts, after: Counts, wanted: int) -> float | None:
    """Of the itemsets that were frequent those that still are; None if none were."""
    were = [each >= wanted for each in before]
    total = sum(int(each.sum()) for each in were)
    still = sum(int((counts[was] >= wanted).sum()) for was, counts in zip(were, after, strict=True))
    return still / total if total else None
