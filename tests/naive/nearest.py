"""The nearest-row attack, word by word: how far every row is from what is known, and who has one of the closest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

Row = Mapping[int, Fraction]
"""Ratings by issue, as shares of their scale: 0 is the lowest, 1 the highest."""
ABSENT = Fraction(1, 3)


def distance(row: Row, known: Row, *, knows_all: bool) -> Fraction:
    total = Fraction(0)
    for issue, rating in known.items():
        total += abs(row[issue] - rating) if issue in row else ABSENT
    if knows_all:
        total += ABSENT * len(set(row) - set(known))
    return total


def chance(published: Sequence[Row], own: int, known: Row, *, knows_all: bool) -> Fraction:
    """How likely the row that is taken is the person's own."""
    far = [distance(row, known, knows_all=knows_all) for row in published]
    closest = [row for row, each in enumerate(far) if each == min(far)]
    return Fraction(own in closest, len(closest))


def verbatim(original: Sequence[Row], published: Sequence[Row], people: Sequence[int]) -> int:
    """Rows that are the person's own ratings and nobody else's row; `people[i]` is who published row i was."""
    return sum(
        bool(row) and row == original[person] and list(published).count(row) == 1
        for row, person in zip(published, people, strict=True)
    )
