"""Inner loops of answering queries: one pass over the records for each query."""

from __future__ import annotations

from tacit.arrays.jit import kernel


@kernel
def count_true(asked, start, wanted, codes, indptr, items, hit, y):
    """Records that have wanted values of all asked attributes, and all y marked items.

    `wanted[start[i] + c]` says whether code c of attribute `asked[i]` is wanted.
    """
    total = 0
    for r in range(indptr.size - 1):
        fits = True
        for i in range(asked.size):
            if not wanted[start[i] + codes[asked[i], r]]:
                fits = False
                break
        if not fits:
            continue
        held = 0
        for p in range(indptr[r], indptr[r + 1]):
            held += hit[items[p]]
        total += held == y
    return total


@kernel
def count_expected(chance, group, shown, indptr, names, hit, leaves, y, even):
    """The expected number of such records, from what is published.

    `chance[g]` is the probability of the wanted values in cluster g, `shown[r]` whether what record r shows as it is
    fits, `hit[n]` how many of the y items name n may stand for. A name that stands for s items is any non-empty set of
    them: h given ones are all in it with 2^−h ÷ (1 − 2^−s). With `even` it is one of them: with 1 ÷ s, and never two.
    """
    total = 0.0
    for r in range(indptr.size - 1):
        p = chance[group[r]]
        if p == 0.0 or not shown[r]:
            continue
        held = 0
        for j in range(indptr[r], indptr[r + 1]):
            h = hit[names[j]]
            if h > 0:
                held += h
                if even:
                    p *= 1.0 / leaves[names[j]] if h == 1 else 0.0
                else:
                    p *= 0.5**h / (1.0 - 0.5 ** leaves[names[j]])
        if held == y:
            total += p
    return total
