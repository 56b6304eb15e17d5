"""What no method can keep on some records: not even all of them as one group keep a promise above these bounds.

A promise names the function that looks at the data for it; what it refuses, it refuses with what could be reached.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tacit.baskets.reach import check_people
from tacit.errors import PromiseError
from tacit.job import Job
from tacit.promises import exact
from tacit.records.asked import Asked, most_in_a_window, reached
from tacit.records.data import RecordData


def enough_records(data: RecordData, promise: Any, job: Job) -> None:
    """Fewer than k records cannot hide each other."""
    people, k, what = len(data), promise.k, "records"
    if data.persons is not None:
        people, what = np.unique(data.persons).size, "persons"
    if 0 < people < k:
        reach = f"k = {people} could be reached" if people > 1 else "No k above 1 could be reached"
        raise PromiseError(f"k = {k}, but there are only {people:,} {what}.\n  {reach}.")


def diverse_enough(data: RecordData, promise: Any, job: Job) -> None:
    """Each sensitive column of the whole table must be as diverse as each group is to be.

    That is so where everybody has one record. Otherwise smaller groups may be more diverse, and the search tells.
    """
    enough_records(data, promise, job)
    if len(data) and data.persons is None:
        for attribute, asked in zip(data.sensitive, data.asked(promise.l), strict=True):
            _check_column(attribute.name, asked, promise.kind)


def enough_people(data: RecordData, promise: Any, job: Job) -> None:
    """The baskets of fewer than k people cannot hide each other."""
    enough_records(data, promise, job)
    if promise.k > 1 and len(data) and data.baskets is not None:
        check_people(data.baskets, promise.k)


def rare_enough(data: RecordData, promise: Any, job: Job) -> None:
    """No sensitive item may be in more than 1/ℓ of all records."""
    enough_records(data, promise, job)
    if not len(data) or data.baskets is None or data.persons is not None:
        return
    most = int(np.bincount(data.baskets.sensitive()[1], minlength=1).max())
    if most > len(data) * promise.bound:
        raise PromiseError(
            f"ℓ = {promise.l:g}, but one sensitive item is in {most:,} of {len(data):,} records.\n"
            f"  {_reach(len(data) / most)}."
        )


def _check_column(name: str, asked: Asked, kind: str) -> None:
    """A sensitive column of the whole table must be as diverse as each group is to be."""
    counts, most = np.bincount(asked.codes, minlength=asked.reach.size), reached(asked, kind)
    if kind == "distinct":
        values = f"value{'s' * (most != 1)} {'its width apart' if asked.has_width else ''}".strip()
        why, holds = f"has only {most:,.0f} different {values}", most >= exact(asked.l)
    elif kind == "entropy":
        why, holds = "is less diverse than that in the whole table", most >= asked.l * (1 - 1e-12)
    else:
        alike, held = most_in_a_window(counts, asked), int(counts.sum())
        one = "values less than its width apart" if asked.has_width else "one value"
        why, holds = f"has {one} in {alike:,} of {held:,} records", alike * exact(asked.l) <= held
    if not holds:
        raise PromiseError(f"ℓ = {asked.l:g}, but the column {name!r} {why}.\n  {_reach(most)}.")


def _reach(l: float) -> str:  # noqa: E741 - its name in the promise
    """The largest ℓ that could be reached, rounded down, so that it can be set."""
    rounded = math.floor(l * 1000) / 1000
    return f"ℓ = {rounded:g} could be reached" if rounded > 1 else "No ℓ above 1 could be reached"
