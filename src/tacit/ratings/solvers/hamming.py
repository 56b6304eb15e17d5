"""The algorithm of the paper (Sun & Wang, section IV.C): maximal Hamming groups, then Algorithm 1 for every issue.

Case 1: everybody who rated the same issues is one group. Case 2: people of a group of fewer than k go to the group
with the nearest rated set, smallest group first. What not all people of a group rated is blanked, or filled.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.encode import distinct_baskets, rarest_first
from tacit.ratings.solvers import _rating_kernels as _kernels
from tacit.ratings.solvers.problem import Cells, Problem


def hamming(problem: Problem) -> Cells:
    """The decision of the literal method: one cell a group. Needs at least k people."""
    group = hamming_groups(problem)
    return group_intervals(problem, group)


def hamming_groups(problem: Problem) -> np.ndarray:
    """The group of every person, each of at least k people; numbered from 0, those of rare rated sets first."""
    found = rarest_first(distinct_baskets(problem.indptr, problem.issues))
    group, size = found.inverse.astype(np.int64), found.weight.copy()
    if size.size and size.min() < problem.k:
        founder = np.full(size.size, problem.people, np.int64)
        np.minimum.at(founder, group, np.arange(problem.people))
        raters_indptr, raters = _raters(found.indptr, found.items, problem.reach.size)
        _kernels.gather_small_groups(problem, group, size, founder, raters_indptr, raters)
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def hamming_steps(problem: Problem, group_sizes: np.ndarray) -> float:
    """At most about how many steps the distribution of small groups takes: whether it can be afforded."""
    small = group_sizes < problem.k
    raters = np.bincount(problem.issues, minlength=1).astype(float)
    moves = float(group_sizes[small].sum()) * group_sizes.size
    return float(raters @ raters) * bool(small.any()) + 2 * moves + float(small.sum()) * problem.people


def group_intervals(problem: Problem, group: np.ndarray) -> Cells:
    """Algorithm 1 for every issue of every group."""
    people = np.bincount(group)
    group_of = np.repeat(group, np.diff(problem.indptr))
    order = np.lexsort((problem.values, problem.issues, group_of))
    key = group_of[order] * np.int64(problem.reach.size) + problem.issues[order]
    starts = np.append(np.flatnonzero(np.diff(key, prepend=-1)), key.size).astype(np.int64)
    of_group, issue = np.divmod(key[starts[:-1]], max(problem.reach.size, 1))
    kept, low, high = _kernels.intervals_of_groups(
        starts, people[of_group], problem.values[order], problem.reach[issue], problem.fill
    )
    indptr = np.zeros(people.size + 1, np.int64)
    np.cumsum(np.bincount(of_group[kept], minlength=people.size), out=indptr[1:])
    return Cells(group.astype(np.int32), indptr, issue[kept].astype(np.int32), low[kept], high[kept])


def _raters(indptr: np.ndarray, issues: np.ndarray, issue_count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each issue the rows that hold it, as (indptr, rows)."""
    starts = np.zeros(issue_count + 1, np.int64)
    np.cumsum(np.bincount(issues, minlength=issue_count), out=starts[1:])
    rows = np.repeat(np.arange(indptr.size - 1, dtype=np.int64), np.diff(indptr))
    return starts, rows[np.argsort(issues, kind="stable")]
