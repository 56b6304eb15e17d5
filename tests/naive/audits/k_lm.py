"""(k, ℓ^m)-diversity: groups of at least k, and of those who fit up to m known items at most 1/ℓ has any sensitive
items, one or several."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from naive.audits import baskets, exact, groups, known_sets, published


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    rows = baskets(given)
    for group in groups(given):
        if len(group) < promise.k:
            return False
        here = [rows[row] for row in group]
        for itemset in known_sets(here, promise.m) | {frozenset()}:
            wanted = [secrets for known, secrets in here if itemset <= known]
            for secret in set().union(*wanted):  # several are no more frequent than one of them
                if sum(secret in each for each in wanted) * exact(promise.l) > len(wanted):
                    return False
    return True
