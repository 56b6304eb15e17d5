"""The tuple partition of slicing: boxes as Mondrian makes them, and in each box small buckets of neighbours.

1. A box is split in two by the values of one known attribute, as evenly as they allow, as long as both parts pass the
   ℓ-diversity check. Boxes do not touch: somebody whose known values all occur in a box belongs to it, and to no other.
   So a split changes nothing for an attacker but what concerns the people of that box, and only they are checked again.
2. A box can be large when a value is frequent in it. So its records, those that are alike side by side, are dealt into
   buckets of ⌈ℓ⌉ in which no two have a sensitive value in common. In each bucket no value is above 1/ℓ, thus neither
   is any mean over the buckets that match a person: p(t, s) = Σ p(t, B) p(s | t, B).
"""

from __future__ import annotations

import math

import numpy as np

from tacit.slicing.attacker import attacker_of, bound, scratch_for
from tacit.slicing.table import PersonTable, Slices, numbered


def partition(table: PersonTable, slices: Slices, correlation: np.ndarray, l: float) -> np.ndarray:  # noqa: E741
    """The bucket of each record: no person has a p(t, s) above 1/ℓ. All records as one bucket must keep that.

    Attributes whose dependence on others is cut by the slices are split first: narrow boxes preserve it. Slices that
    are linked by a sensitive attribute keep their boxes as buckets: smaller ones may match people of other buckets.
    """
    from tacit.slicing._kernels import split_boxes

    box = np.zeros(len(table), np.int32)
    if not len(table):
        return box
    attacker = attacker_of(table, slices)
    place = np.stack([_places(table.codes[a], table.sizes[a]) for a in table.known])
    importance = severed(slices, correlation)[list(table.known)] + 1e-6
    rows = np.arange(len(table), dtype=np.int32)
    split_boxes(place, importance, math.ceil(l), bound(l), attacker, scratch_for(attacker), rows, box)
    if attacker.parent.size > attacker.secret.shape[0]:
        return box
    segment, _ = numbered([box, *attacker.known], [len(table)] * (1 + len(attacker.known)), len(table))
    return deal_out(attacker.secret, rows, segment, l)


def deal_out(secret: np.ndarray, rows: np.ndarray, segment: np.ndarray, l: float) -> np.ndarray:  # noqa: E741
    """Buckets of ⌈ℓ⌉ records of one segment that are near each other in `rows` and have no secret in common.

    `secret` is [sensitive attribute, record]. What cannot be dealt out so is one more bucket of its segment; in it, too,
    no secret is more frequent than 1/ℓ, provided that none is in the segment.
    """
    from tacit.slicing._kernels import form_groups

    ordered = rows[np.argsort(segment[rows], kind="stable")]
    bounds = np.append(0, np.cumsum(np.bincount(segment)))
    bucket = np.zeros(rows.size, np.int32)
    form_groups(secret, ordered, bounds, math.ceil(l), float(l), int(secret.max(initial=0)) + 1, bucket)
    return bucket


def severed(slices: Slices, correlation: np.ndarray) -> np.ndarray:
    """For each attribute the sum of its correlations with attributes that share no slice with it."""
    together = np.eye(len(correlation), dtype=bool)
    for one in slices:
        together[np.ix_(one, one)] = True
    return np.where(together, 0.0, correlation).sum(axis=1)


def _places(codes: np.ndarray, size: int) -> np.ndarray:
    """For each record the middle of its value among all records, from 0 to 1: what counts is how many lie between."""
    count = np.bincount(codes, minlength=size)
    return ((np.cumsum(count) - count / 2) / len(codes))[codes]
