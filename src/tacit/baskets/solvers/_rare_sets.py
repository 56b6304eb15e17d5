"""The itemsets of one size that too few people hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, tell
from tacit.arrays.jit import kernel, part
from tacit.baskets.solvers._room import DONE, GO_ON, ROOM, grown
from tacit.baskets.solvers.effort import UNLIMITED, Exhausted

_FIRST_BLOCK = 1 << 16  # baskets looked at, as quick as these are


class _Sets(NamedTuple):
    """Sorted baskets of labels, and how many people have each."""

    indptr: np.ndarray
    labels: np.ndarray
    weight: np.ndarray


class _Tally(NamedTuple):
    """For each label, over the baskets at hand: people, baskets, and baskets of fewer than k people hold it."""

    people: np.ndarray
    baskets: np.ndarray
    light: np.ndarray
    place: np.ndarray  # in the arena; 0 for a label that is no extension
    touched: np.ndarray


class _Way(NamedTuple):
    """The set at hand, and for each of its beginnings where its extensions begin and end, which of them is next, and
    where the arena is free."""

    prefix: np.ndarray
    first: np.ndarray
    done: np.ndarray
    behind: np.ndarray
    top: np.ndarray


class _Growing(NamedTuple):
    """What is found, extensions (label, from and to where in the arena), and baskets with the first position left."""

    sets: np.ndarray
    people: np.ndarray
    extensions: np.ndarray
    arena: np.ndarray


# Where the search is: what it is doing, at which place, the set's size and baskets, labels touched, baskets visited and
# sets found
_PHASE, _AT, _DEPTH, _START, _STOP, _TOUCHED, _VISITS, _FOUND, _STATES = range(9)
_COUNTING, _DECIDING, _HANDING_ON = range(3)


def rare_sets(
    indptr: np.ndarray, labels: np.ndarray, weight: np.ndarray, n_labels: int, k: int, size: int,
    most: int = UNLIMITED, space: int = UNLIMITED,
) -> tuple[np.ndarray, np.ndarray, int]:  # fmt: skip
    """All sets of `size` labels that somebody holds, but fewer than k people: (labels one after another, people), and
    how many baskets were looked at, once for each set. `Exhausted` if these are more than `most`, or the labels of all
    sets, which are remembered, more than `space`.

    Baskets are sorted; smaller sets than these must be held by nobody or by k. Depth first in label order: one pass
    over the baskets of a set counts all of its extensions, and a second one hands each basket on to those of them
    that some basket of fewer than k people holds; a basket that k people share has no rare part.
    """
    tally = _Tally(*(np.zeros(n_labels, kind) for kind in (np.int64, np.int64, np.int64, np.int64, np.int32)))
    way = _Way(np.empty(size, np.int32), *np.zeros((4, size), np.int64))
    arena = np.empty((2 * weight.size + 64, 2), np.int64)
    arena[: weight.size] = np.stack([np.arange(weight.size), indptr[:-1]], axis=1)
    growing = _Growing(np.empty((64, size), np.int32), np.empty(64, np.int64), np.empty((64, 3), np.int64), arena)
    state = np.zeros(_STATES, np.int64)
    state[_STOP] = way.top[0] = weight.size
    for steps in blocks(_FIRST_BLOCK):
        outcome = _search(steps, state, _Sets(indptr, labels, weight), k, tally, way, growing)
        if state[_VISITS] > most or state[_FOUND] * size > space:
            raise Exhausted
        if outcome == DONE:
            break
        if outcome == ROOM:
            depth, touched = int(state[_DEPTH]), int(state[_TOUCHED])
            found, behind = int(state[_FOUND]) + touched, int(way.behind[depth]) + touched
            rows = found, found, behind, int(way.top[depth])
            growing = _Growing(*(grown(array, more) for array, more in zip(growing, rows, strict=True)))
        tell(f"rare sets of {size}", way.done[0] / max(way.behind[0], 1))
    n = int(state[_FOUND])
    return growing.sets[:n].ravel(), growing.people[:n], int(state[_VISITS])


@part
def _count(arena, start, stop, sets, k, tally, n_touched):
    """Counts the labels of so many more baskets; how many labels there are then."""
    for a in range(start, stop):
        t = arena[a, 0]
        weight = sets.weight[t]
        for j in range(arena[a, 1], sets.indptr[t + 1]):
            y = sets.labels[j]
            if tally.baskets[y] == 0:
                tally.touched[n_touched] = y
                n_touched += 1
            tally.people[y] += weight
            tally.baskets[y] += 1
            tally.light[y] += weight < k
    return n_touched


@part
def _decide(state, k, tally, way, growing):
    """Of the labels that were counted, writes down those that make a rare set, or extends the set by them."""
    depth, size = state[_DEPTH], way.prefix.size
    for i in range(state[_TOUCHED]):
        y = tally.touched[i]
        if depth + 1 == size and tally.people[y] < k:
            row = state[_FOUND]
            for p in range(depth):
                growing.sets[row, p] = way.prefix[p]
            growing.sets[row, depth] = y
            growing.people[row] = tally.people[y]
            state[_FOUND] += 1
        elif depth + 1 < size and tally.light[y] > 0:
            e = way.behind[depth]
            growing.extensions[e, 0] = y
            growing.extensions[e, 1] = tally.place[y] = way.top[depth]
            way.top[depth] += tally.baskets[y]
            way.behind[depth] = e + 1
        tally.people[y] = tally.baskets[y] = tally.light[y] = 0


@kernel
def _search(steps, state, sets, k, tally, way, growing):
    """Goes on with the search for so many baskets; says whether it is done, or needs room."""
    arena, extensions = growing.arena, growing.extensions
    while steps > 0:
        depth = state[_DEPTH]
        left = state[_STOP] - state[_AT]
        upto = state[_AT] + (steps if steps < left else left)
        if state[_PHASE] == _COUNTING:
            state[_TOUCHED] = _count(arena, state[_AT], upto, sets, k, tally, state[_TOUCHED])
            state[_VISITS] += upto - state[_AT]
            steps -= upto - state[_AT] + 1
            state[_AT] = upto
            if upto < state[_STOP]:
                continue
            state[_PHASE] = _DECIDING
        if state[_PHASE] == _DECIDING:
            if (
                state[_FOUND] + state[_TOUCHED] > growing.people.size
                or way.behind[depth] + state[_TOUCHED] > extensions.shape[0]
            ):
                return ROOM
            _decide(state, k, tally, way, growing)
            state[_PHASE], state[_AT] = _HANDING_ON, state[_START]
        if way.behind[depth] > way.first[depth]:
            if way.top[depth] > arena.shape[0]:
                return ROOM
            left, most = state[_STOP] - state[_AT], steps if steps > 1 else 1
            upto = state[_AT] + (most if most < left else left)
            for a in range(state[_AT], upto):
                t = arena[a, 0]
                for j in range(arena[a, 1], sets.indptr[t + 1]):
                    place = tally.place[sets.labels[j]]
                    if place > 0:
                        arena[place, 0], arena[place, 1] = t, j + 1
                        tally.place[sets.labels[j]] = place + 1
            steps -= upto - state[_AT]
            state[_AT] = upto
            if upto < state[_STOP]:
                continue
            for e in range(way.first[depth], way.behind[depth]):
                extensions[e, 2] = tally.place[extensions[e, 0]]
                tally.place[extensions[e, 0]] = 0
        way.done[depth] = way.first[depth]
        while way.done[depth] == way.behind[depth]:
            if depth == 0:
                return DONE
            depth -= 1
        e = way.done[depth]
        way.done[depth] += 1
        way.prefix[depth] = extensions[e, 0]
        depth += 1
        way.first[depth] = way.behind[depth] = way.behind[depth - 1]
        way.top[depth] = way.top[depth - 1]
        state[_DEPTH], state[_START], state[_STOP], state[_AT] = (
            depth,
            extensions[e, 1],
            extensions[e, 2],
            extensions[e, 1],
        )
        state[_PHASE], state[_TOUCHED] = _COUNTING, 0
    return GO_ON
