"""ARE of baskets: how far off counts of itemsets are that somebody takes from the release.

A query asks how many people have all of one to three items. From the release it is estimated: a published name stands
for a non-empty set of its items, each such set as likely (Loukides et al. 2011; Poulis et al. 2013); names of one
record are independent of each other. With `even`, a name stands for one of its items, each as likely.
The error is relative to the true count, which is 1 at least, for each query is part of somebody's basket.
"""

from __future__ import annotations

import numpy as np

from tacit.sparse import as_sets, keep_where, take_rows
from tacit.utility._query_kernels import count_covered
from tacit.utility.shown import Shown

QUERIES = 1_000
SEED = 2011
_MOST_ITEMS = 3


def measure_queries(seen: Shown) -> dict[str, float | None]:
    """ARE over a workload drawn from the data; with sensitive items also over queries that hold one of them."""
    rng = np.random.default_rng(SEED)
    workload = draw_queries(seen, rng)
    true, estimate = true_counts(seen, workload), Estimates(seen)
    found = {"are": _are(true, estimate(workload, even=False)), "are_even": _are(true, estimate(workload, even=True))}
    if seen.sensitive.any():
        asking = draw_queries(seen, rng, sensitive=True)
        found["are_sensitive"] = _are(true_counts(seen, asking), estimate(asking, even=False))
    return found


def draw_queries(seen: Shown, rng: np.random.Generator, *, sensitive: bool = False) -> list[tuple[int, ...]]:
    """Queries of one to three items of a random basket, as many items as likely, if the basket has so many.

    With `sensitive`: one sensitive item and one or two others, of a random basket that has both.
    """
    secret = seen.sensitive[seen.items]
    per_record = np.add.reduceat(np.append(secret, False), seen.indptr[:-1]) * (np.diff(seen.indptr) > 0)
    fits = (per_record > 0) & (per_record < np.diff(seen.indptr)) if sensitive else np.diff(seen.indptr) > 0
    records = np.flatnonzero(fits)
    if not records.size:
        return []
    queries = []
    for record in rng.choice(records, QUERIES).tolist():
        basket = seen.items[seen.indptr[record] : seen.indptr[record + 1]]
        if sensitive:
            hidden, others = basket[seen.sensitive[basket]], basket[~seen.sensitive[basket]]
            size = int(rng.integers(1, min(_MOST_ITEMS, others.size + 1)))
            drawn = [rng.choice(hidden), *rng.choice(others, size, replace=False)]
        else:
            size = int(rng.integers(1, min(_MOST_ITEMS, basket.size) + 1))
            drawn = list(rng.choice(basket, size, replace=False))
        queries.append(tuple(sorted(map(int, drawn))))
    return queries


def true_counts(seen: Shown, queries: list[tuple[int, ...]]) -> np.ndarray:
    """How many original records hold each query's items."""
    start, record = _by_column(seen.indptr, seen.items, seen.n_items)
    counts = np.zeros(len(queries))
    hits = np.zeros(seen.indptr.size - 1, np.int8)
    for i, query in enumerate(queries):
        for item in query:
            hits[record[start[item] : start[item + 1]]] += 1
        least = min(query, key=lambda item: start[item + 1] - start[item])
        counts[i] = np.count_nonzero(hits[record[start[least] : start[least + 1]]] == len(query))
        for item in query:
            hits[record[start[item] : start[item + 1]]] = 0
    return counts


class Estimates:
    """What the release lets somebody expect; records that show the same names count once, with their number."""

    def __init__(self, seen: Shown) -> None:
        self.leaves = seen.leaves
        indptr, names = keep_where(seen.moved.indptr, seen.moved.name, seen.moved.name >= 0)
        self.indptr, self.names, self.weight = _distinct(*as_sets(indptr, names), seen.n_names)
        self.records_of_name = _by_column(self.indptr, self.names, seen.n_names)
        self.names_of_item = _by_column(seen.leaf_indptr, seen.leaf_items, seen.n_items)

    def __call__(self, queries: list[tuple[int, ...]], *, even: bool) -> np.ndarray:
        """For each query the sum over records of the chance that the record's names cover it."""
        padded = [(*query, *[-1] * (_MOST_ITEMS - len(query))) for query in queries]
        distinct, place = np.unique(np.array(padded, np.int64).reshape(-1, _MOST_ITEMS), axis=0, return_inverse=True)
        none = np.stack([none_of(gone, self.leaves, even=even) for gone in range(_MOST_ITEMS + 1)], axis=1)
        expected = count_covered(
            distinct, *self.names_of_item, *self.records_of_name, self.indptr, self.names, self.weight, none
        )
        return expected[place.reshape(-1)]


def none_of(gone: int, leaves: np.ndarray, *, even: bool) -> np.ndarray:
    """The chance that none of so many of a name's leaves are in the set it stands for."""
    if even:
        return 1 - gone / leaves
    return (2.0**-gone - 2.0**-leaves) / (1 - 2.0**-leaves)


def _by_column(indptr: np.ndarray, columns: np.ndarray, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """For each column the rows that hold it: (start, rows)."""
    rows = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    order = np.argsort(columns, kind="stable")
    return np.searchsorted(columns[order], np.arange(n_columns + 1)), rows[order]


def _distinct(indptr: np.ndarray, names: np.ndarray, n_names: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different records, and how many there are of each; equal ones are told by a random number for each name."""
    numbers = np.random.default_rng(SEED).integers(1 << 62, size=max(n_names, 1), dtype=np.int64)
    upto = np.concatenate(([0], np.cumsum(numbers[names])))  # sums wrap around, which does no harm
    _, first, weight = np.unique(upto[indptr[1:]] - upto[indptr[:-1]], return_index=True, return_counts=True)
    return *take_rows(indptr, names, first), weight


def _are(true: np.ndarray, estimate: np.ndarray) -> float | None:
    return float(np.mean(np.abs(estimate - true) / true)) if true.size else None
