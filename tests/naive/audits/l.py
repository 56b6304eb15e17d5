"""k-anonymity, and in each group of equal quasi-identifiers every sensitive column is diverse by itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from naive.audits import exact, groups, published, share_of_most, share_of_one
from naive.audits.attackers import Paths, alike, secret


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    given = published(table, roles)
    for group in groups(given):
        people = len(given.people(group))
        if people < promise.k:
            return False
        for name in given.names("sensitive"):
            values = given.held(group, name)
            if promise.kind == "frequency" and share_of_most(values, people) * exact(promise.l) > 1:
                return False
            if promise.kind != "frequency" and share_of_most(values, people) == 1:  # all have it
                return False
            if promise.kind == "distinct" and len(set(values)) < promise.l:
                return False
            if promise.kind == "entropy" and entropy(values) < math.log(promise.l) - 1e-12:
                return False
    return True


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
    seen = secret(table, original, roles, paths)
    for crowd in filter(None, alike(seen)):
        yield Fraction(1, len(crowd)), Fraction(1, promise.k)
        for name in seen.shown.names("sensitive") if promise.kind == "frequency" else ():
            yield share_of_most([seen.shown.rows[row][name] for row in crowd]), 1 / exact(promise.l)


def entropy(values: list[Any]) -> float:
    shares = [count / len(values) for count in Counter(values).values()]
    return -math.fsum(share * math.log(share) for share in shares)
