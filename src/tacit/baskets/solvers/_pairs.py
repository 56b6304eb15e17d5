"""Kernels on pairs of nodes that too few people hold together, over a part of the taxonomy that is closed upwards."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.baskets.solvers._bits import count_holders

# compiled with tacit.baskets.solvers._bits e79498462b85


@njit(cache=True)
def lift(indptr, items, parent, number):
    """Each basket as the set of wanted nodes over its leaves, in no order: (indptr, nodes). `number` −1: not wanted."""
    seen = np.full(parent.size, -1, np.int64)
    lifted_indptr = np.zeros(indptr.size, np.int64)
    lifted = np.empty(0, np.int32)
    for writing in range(2):
        size = 0
        for t in range(indptr.size - 1):
            for j in range(indptr[t], indptr[t + 1]):
                node = items[j]
                while node >= 0 and seen[node] != t:
                    seen[node] = t
                    if number[node] >= 0:
                        if writing == 1:
                            lifted[size] = number[node]
                        size += 1
                    node = parent[node]
            lifted_indptr[t + 1] = size
        if writing == 0:
            lifted = np.empty(size, np.int32)
            for node in range(seen.size):
                seen[node] = -1
    return lifted_indptr, lifted


@njit(cache=True)
def grouped(keys, values, n_keys):
    """The values of each key, in their order: those of key y are grouped[start[y]:start[y+1]]."""
    start = np.zeros(n_keys + 1, np.int64)
    for i in range(keys.size):
        start[keys[i] + 1] += 1
    for y in range(n_keys):
        start[y + 1] += start[y]
    place, of_key = start.copy(), np.empty(keys.size, np.int32)
    for i in range(keys.size):
        of_key[place[keys[i]]] = values[i]
        place[keys[i]] += 1
    return start, of_key


@njit(cache=True)
def rare_pairs(indptr, nodes, weight, tid_indptr, tids, end, usable, k, most):
    """Pairs of usable, unrelated nodes that some but fewer than k people hold together: first nodes, second nodes.

    Ends when there are more than `most`.
    """
    people = np.zeros(end.size, np.int64)
    touched = np.empty(end.size, np.int32)
    pairs = np.empty((1024, 2), np.int32)
    found = 0
    for x in range(end.size):
        if not usable[x] or found > most:
            continue
        n_touched = 0
        for j in range(tid_indptr[x], tid_indptr[x + 1]):
            t = tids[j]
            for i in range(indptr[t], indptr[t + 1]):
                y = nodes[i]
                if y >= end[x]:
                    if people[y] == 0:
                        touched[n_touched] = y
                        n_touched += 1
                    people[y] += weight[t]
        for i in range(n_touched):
            y = touched[i]
            if people[y] < k and usable[y]:
                if found == pairs.shape[0]:
                    bigger = np.empty((2 * found, 2), np.int32)
                    for p in range(found):
                        bigger[p, 0] = pairs[p, 0]
                        bigger[p, 1] = pairs[p, 1]
                    pairs = bigger
                pairs[found, 0] = x
                pairs[found, 1] = y
                found += 1
            people[y] = 0
    return pairs[:found, 0].copy(), pairs[:found, 1].copy()


@njit(cache=True)
def _has(keys, key):
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < keys.size and keys[low] == key


@njit(cache=True)
def _top(node, other, keys, parent):
    """How far up a node stays rare together with another one."""
    n = parent.size
    up = parent[node]
    while up >= 0 and _has(keys, min(up, other) * n + max(up, other)):
        node = up
        up = parent[node]
    return node


@njit(cache=True)
def chain_tops(first, second, keys, parent):
    """How far up both nodes of a rare pair stay rare together: rows (number of the pair, top of one, top of the other).

    `keys` are the rare pairs as smaller · n + larger, sorted. All nodes between a node and its top conflict with all
    between the other and its top, for they share a basket, and no more people hold both than hold the tops. The higher
    the one goes, the lower the other has to stop: every such pair of tops that neither can leave alone is a row.
    """
    n = parent.size
    tops = np.empty((first.size + 16, 3), np.int32)
    found = 0
    for i in range(first.size):
        a, b = first[i], second[i]
        top = _top(a, b, keys, parent)
        while True:
            up = parent[b]
            end = up < 0 or not _has(keys, min(up, a) * n + max(up, a))
            next_top = top if end else _top(a, up, keys, parent)
            if end or next_top != top:
                if found == tops.shape[0]:
                    bigger = np.empty((2 * found, 3), np.int32)
                    for r in range(found):
                        for c in range(3):
                            bigger[r, c] = tops[r, c]
                    tops = bigger
                tops[found, 0] = i
                tops[found, 1] = top
                tops[found, 2] = b
                found += 1
            if end:
                break
            b, top = up, next_top
    return tops[:found]


@njit(cache=True)
def as_bits(indptr, nodes, n_nodes, words):
    """For each node the baskets that hold it, a bit each, in so many words."""
    bits = np.zeros((n_nodes, words), np.uint64)
    for t in range(indptr.size - 1):
        for i in range(indptr[t], indptr[t + 1]):
            bits[nodes[i], t // 64] |= np.uint64(1) << np.uint64(t % 64)
    return bits


@njit(cache=True)
def threat_chains(nodes, ends, bits, weight, parent, end, k):
    """Chains for each threat: rows (number of the row, bottom, top), one for each of its nodes; and nodes per row.

    The bottoms share a basket, so that all between bottoms and tops do; the tops are held by fewer than k. Every node
    of the threat gets a row in which it goes up first.
    """
    chains = np.empty((1024, 3), np.int32)
    sizes = np.empty(1024, np.int32)
    row_of = np.arange(bits.shape[0]).astype(np.int32)
    n_chains = n_rows = 0
    begin = 0
    for e in range(ends.size):
        size = ends[e] - begin
        x = nodes[begin : ends[e]]
        begin = ends[e]
        t = count_holders(x, size, row_of, bits, weight, 1)[1]
        bottom = x.copy()
        for i in range(size):
            child = bottom[i] + 1
            while child < end[bottom[i]]:
                if (bits[child, t // 64] >> np.uint64(t % 64)) & np.uint64(1):
                    bottom[i] = child
                    child = child + 1
                else:
                    child = end[child]
        before = x.copy()
        for lead in range(size):
            top = x.copy()
            for turn in range(size):
                i = (lead + turn) % size
                while parent[top[i]] >= 0:
                    stay = top[i]
                    up = parent[stay]
                    related = False
                    for j in range(size):
                        related |= j != i and up <= top[j] < end[up]
                    top[i] = up
                    if related or count_holders(top, size, row_of, bits, weight, k)[0] >= k:
                        top[i] = stay
                        break
            same = lead > 0
            for i in range(size):
                same &= top[i] == before[i]
                before[i] = top[i]
            if same:
                continue
            if n_rows == sizes.size or n_chains + size > chains.shape[0]:
                more_sizes = np.empty(2 * sizes.size, np.int32)
                for r in range(n_rows):
                    more_sizes[r] = sizes[r]
                more_chains = np.empty((2 * chains.shape[0] + size, 3), np.int32)
                for r in range(n_chains):
                    for c in range(3):
                        more_chains[r, c] = chains[r, c]
                sizes, chains = more_sizes, more_chains
            for i in range(size):
                chains[n_chains, 0] = n_rows
                chains[n_chains, 1] = bottom[i]
                chains[n_chains, 2] = top[i]
                n_chains += 1
            sizes[n_rows] = size
            n_rows += 1
    return chains[:n_chains], sizes[:n_rows]
