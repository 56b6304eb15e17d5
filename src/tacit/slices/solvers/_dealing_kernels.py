"""Inner loops of dealing records out: small groups of neighbours that have no sensitive values in common.

A 0 that is given to another function is an `np.int64(0)`: for a literal that function would be compiled once more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.slices.solvers._bucket_kernels import inner, kernel


class Dealing(NamedTuple):
    """The state of dealing out one segment. Places are positions in `rows`; records of one value are chained."""

    remaining: np.ndarray  # int64 [target, value]: how many are left
    head: np.ndarray  # int64 [target, value]: the first place of the value that may be left; −1 at the end
    following: np.ndarray  # int64 [target, place]: the next place of the same value, −1 at the end
    values: np.ndarray  # int32 [target, i]: the values of the segment, in order of first appearance
    n_values: np.ndarray  # int64 [target]
    needed: np.ndarray  # int64 [target, value]: how many of these the next group must take
    taken: np.ndarray  # int64 [target, value], 0: how many of these the group has
    is_dealt: np.ndarray  # bool [place]
    cursor: np.ndarray  # int64 [i]: the next place to try of the first target's values
    members: np.ndarray  # int64: places of the group


@inner
def _begin(secret, rows, low, high, state):
    """Counts and chains the values of a segment."""
    for target in range(secret.shape[0]):
        state.n_values[target] = 0
        for i in range(low, high):
            state.head[target, secret[target, rows[i]]] = -1
            state.remaining[target, secret[target, rows[i]]] = 0
        for i in range(low, high):
            value = secret[target, rows[i]]
            if state.remaining[target, value] == 0:
                state.values[target, state.n_values[target]] = value
                state.n_values[target] += 1
            state.remaining[target, value] += 1
        for i in range(high - 1, low - 1, -1):
            value = secret[target, rows[i]]
            state.following[target, i] = state.head[target, value]
            state.head[target, value] = i


@inner
def _require(level, left, size, times, state):
    """How many of each value the next group must take, lest it be too frequent among the others.

    False if the group would need more than it may have.
    """
    for target in range(state.n_values.size):
        for i in range(state.n_values[target]):
            value, needed = state.values[target, i], 0
            while (state.remaining[target, value] - needed) * level > left - size:
                needed += 1
                if needed > times:
                    return False
            state.needed[target, value] = needed
    return True


@inner
def _first_left(target, value, state):
    """The first place of a value that is not dealt out; −1 if there is none."""
    i = state.head[target, value]
    while i >= 0 and state.is_dealt[i]:
        i = state.following[target, i]
    state.head[target, value] = i
    return i


@inner
def _fits(secret, row, times, state):
    """Whether the group has each value of a record fewer than so many times."""
    for target in range(secret.shape[0]):  # noqa: SIM110 (Numba has no all())
        if state.taken[target, secret[target, row]] >= times:
            return False
    return True


@inner
def _take(secret, row, place, n, state):
    for target in range(secret.shape[0]):
        state.taken[target, secret[target, row]] += 1
    state.is_dealt[place] = True
    state.members[n] = place
    return n + 1


@inner
def _fill_group(secret, rows, size, times, state):
    """Chooses a group: first as many records of each value as it must take, then whoever comes first and fits.

    Gives how many were found, and whether they are a group.
    """
    n = np.int64(0)
    for target in range(secret.shape[0]):
        for x in range(state.n_values[target]):
            value = state.values[target, x]
            while state.taken[target, value] < state.needed[target, value]:
                i = _first_left(target, value, state)
                while i >= 0 and (state.is_dealt[i] or not _fits(secret, rows[i], times, state)):
                    i = state.following[target, i]
                if i < 0 or n == size:
                    return n, False
                n = _take(secret, rows[i], i, n, state)
    cursor, n_values = state.cursor, state.n_values[0]
    for x in range(n_values):
        cursor[x] = _first_left(np.int64(0), state.values[0, x], state)
    while n < size:
        best = -1
        for x in range(n_values):
            is_open = cursor[x] >= 0 and state.taken[0, state.values[0, x]] < times
            if is_open and (best < 0 or cursor[x] < cursor[best]):
                best = x
        if best < 0:
            break
        i = cursor[best]
        if not state.is_dealt[i] and _fits(secret, rows[i], times, state):
            n = _take(secret, rows[i], i, n, state)
        cursor[best] = state.following[0, i]
    return n, n == size


@inner
def _finish(secret, rows, n, is_group, number, state, group):
    """Numbers the group that was chosen, or puts its records back."""
    for x in range(n):
        i = state.members[x]
        for target in range(secret.shape[0]):
            value = secret[target, rows[i]]
            state.taken[target, value] = 0
            if is_group:
                state.remaining[target, value] -= 1
            elif state.head[target, value] < 0 or state.head[target, value] > i:
                state.head[target, value] = i
        if is_group:
            group[rows[i]] = number
        else:
            state.is_dealt[i] = False


@kernel
def form_groups(secret, rows, bounds, sizes, level, state, group):
    """Groups of neighbours in each segment of `rows`; gives their number.

    `secret` is [target, record]. A group has sizes[0] records, no two with a value in common. Where that cannot be
    done any more, it has sizes[1] records and a value twice at most, and so on. In a segment no value may be more
    frequent than 1/level; a group is formed only if that stays true of what remains, which is the last group.
    """
    n_groups = np.int64(0)
    for segment in range(bounds.size - 1):
        low, high = bounds[segment], bounds[segment + 1]
        _begin(secret, rows, low, high, state)
        left, step = high - low, 0
        while step < sizes.size and left > sizes[step]:
            size, n, is_group = sizes[step], 0, False
            if _require(level, left, size, step + 1, state):
                n, is_group = _fill_group(secret, rows, size, step + 1, state)
            _finish(secret, rows, n, is_group, n_groups, state, group)
            if is_group:
                left -= size
                n_groups += 1
            else:
                step += 1
        for i in range(low, high):
            if not state.is_dealt[i]:
                group[rows[i]] = n_groups
        n_groups += left > 0
    return n_groups
