"""Sensitive columns of which ℓ different values say little: everybody's is another one, or they are nearly the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation

import numpy as np

from tacit.arrays.attributes import Attribute
from tacit.job import Column
from tacit.job.checks import identifies

CLOSE = 0.05
"""Numbers within this share of a range, or of their own size, tell nearly the same."""
_WHAT_TO_DO = (
    "`width` of the column counts values that far apart as different (promise 'l'), 't' compares distributions"
)


def numbers_of(attribute: Attribute) -> np.ndarray | None:
    """The number of each text, NaN for a missing value; None if some text is none."""
    numbers = np.full(len(attribute.texts), np.nan)
    for code, text in enumerate(attribute.texts):
        if code != attribute.missing:
            with suppress(InvalidOperation):
                numbers[code] = float(Decimal(text.strip()))
            if not np.isfinite(numbers[code]):
                return None
    return numbers if np.isfinite(numbers).any() else None


def notes_on_sensitive(attribute: Attribute, column: Column) -> Iterator[str]:
    """Warns of a column in which ℓ different values may be no secret. Codes of categories are near to nothing."""
    records, different, name = len(attribute), len(attribute.texts) - (attribute.missing >= 0), attribute.name
    numbers = None if column.type == "category" else numbers_of(attribute)
    if identifies(records, different) and column.width is None:
        yield (
            f"column {name!r} has {different:,} different values in {records:,} records: any ℓ records are diverse in "
            "it, however near their values, and somebody who knows one of them knows whose record it is. Is it an "
            f"identifier? Of numbers, {_WHAT_TO_DO}"
        )
    elif numbers is not None and different > 1 and column.width is None:
        low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
        if high - low <= CLOSE * max(abs(low), abs(high)):
            yield (
                f"all values of {name!r} lie within {CLOSE:.0%} of each other: to be told apart, they need not differ "
                f"much ({_WHAT_TO_DO})"
            )


def notes_on_groups(attribute: Attribute, group: np.ndarray, n_groups: int) -> Iterator[str]:
    """Warns of groups whose values of a column are different numbers, and nearly the same."""
    numbers = numbers_of(attribute)
    if numbers is None or n_groups < 2:
        return
    value, low, high = numbers[attribute.codes], np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    known = np.isfinite(value)
    np.minimum.at(low, group[known], value[known])
    np.maximum.at(high, group[known], value[known])
    whole = float(np.nanmax(numbers) - np.nanmin(numbers))
    close = int(np.count_nonzero((high > low) & (high - low <= CLOSE * whole)))
    if close:
        yield (
            f"in {close:,} of {n_groups:,} groups values of {attribute.name!r} are within {CLOSE:.0%} of its range. "
            f"They differ, and tell nearly the same ({_WHAT_TO_DO})"
        )
