"""CAHD that does not look at who has what: groups of neighbours in which a sensitive item is rare.

As in the paper (Ghinita, Tao & Kalnis, ICDE 2008) rows are put into an order in which neighbours have items in common:
one that gives the matrix of rows and items a narrow band (reverse Cuthill-McKee). The band is cut in halves, again and
again. A part is cut if each sensitive item is rare enough in it for both halves, however its occurrences lie; so
whether it is cut tells nothing about where they lie. What is not cut is a leaf. Its sensitive sets, as tokens, are
dealt out into groups, and chance says who of those with equal tokens has which.

So a release is as likely whoever of a group has which of its sensitive sets, and all that can be learnt is how frequent
they are in the group.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from tacit.arrays.blocks import spans
from tacit.arrays.encode import distinct_baskets
from tacit.arrays.labels import places_in
from tacit.arrays.order import Content, Lists, content_order, list_order
from tacit.arrays.sparse import take_rows
from tacit.baskets.solvers._token_kernels import Sets, Table, deal_leaves
from tacit.errors import PromiseError
from tacit.shuffle import EQUAL_NEIGHBOURS, TOKENS, Shuffle

Progress = Callable[[str], None]

_ATTEMPTS = 6
"""How often tokens are dealt out, each time into half as many groups, before a leaf is taken whole."""


def cahd(known: Sets, sensitive: Sets, p: int, hidden: Shuffle, progress: Progress | None = None) -> np.ndarray:
    """The group of each row: in every group each sensitive item is in at most 1/p of the rows."""
    check_reachable(sensitive, p)
    if progress:
        progress(f"CAHD: {known.start.size - 1:,} rows into a band")
    band = blind_band(known, hidden)
    return deal(band, leaves(Sets(*take_rows(*sensitive, band)), p), sensitive, p, hidden)


def blind_band(known: Sets, hidden: Shuffle) -> np.ndarray:
    """The rows in an order that follows from the known items alone; between equal rows chance decides.

    The order in which rows come here will not do: it is that of their whole content, sensitive items and all.
    """
    rows, size = known.start.size - 1, int(known.items.max(initial=-1)) + 1
    lists = Lists(known.start, [(known.items, max(size, 1))])
    order = content_order(Content(rows, lists=lists), lambda: hidden.order(rows, EQUAL_NEIGHBOURS))
    return order[band_order(*take_rows(*known, order))]


def leaves(sensitive: Sets, p: int) -> np.ndarray:
    """Where the leaves of the band begin, and its end; `sensitive` are the sets of its rows, in its order.

    A part is cut in halves if no sensitive item is in more of its rows than 1/p of the smaller half: then both halves
    keep that, too. Parts without any stay as they are.
    """
    rows = sensitive.start.size - 1
    at, bounds = np.repeat(np.arange(rows), np.diff(sensitive.start)), np.unique([0, rows])
    while True:
        half = np.diff(bounds) // 2
        most = _most_frequent(np.searchsorted(bounds, at, "right") - 1, sensitive.items, half.size)
        is_cut = (most > 0) & (most * p <= half)
        if not is_cut.any():
            return bounds
        bounds = np.sort(np.append(bounds, bounds[:-1][is_cut] + half[is_cut]))


def _most_frequent(part: np.ndarray, items: np.ndarray, n_parts: int) -> np.ndarray:
    """How often each part has the item that it has most often."""
    size, most = int(items.max(initial=0)) + 1, np.zeros(n_parts, np.int64)
    pairs, counts = np.unique(part * size + items, return_counts=True)
    np.maximum.at(most, pairs // size, counts)
    return most


def deal(band: np.ndarray, bounds: np.ndarray, sensitive: Sets, p: int, hidden: Shuffle) -> np.ndarray:
    """The group of each row: in each leaf of the band, tokens are dealt out in an order that they alone decide."""
    leaf = np.empty(band.size, np.int64)
    leaf[band] = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
    chance = places_in(hidden.order(band.size, TOKENS))
    rows = np.lexsort((chance, _token_ranks(sensitive), leaf))
    table = Table(np.empty(2 * band.size + 1, np.int64), np.empty(band.size + 1, np.int64))
    dealt, n_groups = np.empty(band.size, np.int64), 0
    for start, stop in spans(bounds.size - 1, "rows in groups"):
        n_groups = deal_leaves(start, stop, bounds, rows, sensitive, p, _ATTEMPTS, table, dealt, n_groups)
    group = np.empty(band.size, np.int32)
    group[rows] = dealt
    return group


def _token_ranks(sensitive: Sets) -> np.ndarray:
    """For each row the place of its sensitive set among all that occur: those with most items first."""
    tokens = distinct_baskets(*sensitive)
    by_content = list_order(tokens.indptr, tokens.items, int(tokens.items.max(initial=0)) + 1)
    by_length = by_content[np.argsort(-np.diff(tokens.indptr)[by_content], kind="stable")]
    return places_in(by_length)[tokens.inverse]


def check_reachable(sensitive: Sets, p: int) -> None:
    """Refuses a p that no grouping of the rows can keep."""
    rows, most = sensitive.start.size - 1, int(np.bincount(sensitive.items, minlength=1).max())
    if most * p > rows:
        raise PromiseError(
            f"A sensitive item is in {most:,} of {rows:,} baskets, more than 1/{p} of them: no grouping can make it "
            f"rarer. Set p to {rows // most:,} at most, or do not declare that item sensitive."
        )


def band_order(indptr: np.ndarray, items: np.ndarray) -> np.ndarray:
    """The rows in an order that keeps those with items in common together: reverse Cuthill-McKee.

    Two rows are neighbours if they share an item. That graph may have billions of edges, so the one of rows *and*
    items is taken: there, rows that share an item are two steps apart. Of equals the first ones come last.
    """
    rows, lengths = indptr.size - 1, np.diff(indptr)
    degree = np.concatenate((lengths, np.bincount(items, minlength=1)))
    by_degree = np.argsort(degree, kind="stable")  # so numbered, neighbours are in the order that SciPy sorts them into
    node = places_in(by_degree)
    ends = np.repeat(node[:rows], lengths), node[rows:][items]
    there_and_back = np.concatenate(ends), np.concatenate(ends[::-1])
    graph = coo_array((np.ones(2 * items.size, np.int8), there_and_back), shape=(degree.size, degree.size)).tocsr()
    graph.sort_indices()
    order = by_degree[reverse_cuthill_mckee(graph, symmetric_mode=True)]
    return order[order < rows]
