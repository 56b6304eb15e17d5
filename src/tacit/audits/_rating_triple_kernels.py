"""Inner loops of the audit of ratings where three are known: how few people fit three things.

An item is something that may be known and that at least k people fit: a thing that is shown, or that nothing of an
issue is. Items are numbered with the rarest first. bits[i] has a bit for everybody who fits item i, people in an order
of their own.

Whoever fits an item is taken 512 at a time, with what they show as bits of all items behind it. Any two of those are
counted together; it ends as soon as they cannot be too rare, which most are not among the first 512.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel
from tacit.audits._rating_km_kernels import LEAST, _note

_NOTHING, _ONE, _ALL = np.uint64(0), np.uint64(1), ~np.uint64(0)
_A, _B, _C = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_D, _E, _F, _G = np.uint64(0x0101010101010101), np.uint64(2), np.uint64(4), np.uint64(56)
WORDS = 8
"""Words of people that are counted at once."""
_PEOPLE = 64 * WORDS
_STRETCH = np.uint64(64)


class Items(NamedTuple):
    """What may be known and is not rare by itself, and who fits it."""

    codes: np.ndarray  # int64: a thing, or −1 − issue for showing nothing of it
    issue: np.ndarray  # int64
    bits: np.ndarray  # uint64 [item, word]
    of_thing: np.ndarray  # int64 per thing: the item, −1 if it is rare
    of_absence: np.ndarray  # int64 per issue: the item, −1 if there is none
    order: np.ndarray  # int64: the people by their bits


class Bench(NamedTuple):
    """Room to count in."""

    fitting: np.ndarray  # int64 per person
    may_be: np.ndarray  # bool per item: k people fit it and the first one
    front: np.ndarray  # uint64 [8, item]: the first 512 people
    rear: np.ndarray  # uint64 [blocks, item, 8]: those behind
    counts: np.ndarray  # int64 [64]
    open: np.ndarray  # int64 [2, item]: items of which it is not settled, and how many people fit so far


@inner
def _ones(word):
    """How many bits are set."""
    word -= (word >> _ONE) & _A
    word = (word & _B) + ((word >> _E) & _B)
    word = (word + (word >> _F)) & _C
    return np.int64((word * _D) >> _G)


@kernel
def fill(starts, things, rated, items):
    """Who fits each item; bits of absences are all set before."""
    for at in range(items.order.size):
        person, word, bit = items.order[at], at // 64, _ONE << np.uint64(at % 64)
        for i in range(starts[person], starts[person + 1]):
            item, absence = items.of_thing[things[i]], items.of_absence[rated[i]]
            if item >= 0:
                items.bits[item, word] |= bit
            if absence >= 0:
                items.bits[absence, word] &= ~bit


@inner
def _both(one, other, enough):
    """How many fit two items, up to a number or a little more."""
    count, at = 0, 0
    while at < one.size and count < enough:
        count += _ones(one[at] & other[at])
        at += 1
    return count


@inner
def _lay(block, fit, top, seen, items, bench):
    """What a block of those who fit the first item show, item by item."""
    start, size = block * _PEOPLE, items.codes.size
    for word in range(WORDS):
        here = min(max(fit - start - 64 * word, 0), 64)
        everybody = _ALL if here == 64 else (_ONE << np.uint64(here)) - _ONE
        for item in range(top + 1, size):
            value = everybody if items.codes[item] < 0 else _NOTHING
            if block == 0:
                bench.front[word, item] = value
            else:
                bench.rear[block - 1, item, word] = value
        for i in range(here):
            person, bit = items.order[bench.fitting[start + 64 * word + i]], _ONE << np.uint64(i)
            for at in range(seen.starts[person], seen.starts[person + 1]):
                item, absence = items.of_thing[seen.things[at]], items.of_absence[seen.rated[at]]
                if block == 0:
                    if item > top:
                        bench.front[word, item] |= bit
                    if absence > top:
                        bench.front[word, absence] &= ~bit
                else:
                    if item > top:
                        bench.rear[block - 1, item, word] |= bit
                    if absence > top:
                        bench.rear[block - 1, absence, word] &= ~bit


@inner
def _open_ones(second, enough, issue, bench):
    """The items behind the second one that fewer of the first block fit than are enough; returns how many.

    Places are unsigned, so that the compiler knows that none counts from the end.
    """
    front, many = bench.front, 0
    a, b, c, d = front[0, second], front[1, second], front[2, second], front[3, second]
    e, f, g, h = front[4, second], front[5, second], front[6, second], front[7, second]
    start, end = np.uint64(second + 1), np.uint64(issue.size)
    while start < end:
        stop = min(start + _STRETCH, end)
        some = 0
        for at in range(start, stop):
            count = _ones(a & front[0, at]) + _ones(b & front[1, at]) + _ones(c & front[2, at])
            count += _ones(d & front[3, at]) + _ones(e & front[4, at]) + _ones(f & front[5, at])
            count += _ones(g & front[6, at]) + _ones(h & front[7, at])
            bench.counts[at - start] = count
            some += count < enough
        if some:
            for at in range(start, stop):
                count = bench.counts[at - start]
                if count < enough and bench.may_be[at] and issue[at] != issue[second]:
                    bench.open[0, many] = at
                    bench.open[1, many] = count
                    many += 1
        start = stop
    return many


@inner
def _judge(count, k, items, work):
    """Three things are known, and so many people fit them: all of them, if they are few."""
    one, two, three = work.chosen[0], work.chosen[1], work.chosen[2]
    if count < k and _both(items.bits[two], items.bits[three], k) < k:
        return  # a part of it was told already
    for i in range(3):
        work.chosen[i] = items.codes[work.chosen[i]]
    _note(3, np.int64(count), k, work)
    work.chosen[0], work.chosen[1], work.chosen[2] = one, two, three
    if count < k:
        for at in range(items.bits.shape[1]):
            word = items.bits[one, at] & items.bits[two, at] & items.bits[three, at]
            while word != _NOTHING:
                lowest = word & (~word + _ONE)
                word ^= lowest
                work.is_hit[items.order[64 * at + _ones(lowest - _ONE)]] = True


@kernel
def search_triples(start, stop, every, k, seen, items, bench, work):
    """All sets of three items, of an issue each, whose rarest is one of each so many from `start` to `stop`.

    A set with a part that fewer than k fit is left out.
    """
    size, words = items.codes.size, items.bits.shape[1]
    for top in range(start, stop, every):
        fit = 0
        for at in range(words):
            word = items.bits[top, at]
            while word != _NOTHING:
                lowest = word & (~word + _ONE)
                word ^= lowest
                bench.fitting[fit] = 64 * at + _ones(lowest - _ONE)
                fit += 1
        for item in range(top + 1, size):
            bench.may_be[item] = (
                items.issue[item] != items.issue[top] and _both(items.bits[top], items.bits[item], k) >= k
            )
        laid, blocks = np.int64(1), min((fit + _PEOPLE - 1) // _PEOPLE, bench.rear.shape[0] + 1)
        none = np.int64(0)
        _lay(none, fit, top, seen, items, bench)
        for second in range(top + 1, size):
            if not bench.may_be[second]:
                continue
            enough = max(k, work.state[LEAST])
            many = _open_ones(second, enough, items.issue, bench)
            block = np.int64(1)
            while many and block < blocks:
                if block == laid:
                    _lay(block, fit, top, seen, items, bench)
                    laid += 1
                left = 0
                for i in range(many):
                    third, count = bench.open[0, i], bench.open[1, i]
                    for word in range(WORDS):
                        count += _ones(bench.rear[block - 1, second, word] & bench.rear[block - 1, third, word])
                    if count < enough:
                        bench.open[0, left] = third
                        bench.open[1, left] = count
                        left += 1
                many = left
                block += 1
            for i in range(many):
                third, count = bench.open[0, i], bench.open[1, i]
                if fit > blocks * _PEOPLE:
                    count = 0
                    for at in range(words):
                        count += _ones(items.bits[top, at] & items.bits[second, at] & items.bits[third, at])
                if 0 < count < max(k, work.state[LEAST]):
                    work.chosen[0], work.chosen[1], work.chosen[2] = top, second, third
                    _judge(count, k, items, work)
