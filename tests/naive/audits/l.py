"""k-anonymity, and in each group of equal quasi-identifiers every sensitive column is diverse by itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa

from naive.audits import exact, groups, published, share_of_most, share_of_one
from naive.audits.attackers import Paths, alike, seen_by_attackers


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    for group in groups(given):
        people = len(given.people(group))
        if people < promise.k:
            return False
        for name in given.names("sensitive"):
            settings = roles.get("column_settings", {}).get(name, {})
            l, width = settings.get("l", promise.l), settings.get("width", 0)  # noqa: E741
            values = given.held(group, name)
            sensitive_values = [value for value in values if str(value) not in settings.get("harmless", ())]
            most = max(
                (guessed(given, group, name, value, width, sensitive_values) for value in sensitive_values), default=0
            )
            if not sensitive_values:
                continue
            if promise.kind == "frequency" and most * exact(l) > people:
                return False
            if promise.kind != "frequency" and most == people:  # all have it
                return False
            if promise.kind == "distinct" and most_apart(set(values), width) < l:
                return False
            if promise.kind == "entropy" and entropy(values) < math.log(l) - 1e-12:
                return False
    return True


def guessed(given: Any, group: list[int], name: str, value: Any, width: float, sensitive_values: list[Any]) -> int:
    """How many people have a value like this one, or above it by less than the width; harmless ones do not count."""
    fitting = {other for other in sensitive_values if other == value or 0 <= above(other, value) < exact(width)}
    return len({given.whose(row) for row in group if given.rows[row][name] in fitting})


def above(one: Any, other: Any) -> Fraction:
    """How far a number is above another; other values are infinitely far away."""
    try:
        return Fraction(str(one)) - Fraction(str(other))
    except ValueError:
        return Fraction(10**30)


def most_apart(values: set[Any], width: float) -> int:
    """The size of the largest choice of values no two of which are less than the width apart."""
    for size in range(len(values), 0, -1):
        for chosen in combinations(values, size):
            if all(abs(above(one, other)) >= exact(width) for one, other in combinations(chosen, 2)):
                return size
    return 0


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """What somebody has, where frequencies are bounded; else whose record it is."""
    given = published(table, roles)
    if promise.kind != "frequency":
        return share_of_one(groups(given))
    shares = (
        share_of_most([given.rows[row][name] for row in group])
        for group in groups(given)
        for name in given.names("sensitive")
    )
    return max(shares, default=Fraction(0))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose record it is, and what the person has, by all quasi-identifiers."""
    seen = seen_by_attackers(table, original, roles, paths)
    for crowd in filter(None, alike(seen)):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)
        for name in seen.shown.names("sensitive") if promise.kind == "frequency" else ():
            yield share_of_most([seen.shown.rows[row][name] for row in crowd]), 1 / exact(promise.l)


def entropy(values: list[Any]) -> float:
    shares = [count / len(values) for count in Counter(values).values()]
    return -math.fsum(share * math.log(share) for share in shares)
