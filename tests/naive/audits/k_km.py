"""(k, k^m)-anonymity: quasi-identifiers and up to m items of somebody are those of at least k people."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import baskets, fitting, groups, known_sets, published, share_of_one
from naive.audits.attackers import Paths, crowds, seen_by_attackers


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    rows = baskets(given)
    for group in groups(given):
        for itemset in known_sets([rows[row] for row in group], promise.m) | {frozenset()}:
            if len(given.people(row for row in group if itemset <= rows[row][0])) < promise.k:
                return False
    return True


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Whose record it is."""
    return share_of_one(fitting(published(table, roles), promise.m))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose record it is, by all quasi-identifiers and up to m items."""
    for crowd in crowds(seen_by_attackers(table, original, roles, paths), promise.m):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)
