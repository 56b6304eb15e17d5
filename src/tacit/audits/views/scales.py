"""The scale of ratings, as the job gives it, or guessed from them: exact numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import NamedTuple

from tacit.errors import InputError

_RATING = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*")
PARTS = 20
"""Into so many parts of equal length a scale without steps may be cut."""
_MOST_STEPS = 100
"""A guessed scale with more steps than that is taken for a continuous one."""
_LARGEST = Decimal(10) ** 18
"""No scale reaches further, and none has more steps."""
_MOST_TICKS = 2**61
"""No rating may be larger, in ticks: two of them are added, in whole numbers of the machine."""


class Scale(NamedTuple):
    """The lowest and the highest rating, and the step between two; no step: any rating between them."""

    low: Decimal
    high: Decimal
    step: Decimal | None
    is_guessed: bool = False

    @property
    def below(self) -> Decimal:
        """How far below the lowest rating "not rated" counts."""
        return Decimal(1) if self.step is None else self.step

    @property
    def apart(self) -> Decimal:
        """How far the highest rating and no rating are apart."""
        return self.high - self.low + self.below


class Column(NamedTuple):
    """A column of ratings that are counted: its different numbers, and their scale."""

    name: str
    numbers: Sequence[Decimal]
    scale: Scale


def read_rating(text: str) -> Decimal | None:
    """The number that a text is; None if it is none. Infinity and "not a number" are none."""
    return Decimal(text.strip()) if _RATING.fullmatch(text) else None


def scale_of(numbers: Collection[Decimal], scale: tuple[float, float] | None, step: float | None) -> Scale:
    """The scale that is given, with what is left open guessed from the ratings. A step of 0: any value.

    >>> scale_of([Decimal("0.5"), Decimal("4"), Decimal("5")], None, None).step
    Decimal('0.5')
    >>> scale_of([Decimal("-9.81"), Decimal("7.33")], (-10, 10), None).step
    """
    given = None if scale is None else (Decimal(str(scale[0])), Decimal(str(scale[1])))
    low, high = given or (min(numbers, default=Decimal(0)), max(numbers, default=Decimal(1)))
    if max(abs(low), abs(high)) > _LARGEST or (step and high - low > _LARGEST * Decimal(str(step))):
        raise InputError(
            "the scale of the ratings is too large, or its step too small, to be counted exactly",
            hint="Give the ratings in another unit, or a wider step.",
        )
    found = _guessed_step({*numbers, low, high}, low, high) if step is None else Decimal(str(step)) or None
    if found is not None and (high - low) % found:
        raise InputError(
            f"a step of {_plain(found)} does not lead from {_plain(low)} to {_plain(high)}",
            hint="Give a scale that is a whole number of steps long.",
        )
    return Scale(low, high, found, is_guessed=given is None)


def decimals_of(columns: Sequence[Column], epsilon: Decimal, source: str | Path) -> int:
    """As many decimals as tell all ratings apart, and how far they are: whoever reads them compares all their digits.

    Refused where whole numbers of the machine cannot count so many.
    """
    counted = (epsilon, *(number for each in columns for number in (*_ends(each), *each.numbers)))
    needed = max(map(_decimals, counted), default=0)
    room = [_room(each) for each in columns]
    decimals = min((needed, *room))
    if decimals < 0:
        problem = "the ratings or their scale are too large to be counted exactly"
        name = columns[room.index(decimals)].name
        raise InputError(problem, file=source, column=name, hint="Give the ratings in a larger unit.")
    for each in columns:
        fixed = () if each.scale.step is None and each.scale.is_guessed else _ends(each)
        if any(_decimals(number) > decimals for number in (*fixed, *each.numbers)):
            problem = "the ratings, their scale or step have more digits than can be compared exactly"
            raise InputError(problem, file=source, column=each.name, hint=f"Round them to {decimals} decimals.")
    return decimals


def finest_part(scales: Sequence[Scale]) -> Decimal:
    """The twentieth of a scale without steps that has the most decimals; 0 if all have steps."""
    parts = [(scale.high - scale.low) / PARTS for scale in scales if scale.step is None]
    return max(parts, key=_decimals, default=Decimal(0))


def ticks(number: Decimal, decimals: int) -> int:
    """A number as whole ticks of 10^-decimals, which it is."""
    return int(number.scaleb(decimals))


def _guessed_step(numbers: Collection[Decimal], low: Decimal, high: Decimal) -> Decimal | None:
    """Whole numbers make steps of 1; other ratings the widest step that fits all and 1, unless it is too fine."""
    if all(number == number.to_integral_value() for number in numbers):
        return Decimal(1)
    size, length = Fraction(1), Fraction(high - low)
    for number in numbers:
        each = Fraction(number) - Fraction(low)
        shared = gcd(size.numerator * each.denominator, each.numerator * size.denominator)
        size = Fraction(shared, size.denominator * each.denominator)
        if length / size > _MOST_STEPS:  # it only gets smaller
            return None
    return Decimal(size.numerator) / Decimal(size.denominator)


def _ends(column: Column) -> tuple[Decimal, ...]:
    return column.scale.low, column.scale.high, column.scale.below


def _decimals(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _room(column: Column) -> int:
    """The most decimals with which all numbers of a column can be counted; −1 if they are too large for none."""
    low = column.scale.low
    widest = max(column.scale.apart, *(abs(number - low) for number in (Decimal(0), *column.numbers)))
    largest = max(widest, *(abs(number) for number in (*_ends(column), *column.numbers)))
    decimals = max(len(str(_MOST_TICKS)) - largest.adjusted() - 1, -1)
    while decimals >= 0 and largest.scaleb(decimals) > _MOST_TICKS:
        decimals -= 1
    return decimals


def _plain(number: Decimal) -> str:
    """A number without exponent and without zeros at its end."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
