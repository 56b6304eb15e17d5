"""ARE of baskets: how far off counts of itemsets are that somebody takes from the release.

A query asks how many people have all of one to three items. From the release it is estimated: a published name stands
for a non-empty set of its items, each such set as likely (Loukides et al. 2011; Poulis et al. 2013); names of one
record are independent of each other. With `even`, a name stands for one of its items, each as likely.
The error is relative to the true count, which is 1 at least, for each query is part of somebody's basket.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tacit.arrays.grouped import grouped
from tacit.arrays.sparse import take_rows
from tacit.baskets.measures._cover_kernels import count_covered
from tacit.baskets.measures.shown import Shown

QUERIES = 1_000
SEED = 2011
_MOST_ITEMS = 3


class Expected(NamedTuple):
    """For each query the count to expect, if a name stands for any of its sets, and if it stands for one item."""

    by_sets: np.ndarray
    even: np.ndarray


def measure_queries(seen: Shown) -> dict[str, float | None]:
    """ARE over a workload drawn from the data; with sensitive items also over queries that hold one of them."""
    rng = np.random.default_rng(SEED)
    workload = draw_queries(seen, rng)
    true, estimate = true_counts(seen, workload), Estimates(seen)
    expected = estimate(workload)
    found = {"are": _are(true, expected.by_sets), "are_even": _are(true, expected.even)}
    if seen.sensitive.any():
        asking = draw_queries(seen, rng, sensitive=True)
        found["are_sensitive"] = _are(true_counts(seen, asking), estimate(asking).by_sets)
    return found


def draw_queries(seen: Shown, rng: np.random.Generator, *, sensitive: bool = False) -> list[tuple[int, ...]]:
    """Queries of one to three items of a random basket, as many items as likely, if the basket has so many.

    With `sensitive`: one sensitive item and one or two others, of a random basket that has both.
    """
    lengths = np.diff(seen.indptr)
    fits = lengths > 0
    if sensitive:
        is_sensitive = np.append(seen.sensitive[seen.items], False)
        n_sensitive = np.add.reduceat(is_sensitive, seen.indptr[:-1], dtype=np.int64) * fits
        fits = (n_sensitive > 0) & (n_sensitive < lengths)
    records = np.flatnonzero(fits)
    if not records.size:
        return []
    drawn = records[rng.integers(records.size, size=QUERIES)]
    queries = []
    for start, stop in zip(seen.indptr[drawn].tolist(), seen.indptr[drawn + 1].tolist(), strict=True):
        basket, first = seen.items[start:stop].tolist(), []
        if sensitive:
            sensitive_here = [item for item in basket if seen.sensitive[item]]
            basket = [item for item in basket if not seen.sensitive[item]]
            size = 1 + rng.integers(min(_MOST_ITEMS - 1, len(basket)))
            first = [sensitive_here[rng.integers(len(sensitive_here))]]
        else:
            size = 1 + rng.integers(min(_MOST_ITEMS, len(basket)))
        queries.append(tuple(sorted([*first, *rng.choice(basket, size, replace=False).tolist()])))
    return queries


def true_counts(seen: Shown, queries: list[tuple[int, ...]]) -> np.ndarray:
    """How many original records hold each query's items: what to expect if each is shown by a name of its own."""
    own = np.arange(seen.n_items + 1), np.arange(seen.n_items, dtype=np.int32)
    records = seen.indptr, seen.items, np.ones(seen.indptr.size - 1, np.int64)
    return _covered(queries, own, records, lambda absent: np.full((1, seen.n_items), float(absent == 0)))[0]


class Estimates:
    """What the release lets somebody expect; records that show the same names count once, with their number."""

    def __init__(self, seen: Shown) -> None:
        self.leaves = seen.leaves
        self.records = _distinct(*seen.names, seen.n_names)
        self.names_of_item = _by_column(seen.leaf_indptr, seen.leaf_items, seen.n_items)

    def __call__(self, queries: list[tuple[int, ...]]) -> Expected:
        """For each query the sum over records of the chance that the record's names cover it."""

        def none(absent: int) -> np.ndarray:
            return np.stack([none_of(absent, self.leaves, even=even) for even in (False, True)])

        return Expected(*_covered(queries, self.names_of_item, self.records, none))


def none_of(absent: int, leaves: np.ndarray, *, even: bool) -> np.ndarray:
    """The chance that none of so many of a name's leaves are in the set it stands for."""
    if even:
        return 1 - absent / leaves
    return (2.0**-absent - 2.0**-leaves) / (1 - 2.0**-leaves)


def _covered(
    queries: list[tuple[int, ...]],
    names_of_item: tuple[np.ndarray, np.ndarray],
    records: tuple[np.ndarray, np.ndarray, np.ndarray],
    none: Callable[[int], np.ndarray],
) -> np.ndarray:
    """For each way to estimate, and each query, the expected number of records that hold all of its items.

    `names_of_item` is (start, names), `records` is (indptr, names, how many such there are); `none` gives, for each way
    and name, the chance that none of so many items are among those that the name stands for.
    """
    index_of: dict[tuple[int, ...], int] = {}
    place = [index_of.setdefault(query, len(index_of)) for query in queries]  # equal queries are answered once
    longest = max(map(len, index_of), default=0)
    asked = np.array([(*query, *[-1] * (longest - len(query))) for query in index_of], np.int64)
    chances = np.stack([none(absent) for absent in range(longest + 1)], axis=2)
    expected = count_covered(asked.reshape(len(index_of), longest), names_of_item, records, chances)
    return expected[:, place]


def _by_column(indptr: np.ndarray, columns: np.ndarray, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """For each column the rows that hold it: (start, rows)."""
    return grouped(columns, np.repeat(np.arange(indptr.size - 1, dtype=np.int32), np.diff(indptr)), n_columns)


def _distinct(indptr: np.ndarray, names: np.ndarray, n_names: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different records, and how many there are of each; equal ones are told by a random number for each name."""
    numbers = np.random.default_rng(SEED).integers(1 << 62, size=max(n_names, 1), dtype=np.int64)
    upto = np.concatenate(([0], np.cumsum(numbers[names])))  # sums wrap around, which does no harm
    of_record = upto[indptr[1:]] - upto[indptr[:-1]]
    order = np.argsort(of_record)
    starts = np.flatnonzero(np.diff(of_record[order], prepend=of_record[order[:1]] - 1))
    return *take_rows(indptr, names, order[starts]), np.diff(starts, append=order.size)


def _are(true: np.ndarray, estimate: np.ndarray) -> float | None:
    return float(np.mean(np.abs(estimate - true) / true)) if true.size else None
