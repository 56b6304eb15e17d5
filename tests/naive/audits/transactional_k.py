"""Transactional k-anonymity: every basket stands there at least k times, as far as it is known to an attacker."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from naive.audits import baskets, published


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    known = [items for items, _ in baskets(published(table, roles))]
    return all(known.count(items) >= promise.k for items in known)
