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
from typing import TYPE_CHECKING

import numpy as np

from tacit.slicing.attacker import attacker_of, bound, scratch_for
from tacit.slicing.table import PersonTable, Slices, numbered

if TYPE_CHECKING:
    from tacit.slicing._kernels import Attacker


def partition(table: PersonTable, slices: Slices, correlation: np.ndarray, l: float) -> np.ndarray:  # noqa: E741
    """The bucket of each record: no person has a p(t, s) above 1/ℓ. All records as one bucket must keep that.

    Attributes whose dependence on others is cut by the slices are split first: narrow boxes preserve it. Slices that
    are linked by a sensitive attribute keep their boxes as buckets: smaller ones may match people of other buckets.
    """
    if not len(table):
        return np.zeros(0, np.int32)
    attacker = attacker_of(table, slices)
    importance = severed(slices, correlation)[list(table.known)] + 1e-6
    box, rows = split_into_boxes(table, attacker, importance, l)
    if attacker.parent.size > attacker.secret.shape[0]:
        return box
    segment, _ = numbered([box, *attacker.known], [len(table)] * (1 + len(attacker.known)), len(table))
    too_uniform = np.zeros(len(table), bool)
    too_uniform[box[_above(attacker.secret, segment, bound(l))]] = True  # such a box stays a bucket
    bucket = deal_out(attacker.secret, rows[~too_uniform[box[rows]]], segment, l)
    stays = too_uniform[box]
    bucket[stays] = bucket.max() + 1 + box[stays]
    return np.unique(bucket, return_inverse=True)[1].astype(np.int32)


def split_into_boxes(
    table: PersonTable,
    attacker: Attacker,
    importance: np.ndarray,
    l: float,  # noqa: E741
) -> tuple[np.ndarray, np.ndarray]:
    """The box of each record, and the records in an order in which those that are alike are neighbours."""
    from tacit.slicing._kernels import split_boxes

    place = np.stack([places(table.codes[a], table.sizes[a]) for a in table.known])
    box, rows = np.zeros(len(table), np.int32), np.arange(len(table), dtype=np.int32)
    split_boxes(place, importance, math.ceil(l), bound(l), attacker, scratch_for(attacker), rows, box)
    return box, rows


def deal_out(secret: np.ndarray, rows: np.ndarray, segment: np.ndarray, l: float) -> np.ndarray:  # noqa: E741
    """Buckets of ⌈ℓ⌉ records of one segment that are near each other in `rows` and have no secret in common; 0 for
    records that are not in `rows`.

    `secret` is [sensitive attribute, record]. What cannot be dealt out so is one more bucket of its segment; in it,
    too, no secret is more frequent than 1/ℓ, provided that none is in the segment.
    """
    from tacit.slicing._kernels import Dealing, form_groups

    ordered = rows[np.argsort(segment[rows], kind="stable")]
    bounds = np.append(0, np.cumsum(np.bincount(segment[rows], minlength=1)))
    bucket = np.zeros(segment.size, np.int32)
    by_value = (len(secret), int(secret.max(initial=0)) + 1)
    state = Dealing(
        remaining=np.zeros(by_value, np.int64),
        head=np.zeros(by_value, np.int64),
        following=np.zeros((len(secret), rows.size), np.int64),
        values=np.zeros(by_value, np.int32),
        n_values=np.zeros(len(secret), np.int64),
        needed=np.zeros(by_value, np.int64),
        taken=np.zeros(by_value, np.int64),
        is_dealt=np.zeros(rows.size, np.bool_),
        members=np.zeros(math.ceil(l), np.int64),
    )
    form_groups(secret, ordered, bounds, math.ceil(l), 1 / bound(l), state, bucket)
    return bucket


def _above(secret: np.ndarray, segment: np.ndarray, limit: float) -> np.ndarray:
    """Which records are in a segment that has a secret more often than the limit allows."""
    sizes, above = np.bincount(segment), np.zeros(segment.size, bool)
    for values in secret:
        pair, _ = numbered([segment, values], [sizes.size, int(values.max(initial=0)) + 1], segment.size)
        above |= np.bincount(pair)[pair] > limit * sizes[segment]
    return above


def severed(slices: Slices, correlation: np.ndarray) -> np.ndarray:
    """For each attribute the sum of its correlations with attributes that share no slice with it."""
    together = np.eye(len(correlation), dtype=bool)
    for one in slices:
        together[np.ix_(one, one)] = True
    return np.where(together, 0.0, correlation).sum(axis=1)


def places(codes: np.ndarray, size: int) -> np.ndarray:
    """For each record the middle of its value among all records, from 0 to 1: what counts is how many lie between."""
    count = np.bincount(codes, minlength=size)
    return ((np.cumsum(count) - count / 2) / len(codes))[codes]
