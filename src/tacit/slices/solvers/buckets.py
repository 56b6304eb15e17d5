"""The tuple partition of slicing: boxes as Mondrian makes them, and in each box small buckets of neighbours.

1. A box is split in two by the values of one known attribute, as evenly as they allow, as long as both parts pass the
   ℓ-diversity check. Boxes do not touch: somebody whose known values all occur in a box belongs to it, and to no other.
   So a split changes nothing for an attacker but what concerns the people of that box, and only they are checked again.
2. A box can be large when a value is frequent in it. So its records, those that are alike side by side, are dealt into
   buckets of ⌈ℓ⌉ in which no two have a sensitive value in common. In each bucket no value is above 1/ℓ, thus neither
   is any mean over the buckets that match a person: p(t, s) = Σ p(t, B) p(s | t, B). Those for whom that cannot be
   done stay together, with so many others of the box that the same is true of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.blocks import up_to
from tacit.arrays.order import joint_codes
from tacit.slices.data import PersonTable, Slices
from tacit.slices.solvers.apart import keep_apart
from tacit.slices.solvers.attacker import attacker_of, bound, scratch_for

if TYPE_CHECKING:
    from tacit.slices.solvers._attacker_kernels import Attacker

_MOST_TIMES = 32
"""How often a sensitive value may stand in a bucket that is dealt out."""


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
    if table.persons is not None and twice_in_a_bucket(box, table.persons):
        box = np.zeros_like(box)  # the records of a person are alike: of one box, they could not be kept apart
    if attacker.parent.size > attacker.sensitive.shape[0]:
        return box
    segment, _ = joint_codes([box, *attacker.known], [len(table)] * (1 + len(attacker.known)), len(table))
    stays = staying(attacker, box, segment, bound(l))
    bucket = deal_out(np.concatenate([attacker.sensitive, table.kept_apart]), rows[~stays[rows]], segment, l)
    bucket[stays] = bucket.max() + 1 + box[stays]
    if table.persons is not None:
        keep_apart(bucket, table.persons, segment, attacker.sensitive, stays, bound(l))
    return np.unique(bucket, return_inverse=True)[1].astype(np.int32)


def split_into_boxes(
    table: PersonTable,
    attacker: Attacker,
    importance: np.ndarray,
    l: float,  # noqa: E741
) -> tuple[np.ndarray, np.ndarray]:
    """The box of each record, and the records in an order in which those that are alike are neighbours."""
    from tacit.slices.solvers._bucket_kernels import DEPTH, MIDDLE, NEW, Splitting, split_boxes

    place = np.stack([places(table.codes[a], table.sizes[a]) for a in table.known])
    n = len(table)
    box, rows = np.zeros(n, np.int32), np.arange(n, dtype=np.int32)
    state = Splitting(
        at=np.zeros(5, np.int64),
        low=np.zeros(n + 1, np.int64),
        high=np.zeros(n + 1, np.int64),
        is_final=np.zeros(n + 1, np.bool_),
        score=np.zeros(len(place)),
        other=np.zeros(n, np.int32),
        places=np.zeros(n),
    )
    state.high[0], state.at[DEPTH], state.at[MIDDLE] = n, 1, NEW
    least, limit, scratch = math.ceil(l), bound(l), scratch_for(attacker)
    for steps in up_to(state.at, n, "records in boxes"):
        split_boxes(steps, place, importance, least, limit, attacker, scratch, state, rows, box)
    return box, rows


def staying(attacker: Attacker, box: np.ndarray, segment: np.ndarray, limit: float) -> np.ndarray:
    """Which records are not dealt out: those of segments with a value above the limit, and of others that dilute it.

    What stays of a box is one bucket. In it, no sensitive value is above the limit among records with the same known
    values in its slice: where one is, the segments with these known values that dilute it most stay as well. That ends
    at the latest with the whole box, which keeps the limit.
    """
    stays = np.zeros(int(segment.max()) + 1, bool)
    stays[segment[_above(attacker.sensitive, segment, limit)]] = True
    concerned = np.flatnonzero(np.isin(box, box[stays[segment]]))
    if not concerned.size:
        return stays[segment]
    segment_here = segment[concerned]
    groups = [
        joint_codes([box[concerned], known[concerned]], [box.size, box.size], concerned.size)[0]
        for known in attacker.known
    ]
    changed = True
    while changed:
        changed = False
        for group, sensitive in zip(groups, attacker.sensitive[:, concerned], strict=True):
            more = _diluting(group, sensitive, segment_here, stays, limit)
            stays[more] = True
            changed |= more.size > 0
    return stays[segment]


def _diluting(
    group: np.ndarray, sensitive: np.ndarray, segment: np.ndarray, stays: np.ndarray, limit: float
) -> np.ndarray:
    """The segments that must stay as well, so that in no group of those who stay a value is above the limit.

    Of the most frequent sensitive value of a group they have the least in proportion to their size.
    """
    staying_now = stays[segment]
    pair, n_pairs = joint_codes([group, sensitive], [group.size, int(sensitive.max()) + 1], group.size)
    times = np.bincount(pair[staying_now], minlength=n_pairs)
    group_of_pair, value_of_pair = np.zeros(n_pairs, np.int64), np.zeros(n_pairs, np.int64)
    group_of_pair[pair], value_of_pair[pair] = group, sensitive
    excess = times - limit * np.bincount(group[staying_now], minlength=int(group.max()) + 1)[group_of_pair]
    worst = np.lexsort((excess, group_of_pair))
    worst = worst[np.append(group_of_pair[worst][1:] != group_of_pair[worst][:-1], True)]  # one for each group
    lacks = excess[worst]  # of group g
    if not (lacks > 0).any():
        return np.zeros(0, np.int64)
    frequent = value_of_pair[worst]
    dilutes = limit * np.bincount(segment, minlength=stays.size) - np.bincount(
        segment, weights=sensitive == frequent[group], minlength=stays.size
    )
    group_of_segment = np.zeros(stays.size, np.int64)
    group_of_segment[segment] = group
    helps = np.unique(segment[(lacks[group] > 0) & ~staying_now])
    helps = helps[np.lexsort((-dilutes[helps].round(6), group_of_segment[helps]))]
    reached = np.cumsum(dilutes[helps]) - dilutes[helps]  # before each one
    of_group = group_of_segment[helps]
    first = np.searchsorted(of_group, of_group)
    return helps[(reached - reached[first] < lacks[of_group] - 1e-9) | (first == np.arange(helps.size))]


def deal_out(sensitive: np.ndarray, rows: np.ndarray, segment: np.ndarray, l: float) -> np.ndarray:  # noqa: E741
    """Small buckets of records of one segment that are near each other in `rows`; 0 for records that are not there.

    `sensitive` is [attribute, record]. A bucket has ⌈ℓ⌉ records with no value in common as long as there are such; then
    ⌈2ℓ⌉ with no value more than twice, and so on. What cannot be dealt out so is one more bucket of its segment; in it,
    too, no value is more frequent than 1/ℓ, provided that none is in the segment.
    """
    from tacit.slices.solvers._dealing_kernels import Dealing, form_groups

    ordered = rows[np.argsort(segment[rows], kind="stable")]
    bounds = np.append(0, np.cumsum(np.bincount(segment[rows], minlength=1)))
    bucket = np.zeros(segment.size, np.int32)
    by_value = (len(sensitive), int(sensitive.max(initial=0)) + 1)
    sizes = np.array([math.ceil(times / bound(l)) for times in range(1, _MOST_TIMES + 1)])
    state = Dealing(
        at=np.zeros(5, np.int64),
        remaining=np.zeros(by_value, np.int64),
        head=np.zeros(by_value, np.int64),
        following=np.zeros((len(sensitive), rows.size), np.int64),
        values=np.zeros(by_value, np.int32),
        n_values=np.zeros(len(sensitive), np.int64),
        needed=np.zeros(by_value, np.int64),
        taken=np.zeros(by_value, np.int64),
        is_dealt=np.zeros(rows.size, np.bool_),
        cursor=np.zeros(by_value[1], np.int64),
        members=np.zeros(sizes[-1], np.int64),
    )
    for steps in up_to(state.at, rows.size, "records in buckets"):
        form_groups(steps, sensitive, ordered, bounds, sizes, 1 / bound(l), state, bucket)
    return bucket


def twice_in_a_bucket(bucket: np.ndarray, persons: np.ndarray) -> int:
    """How many buckets have two records of one person."""
    persons_here, n_pairs = joint_codes([bucket, persons], [bucket.size, persons.size], persons.size)
    if n_pairs == persons.size:
        return 0
    return np.unique(bucket[np.bincount(persons_here)[persons_here] > 1]).size


def _above(sensitive: np.ndarray, segment: np.ndarray, limit: float) -> np.ndarray:
    """Which records are in a segment that has a sensitive value more often than the limit allows."""
    sizes, above = np.bincount(segment), np.zeros(segment.size, bool)
    for values in sensitive:
        pair, _ = joint_codes([segment, values], [sizes.size, int(values.max(initial=0)) + 1], segment.size)
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
