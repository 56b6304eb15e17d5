"""ℓ^m-diversity: of the people who have up to m known items, no sensitive item is held by more than 1/ℓ."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from naive.audits import baskets, exact, known_sets, published


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    rows = baskets(published(table, roles))
    for itemset in known_sets(rows, promise.m) | {frozenset()}:
        wanted = [secrets for known, secrets in rows if itemset <= known]
        for secret in set().union(*wanted):
            if sum(secret in each for each in wanted) * exact(promise.l) > len(wanted):
                return False
    return True
