"""Inner loops of answering queries: one pass over the records for each query."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
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


@njit(cache=True)
def count_expected(chance, group, shown, indptr, names, hit, leaves, y):
    """The expected number of such records, from what is published.

    `chance[g]` is the probability of the wanted values in cluster g, `shown[r]` whether what record r shows as it is
    fits, `hit[n]` how many of the y items name n may stand for. A name that stands for s items is any non-empty set of
    them: h given ones are all in it with 2^−h ÷ (1 − 2^−s).
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
                p *= 0.5**h / (1.0 - 0.5 ** leaves[names[j]])
        if held == y:
            total += p
    return total


@njit(cache=True)
def count_covered(queries, name_start, names_of_item, start, records, indptr, names, weight, none):
    """For each query the expected number of records whose names cover all of its items.

    A query is a row of items, −1 where it has fewer. Of the records that show a name of its rarest item, each counts
    with the chance that none of the items is missing. By inclusion and exclusion that is 1 less the chances that one
    item is missing, plus those that two are, and so on; that some are missing is the product, over the names of the
    record, of `none[name, of how many of them]`.
    """
    n_records = indptr.size - 1
    asked = np.zeros(start.size - 1, np.int64)  # for each name the items of the query that it may stand for, as bits
    seen = np.full(n_records, -1)
    expected = np.zeros(queries.shape[0])
    for q in range(queries.shape[0]):
        everything, rarest, fewest = 0, -1, n_records + 1
        for i in range(queries.shape[1]):
            item = queries[q, i]
            if item < 0:
                continue
            everything |= 1 << i
            shown = 0
            for p in range(name_start[item], name_start[item + 1]):
                name = names_of_item[p]
                asked[name] |= 1 << i
                shown += start[name + 1] - start[name]
            if shown < fewest or rarest < 0:
                rarest, fewest = item, shown
        for p in range(name_start[rarest], name_start[rarest + 1]):
            for j in range(start[names_of_item[p]], start[names_of_item[p] + 1]):
                r = records[j]
                if seen[r] == q:
                    continue
                seen[r] = q
                covered = 0
                for n in range(indptr[r], indptr[r + 1]):
                    covered |= asked[names[n]]
                if covered != everything:
                    continue
                chance = 1.0
                for subset in range(1, everything + 1):
                    missing, sign = 1.0, 1.0
                    for n in range(indptr[r], indptr[r + 1]):
                        gone = asked[names[n]] & subset
                        if gone:
                            missing *= none[names[n], (gone & 1) + (gone >> 1 & 1) + (gone >> 2 & 1)]
                    for i in range(3):
                        if subset >> i & 1:
                            sign = -sign
                    chance += sign * missing
                expected[q] += chance * weight[r]
        for i in range(queries.shape[1]):
            if queries[q, i] >= 0:
                for p in range(name_start[queries[q, i]], name_start[queries[q, i] + 1]):
                    asked[names_of_item[p]] = 0
    return expected
