"""k^m-anonymity: every set of up to m items that somebody has, at least k people have."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import baskets, known_sets, published
from naive.audits.attackers import Paths, crowds, seen_by_attackers


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    rows = baskets(published(table, roles))
    return all(
        sum(itemset <= known for known, _ in rows) >= promise.k for itemset in known_sets(rows, promise.m) if itemset
    )


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Whose basket it is."""
    rows = baskets(published(table, roles))
    known = known_sets(rows, promise.m) - {frozenset()}
    return max((Fraction(1, sum(itemset <= held for held, _ in rows)) for itemset in known), default=Fraction(0))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose basket it is, by up to m items."""
    for crowd in crowds(seen_by_attackers(table, original, roles, paths), promise.m):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)
