"""The audits, word for word from their definitions: slow, and used by tests only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any


@dataclass
class NaiveAudit:
    """What `tacit.audits.km.audit_km` must agree with."""

    satisfied: bool
    worst: dict[str, Any] | None
    violations: list[dict[str, Any]]
    records_affected: int
    k_for_this_m: int | None
    m_for_this_k: int | str | None


def audit_km(baskets: list[set[str]], k: int, m: float) -> NaiveAudit:
    """k^m-anonymity by listing every itemset of every basket (Liu & Wang 2010, Definition 1)."""
    supports = _all_supports(baskets)
    if not supports:
        return NaiveAudit(True, None, [], 0, None, None)
    known = {itemset: n for itemset, n in supports.items() if len(itemset) <= m}
    threats = {itemset for itemset, n in known.items() if n < k}
    minimal = {x for x in threats if not any(y < x for y in threats)}
    longest = max(map(len, baskets))
    holds = [
        size for size in range(longest + 1) if all(n >= k for itemset, n in supports.items() if len(itemset) <= size)
    ]
    least, _, weakest = min(_key(itemset, n) for itemset, n in known.items())
    return NaiveAudit(
        satisfied=not threats,
        worst={"itemset": weakest, "support": least},
        violations=[{"itemset": labels, "support": n} for n, _, labels in sorted(_key(x, known[x]) for x in minimal)],
        records_affected=sum(any(x <= basket for x in minimal) for basket in baskets),
        k_for_this_m=least,
        m_for_this_k="inf" if holds[-1] == longest else holds[-1],
    )


def _all_supports(baskets: list[set[str]]) -> dict[frozenset[str], int]:
    supports: dict[frozenset[str], int] = {}
    for basket in baskets:
        for size in range(1, len(basket) + 1):
            for itemset in combinations(sorted(basket), size):
                supports[frozenset(itemset)] = supports.get(frozenset(itemset), 0) + 1
    return supports


def _key(itemset: frozenset[str], support: int) -> tuple[int, int, list[str]]:
    return support, len(itemset), sorted(itemset)
