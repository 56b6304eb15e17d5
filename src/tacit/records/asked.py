"""What is asked of each sensitive column: how diverse it must be, what of it may be learnt, and what counts as near.

Where a column has a width, its numbers are coded in their order, and whoever guesses a number guesses a window: all
numbers from one on that are less than the width above it. No window may hold more than 1/ℓ of a group, or, where
values are counted, a group has ℓ of them that are the width apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.arrays.persons import once_each
from tacit.arrays.spellings import plain
from tacit.errors import InputError
from tacit.job import Column

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]{1,80}\.?[0-9]{0,80}|\.[0-9]{1,80})(?:[eE][+-]?[0-9]{1,2})?\s*")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class Asked(NamedTuple):
    """A sensitive column as a search takes it."""

    codes: np.ndarray  # int32 per record
    l: float  # noqa: E741
    harmless: np.ndarray  # bool per code: may be learnt
    reach: np.ndarray  # int64 per code: from which code on values are no longer near; by itself the next

    @classmethod
    def plainly(cls, codes: np.ndarray, l: float) -> Asked:  # noqa: E741
        """Every value for itself, none of them harmless."""
        n = int(codes.max(initial=-1)) + 1
        return cls(codes, float(l), np.zeros(n, bool), np.arange(1, n + 1))

    @property
    def has_width(self) -> bool:
        return bool((self.reach > np.arange(1, self.reach.size + 1)).any())


def asked_of(attribute: Attribute, column: Column, l: float, markers: Collection[str]) -> Asked:  # noqa: E741
    """What a column asks, where the promise asks for ℓ; `markers` mean "no value"."""
    harmless = _harmless(attribute, column, markers)
    if column.width is None:
        meaning = attribute.meanings
        of_code = np.zeros(int(meaning.max(initial=-1)) + 1, bool)
        np.logical_or.at(of_code, meaning, harmless[attribute.codes])
        return Asked.plainly(meaning, column.l or l)._replace(harmless=of_code)
    place, reach = _windows(attribute, column)
    of_code = np.zeros(reach.size, bool)
    np.logical_or.at(of_code, place, harmless)
    return Asked(place[attribute.codes].astype(np.int32), float(column.l or l), of_code, reach)


def in_part(attribute: Attribute, column: Column, markers: Collection[str]) -> Column:
    """A column as it asks of a part of the records: what stands in none of them is not asked about."""
    read = plain if attribute.fold else str
    held = {read(text) for text in attribute.texts} | set(map(read, ("", *markers)))
    numbers = (_number(text, column) for code, text in enumerate(attribute.texts) if code != attribute.missing)
    width = column.width if any(number is not None for number in numbers) else None
    return replace(column, harmless=tuple(text for text in column.harmless if read(text) in held), width=width)


def _harmless(attribute: Attribute, column: Column, markers: Collection[str]) -> np.ndarray:
    """Which texts are declared harmless, in any spelling if these count as one; a marker stands for "no value"."""
    read = plain if attribute.fold else str
    listed = {read(text) for text in column.harmless}
    found = np.array([read(text) in listed for text in attribute.texts], bool)
    if attribute.missing >= 0:
        found[attribute.missing] = bool(set(column.harmless) & {"", *markers})
    held = {read(text) for text in attribute.texts}
    absent = [text for text in column.harmless if read(text) not in held and text not in {"", *markers}]
    if absent and attribute.texts:
        raise InputError(
            f"`harmless` lists {len(absent):,} value{'s' * (len(absent) > 1)} that no record has",
            column=column.name,
            hint="Correct the spelling, or take it out of the list.",
        )
    return found


def _windows(attribute: Attribute, column: Column) -> tuple[np.ndarray, np.ndarray]:
    """The code of each text in the order of the numbers, others behind them, and where the window of each one ends."""
    texts = enumerate(attribute.texts)
    numbers = [None if code == attribute.missing else _number(text, column) for code, text in texts]
    known = sorted({number for number in numbers if number is not None})
    if not known and any(code != attribute.missing for code in range(len(attribute.texts))):
        raise InputError(
            "width is set, but no value is a number or a date",
            column=column.name,
            hint="Leave width out: texts are alike or they are not.",
        )
    place, at = np.empty(len(numbers), np.int64), {number: code for code, number in enumerate(known)}
    others: dict[str, int] = {}
    for code, number in enumerate(numbers):
        text = attribute.texts[code]
        form = "" if code == attribute.missing else plain(text) if attribute.fold else text
        place[code] = at[number] if number is not None else len(known) + others.setdefault(form, len(others))
    reach, width, end = np.arange(1, len(known) + len(others) + 1), Decimal(str(column.width)), 0
    for code, number in enumerate(known):
        while end < len(known) and known[end] - number < width:
            end += 1
        reach[code] = end
    return place, reach


def _number(text: str, column: Column) -> Decimal | None:
    """The exact number, or the day in days, that a text is."""
    if column.type != "date" and _NUMBER.fullmatch(text):
        return Decimal(text.strip())
    if column.type != "number" and _DAY.fullmatch(text):
        try:
            return Decimal(date.fromisoformat(text).toordinal())
        except ValueError:  # no such day
            return None
    return None


def reached(asked: Asked, kind: str, persons: np.ndarray | None = None) -> float:
    """The largest ℓ of a sensitive column, all records as one group; infinite if all that they have is harmless.

    With `persons`, each of them counts once for each value; what all of them have is known of everybody.

    >>> plainly = Asked.plainly(np.array([0, 0, 1, 2]), 2)
    >>> reached(plainly, "frequency"), reached(plainly, "distinct"), round(reached(plainly, "entropy"), 3)
    (2.0, 3, 2.828)
    >>> near = plainly._replace(reach=np.array([2, 3, 3]))
    >>> reached(near, "frequency"), reached(near, "distinct")
    (1.3333333333333333, 2)
    >>> reached(near._replace(harmless=np.array([True, False, False])), "frequency")
    2.0
    """
    codes, people = asked.codes, asked.codes.size
    if persons is not None:
        people, codes = np.unique(persons).size, codes[once_each(persons, codes)]
    counts = np.bincount(codes, minlength=asked.reach.size)
    most = most_in_a_window(counts, asked)
    if not most:
        return math.inf
    if kind == "frequency":
        return people / most
    if persons is not None and most >= people:
        return 1
    if kind == "distinct":
        return apart(np.flatnonzero(counts), asked.reach)
    counts = counts[counts > 0]
    return float(np.exp(np.log(codes.size) - (counts @ np.log(counts)) / codes.size))


def most_in_a_window(counts: np.ndarray, asked: Asked) -> int:
    """How many have a value of one window at most, harmless ones left out."""
    sums = np.append(0, np.cumsum(np.where(asked.harmless, 0, counts)))
    return int((sums[asked.reach] - sums[:-1]).max(initial=0))


def apart(codes: Sequence[int] | np.ndarray, reach: np.ndarray) -> int:
    """How many of these codes, in order, can be chosen so that none is near another: always the lowest that is free."""
    found, end = 0, 0
    for code in codes:
        if code >= end:
            found, end = found + 1, int(reach[code])
    return found
