"""Clusters for a block of people: groups of k first, then a few rounds in which people move and clusters close."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import side_by_side, tell
from tacit.ratings.solvers import _grouping_kernels as _grouping
from tacit.ratings.solvers import _improving_kernels as _improving
from tacit.ratings.solvers import _star_kernels as _stars
from tacit.ratings.solvers._core_kernels import room_to_settle
from tacit.ratings.solvers._grouping_kernels import Block
from tacit.ratings.solvers._improving_kernels import Groups
from tacit.ratings.solvers._star_kernels import Clusters, State
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


def place_block(task: Task, limits: tuple[int, ...] | None, threads: int) -> Placed | None:
    """The cheapest clusters found for these people; None if they are fewer than k and no anchor can take one in."""
    block, issue_of, fixed = _localised(task)
    k, fill = task.problem.k, task.problem.fill
    searches = [_Search(block, fixed, k, fill, limit) for limit in limits or _limits(task)]
    attempts = [search.run for search in searches]
    found = side_by_side(
        attempts, lambda: tell("groups", sum(each.share for each in searches) / len(searches)), threads
    )
    best = min((each for each in found if each is not None), key=lambda each: each.cost, default=None)
    if best is None:
        return None
    if best.limit == k and k * task.problem.issues.size < _IMPROVED:
        better = next(each for each in searches if each.limit == k).run(improved=True)
        best = min(best, better or best, key=lambda each: each.cost)
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
    code = np.cumsum(matters) - 1
    stays = matters[issues]
    before = np.zeros(stays.size + 1, np.int64)
    np.cumsum(stays, out=before[1:])
    starts, rows = before[indptr], at[stays]
    rows = rows[_rarest_first(starts, raters[problem.issues[rows]])]
    step = np.ones(problem.reach.size, np.int64) if problem.step is None else problem.step
    block = Block(
        starts,
        code[problem.issues[rows]].astype(np.int32),
        problem.values[rows].astype(np.int64, copy=False),
        *(each[matters] for each in (problem.reach, problem.null, problem.top, step)),
    )
    reach, null = problem.reach[held.issues], problem.null[held.issues]
    outside = _stars.outside_core(held.low, held.high, reach, null)
    return block, np.flatnonzero(matters), (held.indptr, code[held.issues], held.low, held.high, *outside)


def _rarest_first(indptr: np.ndarray, raters: np.ndarray) -> np.ndarray:
    """An order of ratings in which those of each person come by how many rated the issue, the fewest first.

    A cluster is tried by its rarest issue first, then: that is what most people lack.
    """
    order = np.argsort(np.minimum(raters, 2**16 - 1).astype(np.uint16), kind="stable")
    person = np.repeat(np.arange(indptr.size - 1, dtype=np.uint16), np.diff(indptr))
    return order[np.argsort(person[order], kind="stable")]


class _Search:
    """One attempt on a block; anchors are clusters that are fixed, and numbered after those that are made."""

    def __init__(self, block: Block, fixed: Clusters, k: int, fill: bool, limit: int) -> None:
        self.block, self.fixed, self.k, self.fill, self.limit = block, fixed, k, fill, limit
        self.share = 0.0  # of the people who were put into groups
        self.grouped: tuple[np.ndarray, int] | None = None  # the group of each person at first, and how many there are

    def run(self, *, improved: bool = False) -> Placed | None:
        """Groups of k that grow up to the limit, then rearranged."""
        self.room = room_to_settle(self.block, self.fill)
        if self.grouped is None:
            begun = np.full(self.block.people, -1, np.int64)
            made = _grouping.group_greedily(self.block, self.k, self.limit, self.fill, 6 * self.k, begun, self._told)
            self.grouped = begun, made
        group, made = self.grouped[0].copy(), self.grouped[1]
        first = np.full(made + self.fixed[0].size - 1, -1, np.int64)
        groups = Groups(group, first, np.full(self.block.people, -1, np.int64), np.zeros(first.size, np.int64))
        only_made = groups._replace(first=first[:made], cost=groups.cost[:made])
        _improving.list_members(groups)
        if made and (improved or group.min() < 0):
            _improving.place_left_over(self.block, only_made, self.k, self.fill, self.room)
        if improved and made > 1:
            _improving.improve(self.block, only_made, self.k, self.fill, self.room, *_SPLITS)
        return self._rearranged(groups, made)

    def _told(self, share: float) -> None:
        self.share = share
        tell("groups", share)

    def _rearranged(self, groups: Groups, made: int) -> Placed | None:
        """People move and clusters close while that makes the whole cheaper."""
        state = self._begun(groups, made)
        is_changed = ~state.is_fixed
        clusters: Clusters = (np.append(np.zeros(made, np.int64), self.fixed[0]), *self.fixed[1:])
        for turn in range(_ROUNDS):
            tell("clusters", turn / _ROUNDS)
            listed = (groups.first.copy(), groups.follow.copy())
            clusters = _stars.settle_clusters(state, is_changed, clusters, self.k, self.fill, self.room)
            if groups.of.min(initial=0) < 0 and not _stars.take_in(state, clusters, self.fill):
                return None
            changed = _stars.close_clusters(state, clusters, self.fill, np.argsort(-groups.cost, kind="stable"))
            changed += _stars.move_others(state, clusters, self.k, self.fill)
            _improving.list_members(groups)
            if not changed:
                break
            is_changed = groups.first != listed[0]
            is_changed[groups.of[groups.follow != listed[1]]] = True
            is_changed &= ~state.is_fixed
        return self._placed(groups, state.is_core, clusters)

    def _begun(self, groups: Groups, made: int) -> State:
        """All clusters open, and those that were made without a cost: whatever they become is cheaper."""
        groups.cost[:made] = _stars.NOWHERE
        clusters, people = groups.first.size, self.block.people
        remembered = people * clusters if people * clusters <= _REMEMBERED else 0
        return State(
            self.block, groups, np.ones(clusters, bool), np.arange(clusters) >= made, np.zeros(people, bool),
            np.zeros(self.block.reach.size, np.int64), np.zeros(remembered, np.int32),
        )  # fmt: skip

    def _placed(self, groups: Groups, is_core: np.ndarray, clusters: Clusters) -> Placed:
        """Cells of the clusters in use: 2c for the core of cluster c, 2c + 1 for the people around it."""
        used, cell = np.unique(2 * groups.of + ~is_core, return_inverse=True)
        lengths = np.diff(clusters[0])[used // 2]
        indptr, at = rows_at(clusters[0], used // 2)
        of_cell = np.repeat(np.arange(used.size), lengths)
        at = at[np.lexsort((clusters[1][at], of_cell))]
        issues, low, high = (part[at] for part in clusters[1:4])
        outside = np.repeat(used % 2 == 1, lengths)
        reach, top = self.block.reach[issues], self.block.top[issues]
        wide_low = np.where(outside, np.maximum(high - reach, 0), low)
        wide_high = np.where(outside, np.minimum(low + reach, top), high)
        nobody, cost = np.empty(0, np.int64), int(groups.cost.sum())
        return Placed(nobody, cell, indptr, issues, wide_low, wide_high, cost, self.limit)
