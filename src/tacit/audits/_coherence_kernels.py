"""Inner loops of the audit of coherence. They share nothing with any method: a mistake there must not hide here.

Public items are numbered from the rarest to the most frequent, and rise inside a basket. The *cover* of a basket is
how many people hold all of its public items. Any part of it is held by at least as many, so baskets with a
large cover, and few people with a sensitive item among those who hold an itemset, end the search early. It is counted
only as far as that takes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, tell
from tacit.arrays.jit import inner, kernel
from tacit.audits._holder_kernels import Bounds, Rows, is_minimal, keeps_bounds

COMPLETE, STOPPED, EXHAUSTED = 0, 1, 2
_GO_ON, _ROOM, _LOOKED = 3, 4, 5
_FIRST_BLOCK = 1 << 16  # steps of a search, as quick as they are


class Weakest(NamedTuple):
    """The weakest spots met: [people], and [people with a sensitive item, people, that item]; with their itemsets."""

    support: np.ndarray
    rare: np.ndarray
    share: np.ndarray
    exposing: np.ndarray


class Counts(NamedTuple):
    """For every item y, over the baskets that hold the itemset at hand: people, baskets, least cover, people with
    the sensitive item z at hand, and the most such people for any z, with that z."""

    people: np.ndarray
    baskets: np.ndarray
    cover: np.ndarray
    with_z: np.ndarray
    most: np.ndarray
    most_z: np.ndarray
    fill: np.ndarray
    met: np.ndarray


@inner
def _count(rows, entries, start, stop, sound, counts, state):
    """Counts the items that sound extensions may hold, in so many more baskets."""
    n, steps, depth = state[_MET], state[_STEPS], state[_DEPTH]
    for e in range(start, stop):
        row = entries[e, 0]
        steps += rows.start[row + 1] - entries[e, 1]
        for at in range(entries[e, 1], rows.start[row + 1]):
            y = rows.items[at]
            if sound[y] < depth:
                continue
            if counts.baskets[y] == 0:
                counts.met[n] = y
                n += 1
                counts.people[y] = counts.most[y] = 0
                counts.cover[y], counts.most_z[y] = rows.cover[row], -1
            counts.people[y] += rows.weight[row]
            counts.baskets[y] += 1
            counts.cover[y] = min(counts.cover[y], rows.cover[row])
    state[_MET], state[_STEPS] = n, steps


@inner
def _chain(rows, entries, start, stop, work, state):
    """Lists the sensitive items of the baskets at hand, and chains the baskets of each."""
    used, n_held = state[_USED], state[_HELD]
    for e in range(start, stop):
        for j in range(rows.sensitive_start[entries[e, 0]], rows.sensitive_start[entries[e, 0] + 1]):
            z = rows.sensitive[j]
            if work.chain[z] < 0:
                work.held[n_held] = z
                n_held += 1
            work.links[used, 0], work.links[used, 1], work.chain[z] = e, work.chain[z], used
            used += 1
    state[_USED], state[_HELD] = used, n_held


@inner
def _count_with(z, rows, entries, counts, work):
    """For every item met, the most people who hold it together with one sensitive item: now with this one."""
    for clear in range(2):
        link = work.chain[z]
        while link >= 0:
            e = work.links[link, 0]
            row = entries[e, 0]
            for at in range(entries[e, 1], rows.start[row + 1]):
                y = rows.items[at]
                if clear:
                    counts.with_z[y] = 0
                elif counts.baskets[y] > 0:
                    counts.with_z[y] += rows.weight[row]
                    if counts.with_z[y] > counts.most[y]:
                        counts.most[y], counts.most_z[y] = counts.with_z[y], z
            link = work.links[link, 1]
    work.chain[z] = -1


@inner
def _note(itemset, size, y, counts, weakest):
    """Remembers the itemset with y if it is the weakest so far, in either way."""
    people, most = counts.people[y], counts.most[y]
    if people < weakest.support[0]:
        weakest.support[0] = people
        weakest.rare[0] = size + 1
        for i in range(size):
            weakest.rare[i + 1] = itemset[i]
        weakest.rare[size + 1] = y
    if most * weakest.share[1] > weakest.share[0] * people:
        weakest.share[0], weakest.share[1], weakest.share[2] = most, people, counts.most_z[y]
        weakest.exposing[0] = size + 1
        for i in range(size):
            weakest.exposing[i + 1] = itemset[i]
        weakest.exposing[size + 1] = y


@inner
def _is_open(y, counts, bounds, weakest, precise):
    """Whether a sound itemset with y may be part of one that is not, or (if precise) that is weaker than any met."""
    k, part, whole = bounds.k, bounds.part, bounds.whole
    if precise:
        k = max(k, weakest.support[0])
        if weakest.share[0] * whole < weakest.share[1] * part:
            part, whole = weakest.share[0], weakest.share[1]
    return counts.cover[y] < k or counts.most[y] * whole > part * counts.cover[y]


@inner
def _hand_on(rows, entries, first, last, fill):
    """Writes each basket, cut off behind y, to the place of every candidate y it holds."""
    for e in range(first, last):
        row = entries[e, 0]
        for at in range(entries[e, 1], rows.start[row + 1]):
            y = rows.items[at]
            if fill[y] >= 0:
                entries[fill[y], 0], entries[fill[y], 1] = row, at + 1
                fill[y] += 1


class _Work(NamedTuple):
    """The items chosen, and room: people with each sensitive item, the baskets of each in chains, and what is known."""

    chosen: np.ndarray
    sound: np.ndarray  # with item y, the first sound[y] − 1 items chosen are sound, and open
    beside: np.ndarray
    chain: np.ndarray
    held: np.ndarray
    links: np.ndarray
    level: np.ndarray  # for each depth: where its candidates begin, the next one, where they end, and their entries


class _Aim(NamedTuple):
    """What a search is for."""

    size: int
    limit: int
    budget: int
    must_finish: bool


# Where a search is: what it is doing, at which place, how deep, with which entries, items met and the next of them,
# sensitive items met and their places, where candidates and entries end, steps taken, itemsets found, whether to go on
_PHASE, _AT, _DEPTH, _FIRST, _LAST, _MET, _NEXT, _HELD, _USED, _END, _TOP, _STEPS, _FOUND, _FURTHER, _STATES = range(15)
_COUNTING, _CHAINING, _SETTLING, _DECIDING, _HANDING_ON = range(5)


def search(
    rows: Rows,
    size: int,
    bounds: Bounds,
    n_sensitive: int,
    counts: Counts,
    weakest: Weakest,
    known_start: np.ndarray,
    known: np.ndarray,
    limit: int,
    budget: int,
    must_finish: bool,
) -> tuple[np.ndarray, int, int, bool]:
    """Minimal itemsets of exactly `size` items that break the promise: (itemsets, outcome, steps, whether to go on).

    The outcome is STOPPED if there are more than `limit`, EXHAUSTED if the steps went beyond the budget: then the
    weakest spots met may not be the very weakest, and unless it `must_finish` the search ends. Going on to longer
    itemsets is of use if some sound one of this size is open. All shorter ones are known.
    """
    n_items, n = rows.head.size - 1, rows.weight.size
    found = np.empty((limit, size), np.int32)
    work = _Work(
        np.empty(size, np.int32), np.zeros(n_items, np.int32), np.zeros(n_sensitive, np.int64),
        np.full(n_sensitive, -1), np.empty(n_sensitive, np.int64), np.empty((rows.sensitive.size, 2), np.int64),
        np.zeros((size + 1, 4), np.int64),
    )  # fmt: skip
    entries = np.empty((n + rows.items.size, 2), np.int64)  # basket, its first item not yet used
    entries[:n] = np.stack([np.arange(n), rows.start[:-1]], axis=1)
    candidates = np.empty((n_items + 1, 3), np.int64)  # item, where its entries begin, and end
    state = np.zeros(_STATES, np.int64)
    state[_LAST] = state[_TOP] = n
    aim, outcome = _Aim(size, int(limit), int(budget), bool(must_finish)), _GO_ON
    for steps in blocks(_FIRST_BLOCK):
        outcome = _search(
            steps, state, rows, aim, bounds, counts, weakest, known_start, known, work, entries, candidates, found
        )
        if outcome < _GO_ON:
            break
        if outcome == _ROOM:
            candidates = _grown(candidates, int(state[_END] + state[_MET]))
            entries = _grown(entries, int(state[_TOP]))
        tell(f"itemsets of {size}", work.level[0, 1] / max(n_items, 1))
    return found[: state[_FOUND]], outcome, int(state[_STEPS]), bool(state[_FURTHER])


def _grown(array: np.ndarray, needed: int) -> np.ndarray:
    """The array, or a copy of at least twice its length if it has fewer rows than that."""
    if needed <= len(array):
        return array
    bigger = np.empty((max(needed, 2 * len(array)), array.shape[1]), array.dtype)
    bigger[: len(array)] = array
    return bigger


@inner
def _decide(state, rows, aim, bounds, counts, weakest, known_start, known, work, candidates, found):
    """Looks at the next item met: whether it makes a candidate, or with size items a violation. Gives an outcome."""
    depth, y = state[_DEPTH], counts.met[state[_NEXT]]
    state[_NEXT] += 1
    is_sound = keeps_bounds(counts.people[y], counts.most[y], bounds)
    is_open = is_sound and _is_open(y, counts, bounds, weakest, state[_STEPS] <= aim.budget)
    counts_baskets = counts.baskets[y]
    counts.baskets[y] = 0
    if depth + 1 < aim.size:
        if is_open:
            end, top = state[_END], state[_TOP]
            candidates[end, 0], candidates[end, 1], counts.fill[y], work.sound[y] = y, top, top, depth + 1
            state[_TOP] += counts_baskets
            state[_END] += 1
        return _GO_ON
    _note(work.chosen, depth, y, counts, weakest)
    state[_FURTHER] |= is_open
    work.chosen[depth] = y
    if not is_sound and is_minimal(rows, work.chosen, bounds, work.beside, known_start, known):
        if state[_FOUND] == aim.limit:
            return STOPPED
        for j in range(aim.size):
            found[state[_FOUND], j] = work.chosen[j]
        state[_FOUND] += 1
    return _GO_ON if is_sound else _LOOKED


@inner
def _goes_on(state, work, candidates):
    """To the next candidate; whether there is one."""
    depth, level = state[_DEPTH], work.level
    while level[depth, 1] == level[depth, 2]:
        for c in range(level[depth, 0], level[depth, 2]):
            work.sound[candidates[c, 0]] = depth
        depth -= 1
        if depth < 0:
            return False
    c = level[depth, 1]
    level[depth, 1] += 1
    work.chosen[depth] = candidates[c, 0]
    state[_END], state[_TOP] = level[depth, 2], level[depth, 3]
    depth += 1
    level[depth, 0] = level[depth, 1] = state[_END]
    state[_DEPTH], state[_FIRST], state[_LAST], state[_AT] = depth, candidates[c, 1], candidates[c, 2], candidates[c, 1]
    state[_PHASE], state[_MET], state[_NEXT] = _COUNTING, 0, 0
    return True


@kernel
def _search(
    steps, state, rows, aim, bounds, counts, weakest, known_start, known, work, entries, candidates, found
):  # fmt: skip
    """Goes on with a search for about so many steps; its outcome, if it is over, or what it needs."""
    while steps > 0:
        depth, level = state[_DEPTH], work.level
        upto = min(state[_LAST], state[_AT] + steps)
        if state[_PHASE] <= _CHAINING:
            if state[_PHASE] == _COUNTING:
                _count(rows, entries, state[_AT], upto, work.sound, counts, state)
            else:
                _chain(rows, entries, state[_AT], upto, work, state)
            steps -= upto - state[_AT] + 1
            state[_AT] = upto
            if upto < state[_LAST]:
                continue
            if state[_PHASE] == _CHAINING:
                state[_PHASE], state[_AT] = _SETTLING, 0
            elif state[_STEPS] > aim.budget and not aim.must_finish:
                return EXHAUSTED
            elif work.chain.size > 0:
                state[_PHASE], state[_AT], state[_USED], state[_HELD] = _CHAINING, state[_FIRST], 0, 0
                continue
            else:
                state[_PHASE] = _DECIDING
        if state[_PHASE] == _SETTLING:
            while steps > 0 and state[_AT] < state[_HELD]:
                _count_with(work.held[state[_AT]], rows, entries, counts, work)
                state[_AT] += 1
                steps -= 1 + (state[_LAST] - state[_FIRST]) // state[_HELD]
            if state[_AT] < state[_HELD]:
                continue
            state[_PHASE] = _DECIDING
        if state[_PHASE] == _DECIDING:
            if state[_END] + state[_MET] > candidates.shape[0]:
                return _ROOM
            while steps > 0 and state[_NEXT] < state[_MET]:
                outcome = _decide(
                    state, rows, aim, bounds, counts, weakest, known_start, known, work, candidates, found
                )
                steps -= 1
                if outcome == _LOOKED:  # whether all parts of it are sound
                    rarest = work.chosen[0]
                    steps -= aim.size * (rows.head[rarest + 1] - rows.head[rarest]) + known_start.size
                elif outcome != _GO_ON:
                    return outcome
            if state[_NEXT] < state[_MET]:
                continue
            state[_PHASE], state[_AT] = _HANDING_ON, state[_FIRST]
        if state[_END] > level[depth, 0]:
            if state[_TOP] > entries.shape[0]:
                return _ROOM
            upto = min(state[_LAST], state[_AT] + max(steps, 1))
            _hand_on(rows, entries, state[_AT], upto, counts.fill)
            steps -= upto - state[_AT]
            state[_AT] = upto
            if upto < state[_LAST]:
                continue
            for c in range(level[depth, 0], state[_END]):
                candidates[c, 2] = counts.fill[candidates[c, 0]]
                counts.fill[candidates[c, 0]] = -1
        level[depth, 2], level[depth, 3] = state[_END], state[_TOP]
        if not _goes_on(state, work, candidates):
            return EXHAUSTED if state[_STEPS] > aim.budget else COMPLETE
    return _GO_ON
