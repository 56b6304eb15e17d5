"""CAHD: in every group each sensitive item is in at most 1/p of the rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from naive.audits import baskets, published


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    rows, group = baskets(given), [row["group"] for row in given.rows]
    for name in set(group):
        wanted = [secrets for (_, secrets), other in zip(rows, group, strict=True) if other == name]
        for secret in set().union(*wanted):
            if sum(secret in each for each in wanted) * promise.p > len(wanted):
                return False
    return True
