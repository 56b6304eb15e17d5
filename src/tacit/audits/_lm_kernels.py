"""Inner loops of the audit of ℓ^m-diversity. They share nothing with any method: a mistake there must not hide here.

Sets of public items are met in the order of their labels. A set's baskets are a list; one pass over them counts each
item that may follow, alone and with each sensitive item.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

COMPLETE, STOPPED, EXHAUSTED = 0, 1, 2

_OPTIONS: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
_kernel = njit(**_OPTIONS)
_inner = njit(**_OPTIONS | {"no_cpython_wrapper": True})  # called by kernels only: quicker to compile


class Distinct(NamedTuple):
    """Different baskets, how many there are of each, and the baskets of each public item."""

    indptr: np.ndarray  # public items, rising
    items: np.ndarray
    secret_indptr: np.ndarray  # sensitive items
    secrets: np.ndarray
    weight: np.ndarray
    head: np.ndarray
    holders: np.ndarray
    with_secret: np.ndarray  # baskets with each sensitive item
    people: int  # all baskets, empty ones too


@_inner
def _longer(array, needed):
    """The array with at least that many rows."""
    if needed <= array.shape[0]:
        return array
    out = np.empty((max(needed, 2 * array.shape[0]), array.shape[1]), array.dtype)
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            out[i, j] = array[i, j]
    return out


@_inner
def _holds(values, start, stop, wanted):
    for p in range(start, stop):  # noqa: SIM110 - a generator costs a kernel its speed
        if values[p] == wanted:
            return True
    return False


@_inner
def _part_violates(itemset, size, secret, data, numerator, denominator):
    """Whether a smaller part of the itemset, maybe the empty one, breaks the promise for the same secret; and steps."""
    steps = np.int64(0)
    if data.with_secret[secret] * numerator > data.people * denominator:
        return True, steps
    for chosen in range(1, 2**size - 1):
        first = 0
        while not chosen >> first & 1:
            first += 1
        total = secretive = 0
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
                if _holds(data.secrets, data.secret_indptr[t], data.secret_indptr[t + 1], secret):
                    secretive += data.weight[t]
        if secretive * numerator > total * denominator:
            return True, steps
    return False, steps


@_inner
def _count(tids, start, stop, data, after, total, with_secret, pairs):
    """Counts what may follow: people and baskets for each item, people for each pair (sensitive item, item)."""
    n_pairs = steps = np.int64(0)
    for a in range(start, stop):
        t = tids[a, 0]
        for j in range(data.indptr[t], data.indptr[t + 1]):
            y = data.items[j]
            if y <= after:
                continue
            total[y, 0] += data.weight[t]
            total[y, 1] += 1
            for p in range(data.secret_indptr[t], data.secret_indptr[t + 1]):
                s = data.secrets[p]
                if with_secret[s, y] == 0:
                    pairs = _longer(pairs, n_pairs + 1)
                    pairs[n_pairs, 0] = s
                    pairs[n_pairs, 1] = y
                    n_pairs += 1
                with_secret[s, y] += data.weight[t]
        steps += data.indptr[t + 1] - data.indptr[t]
    return pairs, n_pairs, steps


@_inner
def _hand_on(tids, start, stop, data, place):
    """Writes each basket to the place of each extension that it holds."""
    for a in range(start, stop):
        t = tids[a, 0]
        for j in range(data.indptr[t], data.indptr[t + 1]):
            y = data.items[j]
            if place[y] >= 0:
                tids[place[y], 0] = t
                place[y] += 1


@_kernel
def search(size, data, numerator, denominator, worst, most, budget):
    """The itemset of this size with the largest share of a sensitive item, if that is larger than the worst known;
    and the itemsets that break the promise for a sensitive item while no smaller part of them does, `most` of them.

    `worst` is (people with the item, people), and is brought up to date. Once something breaks the promise, the
    search ends when `budget` steps are used, or when there are too many violations and nothing can be worse. Returns
    the worst itemset with its sensitive item at the end (−1: none), violations as rows (items, sensitive item, people
    with it, people) and how many they are, how the search ended, and its steps.
    """
    n_items = data.head.size - 1
    total, counted = np.zeros((n_items, 2), np.int64), np.zeros(n_items, np.bool_)
    with_secret = np.zeros((data.with_secret.size, n_items), np.int64)
    pairs = np.empty((64, 2), np.int64)
    found = np.empty((16, size + 3), np.int64)
    worst_set = np.full(size + 1, -1, np.int64)
    n_found, steps, too_many = np.int64(0), np.int64(0), False

    # Depth first: the set at hand; for each of its beginnings the extensions: item, from and to where in `tids`.
    itemset = np.empty(size, np.int64)
    extensions = np.empty((64, 3), np.int64)
    levels = np.zeros((4, size + 1), np.int64)
    begin, done, finish, top = levels[0], levels[1], levels[2], levels[3]
    place = np.full(n_items, -1, np.int64)
    start, stop, d = np.int64(0), np.int64(data.weight.size), np.int64(0)
    tids = np.empty((data.weight.size + 1, 1), np.int64)
    for t in range(stop):
        tids[t, 0] = t
    while True:
        after = itemset[d - 1] if d else -1
        begin[d] = done[d] = finish[d] = finish[d - 1] if d else 0
        top[d] = top[d - 1] if d else stop
        pairs, n_pairs, more = _count(tids, start, stop, data, after, total, with_secret, pairs)
        steps += more
        is_new = False  # whether the worst itemset is from this pass
        for i in range(n_pairs):
            s, y = pairs[i, 0], pairs[i, 1]
            secretive, people = with_secret[s, y], total[y, 0]
            with_secret[s, y] = 0
            counted[y] = True
            if d < size - 1:
                continue
            itemset[d] = y
            ahead = secretive * worst[1] - worst[0] * people
            earlier = y < worst_set[d] or (y == worst_set[d] and s < worst_set[size])
            if ahead > 0 or (ahead == 0 and is_new and earlier):
                is_new = True
                worst[0], worst[1] = secretive, people
                for p in range(size):
                    worst_set[p] = itemset[p]
                worst_set[size] = s
            if secretive * numerator > people * denominator and not too_many:
                is_larger, more = _part_violates(itemset, size, s, data, numerator, denominator)
                steps += more
                if is_larger:
                    continue
                if n_found == most:
                    too_many = True
                    continue
                found = _longer(found, n_found + 1)
                for p in range(size):
                    found[n_found, p] = itemset[p]
                found[n_found, size], found[n_found, size + 1], found[n_found, size + 2] = s, secretive, people
                n_found += 1
        for y in range(after + 1, n_items):
            if counted[y] and d < size - 1:
                extensions = _longer(extensions, finish[d] + 1)
                extensions[finish[d], 0] = y
                extensions[finish[d], 1] = place[y] = top[d]
                finish[d] += 1
                top[d] += total[y, 1]
            total[y, 0] = total[y, 1] = 0
            counted[y] = False
        if finish[d] > begin[d]:
            tids = _longer(tids, top[d])
            _hand_on(tids, start, stop, data, place)
        for e in range(begin[d], finish[d]):
            extensions[e, 2] = place[extensions[e, 0]]
            place[extensions[e, 0]] = -1

        broken = worst[0] * numerator > worst[1] * denominator
        if (too_many and worst[0] == worst[1]) or (broken and steps > budget):
            return worst_set, found, n_found, STOPPED if too_many else EXHAUSTED, steps
        while done[d] == finish[d]:
            d -= 1
            if d < 0:
                return worst_set, found, n_found, STOPPED if too_many else COMPLETE, steps
        itemset[d], start, stop = extensions[done[d], 0], extensions[done[d], 1], extensions[done[d], 2]
        done[d] += 1
        d += 1


@_kernel
def mark_affected(data, found, n_found, size, marked):
    """Marks the baskets that hold a violating itemset together with its sensitive item."""
    for i in range(n_found):
        for e in range(data.head[found[i, 0]], data.head[found[i, 0] + 1]):
            t = data.holders[e]
            held = _holds(data.secrets, data.secret_indptr[t], data.secret_indptr[t + 1], found[i, size])
            for p in range(1, size):
                held = held and _holds(data.items, data.indptr[t], data.indptr[t + 1], found[i, p])
            marked[t] |= held
