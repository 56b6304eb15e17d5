"""The choice of kept nodes by swaps: what to do where the linear program is not whole.

A walk of swaps (_swaps.py) finds the choice that is worth most, or nearly, under the rows that are known. If it holds
threats, they become rows, and the walk begins again: from the choice at hand, and from the one with the threats, less
what they cost. When it finds nothing better under the rows, the choice at hand is the outcome.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.grouped import grouped
from tacit.baskets.solvers._bits import in_blocks
from tacit.baskets.solvers._swaps import Incidence, rows_as_bits, swap
from tacit.baskets.solvers.effort import Effort, Exhausted
from tacit.baskets.solvers.kept import shortest_threats, some_threats, without_threats
from tacit.baskets.solvers.problem import Problem
from tacit.baskets.solvers.relaxation import Program

_IDLE_STEPS = 10  # of a walk, without anything better
_MOST_ROWS = 12_000
_THREATS_A_ROUND = 4_000


def improved_by_swaps(
    problem: Problem, k: int, m: int | float, program: Program, kept: np.ndarray, mining: Effort, swapping: Effort
) -> np.ndarray:
    """The kept nodes, a safe choice among the program's, or a safe choice that is worth more."""
    longest = min(m, np.diff(problem.indptr).max(initial=1))
    worth = program.worth.astype(float)
    by_worth = np.argsort(-worth, kind="stable")
    starts = [np.isin(program.nodes, kept)]
    while program.limits.size <= _MOST_ROWS and swapping.left:
        incidence = _incidence(program)
        digits = int(program.limits.max(initial=1)).bit_length()
        rows = rows_as_bits(incidence, worth.size, in_blocks(program.limits.size), digits)
        met = []
        for start in starts:
            better, words = swap(incidence, *rows, worth, by_worth, start, swapping.left, _IDLE_STEPS)
            swapping.spent += words
            met.append(better)
        most = max(met, key=lambda each: worth[each].sum())
        if worth[most].sum() <= worth[starts[0]].sum():
            break
        hopeful = program.nodes[most]
        try:
            nodes, ends, size = shortest_threats(problem, hopeful, k, m, mining)
        except Exhausted:
            break
        if not ends.size:
            starts = [most]
            continue
        repaired = np.isin(program.nodes, without_threats(hopeful, nodes, ends, problem.tree.suppress))
        if size >= longest and worth[repaired].sum() > worth[starts[0]].sum():  # no longer threats to fear
            starts = [repaired]
        else:
            starts = [starts[0], repaired]
        program = program.with_threats(*some_threats(nodes, ends, _THREATS_A_ROUND), k)
    return program.nodes[starts[0]]


def _incidence(program: Program) -> Incidence:
    """The columns of each of the program's rows."""
    rows, columns = program.entries
    row_start, of_rows = grouped(rows.astype(np.int32), columns, program.limits.size)
    return Incidence(row_start, of_rows, program.limits.astype(np.int64))
