"""Bucketization (Anatomy; Xiao & Tao, VLDB 2006) as a sliced table: all quasi-identifiers, then each sensitive one.

Records are dealt into buckets in random order: ⌈ℓ⌉ records a bucket, no two with a sensitive value in common.
"""

from __future__ import annotations

import numpy as np

from tacit.shuffle import BUCKETIZED, Shuffle
from tacit.slices.data import PersonTable, Slices
from tacit.slices.solvers.buckets import deal_out


def bucketize(table: PersonTable, l: float, hidden: Shuffle) -> tuple[Slices, np.ndarray]:  # noqa: E741
    """The slices, and the bucket of each record; no sensitive value may be in more than 1/ℓ of all records."""
    others = table.hidden - set(table.sensitive)
    slices = (table.known, *((a,) for a in table.sensitive), *((a,) for a in sorted(others)))
    rows = hidden.order(len(table), BUCKETIZED).astype(np.int32)
    secret = np.stack([table.codes[a] for a in table.sensitive])
    return slices, deal_out(secret, rows, np.zeros(len(table), np.int32), l)
