"""Numbers that count or measure something, told from those that are given out to people."""

from __future__ import annotations

import re

import numpy as np

from tacit.init import shapes
from tacit.init.evidence import Evidence

OF_A_PHONE = 7
"""So many digits have numbers of people, of phones and of accounts, and hardly any list of classes."""
_OF_A_BODY = 300
"""Heights, weights, pulses and pressures are smaller, and do not begin near nothing."""


def are_no_amounts(column: Evidence) -> bool:
    """Whether numbers are written as no amount is: with zeros before them, or long and always of one length."""
    return column.share(_is_padded) > 0 or are_long_and_alike(column)


def _is_padded(text: str) -> bool:
    """A number of several digits with zeros before it: those of an account or of a phone are, and no amount is."""
    return len(text) >= _PADDED and text[0] == "0" and all(sign.isdigit() or sign == " " for sign in text)


_PADDED = 5


def are_long_and_alike(column: Evidence) -> bool:
    """Whole numbers of one length, of seven digits or more, that are not round: no amounts, though the header
    says so. Days and moments are written so, too."""
    numbers, (low, high) = column.magnitudes, column.digits
    if numbers is None or low != high or low < OF_A_PHONE or np.any(numbers % 1) or column.share(shapes.is_day) > 0.9:
        return False
    return bool(np.mean(numbers % 10 == 0) < 0.3)


def begins_low_and_is_dense(numbers: np.ndarray) -> bool:
    low, high = np.quantile(numbers, [0.05, 0.95])
    is_dense = np.count_nonzero((numbers >= low) & (numbers <= high)) >= 0.4 * (high - low + 1)
    return bool(is_dense and (high < _OF_A_BODY or low <= 0.5 * high))


def lie_evenly(column: Evidence) -> bool:
    """Whether numbers, nearly each of another row, lie evenly between the ends: drawn, not counted."""
    numbers = column.magnitudes
    if numbers is None or numbers.size < _ENOUGH_TO_TELL or column.variety < 0.9:
        return False
    place = (np.sort(numbers) - numbers.min()) / max(np.ptp(numbers), 1)
    return bool(np.abs(place - np.linspace(0, 1, place.size)).max() < _EVEN)


_ENOUGH_TO_TELL = 30
_EVEN = 0.1


def are_given_out(column: Evidence) -> bool:
    """Whether many whole numbers of equally many digits, at least three, lie evenly between the ends, most of them in
    one or two rows: numbers of rooms, of lockers or of people, whatever is measured is more frequent somewhere."""
    numbers, (low, high) = column.magnitudes, column.digits
    if numbers is None or low != high or low < _OF_A_NUMBER or column.variety <= 0.3 or numbers.size < _ENOUGH_TO_TELL:
        return False
    order = np.argsort(numbers)
    place = (numbers[order] - numbers.min()) / max(np.ptp(numbers), 1)
    reached = np.cumsum(column.counts[order]) / column.filled
    return bool(np.abs(place - reached).max() < _EVEN)


_OF_A_NUMBER = 3


def is_heaped(column: Evidence) -> bool:
    """Whether rows, each number as often as it occurs, have a middle: what is measured comes back there."""
    numbers = column.magnitudes
    if numbers is None or numbers.size < _ENOUGH_TO_TELL or column.shared_by < _SEVERAL_ROWS:
        return False
    low, middle, high = np.quantile(np.repeat(numbers, column.counts), [0.05, 0.5, 0.95])
    half = np.repeat(numbers, column.counts)
    share = np.mean(np.abs(half - (low + high) / 2) < (high - low) / 4)
    return bool(share >= _HEAPED and abs(middle - (low + high) / 2) < (high - low) / 4)


_SEVERAL_ROWS = 3
_HEAPED = 0.56
"""Of numbers that lie evenly, nine of twenty are in the middle half of where nine of ten are."""


def has_a_middle(numbers: np.ndarray) -> bool:
    """Whether different numbers are more frequent in the middle half of their range than everywhere, or in the lower:
    of numbers that were given out, half lie in each half."""
    if numbers.size < _ENOUGH_TO_TELL:
        return False
    place = (numbers - numbers.min()) / max(np.ptp(numbers), 1)
    return bool(max(np.mean(np.abs(place - 0.5) < 0.25), np.mean(place < 0.5)) >= 0.72)


def differ_by_long_numbers(column: Evidence) -> bool:
    """Whether values have the same words, and numbers of three digits or more behind them tell them apart: known words
    vouch for none, as in `Patient 30344`."""
    found = [_WITH_A_LONG_NUMBER.fullmatch(text) for text in column.sample]
    begins = {each[1] for each in found if each is not None}
    return column.distinct > 2 and len(begins) == 1 and all(found)


def are_numbered_from_anywhere(column: Evidence) -> bool:
    """Whether values have the same signs before numbers of four digits or more that follow each other: rows or people
    were counted somewhere, and this is a part of it. Years follow each other, too."""
    found = [_COUNTED.fullmatch(text.replace(",", "")) for text in column.sample]
    numbers = [int(each[2]) for each in found if each is not None]
    if len(numbers) < max(3, len(found)) or len({each[1] for each in found if each is not None}) > 1:
        return False
    return min(numbers) > _YEARS_END and max(numbers) - min(numbers) < 2 * len(numbers)


_COUNTED = re.compile(r"(\D*)0*(\d{3,15})(?:\.0)?")
_YEARS_END = 2100
_WITH_A_LONG_NUMBER = re.compile(r"(\D*[^\W\d_]\D*)\d{3,}")
