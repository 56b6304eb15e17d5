"""k-anonymity, and in each group of equal quasi-identifiers every sensitive column is diverse by itself."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pyarrow as pa

from naive.audits import exact, groups, published, share_of_most


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    for group in groups(given):
        if len(group) < promise.k:
            return False
        for name in given.names("sensitive"):
            values = [given.rows[row][name] for row in group]
            if promise.kind == "frequency" and share_of_most(values) * exact(promise.l) > 1:
                return False
            if promise.kind == "distinct" and len(set(values)) < promise.l:
                return False
            if promise.kind == "entropy" and entropy(values) < math.log(promise.l) - 1e-12:
                return False
    return True


def entropy(values: list[Any]) -> float:
    shares = [count / len(values) for count in Counter(values).values()]
    return -math.fsum(share * math.log(share) for share in shares)
