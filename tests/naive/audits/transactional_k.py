"""Transactional k-anonymity: every basket stands there at least k times, as far as it is known to an attacker."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import baskets, published
from naive.audits.attackers import Paths, seen_by_attackers, whole_baskets


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    known = [items for items, _ in baskets(published(table, roles))]
    return all(known.count(items) >= promise.k for items in known)


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Whose basket it is."""
    known = [items for items, _ in baskets(published(table, roles))]
    return max((Fraction(1, known.count(items)) for items in known), default=Fraction(0))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose basket it is, by all its items that are not sensitive."""
    for crowd in filter(None, whole_baskets(seen_by_attackers(table, original, roles, paths))):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)
