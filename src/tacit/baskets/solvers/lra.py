"""LRA: local recoding for k^m-anonymity (Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011).

The baskets are sorted so that similar ones are neighbours, cut into parts, and each part is anonymized by AA on its
own. docs/methods/lra.md has the definition.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.baskets.solvers._gray_kernels import gray_sorted
from tacit.baskets.solvers.apriori import apriori
from tacit.baskets.solvers.apriori_lm import DiverseAscent, Rows, apriori_lm
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.local import LocalAnonymization, problem_of_part, rows_of
from tacit.baskets.solvers.problem import Problem
from tacit.errors import PromiseError

Progress = Callable[[str], None]
PARTITION_SIZE = 10_000


def lra(
    indptr: np.ndarray,
    items: np.ndarray,
    problem: Problem,
    k: int,
    m: int | float,
    progress: Progress | None = None,
    partition_size: int = PARTITION_SIZE,
) -> LocalAnonymization:
    """AA on parts of about `partition_size` baskets; `items` are leaves of the problem's tree, row by row."""

    def anonymized(rows: np.ndarray) -> Anonymization:
        return apriori(problem_of_part(problem, *rows_of(indptr, items, rows)), k, m)

    return _part_by_part(_parts(indptr, items, partition_size), indptr.size - 1, anonymized, progress)


def lra_lm(
    rows: Rows,
    problem: Problem,
    l: float,  # noqa: E741 - its name in the promise
    m: int | float,
    progress: Progress | None = None,
    partition_size: int = PARTITION_SIZE,
) -> LocalAnonymization:
    """The same for ℓ^m-diversity."""

    def anonymized(chosen: np.ndarray) -> Anonymization:
        part = rows.at(chosen)
        return apriori_lm(part, problem_of_part(problem, part.indptr, part.items), l, m)

    DiverseAscent(problem, rows, l).check_whole()
    return _part_by_part(_parts(rows.indptr, rows.items, partition_size), rows.indptr.size - 1, anonymized, progress)


def _parts(indptr: np.ndarray, items: np.ndarray, partition_size: int) -> list[np.ndarray]:
    """Rows that hold something, in Gray order, in parts that differ by one row at most."""
    order = in_gray_order(indptr, items)
    order = order[np.diff(indptr)[order] > 0]
    return np.array_split(order, max(1, order.size // partition_size))


def _part_by_part(
    waiting: list[np.ndarray],
    n_rows: int,
    anonymized: Callable[[np.ndarray], Anonymization],
    progress: Progress | None,
) -> LocalAnonymization:
    """Anonymizes each part; one that keeps nothing is joined with the next one, or the last one with the one before."""
    done: list[tuple[np.ndarray, Anonymization]] = []
    while waiting:
        rows = waiting.pop(0)
        is_all = not waiting and not done
        try:
            found = anonymized(rows)
            keeps_something = is_all or found.cut.size > 1
        except PromiseError:
            if is_all:
                raise
            keeps_something = False
        if keeps_something:
            done.append((rows, found))
        elif waiting:
            waiting[0] = np.concatenate([rows, waiting[0]])
        else:
            waiting = [np.concatenate([done.pop()[0], rows])]
        if progress:
            progress(f"{len(done)} parts done, {len(waiting)} to do")

    part = np.full(n_rows, -1, np.int32)
    for index, (rows, _) in enumerate(done):
        part[rows] = index
    none = np.empty(0, np.int32)
    return LocalAnonymization(
        part,
        np.cumsum([0, *(found.cut.size for _, found in done)]),
        np.concatenate([none, *(found.cut for _, found in done)]),
        np.concatenate([none.astype(bool), *(np.isin(found.cut, found.suppressed) for _, found in done)]),
        sum(found.cost for _, found in done),
    )


def in_gray_order(indptr: np.ndarray, items: np.ndarray) -> np.ndarray:
    """The rows in the order of the reflected Gray code, equals in the order given.

    A basket is a binary number, its digits the items in the taxonomy's order.
    """
    row = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    return gray_sorted(indptr, items[np.lexsort((items, row))])
