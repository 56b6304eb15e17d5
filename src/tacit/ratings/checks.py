"""What a promise about known ratings needs of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.errors import InputError
from tacit.job import Job
from tacit.promises import INFINITE
from tacit.ratings.data import Ratings


def check_known(data: Ratings, promise: Any, job: Job) -> None:
    """Refuses an issue that nobody rated, and more known ratings than anybody gave."""
    if not len(data):
        return
    known = ~data.is_sensitive
    raters = np.bincount(data.issues, minlength=len(data.names))
    silent = np.flatnonzero(known & (raters == 0))
    if silent.size:
        hint = "Take the column out of the job, or correct what means 'not rated' (`missing` under [input])."
        problem = "nobody rated this issue: every cell of the column is empty"
        raise InputError(problem, file=job.input.source, column=data.names[silent[0]], hint=hint)
    check_enough_known(most_rated(data), promise, job)


def most_rated(data: Ratings) -> int:
    """How many issues that are not sensitive somebody rated at most."""
    before = np.concatenate(([0], np.cumsum(~data.is_sensitive[data.issues])))
    return int(np.diff(before[data.indptr]).max(initial=0))


def check_enough_known(most: int, promise: Any, job: Job) -> None:
    """Refuses more known ratings than anybody gave, which is `most`."""
    if promise.m != INFINITE and promise.m > most and most:
        hint = f'Set m = {most} or less in [privacy], or m = "inf" for any number.'
        problem = f"m = {promise.m}, but nobody rated more than {most:,} issues that are not sensitive"
        raise InputError(problem, file=job.file, hint=hint)
