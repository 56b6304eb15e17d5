"""The default: clusters of a core and people around it, and people who are safe already left alone.

Everybody of a core of k − 1 is close to the others of the core, and who is outside is close to all of the core. So
everybody has k − 1 close others, clusters may have any size from k up, and people outside a core may lie as far as
two reaches apart. Section numbers and the why are in docs/methods/neighbours.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from tacit.arrays.blocks import side_by_side, tell
from tacit.ratings.recoding import published_ratings
from tacit.ratings.solvers import _rating_kernels as _kernels
from tacit.ratings.solvers.blocks import THREADS, Placed, Task, place_block
from tacit.ratings.solvers.hamming import hamming, hamming_steps
from tacit.ratings.solvers.problem import Cells, Problem, keeps_any, left_alone, places_in
from tacit.ratings.solvers.settled import Alike, alike, anchors, safe_people

_BLOCK = 8_000
"""People who are compared with each other."""
_ANCHORS = 1_000
"""Safe people that a block may be moved to."""
_HAMMING_STEPS = 1_000_000_000.0
"""Beyond so many steps the literal method is not tried for comparison."""
_THOROUGH = 3_000_000
"""Up to so many ratings every block tries all sizes of clusters; beyond, a few blocks try for the others."""


def neighbours(problem: Problem) -> Cells:
    """A decision that keeps the promise, and distorts no more than `hamming` where that can be compared."""
    if problem.k == 1:
        return left_alone(problem)
    same = alike(problem)
    found = _clusters(problem, same)
    literal = affordable_hamming(problem, same)
    return found if literal is None else best_of(problem, [found, literal])


def best_of(problem: Problem, decisions: Sequence[Cells]) -> Cells:
    """The cheapest decision, but rather one that publishes any rating at all; of equals one that keeps most, the first.

    What blanks everything is worth nothing, however little it distorts.
    """
    if len(decisions) == 1:
        return decisions[0]
    costs = [(not keeps_any(problem, cells), distortion(problem, cells)) for cells in decisions]
    cheapest = [cells for cells, cost in zip(decisions, costs, strict=True) if cost == min(costs)]
    return max(cheapest, key=lambda cells: _kept(problem, cells)) if len(cheapest) > 1 else cheapest[0]


def _kept(problem: Problem, cells: Cells) -> int:
    """How many of the ratings that were given a decision publishes, moved or not."""
    keys = [
        np.repeat(np.arange(problem.people), np.diff(indptr)) * problem.reach.size + issues
        for indptr, issues in ((problem.indptr, problem.issues), published_ratings(problem, cells)[:2])
    ]
    return int(np.count_nonzero(places_in(*keys) >= 0))


def affordable_hamming(problem: Problem, same: Alike) -> Cells | None:
    """The decision of the literal method, to be compared with; None if it would take too long."""
    return hamming(problem) if hamming_steps(problem, np.diff(same.starts)) <= _HAMMING_STEPS else None


def distortion(problem: Problem, cells: Cells) -> int:
    """The total distortion of a decision, in units (Definition 6)."""
    return int(distortions(problem, cells).sum())


def distortions(problem: Problem, cells: Cells) -> np.ndarray:
    """The distortion of every person, in units; who is shown as before has none."""
    return _kernels.count_distortion(problem, cells)[0]


def _clusters(problem: Problem, same: Alike) -> Cells:
    moved = np.zeros(problem.people, bool)
    while True:
        is_safe = safe_people(problem, same, moved)
        unsafe = np.flatnonzero(~is_safe)
        if not unsafe.size:
            return left_alone(problem)
        placed = _place_all(problem, same, is_safe, unsafe)
        if placed is not None:
            return _joined(problem, placed)
        moved |= ~is_safe  # too few of them, and nobody to hold on to: some safe people must keep them company
        moved[_company(problem, unsafe, np.flatnonzero(is_safe))] = True


def _place_all(problem: Problem, same: Alike, is_safe: np.ndarray, unsafe: np.ndarray) -> list[Placed] | None:
    """All unsafe people in clusters, block by block; None if they are too few and nobody can take them in."""
    order = _in_order(problem, np.arange(problem.people))
    unsafe = order[~is_safe[order]]
    safe = order[is_safe[order]]
    blocks = np.array_split(unsafe, max(1, min(-(-unsafe.size // _BLOCK), unsafe.size // max(problem.k, 1))))
    tasks = [Task(problem, people, anchors(problem, same, is_safe, _near(order, safe, people))) for people in blocks]
    limits = (_best_limit(tasks),) if problem.issues.size > _THOROUGH else None
    placed = _all_placed(tasks, limits)
    return None if any(each is None for each in placed) else placed  # type: ignore[return-value]


def _all_placed(tasks: list[Task], limits: tuple[int, ...] | None) -> list[Placed | None]:
    """Where the people of each block go: blocks side by side, or the attempts on the only one."""
    if len(tasks) == 1:
        return [place_block(tasks[0], limits, THREADS)]
    placed: list[int] = []

    def place(task: Task) -> Placed | None:
        found = place_block(task, limits, 1)
        placed.append(task.people.size)
        return found

    people = sum(task.people.size for task in tasks)
    return side_by_side([partial(place, task) for task in tasks], lambda: tell("people", sum(placed) / people), THREADS)


def _best_limit(tasks: list[Task]) -> int:
    """The size of clusters that suits three blocks out of all best."""
    chosen = sorted({len(tasks) // 4, len(tasks) // 2, 3 * len(tasks) // 4})
    tried = _all_placed([tasks[at] for at in chosen], None)
    return min(result.limit for result in tried if result is not None)


def _in_order(problem: Problem, people: np.ndarray) -> np.ndarray:
    """The people who rated most first; equals by how they rated the three issues that most people rated."""
    raters = np.bincount(problem.issues, minlength=problem.reach.size)
    lengths = np.diff(problem.indptr)
    keys = []
    for issue in np.argsort(-raters, kind="stable")[:3].tolist():
        rating = np.full(problem.people, -1, np.int64)
        at = np.flatnonzero(problem.issues == issue)
        rating[np.searchsorted(problem.indptr, at, side="right") - 1] = problem.values[at]
        keys.append(-rating)
    return people[np.lexsort((people, *reversed(keys), -lengths[people]))]


def _near(order: np.ndarray, safe: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Safe people in the same part of the order, evenly chosen if they are too many."""
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    first, last = np.searchsorted(rank[safe], (rank[people[0]], rank[people[-1]]))
    spare = max(0, _ANCHORS - (last - first)) // 2
    chosen = safe[max(0, first - spare) : last + spare]
    return chosen[:: max(1, -(-chosen.size // _ANCHORS))]


def _company(problem: Problem, unsafe: np.ndarray, safe: np.ndarray) -> np.ndarray:
    """The k safe people who have most rated issues in common with the first of the unsafe ones."""
    wanted = np.zeros(problem.reach.size, bool)
    wanted[problem.issues[problem.indptr[unsafe[0]] : problem.indptr[unsafe[0] + 1]]] = True
    before = np.zeros(problem.issues.size + 1, np.int64)
    np.cumsum(wanted[problem.issues], out=before[1:])
    common = (before[problem.indptr[1:]] - before[problem.indptr[:-1]])[safe]
    rated = np.diff(problem.indptr)[safe]
    return safe[np.lexsort((safe, rated - 2 * common))[: problem.k]]


def _joined(problem: Problem, placed: list[Placed]) -> Cells:
    """The cells of all blocks as one decision."""
    cell = np.full(problem.people, -1, np.int32)
    indptr, issues, low, high = [np.zeros(1, np.int64)], [], [], []
    cells = ratings = 0
    for block in placed:
        cell[block.people] = block.cell + cells
        cells += block.indptr.size - 1
        indptr.append(block.indptr[1:] + ratings)
        ratings += block.indptr[-1]
        issues.append(block.issues)
        low.append(block.low)
        high.append(block.high)
    return Cells(
        cell,
        np.concatenate(indptr),
        np.concatenate(issues).astype(np.int32),
        np.concatenate(low),
        np.concatenate(high),
    )
