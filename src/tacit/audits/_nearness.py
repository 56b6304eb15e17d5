"""Sensitive values as they count: which of them are numbers, how far a window reaches, and what is harmless."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from tacit.audits.values import number_of
from tacit.audits.views.cells import Cells
from tacit.audits.views.spellings import declared
from tacit.errors import InputError
from tacit.job.model import Column


class Repeats(NamedTuple):
    """Records in groups where somebody has several: for how many persons each one's person stands, too."""

    group: np.ndarray
    person: np.ndarray
    value: np.ndarray
    alike: np.ndarray


@dataclass(frozen=True, eq=False)
class Values:
    """The different values of a column: numbers in their order if it has a width, then others; else by their texts."""

    texts: list[str]
    of_code: np.ndarray  # int64: the value of each code of the cells
    ends: np.ndarray  # int64: the first value behind the window that begins with each one
    harmless: np.ndarray  # bool
    is_number: np.ndarray  # bool

    @classmethod
    def of(cls, cells: Cells, column: Column, markers: Collection[str], *, is_share: bool = False) -> Values:
        texts_read: list[str] = [str(text) for text in cells.texts]
        numbers: list[Decimal | None] = [None] * len(texts_read)
        if column.width is not None:
            read = enumerate(texts_read)
            numbers = [None if code == cells.missing else _number(text, column) for code, text in read]
            if texts_read and cells.missing < 0 and not is_share and all(number is None for number in numbers):
                raise InputError("width is set, but no value is a number or a date", column=column.name)
        pairs = list(zip(numbers, texts_read, strict=True))
        known = sorted({number for number in numbers if number is not None})
        others = sorted({text for number, text in pairs if number is None})
        place_of, place_of_other = ({each: at for at, each in enumerate(some)} for some in (known, others))
        of_code = np.array(
            [len(known) + place_of_other[text] if number is None else place_of[number] for number, text in pairs],
            np.int64,
        )
        different = len(known) + len(others)
        texts, harmless = [""] * different, np.zeros(different, bool)
        listed = declared(texts_read, column.harmless, fold=column.fold)
        if cells.missing >= 0:
            listed[cells.missing] = bool({"", *markers} & set(column.harmless))
        for code, value in enumerate(of_code.tolist()):
            texts[value] = texts_read[code]
            harmless[value] |= listed[code]
        ends, is_number = np.arange(1, different + 1), np.arange(different) < len(known)
        ends[: len(known)] = _ends(known, column.width)
        return cls(texts, of_code, ends, harmless, is_number)


def _number(text: str, column: Column) -> Decimal | None:
    """The number, or the day in days, that a text is; a column of the one type has none of the other."""
    is_day = text[4:5] == "-" and text.count("-") == 2
    if column.type in ("number", "date") and is_day != (column.type == "date"):
        return None
    return number_of(text)


def _ends(numbers: list[Decimal], width: float | None) -> np.ndarray:
    """For each of some rising numbers the place of the first one that is at least the width above it."""
    ends, end = np.zeros(len(numbers), np.int64), 0
    for at, number in enumerate(numbers):
        while end < len(numbers) and numbers[end] < number + Decimal(repr(width)):
            end += 1
        ends[at] = end
    return ends


def in_windows(pairs: np.ndarray, counts: np.ndarray, values: Values, repeats: Repeats | None) -> np.ndarray:
    """For each (group, value) how many people have a value of the window that begins there, harmless ones left out.

    `pairs` are group · number of values + value, ascending. A window that begins with a harmless value is none.
    """
    n_values = max(len(values.texts), 1)
    where, value = pairs // n_values, pairs % n_values
    sums = np.concatenate(([0], np.cumsum(np.where(values.harmless[value], 0, counts))))
    behind = np.searchsorted(pairs, where * n_values + values.ends[value])
    inside = sums[behind] - sums[:-1]
    inside[values.harmless[value]] = 0
    if repeats is not None:
        _count_persons(inside, pairs, values, repeats)
    return inside


def _count_persons(inside: np.ndarray, pairs: np.ndarray, values: Values, repeats: Repeats) -> None:
    """In groups where somebody has several values: a person counts once in a window, whatever of it the person has."""
    n_values, (group, person, value, alike) = max(len(values.texts), 1), repeats
    counts = ~values.harmless[value]
    for at in np.flatnonzero(np.isin(pairs // n_values, group)).tolist():
        first = pairs[at] % n_values
        if not values.harmless[first]:
            here = counts & (group == pairs[at] // n_values) & (value >= first) & (value < values.ends[first])
            inside[at] = alike[here][np.unique(person[here], return_index=True)[1]].sum()


def apart(pairs: np.ndarray, values: Values, groups: int) -> np.ndarray:
    """For each group how many of its values can be chosen so that no window holds two: the lowest first."""
    n_values = max(len(values.texts), 1)
    edges = np.searchsorted(pairs, np.arange(groups + 1) * n_values)
    at, found = edges[:-1].copy(), np.zeros(groups, np.int64)
    while (left := np.flatnonzero(at < edges[1:])).size:
        found[left] += 1
        at[left] = np.searchsorted(pairs, left * n_values + values.ends[pairs[at[left]] % n_values])
    return found
