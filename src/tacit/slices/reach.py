"""What no slicing can keep: a sensitive value that too many people have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tacit.errors import PromiseError
from tacit.job import Job
from tacit.slices.data import PersonTable
from tacit.slices.recoding import SliceRecoding
from tacit.slices.solvers.attacker import ROUNDING
from tacit.slices.solvers.buckets import twice_in_a_bucket


def check_persons(data: PersonTable, recoding: SliceRecoding) -> None:
    """Refuses buckets that hold two records of one person: whoever knows both would find them side by side."""
    twice = 0 if data.persons is None else twice_in_a_bucket(recoding.bucket, data.persons)
    if twice:
        raise PromiseError(
            f"Of {recoding.buckets:,} buckets {twice:,} would hold two records of one person.\n"
            "  Methods that put sensitive attributes into slices of their own ('one-per-column', 'bucketization') can "
            "reach more, and so can a smaller ℓ."
        )


def frequencies_in_reach(data: PersonTable, promise: Any, job: Job) -> None:
    """Refuses an ℓ that some sensitive attribute is too uniform for, and says which one can be reached with all."""
    if not len(data):
        return
    counts = {a: np.bincount(data.meanings[a]) for a in data.sensitive}
    a = max(counts, key=lambda a: int(counts[a].max()))
    most, values, name = int(counts[a].max()), int(np.count_nonzero(counts[a])), data.names[a]
    if most * promise.l <= len(data) * (1 + ROUNDING):
        return
    level = math.floor(len(data) / most * 100 + 1e-9) / 100
    reach = f"ℓ = {level:g} can be reached, or more" if level > 1 else "An ℓ above 1 can only be reached"
    why = f"A value of {name!r} is in {most:,} of {len(data):,} records, more than 1/{promise.l:g}"
    if values < promise.l:
        why = f"ℓ = {promise.l:g}, but {name!r} has only {values:,} different value{'s' * (values != 1)}"
    raise PromiseError(
        f"{why}: whatever the slices, somebody's value can be told with a probability above 1/{promise.l:g}.\n"
        f"  {reach} without this column."
    )
