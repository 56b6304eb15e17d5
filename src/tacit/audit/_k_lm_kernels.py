"""The inner loop of the audit of (k, ℓ^m)-diversity: the audit of ℓ^m-diversity, group by group. No code of methods."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.audit._lm_kernels import COMPLETE, EXHAUSTED, STOPPED, Distinct, mark_affected, search


@njit(cache=True)
def _local(indptr, items, rows, first, last, number, present):
    """The baskets of rows[first:last], their items numbered from 0 in their order; `present` gets the numbers back.

    Returns indptr, items, and how many items there are; `number` is room that is −1 before and after.
    """
    out = np.zeros(last - first + 1, np.int64)
    n = 0
    for i in range(first, last):
        out[i - first + 1] = out[i - first] + indptr[rows[i] + 1] - indptr[rows[i]]
        for p in range(indptr[rows[i]], indptr[rows[i] + 1]):
            if number[items[p]] < 0:
                number[items[p]] = 0
                present[n] = items[p]
                n += 1
    present[:n].sort()
    for x in range(n):
        number[present[x]] = x
    own = np.empty(out[-1], np.int32)
    at = 0
    for i in range(first, last):
        for p in range(indptr[rows[i]], indptr[rows[i] + 1]):
            own[at] = number[items[p]]
            at += 1
    for x in range(n):
        number[present[x]] = -1
    return out, own, n


@njit(cache=True)
def _of_group(indptr, items, n_items, secret_indptr, secrets, n_secrets):
    """The group as `Distinct`, every record for itself."""
    people = indptr.size - 1
    head = np.zeros(n_items + 1, np.int64)
    for x in items:
        head[x + 1] += 1
    for x in range(n_items):
        head[x + 1] += head[x]
    fill = head.copy()
    holders = np.empty(items.size, np.int64)
    for t in range(people):
        for p in range(indptr[t], indptr[t + 1]):
            holders[fill[items[p]]] = t
            fill[items[p]] += 1
    with_secret = np.zeros(n_secrets, np.int64)
    for s in secrets:
        with_secret[s] += 1
    return Distinct(
        indptr, items, secret_indptr, secrets, np.ones(people, np.int64), head, holders, with_secret, people
    )


@njit(cache=True)
def _write(found, row, group, secret, count, people):
    """Begins a finding: a row with no items yet."""
    for i in range(4, found.shape[1]):
        found[row, i] = -1
    found[row, 0], found[row, 1], found[row, 2], found[row, 3] = group, secret, count, people


@njit(cache=True)
def search_groups(
    rows, starts, indptr, items, n_items, secret_indptr, secrets, n_secrets, m, numerator, denominator, most, budget
):
    """Over the groups rows[starts[g]:starts[g + 1]]: the largest share of a sensitive item, and what breaks 1/ℓ.

    A finding is a row (group, sensitive item, records with it, records, items ..., −1 ...). Returns the worst one,
    violations and how many they are, records affected, and how the search ended. After `budget` steps in groups that
    break the promise, only the empty itemset of further groups is looked at; verdicts stay exact all the same.
    """
    worst = np.full((1, 4 + m), -1, np.int64)
    share = np.array([0, 1], np.int64)  # of the worst
    found = np.empty((most, 4 + m), np.int64)
    n_found, outcome = np.int64(0), COMPLETE
    number, secret_number = np.full(n_items, -1, np.int64), np.full(n_secrets, -1, np.int64)
    present, secret_present = np.empty(n_items, np.int64), np.empty(n_secrets, np.int64)
    affected = np.int64(0)
    for g in range(starts.size - 1):
        first, last = starts[g], starts[g + 1]
        own_indptr, own, n_own = _local(indptr, items, rows, first, last, number, present)
        own_secret_indptr, own_secrets, n_own_secrets = _local(
            secret_indptr, secrets, rows, first, last, secret_number, secret_present
        )
        if n_own_secrets == 0:
            continue
        data = _of_group(own_indptr, own, n_own, own_secret_indptr, own_secrets, n_own_secrets)
        marked = np.zeros(last - first, np.bool_)
        for s in range(n_own_secrets):
            count = data.with_secret[s]
            if count * share[1] > share[0] * data.people:
                share[0], share[1] = count, data.people
                _write(worst, 0, g, secret_present[s], count, data.people)
            if count * numerator > data.people * denominator:
                if n_found < most:
                    _write(found, n_found, g, secret_present[s], count, data.people)
                    n_found += 1
                else:
                    outcome = max(outcome, STOPPED)
                for t in range(data.people):
                    for p in range(own_secret_indptr[t], own_secret_indptr[t + 1]):
                        marked[t] |= own_secrets[p] == s
        longest = 0
        for t in range(data.people):
            longest = max(longest, own_indptr[t + 1] - own_indptr[t])
        for size in range(1, min(m, longest) + 1):
            if budget < 0 and share[0] * numerator > share[1] * denominator:
                outcome = max(outcome, EXHAUSTED)
                break
            set_, more, n, ended, steps = search(
                size, data, numerator, denominator, share, most - n_found, max(budget, 0)
            )
            budget -= steps
            outcome = max(outcome, ended)
            if set_[size] >= 0:
                _write(worst, 0, g, secret_present[set_[size]], share[0], share[1])
                for i in range(size):
                    worst[0, 4 + i] = present[set_[i]]
            mark_affected(data, more, n, size, marked)
            for row in range(n):
                _write(found, n_found, g, secret_present[more[row, size]], more[row, size + 1], more[row, size + 2])
                for i in range(size):
                    found[n_found, 4 + i] = present[more[row, i]]
                n_found += 1
        for t in range(data.people):
            affected += marked[t]
    return worst[0], found[:n_found], affected, outcome
