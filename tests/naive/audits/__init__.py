"""The promises as their definitions say them, one file each with a function `holds`: slow, and used by tests only.

They read a published table by themselves. Nothing of tacit is used here but a promise's parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple
from unicodedata import category, normalize

import pyarrow as pa

FINEST = 10**6
Items = frozenset[str]


class Published(NamedTuple):
    """The rows of a wide table, and its columns by role, as they are given to `tacit.audit`.

    If a column has the role `person`, it says whose row it is: nobody publishes it, but a test knows.
    """

    rows: list[dict[str, Any]]
    roles: Mapping[str, Any]

    def names(self, role: str) -> list[str]:
        named = self.roles.get(role) or []
        return [named] if isinstance(named, str) else list(named)

    def whose(self, row: int) -> Any:
        """The person of a row; every row is one of its own unless the table says more."""
        named = self.names("person")
        return self.rows[row][named[0]] if named else row

    def people(self, rows: Iterable[int]) -> set[Any]:
        """The different persons of some rows."""
        return {self.whose(row) for row in rows}

    def held(self, rows: Iterable[int], name: str) -> list[Any]:
        """The values of a column in some rows; who has one in several rows has it once."""
        return [value for _, value in dict.fromkeys((self.whose(row), self.rows[row][name]) for row in rows)]


def published(table: pa.Table, roles: Mapping[str, Any]) -> Published:
    return Published(table.to_pylist(), roles)


def exact(number: float) -> Fraction:
    """2.3333333333333335 is meant to be 7/3."""
    return Fraction(number).limit_denominator(FINEST)


def baskets(given: Published) -> list[tuple[Items, Items]]:
    """Of each row what an attacker may know, with its column, and the sensitive items, however they are spelt."""
    sensitive = set(map(spelt, given.roles.get("sensitive_items", ())))
    found = []
    for row in given.rows:
        held = [(name, item) for name in given.names("items") for item in row[name]]
        known = frozenset(f"{name}:{item}" for name, item in held if spelt(item) not in sensitive)
        found.append((known, frozenset(spelt(item) for _, item in held if spelt(item) in sensitive)))
    return found


def spelt(text: str) -> str:
    """A text as all its spellings would be written."""
    seen = [sign for sign in normalize("NFKC", text) if category(sign) != "Cf"]
    return normalize("NFKC", "".join(seen).strip().casefold())


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
    for index, row in enumerate(given.rows):
        found.setdefault(tuple(row[name] for name in given.names("quasi")), []).append(index)
    return list(found.values())


def fitting(given: Published, most: float) -> Iterator[list[tuple[Items, Items]]]:
    """Those who fit what may be known of somebody: all quasi-identifiers, and up to so many items, or none."""
    rows = baskets(given)
    for group in groups(given):
        here = [rows[row] for row in group]
        for itemset in known_sets(here, most) | {frozenset()}:
            yield [row for row in here if itemset <= row[0]]


def share_of_most(values: Sequence[Any], people: int | None = None) -> Fraction:
    return Fraction(max(values.count(value) for value in set(values)), people or len(values))


def share_of_sensitive(rows: Sequence[tuple[Items, Items]], itemset: Items = frozenset()) -> Fraction:
    """The largest share of one sensitive item among those who have some known items."""
    wanted = [sensitive for known, sensitive in rows if itemset <= known]
    held = (sum(item in each for each in wanted) for item in set().union(*wanted))
    return Fraction(max(held, default=0), max(len(wanted), 1))


def share_of_one(parts: Iterable[Sequence[Any]]) -> Fraction:
    """How likely one is the one that is looked for, in the smallest part."""
    return max((Fraction(1, len(part)) for part in parts), default=Fraction(0))
