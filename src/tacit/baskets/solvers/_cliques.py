"""Finds wide inequalities for a choice of nodes: baskets in which any s of many nodes are a threat.

Take a basket, some of its leaves, and above each of these a chain of nodes up to a top, no top above another one. If
any s of the tops are held by fewer than k people, any s unrelated nodes out of the chains are a threat: all of them are
in the basket, and no more people hold them than hold the tops. So at most s − 1 nodes of all the chains can be kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, spans
from tacit.arrays.jit import inner, kernel
from tacit.baskets.solvers._bits import count_holders

_WIDEST = 512  # nodes of a basket that are looked at
REMEMBERED_BITS = 17  # of the number of a place where a set is remembered: the last of those that share it


class Holders(NamedTuple):
    """Who holds each node: node v is in baskets tids[start[v]:start[v+1]], and, if many do, in the bits of a row."""

    start: np.ndarray
    tids: np.ndarray
    dense: np.ndarray  # the node's row of `bits`, −1 if it has none
    bits: np.ndarray
    weight: np.ndarray  # people per basket
    remembered: np.ndarray  # sets of up to so many nodes that were counted, each with whether it is rare, for one k
    most_remembered: int


class Forest(NamedTuple):
    """The taxonomy and the baskets, for the kernels."""

    parent: np.ndarray
    end: np.ndarray
    usable: np.ndarray  # held by k people at least
    indptr: np.ndarray
    items: np.ndarray


class Rows(NamedTuple):
    """Room for rows: row r is nodes[start[r]:start[r+1]], of which at most limit[r] can be kept."""

    start: np.ndarray
    nodes: np.ndarray
    limit: np.ndarray


class Limits(NamedTuple):
    """How rows are made: of threats of `size` nodes that fewer than k hold, and how many of what at most."""

    size: int
    k: int
    least_excess: float  # by which x violates a row
    rows_a_basket: int
    most_tops: int
    most_like: int  # baskets alike that get the same row


class _Work(NamedTuple):
    """Room for what grows from a seed: its tops, a leaf below each, and nodes that may join with a leaf below each."""

    seed: np.ndarray
    tops: np.ndarray
    low: np.ndarray
    others: np.ndarray
    chosen: np.ndarray
    nodes: np.ndarray
    bottoms: np.ndarray
    leaves: np.ndarray

    @classmethod
    def of(cls, width: int) -> _Work:
        return cls(*(np.empty(size, np.int32) for size in (*[width] * 6, _WIDEST, _WIDEST)))


def list_holders(
    indptr: np.ndarray, items: np.ndarray, parent: np.ndarray, count: np.ndarray, tids: np.ndarray, writing: bool
) -> None:
    """Counts the baskets of each node, or writes them from `count` on."""
    seen = np.full(parent.size, -1, np.int64)
    for start, stop in spans(indptr.size - 1):
        _list_holders(start, stop, indptr, items, parent, seen, count, tids, writing)


@kernel
def _list_holders(start, stop, indptr, items, parent, seen, count, tids, writing):
    for t in range(start, stop):
        for j in range(indptr[t], indptr[t + 1]):
            v = items[j]
            while v >= 0 and seen[v] != t:
                seen[v] = t
                if writing:
                    tids[count[v]] = t
                count[v] += 1
                v = parent[v]


def fill_bits(start: np.ndarray, tids: np.ndarray, dense: np.ndarray, bits: np.ndarray) -> None:
    for first, last in spans(dense.size):
        _fill_bits(first, last, start, tids, dense, bits)


@kernel
def _fill_bits(first, last, start, tids, dense, bits):
    for v in range(first, last):
        if dense[v] >= 0:
            for j in range(start[v], start[v + 1]):
                bits[dense[v], tids[j] // 64] |= np.uint64(1) << np.uint64(tids[j] % 64)


@inner
def _holds(v, t, holders):
    if holders.dense[v] >= 0:
        return (holders.bits[holders.dense[v], t // 64] >> np.uint64(t % 64)) & np.uint64(1) != 0
    low, high = holders.start[v], holders.start[v + 1]
    while low < high:
        middle = (low + high) // 2
        if holders.tids[middle] < t:
            low = middle + 1
        else:
            high = middle
    return low < holders.start[v + 1] and holders.tids[low] == t


@inner
def _least_held(nodes, size, start):
    least = 0
    for i in range(1, size):
        v, w = nodes[i], nodes[least]
        if start[v + 1] - start[v] < start[w + 1] - start[w]:
            least = i
    return least


@inner
def _others_hold(nodes, size, one, t, holders):
    """Whether basket t holds all of the nodes, if it holds this one."""
    for i in range(size):  # noqa: SIM110 - a generator costs a kernel its speed
        if i != one and not _holds(nodes[i], t, holders):
            return False
    return True


@inner
def _first_basket(nodes, size, holders):
    """The first basket that holds all of the nodes; −1 if none does."""
    least = _least_held(nodes, size, holders.start)
    v = nodes[least]
    for j in range(holders.start[v], holders.start[v + 1]):
        if _others_hold(nodes, size, least, holders.tids[j], holders):
            return np.int64(holders.tids[j])
    return np.int64(-1)


@inner
def _counted_rare(nodes, size, k, holders):
    """`_rare`, counted: baskets of the least held node, or 64 baskets at a time if all nodes have bits."""
    people, bits, least = np.int64(0), holders.bits, _least_held(nodes, size, holders.start)
    v = nodes[least]
    if holders.dense[v] < 0 or holders.start[v + 1] - holders.start[v] < bits.shape[1] // 4:
        for j in range(holders.start[v], holders.start[v + 1]):
            if _others_hold(nodes, size, least, holders.tids[j], holders):
                people += holders.weight[holders.tids[j]]
                if people >= k:
                    return False
        return True
    return count_holders(nodes, size, holders.dense, bits, holders.weight, k)[0] < k


@inner
def _rare(nodes, size, k, holders):
    """Whether fewer than k people hold all of the nodes, which are put in order. Remembered, for it is asked again."""
    n = holders.dense.size
    key = np.uint64(0)
    for i in range(size):
        v, j = nodes[i], i
        while j > 0 and nodes[j - 1] > v:
            nodes[j] = nodes[j - 1]
            j -= 1
        nodes[j] = v
    if size > holders.most_remembered:
        return _counted_rare(nodes, size, k, holders)
    for i in range(size):
        key = key * np.uint64(n) + np.uint64(nodes[i])
    slot = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - REMEMBERED_BITS)
    if holders.remembered[slot] >> np.uint64(1) != key:
        holders.remembered[slot] = 2 * key + np.uint64(_counted_rare(nodes, size, k, holders))
    return holders.remembered[slot] & np.uint64(1) != 0


@inner
def _fits(v, place, n_tops, s, k, forest, holders, work):
    """Whether v can stand at this place among the tops: no top above or below it, and any s with it are rare."""
    tops, others, chosen, nodes = work.tops, work.others, work.chosen, work.nodes
    for i in range(n_tops):
        if i != place:
            other = tops[i]
            if v <= other < forest.end[v] or other <= v < forest.end[other]:
                return False
    n_others = 0
    for i in range(n_tops):
        if i != place:
            others[n_others] = tops[i]
            n_others += 1
    depth, chosen[0] = 0, -1
    while depth >= 0:
        chosen[depth] += 1
        if chosen[depth] > n_others - (s - 1) + depth:
            depth -= 1
            continue
        nodes[0] = v
        for i in range(depth + 1):
            nodes[i + 1] = others[chosen[i]]
        if _rare(nodes, depth + 2, k, holders):
            continue  # and so is whatever holds them
        if depth == s - 2:
            return False
        chosen[depth + 1] = chosen[depth]
        depth += 1
    return True


@inner
def _bottoms(t, x, forest, bottoms, leaves):
    """The lowest nodes with x > 0 above the leaves of basket t, unrelated, by descending x; how many."""
    n = 0
    for j in range(forest.indptr[t], forest.indptr[t + 1]):
        v = forest.items[j]
        while v >= 0 and x[v] <= 0:
            v = forest.parent[v]
        if v < 0 or n == bottoms.size:
            continue
        known = False
        for i in range(n):
            w = bottoms[i]
            known |= v <= w < forest.end[v] or w <= v < forest.end[w]
        if known:
            continue
        i = n
        while i > 0 and x[bottoms[i - 1]] < x[v]:
            bottoms[i], leaves[i] = bottoms[i - 1], leaves[i - 1]
            i -= 1
        bottoms[i], leaves[i] = v, forest.items[j]
        n += 1
    return n


@inner
def _chain_sum(leaf, top, x, parent):
    total = x[leaf]
    while leaf != top:
        leaf = parent[leaf]
        total += x[leaf]
    return total


@inner
def _heaviest_leaf(v, t, x, forest):
    """The leaf of basket t below v with the largest sum of x up to v, the first of equals."""
    best, most = np.int32(-1), -1.0
    for j in range(forest.indptr[t], forest.indptr[t + 1]):
        leaf = forest.items[j]
        if v <= leaf < forest.end[v]:
            total = _chain_sum(leaf, v, x, forest.parent)
            if total > most:
                best, most = leaf, total
    return best


@inner
def _climb(n_tops, s, k, x, floor, forest, holders, work):
    """Raises the tops in turn, to nodes with x > floor, as far as any s of them stay rare."""
    tops, moved = work.tops, True
    while moved:
        moved = False
        for place in range(n_tops):
            up = forest.parent[tops[place]]
            while up >= 0 and x[up] <= floor:
                up = forest.parent[up]
            if up >= 0 and _fits(up, place, n_tops, s, k, forest, holders, work):
                tops[place] = up
                moved = True


@inner
def _tops_from(n_tops, t, x, limits, forest, holders, work):
    """Tops that grow from the seed in basket t, and a leaf below each; how many, or 0 if x does not violate their row.

    Further nodes of the basket join while any `size` of them stay rare, those of large x first; then all climb.
    """
    s, k, tops, low = limits.size, limits.k, work.tops, work.low
    nowhere, nothing, anything = np.int64(-1), 0.0, -1.0
    for i in range(n_tops):
        tops[i], low[i] = work.seed[i], _heaviest_leaf(work.seed[i], t, x, forest)
    n = _bottoms(t, x, forest, work.bottoms, work.leaves)
    for i in range(n):
        if n_tops < limits.most_tops and _fits(work.bottoms[i], nowhere, n_tops, s, k, forest, holders, work):
            tops[n_tops], low[n_tops] = work.bottoms[i], work.leaves[i]
            n_tops += 1
    if n_tops < s:
        return np.int64(0)
    _climb(n_tops, s, k, x, nothing, forest, holders, work)
    total = 0.0
    for i in range(n_tops):
        total += _chain_sum(low[i], tops[i], x, forest.parent)
    if total < s - 1 + limits.least_excess:
        return np.int64(0)
    _climb(n_tops, s, k, x, anything, forest, holders, work)
    return n_tops


@inner
def _write_row(tops, n_tops, t, x, limit, forest, rows, n_rows):
    """Writes the row of basket t below the tops, if there is room; returns how many rows there are."""
    if n_rows + 1 >= rows.start.size:
        return n_rows
    place = rows.start[n_rows]
    for i in range(n_tops):
        v = _heaviest_leaf(tops[i], t, x, forest)
        while v >= 0:
            if place == rows.nodes.size:
                return n_rows
            if forest.usable[v]:
                rows.nodes[place] = v
                place += 1
            v = forest.parent[v] if v != tops[i] else np.int32(-1)
    rows.limit[n_rows] = limit
    rows.start[n_rows + 1] = place
    return n_rows + 1


def widen(
    seeds: np.ndarray,
    ends: np.ndarray,
    tids: np.ndarray,
    x: np.ndarray,
    limits: Limits,
    forest: Forest,
    holders: Holders,
    like: tuple[np.ndarray, np.ndarray],
    rows: Rows,
    n_rows: int,
) -> int:
    """Rows that x violates, each grown from a seed and written for the baskets alike; returns how many rows there are.

    A seed is some nodes of a basket, seeds[ends[i−1]:ends[i]]; if tids[i] is −1, of the first basket that holds them.
    `like` is from `group_baskets`.
    """
    work, made = _Work.of(limits.most_tops + limits.size + 1), np.zeros(like[0].size, np.int32)
    for start, stop in spans(ends.size, f"rows of {limits.size}", first=64):
        n_rows = _widen(start, stop, seeds, ends, tids, x, limits, forest, holders, *like, rows, n_rows, work, made)
    return n_rows


@kernel
def _widen(start, stop, seeds, ends, tids, x, limits, forest, holders, head, after, rows, n_rows, work, made):
    """The same for some of the seeds."""
    for e in range(start, stop):
        begin = ends[e - 1] if e > 0 else 0
        size = ends[e] - begin
        for i in range(size):
            work.seed[i] = seeds[begin + i]
        t = tids[e] if tids[e] >= 0 else _first_basket(work.seed, size, holders)
        if made[t] >= limits.rows_a_basket or n_rows + 1 >= rows.start.size:
            continue
        n_tops = _tops_from(size, t, x, limits, forest, holders, work)
        if n_tops == 0:
            continue
        made[t] += 1
        n_rows = _write_row(work.tops, n_tops, t, x, limits.size - 1, forest, rows, n_rows)
        like, written = head[t], 1
        while like >= 0 and written < limits.most_like:
            if like != t:
                n_rows = _write_row(work.tops, n_tops, like, x, limits.size - 1, forest, rows, n_rows)
                written += 1
            like = after[like]
    return n_rows


def group_baskets(x: np.ndarray, forest: Forest) -> tuple[np.ndarray, np.ndarray]:
    """Puts baskets together whose lowest nodes with x > 0 are the same ones.

    head[t] is the first basket like t, after[t] the next one like it, −1 behind the last.
    """
    n = forest.indptr.size - 1
    head, after, slots = np.empty(n, np.int64), np.empty(n, np.int64), 1 << max(4, (2 * n - 1).bit_length())
    keys, last = np.zeros(slots, np.uint64), np.empty(slots, np.int64)
    bottoms, leaves = np.empty(_WIDEST, np.int32), np.empty(_WIDEST, np.int32)
    for start, stop in spans(n):
        _group_baskets(start, stop, x, forest, head, after, keys, last, bottoms, leaves)
    return head, after


@kernel
def _group_baskets(start, stop, x, forest, head, after, keys, last, bottoms, leaves):
    slots = keys.size
    for t in range(start, stop):
        size = _bottoms(t, x, forest, bottoms, leaves)
        key = np.uint64(size + 1)
        for i in range(size):
            mixed = np.uint64(bottoms[i] + 1) * np.uint64(0x9E3779B97F4A7C15)
            key += (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        slot = np.int64((key ^ (key >> np.uint64(32))) & np.uint64(slots - 1))
        while keys[slot] != 0 and keys[slot] != key:
            slot = (slot + 1) & (slots - 1)
        after[t] = -1
        if keys[slot] == 0:
            keys[slot] = key
            head[t] = t
        else:
            head[t] = head[last[slot]]
            after[last[slot]] = t
        last[slot] = t


def fractional_seeds(
    x: np.ndarray, sure: float, per_basket: int, first: int, forest: Forest, head: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Seeds of one node with 0 < x < sure, some for each basket that is the first of its like, from `first` on.

    Returns at most so many nodes, their baskets, and with which basket to go on next time.
    """
    seeds, tids = np.empty(most, np.int32), np.empty(most, np.int64)
    bottoms, leaves = np.empty(_WIDEST, np.int32), np.empty(_WIDEST, np.int32)
    state = np.zeros(2, np.int64)
    for steps in blocks():
        if _fractional_seeds(steps, state, x, sure, per_basket, first, forest, head, seeds, tids, bottoms, leaves):
            break
    turn, n = state.tolist()
    return seeds[:n], tids[:n], (first + turn) % max(head.size, 1)


@kernel
def _fractional_seeds(steps, state, x, sure, per_basket, first, forest, head, seeds, tids, bottoms, leaves):
    """Goes on with turn state[0], with state[1] seeds found, for so many baskets; whether that is all."""
    n = state[1]
    stop = min(state[0] + steps, head.size)
    for turn in range(state[0], stop):
        t = (first + turn) % head.size
        state[0], state[1] = turn, n
        if n + per_basket > seeds.size:
            return True
        if head[t] != t:
            continue
        size = _bottoms(t, x, forest, bottoms, leaves)
        made = 0
        for i in range(size):
            if size > 1 and x[bottoms[i]] < sure and made < per_basket:
                seeds[n], tids[n] = bottoms[i], t
                n += 1
                made += 1
    state[0], state[1] = stop, n
    return stop == head.size
