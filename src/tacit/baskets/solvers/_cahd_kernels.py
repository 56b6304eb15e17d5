"""Kernels of CAHD: groups of rows that are neighbours in the band."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_OPTIONS: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
_kernel = njit(**_OPTIONS)
_inner = njit(**_OPTIONS | {"no_cpython_wrapper": True})  # called by kernels only: less to compile


class Sets(NamedTuple):
    """Row r holds items[start[r]:start[r + 1]]."""

    start: np.ndarray
    items: np.ndarray


@_inner
def _any_marked(sets, row, mark, stamp):
    for j in range(sets.start[row], sets.start[row + 1]):  # noqa: SIM110 (Numba has no any())
        if mark[sets.items[j]] == stamp:
            return True
    return False


@_inner
def _mark(sets, row, mark, stamp):
    for j in range(sets.start[row], sets.start[row + 1]):
        mark[sets.items[j]] = stamp


@_inner
def _overlap(sets, row, mark, stamp):
    """How many marked items the row holds."""
    common = 0
    for j in range(sets.start[row], sets.start[row + 1]):
        common += mark[sets.items[j]] == stamp
    return common


@_inner
def _candidates(at, band, secrets, p_alpha, before, after, secret_mark, found, distance):
    """Places of ungrouped rows that share no sensitive item with the one at hand: so many on either side."""
    n = 0
    for side in range(2):
        place, away = before[at] if side == 0 else after[at], 1
        taken = 0
        while 0 <= place < band.size and taken < p_alpha:
            if not _any_marked(secrets, band[place], secret_mark, at):
                found[n], distance[n] = place, away
                n += 1
                taken += 1
            place, away = before[place] if side == 0 else after[place], away + 1
    return n


@_inner
def _choose(at, band, secrets, known, p, n, found, distance, marks, members):
    """Up to p members of a group: the row at hand and those with most items in common, of equals the nearest.

    No two of them share a sensitive item. Gives how many there are.
    """
    known_mark, secret_mark = marks
    _mark(known, band[at], known_mark, at)
    common = np.empty(n, np.int64)
    for i in range(n):
        common[i] = _overlap(known, band[found[i]], known_mark, at)
    members[0], size = at, 1
    while size < p:
        best = -1
        for i in range(n):
            if common[i] < 0:
                continue
            if _any_marked(secrets, band[found[i]], secret_mark, at):
                common[i] = -1
            elif best < 0 or common[i] > common[best] or (common[i] == common[best] and distance[i] < distance[best]):
                best = i
        if best < 0:
            break
        members[size] = found[best]
        size += 1
        common[best] = -1
        _mark(secrets, band[found[best]], secret_mark, at)
    return size


@_kernel
def form_groups(band, secrets, known, n_secrets, n_known, p, alpha):
    """Groups of p rows, for each row with a sensitive item in the order of the band; the rest is the last group.

    A group is formed only if the rows that remain can still be a group themselves.
    """
    group = np.full(band.size, -1, np.int32)
    left, count = np.int64(band.size), np.zeros(n_secrets, np.int64)
    for s in secrets.items:
        count[s] += 1
    before, after = np.arange(-1, band.size - 1), np.arange(1, band.size + 1)  # ungrouped places, chained
    marks = np.full(n_known, -1, np.int64), np.full(n_secrets, -1, np.int64)
    found, distance = np.empty(2 * alpha * p, np.int64), np.empty(2 * alpha * p, np.int64)
    members, n_groups = np.empty(p, np.int64), 0
    for at in range(band.size):
        row = band[at]
        if group[row] >= 0 or secrets.start[row] == secrets.start[row + 1]:
            continue
        _mark(secrets, row, marks[1], at)
        n = _candidates(at, band, secrets, alpha * p, before, after, marks[1], found, distance)
        if _choose(at, band, secrets, known, p, n, found, distance, marks, members) < p:
            continue
        most = 0
        for s in range(n_secrets):
            most = max(most, count[s] - (marks[1][s] == at))
        if most * p > left - p:
            continue
        for i in range(p):
            place = members[i]
            group[band[place]] = n_groups
            if before[place] >= 0:
                after[before[place]] = after[place]
            if after[place] < band.size:
                before[after[place]] = before[place]
        for s in range(n_secrets):
            count[s] -= marks[1][s] == at
        left -= p
        n_groups += 1
    for row in range(band.size):
        if group[row] < 0:
            group[row] = n_groups
    return group
