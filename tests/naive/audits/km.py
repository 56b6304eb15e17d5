"""k^m-anonymity: every set of up to m items that somebody has, at least k people have."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from naive.audits import baskets, known_sets, published


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    rows = baskets(published(table, roles))
    return all(
        sum(itemset <= known for known, _ in rows) >= promise.k for itemset in known_sets(rows, promise.m) if itemset
    )
