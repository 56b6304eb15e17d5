"""How little any cut and suppression can lose: a lower bound that is proved, and what is met on the way to it.

The choice of kept nodes as a linear program over the whole taxonomy (cuts.py) is solved again and again, each time with
the rows that the last solution violates. Where that leaves a gap and there are not too many nodes, whole choices are
asked for in the same way: what the program's best whole choice violates becomes rows, until it violates none. Where
there are very many nodes, steps towards a solution stand for it (steps.py); the bound is as valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tacit.baskets.solvers._cliques import Forest
from tacit.baskets.solvers.cuts import Cuts
from tacit.baskets.solvers.effort import THOROUGH, Effort, Exhausted, Pace, for_program
from tacit.baskets.solvers.kept import as_anonymization, best_of_single_nodes, mined, published, without_threats
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.problem import Problem

Progress = Callable[[str], None]

_SHORT = 5
_LITTLE = 0.002  # of the bound: a gain that is none
_CLOSE = 1e-4  # of the loss: not worth any more effort
_MOST_THREATS = 2_000  # in a choice that is to be made safe
_WHOLE_CHOICES, _ROUNDS_BETWEEN = 12, 4


def certify(
    problem: Problem,
    k: int,
    m: int | float,
    found: Anonymization,
    progress: Progress | None = None,
    pace: Pace = THOROUGH,
) -> Anonymization:
    """`found`, or something better that came up, with a cost below which no cut and suppression can go."""
    found = replace(found, bound=best_of_single_nodes(problem, k).cost)
    pace = for_program(pace, int(np.count_nonzero(problem.support >= k)), m)
    cuts = Cuts(problem, k, pace)
    if cuts.too_big:
        return found
    longest = int(min(m, pace.longest))
    for x in _below(problem, cuts.forest, found.cut, pace.levels):
        cuts.separate(x, longest)
    stalled = 0
    for turn in range(cuts.rounds):
        if turn and not cuts.separate(x, longest):
            break
        before = found
        x, bound = cuts.solve()
        found = _with(problem, k, m, found, x, bound, pace, progress)
        stalled = 0 if _bound(found) > _bound(before) * (1 + _LITTLE) else stalled + 1
        if _is_close(found) or stalled >= pace.patience:
            break
    if pace.steps and not _is_close(found):
        found = replace(found, bound=min(max(_bound(found), cuts.polished()), found.cost))
    if cuts.columns.size <= pace.branching:
        found = _branched(problem, k, m, cuts, found, longest, progress)
    return found


def _branched(
    problem: Problem, k: int, m: int | float, cuts: Cuts, found: Anonymization, longest: int, progress: Progress | None
) -> Anonymization:
    """The same with whole choices. Between them are a few rounds with parts of nodes, which are quicker.

    No row is dropped, lest a choice comes back.
    """
    for _ in range(_WHOLE_CHOICES):
        if _is_close(found):
            break
        choice, bound = cuts.solve_whole(found.cost)
        if choice is None:
            return replace(found, bound=max(_bound(found), bound))
        found = _with(problem, k, m, found, choice, bound, cuts.pace, progress)
        if not cuts.separate(choice, longest, all_sizes=True):
            break
        for _ in range(_ROUNDS_BETWEEN):
            x, bound = cuts.solve(drop=False)
            found = _with(problem, k, m, found, x, bound, cuts.pace, progress)
            if not cuts.separate(x, longest):
                break
    return found


def _with(
    problem: Problem,
    k: int,
    m: int | float,
    found: Anonymization,
    x: np.ndarray,
    bound: int,
    pace: Pace,
    progress: Progress | None,
) -> Anonymization:
    """`found`, or what x is near to if that is better, with the better of its bound and this one."""
    least = max(_bound(found), bound)
    rounded = _rounded(problem, k, m, x, Effort(pace.mining))
    if rounded is not None and rounded.cost < found.cost:
        found = rounded
    if progress:
        progress(f"loss {found.cost / problem.unit:.2%}, at least {least / problem.unit:.2%}")
    return replace(found, bound=min(least, found.cost))


def _bound(found: Anonymization) -> int:
    return found.bound or 0


def _is_close(found: Anonymization) -> bool:
    return found.cost - _bound(found) <= _CLOSE * found.cost


def _below(problem: Problem, forest: Forest, cut: np.ndarray, levels: int) -> Iterator[np.ndarray]:
    """Choices that keep too much: the usable nodes one, two, three levels below the cut."""
    x = np.zeros(len(problem))
    x[cut] = 1
    has_children = forest.end > np.arange(len(problem)) + 1
    for _ in range(levels):
        goes = np.flatnonzero((x > 0) & has_children)
        x[goes] = 0
        x[np.isin(forest.parent, goes)] = 1
        yield x * forest.usable


def _rounded(problem: Problem, k: int, m: int | float, x: np.ndarray, effort: Effort) -> Anonymization | None:
    """The choice that x is near to, less what threats in it cost; None if that is far from safe."""
    kept = np.flatnonzero(x > 0.5).astype(np.int32)
    baskets = published(problem, kept)
    try:
        for size in (*range(2, int(min(m, _SHORT))), m):
            nodes, ends = mined(*baskets, k, size, effort)
            if ends.size > _MOST_THREATS:
                return None
    except Exhausted:
        return None
    return as_anonymization(problem, without_threats(kept, nodes, ends, problem.tree.suppress))
