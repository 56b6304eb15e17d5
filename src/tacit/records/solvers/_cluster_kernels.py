"""Inner loops of cluster merging. A cluster's id indexes its arrays; `others` lists clusters to look at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.jit import inner, kernel

NUMBERS, NODES, SETS = 0, 1, 2


class Reach(NamedTuple):
    """How far clusters reach in each attribute: ranges of numbers, ranges of leaves under a node, or sets of values."""

    shape: (
        np.ndarray
    )  # int64, attributes × 3: form, and where it starts and ends in `value`; of sets, in a row of `bits`
    low: np.ndarray  # int32, attributes × clusters: the lowest code of a number, or the first leaf
    high: np.ndarray  # int32, the same: the highest, −1 if there is none
    blank: np.ndarray  # bool, the same: whether there is a missing value, which goes with no other
    blank_loss: np.ndarray  # float64 per attribute: the loss of missing values alone
    length: np.ndarray  # float64 per attribute: how far numbers reach in all, or how many values there are
    value: np.ndarray  # float64: the number of each code; the loss of each node
    parent: np.ndarray  # int32, as `value`: of each node
    end: np.ndarray  # int32, as `value`: of each node
    bits: np.ndarray  # uint64, clusters × words: sets of codes, a bit each


@inner
def ones(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def _joint_loss(reach, a, one, other):
    """Loss of two clusters together, in one attribute, unless a value is missing; −1 if there are no values."""
    form, start = reach.shape[a, 0], reach.shape[a, 1]
    if form == SETS:
        count = np.int64(0)
        for word in range(start, reach.shape[a, 2]):
            count += ones(reach.bits[one, word] | reach.bits[other, word])
        return count / reach.length[a] if count > 1 else 0.0 if count == 1 else -1.0
    low = reach.low[a, one] if reach.low[a, one] < reach.low[a, other] else reach.low[a, other]
    high = reach.high[a, one] if reach.high[a, one] > reach.high[a, other] else reach.high[a, other]
    if high < 0:
        return -1.0
    if low == high or reach.length[a] == 0:
        return 0.0
    if form == NUMBERS:
        return (reach.value[start + high] - reach.value[start + low]) / reach.length[a]
    while reach.end[start + low] <= high:
        low = reach.parent[start + low]
    return reach.value[start + low]


@kernel
def losses_with(reach, seed, others, out):
    """What each of the others loses joined with the seed (−1: alone), attributes × others.

    Missing values alone lose `blank_loss`; with anything else, all is lost.
    """
    for a in range(reach.shape.shape[0]):
        for i in range(others.size):
            one = others[i]
            other = seed if seed >= 0 else one
            out[a, i] = _joint_loss(reach, a, one, other)
            if reach.blank[a, one] or reach.blank[a, other]:
                out[a, i] = 1.0 if out[a, i] >= 0 else reach.blank_loss[a]


@inner
def _distance(a, b, indptr, items):
    """BTD of two baskets."""
    i, j, common = indptr[a], indptr[b], 0
    while i < indptr[a + 1] and j < indptr[b + 1]:
        if items[i] == items[j]:
            common += 1
            i += 1
            j += 1
        elif items[i] < items[j]:
            i += 1
        else:
            j += 1
    both = indptr[a + 1] - indptr[a] + indptr[b + 1] - indptr[b]
    return (both - 2 * common + 1) / (common + 1) * (both - common)


@kernel
def farthest_pairs(steps, at, pool, ones, others, indptr, items, only_least, out):
    """The largest BTD of a basket of one cluster and a basket of another, for pairs of clusters; or `out`, if larger.

    The baskets of ones[i] and others[i] are those from place [0] to [1] of the pool, longest first. No pair of s items
    in all is farther apart than one that shares nothing: s · (s + 1). The search ends where that is not more than what
    was found. With `only_least`, what cannot be the first of the least becomes infinite. `at`: how many pairs of
    clusters are done, how many baskets of the next one, and where the least is (−1: nowhere yet).
    """
    c, least = at[0], np.inf if at[2] < 0 else out[at[2]]
    while c < out.size and steps > 0:
        row, row_end, best, is_done = ones[c, 0] + at[1], ones[c, 1], out[c], False
        while not is_done and steps > 0 and row < row_end and not (only_least and best >= least):
            size = indptr[pool[row] + 1] - indptr[pool[row]]
            for j in range(others[c, 0], others[c, 1]):
                both = size + indptr[pool[j] + 1] - indptr[pool[j]]
                if both * (both + 1.0) <= best:
                    is_done = j == others[c, 0]
                    break
                distance = _distance(pool[row], pool[j], indptr, items)
                best = distance if distance > best else best
                steps -= both
                if only_least and best >= least:
                    break
            row += 1
        out[c], at[1] = best, row - ones[c, 0]
        if is_done or row == row_end or (only_least and best >= least):
            if only_least and best < least:
                least, at[2] = best, c
            elif only_least:
                out[c] = np.inf
            c, at[1] = c + 1, 0
            steps -= 1
    at[0] = c


@inner
def _people(one, other, person):
    """How many people have a record in both of two sets: as many as records, unless `person` says whose each is.

    The records of a person are next to each other.
    """
    people, last = np.int64(0), np.int64(-1)
    for w in range(one.size):
        word = one[w] & other[w]
        if person.size == 0:
            people += ones(word)
            continue
        while word:
            lowest = word & (~word + np.uint64(1))
            whose = np.int64(person[64 * w + ones(lowest - np.uint64(1))])
            people += whose != last
            last, word = whose, word ^ lowest
    return people


@kernel
def first_unsafe(steps, at, bits, sensitive, person, k, numerator, denominator, held, itemset):
    """Writes the first set of labels of a size, in lexicographic order, that is not safe; whether it was found.

    `bits[x]` are the records that hold label x. A set that somebody holds is safe if k people hold it, and no
    sensitive item is in more than denominator ÷ numerator of them: `sensitive` are the records with any sensitive item,
    then those with each. `person` says whose records they are; it is empty if each is a person's only one. `held[d]`
    are the records with the first d labels of the set. at[0] is how many labels of it are fixed, −1 if all sets were
    looked at.
    """
    d = at[0]
    while d >= 0 and steps > 0:
        itemset[d] += 1
        if itemset[d] >= bits.shape[0]:
            d -= 1
            continue
        for w in range(bits.shape[1]):
            held[d + 1, w] = held[d, w] & bits[itemset[d], w]
        people = _people(held[d + 1], held[d + 1], person)
        steps -= 1 + bits.shape[1]
        if people == 0:
            continue
        if d < itemset.size - 1:
            itemset[d + 1] = itemset[d]
            d += 1
            continue
        is_unsafe = people < k
        for s in range(sensitive.shape[0]):
            sure = _people(held[d + 1], sensitive[s], person)
            is_unsafe |= s > 0 and sure * numerator > people * denominator
            if is_unsafe or (s == 0 and sure * numerator <= people * denominator):
                break
        if is_unsafe:
            at[0] = d
            return True
    at[0] = d
    return False
