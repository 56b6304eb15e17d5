"""The audit of ℓ^m-diversity, word for word from its definition: slow, and used by tests only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any


@dataclass
class NaiveAudit:
    """What `tacit.audits.lm.audit_lm` must agree with."""

    satisfied: bool
    worst: dict[str, Any] | None
    violations: list[dict[str, Any]]
    records_affected: int
    l_for_this_m: float | None


def audit_lm(baskets: list[set[str]], sensitive: set[str], l: Fraction, m: float) -> NaiveAudit:  # noqa: E741
    """Every set of up to m public items that occurs, and every sensitive item beside it."""
    known = {frozenset()} | {
        frozenset(itemset)
        for basket in baskets
        for size in range(1, len(basket - sensitive) + 1)
        for itemset in combinations(basket - sensitive, size)
        if size <= m
    }
    cases = {}
    for itemset in known:
        holders = [basket for basket in baskets if itemset <= basket]
        for item in set().union(*holders) & sensitive:
            cases[itemset, item] = sum(item in basket for basket in holders), len(holders)
    if not cases:
        return NaiveAudit(True, None, [], 0, None)
    broken = {case for case, (count, people) in cases.items() if count * l > people}
    minimal = {(x, s) for x, s in broken if not any(y < x and t == s for y, t in broken)}

    def entry(case: tuple[frozenset[str], str]) -> dict[str, Any]:
        count, people = cases[case]
        return {
            "itemset": sorted(case[0]),
            "sensitive": case[1],
            "support": people,
            "with_sensitive": count,
            "share": count / people,
        }

    def key(case: tuple[frozenset[str], str]) -> tuple[Any, ...]:
        return -Fraction(*cases[case]), len(case[0]), sorted(case[0]), case[1]

    worst = min(cases, key=key)
    return NaiveAudit(
        satisfied=not broken,
        worst=entry(worst),
        violations=[entry(case) for case in sorted(minimal, key=key)],
        records_affected=sum(any(x <= basket and s in basket for x, s in minimal) for basket in baskets),
        l_for_this_m=cases[worst][1] / cases[worst][0],
    )
