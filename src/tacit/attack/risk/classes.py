"""Classes of records with equal keys, and what they say: prosecutor, journalist and marketer risk (El Emam 2013)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

THRESHOLDS = (0.09, 0.2)
"""What the EMA and Health Canada allow for data that are published, and what is usual under a contract."""
RECORDS_ARE_COUNTED = "records are counted, not people: it is not known which row is whose"
_TABLE, _A_RECORD = 1 << 16, 4
"""Codes up to here, or up to so many a record, are looked up in a table; larger ones are sorted."""


class Classes(NamedTuple):
    """The class of each record, and how many people each class has: as many as records, unless some have several."""

    of: np.ndarray  # int32 per record
    sizes: np.ndarray  # int64 per class

    @property
    def of_record(self) -> np.ndarray:
        """For each record the size of its class."""
        return self.sizes[self.of]

    @property
    def records(self) -> np.ndarray:
        """How many records each class has."""
        return np.bincount(self.of, minlength=self.sizes.size)

    @property
    def uniques(self) -> int:
        """How many records are of somebody who is alone in the class."""
        return int(self.records[self.sizes == 1].sum())

    @property
    def average(self) -> float:
        """The mean over records of 1 ÷ size of the class."""
        return float((self.records / self.sizes).sum() / self.of.size) if self.of.size else 0.0


def classes_of(columns: Iterable[np.ndarray], records: int, people: np.ndarray | None = None) -> Classes:
    """Records with the same codes in all columns; without any column all are alike. `people` says whose each one is.

    >>> classes_of([np.array([0, 0, 1]), np.array([5, 5, 5])], 3).sizes.tolist()
    [2, 1]
    >>> classes_of([np.array([0, 0, 1])], 3, np.array([7, 7, 7])).sizes.tolist()
    [1, 1]
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
    classes = Classes(code, np.bincount(code, minlength=1 if records else 0))
    return classes if people is None else Classes(code, np.bincount(code[one_a_person(classes, people)]))


def one_a_person(classes: Classes, people: np.ndarray) -> np.ndarray:
    """Of each person in each class one record."""
    both = classes_of([classes.of, people], people.size)
    some = np.empty(both.sizes.size, np.int64)
    some[both.of] = np.arange(people.size)
    return some


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
    """Journalist and marketer risk, given how many people of a population belong to each class."""
    risk = 1.0 / np.maximum(sizes, 1)[classes.of]
    return {"journalist": guesses(risk, thresholds), "marketer": float(risk.mean()) if risk.size else 0.0}
