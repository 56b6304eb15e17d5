"""(h, k, p)-coherence: up to p known items are those of k people, at most a share h with one sensitive item."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import baskets, exact, known_sets, published, share_of_sensitive
from naive.audits.attackers import Paths, crowds, seen_by_attackers


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    rows = baskets(published(table, roles))
    for itemset in known_sets(rows, promise.p):
        wanted = [sensitive for known, sensitive in rows if itemset <= known]
        if len(wanted) < promise.k:
            return False
        for item in set().union(*wanted):
            if sum(item in each for each in wanted) > exact(promise.h) * len(wanted):
                return False
    return True


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Whose basket it is, or which sensitive item somebody has."""
    rows = baskets(published(table, roles))
    known = known_sets(rows, promise.p)
    whose = (Fraction(1, sum(itemset <= held for held, _ in rows)) for itemset in known)
    return max([*whose, *(share_of_sensitive(rows, itemset) for itemset in known)], default=Fraction(0))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose basket it is, and which one sensitive item the person has, by up to p items."""
    seen = seen_by_attackers(table, original, roles, paths)
    rows = baskets(seen.shown)
    for crowd in crowds(seen, promise.p):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)
        yield share_of_sensitive([rows[row] for row in crowd]), exact(promise.h)
