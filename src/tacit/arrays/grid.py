"""Where published ranges of numbers and dates end: on multiples of a public width, and not among a few people.

An end that is somebody's value tells it to everybody. So the ends of a range are moved outward to multiples of a width
that is the same for the whole column: [19:22] becomes [15:25] with the width 5. Both ends belong to the range, and
ranges may touch. An end that fewer than k people reach is not told: the range is open, [≥15].
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Context, Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from tacit.errors import InputError
from tacit.job import Column

EXACT = "exact"
_MONDAY = date(1970, 1, 5)
"""Days are counted from here, so that multiples of 7 are weeks."""
_NEARLY_ALL = Decimal("0.9")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DIGITS = Context(prec=1000)
"""More than a number of the longest text, divided by another one, can have."""


@dataclass(frozen=True, eq=False)
class Grid:
    """What a range that begins, or ends, at a code is published as. The rows of pairs are lower and upper ends."""

    width: Decimal | None  # None: ends are values of the data
    is_fine: bool  # all values are multiples of the width, so that ends are values of the data, too
    texts: tuple[tuple[str, ...], tuple[str, ...]]  # of each code; empty where the range is open
    covered: np.ndarray  # int32, 2 × codes: the first code that a range from here holds, the last of one up to here
    reach: np.ndarray  # float64, 2 × codes: the same as numbers, within those of the column
    is_open: np.ndarray  # bool, 2 × codes
    is_coded: np.ndarray  # bool per code: beyond `top` or `bottom`, so that it is not even shown where all have it

    def widen(self, low: np.ndarray, high: np.ndarray) -> None:
        """Moves the ends of ranges of codes, in place, to all that their published texts may be; −1 if all of it."""
        given = np.flatnonzero((low >= 0) & (low <= high))
        wide = given[(low[given] < high[given]) | self.is_coded[low[given]]]
        first, last = self.covered[0, low[wide]], self.covered[1, high[wide]]
        tells_nothing = self.is_open[0, low[wide]] & self.is_open[1, high[wide]]
        low[wide], high[wide] = np.where(tells_nothing, -1, first), np.where(tells_nothing, -1, last)


def grid_of(
    texts: Sequence[str],
    missing: int,
    codes: np.ndarray,
    column: Column,
    k: int,
    persons: np.ndarray | None = None,
) -> Grid | None:
    """The grid of a column of numbers or dates, whose different texts are in their order; None if there is none.

    This is where the width is decided: what the column says, or the coarsest that the values have. `persons` says whose
    record each is, where some have several.
    """
    known = texts[: len(texts) - (missing >= 0)]
    if column.round == EXACT and column.top is None and column.bottom is None:
        return None
    days = _DAY.fullmatch(known[0]) is not None
    values = [_value(text, days=days) for text in known]
    given = codes < len(known)
    records = np.bincount(codes[given], minlength=len(known))
    width = _width(values, records, column, days=days)
    bottom, top = _limits(column, days=days)
    ends = _Ends(known, values, width, bottom, top, days, column.years)
    people = _outermost(codes[given], None if persons is None else persons[given], len(known))
    return ends.grid(people, k if width is not None else 0, len(texts))


def _outermost(codes: np.ndarray, persons: np.ndarray | None, size: int) -> tuple[np.ndarray, np.ndarray]:
    """How many people have each code as their lowest, and as their highest: so many more does an end there reach."""
    if persons is None:
        records = np.bincount(codes, minlength=size)
        return records, records
    order = np.lexsort((codes, persons))
    person, code = persons[order], codes[order]
    is_other = person[1:] != person[:-1]
    lowest, highest = np.append(True, is_other), np.append(is_other, True)
    if not person.size:
        lowest = highest = np.zeros(0, bool)
    return np.bincount(code[lowest], minlength=size), np.bincount(code[highest], minlength=size)


def width_in_job(grid: Grid) -> int | float | str:
    """The width as a job file writes it."""
    if grid.width is None:
        return EXACT
    return int(grid.width) if grid.width == int(grid.width) and grid.width < 1 << 53 else float(grid.width)


def coarsest_width(values: Sequence[Decimal], people: Sequence[int]) -> Decimal:
    """The coarsest of 1, 2, 5 × 10^j of which nine of ten people have a multiple; 0, a multiple of all, is left out.

    >>> coarsest_width([Decimal(0), Decimal(1500), Decimal(20000), Decimal(777)], [99, 5, 5, 1])
    Decimal('5E+2')
    """
    found: Counter[tuple[int, int]] = Counter()
    for value, count in zip(values, people, strict=True):
        _, digits, exponent = _DIGITS.normalize(value).as_tuple()
        if digits != (0,) and isinstance(exponent, int):
            found[exponent, digits[-1]] += count
    total = sum(found.values())
    coarser = 0
    for exponent in sorted({exponent for exponent, _ in found}, reverse=True):
        here = {digit: found[exponent, digit] for digit in range(1, 10)}
        fitting = {5: here[5], 2: here[2] + here[4] + here[6] + here[8], 1: sum(here.values())}
        for first, count in fitting.items():
            if coarser + count >= _NEARLY_ALL * total:
                return Decimal(first).scaleb(exponent)
        coarser += fitting[1]
    return Decimal(1)


@dataclass(frozen=True, eq=False)
class _Ends:
    """Both ends of the ranges that begin or end at each value of a column."""

    known: Sequence[str]
    values: Sequence[Decimal]  # of these texts, ascending
    width: Decimal | None
    bottom: Decimal | None
    top: Decimal | None
    days: bool
    years: tuple[int, int] | None = None  # those that days can be written with

    @cached_property
    def ends(self) -> tuple[list[Decimal], list[Decimal]]:
        """The lower ends, and the upper ones."""
        low, high = ([self.end(value, upper=upper) for value in self.values] for upper in (False, True))
        return low, high

    def end(self, value: Decimal, *, upper: bool) -> Decimal:
        """The next multiple outward, but on the same side of what the column says of both tails."""
        end = value
        if self.width is not None:
            times, rest = _DIGITS.divmod(value, self.width)
            times += int(rest > 0) if upper else -int(rest < 0)
            end = _DIGITS.multiply(times, self.width)
        if self.top is not None:
            end = min(end, self.top) if upper or value < self.top else self.top
        if self.bottom is not None:
            end = max(end, self.bottom) if not upper or value > self.bottom else self.bottom
        return end

    def grid(self, people: tuple[np.ndarray, np.ndarray], k: int, size: int) -> Grid:
        """The grid for codes of which those behind the values stand for themselves; `people` have each as outermost."""
        beyond, more = self.beyond(), size - len(self.values)
        low = beyond[0] if self.bottom is not None else self.few(people[0], k, upper=False)
        high = beyond[1] if self.top is not None else self.few(people[1], k, upper=True)
        texts = (*self.texts(0, low), *[""] * more), (*self.texts(1, high), *[""] * more)
        is_open = np.array([[text == "" for text in part] for part in texts], bool).reshape(2, size)
        is_fine = self.ends[0] == list(self.values)
        is_coded = np.append(beyond.any(axis=0), np.zeros(more, bool))
        return Grid(self.width, is_fine, texts, self.covered(is_open), self.reach(is_open), is_open, is_coded)

    def beyond(self) -> np.ndarray:
        """Which values lie beyond what the column says of its tails."""
        low = [self.bottom is not None and value <= self.bottom for value in self.values]
        high = [self.top is not None and value >= self.top for value in self.values]
        return np.array([low, high], bool).reshape(2, -1)

    def few(self, people: np.ndarray, k: int, *, upper: bool) -> np.ndarray:
        """Which ends fewer than k people reach: those in the outer cell of the range, and beyond."""
        step = -1 if upper else 1
        reached = np.cumsum(people[::step])
        return (reached[_lasts(self.ends[upper][::step])] < k)[::step]

    def texts(self, upper: int, is_open: np.ndarray) -> Iterator[str]:
        """The end of each value as it is written; empty where it is open."""
        places = 0 if self.days else _places(self.known, self.width, self.bottom, self.top)
        written = {}
        if self.width is None:
            written = dict(zip(self.values, self.known, strict=True))
        for end, hidden in zip(self.ends[upper], is_open.tolist(), strict=True):
            if end not in written:
                written[end] = _day(end, self.years) if self.days else f"{end:.{places}f}"
            yield "" if hidden else written[end]

    def covered(self, is_open: np.ndarray) -> np.ndarray:
        """The outermost code that a range holds, of those that it is written alike for."""
        count, size = len(self.values), is_open.shape[1]
        covered = np.tile(np.arange(size, dtype=np.int32), (2, 1))
        low, high = (list(zip(self.ends[i], is_open[i, :count].tolist(), strict=True)) for i in (0, 1))
        covered[0, :count] = np.where(is_open[0, :count], 0, count - 1 - _lasts(low[::-1])[::-1])
        covered[1, :count] = np.where(is_open[1, :count], count - 1, _lasts(high))
        return covered

    def reach(self, is_open: np.ndarray) -> np.ndarray:
        """The ends as numbers; nothing reaches farther than the column does."""
        least, most = float(self.values[0]), float(self.values[-1])
        reach = np.full(is_open.shape, np.nan)
        reach[:, : len(self.values)] = np.clip(np.array([list(map(float, part)) for part in self.ends]), least, most)
        reach[0, is_open[0]] = least
        reach[1, is_open[1]] = most
        return reach


def _width(values: Sequence[Decimal], people: np.ndarray, column: Column, *, days: bool) -> Decimal | None:
    if column.round == EXACT:
        return None
    if column.round is None:
        return coarsest_width(values, people.tolist())
    width = Decimal(str(column.round))
    if days and width != int(width):
        raise InputError(
            "round is no whole number of days", column=column.name, hint="Set for example round = 7, which is a week."
        )
    return width


def _limits(column: Column, *, days: bool) -> tuple[Decimal | None, Decimal | None]:
    """Where the open ranges begin that the column asks for."""
    found = []
    for key in ("bottom", "top"):
        given = getattr(column, key)
        if given is not None and isinstance(given, str) is not days:
            example = '"2024-03-05"' if days else "90"
            raise InputError(
                f"{key} is a {'number' if days else 'date'}, but the column holds {'dates' if days else 'numbers'}",
                column=column.name,
                hint=f"Set for example {key} = {example}.",
            )
        found.append(None if given is None else _value(str(given), days=days))
    bottom, top = found
    if bottom is not None and top is not None and bottom >= top:
        raise InputError("bottom is not below top", column=column.name, hint="Exchange the two.")
    return bottom, top


def _lasts(ends: Sequence[Any]) -> np.ndarray:
    """For each place the last one of the run of equal ends that it is in."""
    differs = np.array([one != other for one, other in pairwise(ends)] + [True], bool)
    lasts = np.flatnonzero(differs)
    return lasts[np.searchsorted(lasts, np.arange(differs.size))].astype(np.int32)


def _value(text: str, *, days: bool) -> Decimal:
    return Decimal((date.fromisoformat(text) - _MONDAY).days) if days else Decimal(text.strip())


def _day(end: Decimal, years: tuple[int, int] | None) -> str:
    """The date; empty, as an open range, where the calendar, or the column's years of two digits, have no more."""
    try:
        day = _MONDAY + timedelta(days=int(end))
    except OverflowError:
        return ""
    return day.isoformat() if years is None or years[0] <= day.year <= years[1] else ""


def _places(known: Sequence[str], *limits: Decimal | None) -> int:
    """How many decimals ends are written with: as many as needed, and no fewer than every value has."""
    shown = min(0 if "e" in text.lower() else len(text.strip().partition(".")[2]) for text in known)
    exponents = (_DIGITS.normalize(limit).as_tuple().exponent for limit in limits if limit is not None)
    return max(shown, *(-exponent for exponent in exponents if isinstance(exponent, int)), 0)
