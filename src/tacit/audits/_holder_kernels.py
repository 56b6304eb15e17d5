"""Who holds an itemset, for the audit of coherence: people, those of them with a sensitive item, covers of baskets.

Public items are numbered from the rarest to the most frequent, and rise inside a basket. The *cover* of a basket is
how many people hold all of its public items. It is counted only as far as that takes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel

_EFFORT = 256  # baskets looked at, at most, for one cover


class Rows(NamedTuple):
    """Distinct baskets: public and sensitive items, people, cover; the baskets of item x are holders[head[x]:...]."""

    start: np.ndarray
    items: np.ndarray
    sensitive_start: np.ndarray
    sensitive: np.ndarray
    weight: np.ndarray
    cover: np.ndarray
    head: np.ndarray
    holders: np.ndarray


class Bounds(NamedTuple):
    """The promise: an itemset has at least k holders, of whom at most part / whole have one sensitive item."""

    k: int
    part: int
    whole: int


@inner
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


@inner
def _contains(rows, row, other):
    """Whether a basket holds all public items of another one."""
    at = rows.start[row]
    for i in range(rows.start[other], rows.start[other + 1]):
        while at < rows.start[row + 1] and rows.items[at] < rows.items[i]:
            at += 1
        if at == rows.start[row + 1] or rows.items[at] != rows.items[i]:
            return False
        at += 1
    return True


@inner
def _covered(rows, row, cap, effort):
    """People who hold all public items of a basket, counted up to `cap`, or so many as a limited effort finds."""
    people, rarest = np.int64(0), rows.items[rows.start[row]]
    if rows.weight[row] >= cap:
        return cap
    for q in range(rows.head[rarest], min(rows.head[rarest + 1], rows.head[rarest] + effort)):
        if _contains(rows, rows.holders[q], row):
            people += rows.weight[rows.holders[q]]
            if people >= cap:
                return cap
    return max(people, rows.weight[row])


def write_covers(rows: Rows, cap: int) -> None:
    """The cover of every basket, or less, counted up to `cap`."""
    for start, stop in spans(rows.weight.size, "covers", first=64):
        _write_covers(start, stop, rows, int(cap), _EFFORT)


@kernel
def _write_covers(start, stop, rows, cap, effort):
    for row in range(start, stop):
        rows.cover[row] = _covered(rows, row, cap, effort) if rows.start[row] < rows.start[row + 1] else cap


def least_cover(rows: Rows) -> tuple[int, int]:
    """The basket that fewest people hold all of, and how many do; the first of equals."""
    least = np.array([-1, 2**62])
    for start, stop in spans(rows.weight.size, "whole baskets", first=64):
        _least_cover(start, stop, rows, least)
    return int(least[0]), int(least[1])


@kernel
def _least_cover(start, stop, rows, least):
    for row in range(start, stop):
        if rows.start[row] < rows.start[row + 1]:
            people = _covered(rows, row, least[1], rows.weight.size)
            if people < least[1]:
                least[0], least[1] = row, people


@inner
def _judge(rows, itemset, skip, beside):
    """People who hold the itemset without the item at `skip`; how many of them have the same sensitive item; which."""
    first = itemset[0] if skip != 0 else itemset[1]
    people, most, most_z = np.int64(0), np.int64(0), np.int64(-1)
    for clear in range(2):
        for q in range(rows.head[first], rows.head[first + 1]):
            row = rows.holders[q]
            if not _holds(rows, row, itemset, skip):
                continue
            people += 0 if clear else rows.weight[row]
            for j in range(rows.sensitive_start[row], rows.sensitive_start[row + 1]):
                z = rows.sensitive[j]
                beside[z] += rows.weight[row]
                if clear:
                    beside[z] = 0
                elif beside[z] > most:
                    most, most_z = beside[z], np.int64(z)
    return people, most, most_z


def judge(rows: Rows, itemset: np.ndarray, n_sensitive: int) -> tuple[int, int, int]:
    """How many people hold the itemset; how many of them have the same sensitive item; which one that is."""
    return _judge_all(rows, itemset, np.zeros(n_sensitive, np.int64))


@kernel
def _judge_all(rows, itemset, beside):
    none = np.int64(-1)
    return _judge(rows, itemset, none, beside)


@inner
def keeps_bounds(people, most, bounds):
    return people >= bounds.k and most * bounds.whole <= people * bounds.part


@inner
def is_minimal(rows, itemset, bounds, beside, known_start, known):
    """Whether all parts of the itemset are sound.

    With one item less, all but two need a look. Shorter ones may be unsound even so, if a sensitive item is more
    frequent there: those are known already.
    """
    for skip in range(itemset.size - 2):
        people, most, _ = _judge(rows, itemset, skip, beside)
        if not keeps_bounds(people, most, bounds):
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


@kernel
def mark_holders(rows, itemset, marked):
    """Marks the baskets that hold the itemset."""
    none = np.int64(-1)
    for q in range(rows.head[itemset[0]], rows.head[itemset[0] + 1]):
        if _holds(rows, rows.holders[q], itemset, none):
            marked[rows.holders[q]] = True
