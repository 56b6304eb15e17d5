"""Baskets that tell a search nothing new are left out: what is left grows with the hierarchy and its threats, not with
the data.

A search for a cut asks whether k people hold a set of up to m nodes together, never how many more. So a basket may go
once every such set in it is held by k people of the baskets that stay; then every set is held by k of these if it is
held by k of all, and by as many as in all if it is rare: none of the baskets that hold a rare set ever goes.

Which sets there are to look at. A leaf that fewer than k people hold is a threat by itself, and no set around it is a
minimal one; so of it the lowest node above matters that k people hold, its *stand-in*, and baskets are looked at by
their stand-ins, those above others left out. Whatever frequent nodes a basket holds, each is a stand-in of it, or above
one. So if k people hold each m of its stand-ins, k people hold each m of its frequent nodes. Leaves by themselves are
counted, too, until k people hold each: the rare ones stay as rare as they are.

Baskets are gone through in an order of their content alone: those that more people have first, then the longer ones. So
it does not matter who does it. Whatever goes from a part of the baskets goes from all of them, since the baskets that
come before it there come before it here; so parts may be thinned first, wherever they lie, and then what is left of
all, and it is the same as to thin all at once. At most k baskets stay for each leaf and for each m stand-ins that
somebody holds together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import blocks, tell
from tacit.arrays.order import list_order
from tacit.arrays.sparse import take_rows
from tacit.baskets.solvers._room import DONE, ROOM
from tacit.baskets.solvers._thinning_kernels import BITS, Counts, moved, thin
from tacit.baskets.solvers.problem import Problem

MANY = 1_000_000
"""Different baskets up to which all are kept: a search takes no longer than to tell which matter."""
LONGEST = 3
"""Nodes of a set that are counted; beyond, there are too many sets of a basket."""
_FIRST_SLOTS = 1 << 16
_FIRST_BLOCK = 1 << 14


class Rule(NamedTuple):
    """What baskets are looked at by: the stand-in of each leaf (−1: none) and where the subtrees of nodes end."""

    stand_in: np.ndarray
    end: np.ndarray
    k: int
    m: int


def are_many(different: int) -> bool:
    """Whether there are more different baskets than a search should look at."""
    return different > MANY


def thinned(problem: Problem, k: int, m: int | float) -> Problem:
    """The problem without the baskets that tell a search for k and m nothing new, where there are many."""
    is_part = problem.people is not None
    if not can_be_thinned(len(problem), m) or not (are_many(problem.weight.size) or is_part):
        return problem
    rule = rule_of(problem.tree.parent, problem.tree.end, problem.support, k, int(m))
    stays = np.flatnonzero(needed(problem.indptr, problem.items, problem.weight, rule))
    baskets = take_rows(problem.indptr, problem.items, stays)
    return replace(problem, indptr=baskets[0], items=baskets[1], weight=problem.weight[stays], people=problem.support)


def can_be_thinned(nodes: int, m: int | float) -> bool:
    """Whether sets of so many nodes are counted."""
    return m <= LONGEST and nodes < 1 << BITS


def rule_of(parent: np.ndarray, end: np.ndarray, support: np.ndarray, k: int, m: int) -> Rule:
    """The rule of a tree whose nodes so many people hold."""
    stand_in = np.arange(parent.size, dtype=np.int32)
    for node in np.flatnonzero(support < k).tolist():  # those above come first
        stand_in[node] = stand_in[parent[node]] if parent[node] >= 0 else -1
    return Rule(stand_in, end.astype(np.int32), k, m)


def needed(indptr: np.ndarray, items: np.ndarray, weight: np.ndarray, rule: Rule) -> np.ndarray:
    """For each of some different baskets whether it stays."""
    lengths = np.diff(indptr)
    order = list_order(indptr, items, rule.stand_in.size)
    order = order[np.lexsort((-lengths[order], -np.minimum(weight[order], rule.k)))]
    stays = np.zeros(weight.size, bool)
    counts = Counts(
        np.zeros(_FIRST_SLOTS, np.uint64), np.zeros(_FIRST_SLOTS, np.int64), np.zeros(rule.stand_in.size, np.int64),
        np.empty(int(lengths.max(initial=1)), np.int32), np.zeros(2, np.int64),
    )  # fmt: skip
    baskets = order, indptr, items, weight
    for steps in blocks(_FIRST_BLOCK):
        outcome = thin(steps, baskets, rule, counts, stays)
        if outcome == DONE:
            return stays
        if outcome == ROOM:
            counts = _with_room(counts)
        tell("baskets that matter", counts.state[0] / max(order.size, 1))
    raise AssertionError("blocks end by an exception")


def _with_room(counts: Counts) -> Counts:
    """The same in four times the slots."""
    slots = 4 * counts.key.size
    bigger = counts._replace(key=np.zeros(slots, np.uint64), people=np.zeros(slots, np.int64))
    moved(counts.key, counts.people, bigger.key, bigger.people)
    return bigger
