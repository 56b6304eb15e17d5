"""ARE of baskets: how far off counts of itemsets are that somebody takes from the release.

A query asks how many people have all of one to three items. From the release it is estimated: a published name stands
for a non-empty set of its items, each such set as likely (Loukides et al. 2011; Poulis et al. 2013); names of one
record are independent of each other. With `even`, a name stands for one of its items, each as likely.
The error is relative to the true count, which is 1 at least, for each query is part of somebody's basket.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tacit.sparse import as_sets, keep_where, take_rows
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
        indptr, names, self.weight = _distinct(*as_sets(indptr, names), seen.n_names)
        self.start, self.record = _by_column(indptr, names, seen.n_names)
        self.name_start, self.names = _by_column(seen.leaf_indptr, seen.leaf_items, seen.n_items)
        self.mark = np.zeros(indptr.size - 1, bool)

    def __call__(self, queries: list[tuple[int, ...]], *, even: bool) -> np.ndarray:
        known: dict[tuple[int, ...], float] = {}
        for query in queries:
            if query not in known:
                known[query] = self._expected(query, even)
        return np.array([known[query] for query in queries])

    def _expected(self, query: tuple[int, ...], even: bool) -> float:
        """The sum over records of the chance that the record's names cover the query.

        By inclusion and exclusion: 1 less the chances that one item is missing, plus those that two are, and so on.
        That some items are missing is the product, over the names of the record, that the name's set has none of them.
        """
        of_item = [self.names[self.name_start[item] : self.name_start[item + 1]].tolist() for item in query]
        rows = self._rows(min(of_item, key=lambda names: sum(self.start[n + 1] - self.start[n] for n in names)))
        held_by: dict[int, set[int]] = {}
        for place, names in enumerate(of_item):
            for name in names:
                held_by.setdefault(name, set()).add(place)
        has = {name: self._has(name, rows) for name in held_by}
        chance = np.ones(rows.size)
        for size in range(1, len(query) + 1):
            for subset in combinations(range(len(query)), size):
                missing = np.ones(rows.size)
                for name, places in held_by.items():
                    gone = len(places.intersection(subset))
                    if gone:
                        missing[has[name]] *= none_of(gone, int(self.leaves[name]), even=even)
                chance += missing if size % 2 == 0 else -missing
        return float(chance @ self.weight[rows])

    def _rows(self, names: list[int]) -> np.ndarray:
        """The records that show one of the names, each once."""
        rows = [self.record[self.start[name] : self.start[name + 1]] for name in names]
        return rows[0] if len(rows) == 1 else np.unique(np.concatenate([np.empty(0, np.int64), *rows]))

    def _has(self, name: int, rows: np.ndarray) -> np.ndarray:
        shows = self.record[self.start[name] : self.start[name + 1]]
        self.mark[shows] = True
        has = self.mark[rows]
        self.mark[shows] = False
        return has


def none_of(gone: int, leaves: int, *, even: bool) -> float:
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
