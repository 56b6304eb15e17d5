"""The choice of a cut and its suppression as a linear program, over a part of the taxonomy.

Whatever lies below no kept node is suppressed. So a cut with its suppression is a set of kept nodes, no two of them
related and no threat among them, and its cost is everything less the worth (the suppression cost) of the kept nodes.
With x = 1 for a kept node:

- on each path from the root to a leaf the x add up to at most 1;
- for a threat {a, b}: let A and B be chains of nodes upwards from a and b whose tops are still a threat. All of them
  share a basket, so any two of them are related or a threat, and their x add up to at most 1;
- for a threat of more nodes the x add up to at most one less than it has nodes.

Rows for pairs, so lifted along the tree, make the program's optimum a whole one or nearly so; where it is not,
branching does the rest. A program over the whole taxonomy bounds the loss of every cut and suppression from below.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tacit.arrays.grouped import grouped
from tacit.baskets.solvers._bits import in_blocks
from tacit.baskets.solvers._pairs import as_bits, chain_tops, lift, rare_pairs, threat_chains
from tacit.baskets.solvers.problem import Problem

_WHOLE = 1e-6
_LARGEST = 1e5  # in the program; the smaller a worth is beside it, the less the solver cares
_TOLERANCE = 1e-7  # by so much the solver may misjudge what a node is worth in the program
_PAIRS_A_ROW = 50  # if there are more, on average, that a row stands for, its program is not looked at


@dataclass(frozen=True, eq=False)
class Program:
    """Nodes of the problem that may be kept, what they are worth, and rows: (row, column) entries with limits."""

    nodes: np.ndarray  # of the problem, ascending
    worth: np.ndarray
    usable: np.ndarray  # held by k people at least
    entries: tuple[np.ndarray, np.ndarray]
    limits: np.ndarray
    part: Part

    def with_threats(self, nodes: np.ndarray, ends: np.ndarray, k: int) -> Program:
        """The same with rows for threats, given one after the other as nodes of the problem."""
        part = self.part
        here = np.searchsorted(self.nodes, nodes).astype(np.int32)
        chains, sizes = threat_chains(here, ends, part.bits, part.weight, part.parent, part.end, k)
        chain, columns = _climb(chains[:, 1], chains[:, 2], part.parent)
        rows = chains[chain, 0] + self.limits.size
        entries = np.concatenate([self.entries[0], rows]), np.concatenate([self.entries[1], columns])
        return replace(self, entries=entries, limits=np.concatenate([self.limits, sizes - 1.0]))


class Part(NamedTuple):
    """A part of the taxonomy, coded anew in preorder, and who holds its nodes."""

    parent: np.ndarray
    end: np.ndarray
    bits: np.ndarray
    weight: np.ndarray


def program_over(
    problem: Problem, k: int, wanted: np.ndarray, *, pairs: bool = True, most_pairs: int | None = None
) -> Program | None:
    """The program with the paths and the pairs of the wanted nodes, a set that is closed upwards.

    None if it had rows for more than `most_pairs` pairs.
    """
    tree = problem.tree
    nodes = np.flatnonzero(wanted).astype(np.int32)
    code = np.where(wanted, np.cumsum(wanted) - 1, -1).astype(np.int32)
    parent = np.where(tree.parent[nodes] >= 0, code[tree.parent[nodes]], -1).astype(np.int32)
    end = np.searchsorted(nodes, tree.end[nodes]).astype(np.int32)
    usable = problem.support[nodes] >= k

    indptr, lifted = lift(problem.indptr, problem.items, tree.parent, code)
    tid_indptr, tids = grouped(lifted, np.repeat(np.arange(indptr.size - 1), np.diff(indptr)), nodes.size)
    most = np.iinfo(np.int64).max if most_pairs is None else _PAIRS_A_ROW * most_pairs
    first, second = rare_pairs(indptr, lifted, problem.weight, tid_indptr, tids, end, usable, k if pairs else 0, most)
    if first.size > most:
        return None
    keys = np.sort(first.astype(np.int64) * nodes.size + second)
    lowest = _lowest(first, second, keys, parent)
    if most_pairs is not None and lowest.sum() > most_pairs:
        return None
    rows, columns = _paths(parent, end)
    tops = chain_tops(first[lowest], second[lowest], keys, parent)
    pair_rows, pair_columns = _chains(first[lowest][tops[:, 0]], second[lowest][tops[:, 0]], tops[:, 1:], parent)
    n_paths = int(rows.max(initial=-1)) + 1
    limits = np.ones(n_paths + len(tops))
    entries = np.concatenate([rows, pair_rows + n_paths]), np.concatenate([columns, pair_columns])
    part = Part(parent, end, as_bits(indptr, lifted, nodes.size, in_blocks(indptr.size - 1)), problem.weight)
    return Program(nodes, np.where(usable, tree.suppress[nodes], 0), usable, entries, limits, part)


def solve(program: Program, *, branch_nodes: int | None = None) -> tuple[np.ndarray | None, float]:
    """Nodes to keep that satisfy all rows (None if none were found), and how much can be kept at most.

    The program's optimum, if it is a whole one; else branching goes on for so many nodes. What the solver's tolerance
    may have let pass is added to the most.
    """
    from scipy import sparse  # many modules, that only this needs
    from scipy.optimize import Bounds, LinearConstraint, milp

    if not program.nodes.size:
        return program.nodes, 0.0
    matrix = sparse.csr_matrix(
        (np.ones(program.entries[0].size), program.entries), (program.limits.size, program.nodes.size)
    )
    matrix.data[:] = 1  # a node twice in a row counts once
    scale = max(float(program.worth.max(initial=0)), 1.0) / _LARGEST
    slack = _TOLERANCE * program.nodes.size * scale

    def optimum(whole: int):  # type: ignore[no-untyped-def]
        return milp(
            -program.worth / scale,
            constraints=LinearConstraint(matrix, -np.inf, program.limits),
            bounds=Bounds(0, program.usable.astype(float)),
            integrality=whole,
            options={"mip_rel_gap": 0.0} if branch_nodes is None else {"node_limit": branch_nodes},
        )

    relaxed = optimum(0)
    most = -relaxed.fun * scale + slack
    if np.abs(relaxed.x - np.rint(relaxed.x)).max(initial=0) < _WHOLE:
        return program.nodes[relaxed.x > 0.5], most
    if branch_nodes == 0:
        return None, most
    branched = optimum(1)
    most = min(most, -branched.mip_dual_bound * scale + slack)
    return (None if branched.x is None else program.nodes[branched.x > 0.5]), most


def _lowest(first: np.ndarray, second: np.ndarray, keys: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """Which pairs have no rare pair below: the chains of the others are parts of theirs."""
    n = parent.size
    covered = np.zeros(keys.size, bool)
    for one, other in ((parent[first], second), (parent[second], first)):
        above = one >= 0
        low, high = np.minimum(one, other)[above].astype(np.int64), np.maximum(one, other)[above]
        place = np.minimum(np.searchsorted(keys, low * n + high), keys.size - 1)
        covered[place[keys[place] == low * n + high]] = True
    return ~covered[np.searchsorted(keys, first.astype(np.int64) * n + second)]


def _paths(parent: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A row for each node without children: the nodes from it to the root."""
    bottom = np.flatnonzero(end == np.arange(end.size) + 1)
    return _climb(bottom, np.zeros(bottom.size, np.int64), parent)


def _chains(
    first: np.ndarray, second: np.ndarray, tops: np.ndarray, parent: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A row for each pair: the nodes from both up to their tops."""
    one = _climb(first, tops[:, 0], parent)
    other = _climb(second, tops[:, 1], parent)
    return np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]])


def _climb(start: np.ndarray, top: np.ndarray, parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(row, node) of all nodes from start[row] up to top[row]."""
    rows, nodes = [], []
    row, node = np.arange(start.size), start.astype(np.int64)
    while row.size:
        rows.append(row)
        nodes.append(node)
        on = (node != top[row]) & (parent[node] >= 0)
        row, node = row[on], parent[node[on]].astype(np.int64)
    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate(rows), np.concatenate(nodes)
