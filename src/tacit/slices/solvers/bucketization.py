"""Bucketization (Anatomy; Xiao & Tao, VLDB 2006) as a sliced table: all quasi-identifiers, then each sensitive one.

Records are dealt into buckets in random order: ⌈ℓ⌉ records a bucket, no two with a sensitive value in common, and no
two of one person.
"""

from __future__ import annotations

import numpy as np

from tacit.shuffle import BUCKETIZED, Shuffle
from tacit.slices.data import PersonTable, Slices
from tacit.slices.solvers.apart import keep_apart
from tacit.slices.solvers.attacker import bound
from tacit.slices.solvers.buckets import deal_out


def bucketize(table: PersonTable, l: float, hidden: Shuffle) -> tuple[Slices, np.ndarray]:  # noqa: E741
    """The slices, and the bucket of each record; no sensitive value may be in more than 1/ℓ of all records."""
    others = table.hidden - set(table.sensitive)
    slices = (table.known, *((a,) for a in table.sensitive), *((a,) for a in sorted(others)))
    rows = hidden.order(len(table), BUCKETIZED).astype(np.int32)
    sensitive = np.stack([table.meanings[a] for a in table.sensitive])
    apart = np.concatenate([sensitive, table.kept_apart])
    whole = np.zeros(len(table), np.int32)
    bucket = deal_out(apart, rows, whole, l)
    if table.persons is not None:
        keep_apart(bucket, table.persons, whole, sensitive, whole.astype(bool), bound(l))
    return slices, bucket
