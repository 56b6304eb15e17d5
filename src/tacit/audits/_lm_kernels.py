"""Inner loops of the audit of ℓ^m-diversity. They share nothing with any method: a mistake there must not hide here.

Sets of public items are met in the order of their labels. A set's baskets are a list; one pass over them counts each
item that may follow, alone and with each sensitive item.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, spans, tell
from tacit.arrays.jit import inner, kernel

COMPLETE, STOPPED, EXHAUSTED = 0, 1, 2
_GO_ON, _ROOM = 3, 4
_FIRST_BLOCK = 1 << 16  # steps of a search, as quick as they are


class Distinct(NamedTuple):
    """Different baskets, how many there are of each, and the baskets of each public item."""

    indptr: np.ndarray  # public items, rising
    items: np.ndarray
    sensitive_indptr: np.ndarray  # sensitive items
    sensitive: np.ndarray
    weight: np.ndarray
    head: np.ndarray
    holders: np.ndarray
    with_sensitive: np.ndarray  # baskets with each sensitive item
    people: int  # all baskets, empty ones too


@inner
def _holds(values, start, stop, wanted):
    for p in range(start, stop):  # noqa: SIM110 - a generator costs a kernel its speed
        if values[p] == wanted:
            return True
    return False


@inner
def _part_violates(itemset, size, sensitive, data, numerator, denominator):
    """Whether a part of the itemset, maybe the empty one, breaks the promise for the same sensitive item; and steps."""
    steps = np.int64(0)
    if data.with_sensitive[sensitive] * numerator > data.people * denominator:
        return True, steps
    for chosen in range(1, (1 << size) - 1):
        first = 0
        while not chosen >> first & 1:
            first += 1
        total = exposed = 0
        steps += data.head[itemset[first] + 1] - data.head[itemset[first]]
        for e in range(data.head[itemset[first]], data.head[itemset[first] + 1]):
            t = data.holders[e]
            held = True
            for p in range(first + 1, size):
                if chosen >> p & 1 and not _holds(data.items, data.indptr[t], data.indptr[t + 1], itemset[p]):
                    held = False
                    break
            if held:
                total += data.weight[t]
                if _holds(data.sensitive, data.sensitive_indptr[t], data.sensitive_indptr[t + 1], sensitive):
                    exposed += data.weight[t]
        if exposed * numerator > total * denominator:
            return True, steps
    return False, steps


class _Aim(NamedTuple):
    """What a search is for: shares above denominator ÷ numerator break the promise."""

    size: int
    numerator: int
    denominator: int
    most: int
    budget: int


class _Tally(NamedTuple):
    """For each item that may follow: people and baskets; people for each pair (sensitive item, item); the pairs met."""

    people: np.ndarray
    baskets: np.ndarray
    with_sensitive: np.ndarray
    pairs: np.ndarray
    is_met: np.ndarray
    place: np.ndarray


class _Way(NamedTuple):
    """The set at hand; for each of its beginnings where its extensions begin and end, which of them is next, and where
    the list of baskets is free."""

    itemset: np.ndarray
    begin: np.ndarray
    done: np.ndarray
    finish: np.ndarray
    top: np.ndarray


class _Outcome(NamedTuple):
    """The worst share known, (people with the item, people), the itemset that has it, and violations."""

    worst: np.ndarray
    worst_set: np.ndarray
    found: np.ndarray


# Where a search is: what it is doing, at which place, how deep, with which baskets, pairs met and the next of them,
# whether the worst itemset is from this pass, steps taken, violations found, and whether there are more
_PHASE, _AT, _DEPTH, _START, _STOP, _PAIRS, _NEXT, _IS_NEW, _STEPS, _FOUND, _TOO_MANY, _STATES = range(12)
_COUNTING, _JUDGING, _EXTENDING, _HANDING_ON = range(4)


def search(
    size: int, data: Distinct, numerator: int, denominator: int, worst: np.ndarray, most: int, budget: int
) -> tuple[np.ndarray, np.ndarray, int, int, int]:
    """The itemset of this size with the largest share of a sensitive item, if that is larger than the worst known;
    and the itemsets that break the promise for a sensitive item while no smaller part of them does, `most` of them.

    `worst` is (people with the item, people), and is brought up to date. Once something breaks the promise, the
    search ends when `budget` steps are used, or when there are too many violations and nothing can be worse. Returns
    the worst itemset with its sensitive item at the end (−1: none), violations as rows (items, sensitive item, people
    with it, people) and how many they are, how the search ended, and its steps.
    """
    n_items, n_sensitive, n, most = data.head.size - 1, data.with_sensitive.size, data.weight.size, max(most, 0)
    tally = _Tally(
        np.zeros(n_items, np.int64), np.zeros(n_items, np.int64), np.zeros((n_sensitive, n_items), np.int64),
        np.empty((n_sensitive * n_items, 2), np.int32), np.zeros(n_items, bool), np.full(n_items, -1),
    )  # fmt: skip
    way = _Way(np.empty(size, np.int64), *np.zeros((4, size + 1), np.int64))
    outcome = _Outcome(worst, np.full(size + 1, -1), np.empty((most, size + 3), np.int64))
    tids, extensions = np.arange(n), np.empty((n_items, 3), np.int64)
    aim, state = _Aim(size, numerator, denominator, most, int(budget)), np.zeros(_STATES, np.int64)
    state[_STOP] = way.top[0] = n
    ended = _GO_ON
    for steps in blocks(_FIRST_BLOCK):
        ended = _search(steps, state, data, aim, tally, way, outcome, tids, extensions)
        if ended < _GO_ON:
            break
        if ended == _ROOM:
            d = int(state[_DEPTH])
            tids, extensions = _longer(tids, int(way.top[d])), _longer(extensions, int(way.finish[d]) + n_items)
        tell(f"itemsets of {size}", way.done[0] / max(n_items, 1))
    return outcome.worst_set, outcome.found, int(state[_FOUND]), ended, int(state[_STEPS])


def _longer(array: np.ndarray, needed: int) -> np.ndarray:
    """The array with at least that many rows."""
    if needed <= len(array):
        return array
    out = np.empty((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out


@inner
def _count(tids, start, stop, data, after, tally, state):
    """Counts what may follow, in so many more baskets."""
    n_pairs, with_sensitive = state[_PAIRS], tally.with_sensitive
    for a in range(start, stop):
        t = tids[a]
        for j in range(data.indptr[t], data.indptr[t + 1]):
            y = data.items[j]
            if y <= after:
                continue
            tally.people[y] += data.weight[t]
            tally.baskets[y] += 1
            for p in range(data.sensitive_indptr[t], data.sensitive_indptr[t + 1]):
                s = data.sensitive[p]
                if with_sensitive[s, y] == 0:
                    tally.pairs[n_pairs, 0], tally.pairs[n_pairs, 1] = s, y
                    n_pairs += 1
                with_sensitive[s, y] += data.weight[t]
        state[_STEPS] += data.indptr[t + 1] - data.indptr[t]
    state[_PAIRS] = n_pairs


@inner
def _judge(state, data, aim, tally, itemset, outcome):
    """Looks at the next pair: whether its share is the worst, and whether it breaks the promise."""
    size, d, worst, worst_set = aim.size, state[_DEPTH], outcome.worst, outcome.worst_set
    s, y = np.int64(tally.pairs[state[_NEXT], 0]), np.int64(tally.pairs[state[_NEXT], 1])
    exposed, people = tally.with_sensitive[s, y], tally.people[y]
    state[_NEXT] += 1
    tally.with_sensitive[s, y] = 0
    tally.is_met[y] = True
    if d < size - 1:
        return
    itemset[d] = y
    ahead = exposed * worst[1] - worst[0] * people
    earlier = y < worst_set[d] or (y == worst_set[d] and s < worst_set[size])
    if ahead > 0 or (ahead == 0 and state[_IS_NEW] and earlier):
        state[_IS_NEW] = 1
        worst[0], worst[1] = exposed, people
        for p in range(size):
            worst_set[p] = itemset[p]
        worst_set[size] = s
    if exposed * aim.numerator <= people * aim.denominator or state[_TOO_MANY]:
        return
    is_larger, more = _part_violates(itemset, size, s, data, aim.numerator, aim.denominator)
    state[_STEPS] += more
    if is_larger:
        return
    row = state[_FOUND]
    if row == aim.most:
        state[_TOO_MANY] = 1
        return
    for p in range(size):
        outcome.found[row, p] = itemset[p]
    outcome.found[row, size], outcome.found[row, size + 1], outcome.found[row, size + 2] = s, exposed, people
    state[_FOUND] += 1


@inner
def _extend(state, aim, tally, way, after, extensions):
    """Makes the items met extensions, in their order, unless the set is long enough."""
    d = state[_DEPTH]
    for y in range(after + 1, tally.people.size):
        if tally.is_met[y] and d < aim.size - 1:
            extensions[way.finish[d], 0] = y
            extensions[way.finish[d], 1] = tally.place[y] = way.top[d]
            way.finish[d] += 1
            way.top[d] += tally.baskets[y]
        tally.people[y] = tally.baskets[y] = 0
        tally.is_met[y] = False


@inner
def _hand_on(tids, start, stop, data, place):
    """Writes each basket to the place of each extension that it holds."""
    for a in range(start, stop):
        t = tids[a]
        for j in range(data.indptr[t], data.indptr[t + 1]):
            y = data.items[j]
            if place[y] >= 0:
                tids[place[y]] = t
                place[y] += 1


@inner
def _goes_on(state, way, extensions):
    """To the next set; whether there is one."""
    d = state[_DEPTH]
    while way.done[d] == way.finish[d]:
        d -= 1
        if d < 0:
            return False
    e = way.done[d]
    way.itemset[d] = extensions[e, 0]
    way.done[d] += 1
    d += 1
    way.begin[d] = way.done[d] = way.finish[d] = way.finish[d - 1]
    way.top[d] = way.top[d - 1]
    state[_DEPTH], state[_START], state[_STOP], state[_AT] = d, extensions[e, 1], extensions[e, 2], extensions[e, 1]
    state[_PHASE], state[_PAIRS], state[_NEXT], state[_IS_NEW] = _COUNTING, 0, 0, 0
    return True


@kernel
def _search(block, state, data, aim, tally, way, outcome, tids, extensions):
    """Goes on with a search for about so many steps; how it ended, or what it needs."""
    pause = state[_STEPS] + block
    while state[_STEPS] < pause:
        pause -= 1
        d = state[_DEPTH]
        after = way.itemset[d - 1] if d else np.int64(-1)
        upto = min(state[_STOP], state[_AT] + max(pause - state[_STEPS], 1))
        if state[_PHASE] == _COUNTING:
            _count(tids, state[_AT], upto, data, after, tally, state)
            state[_AT] = upto
            if upto < state[_STOP]:
                continue
            state[_PHASE] = _JUDGING
        if state[_PHASE] == _JUDGING:
            while state[_NEXT] < state[_PAIRS] and state[_STEPS] < pause:
                _judge(state, data, aim, tally, way.itemset, outcome)
                pause -= 1
            if state[_NEXT] < state[_PAIRS]:
                continue
            state[_PHASE] = _EXTENDING
        if state[_PHASE] == _EXTENDING:
            if way.finish[d] + tally.people.size > extensions.shape[0]:
                return _ROOM
            _extend(state, aim, tally, way, after, extensions)
            state[_PHASE], state[_AT] = _HANDING_ON, state[_START]
        if way.finish[d] > way.begin[d]:
            if way.top[d] > tids.size:
                return _ROOM
            upto = min(state[_STOP], state[_AT] + max(pause - state[_STEPS], 1))
            _hand_on(tids, state[_AT], upto, data, tally.place)
            pause -= upto - state[_AT]
            state[_AT] = upto
            if upto < state[_STOP]:
                continue
            for e in range(way.begin[d], way.finish[d]):
                extensions[e, 2] = tally.place[extensions[e, 0]]
                tally.place[extensions[e, 0]] = -1
        worst = outcome.worst
        broken = worst[0] * aim.numerator > worst[1] * aim.denominator
        if (state[_TOO_MANY] and worst[0] == worst[1]) or (broken and state[_STEPS] > aim.budget):
            return STOPPED if state[_TOO_MANY] else EXHAUSTED
        if not _goes_on(state, way, extensions):
            return STOPPED if state[_TOO_MANY] else COMPLETE
    return _GO_ON


def mark_affected(data: Distinct, found: np.ndarray, n_found: int, size: int, marked: np.ndarray) -> None:
    """Marks the baskets that hold a violating itemset together with its sensitive item."""
    for start, stop in spans(n_found, first=64):
        _mark_affected(data, found[start:stop], size, marked)


@kernel
def _mark_affected(data, found, size, marked):
    for i in range(found.shape[0]):
        for e in range(data.head[found[i, 0]], data.head[found[i, 0] + 1]):
            t = data.holders[e]
            held = _holds(data.sensitive, data.sensitive_indptr[t], data.sensitive_indptr[t + 1], found[i, size])
            for p in range(1, size):
                held = held and _holds(data.items, data.indptr[t], data.indptr[t + 1], found[i, p])
            marked[t] |= held
