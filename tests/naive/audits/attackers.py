"""The attackers of the promises' sentences: they know people as they are, and look for them in what was published.

`crowds` are those whom an attacker cannot tell apart: the published rows that may be a person's by all that is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import pyarrow as pa

from naive.audits import Published, baskets, published

Paths = Mapping[str, list[list[str]]]
"""Of columns with a hierarchy, the paths from leaf to root."""


class Seen(NamedTuple):
    """What was published, the people as they are, and what a published value may stand for."""

    shown: Published
    people: Published
    paths: Paths

    def may_be(self, column: str, label: Any, value: Any) -> bool:
        """Whether a value may have been published as this label."""
        if str(label) in ("*", str(value)):
            return True
        if any(path[0] == str(value) and str(label) in path for path in self.paths.get(column, ())):
            return True
        names = members(str(label))
        return any(self.may_be(column, name, value) for name in names) or in_range(str(label), str(value))


def members(label: str) -> list[str]:
    """What a set is of: values or nodes; nothing if the label is none."""
    names = label[1:-1].replace(";", ",").split(",") if label.startswith("(") and label.endswith(")") else []
    return names if len(names) > 1 else []


def in_range(label: str, value: str) -> bool:
    if not (label.startswith("[") and label.endswith("]")):
        return False
    low, colon, high = label[1:-1].partition(":")
    if not colon:
        low, high = label[2:-1] if label[1] == "≥" else "-inf", label[2:-1] if label[1] == "≤" else "inf"
    return float(low) <= float(value) <= float(high)


def seen_by_attackers(table: pa.Table, original: pa.Table, roles: Mapping[str, Any], paths: Paths) -> Seen:
    return Seen(published(table, roles), published(original, roles), paths)


def alike(seen: Seen) -> list[set[int]]:
    """For each person the rows that may be the person's by all quasi-identifiers."""
    names = seen.people.names("quasi")
    return [
        {
            index
            for index, row in enumerate(seen.shown.rows)
            if all(seen.may_be(name, row[name], person[name]) for name in names)
        }
        for person in seen.people.rows
    ]


def holders(seen: Seen) -> dict[str, set[int]]:
    """For each item that an attacker may know the rows that show it, under whatever name; not those shown nowhere."""
    shown = [known for known, _ in baskets(seen.shown)]
    found = {}
    for item in set().union(*(known for known, _ in baskets(seen.people))):
        column, _, value = item.partition(":")
        names = {name for known in shown for name in known if _is_of(column, name)}
        fitting = {name for name in names if seen.may_be(column, name.partition(":")[2], value)}
        found[item] = {index for index, known in enumerate(shown) if known & fitting}
    return {item: rows for item, rows in found.items() if rows}


def _is_of(column: str, name: str) -> bool:
    return name.partition(":")[0] == column


def crowds(seen: Seen, most: float) -> Iterator[set[int]]:
    """Of each person, by all quasi-identifiers if there are any, and by each set of up to so many items, or none.

    An item that is shown nowhere was suppressed, and tells nothing.
    """
    showing = holders(seen)
    for person, (known, _) in zip(alike(seen), baskets(seen.people), strict=True):
        told = sorted(known & set(showing))
        for size in range(int(min(most, len(told))) + 1):
            for chosen in combinations(told, size):
                crowd = person.intersection(*(showing[item] for item in chosen))
                if crowd:
                    yield crowd


def whole_baskets(seen: Seen) -> Iterator[set[int]]:
    """Of each person by all items that are not sensitive, and by what is not among them."""
    showing = holders(seen)
    shown = [known for known, _ in baskets(seen.shown)]
    for known, _ in baskets(seen.people):
        told = [showing[item] for item in known if item in showing]
        crowd = set(range(len(shown))).intersection(*told)
        yield {
            index
            for index in crowd
            if all(any(_stands_for(seen, name, item) for item in known) for name in shown[index])
        }


def _stands_for(seen: Seen, name: str, item: str) -> bool:
    (column, _, label), (other, _, value) = name.partition(":"), item.partition(":")
    return column == other and seen.may_be(column, label, value)
