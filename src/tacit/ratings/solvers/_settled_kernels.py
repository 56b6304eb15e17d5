"""Inner loops for people who need no change: those with k − 1 close others who need none either."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def are_close(problem_indptr, values, reach, issues, one, other):
    """Whether two people who rated the same issues rated each within its reach."""
    start = problem_indptr[one]
    shift = problem_indptr[other] - start
    for i in range(start, problem_indptr[one + 1]):  # noqa: SIM110
        if abs(values[i] - values[i + shift]) > reach[issues[i]]:
            return False
    return True


@njit(cache=True, nogil=True)
def keep_crowded(indptr, values, reach, issues, people, k, is_safe):
    """Of `people`, who all rated the same issues, leaves safe only those with k − 1 safe others close to them.

    Repeated until it is true of everybody: who is not safe will be moved, and is no company any more.
    """
    dropped = True
    while dropped:
        dropped = False
        for at in range(people.size):
            if not is_safe[people[at]]:
                continue
            company = 0
            for offset in range(1, people.size):  # the nearest in their order first
                for side in range(2):
                    other = at + offset if side else at - offset
                    if company < k - 1 and 0 <= other < people.size and is_safe[people[other]]:
                        company += are_close(indptr, values, reach, issues, people[at], people[other])
                if company >= k - 1:
                    break
            if company < k - 1:
                is_safe[people[at]] = False
                dropped = True


@njit(cache=True, nogil=True)
def find_anchors(indptr, values, reach, issues, wanted, starts, people, k, is_safe, window, where, low, high):
    """For each person of `wanted`, all safe, the range of ratings of that person and the k − 2 nearest safe people.

    `starts` says where in `people` the others with the same issues begin and end, `where` where the ranges go, in
    [low, high]. Only `window` people are looked at to each side of the person. Returns who has enough company.
    """
    found = np.zeros(wanted.size, np.bool_)
    near = np.empty(max(k - 2, 1), np.int64)
    apart = np.empty(max(k - 2, 1), np.int64)
    for w in range(wanted.size):
        own = wanted[w]
        begin, end, at = starts[3 * w], starts[3 * w + 1], starts[3 * w + 2]
        count = 0
        for other in range(max(begin, at - window), min(end, at + window + 1)):
            person = people[other]
            if other == at or k == 2 or not is_safe[person]:
                continue
            if not are_close(indptr, values, reach, issues, own, person):
                continue
            distance = 0
            for i in range(indptr[own + 1] - indptr[own]):
                distance += abs(values[indptr[own] + i] - values[indptr[person] + i])
            if count < k - 2:
                slot = count
                count += 1
            elif distance < apart[k - 3]:
                slot = k - 3
            else:
                continue
            while slot > 0 and apart[slot - 1] > distance:
                apart[slot], near[slot] = apart[slot - 1], near[slot - 1]
                slot -= 1
            apart[slot], near[slot] = distance, person
        found[w] = count == k - 2
        for i in range(indptr[own + 1] - indptr[own]):
            low[where[w] + i] = high[where[w] + i] = values[indptr[own] + i]
            for n in range(count):
                value = values[indptr[near[n]] + i]
                low[where[w] + i] = min(low[where[w] + i], value)
                high[where[w] + i] = max(high[where[w] + i], value)
    return found
