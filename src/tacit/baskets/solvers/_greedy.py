"""Kernels of the inner loop: which nodes of a cut to keep, and what changes when one node is split.

Liu & Wang (2010), section 3.2: walk the suppression scenario enumeration tree, taillist in descending order of
suppression cost, always to the first valid child. So a node is kept exactly when no threat consists of it and of
nodes kept before it. A split changes few nodes, and `split` recomputes only those that can change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import spans
from tacit.arrays.jit import inner, kernel

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


class Trial(NamedTuple):
    """Room to try a split in: ranks of nodes to look at, the lowest on top of a heap, and nodes with what they were."""

    queue: np.ndarray
    is_queued: np.ndarray  # of each rank
    changed: np.ndarray

    @classmethod
    def of(cls, nodes: int) -> Trial:
        return cls(np.empty(nodes, np.int64), np.zeros(nodes, bool), np.empty(nodes + 1, np.int64))


def best_split(
    candidates: np.ndarray, tree: tuple[np.ndarray, ...], threats: Threats, status: np.ndarray, trial: Trial
) -> tuple[int, int]:
    """The candidate whose split lowers the cost most, the first of equals; (−1, 0) if none lowers it."""
    best = np.array([-1, 0])
    for start, stop in spans(candidates.size, first=64):
        _best_split(candidates[start:stop], tree, threats, status, trial, best)
    return int(best[0]), int(best[1])


@kernel
def _best_split(candidates, tree, threats, status, trial, best):
    """The best of so many more candidates."""
    for_good = candidates.size < 0  # never; a literal would be compiled for on its own
    for i in range(candidates.size):
        v = candidates[i]
        if threats.of_owner[v] < 0 and (status[v] == SUPPRESSED or threats.of_node[v] < 0):
            change = -tree.gain[v] - (tree.suppress[v] if status[v] == SUPPRESSED else 0)  # touches nobody else
        else:
            change = split(v, for_good, tree, threats, status, trial)
        if change < best[1]:
            best[0], best[1] = v, change


@kernel
def split(v, keep_it, tree, threats, status, trial):
    """What the cost changes by when v is replaced by its children; done for good if `keep_it`, else undone."""
    _link_owned(v, tree.parent, threats, status)
    n_queue, n_changed = np.int64(0), np.int64(1)
    trial.changed[0] = _STATUSES * np.int64(v) + status[v]

    change = -tree.gain[v]
    was = status[v]
    status[v] = ABSENT
    if was == SUPPRESSED:
        change -= tree.suppress[v]
    else:
        n_queue = _awaken(v, threats, tree.rank, status, trial, n_queue)
    child = v + 1
    while child < tree.end[v]:
        n_queue = _push(tree.rank[child], trial, n_queue)
        child = tree.end[child]

    while n_queue > 0:
        x = tree.by_rank[_pop(trial, n_queue)]
        n_queue -= 1
        was = status[x]
        blocked = _blocked(x, threats.of_node, threats, status) or _blocked(x, threats.passing, threats, status)
        now = SUPPRESSED if blocked else KEPT
        if now == was:
            continue
        trial.changed[n_changed] = _STATUSES * np.int64(x) + was
        n_changed += 1
        status[x] = now
        if now == SUPPRESSED:
            change += tree.suppress[x]
        elif was == SUPPRESSED:
            change -= tree.suppress[x]
        if now == KEPT or was == KEPT:
            n_queue = _awaken(x, threats, tree.rank, status, trial, n_queue)

    _unlink_owned(v, threats)
    if keep_it:
        _adopt_owned(v, threats)
    else:
        for i in range(n_changed):
            status[trial.changed[i] // _STATUSES] = trial.changed[i] % _STATUSES
    return change


@inner
def _push(rank, trial, n):
    """Queues a node by its rank, unless it is; how many there are then."""
    if trial.is_queued[rank]:
        return n
    trial.is_queued[rank] = True
    at = n
    while at > 0 and trial.queue[(at - 1) // 2] > rank:
        trial.queue[at] = trial.queue[(at - 1) // 2]
        at = (at - 1) // 2
    trial.queue[at] = rank
    return n + 1


@inner
def _pop(trial, n):
    """Takes the lowest of n ranks."""
    lowest, moved = trial.queue[0], trial.queue[n - 1]
    trial.is_queued[lowest] = False
    at = np.int64(0)
    while 2 * at + 1 < n - 1:
        child = 2 * at + 1
        if child + 1 < n - 1 and trial.queue[child + 1] < trial.queue[child]:
            child += 1
        if trial.queue[child] >= moved:
            break
        trial.queue[at] = trial.queue[child]
        at = child
    trial.queue[at] = moved
    return lowest


@inner
def _blocked(node, chain, threats, status):
    """Whether the node is the last of a threat of the chain, and all others of it are kept."""
    place = chain[node]
    while place >= 0:
        e = threats.threat_at[place]
        if place == threats.start[e + 1] - 1:
            i = threats.start[e]
            while i < place and status[threats.nodes[i]] == KEPT:
                i += 1
            if i == place:
                return True
        place = threats.link[place]
    return False


@inner
def _awaken(node, threats, rank, status, trial, n):
    """Queues the last node of each threat that holds `node` earlier, if what became of `node` may change its status:
    a node that is kept now may block kept ones, one that is not may free suppressed ones. How many are queued then."""
    wanted = KEPT if status[node] == KEPT else SUPPRESSED
    for turn in range(2):
        place = threats.of_node[node] if turn == 0 else threats.passing[node]
        while place >= 0:
            last = threats.start[threats.threat_at[place] + 1] - 1
            if place < last and status[threats.nodes[last]] == wanted:
                n = _push(rank[threats.nodes[last]], trial, n)
            place = threats.link[place]
    return n


@inner
def _link_owned(v, parent, threats, status):
    """Chains the places of v's threats; those that hold a node which is in no child cut any more are dropped."""
    before = np.int64(-1)
    e = threats.of_owner[v]
    while e >= 0:
        after = threats.owned[e]
        alive = True
        for i in range(threats.start[e], threats.start[e + 1]):
            x = threats.nodes[i]
            if status[x] == ABSENT and parent[x] != v:
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


@inner
def _unlink_owned(v, threats):
    e = threats.of_owner[v]
    while e >= 0:
        for i in range(threats.start[e], threats.start[e + 1]):
            threats.passing[threats.nodes[i]] = -1
        e = threats.owned[e]


@inner
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


@kernel
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
