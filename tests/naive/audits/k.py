"""k-anonymity: the rows with equal quasi-identifiers are of at least k people."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import groups, published, share_of_one
from naive.audits.attackers import Paths, alike, seen_by_attackers


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    return all(len(given.people(group)) >= promise.k for group in groups(given))


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Whose record it is."""
    return share_of_one(groups(published(table, roles)))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose record it is, by all quasi-identifiers."""
    for crowd in filter(None, alike(seen_by_attackers(table, original, roles, paths))):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)
