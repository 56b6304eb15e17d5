"""Clusters for a block of people: groups of k first, then a few rounds in which people move and clusters close."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from tacit.ratings.solvers import _grouping_kernels as _grouping
from tacit.ratings.solvers import _improving_kernels as _improving
from tacit.ratings.solvers import _star_kernels as _stars
from tacit.ratings.solvers._grouping_kernels import Block, Shared
from tacit.ratings.solvers.problem import Problem, rows_at
from tacit.ratings.solvers.settled import Anchors

_ROUNDS = 10
_IMPROVED = 12_000_000
"""Up to so many ratings of all people times k, groups are improved pair by pair."""
_SPLITS = (6, 4, 40)
"""Then there are so many rounds, in which a group is split anew in so many ways with each of so many others."""
_REMEMBERED = 16_000_000
"""Up to so many people times clusters, what it costs at least to join a cluster is remembered."""
THREADS = min(2, os.cpu_count() or 1)


class Task(NamedTuple):
    """People to be placed, and what they may hold on to."""

    problem: Problem
    people: np.ndarray
    anchors: Anchors


class Placed(NamedTuple):
    """Where the people of a block went: cells as in `Cells`, their cost, and the size of clusters that was best."""

    people: np.ndarray
    cell: np.ndarray
    indptr: np.ndarray
    issues: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cost: int
    limit: int


Clusters = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""(indptr, issues, low, high, least, most): see `_stars`."""


def place_block(task: Task, limits: tuple[int, ...] | None) -> Placed | None:
    """The cheapest clusters found for these people; None if they are fewer than k and no anchor can take one in."""
    block, issue_of, fixed = _localised(task)

    def attempt(limit: int, improved: bool = False) -> Placed | None:
        return _Search(block, fixed, task.problem.k, task.problem.fill).run(limit, improved=improved)

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(attempt, limits or _limits(task)))
    best = min((each for each in found if each is not None), key=lambda each: each.cost, default=None)
    if best is None:
        return None
    if best.limit == task.problem.k and task.problem.k * task.problem.issues.size < _IMPROVED:
        best = min(best, attempt(best.limit, improved=True) or best, key=lambda each: each.cost)
    return best._replace(people=task.people, issues=issue_of[best.issues])


def _limits(task: Task) -> tuple[int, ...]:
    k, people = task.problem.k, task.people.size
    return tuple(sorted({min(k * times, max(people, k)) for times in (1, 4, 16)} | {max(people, k)}))


