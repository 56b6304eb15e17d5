"""(k, ε)-anonymity: everybody has k − 1 others with all ratings within ε, who rated the same issues."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import exact, published, share_of_most, share_of_one
from naive.audits.attackers import Paths

Ratings = dict[str, Fraction | None]


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    sensitive = published(table, roles).names("sensitive")
    for company in companies(table, promise, roles):
        if len(company) < promise.k:
            return False
        for name in sensitive if promise.l is not None else ():
            rated = [other[name] for other in company if other[name] is not None]
            if rated and share_of_most(rated) * len(rated) * exact(promise.l) > len(company):
                return False
    return True


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Whose ratings they are."""
    return share_of_one(companies(table, promise, roles))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose ratings they are, by ratings that were published, each to within ε."""
    yield best_guess(table, promise, roles), Fraction(1, promise.k)


def companies(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Iterator[list[Ratings]]:
    """For each person all who are close, the person included."""
    given = published(table, roles)
    low, high = roles["scale"]
    apart = Fraction(str(high)) - Fraction(str(low)) + Fraction(str(roles.get("step") or 1))
    sensitive = given.names("sensitive")
    known = [name for name in given.names("rating") if name not in sensitive]
    people = [{name: number(row[name]) for name in (*known, *sensitive)} for row in given.rows]
    eps = Fraction(str(promise.eps))

    def are_close(one: Ratings, other: Ratings) -> bool:
        return all(distance(one[name], other[name], apart) <= eps for name in known)

    return ([other for other in people if are_close(row, other)] for row in people)


def distance(one: Fraction | None, other: Fraction | None, apart: Fraction) -> Fraction:
    """A rating and no rating are further apart than any two ratings."""
    if one is None or other is None:
        return Fraction(0) if one is other else apart
    return abs(one - other)


def number(value: Any) -> Fraction | None:
    return None if value is None or value == "" else Fraction(str(value))
