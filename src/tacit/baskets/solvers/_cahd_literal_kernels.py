"""Kernels of the paper's CAHD: groups of rows that are neighbours in the band."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._token_kernels import Sets


@inner
def _any_marked(sets, row, mark, stamp):
    for j in range(sets.start[row], sets.start[row + 1]):  # noqa: SIM110 (Numba has no any())
        if mark[sets.items[j]] == stamp:
            return True
    return False


@inner
def _mark(sets, row, mark, stamp):
    for j in range(sets.start[row], sets.start[row + 1]):
        mark[sets.items[j]] = stamp


@inner
def _overlap(sets, row, mark, stamp):
    """How many marked items the row holds."""
    common = 0
    for j in range(sets.start[row], sets.start[row + 1]):
        common += mark[sets.items[j]] == stamp
    return common


@inner
def _candidates(at, band, sensitive, p_alpha, free, near):
    """Places of ungrouped rows that share no sensitive item with the one at hand: so many on either side."""
    before, after, found, distance = free.before, free.after, near.found, near.distance
    n = 0
    for side in range(2):
        place, away = before[at] if side == 0 else after[at], 1
        taken = 0
        while 0 <= place < band.size and taken < p_alpha:
            if not _any_marked(sensitive, band[place], near.sensitive_mark, at):
                found[n], distance[n] = place, away
                n += 1
                taken += 1
            place, away = before[place] if side == 0 else after[place], away + 1
    return n


@inner
def _choose(at, band, sensitive, known, p, n, near):
    """Up to p members of a group: the row at hand and those with most items in common, of equals the nearest.

    No two of them share a sensitive item. Gives how many there are.
    """
    found, distance, common, members = near.found, near.distance, near.common, near.members
    known_mark, sensitive_mark = near.known_mark, near.sensitive_mark
    _mark(known, band[at], known_mark, at)
    for i in range(n):
        common[i] = _overlap(known, band[found[i]], known_mark, at)
    members[0], size = at, 1
    while size < p:
        best = -1
        for i in range(n):
            if common[i] < 0:
                continue
            if _any_marked(sensitive, band[found[i]], sensitive_mark, at):
                common[i] = -1
            elif best < 0 or common[i] > common[best] or (common[i] == common[best] and distance[i] < distance[best]):
                best = i
        if best < 0:
            break
        members[size] = found[best]
        size += 1
        common[best] = -1
        _mark(sensitive, band[found[best]], sensitive_mark, at)
    return size


class _Free(NamedTuple):
    """Places that are in no group, chained both ways; and how often each sensitive item is in them."""

    before: np.ndarray
    after: np.ndarray
    rows_with: np.ndarray


class _Near(NamedTuple):
    """Places near the one at hand that may be in its group, and those that are."""

    found: np.ndarray
    distance: np.ndarray
    common: np.ndarray  # items in common with the one at hand
    members: np.ndarray
    known_mark: np.ndarray  # the place that last held each item
    sensitive_mark: np.ndarray


def form_groups(
    band: np.ndarray, sensitive: Sets, known: Sets, n_sensitive: int, n_known: int, p: int, alpha: int
) -> np.ndarray:
    """Groups of p rows, for each row with a sensitive item in the order of the band; the rest is the last group.

    A group is formed only if the rows that remain can still be a group themselves.
    """
    group, most = np.full(band.size, -1, np.int32), 2 * alpha * p
    free = _Free(
        np.arange(-1, band.size - 1), np.arange(1, band.size + 1), np.bincount(sensitive.items, minlength=n_sensitive)
    )
    near = _Near(
        np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64), np.empty(p, np.int64),
        np.full(n_known, -1), np.full(n_sensitive, -1),
    )  # fmt: skip
    n_groups = 0
    for start, stop in spans(band.size, "rows in groups"):
        n_groups = _form_groups(start, stop, band, sensitive, known, p, alpha, free, near, group, n_groups)
    group[group < 0] = n_groups
    return group


@kernel
def _form_groups(start, stop, band, sensitive, known, p, alpha, free, near, group, n_groups):
    """The same for some of the places, behind so many groups; how many there are then."""
    n_sensitive = free.rows_with.size
    for at in range(start, stop):
        row = band[at]
        if group[row] >= 0 or sensitive.start[row] == sensitive.start[row + 1]:
            continue
        _mark(sensitive, row, near.sensitive_mark, at)
        n = _candidates(at, band, sensitive, alpha * p, free, near)
        if _choose(at, band, sensitive, known, p, n, near) < p:
            continue
        most = 0
        for s in range(n_sensitive):
            most = max(most, free.rows_with[s] - (near.sensitive_mark[s] == at))
        if most * p > band.size - (n_groups + 1) * p:
            continue
        for i in range(p):
            place = near.members[i]
            group[band[place]] = n_groups
            if free.before[place] >= 0:
                free.after[free.before[place]] = free.after[place]
            if free.after[place] < band.size:
                free.before[free.after[place]] = free.before[place]
        for s in range(n_sensitive):
            free.rows_with[s] -= near.sensitive_mark[s] == at
        n_groups += 1
    return n_groups
