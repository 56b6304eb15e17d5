"""Records cut in two, again and again: a tree of parts, each of which may be a cluster.

Every cut is the one after which the values of both sides together lose least. Any choice of parts that do not overlap
and leave nobody out is a partition into clusters, from one for all to the smallest ones: what merging clusters goes
through, from the other end, and in time that is nearly proportional to the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.attributes import losses, spans
from tacit.arrays.blocks import blocks
from tacit.records.solvers._cutting_kernels import DEPTH, LEFT, START, STOP, Desk, cut_in_two
from tacit.records.solvers.bounds import made_sure
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.guarded import Scale, scale_of, ways_of
from tacit.records.solvers.likeness import with_likeness
from tacit.records.solvers.mending import TOO_SURE, states
from tacit.records.solvers.mondrian import mondrian
from tacit.records.solvers.problem import RecordProblem
from tacit.records.solvers.rum import RUM

_MOST_COMPARED = 20_000_000
"""Up to so many groups times those to be merged, groups are merged with the nearest ones."""
Cuts = tuple[np.ndarray, np.ndarray]
"""Parts, as the kernel has them, and the records in their order."""


@dataclass(frozen=True, eq=False)
class CutTree:
    """Parts of records. Those of depth 0 are cut apart first; the sides of part p are left[p] and the next one."""

    records: np.ndarray  # int32: part p has records[start[p]:stop[p]]
    start: np.ndarray  # int64, by part
    stop: np.ndarray
    left: np.ndarray  # −1 if it was not cut
    depth: np.ndarray

    def __len__(self) -> int:
        return self.start.size

    @property
    def sizes(self) -> np.ndarray:
        return self.stop - self.start

    def pieces(self) -> list[np.ndarray]:
        """The records of all parts, in no order."""
        return [self.records[start:stop] for start, stop in zip(self.start.tolist(), self.stop.tolist(), strict=True)]

    def of(self, part: int) -> np.ndarray:
        """The records of a part, ascending."""
        return np.sort(self.records[self.start[part] : self.stop[part]])


def by_items_or_none(problem: RecordProblem) -> list[np.ndarray]:
    """The records with public items, and those without: whatever cluster these are in, their baskets lose nothing, so
    they need no large ones. All in one where either are too few."""
    filled = np.diff(problem.indptr) > 0
    some = [rows for rows in (np.flatnonzero(filled), np.flatnonzero(~filled)) if rows.size]
    people = [rows.size if problem.persons is None else np.unique(problem.persons[rows]).size for rows in some]
    return some if min(people, default=0) >= problem.promise.k else [np.arange(len(problem))]


def tree_of_records(problem: RecordProblem, pieces: Sequence[np.ndarray], least: int) -> CutTree:
    """The parts of all records, piece by piece, none with fewer than the least."""
    return _side_by_side([_cut_records(problem, rows, least) for rows in pieces])


def tree_of_groups(problem: RecordProblem, pieces: Sequence[np.ndarray], seed: int) -> CutTree:
    """The same with small groups at its ends, which lose less than cuts can make them lose: they are made first, and
    stay together."""
    return _side_by_side([_cut_groups(problem, rows, seed) for rows in pieces])


def tree_by_baskets(problem: RecordProblem, pieces: Sequence[np.ndarray], share: float, least: int) -> CutTree:
    """The same, none with fewer than the least, where what baskets have in common has that share in every cut."""
    return _side_by_side([_cut_by_baskets(problem, rows, share, least) for rows in pieces])


def _cut_by_baskets(problem: RecordProblem, rows: np.ndarray, share: float, least: int) -> Cuts:
    parts, order = _cut_records(with_likeness(problem.at(rows), share), np.arange(rows.size), least)
    return parts, rows[order]


def _cut_records(problem: RecordProblem, rows: np.ndarray, least: int) -> Cuts:
    scales = [scale_of(attribute) for attribute in problem.attributes]
    place = np.stack([scale[0][each.codes[rows]] for scale, each in zip(scales, problem.attributes, strict=True)])
    parts, order = _cut(problem, scales, place, least)
    return parts, rows[order]


def _cut_groups(problem: RecordProblem, rows: np.ndarray, seed: int) -> Cuts:
    """Groups are cut as if each were one record, in the middle of its values."""
    some = problem.at(rows)
    attributes = some.attributes
    group = mondrian(attributes, problem.promise.k, persons=some.persons, seed=seed)
    if problem.bound > 1 and problem.persons is None:
        group = _made_sure(some, group)
    scales = [scale_of(attribute) for attribute in attributes]
    behind = np.concatenate(([0], np.cumsum(np.bincount(group))))
    middle = (behind[:-1] + behind[1:] - 1) // 2
    places = (scale[0][each.codes] for scale, each in zip(scales, attributes, strict=True))
    place = np.stack([here[np.lexsort((here, group))][middle] for here in places])
    parts, order = _cut(problem, scales, place, 1)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size, dtype=order.dtype)
    stops = np.concatenate(([0], np.cumsum(np.diff(behind)[order])))
    parts[:, [START, STOP]] = stops[parts[:, [START, STOP]]]
    return parts, rows[np.argsort(rank[group], kind="stable")]


def _made_sure(problem: RecordProblem, group: np.ndarray) -> np.ndarray:
    """Groups merged until no sensitive item is in more than 1/ℓ of one, unless there are too many of them."""
    clusters = Clusters(problem, group, RUM["ncp"])
    wrong = np.count_nonzero(states(clusters, clusters.alive) == TOO_SURE)
    if wrong * len(clusters) > _MOST_COMPARED:
        return group
    made_sure(clusters)
    found = np.empty_like(group)
    for index, cluster in enumerate(clusters.in_order()):
        found[clusters.rows(cluster)] = index
    return found


def _cut(problem: RecordProblem, scales: Sequence[Scale], place: np.ndarray, least: int) -> Cuts:
    """The parts of what has these places (attributes × things), none with fewer than the least, and all in order."""
    n, most = place.shape[1], max(len(attribute.texts) for attribute in problem.attributes)
    order = np.stack([np.argsort(here, kind="stable") for here in place]).astype(np.int32)
    values, counts = np.zeros((2, most), np.int64)
    desk = Desk(np.zeros(n, bool), np.zeros(n, np.int32), values, counts, np.zeros(most, bool))
    parts, at = np.zeros((2 * (n // least) + 2, 4), np.int64), np.array([0, 1])
    parts[0] = 0, n, -1, 0
    ways = ways_of(problem.attributes, scales)._replace(weight=problem.weights)
    for steps in blocks():
        cut_in_two(steps, at, ways, place, order, least, parts, desk)
        if at[0] == at[1]:
            break
    return parts[: at[1]], order[0]


def _side_by_side(some: Sequence[Cuts]) -> CutTree:
    """The trees of several pieces as one, their first parts before all others."""
    count, place = len(some), 0
    first, others = [], []
    for parts, rows in some:
        moved = parts.copy()
        moved[:, [START, STOP]] += place
        moved[moved[:, LEFT] >= 0, LEFT] += count - 1  # the first part stands elsewhere
        first.append(moved[:1])
        others.append(moved[1:])
        count, place = count + len(parts) - 1, place + rows.size
    parts = np.concatenate([*first, *others])
    records = np.concatenate([rows for _, rows in some]).astype(np.int32)
    return CutTree(records, *np.ascontiguousarray(parts[:, [START, STOP, LEFT, DEPTH]].T))


def value_losses(problem: RecordProblem, tree: CutTree) -> np.ndarray:
    """What the values of each part lose as they would be published, summed over its records."""
    lost = np.zeros(len(tree))
    for depth in range(int(tree.depth.max(initial=-1)) + 1):
        here = np.flatnonzero(tree.depth == depth)
        pieces = [tree.records[tree.start[part] : tree.stop[part]] for part in here.tolist()]
        lost[here] = losses_together(problem, pieces)
    return lost


def losses_together(problem: RecordProblem, pieces: Sequence[np.ndarray]) -> np.ndarray:
    """What the values of records lose that are published alike piece by piece, summed over the records of each."""
    sizes, rows = np.array([piece.size for piece in pieces]), np.concatenate(pieces)
    group = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
    lost = np.zeros(sizes.size)
    for attribute, weight in zip(problem.attributes, problem.weights.tolist(), strict=True):
        some = attribute.at(rows)
        lost += weight * losses(some, spans(some, group, sizes.size)) * sizes
    return lost
