"""k^m-anonymity of ratings: whoever knows up to m true ratings of a person finds k people who fit.

Somebody fits a known rating whose published rating covers it, or who shows none where no published rating of the issue
covers it. A table alone tells what a person's true ratings may have been: any that is covered by what is shown, and
where nothing is shown, any that nothing published covers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import pyarrow as pa

from naive.audits import published
from naive.audits.attackers import Paths

Range = tuple[Fraction, Fraction]
People = frozenset[int]


def holds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> bool:
    return all(len(crowd) >= promise.k for crowd in crowds(table, promise, roles))


def best_guess(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Fraction:
    """Whose ratings they are."""
    return max((Fraction(1, len(crowd)) for crowd in crowds(table, promise, roles)), default=Fraction(0))


def attack(
    table: pa.Table, original: pa.Table, promise: Any, roles: dict[str, Any], paths: Paths
) -> Iterator[tuple[Fraction, Fraction]]:
    """Whose ratings they are, by up to m true ones."""
    known = known_issues(table, roles)
    shown = [{name: ends(row[name]) for name in known} for row in table.to_pylist()]
    for person in original.to_pylist():
        rated = [(name, Fraction(str(person[name]))) for name in known if person[name] is not None]
        for size in range(1, int(min(promise.m, len(rated))) + 1):
            for chosen in combinations(rated, size):
                crowd = frozenset(range(len(shown))).intersection(*(fitting(shown, *each) for each in chosen))
                if crowd:
                    yield Fraction(1, len(crowd)), Fraction(1, promise.k)


def at_the_bound() -> Iterator[tuple[Any, dict[str, Any], pa.Table, pa.Table]]:
    from tacit import RatingKm

    roles = {"rating": ["x", "y"], "scale": (1, 2), "step": 1}
    for k, m in ((500, 2), (1000, 1)):
        rows = [{"x": x, "y": y if m == 2 else x} for x in (1, 2) for y in (1, 2) for _ in range(500)]
        yield RatingKm(k, m), roles, pa.Table.from_pylist(rows), pa.Table.from_pylist(rows[:-1])


def crowds(table: pa.Table, promise: Any, roles: dict[str, Any]) -> Iterator[People]:
    """Those who fit, for each set of up to m ratings that somebody may have given."""
    known = known_issues(table, roles)
    shown = [{name: ends(row[name]) for name in known} for row in table.to_pylist()]
    fits = {name: {value: fitting(shown, name, value) for value in scale_of(shown, roles)} for name in known}
    for person in range(len(shown)):
        may_know = [(name, crowd) for name in known for crowd in set(fits[name].values()) if person in crowd]
        told = [(name, crowd) for name, crowd in may_know if is_told(shown, name)]
        for size in range(1, int(min(promise.m, len(known))) + 1):
            for chosen in combinations(told, size):
                if len({name for name, _ in chosen}) == size:
                    yield frozenset.intersection(*(crowd for _, crowd in chosen))


def is_told(shown: list[dict[str, Range | None]], name: str) -> bool:
    """Whether anybody shows a rating of an issue; of one that is blanked for everybody, everybody fits all."""
    return any(row[name] is not None for row in shown)


def fitting(shown: list[dict[str, Range | None]], name: str, value: Fraction) -> People:
    """Who fits a known rating."""
    covering = frozenset(i for i, row in enumerate(shown) if covers(row[name], value))
    return covering or frozenset(i for i, row in enumerate(shown) if row[name] is None)


def covers(span: Range | None, value: Fraction) -> bool:
    return span is not None and span[0] <= value <= span[1]


def scale_of(shown: list[dict[str, Range | None]], roles: dict[str, Any]) -> list[Fraction]:
    """Every rating there may be."""
    (low, high), step = (map(Fraction, map(str, roles["scale"]))), Fraction(str(roles["step"]))
    steps = [low + i * step for i in range(int((high - low) / step) + 1)]
    ends_shown = {end for row in shown for span in row.values() if span is not None for end in span}
    return sorted({*steps, *ends_shown})


def known_issues(table: pa.Table, roles: dict[str, Any]) -> list[str]:
    given = published(table, roles)
    return [name for name in given.names("rating") if name not in given.names("sensitive")]


def ends(value: Any) -> Range | None:
    """Both ends of what is shown: a number, a range [3:4], or nothing."""
    if value is None or value == "":
        return None
    low, colon, high = str(value).strip("[]").partition(":")
    return Fraction(low), Fraction(high if colon else low)
