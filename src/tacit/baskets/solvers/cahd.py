"""CAHD: groups in which a sensitive item is rare (Ghinita, Tao & Kalnis, ICDE 2008).

Rows are put into an order in which neighbours have items in common: one that gives the matrix of rows and items a
narrow band (reverse Cuthill-McKee). Then each row with a sensitive item is grouped with p − 1 neighbours that are most
like it, no two of which share a sensitive item. What remains is one last group.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from tacit.arrays.labels import places_in
from tacit.baskets.solvers._cahd_kernels import Sets, form_groups
from tacit.errors import InputError, PromiseError

Progress = Callable[[str], None]


def cahd(
    indptr: np.ndarray,
    items: np.ndarray,
    sensitive_indptr: np.ndarray,
    sensitive_items: np.ndarray,
    p: int,
    alpha: int = 3,
    progress: Progress | None = None,
) -> np.ndarray:
    """The group of each row: in every group each sensitive item is in at most 1/p of the rows.

    `alpha` times p rows before and behind a row are looked at for its group.
    """
    if alpha < 1:
        raise InputError(f"method.alpha is {alpha!r}, but it must be a whole number of at least 1")
    rows, n_secrets = indptr.size - 1, int(sensitive_items.max(initial=-1)) + 1
    _check_reachable(rows, np.bincount(sensitive_items, minlength=1), p)
    if progress:
        progress(f"CAHD: {rows:,} rows into a band")
    band = band_order(indptr, items)
    known = Sets(indptr, items)
    secrets = Sets(sensitive_indptr, sensitive_items)
    return form_groups(band, secrets, known, n_secrets, int(items.max(initial=-1)) + 1, p, alpha)


def _check_reachable(rows: int, counts: np.ndarray, p: int) -> None:
    most = int(counts.max())
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
