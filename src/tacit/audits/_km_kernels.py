"""The search of the audit of baskets for itemsets that fewer than k people have; no method has any of it.

What a set X of items leaves open in the prefix tree of baskets (those that hold X, with their items numbered above X)
is a list of (node, number of baskets): the *entries* of X. Entries at the same node merge, and an entry of k or more
baskets hides everything above it: k people share all of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, tell
from tacit.arrays.jit import inner, kernel
from tacit.audits._trie_kernels import Trie, support

COMPLETE, STOPPED, EXHAUSTED = 0, 1, 2
_GO_ON, _ROOM = 3, 4
_FIRST_BLOCK = 1 << 16  # steps of a search, as quick as they are


class _Table(NamedTuple):
    """people[d, y]: support of X + y, where X are the first d items chosen; touched[d]: the y for which it is not 0."""

    people: np.ndarray
    touched: np.ndarray
    room: np.ndarray  # how many entries X + y has,
    start: np.ndarray  # where they start,
    fill: np.ndarray  # and where the next one goes; −1 for a y that is not extended
    chosen: np.ndarray


class _Levels(NamedTuple):
    """The candidates of depth d are the numbers [next_one[d], end_of[d]); their entries end at entry_end[d]."""

    n_touched: np.ndarray
    next_one: np.ndarray
    end_of: np.ndarray
    entry_end: np.ndarray


class _Growing(NamedTuple):
    """The entries, and the candidates with where their entries begin and end."""

    node: np.ndarray
    weight: np.ndarray
    item: np.ndarray
    begin: np.ndarray
    end: np.ndarray


class _Aim(NamedTuple):
    """What a search is for."""

    size: int
    floor: int
    limit: int
    shrinking: bool
    budget: int


# Where a search is: what it is doing, how deep, with which candidate, how many extensions were touched and listed, the
# steps taken, itemsets found, the threshold, and how many entries and candidates there must be room for
_PHASE, _DEPTH, _AT, _N, _LISTED, _STEPS, _FOUND, _THRESHOLD, _ENTRIES, _CANDIDATES, _STATES = range(11)
_CHOOSING, _DELIVERING, _LISTING = range(3)


def search(
    trie: Trie, size: int, threshold: int, floor: int, limit: int, shrinking: bool, budget: int
) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Itemsets of exactly `size` (2 or more) items with a support below the threshold, in the order of their numbers.

    shrinking: only the one of least support is wanted; no smaller itemset may lie below the threshold. The threshold
    falls with every find, and the search stops when it reaches `floor`. Otherwise the minimal ones are listed, all of
    whose smaller subsets reach the threshold, and the search stops when there are more than `limit`.
    Returns itemsets, supports, an outcome, and the steps taken; steps beyond the budget end the search (EXHAUSTED).
    """
    n_items, n_entries = trie.support.size, trie.order.size
    found, supports = np.empty((limit, size), np.int32), np.empty(limit, np.int64)
    table = _Table(
        np.zeros((size, n_items), np.int64), np.empty((size, n_items), np.int32),
        np.full(n_items, -1), np.full(n_items, -1), np.full(n_items, -1), np.empty(size, np.int32),
    )  # fmt: skip
    table.people[0] = trie.support
    levels = _Levels(*np.zeros((4, size), np.int64))
    levels.end_of[0], levels.entry_end[0] = n_items, n_entries
    growing = _Growing(
        trie.order.copy(), trie.weight[trie.order],
        np.arange(n_items, dtype=np.int32), trie.head[:-1].copy(), trie.head[1:].copy(),
    )  # fmt: skip
    aim = _Aim(size, int(floor), limit, shrinking, int(budget))
    state = np.zeros(_STATES, np.int64)
    state[_THRESHOLD] = threshold
    outcome = _GO_ON
    for steps in blocks(_FIRST_BLOCK):
        outcome = _search(steps, state, trie, aim, table, levels, growing, found, supports)
        if outcome < _GO_ON:
            break
        growing = _Growing(
            *(_longer(array, int(state[_ENTRIES])) for array in growing[:2]),
            *(_longer(array, int(state[_CANDIDATES])) for array in growing[2:]),
        )
        tell(f"itemsets of {size}", levels.next_one[0] / n_items)
    n = int(state[_FOUND])
    return found[:n], supports[:n], outcome, int(state[_STEPS])


