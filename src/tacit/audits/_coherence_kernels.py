"""Inner loops of the audit of coherence. They share nothing with any method: a mistake there must not hide here.

Public items are numbered from the rarest to the most frequent, and rise inside a basket. The *cover* of a basket is
how many people hold all of its public items. Any part of it is held by at least as many, so baskets with a
large cover, and few people with a private item among those who hold an itemset, end the search early. It is counted
only as far as that takes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

COMPLETE, STOPPED, EXHAUSTED = 0, 1, 2
_EFFORT = np.int64(256)  # baskets looked at, at most, for one cover
_NONE = np.int64(-1)  # a plain −1 would be a type of its own, and what takes it compiled once more

_OPTIONS: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
_kernel = njit(**_OPTIONS)
_inner = njit(**_OPTIONS | {"no_cpython_wrapper": True})  # called by kernels only: half the time to compile


class Rows(NamedTuple):
    """Distinct baskets: public items, private items, people, cover; the baskets of item x are holders[head[x]:...]."""

    start: np.ndarray
    items: np.ndarray
    private_start: np.ndarray
    private: np.ndarray
    weight: np.ndarray
    cover: np.ndarray
    head: np.ndarray
    holders: np.ndarray


class Bounds(NamedTuple):
    """The promise: an itemset has at least k holders, of whom at most part / whole have one private item."""

    k: int
    part: int
    whole: int


class Weakest(NamedTuple):
    """The weakest spots met: [people], and [people with a private item, people, private item]; with their itemsets."""

    support: np.ndarray
    rare: np.ndarray
    share: np.ndarray
    exposing: np.ndarray


class Counts(NamedTuple):
    """For every item y, over the baskets that hold the itemset at hand: people, baskets, least cover, people with
    the private item z at hand, and the most such people for any z, with that z."""

    people: np.ndarray
    baskets: np.ndarray
    cover: np.ndarray
    with_z: np.ndarray
    most: np.ndarray
    most_z: np.ndarray
    fill: np.ndarray
    met: np.ndarray


@_inner
def _holds(rows, row, itemset, skip):
    """Whether a basket holds a rising itemset, but for the item at `skip`."""
    at = rows.start[row]
    for i in range(itemset.size):
        if i == skip:
            continue
        while at < rows.start[row + 1] and rows.items[at] < itemset[i]:
            at += 1
        if at == rows.start[row + 1] or rows.items[at] != itemset[i]:
            return False
        at += 1
    return True


@_inner
def _covered(rows, row, cap, effort):
    """People who hold all public items of a basket, counted up to `cap`, or so many as a limited effort finds."""
    if rows.weight[row] >= cap:
        return np.int64(cap)
    basket = rows.items[rows.start[row] : rows.start[row + 1]]
    people, end = np.int64(0), rows.head[basket[0] + 1]
    for q in range(rows.head[basket[0]], min(end, rows.head[basket[0]] + effort)):
        if _holds(rows, rows.holders[q], basket, _NONE):
            people += rows.weight[rows.holders[q]]
            if people >= cap:
                return np.int64(cap)
    return max(people, rows.weight[row])


@_kernel
def write_covers(rows, cap):
    """The cover of every basket, or less, counted up to `cap`."""
    for row in range(rows.weight.size):
        rows.cover[row] = _covered(rows, row, cap, _EFFORT) if rows.start[row] < rows.start[row + 1] else cap


@_kernel
def least_cover(rows):
    """The basket that fewest people hold all of, and how many do; the first of equals."""
    least, where = np.int64(2**62), np.int64(-1)
    for row in range(rows.weight.size):
        if rows.start[row] < rows.start[row + 1]:
            people = _covered(rows, row, least, rows.weight.size)
            if people < least:
                least, where = people, np.int64(row)
    return where, least


@_inner
def _judge(rows, itemset, skip, beside):
    """People who hold the itemset without the item at `skip`; how many of them have the same private item; which."""
    first = itemset[0] if skip != 0 else itemset[1]
    people, most, most_z = np.int64(0), np.int64(0), np.int64(-1)
    for clear in range(2):
        for q in range(rows.head[first], rows.head[first + 1]):
            row = rows.holders[q]
            if not _holds(rows, row, itemset, skip):
                continue
            people += 0 if clear else rows.weight[row]
            for j in range(rows.private_start[row], rows.private_start[row + 1]):
                z = rows.private[j]
                beside[z] += rows.weight[row]
                if clear:
                    beside[z] = 0
                elif beside[z] > most:
                    most, most_z = beside[z], np.int64(z)
    return people, most, most_z


@_kernel
def judge(rows, itemset, n_private):
    """How many people hold the itemset; how many of them have the same private item; which one that is."""
    return _judge(rows, itemset, _NONE, np.zeros(n_private, np.int64))


@_inner
def _is_sound(people, most, bounds):
    return people >= bounds.k and most * bounds.whole <= people * bounds.part


@_inner
def _is_minimal(rows, itemset, bounds, beside, known_start, known):
    """Whether all parts of the itemset are sound.

    With one item less, all but two need a look. Shorter ones may be unsound even so, if a private item is more
    frequent there: those are known already.
    """
    for skip in range(itemset.size - 2):
        people, most, _ = _judge(rows, itemset, skip, beside)
        if not _is_sound(people, most, bounds):
            return False
    for e in range(known_start.size - 1):
        i = 0
        for at in range(known_start[e], known_start[e + 1]):
            while i < itemset.size and itemset[i] < known[at]:
                i += 1
            if i == itemset.size or itemset[i] != known[at]:
                break
        else:
            return False
    return True


@_inner
def _count(rows, entries, first, last, sound, depth, counts):
    """Counts the items that sound extensions may hold; gives how many were met, and the steps taken."""
    n, steps = 0, 0
    for e in range(first, last):
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
    return n, steps


@_inner
def _count_private(rows, entries, first, last, counts, chain, links):
    """For every item met, the most people who hold it together with one private item."""
    used, n_private = 0, 0
    held = np.empty(chain.size, np.int64)
    for e in range(first, last):
        for j in range(rows.private_start[entries[e, 0]], rows.private_start[entries[e, 0] + 1]):
            z = rows.private[j]
            if chain[z] < 0:
                held[n_private] = z
                n_private += 1
            links[used, 0], links[used, 1], chain[z] = e, chain[z], used
            used += 1
    for i in range(n_private):
        z = held[i]
        for clear in range(2):
            link = chain[z]
            while link >= 0:
                row = entries[links[link, 0], 0]
                for at in range(entries[links[link, 0], 1], rows.start[row + 1]):
                    y = rows.items[at]
                    if clear:
                        counts.with_z[y] = 0
                    elif counts.baskets[y] > 0:
                        counts.with_z[y] += rows.weight[row]
                        if counts.with_z[y] > counts.most[y]:
                            counts.most[y], counts.most_z[y] = counts.with_z[y], z
                link = links[link, 1]
        chain[z] = -1


@_inner
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


@_inner
def _is_open(y, counts, bounds, weakest, precise):
    """Whether a sound itemset with y may be part of one that is not, or (if precise) that is weaker than any met."""
    k, part, whole = bounds.k, bounds.part, bounds.whole
    if precise:
        k = max(k, weakest.support[0])
        if weakest.share[0] * whole < weakest.share[1] * part:
            part, whole = weakest.share[0], weakest.share[1]
    return counts.cover[y] < k or counts.most[y] * whole > part * counts.cover[y]


@_inner
def _grown(array, needed):
    if needed <= array.shape[0]:
        return array
    bigger = np.empty((max(needed, 2 * array.shape[0]), array.shape[1]), array.dtype)
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            bigger[i, j] = array[i, j]
    return bigger


@_inner
def _hand_on(rows, entries, first, last, fill):
    """Writes each basket, cut off behind y, to the place of every candidate y it holds."""
    for e in range(first, last):
        row = entries[e, 0]
        for at in range(entries[e, 1], rows.start[row + 1]):
            y = rows.items[at]
            if fill[y] >= 0:
                entries[fill[y], 0], entries[fill[y], 1] = row, at + 1
                fill[y] += 1


@_kernel
def search(rows, size, bounds, n_private, counts, weakest, known_start, known, limit, budget, must_finish):
    """Minimal itemsets of exactly `size` items that break the promise: (itemsets, outcome, steps, whether to go on).

    The outcome is STOPPED if there are more than `limit`, EXHAUSTED if the steps went beyond the budget: then the
    weakest spots met may not be the very weakest, and unless it `must_finish` the search ends. Going on to longer
    itemsets is of use if some sound one of this size is open. All shorter ones are known.
    """
    n_items = rows.head.size - 1
    found, n_found, steps, go_on = np.empty((limit, size), np.int32), 0, np.int64(0), False
    beside, chain = np.zeros(n_private, np.int64), np.full(n_private, -1, np.int64)
    links = np.empty((rows.private.size, 2), np.int64)
    sound = np.zeros(n_items, np.int32)  # with item y, the first sound[y] − 1 items chosen are sound, and open
    chosen = np.empty(size, np.int32)
    entries = np.empty((rows.weight.size + rows.items.size, 2), np.int64)  # basket, its first item not yet used
    for row in range(rows.weight.size):
        entries[row, 0], entries[row, 1] = row, rows.start[row]
    candidates = np.empty((n_items + 1, 3), np.int64)  # item, where its entries begin, and end
    # For each depth: where its candidates begin, the next one, where they end, where their entries end
    level = np.zeros((size + 1, 4), np.int64)
    depth, first, last = np.int64(0), np.int64(0), np.int64(rows.weight.size)
    while True:
        n, taken = _count(rows, entries, first, last, sound, depth, counts)
        steps += taken
        if steps > budget and not must_finish:
            return found[:n_found], EXHAUSTED, steps, go_on
        if n_private > 0:
            _count_private(rows, entries, first, last, counts, chain, links)
        end, top = level[depth - 1, 2] if depth else 0, level[depth - 1, 3] if depth else last
        level[depth, 0] = level[depth, 1] = end
        candidates = _grown(candidates, end + n)
        for i in range(n):
            y = counts.met[i]
            is_sound = _is_sound(counts.people[y], counts.most[y], bounds)
            is_open = is_sound and _is_open(y, counts, bounds, weakest, steps <= budget)
            if depth + 1 < size and is_open:
                candidates[end, 0], candidates[end, 1], counts.fill[y], sound[y] = y, top, top, depth + 1
                top += counts.baskets[y]
                end += 1
            if depth + 1 == size:
                _note(chosen, depth, y, counts, weakest)
                go_on |= is_open
                chosen[depth] = y
                if not is_sound and _is_minimal(rows, chosen, bounds, beside, known_start, known):
                    if n_found == limit:
                        return found, STOPPED, steps, go_on
                    for j in range(size):
                        found[n_found, j] = chosen[j]
                    n_found += 1
            counts.baskets[y] = 0
        entries = _grown(entries, top)
        if end > level[depth, 0]:
            _hand_on(rows, entries, first, last, counts.fill)
        for c in range(level[depth, 0], end):
            candidates[c, 2] = counts.fill[candidates[c, 0]]
            counts.fill[candidates[c, 0]] = -1
        level[depth, 2], level[depth, 3] = end, top

        while level[depth, 1] == level[depth, 2]:
            for c in range(level[depth, 0], level[depth, 2]):
                sound[candidates[c, 0]] = depth
            depth -= 1
            if depth < 0:
                return found[:n_found], EXHAUSTED if steps > budget else COMPLETE, steps, go_on
        c = level[depth, 1]
        level[depth, 1] += 1
        chosen[depth], first, last = candidates[c, 0], candidates[c, 1], candidates[c, 2]
        depth += 1


@_kernel
def mark_holders(rows, itemset, marked):
    """Marks the baskets that hold the itemset."""
    for q in range(rows.head[itemset[0]], rows.head[itemset[0] + 1]):
        if _holds(rows, rows.holders[q], itemset, _NONE):
            marked[rows.holders[q]] = True
