"""Slow twin of what a group of numbers is published as: the definition, on fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

Numbers = Sequence[Fraction]


def coarsest(everything: Numbers) -> Fraction:
    """The coarsest of 1, 2, 5 × 10^j that divides nine of ten numbers other than 0."""
    others = [number for number in everything if number]
    widths = [Fraction(first) * Fraction(10) ** j for j in range(12, -12, -1) for first in (5, 2, 1)]
    fits = (width for width in widths if sum(number % width == 0 for number in others) >= Fraction(9, 10) * len(others))
    return next(fits) if others else Fraction(1)


def published_ends(
    group: Numbers, everything: Numbers, width: Fraction, k: int, bottom: Fraction | None, top: Fraction | None
) -> Fraction | tuple[Fraction | None, Fraction | None]:
    """A number that all of the group have, or both ends of its range; None is an end that is not told."""
    least, most = min(group), max(group)
    low, high = floor(least / width) * width, ceil(most / width) * width
    low_told = sum(number < low + width for number in everything) >= k
    high_told = sum(number > high - width for number in everything) >= k
    if top is not None:
        high, high_told = min(high, top), most < top
        low = top if least >= top else low
    if bottom is not None:
        low, low_told = max(low, bottom), least > bottom
        high = bottom if most <= bottom else high
    is_coded = (top is not None and least >= top) or (bottom is not None and most <= bottom)
    if least == most and not is_coded:
        return least
    return (low if low_told else None), (high if high_told else None)


def loss(ends: Fraction | tuple[Fraction | None, Fraction | None], everything: Numbers) -> Fraction:
    """The share of all that the column reaches over that the published value may be."""
    if isinstance(ends, Fraction) or min(everything) == max(everything):
        return Fraction(ends == (None, None))
    least, most = min(everything), max(everything)
    low = least if ends[0] is None else min(max(ends[0], least), most)
    high = most if ends[1] is None else min(max(ends[1], least), most)
    return (high - low) / (most - least)
