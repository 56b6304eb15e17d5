"""`best`: never more loss than HgHs and mHgHs, usually less; the same promise and the same form of release.

HgHs goes down one split at a time and never up again. Here its outcome (or that of mHgHs, if that is better) is the
start; then, again and again, the best set of kept nodes in the neighbourhood of the one at hand, a level or two of the
taxonomy around it, is looked for as a linear program (relaxation.py) and by swaps (swaps.py), until the neighbourhood
has nothing better. How far the outcome is from the least loss there can be is then proved by a bound (bounds.py).

What all this may do is counted in what mHgHs did, so that `best` takes a few times as long.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from tacit.baskets.solvers.effort import THOROUGH, Effort, Exhausted, Pace
from tacit.baskets.solvers.hghs import hghs, mhghs
from tacit.baskets.solvers.kept import as_anonymization, best_of_single_nodes, threats_among
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.nested import nested
from tacit.baskets.solvers.problem import Problem
from tacit.baskets.solvers.relaxation import program_over, solve
from tacit.baskets.solvers.swaps import improved_by_swaps

Progress = Callable[[str], None]

_ROUNDING = 1e-9  # of the whole, for what the solver may err

_LEVELS_BELOW = 2
_MOST_PAIRS = 8_000  # rows for pairs in one program
_MOST_MINING = 4_000_000_000  # baskets looked at times their items, for mHgHs
_MOST_FOUND = 50_000_000, 100  # nodes of all threats that mHgHs finds: so many, and so many for each item of a basket
_LITTLE_MINING = 10_000_000  # baskets looked at that are never too many
_HGHS_MINING = 1.5  # times what mHgHs mined, and so with the other two
_MINING = 1.0
_SWAPPING = 100.0
_FAR = 2  # times: nothing that mHgHs finds was ever improved by as much
_SMALL = 40  # nodes of a problem that can be solved


def best(
    problem: Problem, k: int, m: int | float, progress: Progress | None = None, *, bound: Pace | None = None
) -> Anonymization:
    """The better of `hghs` and `mhghs`, improved as long as a neighbourhood has something better; small problems are
    solved.

    With `bound` it also says below which cost no cut and suppression can go. What comes up on the way to that bound
    and is better is taken.
    """
    found = searched(problem, k, m, progress)
    if bound is None:
        return replace(certified(problem, k, m, found), bound=None) if is_small(problem) else found
    return certified(problem, k, m, found, progress, bound)


def searched(
    problem: Problem, k: int, m: int | float, progress: Progress | None = None, *, at_most: int | None = None
) -> Anonymization:
    """`best` without solving anything: the walks, and then one neighbourhood after the other.

    If mHgHs costs far more than `at_most`, it is left at that. Where baskets are so long that it finds no end, each is
    published within those of k people.
    """
    length = problem.items.size // max(problem.weight.size, 1)
    space = _MOST_FOUND[0] + _MOST_FOUND[1] * problem.items.size
    of_mhghs = Effort(_MOST_MINING // max(length, 1), space=space)
    try:
        found = mhghs(problem, k, m, progress, of_mhghs)
    except Exhausted:
        return nested(problem, k)
    if at_most is not None and found.cost > _FAR * at_most:
        return found
    allowed = of_mhghs.spent + _LITTLE_MINING
    with suppress(Exhausted):
        found = min(
            hghs(problem, k, m, progress, Effort(int(_HGHS_MINING * allowed))), found, key=lambda each: each.cost
        )
    if m <= 1:
        return min(found, best_of_single_nodes(problem, k), key=lambda each: each.cost)
    mining, swapping = Effort(int(_MINING * allowed)), Effort(int(_SWAPPING * allowed))
    levels = 1
    while levels <= _LEVELS_BELOW:
        better = _best_around(problem, k, m, found, levels, mining, swapping)
        if better is None:
            levels += 1
        else:
            found = better
            if progress:
                progress(f"loss {found.cost / problem.unit:.2%}")
    return found


def certified(
    problem: Problem,
    k: int,
    m: int | float,
    found: Anonymization,
    progress: Progress | None = None,
    pace: Pace = THOROUGH,
) -> Anonymization:
    """`found`, or something better that came up, with a bound. Small problems are solved."""
    if m <= 1 or is_small(problem):
        solved = best_of_single_nodes(problem, k) if m <= 1 else optimum(problem, k, m)
        bound = solved.cost if solved.bound is None else solved.bound
        return replace(min(found, solved, key=lambda each: each.cost), bound=min(bound, found.cost))
    if m <= 2:  # pairs say all, and where they are few their program needs no second one
        least = lower_bound(problem, k, m)
        if least is not None:
            return replace(found, bound=min(least, found.cost))
    from tacit.baskets.solvers.bounds import certify  # kernels that only this needs

    return certify(problem, k, m, found, progress, pace)


def is_small(problem: Problem) -> bool:
    return int(np.count_nonzero(problem.occurrences)) <= _SMALL


def optimum(problem: Problem, k: int, m: int | float) -> Anonymization:
    """The least loss that any cut and suppression has: for small problems, since it may take for ever.

    Its bound is less than its cost only where the solver's precision does not reach a unit of cost.
    """
    program = program_over(problem, k, problem.occurrences > 0, pairs=m > 1)
    while program is not None:
        kept, most = solve(program)
        if kept is None:
            break
        nodes, ends = threats_among(problem, kept, k, m)
        if not ends.size:
            found = as_anonymization(problem, kept)
            return replace(found, bound=min(found.cost, _least(problem, most)))
        program = program.with_threats(nodes, ends, k)
    raise AssertionError("keeping nothing satisfies every program, so there is always an optimum")


def lower_bound(problem: Problem, k: int, m: int | float, *, most_pairs: int = _MOST_PAIRS) -> int | None:
    """A cost below which no cut and suppression can go; None where that would take too long to find.

    What k^m-anonymity asks of pairs is all that is used for m > 2, so that the bound is less tight there.
    """
    program = program_over(problem, k, problem.occurrences > 0, pairs=m > 1, most_pairs=most_pairs)
    if program is None:
        return None
    _, most = solve(program, branch_nodes=0)
    return _least(problem, most)


def _least(problem: Problem, most: float) -> int:
    """What a choice costs that is worth so much at most."""
    return max(0, math.ceil(problem.unit * (1 - _ROUNDING) - most))


def _best_around(
    problem: Problem, k: int, m: int | float, found: Anonymization, levels: int, mining: Effort, swapping: Effort
) -> Anonymization | None:
    """The best choice of nodes from those above the cut, in it, and up to some levels below it; None if none is better.

    For pairs the program's optimum is nearly always whole. Else, and for longer threats, swaps find a choice.
    """
    program = program_over(problem, k, _around(problem, found.cut, levels), most_pairs=_MOST_PAIRS)
    if program is None:
        return None
    kept = solve(program, branch_nodes=0)[0] if m <= 2 else None
    if kept is None:
        start = np.setdiff1d(found.cut, found.suppressed).astype(np.int32)
        kept = improved_by_swaps(problem, k, m, program, start, mining, swapping)
    better = as_anonymization(problem, kept)
    return better if better.cost < found.cost else None


def _around(problem: Problem, cut: np.ndarray, levels: int) -> np.ndarray:
    """Nodes above the cut, in it, and some levels below, as far as the data has anything there."""
    parent, wanted = problem.tree.parent, np.zeros(len(problem), bool)
    wanted[cut] = True
    for _ in range(levels):
        wanted |= wanted[parent] & (parent >= 0)
    above = np.zeros(len(problem) + 1, np.int64)
    np.add.at(above, cut, 1)
    count = np.concatenate(([0], np.cumsum(above[:-1])))
    wanted |= count[problem.tree.end] > count[np.arange(len(problem))]
    return wanted & (problem.occurrences > 0)