def _localised(task: Task) -> tuple[Block, np.ndarray, Clusters]:
    """The block without the issues that nobody could keep, which issue each one was, and the anchors in its terms."""
    problem, people, held = task
    indptr, at = rows_at(problem.indptr, people)
    issues = problem.issues[at]
    raters = np.bincount(issues, minlength=problem.reach.size)
    needed = max(1, problem.k // 3) if problem.fill else problem.k
    matters = raters >= needed
    matters[held.issues] = True
    number = np.cumsum(matters) - 1
    stays = matters[issues]
    before = np.zeros(stays.size + 1, np.int64)
    np.cumsum(stays, out=before[1:])
    starts, rows = before[indptr], at[stays]
    rows = rows[_rarest_first(starts, raters[problem.issues[rows]])]
    step = np.ones(problem.reach.size, np.int64) if problem.step is None else problem.step
    block = Block(
        starts,
        number[problem.issues[rows]].astype(np.int32),
        problem.values[rows],
        *(each[matters] for each in (problem.reach, problem.null, problem.top, step)),
    )
    reach, null = problem.reach[held.issues], problem.null[held.issues]
    least, most = np.maximum(held.high - reach, 0) - null, held.low + reach - null
    return block, np.flatnonzero(matters), (held.indptr, number[held.issues], held.low, held.high, least, most)


def _rarest_first(indptr: np.ndarray, raters: np.ndarray) -> np.ndarray:
    """An order of ratings in which those of each person come by how many rated the issue, the fewest first.

    A cluster is tried by its rarest issue first, then: that is what most people lack.
    """
    order = np.argsort(np.minimum(raters, 2**16 - 1).astype(np.uint16), kind="stable")
    person = np.repeat(np.arange(indptr.size - 1, dtype=np.uint16), np.diff(indptr))
    return order[np.argsort(person[order], kind="stable")]


class _Search:
    """One attempt on a block; anchors are clusters that are fixed, and numbered after those that are made."""

    def __init__(self, block: Block, fixed: Clusters, k: int, fill: bool) -> None:
        self.block, self.fixed, self.k, self.fill = block, fixed, k, fill
        self.people = block.indptr.size - 1
        zeros = [np.zeros(block.reach.size, np.int64) for _ in range(9)]
        self.shared = Shared(np.full(block.reach.size, -1, np.int32), *zeros[:5])
        self.scratch = (*zeros[5:], np.zeros(self.people, bool))

    def run(self, limit: int, *, improved: bool = False) -> Placed | None:
        """Groups of k that grow up to the limit, then rearranged."""
        group = np.full(self.people, -1, np.int64)
        made = _grouping.group_greedily(self.block, self.k, limit, self.fill, 6 * self.k, self.shared, group)
        first = np.full(made + self.fixed[0].size - 1, -1, np.int64)
        follow = np.full(self.people, -1, np.int64)
        cost = np.zeros(first.size, np.int64)
        _improving.list_members(group, first, follow)
        if made and (improved or group.min() < 0):
            _improving.place_left_over(
                self.block, group, first[:made], follow, cost[:made], self.k, self.fill, self.scratch
            )
        if improved and made > 1:
            _improving.improve(
                self.block, group, first[:made], follow, cost[:made], self.k, self.fill, self.shared,
                self.scratch, *_SPLITS,
            )  # fmt: skip
        return self._rearranged(group, first, follow, cost, made, limit)

    def _rearranged(
        self, group: np.ndarray, first: np.ndarray, follow: np.ndarray, cost: np.ndarray, made: int, limit: int
    ) -> Placed | None:
        """People move and clusters close while that makes the whole cheaper."""
        is_open = np.ones(first.size, bool)
        is_fixed = np.arange(first.size) >= made
        is_changed = ~is_fixed
        is_core = np.zeros(self.people, bool)
        row = np.zeros(self.block.reach.size, np.int64)
        bounds = np.zeros(self.people * first.size if self.people * first.size <= _REMEMBERED else 0, np.int32)
        cost[:made] = _stars.NOWHERE
        clusters = self._room(first.size)
        clusters[0][made:] = self.fixed[0]
        for empty, given in zip(clusters[1:], self.fixed[1:], strict=True):
            empty[: given.size] = given
        for _ in range(_ROUNDS):
            settled, listed = self._room(first.size), (first.copy(), follow.copy())
            _stars.settle_clusters(
                self.block, first, follow, cost, is_open, is_changed, clusters, self.k, self.fill, self.scratch,
                settled, is_core, bounds,
            )  # fmt: skip
            clusters = settled
            if group.min(initial=0) < 0 and not _stars.take_in(
                self.block, group, first, follow, cost, clusters, is_open, is_core, self.fill, row, bounds
            ):
                return None
            state = (self.block, group, first, follow, cost, clusters, is_open, is_fixed, is_core, self.k, self.fill)
            changed = _stars.close_clusters(*state, row, bounds, np.argsort(-cost, kind="stable"))
            changed += _stars.move_others(*state, row, bounds)
            _improving.list_members(group, first, follow)
            if not changed:
                break
            is_changed = first != listed[0]
            is_changed[group[follow != listed[1]]] = True
            is_changed &= ~is_fixed
        return self._placed(group, is_core, clusters, int(cost.sum()), limit)

    def _room(self, clusters: int) -> Clusters:
        room = 3 * self.block.issues.size + self.block.reach.size + self.fixed[1].size
        return (np.zeros(clusters + 1, np.int64), *(np.zeros(room, np.int64) for _ in range(5)))  # type: ignore[return-value]

    def _placed(self, group: np.ndarray, is_core: np.ndarray, clusters: Clusters, cost: int, limit: int) -> Placed:
        """Cells of the clusters in use: 2c for the core of cluster c, 2c + 1 for the people around it."""
        used, cell = np.unique(2 * group + ~is_core, return_inverse=True)
        lengths = np.diff(clusters[0])[used // 2]
        indptr, at = rows_at(clusters[0], used // 2)
        of_cell = np.repeat(np.arange(used.size), lengths)
        at = at[np.lexsort((clusters[1][at], of_cell))]
        issues, low, high = (part[at] for part in clusters[1:4])
        outside = np.repeat(used % 2 == 1, lengths)
        reach, top = self.block.reach[issues], self.block.top[issues]
        wide_low = np.where(outside, np.maximum(high - reach, 0), low)
        wide_high = np.where(outside, np.minimum(low + reach, top), high)
        return Placed(np.empty(0, np.int64), cell, indptr, issues, wide_low, wide_high, cost, limit)
