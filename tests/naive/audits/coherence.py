"""(h, k, p)-coherence: up to p known items are those of at least k people, of whom at most the share h has a secret."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from naive.audits import baskets, exact, known_sets, published


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    rows = baskets(published(table, roles))
    for itemset in known_sets(rows, promise.p) - {frozenset()}:
        wanted = [secrets for known, secrets in rows if itemset <= known]
        if len(wanted) < promise.k:
            return False
        for secret in set().union(*wanted):
            if sum(secret in each for each in wanted) > exact(promise.h) * len(wanted):
                return False
    return True
