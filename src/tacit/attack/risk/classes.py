"""Classes of records with equal keys, and what they say: prosecutor, journalist and marketer risk (El Emam 2013)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

THRESHOLDS = (0.09, 0.2)
"""What the EMA and Health Canada allow for data that are published, and what is usual under a contract."""
_TABLE, _A_RECORD = 1 << 16, 4
"""Codes up to here, or up to so many a record, are looked up in a table; larger ones are sorted."""


class Classes(NamedTuple):
    """The class of each record, and how many records each class has."""

    of: np.ndarray  # int32 per record
    sizes: np.ndarray  # int64 per class

    @property
    def of_record(self) -> np.ndarray:
        """For each record the size of its class."""
        return self.sizes[self.of]

    @property
    def uniques(self) -> int:
        return int(np.count_nonzero(self.sizes == 1))


def classes_of(columns: Iterable[np.ndarray], records: int) -> Classes:
    """Records with the same codes in all columns; without any column all are alike.

    >>> classes_of([np.array([0, 0, 1]), np.array([5, 5, 5])], 3).sizes.tolist()
    [2, 1]
    """
    code = np.zeros(records, np.int32)
    for place, column in enumerate(columns):
        if not place:  # as it is, if that is close enough to numbers without gaps
            code = _renumbered(column)
            continue
        both = code.astype(np.int64)
        both *= int(column.max(initial=0)) + 1
        both += column
        code = _renumbered(both)
    return Classes(code, np.bincount(code, minlength=1 if records else 0))


def _renumbered(code: np.ndarray) -> np.ndarray:
    """Whole numbers of at least 0 as the numbers from 0 up, in the same order, and half as large in memory."""
    if code.size and (most := int(code.max())) < max(_TABLE, _A_RECORD * code.size):
        occurs = np.zeros(most + 1, bool)
        occurs[code] = True
        number = np.cumsum(occurs, dtype=np.int32)
        number -= 1
        return number[code]
    order = np.argsort(code)  # what np.unique does, in half of its memory
    is_new = np.empty(code.size, bool)
    is_new[:1] = True
    in_order = code[order]
    np.not_equal(in_order[1:], in_order[:-1], out=is_new[1:])
    number = np.cumsum(is_new, dtype=np.int32)
    number -= 1
    found = np.empty(code.size, np.int32)
    found[order] = number
    return found


def guesses(risk: np.ndarray, thresholds: Sequence[float]) -> dict[str, Any]:
    """Highest and average of the chances to be found, and the share of records above some thresholds."""
    above = {f"{limit:g}": float(np.mean(risk > limit + 1e-12)) if risk.size else 0.0 for limit in thresholds}
    return {
        "highest": float(risk.max(initial=0.0)),
        "average": float(risk.mean()) if risk.size else 0.0,
        "above": above,
        "records_above": {limit: round(share * risk.size) for limit, share in above.items()},
    }


def prosecutor(classes: Classes, thresholds: Sequence[float] = THRESHOLDS) -> dict[str, Any]:
    """Of somebody who knows that a person is in the file: 1 ÷ size of the person's class."""
    return guesses(1.0 / classes.of_record, thresholds)


def in_population(sizes: np.ndarray, classes: Classes, thresholds: Sequence[float]) -> dict[str, Any]:
    """Journalist and marketer risk, given how many people of a population belong to the class of each record."""
    risk = 1.0 / np.maximum(sizes, 1)
    return {"journalist": guesses(risk, thresholds), "marketer": float(risk.mean()) if risk.size else 0.0}
