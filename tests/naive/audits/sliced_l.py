"""ℓ-diverse slicing: whoever knows all quasi-identifiers of a person gives no sensitive value more than 1/ℓ.

Inside a bucket every linking of the slices' rows that agrees on shared attributes is equally likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pyarrow as pa

from naive.audits import exact
from naive.audits.attackers import Paths

Row = dict[str, Any]


def holds(table: pa.Table, promise: Any, roles: dict[str, Any], original: pa.Table) -> bool:
    """With the original, whose people are those that an attacker may look for."""
    return best_guess(table, promise, roles, original) * exact(promise.l) <= 1


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any], original: pa.Table) -> Fraction:
    """Which sensitive value a person has, or if it is `joint` which of them together."""
    slices = slices_of(table)
    sensitive, known = names(roles["sensitive"]), names(roles["quasi"])
    linking = {name for one, other in combinations(slices, 2) for name in {*one} & {*other}}
    hidden = [*sensitive, *sorted(linking - {*sensitive, *known})]
    targets = [*((name,) for name in sensitive), *([tuple(sensitive)] if promise.joint else [])]
    surest = Fraction(0)
    for person in {tuple(person.items()) for person in original.select(known).to_pylist()}:
        likely = probabilities(table.to_pylist(), slices, dict(person), hidden)
        for target in targets:
            places = [hidden.index(name) for name in target]
            shares: Counter[tuple[Any, ...]] = Counter()
            for values, share in likely.items():
                shares[tuple(values[place] for place in places)] += share  # type: ignore[assignment]
            surest = max(surest, Fraction(max(shares.values(), default=0)))
    return surest


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Which value a person has, by all quasi-identifiers, with the slices joined in every way."""
    yield best_guess(table, promise, roles, original), 1 / exact(promise.l)


def names(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def slices_of(table: pa.Table) -> list[list[str]]:
    found: dict[int, list[str]] = {}
    for column in table.column_names:
        number, dot, name = column.partition(".")
        if dot:
            found.setdefault(int(number), []).append(name)
    return [found[number] for number in sorted(found)]


def probabilities(
    rows: list[Row], slices: list[list[str]], person: Row, hidden: list[str]
) -> dict[tuple[Any, ...], Fraction]:
    """How likely a person with these quasi-identifiers has each combination of values that are not known."""
    order = join_order(slices)
    expected: Counter[tuple[Any, ...]] = Counter()
    for bucket in {row["bucket"] for row in rows}:
        here = [row for row in rows if row["bucket"] == bucket]
        domains = [
            sorted({str(row[column]) for row in here for column in row if is_of(column, name)}) for name in hidden
        ]
        for values in product(*domains):
            wanted = {name: str(value) for name, value in person.items()} | dict(zip(hidden, values, strict=True))
            expected[values] += linked(here, slices, order, wanted) / len(here)  # type: ignore[assignment]
    total = sum(expected.values())
    return {values: Fraction(share) / total for values, share in expected.items()} if total else {}


def is_of(column: str, name: str) -> bool:
    return column.partition(".")[2] == name


def linked(rows: list[Row], slices: list[list[str]], order: list[tuple[int, set[str]]], wanted: Row) -> Fraction:
    """The expected number of linked rows with these values; what is neither known nor wanted may be anything."""
    count = Fraction(1)
    for position, (index, separator) in enumerate(order):
        here = [{name: str(row[f"{index + 1}.{name}"]) for name in slices[index]} for row in rows]
        fits = sum(all(row[name] == wanted[name] for name in row if name in wanted) for row in here)
        of = sum(all(row[name] == wanted[name] for name in separator) for row in here)
        if not fits:
            return Fraction(0)
        count *= Fraction(fits) if position == 0 else Fraction(fits, of)
    return count


def join_order(slices: list[list[str]]) -> list[tuple[int, set[str]]]:
    """An order in which each slice meets the earlier ones in one of them, and what they share."""
    order, seen = [(0, set[str]())], [set(slices[0])]
    left = list(range(1, len(slices)))
    while left:
        for index in left:
            shared = set(slices[index]) & set().union(*seen)
            if any(shared <= each for each in seen):
                order.append((index, shared))
                seen.append(set(slices[index]))
                left.remove(index)
                break
        else:
            raise ValueError("the slices overlap in a cycle")
    return order
