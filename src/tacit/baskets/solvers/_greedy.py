"""Kernels of the inner loop: which nodes of a cut to keep, and what changes when one node is split.

Liu & Wang (2010), section 3.2: walk the suppression scenario enumeration tree, taillist in descending order of
suppression cost, always to the first valid child. So a node is kept exactly when no threat consists of it and of
nodes kept before it. A split changes few nodes, and `split` recomputes only those that can change.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numba import njit

ABSENT, SUPPRESSED, KEPT = 0, 1, 2
_STATUSES = 3


class Threats(NamedTuple):
    """Threat e is nodes[start[e]:start[e+1]], in order of rank. It belongs to the cut or, until split, to its owner's
    child cut. `link` chains, from `of_node[x]`, the places in `nodes` where x stands in threats of the cut;
    `owned` chains, from `of_owner[v]`, the threats of v's child cut, and `passing` its places while v is looked at."""

    nodes: np.ndarray
    start: np.ndarray
    threat_at: np.ndarray  # which threat a place belongs to
    link: np.ndarray
    owned: np.ndarray
    of_node: np.ndarray
    of_owner: np.ndarray
    passing: np.ndarray


@njit(cache=True)
def _completes(place, nodes, start, threat_at, status):
    """Whether the node at this place is the last of its threat and all others are kept."""
    e = threat_at[place]
    if place != start[e + 1] - 1:
        return False
    for i in range(start[e], place):  # noqa: SIM110 - a generator costs a kernel its speed
        if status[nodes[i]] != KEPT:
            return False
    return True


@njit(cache=True)
def _blocked(node, chains, threats, status):
    for chain in chains:
        place = chain[node]
        while place >= 0:
            if _completes(place, threats.nodes, threats.start, threats.threat_at, status):
                return True
            place = threats.link[place]
    return False


@njit(cache=True)
def _awaken(node, chains, threats, tree, status, queue):
    """Queues the last node of each threat that holds `node` earlier, if what became of `node` may change its status:
    a node that is kept now may block kept ones, one that is not may free suppressed ones."""
    wanted = KEPT if status[node] == KEPT else SUPPRESSED
    for chain in chains:
        place = chain[node]
        while place >= 0:
            e = threats.threat_at[place]
            last = threats.start[e + 1] - 1
            if place < last and status[threats.nodes[last]] == wanted:
                heappush(queue, tree.rank[threats.nodes[last]])
            place = threats.link[place]


@njit(cache=True)
def _link_owned(v, tree, threats, status):
    """Chains the places of v's threats; those that hold a node which is in no child cut any more are dropped."""
    before = np.int64(-1)
    e = threats.of_owner[v]
    while e >= 0:
        after = threats.owned[e]
        alive = True
        for i in range(threats.start[e], threats.start[e + 1]):
            x = threats.nodes[i]
            if status[x] == ABSENT and tree.parent[x] != v:
                alive = False
                break
        if alive:
            for i in range(threats.start[e], threats.start[e + 1]):
                x = threats.nodes[i]
                threats.link[i] = threats.passing[x]
                threats.passing[x] = i
            before = e
        elif before < 0:
            threats.of_owner[v] = after
        else:
            threats.owned[before] = after
        e = after


@njit(cache=True)
def _unlink_owned(v, threats):
    e = threats.of_owner[v]
    while e >= 0:
        for i in range(threats.start[e], threats.start[e + 1]):
            threats.passing[threats.nodes[i]] = -1
        e = threats.owned[e]


@njit(cache=True)
def _adopt_owned(v, threats):
    """Threats of v's child cut become threats of the cut."""
    e = threats.of_owner[v]
    while e >= 0:
        for i in range(threats.start[e], threats.start[e + 1]):
            x = threats.nodes[i]
            threats.link[i] = threats.of_node[x]
            threats.of_node[x] = i
        e = threats.owned[e]
    threats.of_owner[v] = -1


@njit(cache=True)
def split(v, keep_it, tree, threats, status):
    """What the cost changes by when v is replaced by its children; done for good if `keep_it`, else undone."""
    _link_owned(v, tree, threats, status)
    chains = (threats.of_node, threats.passing)
    queue = [np.int64(0)]
    queue.pop()
    changed = [_STATUSES * np.int64(v) + status[v]]  # nodes with the status they had

    change = -tree.gain[v]
    was = status[v]
    status[v] = ABSENT
    if was == SUPPRESSED:
        change -= tree.suppress[v]
    else:
        _awaken(v, chains, threats, tree, status, queue)
    child = v + 1
    while child < tree.end[v]:
        heappush(queue, tree.rank[child])
        child = tree.end[child]

    while len(queue) > 0:
        x = tree.by_rank[heappop(queue)]
        was = status[x]
        now = SUPPRESSED if _blocked(x, chains, threats, status) else KEPT
        if now == was:
            continue
        changed.append(_STATUSES * np.int64(x) + was)
        status[x] = now
        if now == SUPPRESSED:
            change += tree.suppress[x]
        elif was == SUPPRESSED:
            change -= tree.suppress[x]
        if now == KEPT or was == KEPT:
            _awaken(x, chains, threats, tree, status, queue)

    _unlink_owned(v, threats)
    if keep_it:
        _adopt_owned(v, threats)
    else:
        for entry in changed:
            status[entry // _STATUSES] = entry % _STATUSES
    return change


@njit(cache=True)
def best_split(candidates, tree, threats, status):
    """The candidate whose split lowers the cost most, the first of equals; (−1, 0) if none lowers it."""
    best, lowest = np.int64(-1), np.int64(0)
    for_good = candidates.size < 0  # never; a literal would be compiled for on its own
    for v in candidates:
        if threats.of_owner[v] < 0 and (status[v] == SUPPRESSED or threats.of_node[v] < 0):
            change = -tree.gain[v] - (tree.suppress[v] if status[v] == SUPPRESSED else 0)  # touches nobody else
        else:
            change = split(v, for_good, tree, threats, status)
        if change < lowest:
            best, lowest = np.int64(v), change
    return best, lowest


@njit(cache=True)
def add_threats(nodes, ends, owners, n_threats, tree, threats):
    """Appends mined threats, each sorted by rank, to their owners' chains; the arrays have room."""
    place = threats.start[n_threats]
    begin = 0
    for i in range(ends.size):
        e = n_threats + i
        for j in range(begin, ends[i]):
            x = nodes[j]
            at = place
            while at > threats.start[e] and tree.rank[threats.nodes[at - 1]] > tree.rank[x]:
                threats.nodes[at] = threats.nodes[at - 1]
                at -= 1
            threats.nodes[at] = x
            threats.threat_at[place] = e
            place += 1
        begin = ends[i]
        threats.start[e + 1] = place
        threats.owned[e] = threats.of_owner[owners[i]]
        threats.of_owner[owners[i]] = e
