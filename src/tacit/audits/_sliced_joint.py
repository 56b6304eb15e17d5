"""The probability of a combination of sensitive values: p(t, s) where s has a value of every sensitive attribute."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.audits._sliced_tables import Edge, Fits, Tables, expand, joint_codes, linked_slices, tables_of
from tacit.audits.views.slices import SliceView

_AT_ONCE = 2_000_000
_BUDGET = 100_000_000
"""How many buckets are looked up for all people together, and how many combinations are weighed."""


def joint_worst(
    table: SliceView,
    edges: list[Edge],
    fits: list[Fits],
    persons: np.ndarray,
    sensitive: Sequence[str],
    known: set[str],
) -> float | None:
    """The greatest p(t, s) of any person and combination; None if there are too many to weigh them all."""
    blocks = [{name for i in block for name in table.slices[i]} for block in linked_slices(table, edges, known)]
    targets = [tuple(name for name in sensitive if name in names) for names in blocks]
    found = tables_of(table, edges, fits, persons, [target for target in targets if target], known)
    codes = np.stack([one.codes for one in found.all])
    people = np.flatnonzero((codes >= 0).all(axis=0))
    buckets = np.stack([np.diff(one.start)[one.codes[people]] for one in found.blocks])
    rarest, fewest = buckets.argmin(axis=0), buckets.min(axis=0)
    if fewest.sum() > _BUDGET:
        return None
    worst, left = 0.0, _BUDGET
    part = np.cumsum(fewest) // _AT_ONCE
    for chunk in np.split(np.arange(people.size), np.flatnonzero(np.diff(part)) + 1):
        person, bucket, weight = _matching(found, codes, people[chunk], rarest[chunk])
        combined = _combinations(found, codes, person, bucket, weight, left)
        if combined is None:
            return None
        left -= combined[1].size
        worst = max(worst, float(combined[1].max(initial=0.0)))
    return worst


def _matching(
    found: Tables, codes: np.ndarray, people: np.ndarray, rarest: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(person, bucket, probability of the bucket) wherever all known values of a person occur, by person."""
    parts = []
    for x, block in enumerate(found.blocks):
        some = people[rarest == x]
        which, at = expand(block.start[block.codes[some]], block.start[block.codes[some] + 1])
        parts.append((some[which], block.bucket[at]))
    person, bucket = (np.concatenate(one) for one in zip(*parts, strict=True))
    order = np.lexsort((bucket, person))
    person, bucket = person[order], bucket[order]
    weight = -found.power * found.log_size[bucket]
    for x, (one, sign) in enumerate(zip(found.all, found.signs, strict=True)):
        entry = one.entry_of(codes[x, person], bucket)
        here = entry >= 0
        person, bucket = person[here], bucket[here]
        weight = weight[here] + sign * np.log(one.weight[entry[here]])
    if not person.size:
        return person, bucket, weight
    _, first, of_person = np.unique(person, return_index=True, return_inverse=True)
    weight = np.exp(weight - np.maximum.reduceat(weight, first)[of_person])
    return person, bucket, weight / np.add.reduceat(weight, first)[of_person]


def _combinations(
    found: Tables, codes: np.ndarray, person: np.ndarray, bucket: np.ndarray, weight: np.ndarray, budget: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """(person, probability) of each combination that is possible; None if there are more than the budget allows."""
    code = np.zeros(person.size, np.int64)
    for x, block in enumerate(found.blocks):
        for start, value, share in block.shares.values():
            entry = block.entry_of(codes[x, person], bucket)
            if int((start[entry + 1] - start[entry]).sum()) > budget:
                return None
            which, at = expand(start[entry], start[entry + 1])
            person, bucket, weight = person[which], bucket[which], weight[which] * share[at]
            code, _ = joint_codes([code[which], value[at]], which.size)
    group, count = joint_codes([person, code], person.size)
    first = np.zeros(count, np.int64)
    first[group] = np.arange(person.size)
    return person[first], np.bincount(group, weights=weight, minlength=count)
