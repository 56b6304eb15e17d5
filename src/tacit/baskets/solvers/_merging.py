"""The loops of methods that merge items into sets until every constraint holds (COAT, PCTA).

A cluster goes by the code of its lowest item; an item that is not published is in cluster −1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks
from tacit.arrays.jit import inner, kernel


class Clusters(NamedTuple):
    """Distinct baskets, from both sides, and the clusters that their items are in."""

    indptr: np.ndarray  # int64; items of each basket
    items: np.ndarray  # int32
    weight: np.ndarray  # int64; people per basket
    holders: np.ndarray  # int64; baskets of item i: tids[holders[i]:holders[i + 1]]
    tids: np.ndarray  # int32
    cluster: np.ndarray  # int32, of each item
    follower: np.ndarray  # int32; the next item of the same cluster, −1 behind the last
    size: np.ndarray  # int64; of a cluster: how many items it has,
    support: np.ndarray  # int64; how many people hold one of them,
    importance: np.ndarray  # int64; what the most important one weighs,
    mass: np.ndarray  # int64; and what all occurrences of its items weigh; empty: merges are chosen as the papers do
    permit: np.ndarray  # int32; clusters with equal codes may be merged; −1: with none
    seen: np.ndarray  # int64, by basket: when a count last met it
    met: np.ndarray  # int64, by cluster: when a count last met it
    together: np.ndarray  # int64, by cluster: zero between calls
    touched: np.ndarray  # int32, scratch
    clock: np.ndarray  # int64: [0] ticks for `seen`, [1] for `met`, [2] counts what was merged or suppressed


@kernel
def compare_costs(size, mass, other_size, other_mass):
    """The sign of (2^size − 1) · mass − (2^other_size − 1) · other_mass, exactly; masses from 1 to 2^50, sizes from 1.

    For the larger of the sizes first, it is that of 2^smaller · t − (mass − other) with
    t = 2^(size − smaller) · mass − other.
    """
    sign, more, smaller, other = 1, size - other_size, other_size, other_mass
    if more < 0:
        sign, more, smaller, mass, other = -1, -more, size, other_mass, mass
    if more > 51 or mass >= (np.int64(1) << 61) >> more:
        return sign
    t, bits = (mass << more) - other, smaller if smaller < 51 else 51
    bound = (np.int64(1) << 51) >> bits
    if t > bound or t < -bound:
        return sign if t > 0 else -sign
    left, right = t << bits, mass - other
    return sign if left > right else -sign if left < right else 0


@inner
def _larger(one, other):
    return one if one > other else other


@inner
def _merge_cost(c, d, people, sizes, mass, importance):
    """What merging two clusters costs, to be compared: (size, mass) for the papers' (2^size − 1) · mass, where so many
    people hold the two; or (0, what their occurrences lose more than before, in items that they might be as well)."""
    if mass.size:
        return np.int64(0), sizes[c] * mass[d] + sizes[d] * mass[c]
    return sizes[c] + sizes[d], people * _larger(importance[c], importance[d])


@inner
def _least_cost(c, people, sizes, mass, importance):
    """No merge of a cluster that so many people hold costs less."""
    if mass.size:
        return np.int64(0), mass[c]
    return sizes[c] + 1, people * importance[c]


@inner
def _compare(size, mass, other_size, other_mass):
    """The sign of one cost less another, of one kind."""
    if size == 0:
        return 1 if mass > other_mass else -1 if mass < other_mass else 0
    return compare_costs(size, mass, other_size, other_mass)


@inner
def _image(members, start, end, image, cluster):
    """Writes the clusters of these items, each once and in order, to `image`; how many, or 0 if one is suppressed.

    An item that was suppressed before clusters got new codes is −1.
    """
    n = 0
    for a in range(start, end):
        c = cluster[members[a]] if members[a] >= 0 else -1
        if c < 0:
            return 0
        place = n
        while place > 0 and image[place - 1] > c:
            place -= 1
        if place > 0 and image[place - 1] == c:
            continue
        for i in range(n, place, -1):
            image[i] = image[i - 1]
        image[place] = c
        n += 1
    return n


@inner
def _look_at(members, start, end, image, k, clusters):
    """The clusters of these items, in `image`: how many, and how many people hold them all; counting stops at k."""
    n = _image(members, start, end, image, clusters.cluster)
    if n == 0:
        return n, np.int64(0)
    rarest = image[0]
    for i in range(n):
        clusters.together[image[i]] = -1
        if clusters.support[image[i]] < clusters.support[rarest]:
            rarest = image[i]
    clusters.clock[0] += 1
    now, people, item = clusters.clock[0], np.int64(0), rarest
    while item >= 0 and people < k:
        for a in range(clusters.holders[item], clusters.holders[item + 1]):
            t = clusters.tids[a]
            if clusters.seen[t] == now:
                continue
            clusters.seen[t] = now
            clusters.clock[1] += 1
            missing = n
            for j in range(clusters.indptr[t], clusters.indptr[t + 1]):
                d = clusters.cluster[clusters.items[j]]
                if d >= 0 and clusters.together[d] < 0 and clusters.met[d] != clusters.clock[1]:
                    clusters.met[d] = clusters.clock[1]
                    missing -= 1
                    if missing == 0:
                        people += clusters.weight[t]
                        break
            if people >= k:
                break
        item = clusters.follower[item]
    for i in range(n):
        clusters.together[image[i]] = 0
    return n, people


@inner
def _best_partner(c, clusters):
    """The cluster that is cheapest to merge with c, the lowest of equals, or −1; and how many people hold the two."""
    best, best_size, best_people, best_mass = np.int32(-1), np.int64(0), np.int64(0), np.int64(0)
    if clusters.permit[c] < 0:
        return best, best_people

    clusters.clock[0] += 1
    now, n_touched, item = clusters.clock[0], 0, c
    while item >= 0:  # count who holds c and each other cluster
        for a in range(clusters.holders[item], clusters.holders[item + 1]):
            t = clusters.tids[a]
            if clusters.seen[t] == now:
                continue
            clusters.seen[t] = now
            clusters.clock[1] += 1
            for j in range(clusters.indptr[t], clusters.indptr[t + 1]):
                d = clusters.cluster[clusters.items[j]]
                if d < 0 or clusters.met[d] == clusters.clock[1]:
                    continue
                clusters.met[d] = clusters.clock[1]
                if clusters.together[d] == 0:
                    clusters.touched[n_touched] = d
                    n_touched += 1
                clusters.together[d] += clusters.weight[t]
        item = clusters.follower[item]

    for d in range(clusters.cluster.size):
        if d == c or clusters.cluster[d] != d or clusters.permit[d] != clusters.permit[c] or clusters.support[d] == 0:
            continue
        people = clusters.support[c] + clusters.support[d] - clusters.together[d]
        size, mass = _merge_cost(c, d, people, clusters.size, clusters.mass, clusters.importance)
        if best < 0 or _compare(size, mass, best_size, best_mass) < 0:
            best, best_size, best_people, best_mass = np.int32(d), size, people, mass
    for i in range(n_touched):
        clusters.together[clusters.touched[i]] = 0
    return best, best_people


@inner
def _choose_merge(image, n, any_of_them, clusters):
    """The merge to make for a constraint: (cluster of it, partner, people who hold them), −1 if none is permitted.

    Of its clusters, the one held by fewest people that has a partner; or, for `any_of_them`, the one whose merge is
    cheapest. The lowest of equals. Leaves the clusters in `image` by how many people hold them.
    """
    for i in range(1, n):  # equals stay in order of their codes
        c, place = image[i], i
        while place > 0 and clusters.support[image[place - 1]] > clusters.support[c]:
            image[place] = image[place - 1]
            place -= 1
        image[place] = c

    best, partner, best_people = np.int32(-1), np.int32(-1), np.int64(0)
    best_size, best_mass = np.int64(0), np.int64(0)
    for i in range(n):
        c = image[i]
        size, mass = _least_cost(c, clusters.support[c], clusters.size, clusters.mass, clusters.importance)
        if best >= 0 and _compare(best_size, best_mass, size, mass) < 0:
            continue
        d, people = _best_partner(c, clusters)
        if d < 0:
            continue
        size, mass = _merge_cost(c, np.int64(d), people, clusters.size, clusters.mass, clusters.importance)
        if best >= 0:
            sign = _compare(size, mass, best_size, best_mass)
            if sign > 0 or (sign == 0 and best < c):
                continue
        best, partner, best_people, best_size, best_mass = c, d, people, size, mass
        if not any_of_them:
            break
    return best, partner, best_people


@inner
def _put_into(c, other, people, clusters):
    """Merges cluster c into a lower one that goes on with so many people, or suppresses it (−1)."""
    clusters.clock[2] += 1
    item = last = c
    while item >= 0:
        clusters.cluster[item] = other
        last, item = item, clusters.follower[item]
    if other >= 0:
        clusters.follower[last] = clusters.follower[other]
        clusters.follower[other] = c
        clusters.size[other] += clusters.size[c]
        clusters.support[other] = people
        clusters.importance[other] = _larger(clusters.importance[other], clusters.importance[c])
        if clusters.mass.size:
            clusters.mass[other] += clusters.mass[c]


@inner
def _sift_down(heap, n):
    """Moves the first key of a heap, which may have grown, to its place."""
    key, place = heap[0], 0
    while True:
        child = 2 * place + 1
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if child >= n or heap[child] >= key:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = key


def repair(
    members: np.ndarray,
    ends: np.ndarray,
    heap: np.ndarray,
    n: int,
    k: int,
    any_of_them: bool,
    effort: int,
    clusters: Clusters,
) -> int:
    """Satisfies constraints, always the one that fewest people hold, the first of equals; how many are left.

    Constraint p is the itemset members[ends[p − 1]:ends[p]]. `heap` holds people · constraints + p; by now people may
    be more, or none. Returns when so many baskets have been looked at, to let the caller count anew.
    A constraint is satisfied by merges, until k people hold it; where no more may be merged, its rarest cluster goes.
    """
    image, state = np.empty(members.size, np.int32), np.array([n, 0])
    stop = int(clusters.clock[1]) + effort
    for steps in blocks():
        if _repair(steps, state, members, ends, heap, k, any_of_them, stop, clusters, image):
            break
    return int(state[0])


@kernel
def _repair(steps, state, members, ends, heap, k, any_of_them, stop, clusters, image):
    """Goes on, with state[0] constraints left, for about so many baskets; whether that is all.

    state[1] says whether the first one is being mended.
    """
    pause, nobody = clusters.clock[1] + steps, np.int32(-1)
    while clusters.clock[1] <= pause:
        if state[0] == 0 or (state[1] == 0 and clusters.clock[1] >= stop):
            return True
        pause -= 1
        known, p = heap[0] // ends.size, heap[0] % ends.size
        start = ends[p - 1] if p > 0 else 0
        size, people = _look_at(members, start, ends[p], image, k, clusters)
        if state[1] == 0 and known < people < k:
            heap[0] = people * ends.size + p
            _sift_down(heap, state[0])
            continue
        state[1] = 0 < people < k
        if state[1]:
            c, d, both = _choose_merge(image, size, any_of_them, clusters)
            if c < 0:
                _put_into(image[0], nobody, both, clusters)
            else:
                low, high = (c, d) if c < d else (d, c)
                _put_into(high, low, both, clusters)
        else:
            state[0] -= 1
            heap[0] = heap[state[0]]
            _sift_down(heap, state[0])
    return False
