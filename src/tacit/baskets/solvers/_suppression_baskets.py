"""MM for p = infinity: moles inside whole baskets, where there are too many itemsets to count them all."""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._suppression_kernels import Rows
from tacit.baskets.solvers._suppression_order import is_better


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


def moles_in_whole_baskets(rows: Rows, k: int) -> tuple[np.ndarray, np.ndarray]:
    """A minimal mole of any size inside each distinct basket that fewer than k people hold: (ends, items)."""
    ends, out = np.empty(rows.weight.size, np.int64), np.empty(rows.items.size, np.int32)
    itemset = np.empty((rows.end - rows.begin).max(initial=0), np.int32)
    n = 0
    for start, stop in spans(rows.weight.size, "whole baskets", first=8):
        n = _moles_in_baskets(start, stop, rows, k, itemset, ends, out, n)
    return ends[:n], out[: ends[n - 1] if n else 0]


@kernel
def _moles_in_baskets(start, stop, rows, k, itemset, ends, out, n):
    """The same in some of the baskets, behind n moles; how many there are then."""
    used, none = ends[n - 1] if n > 0 else np.int64(0), np.int64(-1)
    for r in range(start, stop):
        size = rows.end[r] - rows.begin[r]
        if size == 0 or rows.weight[r] >= k:
            continue
        for j in range(size):
            itemset[j] = rows.items[rows.begin[r] + j]
        if _support(itemset, size, none, rows, k) >= k:
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
    return n


def hit(starts: np.ndarray, moles: np.ndarray, loss: np.ndarray, order: np.ndarray, is_suppressed: np.ndarray) -> None:
    """Suppresses items until every one of the moles (moles[starts[e]:starts[e + 1]]) holds one of these."""
    count = np.bincount(moles, minlength=loss.size)
    while count.any():
        _hit(starts, moles, loss, order, is_suppressed, count)


@kernel
def _hit(starts, moles, loss, order, is_suppressed, count):
    """Suppresses the item that is in most moles per loss; of equals the last in order."""
    best = np.int64(-1)
    for x in range(loss.size):
        if count[x] > 0 and (best < 0 or is_better(x, count[x], best, count[best], loss, order)):
            best = x
    for e in range(starts.size - 1):
        held, alive = False, True
        for j in range(starts[e], starts[e + 1]):
            held |= moles[j] == best
            alive &= not is_suppressed[moles[j]]
        if held and alive:
            for j in range(starts[e], starts[e + 1]):
                count[moles[j]] -= 1
    is_suppressed[best] = True
