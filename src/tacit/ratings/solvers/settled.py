"""People who need no change, and what others can hold on to among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.encode import distinct_baskets
from tacit.ratings.solvers import _settled_kernels as _settled
from tacit.ratings.solvers.problem import Problem

_EXACT = 20_000
"""Up to so many people with the same rated set are compared with each other; more are looked up in cells."""
_WINDOW = 2_000


class Alike(NamedTuple):
    """People sorted by their rated set, then by their ratings; set s has people[starts[s]:starts[s + 1]]."""

    people: np.ndarray
    starts: np.ndarray
    set_of: np.ndarray


class Anchors(NamedTuple):
    """Ranges of ratings of k − 1 people who stay as they are: clusters that cost nothing. As CSR over issues."""

    indptr: np.ndarray
    issues: np.ndarray
    low: np.ndarray
    high: np.ndarray


def alike(problem: Problem) -> Alike:
    """Who rated the same issues."""
    found = distinct_baskets(problem.indptr, problem.issues)
    set_of = found.inverse.astype(np.int64)
    lengths = np.diff(problem.indptr)
    sums = np.zeros(problem.people, np.int64)
    crowded = (found.weight >= 2)[set_of] & (lengths > 0)
    if crowded.any():  # an order in which close people are near each other: by their first rating, then the sum
        rows = np.flatnonzero(crowded)
        before = np.zeros(problem.values.size + 1, np.int64)
        np.cumsum(problem.values, out=before[1:])
        sums[rows] = before[problem.indptr[rows + 1]] - before[problem.indptr[rows]]
    people = np.lexsort((sums, set_of))
    starts = np.zeros(found.weight.size + 1, np.int64)
    np.cumsum(found.weight, out=starts[1:])
    return Alike(people, starts, set_of)


def safe_people(problem: Problem, same: Alike, moved: np.ndarray) -> np.ndarray:
    """Who has k − 1 close others that are safe too; who is `moved` is not. Nobody of them needs any change."""
    is_safe = ~moved
    size = np.diff(same.starts)
    is_safe &= (size >= problem.k)[same.set_of]
    for alike_set in np.flatnonzero((size >= problem.k) & (size > _EXACT)):
        _keep_in_full_cells(problem, same.people[same.starts[alike_set] : same.starts[alike_set + 1]], is_safe)
    compared = (size >= problem.k) & (size <= _EXACT)
    people = same.people[np.repeat(compared, size)]
    starts = np.append(0, np.cumsum(size[compared]))
    still_safe = is_safe[people]
    _settled.keep_crowded(_rows_of(problem, people), starts, problem.k, still_safe)
    is_safe[people] = still_safe
    return is_safe


def anchors(problem: Problem, same: Alike, is_safe: np.ndarray, wanted: np.ndarray) -> Anchors:
    """What people may be moved to: each of the `wanted` safe people with the k − 2 nearest safe ones."""
    if not wanted.size:
        none = np.empty(0, np.int64)
        return Anchors(np.zeros(1, np.int64), problem.issues[:0], none, none.copy())
    windows, near = _windows(problem, same, wanted)
    lengths = np.diff(problem.indptr)[wanted]
    indptr = np.zeros(wanted.size + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    low, high = np.zeros(indptr[-1], np.int64), np.zeros(indptr[-1], np.int64)
    found = _settled.find_anchors(_rows_of(problem, near), windows, problem.k, is_safe[near], indptr, low, high)
    source = np.arange(indptr[-1]) + np.repeat(problem.indptr[wanted] - indptr[:-1], lengths)
    issues = problem.issues[source]
    stays = np.repeat(found, lengths)
    kept = np.zeros(int(found.sum()) + 1, np.int64)
    np.cumsum(lengths[found], out=kept[1:])
    return Anchors(kept, issues[stays], low[stays], high[stays])


def _windows(problem: Problem, same: Alike, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whom each of the wanted people is compared with, as (from, up to, own) places in the people returned, too."""
    position = np.empty(problem.people, np.int64)
    position[same.people] = np.arange(problem.people)
    own, reach = position[wanted], _WINDOW if problem.k > 2 else 0  # with k = 2 nobody else is needed
    begin = np.maximum(same.starts[same.set_of[wanted]], own - reach)
    end = np.minimum(same.starts[same.set_of[wanted] + 1], own + reach + 1)
    depth = np.zeros(problem.people + 1, np.int64)
    np.add.at(depth, begin, 1)
    np.add.at(depth, end, -1)
    is_needed = np.cumsum(depth[:-1]) > 0
    place = np.append(0, np.cumsum(is_needed))
    return place[np.column_stack((begin, end, own))], same.people[is_needed]


def _rows_of(problem: Problem, people: np.ndarray) -> _settled.Rows:
    return _settled.rows_of(problem.indptr, problem.issues, problem.values, problem.reach, people)


def _keep_in_full_cells(problem: Problem, people: np.ndarray, is_safe: np.ndarray) -> None:
    """Of very many people alike, leaves safe those who share a cell, one reach wide in every issue, with k − 1 others.

    That is enough to be safe, and not needed: who is taken for unsafe costs a little distortion, no more.
    """
    people = people[is_safe[people]]
    span = problem.indptr[people[0] + 1] - problem.indptr[people[0]] if people.size else 0
    ratings = problem.values[problem.indptr[people][:, None] + np.arange(span)].astype(np.int64)
    width = problem.reach[problem.issues[problem.indptr[people[0]] : problem.indptr[people[0]] + span]] + 1
    mixers = np.random.default_rng(0).integers(1, 2**63 - 1, span) | 1
    crowded = np.zeros(people.size, bool)
    for shift in range(min(int(width.max(initial=1)), 4)):
        cell = (((ratings + shift) // width) * mixers).sum(axis=1)  # overflows on purpose: a hash
        _, which, size = np.unique(cell, return_inverse=True, return_counts=True)
        crowded |= (size >= problem.k)[which]
    is_safe[people[~crowded]] = False