def _longer(array: np.ndarray, size: int) -> np.ndarray:
    """The array, or a copy of at least twice its length if it is shorter than that."""
    if size <= array.size:
        return array
    out = np.empty(max(size, 2 * array.size), array.dtype)
    out[: array.size] = array
    return out


@inner
def _sort(array, row, n):
    """Sort the first n of a row in place (Shell's way; NumPy's sort takes a second to compile)."""
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            value, j = array[row, i], i
            while j >= gap and array[row, j - gap] > value:
                array[row, j] = array[row, j - gap]
                j -= gap
            array[row, j] = value
        gap //= 2


@inner
def _count_extensions(trie, first, last, growing, d, remaining, threshold, table):
    """people[d + 1, y] = support of X + y, for every y in an open entry of X that is frequent one level up.

    An entry is open if `remaining` more items of it can make an itemset below the threshold: light, and deep enough.
    room[y] counts the entries of X + y. With one item to go only supports below the threshold are wanted, so
    counting ends when none is left below. Returns how many y were touched (they are listed), how many of those lie
    below the threshold, and the steps taken.
    """
    people, room = table.people, table.room
    n_touched, below, steps = np.int64(0), np.int64(0), np.int64(0)
    for open_ones in range(1, -1, -1):
        for e in range(first, last):
            if open_ones == 0 and (n_touched == 0 or (below == 0 and remaining == 1)):
                break
            node, weight = growing.node[e], growing.weight[e]
            if (weight < threshold and trie.depth[node] > remaining) != (open_ones == 1):
                continue
            steps += trie.depth[node]
            above = trie.parent[node]
            while above > 0:
                y = trie.item[above]
                now = people[d + 1, y]
                if open_ones == 1 and people[d, y] >= threshold:
                    if now == 0:
                        table.touched[d + 1, n_touched] = y
                        n_touched += 1
                        room[y] = 0
                    people[d + 1, y] = now + weight
                    room[y] += 1
                elif open_ones == 0 and now > 0:
                    below -= now < threshold <= now + weight
                    people[d + 1, y] = now + weight
                    room[y] += 1
                above = trie.parent[above]
        if open_ones == 1:
            for i in range(n_touched):
                below += people[d + 1, table.touched[d + 1, i]] < threshold
    return n_touched, below, steps


@inner
def _deliver(trie, state, table, levels, growing):
    """Writes the entries of X + y, from those of X, for every y that is frequent; equal nodes merge. One level deeper
    these y are the candidates."""
    d, at, n = state[_DEPTH], state[_AT], state[_N]
    start, fill = table.start, table.fill
    entry_top = levels.entry_end[d]
    for i in range(n):
        y = table.touched[d + 1, i]
        if table.people[d + 1, y] >= state[_THRESHOLD]:
            start[y] = fill[y] = entry_top
            entry_top += table.room[y]
    for e in range(growing.begin[at], growing.end[at]):
        above = trie.parent[growing.node[e]]
        while above > 0:
            place = fill[trie.item[above]]
            if place >= 0:
                if place > start[trie.item[above]] and growing.node[place - 1] == above:
                    growing.weight[place - 1] += growing.weight[e]
                else:
                    growing.node[place], growing.weight[place] = above, growing.weight[e]
                    fill[trie.item[above]] += 1
            above = trie.parent[above]
    top = levels.end_of[d]
    for i in range(n):
        y = table.touched[d + 1, i]
        if fill[y] >= 0:
            growing.item[top], growing.begin[top], growing.end[top] = y, start[y], fill[y]
            fill[y] = -1
            top += 1
    d += 1
    levels.n_touched[d], levels.next_one[d] = n, levels.end_of[d - 1]
    levels.end_of[d], levels.entry_end[d] = top, entry_top
    state[_DEPTH] = d


