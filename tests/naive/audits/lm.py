"""ℓ^m-diversity: of the people who have up to m known items, no sensitive item is held by more than 1/ℓ."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import baskets, exact, known_sets, published, share_of_sensitive
from naive.audits.attackers import Paths, crowds, seen_by_attackers


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    rows = baskets(published(table, roles))
    for itemset in known_sets(rows, promise.m) | {frozenset()}:
        wanted = [sensitive for known, sensitive in rows if itemset <= known]
        for item in set().union(*wanted):
            if sum(item in each for each in wanted) * exact(promise.l) > len(wanted):
                return False
    return True


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Which sensitive item somebody has."""
    rows = baskets(published(table, roles))
    known = known_sets(rows, promise.m) | {frozenset()}
    return max((share_of_sensitive(rows, itemset) for itemset in known), default=Fraction(0))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Which one sensitive item a person has, by up to m items."""
    seen = seen_by_attackers(table, original, roles, paths)
    rows = baskets(seen.shown)
    for crowd in crowds(seen, promise.m):
        yield share_of_sensitive([rows[row] for row in crowd]), 1 / exact(promise.l)
