"""Inner loops of answering queries: one pass over the records for each query."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def count_true(wanted, codes, indptr, items, hit, y):
    """Records that have all wanted values (`wanted[a]` is a code of attribute a, or −1) and all y marked items."""
    total = 0
    for r in range(indptr.size - 1):
        fits = True
        for a in range(wanted.size):
            if wanted[a] >= 0 and codes[a, r] != wanted[a]:
                fits = False
                break
        if not fits:
            continue
        held = 0
        for p in range(indptr[r], indptr[r + 1]):
            held += hit[items[p]]
        total += held == y
    return total


@njit(cache=True)
def count_expected(chance, group, indptr, names, hit, leaves, y):
    """The expected number of such records, from what is published.

    `chance[g]` is the probability of the wanted values in cluster g, `hit[n]` how many of the y items name n may stand
    for. A name that stands for s items is any non-empty set of them: h given ones are all in it with 2^−h ÷ (1 − 2^−s).
    """
    total = 0.0
    for r in range(indptr.size - 1):
        p = chance[group[r]]
        if p == 0.0:
            continue
        held = 0
        for j in range(indptr[r], indptr[r + 1]):
            h = hit[names[j]]
            if h > 0:
                held += h
                p *= 0.5**h / (1.0 - 0.5 ** leaves[names[j]])
        if held == y:
            total += p
    return total
