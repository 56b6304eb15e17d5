"""Inner loops of dealing records out: small groups of neighbours that have no sensitive values in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel

DEALT, SEGMENT, LEFT, TIMES, GROUPS = range(5)
FIRST_TARGET = np.int64(0)


class Dealing(NamedTuple):
    """Where dealing out is. Places are positions in `rows`; records of one value of the segment at hand are chained."""

    at: np.ndarray  # int64 [DEALT]: how many records have a group; [SEGMENT]: the one at hand; [LEFT]: how many of its
    # records have none; [TIMES]: how often its next group may have a value, 0 if it is not begun; [GROUPS]: how many
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
def _begin(sensitive, rows, low, high, state):
    """Counts and chains the values of a segment."""
    state.at[LEFT], state.at[TIMES] = high - low, 1
    for target in range(sensitive.shape[0]):
        state.n_values[target] = 0
        for i in range(low, high):
            state.head[target, sensitive[target, rows[i]]] = -1
            state.remaining[target, sensitive[target, rows[i]]] = 0
        for i in range(low, high):
            value = sensitive[target, rows[i]]
            if state.remaining[target, value] == 0:
                state.values[target, state.n_values[target]] = value
                state.n_values[target] += 1
            state.remaining[target, value] += 1
        for i in range(high - 1, low - 1, -1):
            value = sensitive[target, rows[i]]
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
def _fits(sensitive, row, times, state):
    """Whether the group has each value of a record fewer than so many times."""
    for target in range(sensitive.shape[0]):  # noqa: SIM110 (Numba has no all())
        if state.taken[target, sensitive[target, row]] >= times:
            return False
    return True


@inner
def _take(sensitive, row, place, n, state):
    for target in range(sensitive.shape[0]):
        state.taken[target, sensitive[target, row]] += 1
    state.is_dealt[place] = True
    state.members[n] = place
    return n + 1


@inner
def _fill_group(sensitive, rows, size, times, state):
    """Chooses a group: first as many records of each value as it must take, then whoever comes first and fits.

    Gives how many were found, whether they are a group, and how many places were looked at.
    """
    n, seen = np.int64(0), 0
    for target in range(sensitive.shape[0]):
        for x in range(state.n_values[target]):
            value = state.values[target, x]
            while state.taken[target, value] < state.needed[target, value]:
                i = _first_left(target, value, state)
                while i >= 0 and (state.is_dealt[i] or not _fits(sensitive, rows[i], times, state)):
                    i = state.following[target, i]
                    seen += 1
                if i < 0 or n == size:
                    return n, False, seen
                n = _take(sensitive, rows[i], i, n, state)
    cursor, n_values = state.cursor, state.n_values[0]
    for x in range(n_values):
        cursor[x] = _first_left(FIRST_TARGET, state.values[0, x], state)
    while n < size:
        best = -1
        for x in range(n_values):
            is_open = cursor[x] >= 0 and state.taken[0, state.values[0, x]] < times
            if is_open and (best < 0 or cursor[x] < cursor[best]):
                best = x
        if best < 0:
            break
        i = cursor[best]
        if not state.is_dealt[i] and _fits(sensitive, rows[i], times, state):
            n = _take(sensitive, rows[i], i, n, state)
        cursor[best] = state.following[0, i]
        seen += n_values
    return n, n == size, seen


@inner
def _finish(sensitive, rows, n, is_group, state, group):
    """Gives an id to the group that was chosen; or puts its records back, and lets the next have a value once more."""
    for x in range(n):
        i = state.members[x]
        for target in range(sensitive.shape[0]):
            value = sensitive[target, rows[i]]
            state.taken[target, value] = 0
            if is_group:
                state.remaining[target, value] -= 1
            elif state.head[target, value] < 0 or state.head[target, value] > i:
                state.head[target, value] = i
        if is_group:
            group[rows[i]] = state.at[GROUPS]
        else:
            state.is_dealt[i] = False
    if is_group:
        state.at[GROUPS], state.at[LEFT], state.at[DEALT] = (
            state.at[GROUPS] + 1,
            state.at[LEFT] - n,
            state.at[DEALT] + n,
        )
    else:
        state.at[TIMES] += 1


@inner
def _end_segment(rows, low, high, state, group):
    """Who is left is one more group."""
    at = state.at
    for i in range(low, high):
        if not state.is_dealt[i]:
            group[rows[i]] = at[GROUPS]
    at[GROUPS] += at[LEFT] > 0
    at[DEALT] += at[LEFT]
    at[SEGMENT], at[TIMES] = at[SEGMENT] + 1, 0


@kernel
def form_groups(steps, sensitive, rows, bounds, sizes, level, state, group):
    """Groups of neighbours in each segment of `rows`.

    `sensitive` is [target, record]. A group has sizes[0] records, no two with a value in common. Where that cannot be
    done any more, it has sizes[1] records and a value twice at most, and so on. In a segment no value may be more
    frequent than 1/level; a group is formed only if that stays true of what remains, which is the last group.
    Does about so many steps, and goes on when it is called again; it is done when all records are dealt out.
    """
    at = state.at
    while steps > 0 and at[DEALT] < rows.size:
        low, high = bounds[at[SEGMENT]], bounds[at[SEGMENT] + 1]
        if at[TIMES] == 0:
            _begin(sensitive, rows, low, high, state)
        if at[TIMES] <= sizes.size and at[LEFT] > sizes[at[TIMES] - 1]:
            size, n, is_group, seen = sizes[at[TIMES] - 1], np.int64(0), False, 0
            if _require(level, at[LEFT], size, at[TIMES], state):
                n, is_group, seen = _fill_group(sensitive, rows, size, at[TIMES], state)
            _finish(sensitive, rows, n, is_group, state, group)
            steps -= seen + size
        else:
            _end_segment(rows, low, high, state, group)
            steps -= high - low + 1
