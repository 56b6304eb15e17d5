"""Records in parts: a coarse Mondrian over a sample says where each one goes, so that those alike are together.

Whatever the parts are, each keeps the promise by itself, and so the whole does (docs/cluster.md): they matter for the
loss alone. A part that a single value makes too large for one executor is divided further, by a keyed hash of each
record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacit.engines.order import contents, keyed_numbers

SAMPLE = 100_000


@dataclass(frozen=True, eq=False)
class Splits:
    """A tree of splits: node i sends who is not above `limit[i]` in `column[i]` to `below[i]`, others to `above[i]`.

    A node below 0 is a part: −1 − its number. Part p is divided into `pieces[p]`, which are numbered in a row.
    """

    column: np.ndarray
    limit: np.ndarray
    below: np.ndarray
    above: np.ndarray
    pieces: np.ndarray

    def told(self, names: Sequence[str]) -> tuple[tuple[str, int, int, int], ...]:
        """The splits by the names of the columns."""
        rows = zip(*(each.tolist() for each in (self.column, self.limit, self.below, self.above)), strict=True)
        return tuple((names[column], limit, below, above) for column, limit, below, above in rows)

    def part_of(self, keys: np.ndarray, table: pa.Table, secret: bytes) -> np.ndarray:
        """The part of each record, by its keys (a column for each attribute) and, where one is divided, by `table`: its
        content, or whose it is."""
        at = np.zeros(len(keys), np.int64) if self.column.size else np.full(len(keys), -1, np.int64)
        rows = np.arange(len(keys))
        while (open_ones := at >= 0).any():
            here = at[open_ones]
            goes_below = keys[rows[open_ones], self.column[here]] <= self.limit[here]
            at[open_ones] = np.where(goes_below, self.below[here], self.above[here])
        part = -1 - at
        if (self.pieces == 1).all():
            return part
        first = np.cumsum(self.pieces) - self.pieces
        hashes = keyed_numbers(secret, contents(table))
        return first[part] + hashes % self.pieces[part]


def split(keys: np.ndarray, records: int, most: int, persons: np.ndarray | None = None) -> Splits:
    """Splits that leave parts of about `most` of so many records; `keys` are those of a sample of them.

    `persons` says whose each one is, where somebody has several: those are torn apart as little as can be.
    """
    wanted = max(1, -(-records // most))
    share = records / max(len(keys), 1)
    domain = np.maximum(np.ptp(keys, axis=0), 1) if len(keys) else np.ones(keys.shape[1])
    splits: list[tuple[int, int, int, int]] = []
    leaves: list[np.ndarray] = []

    def torn(rows: np.ndarray, column: int, limit: int, parts: int) -> float:
        """The share of records whose person has some on both sides, or that are on the wrong side for equal parts."""
        if persons is None:
            return 0.0
        is_below = keys[rows, column] <= limit
        _, own = np.unique(persons[rows], return_inverse=True)
        below = np.bincount(own, is_below)
        of_torn = (below > 0) & (below < np.bincount(own))
        return float(np.mean(of_torn[own])) + abs(float(np.mean(is_below)) - (parts // 2) / parts)

    def limits(rows: np.ndarray, parts: int) -> Iterator[tuple[int, int]]:
        """Columns, the widest first, each with the value that divides so many parts best."""
        for column in np.argsort(-np.ptp(keys[rows], axis=0) / domain, kind="stable").tolist():
            values = np.sort(keys[rows, column])
            limit = values[(values.size * (parts // 2)) // parts - 1]
            if limit == values[-1]:  # the greatest value is too frequent: it goes alone
                limit = max(values[values < limit], default=limit)
            if limit < values[-1]:
                yield column, int(limit)

    def divide(rows: np.ndarray, parts: int) -> int:
        ways = limits(rows, parts) if parts > 1 and rows.size else ()
        chosen = min(ways, key=lambda way: round(torn(rows, way[0], way[1], parts), 2), default=None)
        if chosen is None:
            leaves.append(rows)
            return -len(leaves)
        column, limit = chosen  # of equals the widest
        is_below = keys[rows, column] <= limit
        node = len(splits)
        splits.append((column, limit, 0, 0))
        left = min(max(1, round(parts * int(is_below.sum()) / rows.size)), parts - 1)
        ends = divide(rows[is_below], left), divide(rows[~is_below], parts - left)
        splits[node] = (column, limit, *ends)
        return node

    divide(np.arange(len(keys)), wanted)
    pieces = np.array([max(1, round(rows.size * share / most)) for rows in leaves], np.int64)
    column, limit, below, above = np.array(splits, np.int64).reshape(-1, 4).T
    return Splits(column, limit, below, above, pieces)
