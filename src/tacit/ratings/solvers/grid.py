"""The decimals that ratings are counted in: as many as they need, as far as whole numbers of the machine can hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tacit.errors import InputError
from tacit.ratings.scale import Scale, ticks

_MOST = 2**60
"""No sum over people and issues may be larger, in ticks; methods compare with 2^62, and add a few such sums."""
_MOST_ALONE = 2**61
"""No single rating may be larger, in ticks: the audit adds two of them."""
_FLOAT_DIGITS = 15
"""So many digits of a decimal number survive in a float of 64 bits."""
_MEAN_DECIMALS = 6
"""A mean has at most so many decimals more than the ratings."""
_LEAST_TICKS = 10**6
"""Ratings of a continuous scale are rounded only if so many different ones are left."""


class GridColumn(NamedTuple):
    """What a column of ratings needs: the different numbers in it, on this scale."""

    name: str
    scale: Scale
    numbers: Sequence[Decimal]
    is_float: bool

    @property
    def ends(self) -> tuple[Decimal, ...]:
        return (self.scale.low, self.scale.high, self.scale.null_step)


class Grid(NamedTuple):
    """A tick is 10^-decimals. Columns that have finer ratings are rounded to it."""

    decimals: int
    rounded: tuple[str, ...]


def find_grid(
    columns: Sequence[GridColumn], epsilon: Decimal, cells: int, source: str | Path, *, spare: int = 0
) -> Grid:
    """As many decimals as all columns need, and some to spare if there is room; or as sums over so many cells allow.

    Ratings of a continuous scale may be rounded then: they are published as rounded, so the promise is exact. Nothing
    else is rounded (but a guessed scale, which goes with its ratings).
    """
    needed = _decimals((epsilon, *(number for column in columns for number in (*column.ends, *column.numbers))))
    fitting = [_fitting(column, cells) for column in columns]
    decimals = min((needed, *fitting))
    if decimals < 0:
        problem = "the ratings or their scale are too large to be counted exactly"
        name = columns[fitting.index(decimals)].name
        raise InputError(problem, file=source, column=name, hint="Give the ratings in a larger unit.")
    if decimals == needed:
        return Grid(min((needed + spare, *fitting)), ())
    for column in columns:
        if not _is_fit(column, decimals):
            problem = "the ratings, their scale or step have more digits than can be compared exactly"
            hint = f"Round them to {decimals} decimals."
            raise InputError(problem, file=source, column=column.name, hint=hint)
    return Grid(decimals, tuple(column.name for column in columns if not _on_grid(column.numbers, decimals)))


def decimals_of_means(times: np.ndarray) -> int:
    """How many decimals more the means of so many ratings each need; thirds and the like are rounded to a few.

    >>> decimals_of_means(np.array([1, 2, 4])), decimals_of_means(np.array([1, 3]))
    (2, 6)
    """
    different = np.unique(times).tolist()
    return max(next((d for d in range(_MEAN_DECIMALS) if 10**d % each == 0), _MEAN_DECIMALS) for each in different)


def _is_fit(column: GridColumn, decimals: int) -> bool:
    """Whether a column may be counted in so many decimals."""
    is_continuous = column.scale.step is None
    if not (is_continuous and column.scale.is_guessed) and not _on_grid(column.ends, decimals):
        return False
    may_round = is_continuous and column.scale.apart >= Decimal(_LEAST_TICKS).scaleb(-decimals)
    return may_round or _on_grid(column.numbers, decimals)


def rounded_scale(scale: Scale, decimals: int) -> Scale:
    """The scale with ends that are whole ticks; only one that was guessed from finer ratings is changed by that."""
    low, high = (Decimal(ticks(end, decimals)).scaleb(-decimals) for end in (scale.low, scale.high))
    return scale._replace(low=low, high=high)


def is_on_grid(number: Decimal, decimals: int) -> bool:
    """Whether a number is a whole number of ticks."""
    return Decimal(ticks(number, decimals)).scaleb(-decimals) == number


def _on_grid(numbers: Iterable[Decimal], decimals: int) -> bool:
    return all(is_on_grid(number, decimals) for number in numbers)


def _decimals(numbers: Iterable[Decimal]) -> int:
    """The decimals that all numbers need."""
    needed = 0
    for number in numbers:
        exponent = number.normalize().as_tuple().exponent
        needed = max(needed, -exponent if isinstance(exponent, int) else 0)
    return needed


def _fitting(column: GridColumn, cells: int) -> int:
    """The most decimals that a column leaves room for; −1 if its numbers are too large for none."""
    largest = max(abs(number) for number in (*column.ends, *column.numbers))
    widest = max(column.scale.apart, *(abs(number - column.scale.low) for number in (Decimal(0), *column.numbers)))
    room = [(largest, _MOST_ALONE), (widest, _MOST // max(cells, 1))]
    if column.is_float and column.scale.step is None:
        room.append((largest, 10**_FLOAT_DIGITS - 1))
    return min(_places(number, most) for number, most in room)


def _places(number: Decimal, most: int) -> int:
    """The most decimals with which a number above 0 is at most so many ticks; −1 if it is more without any."""
    decimals = max(len(str(most)) - number.adjusted() - 1, -1)
    while decimals >= 0 and number.scaleb(decimals) > most:
        decimals -= 1
    return decimals