@inner
def _needs_room(state, table, levels, growing):
    """Whether there is too little room to go deeper; says how much there must be."""
    d = state[_DEPTH]
    state[_ENTRIES], state[_CANDIDATES] = levels.entry_end[d], levels.end_of[d] + state[_N]
    for i in range(state[_N]):
        y = table.touched[d + 1, i]
        if table.people[d + 1, y] >= state[_THRESHOLD]:
            state[_ENTRIES] += table.room[y]
    return state[_ENTRIES] > growing.node.size or state[_CANDIDATES] > growing.item.size


@inner
def _has_rare_subset(trie, itemset, threshold):
    """Whether leaving out one item gives a support below the threshold; for the last two it is known not to."""
    for i in range(itemset.size - 2):  # noqa: SIM110 (Numba has no any())
        if support(trie, itemset, itemset.size, i, threshold) < threshold:
            return True
    return False


@inner
def _list_next(trie, state, aim, table, found, supports):
    """Looks at the next extension with which the itemset is complete; the outcome, if the search ends with it."""
    d, threshold, chosen = state[_DEPTH], state[_THRESHOLD], table.chosen
    y = table.touched[d + 1, state[_LISTED]]
    state[_LISTED] += 1
    support = table.people[d + 1, y]
    table.people[d + 1, y] = 0
    if support >= threshold:
        return _GO_ON
    chosen[d + 1] = y
    row = np.int64(0)
    if not aim.shrinking:
        state[_STEPS] += aim.size * (trie.head[chosen[1] + 1] - trie.head[chosen[1]])
        if _has_rare_subset(trie, chosen, threshold):
            return _GO_ON
        row = state[_FOUND]
        if row == aim.limit:
            return STOPPED
    for j in range(aim.size):
        found[row, j] = chosen[j]
    supports[row] = support
    state[_FOUND] = row + 1
    if aim.shrinking:
        state[_THRESHOLD] = support
        if support <= aim.floor:
            return STOPPED
    return _GO_ON


@kernel
def _search(block, state, trie, aim, table, levels, growing, found, supports):
    """Goes on with a search for about so many steps; its outcome, if it is over, or what it needs."""
    pause, turns = state[_STEPS] + block, np.int64(0)
    while state[_STEPS] + turns < pause:
        turns += 1
        d = state[_DEPTH]
        if state[_PHASE] == _LISTING:
            if state[_LISTED] == state[_N]:
                state[_PHASE] = _CHOOSING
            else:
                outcome = _list_next(trie, state, aim, table, found, supports)
                if outcome != _GO_ON:
                    return outcome
            continue
        if state[_PHASE] == _DELIVERING:
            if _needs_room(state, table, levels, growing):
                return _ROOM
            _deliver(trie, state, table, levels, growing)
            state[_PHASE] = _CHOOSING
            continue
        if levels.next_one[d] == levels.end_of[d]:
            for i in range(levels.n_touched[d]):
                table.people[d, table.touched[d, i]] = 0
            if d == 0:
                return COMPLETE
            state[_DEPTH] -= 1
            continue
        if state[_STEPS] >= aim.budget:
            return EXHAUSTED
        at = levels.next_one[d]
        levels.next_one[d] += 1
        first, last, remaining = growing.begin[at], growing.end[at], aim.size - d - 1
        state[_STEPS] += last - first
        if table.people[d, growing.item[at]] < state[_THRESHOLD]:
            continue
        table.chosen[d], state[_AT], state[_LISTED] = growing.item[at], at, 0
        n, below, taken = _count_extensions(trie, first, last, growing, d, remaining, state[_THRESHOLD], table)
        state[_STEPS] += taken
        state[_N] = n
        if remaining > 1 or below > 0:
            _sort(table.touched, d + 1, n)
        state[_PHASE] = _DELIVERING if remaining > 1 else _LISTING
    return _GO_ON
