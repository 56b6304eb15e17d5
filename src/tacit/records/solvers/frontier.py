"""The whole frontier of loss in values against loss in items, in one run; and its balanced point.

Records are cut in two, again and again (`cutting`); the items of every part are generalized as those of a cluster would
be; and of all partitions that the trees have, the best ones for each weight of items against values are the frontier
(`pruning`). docs/methods/rum-bound.md says how the balanced point is weighed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tacit.arrays.blocks import tell
from tacit.arrays.sparse import as_sets
from tacit.records.measures.ul import ul_of_records
from tacit.records.solvers.bounds import made_sure
from tacit.records.solvers.clusters import Clusters
from tacit.records.solvers.cutting import (
    CutTree,
    by_items_or_none,
    losses_together,
    tree_by_baskets,
    tree_of_groups,
    tree_of_records,
    value_losses,
)
from tacit.records.solvers.mending import TOO_SURE, states
from tacit.records.solvers.moving import moved
from tacit.records.solvers.parts import BySets, Parts
from tacit.records.solvers.persons import fits_persons, merge_for_persons
from tacit.records.solvers.problem import (
    PublishedItems,
    RecordAnonymization,
    RecordProblem,
    rows_by_group,
    what_becomes,
)
from tacit.records.solvers.pruning import LossTree, Partition, undominated
from tacit.records.solvers.rum import RUM

Progress = Callable[[str], None]

_SMALL = 100
"""The tree with groups made first has clusters of up to so many times k: in larger ones they make no difference."""
_BY_BASKETS = 0.8
"""What baskets have in common has such a share in the cuts of a further tree: its clusters lose less in items."""
_COARSE = 16
"""No cluster of it is a smaller share of all records: in small ones values decide."""
_FEW_PARTS = 4
"""Nor of a tree that is cut by one attribute alone than this."""
_APART, _SHARES = 8, (0.0, 0.1, 0.3)
"""Near the end of the curve such shares of all records stay apart, of a point with at least so many clusters; and the
one cluster of the finest of these points that is best apart."""
_FEW_SMALL = 2_000
"""More parts of fewer than 2k records than these count as if all of their items were suppressed: hardly any node of a
hierarchy is held by k of them."""
_ROUNDING = 1e-9
_EXTREME = 1e-3
"""The least share that values, and items, have in what records are moved by."""
_WIDE = 0.06
"""Neighbours on the curve that are further apart in loss of values get points between them."""


class Frontier(NamedTuple):
    """The curve, from the least loss in values to the least in items, and the point of it that is published."""

    points: list[Partition]
    chosen: int
    decided: RecordAnonymization


def balanced(
    problem: RecordProblem, parts: Parts, balance: float, seed: int, progress: Progress | None = None
) -> Frontier:
    """The point with the least (1 − balance) · NCP of the values + balance · NCP of the items."""
    trees = _trees(problem, parts, seed)
    every = reduce(lambda behind, tree: tree.or_else(behind), reversed(trees))
    points = undominated([
        *(point for tree in dict.fromkeys((every, *trees)) for point in tree.frontier()),
        *(point for tree in (*trees, *_of_all(problem, parts)) for point in tree.coarse(len(problem) // _COARSE)),
    ])  # fmt: skip
    points = undominated([
        *points, *between_the_wide(problem, parts, points), *beside_the_last(problem, parts, points)
    ])  # fmt: skip
    if 0 < balance < 1:
        weight = balance / (1 - balance)
        points = undominated([*points, every.best(weight)])
        chosen = min(range(len(points)), key=lambda i: points[i].values + weight * points[i].items)
    else:
        chosen = 0 if balance == 0 else len(points) - 1
    before, share = points[chosen], min(max(balance, _EXTREME), 1 - _EXTREME)

    def weighed(each: Partition) -> float:
        return (1 - share) * each.values + share * each.items

    clusters = _told_apart(problem, before.groups(len(problem)))
    group = moved(problem, parts, clusters.groups(), share, seed)
    has_moved = not np.array_equal(group, clusters.groups())
    decided, point = _published(_told_apart(problem, group) if has_moved else clusters, parts, before, progress)
    if has_moved and weighed(point) >= weighed(before):  # clusters that are alike after the moves are merged, and lose
        unmoved = _published(clusters, parts, before, progress)
        decided, point = min((unmoved, (decided, point)), key=lambda each: weighed(each[1]))
    gained = weighed(before) - weighed(point)
    others = [each for each in points if each is not before or gained > 0]
    told = undominated([*others, point])
    if point not in told:  # clusters that had to be merged lose more than others on the curve
        told, point = points, before
    return Frontier(told, told.index(point), decided)


def _published(
    clusters: Clusters, parts: Parts, before: Partition, progress: Progress | None
) -> tuple[RecordAnonymization, Partition]:
    """What clusters come to, and the point of the curve that they are then."""
    problem, decided = clusters.problem, _decided(clusters, parts, progress)
    values, items = value_loss(problem, decided.group), item_loss_of(problem, parts, decided)
    return decided, replace(before, values=values, items=items, published=int(decided.group.max(initial=-1)) + 1)


def _trees(problem: RecordProblem, parts: Parts, seed: int) -> list[LossTree]:
    """All records in parts, in several ways."""
    k, n = problem.promise.k, len(problem)
    pieces = _pieces(problem)
    few = max(k, -(-n // _COARSE))
    trees = [
        (tree_of_records(problem, pieces, 2 * k if parts.how.by_tree else k), n),
        (tree_of_groups(problem, pieces, seed), _SMALL * k),
        (tree_by_baskets(problem, pieces, _BY_BASKETS, few), n),
    ]
    return [LossTree.of(tree, *losses_of_parts(problem, tree, parts, largest)) for tree, largest in trees]


def _of_all(problem: RecordProblem, parts: Parts) -> list[LossTree]:
    """Trees of a few large parts, cut by all attributes or by one alone; those without items are among the others, for
    too few of them for several clusters of their own lose much in values."""
    n, attributes = len(problem), problem.attributes
    if not parts.is_thorough:
        return []
    least = max(problem.promise.k, n // _COARSE)
    some = [(problem, least)] if len(_pieces(problem)) > 1 else []
    if len(attributes) > 1:
        some += [(replace(problem, attributes=(each,)), max(least, n // _FEW_PARTS)) for each in attributes]
    trees = [tree_of_records(each, [np.arange(n)], smallest) for each, smallest in some]
    return [LossTree.of(tree, *losses_of_parts(problem, tree, parts, n)) for tree in trees]


def _pieces(problem: RecordProblem) -> list[np.ndarray]:
    """The records that are cut apart first: those without public items, if they can be clusters by themselves. Whoever
    has sensitive items alone is among them, and may be too many there."""
    pieces = by_items_or_none(problem)
    rows, sizes = np.concatenate(pieces), np.array([piece.size for piece in pieces])
    ends, none = np.cumsum(sizes), np.full(sizes.size, -1)
    whole = CutTree(rows.astype(np.int32), ends - sizes, ends, none, np.zeros(sizes.size, np.int64))
    return pieces if _can_be_clusters(problem, whole).all() else [np.arange(len(problem))]


def losses_of_parts(problem: RecordProblem, tree: CutTree, parts: Parts, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """What the values, and the items, of each part lose as a cluster, as shares of the loss of the data; values
    infinitely much if it cannot be one, or has more records than the largest that shall be one."""
    values, items = value_losses(problem, tree), np.full(len(tree), -1.0)
    is_large = (tree.left >= 0) & (tree.sizes > largest)
    cannot = is_large | ~_can_be_clusters(problem, tree)
    values[cannot] = np.inf
    if isinstance(parts.how, BySets) and parts.how.at_once and not parts.asks_more:
        items = parts.how.losses_at_once(tree.pieces())
        items[parts.is_large(tree.sizes)] = -1.0
    items[cannot] = 0.0
    if parts.how.by_tree:
        small = np.flatnonzero((items < 0) & (tree.sizes < 2 * problem.promise.k))
        if small.size > _FEW_SMALL:
            lengths = np.diff(problem.indptr)
            items[small] = [lengths[tree.of(part)].sum() for part in small.tolist()]
    left = np.flatnonzero(items < 0)
    for done, part in enumerate(left.tolist()):
        rows = tree.of(part)
        items[part] = item_loss(parts, rows)
        tell("items of parts", (done + 1) / left.size)
    return values / max(len(problem), 1), items / max(problem.items.size, 1)


def item_loss(parts: Parts, rows: np.ndarray) -> float:
    """NCP of the items of some records as a cluster, summed over occurrences: (leaves − 1) ÷ (all leaves − 1), 1 if
    suppressed."""
    items, becomes, (_, held) = parts.hidden(rows)
    return float(parts.lost(becomes)[held].sum()) if items.size else 0.0


def item_losses(problem: RecordProblem, parts: Parts, made: RecordAnonymization) -> float:
    """The same of all clusters of a decision."""
    shown = what_becomes(problem, made.group, made.published)
    whose = np.repeat(made.group.astype(np.int64), np.diff(problem.indptr))
    sizes = _sizes(parts, made.published, whose, shown)
    return float(np.where(shown < 0, 1.0, (sizes - 1) / max(parts.how.everything - 1, 1)).sum())


def item_loss_of(problem: RecordProblem, parts: Parts, made: RecordAnonymization) -> float:
    """The same as a share of all occurrences: NCP of the items."""
    return item_losses(problem, parts, made) / max(problem.items.size, 1)


def value_loss(problem: RecordProblem, group: np.ndarray) -> float:
    """NCP of the values."""
    return float(losses_together(problem, rows_by_group(group, int(group.max()) + 1)).sum()) / len(problem)


def _sizes(parts: Parts, published: PublishedItems, cluster: np.ndarray, label: np.ndarray) -> np.ndarray:
    """How many items labels of some clusters stand for; those of suppressed ones may be anything."""
    if published.by_tree and parts.problem.tree is not None:
        return published.leaf_counts(parts.problem.tree)[np.maximum(label, 0)]
    width = parts.how.everything + 1
    own = np.repeat(np.arange(published.indptr.size - 1), np.diff(published.indptr)) * width + published.becomes + 1
    keys, counts = np.unique(own, return_counts=True)
    return counts[np.searchsorted(keys, cluster * width + label + 1)] if label.size else np.zeros(0, np.int64)


def _decided(clusters: Clusters, parts: Parts, progress: Progress | None) -> RecordAnonymization:
    """The decision for these clusters; UL of all records at once."""
    problem = clusters.problem
    group, found = np.zeros(len(problem), np.int32), []
    rows_of = [clusters.rows(cluster) for cluster in clusters.in_order()]
    for index, hidden in enumerate(parts.all_hidden(rows_of)):
        group[rows_of[index]] = index
        found.append(hidden)
        if progress and index % 100 == 99:
            progress(f"items of {index + 1:,} of {len(clusters):,} clusters")
    published = PublishedItems.joined(parts.how.by_tree, found, parts.how.unions)
    indptr, shown = as_sets(problem.indptr, what_becomes(problem, group, published) + 1)
    whose = np.repeat(group.astype(np.int64), np.diff(indptr))
    sizes = np.where(shown > 0, _sizes(parts, published, whose, shown - 1), parts.how.everything)
    tum = float(ul_of_records(indptr, sizes).sum()) / max(len(problem), 1)
    return RecordAnonymization(group, published, clusters.rum_of_data, tum, clusters.merges)


def _can_be_clusters(problem: RecordProblem, tree: CutTree) -> np.ndarray:
    """Which parts keep what no generalizing of items can mend: k persons, no sensitive item in more than 1/ℓ."""
    if problem.persons is not None:
        return np.array([fits_persons(problem, tree.of(part)) for part in range(len(tree))], bool)
    fine = np.ones(len(tree), bool)
    for depth in range(int(tree.depth.max(initial=-1)) + 1) if problem.bound > 1 else ():
        here = np.flatnonzero(tree.depth == depth)
        group = np.full(len(problem), here.size, np.int32)  # whoever is in no part of this depth
        for index, part in enumerate(here.tolist()):
            group[tree.of(part)] = index
        fine[here] = states(Clusters(problem, group, RUM["ncp"]), np.arange(here.size)) != TOO_SURE
    return fine


def between_the_wide(problem: RecordProblem, parts: Parts, points: list[Partition]) -> list[Partition]:
    """Points where neighbours are far apart: of the clusters of the finer one that are one cluster of the coarser,
    those stay apart whose values gain most by it for what their items lose."""
    found = []
    for finer, coarser in pairwise(points):
        steps = int((coarser.values - finer.values) / _WIDE)
        if steps and finer.tree is coarser.tree and finer.joined is coarser.joined is None:
            found += _between(problem, parts, finer, coarser, [step / (steps + 1) for step in range(1, steps + 1)])
    return found


def beside_the_last(problem: RecordProblem, parts: Parts, points: list[Partition]) -> list[Partition]:
    """Points near the end of the curve, where nearly all records are one cluster and a few small ones stay apart."""
    *others, last = points
    finer = [each for each in others if each.tree is last.tree and len(each) >= _APART and each.joined is None]
    if not finer or last.joined is not None:
        return []
    smallest = _between(problem, parts, finer[0], last, (0.0,)) if finer[0] is not finer[-1] else []
    return [*_between(problem, parts, finer[-1], last, _SHARES), *smallest]


def _between(
    problem: RecordProblem, parts: Parts, finer: Partition, coarser: Partition, shares: Sequence[float]
) -> list[Partition]:
    tree, found = finer.tree, []
    whole = np.flatnonzero(coarser.is_cluster & ~finer.is_cluster)
    if not whole.size:
        return []
    one = part = int(whole[tree.parts.sizes[whole].argmax()])
    start, stop = tree.parts.start, tree.parts.stop
    if tree.instead[part] >= 0 and not (finer.is_cluster & (start >= start[part]) & (stop <= stop[part])).any():
        part = int(tree.instead[part])
    own = np.flatnonzero(finer.is_cluster & (start >= start[part]) & (stop <= stop[part]))
    saved = tree.values[part] / tree.parts.sizes[part] * tree.parts.sizes[own] - tree.values[own]
    own = own[np.argsort(-saved / (tree.items[own] + 1e-9), kind="stable")]
    share = np.cumsum(tree.parts.sizes[own]) / tree.parts.sizes[part]
    for upto in shares:
        apart = own[: max(int(np.searchsorted(share, upto)), 1)]
        rest = own[apart.size :]
        if not apart.size or rest.size < 2:
            continue
        rows = np.sort(np.concatenate([tree.parts.of(each) for each in rest.tolist()]))
        if not _can_be_clusters(problem, _one_part(rows)).all():
            continue  # what is left need not keep what whole parts keep
        is_cluster = coarser.is_cluster.copy()
        is_cluster[one], is_cluster[apart] = False, True
        values = tree.values[is_cluster].sum() + losses_together(problem, [rows])[0] / len(problem)
        items = tree.items[is_cluster].sum() + item_loss(parts, rows) / max(problem.items.size, 1)
        found.append(Partition(tree, is_cluster, float(values), float(items), joined=rows))
    return found


def _one_part(rows: np.ndarray) -> CutTree:
    begin, none = np.zeros(1, np.int64), np.full(1, -1)
    return CutTree(rows.astype(np.int32), begin, begin + rows.size, none, begin)


def _told_apart(problem: RecordProblem, group: np.ndarray) -> Clusters:
    """Clusters of a partition; those that nobody can tell apart are one."""
    clusters = Clusters(problem, group, RUM["ncp"])
    clusters.merge_equal()
    made_sure(clusters)
    merge_for_persons(clusters)
    return clusters
