"""Records in parts: a coarse Mondrian over a sample says where each one goes, so that those alike are together.

Whatever the parts are, each keeps the promise by itself, and so the whole does (docs/cluster.md): they matter for the
loss alone. A part that a single value makes too large for one executor is divided further, by a keyed hash of each
record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacit.engines.order import contents, keyed_numbers

SAMPLE = 100_000
_UNEVEN = 0.4
"""How much smaller or larger than equal parts both sides of a split may be, for a border where less is lost."""


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


def split(
    keys: np.ndarray,
    records: int,
    most: int,
    persons: np.ndarray | None = None,
    steps: Sequence[np.ndarray] | None = None,
) -> Splits:
    """Splits that leave parts of about `most` of so many records; `keys` are those of a sample of them.

    `persons` says whose each one is, where somebody has several: those are torn apart as little as can be. `steps` has
    of each column what it costs to publish a value as one with the next: where that is much, records on both sides
    would not have been together anyway, and little is lost by a split.
    """
    wanted = max(1, -(-records // most))
    share = records / max(len(keys), 1)
    domain = np.maximum(np.ptp(keys, axis=0), 1) if len(keys) else np.ones(keys.shape[1])
    splits: list[tuple[int, int, int, int]] = []
    leaves: list[np.ndarray] = []

    def torn(rows: np.ndarray, way: _Way, parts: int) -> float:
        """The share of records whose person has some on both sides, or that are on the wrong side for equal parts."""
        if persons is None:
            return 0.0
        is_below = keys[rows, way.column] <= way.limit
        _, own = np.unique(persons[rows], return_inverse=True)
        below = np.bincount(own, is_below)
        of_torn = (below > 0) & (below < np.bincount(own))
        return float(np.mean(of_torn[own])) + abs(float(np.mean(is_below)) - (parts // 2) / parts)

    def ways(rows: np.ndarray, parts: int) -> Iterator[_Way]:
        """Columns, the widest first, each with the value that divides so many parts best."""
        for column in np.argsort(-np.ptp(keys[rows], axis=0) / domain, kind="stable").tolist():
            values, often = np.unique(keys[rows, column], return_counts=True)
            if values.size > 1:
                way = _best_limit(
                    values[:-1], np.cumsum(often)[:-1] / rows.size, parts, None if steps is None else steps[column]
                )
                yield way._replace(column=column)

    def divide(rows: np.ndarray, parts: int) -> int:
        found = list(ways(rows, parts)) if parts > 1 and rows.size else []
        if not found:
            leaves.append(rows)
            return -len(leaves)
        # of equals the widest
        way = min(found, key=lambda way: (not way.is_even, round(torn(rows, way, parts), 2), -round(way.step, 2)))
        is_below = keys[rows, way.column] <= way.limit
        node = len(splits)
        splits.append((way.column, way.limit, 0, 0))
        left = min(max(1, round(parts * int(is_below.sum()) / rows.size)), parts - 1)
        ends = divide(rows[is_below], left), divide(rows[~is_below], parts - left)
        splits[node] = (way.column, way.limit, *ends)
        return node

    divide(np.arange(len(keys)), wanted)
    pieces = np.array([max(1, round(rows.size * share / most)) for rows in leaves], np.int64)
    column, limit, below, above = np.array(splits, np.int64).reshape(-1, 4).T
    return Splits(column, limit, below, above, pieces)


class _Way(NamedTuple):
    """To divide records by a column: who has at most `limit` there goes below."""

    limit: int
    step: float  # what it would cost to publish both sides as one, at the border
    is_even: bool  # whether parts are of about one size
    column: int = -1


def _best_limit(values: np.ndarray, share: np.ndarray, parts: int, steps: np.ndarray | None) -> _Way:
    """Of values, each with the share of records up to it, the one at the costliest step that divides evenly enough; or
    else the one that does most evenly."""
    cost = np.zeros(values.size) if steps is None else np.round(steps[values], 2)
    left = np.clip(np.rint(parts * share), 1, parts - 1)
    uneven = np.maximum(np.abs(parts * share / left - 1), np.abs(parts * (1 - share) / (parts - left) - 1))
    is_even = uneven <= _UNEVEN
    away = np.abs(share - (parts // 2) / parts)
    best = int(np.lexsort((away, -cost, ~is_even))[0] if is_even.any() else np.argmin(away))
    return _Way(int(values[best]), float(cost[best]), bool(is_even[best]))
