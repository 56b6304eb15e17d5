"""Buckets without two records of one person, by exchanging records between buckets.

Dealing keeps persons apart as long as it can. What is left over is mended here: a record whose person is in its bucket
already changes places with one of the same segment, so that no sensitive value becomes too frequent in either bucket.
Whom that does not help stays, and nothing is published then.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.order import joint_codes


def keep_apart(
    bucket: np.ndarray, persons: np.ndarray, segment: np.ndarray, sensitive: np.ndarray, stays: np.ndarray, limit: float
) -> None:
    """Exchanges records of `bucket`, in place, until no bucket has two of one person, as far as that can be done.

    `sensitive` is [attribute, record]. Those who stay in a bucket of several segments change places with nobody but who
    has the same sensitive values.
    """
    columns = [segment, *sensitive]
    alike, _ = joint_codes(columns, [int(each.max(initial=0)) + 1 for each in columns], segment.size)
    for row in _repeated(bucket, persons).tolist():
        if np.count_nonzero(persons[bucket == bucket[row]] == persons[row]) == 1:
            continue  # an exchange before this one helped
        others = _candidates(row, bucket, persons, segment)
        others = others[np.argsort(alike[others] != alike[row], kind="stable")]
        for other in others.tolist():
            bucket[[row, other]] = bucket[[other, row]]
            if alike[row] == alike[other] or _is_fine(bucket, (row, other), sensitive, stays, limit):
                break
            bucket[[row, other]] = bucket[[other, row]]


def _repeated(bucket: np.ndarray, persons: np.ndarray) -> np.ndarray:
    """The records of persons who are in their bucket already, by an earlier one."""
    columns = [bucket, persons]
    pair, _ = joint_codes(columns, [int(each.max(initial=0)) + 1 for each in columns], persons.size)
    again = np.ones(persons.size, bool)
    again[np.unique(pair, return_index=True)[1]] = False
    return np.flatnonzero(again)


def _candidates(row: int, bucket: np.ndarray, persons: np.ndarray, segment: np.ndarray) -> np.ndarray:
    """Records of the segment with which a record can change places: neither bucket gets somebody whom it has."""
    with_person = np.isin(bucket, bucket[persons == persons[row]])
    is_new = ~np.isin(persons, persons[bucket == bucket[row]])
    return np.flatnonzero(~with_person & is_new & (segment == segment[row]))


def _is_fine(bucket: np.ndarray, rows: tuple[int, int], sensitive: np.ndarray, stays: np.ndarray, limit: float) -> bool:
    """Whether no sensitive value is too frequent in the buckets of two records."""
    if stays[list(rows)].any():
        return False
    for row in rows:
        here = np.flatnonzero(bucket == bucket[row])
        if any(np.bincount(values[here]).max() > limit * here.size for values in sensitive):
            return False
    return True
