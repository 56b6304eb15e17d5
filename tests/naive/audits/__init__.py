"""The promises as their definitions say them, one file each with a function `holds`: slow, and used by tests only.

They read a published table by themselves. Nothing of tacit is used here but a promise's parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import pyarrow as pa

FINEST = 10**6
Items = frozenset[str]


class Published(NamedTuple):
    """The rows of a wide table, and its columns by role, as they are given to `tacit.audit`."""

    rows: list[dict[str, Any]]
    roles: Mapping[str, Any]

    def names(self, role: str) -> list[str]:
        named = self.roles.get(role) or []
        return [named] if isinstance(named, str) else list(named)


def published(table: pa.Table, roles: Mapping[str, Any]) -> Published:
    return Published(table.to_pylist(), roles)


def exact(number: float) -> Fraction:
    """2.3333333333333335 is meant to be 7/3."""
    return Fraction(number).limit_denominator(FINEST)


def baskets(given: Published) -> list[tuple[Items, Items]]:
    """Of each row what an attacker may know, with its column, and the sensitive items."""
    secrets = set(given.roles.get("sensitive_items", ()))
    found = []
    for row in given.rows:
        held = [(name, item) for name in given.names("items") for item in row[name]]
        known = frozenset(f"{name}:{item}" for name, item in held if item not in secrets)
        found.append((known, frozenset(item for _, item in held if item in secrets)))
    return found


def known_sets(rows: Iterable[tuple[Items, Items]], most: float) -> set[Items]:
    """Every set of up to so many items that somebody has, the empty one too."""
    return {
        frozenset(chosen)
        for known, _ in rows
        for size in range(int(min(most, len(known))) + 1)
        for chosen in combinations(sorted(known), size)
    }


def groups(given: Published) -> list[list[int]]:
    """The rows that are equal in all quasi-identifiers."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for number, row in enumerate(given.rows):
        found.setdefault(tuple(row[name] for name in given.names("quasi")), []).append(number)
    return list(found.values())


def share_of_most(values: Sequence[Any]) -> Fraction:
    return Fraction(max(values.count(value) for value in set(values)), len(values))
