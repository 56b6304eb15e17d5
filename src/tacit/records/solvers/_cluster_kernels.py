"""Inner loops of cluster merging. A cluster's number indexes its arrays; `alive` lists clusters to look at."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def range_losses(low, high, blank, numbers, length, blank_loss, seed, others, out):
    """Loss of the range of each of `others` joined with `seed` (−1: alone); codes low..high, `blank`: holds missing.

    A cluster of missing values alone has high < 0 and loses `blank_loss`; with anything else, all is lost.
    """
    for i in range(others.size):
        c = others[i]
        lo, hi, b = low[c], high[c], blank[c]
        if seed >= 0:
            lo, hi, b = min(lo, low[seed]), max(hi, high[seed]), b or blank[seed]
        if b:
            out[i] = 1.0 if hi >= 0 else blank_loss
        elif lo == hi or length == 0:
            out[i] = 0.0
        else:
            out[i] = (numbers[hi] - numbers[lo]) / length


@njit(cache=True)
def tree_losses(low, high, blank, parent, end, share, blank_loss, seed, others, out):
    """The same for the lowest node above the leaves low..high; `share` has the loss of every node."""
    for i in range(others.size):
        c = others[i]
        lo, hi, b = low[c], high[c], blank[c]
        if seed >= 0:
            lo, hi, b = min(lo, low[seed]), max(hi, high[seed]), b or blank[seed]
        if b:
            out[i] = 1.0 if hi >= 0 else blank_loss
        elif lo == hi:
            out[i] = 0.0
        else:
            while end[lo] <= hi:
                lo = parent[lo]
            out[i] = share[lo]


@njit(cache=True)
def _ones(word):
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def set_losses(bits, blank, n_codes, blank_loss, seed, others, out):
    """The same for sets of codes, a bit each; without a hierarchy the loss is the share of codes."""
    for i in range(others.size):
        c, count = others[i], 0
        b = blank[c] or (seed >= 0 and blank[seed])
        for w in range(bits.shape[1]):
            word = bits[c, w]
            if seed >= 0:
                word |= bits[seed, w]
            count += _ones(word)
        if b:
            out[i] = 1.0 if count > 0 else blank_loss
        else:
            out[i] = 0.0 if count <= 1 else count / n_codes


@njit(cache=True)
def gather_bits(codes, group, missing, bits):
    """Sets bit c of a record's cluster for its code c; `missing` is no such code."""
    for r in range(codes.size):
        if codes[r] != missing:
            bits[group[r], codes[r] // 64] |= np.uint64(1) << np.uint64(codes[r] % 64)


@njit(cache=True)
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


@njit(cache=True)
def _farthest(pool, a, a_end, b, b_end, indptr, items, floor, stop):
    """The largest BTD of a basket of pool[a:a_end] and one of pool[b:b_end], or `floor` if that is larger.

    Both lists fall in size. No pair of s items in all is farther apart than one that shares nothing: s · (s + 1). The
    search ends where that is not more than what was found, and when `stop` is exceeded.
    """
    best = floor
    for i in range(a, a_end):
        size = indptr[pool[i] + 1] - indptr[pool[i]]
        for j in range(b, b_end):
            both = size + indptr[pool[j] + 1] - indptr[pool[j]]
            if both * (both + 1.0) <= best:
                if j == b:
                    return best
                break
            best = max(best, _distance(pool[i], pool[j], indptr, items))
            if best > stop:
                return best
    return best


@njit(cache=True)
def own_distances(pool, start, count, indptr, items, out):
    """BTD of each cluster for itself."""
    for c in range(start.size):
        end = start[c] + count[c]
        out[c] = _farthest(pool, start[c], end, start[c], end, indptr, items, 0.0, np.inf)


@njit(cache=True)
def joint_distances(pool, start, count, own, indptr, items, seed, others, out):
    """BTD of the seed joined with each of the others: the largest of both, and of pairs from one and the other."""
    for i in range(others.size):
        c = others[i]
        floor = max(own[seed], own[c])
        out[i] = _farthest(
            pool, start[seed], start[seed] + count[seed], start[c], start[c] + count[c], indptr, items, floor, np.inf
        )


@njit(cache=True)
def nearest(pool, start, count, own, indptr, items, seed, others):
    """Which of the others has the least BTD joined with the seed, the first of equals; and that BTD."""
    least, where = np.inf, -1
    for i in range(others.size):
        c = others[i]
        floor = max(own[seed], own[c])
        if floor >= least:
            continue
        joint = _farthest(
            pool, start[seed], start[seed] + count[seed], start[c], start[c] + count[c], indptr, items, floor, least
        )
        if joint < least:
            least, where = joint, i
    return where, least


@njit(cache=True)
def joined_blocks(pool, a, a_end, b, b_end, place, indptr):
    """Writes the baskets of two lists, each falling in size and then rising in number, as one such list; its end."""
    i, j = a, b
    while i < a_end or j < b_end:
        if i == a_end:
            first = False
        elif j == b_end:
            first = True
        else:
            size = indptr[pool[i] + 1] - indptr[pool[i]]
            other = indptr[pool[j] + 1] - indptr[pool[j]]
            first = size > other or (size == other and pool[i] <= pool[j])
            if pool[i] == pool[j]:
                j += 1
        pool[place] = pool[i] if first else pool[j]
        i, j = (i + 1, j) if first else (i, j + 1)
        place += 1
    return place


@njit(cache=True)
def first_unsafe(bits, secret_bits, size, k, numerator, denominator, itemset):
    """Writes the first set of `size` labels, in lexicographic order, that is not safe; whether there is one.

    `bits[x]` are the records that hold label x. A set that somebody holds is safe if k records hold it, and no
    sensitive item is in more than denominator ÷ numerator of them.
    """
    n_labels, words = bits.shape
    held = np.empty((size + 1, words), np.uint64)
    any_secret = np.zeros(words, np.uint64)
    for w in range(words):
        held[0, w] = ~np.uint64(0)
        for s in range(secret_bits.shape[0]):
            any_secret[w] |= secret_bits[s, w]
    for p in range(size):
        itemset[p] = -1
    d = 0
    while d >= 0:
        itemset[d] += 1
        if itemset[d] >= n_labels:
            d -= 1
            continue
        people = np.int64(0)
        for w in range(words):
            held[d + 1, w] = held[d, w] & bits[itemset[d], w]
            people += _ones(held[d + 1, w])
        if people == 0:
            continue
        if d < size - 1:
            itemset[d + 1] = itemset[d]
            d += 1
            continue
        if people < k:
            return True
        secretive = np.int64(0)
        for w in range(words):
            secretive += _ones(held[size, w] & any_secret[w])
        if secretive * numerator <= people * denominator:
            continue
        for s in range(secret_bits.shape[0]):
            secretive = np.int64(0)
            for w in range(words):
                secretive += _ones(held[size, w] & secret_bits[s, w])
            if secretive * numerator > people * denominator:
                return True
    return False
