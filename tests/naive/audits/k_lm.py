"""(k, ℓ^m)-diversity: quasi-identifiers and up to m items of somebody are those of at least k people, of whom at most
1/ℓ has any sensitive items, one or several."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import baskets, exact, fitting, groups, known_sets, published, share_of_sensitive
from naive.audits.attackers import Paths, crowds, seen_by_attackers


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    rows = baskets(given)
    for group in groups(given):
        for itemset in known_sets([rows[row] for row in group], promise.m) | {frozenset()}:
            people = given.people(row for row in group if itemset <= rows[row][0])
            if len(people) < promise.k:
                return False
            for item in set().union(*(rows[row][1] for row in group)):  # several are no more frequent than one of them
                with_item = given.people(row for row in group if item in rows[row][1])
                if len(people & with_item) * exact(promise.l) > len(people):
                    return False
    return True


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Which sensitive item somebody has."""
    return max(map(share_of_sensitive, fitting(published(table, roles), promise.m)), default=Fraction(0))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose record it is, and which one sensitive item the person has, by quasi-identifiers and up to m items."""
    seen = seen_by_attackers(table, original, roles, paths)
    rows = baskets(seen.shown)
    for crowd in crowds(seen, promise.m):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)
        yield share_of_sensitive([rows[row] for row in crowd]), 1 / exact(promise.l)
