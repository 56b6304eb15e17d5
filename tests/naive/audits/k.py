"""k-anonymity: every row has k − 1 others with equal quasi-identifiers."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from naive.audits import groups, published


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    return all(len(group) >= promise.k for group in groups(published(table, roles)))
