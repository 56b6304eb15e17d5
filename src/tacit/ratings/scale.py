"""The scale of ratings: given, or guessed from the data; all arithmetic exact, in whole ticks of 10^-d."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from tacit.errors import InputError

_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*")
PARTS = 20
"""Into so many parts of equal length a scale without steps may be cut."""
_MOST_STEPS = 100
"""A guessed scale with more steps than that is taken for a continuous one."""
_LARGEST = Decimal(10) ** 18
"""No scale reaches further, and none has more steps."""


class Scale(NamedTuple):
    """The lowest and the highest rating, and the step between two; no step: any rating between them."""

    low: Decimal
    high: Decimal
    step: Decimal | None
    is_guessed: bool = False

    @property
    def null_step(self) -> Decimal:
        """How far below the lowest rating "not rated" counts."""
        return Decimal(1) if self.step is None else self.step

    @property
    def apart(self) -> Decimal:
        """How far a rating and no rating are apart: r."""
        return self.high - self.low + self.null_step

    def __str__(self) -> str:
        steps = "any value" if self.step is None else f"in steps of {plain(self.step)}"
        return f"{plain(self.low)} to {plain(self.high)}, {steps}"


def read_number(text: str) -> Decimal | None:
    """The number that a text is; None if it is none. Infinity and "not a number" are none."""
    return Decimal(text.strip()) if _NUMBER.fullmatch(text) else None


def plain(number: Decimal) -> str:
    """A number without exponent and without zeros at its end."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def find_scale(numbers: Collection[Decimal], scale: tuple[float, float] | None, step: float | None) -> Scale:
    """The scale that is given, with what is left open guessed from the ratings. A step of 0: any value.

    Whole numbers make steps of 1; other ratings the widest step that fits all and 1, unless it is so fine that the
    scale is continuous.

    >>> str(find_scale([Decimal("0.5"), Decimal("4"), Decimal("5")], None, None))
    '0.5 to 5, in steps of 0.5'
    >>> str(find_scale([Decimal("-9.81"), Decimal("7.33")], (-10, 10), None))
    '-10 to 10, any value'
    >>> str(find_scale([Decimal("2"), Decimal("4.5")], (0, 10), 0))
    '0 to 10, any value'
    """
    given = None if scale is None else (Decimal(str(scale[0])), Decimal(str(scale[1])))
    low, high = given or (min(numbers, default=Decimal(0)), max(numbers, default=Decimal(1)))
    if max(abs(low), abs(high)) > _LARGEST or (step and high - low > _LARGEST * Decimal(str(step))):
        raise InputError(
            "the scale of the ratings is too large, or its step too small, to be counted exactly",
            hint="Give the ratings in another unit, or a wider step.",
        )
    if step is None:
        found = _guess_step({*numbers, low, high}, low, high)
    else:
        found = Decimal(str(step)) if step else None
    if found is not None and (high - low) % found:
        raise InputError(
            f"a step of {plain(found)} does not lead from {plain(low)} to {plain(high)}",
            hint="Give a scale that is a whole number of steps long.",
        )
    return Scale(low, high, found, is_guessed=given is None)


def with_round_ends(scale: Scale) -> Scale:
    """A guessed scale that ends at round numbers instead of at somebody's rating: ranges that are published end there.

    Few steps stay, for they are what everybody answers with.

    >>> low, high = Decimal("-8.41"), Decimal("71.209")
    >>> str(with_round_ends(Scale(low, high, None, is_guessed=True)))
    '-10 to 80, any value'
    >>> str(with_round_ends(Scale(Decimal(3), Decimal(97), Decimal(1), is_guessed=True)))
    '0 to 100, in steps of 1'
    >>> str(with_round_ends(Scale(Decimal(1), Decimal(5), Decimal(1), is_guessed=True)))
    '1 to 5, in steps of 1'
    """
    low, high, step = scale[:3]
    length = high - low
    if not scale.is_guessed or not length or (step is not None and length <= PARTS * step):
        return scale
    unit = Decimal(10) ** length.adjusted()
    below, above = low - _floor(low, unit) * unit, -_floor(-high, unit) * unit - high
    if step is not None:
        below, above = (-_floor(-part, step) * step for part in (below, above))
    return scale._replace(low=low - below, high=high + above)


def finest_part(scales: Iterable[Scale]) -> Decimal:
    """A twentieth of a scale without steps, the one with the most decimals: such scales are cut there. 0: none is.

    >>> finest_part([Scale(Decimal(-10), Decimal("10.5"), None), Scale(Decimal(1), Decimal(5), Decimal(1))])
    Decimal('1.025')
    """
    parts = [(scale.high - scale.low) / PARTS for scale in scales if scale.step is None]
    return min(parts, key=lambda part: part.normalize().as_tuple().exponent, default=Decimal(0))


def check_scale(numbers: Iterable[Decimal], scale: Scale) -> tuple[Decimal, str] | None:
    """The first rating that is not on the scale, and why it is not."""
    for number in numbers:
        if not scale.low <= number <= scale.high:
            return number, f"is outside the scale from {plain(scale.low)} to {plain(scale.high)}"
        if scale.step is not None and (number - scale.low) % scale.step:
            return number, f"is no step of the scale: {scale}"
    return None


def ticks(number: Decimal, decimals: int) -> int:
    """A number as whole ticks of 10^-decimals."""
    return int(number.scaleb(decimals).to_integral_value(ROUND_HALF_EVEN))


def common_unit(sizes: Sequence[int]) -> int:
    """The largest unit that divides all sizes."""
    return gcd(*sizes) or 1


def _floor(number: Decimal, unit: Decimal) -> Decimal:
    """How many units there are below a number."""
    return (number / unit).to_integral_value(ROUND_FLOOR)


def _guess_step(numbers: Collection[Decimal], low: Decimal, high: Decimal) -> Decimal | None:
    if all(number == number.to_integral_value() for number in numbers):
        return Decimal(1)
    size, length = Fraction(1), Fraction(high - low)
    for number in numbers:
        each = Fraction(number) - Fraction(low)
        size = Fraction(
            gcd(size.numerator * each.denominator, each.numerator * size.denominator),
            size.denominator * each.denominator,
        )
        if length / size > _MOST_STEPS:  # it only gets smaller
            return None
    return Decimal(size.numerator) / Decimal(size.denominator)
