"""(k, k^m)-anonymity: quasi-identifiers and up to m items of somebody are those of at least k people."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from naive.audits import baskets, groups, known_sets, published


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    rows = baskets(given)
    for group in groups(given):
        here = [rows[row] for row in group]
        for itemset in known_sets(here, promise.m) | {frozenset()}:
            if sum(itemset <= known for known, _ in here) < promise.k:
                return False
    return True
