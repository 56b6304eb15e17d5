"""CAHD: in every group each sensitive item is in at most 1/p of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import Items, baskets, published, share_of_sensitive
from naive.audits.attackers import Paths, seen_by_attackers, whole_baskets


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    rows, group = baskets(given), [row["group"] for row in given.rows]
    for name in set(group):
        wanted = [sensitive for (_, sensitive), other in zip(rows, group, strict=True) if other == name]
        for item in set().union(*wanted):
            if sum(item in each for each in wanted) * promise.p > len(wanted):
                return False
    return True


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Which sensitive item somebody of a group has."""
    given = published(table, roles)
    rows, group = baskets(given), [row["group"] for row in given.rows]
    parts = [[row for row, other in zip(rows, group, strict=True) if other == name] for name in set(group)]
    return max((share_of_sensitive(part) for part in parts), default=Fraction(0))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Which one sensitive item a person has, by all other items: the rows that have them, each in its group."""
    seen = seen_by_attackers(table, original, roles, paths)
    rows, group = baskets(seen.shown), [row["group"] for row in seen.shown.rows]
    for crowd in whole_baskets(seen):
        parts = [[rows[i] for i, other in enumerate(group) if other == group[row]] for row in crowd]
        shares = [{item: share_of(item, part) for _, held in part for item in held} for part in parts]
        for item in set().union(*shares):
            of_each = [each.get(item, Fraction(0)) for each in shares]
            yield sum(of_each, Fraction(0)) / len(of_each), Fraction(1, promise.p)


def share_of(item: str, part: list[tuple[Items, Items]]) -> Fraction:
    return Fraction(sum(item in held for _, held in part), len(part))
