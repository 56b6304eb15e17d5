"""(k, ε)-anonymity: everybody has k − 1 others with all ratings within ε, who rated the same issues."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import exact, published, share_of_most


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    low, high = roles["scale"]
    apart = Fraction(str(high)) - Fraction(str(low)) + Fraction(str(roles.get("step") or 1))
    secrets = given.names("sensitive")
    known = [name for name in given.names("rating") if name not in secrets]

    def are_close(one: dict[str, Any], other: dict[str, Any]) -> bool:
        for name in known:
            values = [number(one[name]), number(other[name])]
            if None in values:
                distance = Fraction(0) if values[0] is values[1] is None else apart
            else:
                distance = abs(values[0] - values[1])  # type: ignore[operator]
            if distance > Fraction(str(promise.eps)):
                return False
        return True

    for row in given.rows:
        company = [other for other in given.rows if are_close(row, other)]
        if len(company) < promise.k:
            return False
        for name in secrets if promise.l is not None else ():
            gave = [number(other[name]) for other in company]
            rated = [value for value in gave if value is not None]
            if rated and share_of_most(rated) * len(rated) * exact(promise.l) > len(gave):
                return False
    return True


def number(value: Any) -> Fraction | None:
    return None if value is None or value == "" else Fraction(str(value))
