"""Pairs of nodes that too few people hold together, over a part of the taxonomy that is closed upwards."""

from __future__ import annotations

import numpy as np

from tacit.arrays.blocks import blocks, spans
from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._bits import count_holders
from tacit.baskets.solvers._room import DONE, GO_ON, ROOM, grown

_FIRST_WORDS = 1 << 20  # of bits that are looked at, as quick as that is


def lift(indptr: np.ndarray, items: np.ndarray, parent: np.ndarray, code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each basket as the set of wanted nodes over its leaves, in no order: (indptr, nodes). `code` −1: not wanted."""
    lifted_indptr, lifted = np.zeros(indptr.size, np.int64), np.empty(0, np.int32)
    for writing in (False, True):
        seen = np.full(parent.size, -1, np.int64)
        for start, stop in spans(indptr.size - 1):
            _lift(start, stop, indptr, items, parent, code, seen, lifted_indptr, lifted, writing)
        if not writing:
            lifted = np.empty(lifted_indptr[-1], np.int32)
    return lifted_indptr, lifted


@kernel
def _lift(start, stop, indptr, items, parent, code, seen, lifted_indptr, lifted, writing):
    """Says where the sets of so many more baskets end, or writes them."""
    for t in range(start, stop):
        size = lifted_indptr[t]
        for j in range(indptr[t], indptr[t + 1]):
            node = items[j]
            while node >= 0 and seen[node] != t:
                seen[node] = t
                if code[node] >= 0:
                    if writing:
                        lifted[size] = code[node]
                    size += 1
                node = parent[node]
        lifted_indptr[t + 1] = size


def rare_pairs(
    indptr: np.ndarray,
    nodes: np.ndarray,
    weight: np.ndarray,
    tid_indptr: np.ndarray,
    tids: np.ndarray,
    end: np.ndarray,
    usable: np.ndarray,
    k: int,
    most: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of usable, unrelated nodes that some but fewer than k people hold together: first nodes, second nodes.

    Ends when there are more than `most`.
    """
    people, touched = np.zeros(end.size, np.int64), np.empty(end.size, np.int32)
    pairs, state = np.empty((1024 + end.size, 2), np.int32), np.zeros(2, np.int64)
    for steps in blocks():
        outcome = _rare_pairs(
            steps, state, indptr, nodes, weight, tid_indptr, tids, end, usable, k, most, people, touched, pairs
        )
        if outcome == DONE:
            break
        pairs = grown(pairs, int(state[1]) + end.size)
    found = pairs[: state[1]]
    return found[:, 0].copy(), found[:, 1].copy()


@kernel
def _rare_pairs(steps, state, indptr, nodes, weight, tid_indptr, tids, end, usable, k, most, people, touched, pairs):
    """Goes on from node state[0], with state[1] pairs found, for so many baskets."""
    found = state[1]
    for x in range(state[0], end.size):
        state[0], state[1] = x, found
        if steps <= 0 or found + end.size > pairs.shape[0]:
            return GO_ON
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
        steps -= 1 + tid_indptr[x + 1] - tid_indptr[x]
        for i in range(n_touched):
            y = touched[i]
            if people[y] < k and usable[y]:
                pairs[found, 0] = x
                pairs[found, 1] = y
                found += 1
            people[y] = 0
    state[1] = found
    return DONE


@inner
def _has(keys, key):
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < keys.size and keys[low] == key


@inner
def _top(node, other, keys, parent):
    """How far up a node stays rare together with another one."""
    up = parent[node]
    while up >= 0 and _has(keys, min(up, other) * parent.size + max(up, other)):
        node = up
        up = parent[node]
    return node


def chain_tops(first: np.ndarray, second: np.ndarray, keys: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """How far up both nodes of a rare pair stay rare together: rows (number of the pair, top of one, top of the other).

    `keys` are the rare pairs as smaller · n + larger, sorted. All nodes between a node and its top conflict with all
    between the other and its top, for they share a basket, and no more people hold both than hold the tops. The higher
    the one goes, the lower the other has to stop: every such pair of tops that neither can leave alone is a row.
    """
    tops, state = np.empty((first.size + 16, 3), np.int32), np.zeros(2, np.int64)
    for steps in blocks():
        outcome = _chain_tops(steps, state, first, second, keys, parent, tops)
        if outcome == DONE:
            break
        if outcome == ROOM:
            tops = grown(tops, len(tops) + 1)
    return tops[: state[1]]


@kernel
def _chain_tops(steps, state, first, second, keys, parent, tops):
    """Goes on from pair state[0], with state[1] rows found, for so many pairs."""
    n, found = parent.size, state[1]
    for i in range(state[0], first.size):
        state[0], state[1] = i, found
        if steps <= 0:
            return GO_ON
        steps -= 1
        a, b = first[i], second[i]
        top = _top(a, b, keys, parent)
        while True:
            up = parent[b]
            end = up < 0 or not _has(keys, min(up, a) * n + max(up, a))
            next_top = top if end else _top(a, up, keys, parent)
            if end or next_top != top:
                if found == tops.shape[0]:
                    return ROOM  # what was found for this pair is found again
                tops[found, 0] = i
                tops[found, 1] = top
                tops[found, 2] = b
                found += 1
            if end:
                break
            b, top = up, next_top
    state[1] = found
    return DONE


def as_bits(indptr: np.ndarray, nodes: np.ndarray, n_nodes: int, words: int) -> np.ndarray:
    """For each node the baskets that hold it, a bit each, in so many words."""
    bits = np.zeros((n_nodes, words), np.uint64)
    for start, stop in spans(indptr.size - 1):
        _as_bits(start, stop, indptr, nodes, bits)
    return bits


@kernel
def _as_bits(start, stop, indptr, nodes, bits):
    for t in range(start, stop):
        for i in range(indptr[t], indptr[t + 1]):
            bits[nodes[i], t // 64] |= np.uint64(1) << np.uint64(t % 64)


def threat_chains(
    nodes: np.ndarray,
    ends: np.ndarray,
    bits: np.ndarray,
    weight: np.ndarray,
    parent: np.ndarray,
    end: np.ndarray,
    k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Chains for each threat: rows (number of the row, bottom, top), one for each of its nodes; and nodes per row.

    The bottoms share a basket, so that all between bottoms and tops do; the tops are held by fewer than k. Every node
    of the threat gets a row in which it goes up first.
    """
    longest = int(np.diff(ends, prepend=0).max(initial=0))
    chains, sizes = np.empty((1024, 3), np.int32), np.empty(1024, np.int32)
    row_of, work = np.arange(len(bits), dtype=np.int32), np.empty((3, longest), np.int32)
    state = np.zeros(3, np.int64)
    for steps in blocks(_FIRST_WORDS):
        outcome = _threat_chains(
            steps, state, nodes, ends, bits, weight, parent, end, k, row_of, work[0], work[1], work[2], chains, sizes
        )
        if outcome == DONE:
            break
        chains, sizes = grown(chains, int(state[1]) + longest**2), grown(sizes, int(state[2]) + longest)
    return chains[: state[1]], sizes[: state[2]]


@kernel
def _threat_chains(
    steps, state, nodes, ends, bits, weight, parent, end, k, row_of, bottom, top, before, chains, sizes
):  # fmt: skip
    """Goes on from threat state[0], with state[1] chains and state[2] rows written, for about so many words."""
    n_chains, n_rows, one = state[1], state[2], np.int64(1)
    for e in range(state[0], ends.size):
        begin = ends[e - 1] if e > 0 else 0
        size = ends[e] - begin
        state[0], state[1], state[2] = e, n_chains, n_rows
        if n_chains + size * size > chains.shape[0] or n_rows + size > sizes.size:
            return ROOM
        if steps <= 0:
            return GO_ON
        steps -= size * size * bits.shape[1]
        for i in range(size):
            top[i] = bottom[i] = nodes[begin + i]
        t = count_holders(top, size, row_of, bits, weight, one)[1]
        for i in range(size):
            child = bottom[i] + 1
            while child < end[bottom[i]]:
                if (bits[child, t // 64] >> np.uint64(t % 64)) & np.uint64(1):
                    bottom[i] = child
                    child = child + 1
                else:
                    child = end[child]
        for lead in range(size):
            for i in range(size):
                top[i] = nodes[begin + i]
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
            for i in range(size):
                chains[n_chains, 0] = n_rows
                chains[n_chains, 1] = bottom[i]
                chains[n_chains, 2] = top[i]
                n_chains += 1
            sizes[n_rows] = size
            n_rows += 1
    state[1], state[2] = n_chains, n_rows
    return DONE
