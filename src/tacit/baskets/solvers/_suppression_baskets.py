"""Kernels of MM for p = infinity: moles inside whole baskets, where there are too many itemsets to count them all."""

from __future__ import annotations

import numpy as np

from tacit.baskets.solvers._suppression_kernels import inner, is_better, kernel

_NONE = np.int64(-1)  # a plain −1 would be a type of its own, and what takes it compiled once more


@inner
def _support(itemset, n, skip, rows, k):
    """How many people hold the first n items of the (rising) itemset but the one at `skip`, counted up to k."""
    rarest = -1
    for i in range(n):
        x = itemset[i]
        if i != skip and (
            rarest < 0 or rows.first[x + 1] - rows.first[x] < rows.first[rarest + 1] - rows.first[rarest]
        ):
            rarest = x
    people = np.int64(0)
    for q in range(rows.first[rarest], rows.first[rarest + 1]):
        r = rows.holders[q]
        j, i = rows.begin[r], 0
        while True:
            i += i == skip
            if i >= n or j == rows.end[r]:
                break
            i += rows.items[j] == itemset[i]
            j += 1
        if i >= n:
            people += rows.weight[r]
            if people >= k:
                break
    return people


@kernel
def moles_in_whole_baskets(rows, k):
    """A minimal mole of any size inside each distinct basket that fewer than k people hold: (ends, items)."""
    ends, n = np.empty(rows.weight.size, np.int64), 0
    out, used = np.empty(rows.items.size, np.int32), np.int64(0)
    for r in range(rows.weight.size):
        size = rows.end[r] - rows.begin[r]
        if size == 0 or rows.weight[r] >= k:
            continue
        itemset = rows.items[rows.begin[r] : rows.end[r]].copy()
        if _support(itemset, size, _NONE, rows, k) >= k:
            continue
        i = size - 1
        while i >= 0 and size > 1:
            if _support(itemset, size, i, rows, k) < k:
                for j in range(i + 1, size):
                    itemset[j - 1] = itemset[j]
                size -= 1
            i -= 1
        for j in range(size):
            out[used] = itemset[j]
            used += 1
        ends[n] = used
        n += 1
    return ends[:n], out[:used]


@kernel
def hit(starts, moles, loss, order, gone):
    """Suppresses items until every one of the moles (moles[starts[e]:starts[e + 1]]) holds one that is gone."""
    count = np.zeros(loss.size, np.int64)
    for x in moles:
        count[x] += 1
    while True:
        best = _NONE
        for x in range(loss.size):
            if count[x] > 0 and (best < 0 or is_better(x, count[x], best, count[best], loss, order)):
                best = x
        if best < 0:
            return
        for e in range(starts.size - 1):
            held, alive = False, True
            for j in range(starts[e], starts[e + 1]):
                held |= moles[j] == best
                alive &= not gone[moles[j]]
            if held and alive:
                for j in range(starts[e], starts[e + 1]):
                    count[moles[j]] -= 1
        gone[best] = True
