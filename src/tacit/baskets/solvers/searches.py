"""What the table of methods calls: from baskets and a promise to a recoding, one function a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tacit.arrays.order import by_content, in_content_order, put_back
from tacit.arrays.sparse import Sparse, as_sets, keep_where
from tacit.baskets.data import BasketData
from tacit.baskets.local_recodings import GroupRecoding, LocalRecoding
from tacit.baskets.solvers.problem import PosedTree, Problem, pose_baskets, pose_costs, weights_of_items
from tacit.promises import Cahd, Coherence, KmAnonymity, LmDiversity, Promise, TransactionalK
from tacit.recoding import CutRecoding

if TYPE_CHECKING:
    from tacit.baskets.solvers.apriori_lm import Rows
    from tacit.baskets.solvers.item_groups import ItemGroups
    from tacit.baskets.solvers.lattice import Anonymization
    from tacit.baskets.solvers.local import LocalAnonymization

Progress = Callable[[str], None]
Solver = Callable[..., "Anonymization"]
P = TypeVar("P", bound=Promise)


def search_best(data: BasketData, promise: KmAnonymity, *, bound: bool | None = None, **options: Any) -> CutRecoding:
    """With the bound that can be had quickly, unless a thorough one is asked for, or none."""
    from tacit.baskets.solvers.best import best
    from tacit.baskets.solvers.effort import QUICK, THOROUGH

    pace = {None: QUICK, True: THOROUGH, False: None}[bound]
    return _solved(lambda *problem: best(*problem, bound=pace), data, promise, **options)


def search_hghs(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.hghs import hghs

    return _solved(hghs, data, promise, **options)


def search_mhghs(data: BasketData, promise: KmAnonymity, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.hghs import mhghs

    return _solved(mhghs, data, promise, **options)


def search_apriori(data: BasketData, promise: KmAnonymity | LmDiversity, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.apriori import apriori
    from tacit.baskets.solvers.apriori_lm import apriori_lm

    return _solved(apriori_lm if isinstance(promise, LmDiversity) else apriori, data, promise, **options)


def search_vpa(data: BasketData, promise: KmAnonymity | LmDiversity, *, parts: int, **options: Any) -> CutRecoding:
    from tacit.baskets.solvers.vpa import vpa, vpa_lm

    solver: Solver = vpa_lm if isinstance(promise, LmDiversity) else vpa
    return _solved(partial(solver, parts=parts), data, promise, **options)


@in_content_order
def search_lra(
    data: BasketData,
    promise: KmAnonymity | LmDiversity,
    *,
    seed: int,
    progress: Progress,
    partition_size: int,
    loss: str,
    item_weights: Mapping[str, float] | None = None,
) -> LocalRecoding:
    from tacit.baskets.solvers.lra import lra, lra_lm

    problem, promise = pose_baskets(data, loss, item_weights), _countable(promise, data)
    if isinstance(promise, LmDiversity):
        found = lra_lm(_rows(data, problem), problem, promise.l, promise.m, progress, partition_size)
    else:
        found = lra(*_leaves(data, problem), problem, promise.k, promise.m, progress, partition_size)
    return _local(data, problem, found)


@in_content_order
def search_partition(
    data: BasketData,
    promise: TransactionalK,
    *,
    seed: int,
    progress: Progress,
    loss: str,
    item_weights: Mapping[str, float] | None = None,
) -> LocalRecoding:
    from tacit.baskets.solvers.partition import partition

    costs, k = pose_costs(data, loss, item_weights), _countable(promise, data).k
    return _local(data, costs, partition(*_in_leaves(data, costs), costs.tree, k, progress))


def search_suppression(data: BasketData, promise: KmAnonymity | Coherence, **options: Any) -> CutRecoding:
    if isinstance(promise, Coherence):
        return _coherent(data, promise, **options)
    return _solved(_suppress, data, promise, **options)


def search_coat(
    data: BasketData, promise: KmAnonymity, *, seed: int, progress: Progress, constraints: str | None = None
) -> CutRecoding:
    from tacit.baskets.solvers.coat import coat

    return _in_sets(coat, data, promise, constraints, progress)


def search_pcta(
    data: BasketData, promise: KmAnonymity, *, seed: int, progress: Progress, constraints: str | None = None
) -> CutRecoding:
    from tacit.baskets.solvers.pcta import pcta

    return _in_sets(pcta, data, promise, constraints, progress)


@in_content_order
def search_cahd(data: BasketData, promise: Cahd, *, seed: int, progress: Progress, alpha: int) -> GroupRecoding:
    """Groups with random numbers, and in each the sensitive items dealt out at random."""
    from tacit.baskets.solvers.cahd import cahd, permuted_within

    indptr, items, _ = data.attackable()
    group = cahd(indptr, items, *data.sensitive(), _countable(promise, data).p, alpha, progress)
    rng = np.random.default_rng([seed, 1])  # not the numbers that put the records in order
    number = rng.permutation(int(group.max(initial=-1)) + 1) + 1
    return GroupRecoding(number[group], permuted_within(group, rng))


def _solved(
    solver: Solver,
    data: BasketData,
    promise: KmAnonymity | LmDiversity,
    *,
    seed: int | None = None,
    progress: Progress | None = None,
    loss: str = "lm",
    item_weights: Mapping[str, float] | None = None,
) -> CutRecoding:
    """Poses the problem, lets the solver solve it, and says the outcome in the taxonomy's names; nothing is random."""
    problem, promise = pose_baskets(data, loss, item_weights), _countable(promise, data)
    if isinstance(promise, LmDiversity):
        found = solver(_rows(by_content(data), problem), problem, promise.l, promise.m, progress)
    else:
        found = solver(problem, promise.k, promise.m, progress)
    recoding = data.recoding(problem.origin[found.cut], problem.origin[found.suppressed])
    if found.bound is None or loss != "lm" or item_weights is not None:
        return recoding
    # NCP is the mean over all occurrences; the problem knows only those that are not sensitive
    whole = max(problem.unit, 1) * max(data.items.baskets.items.size, 1)
    return replace(recoding, lower_bound=int(found.bound) * int(problem.occurrences[0]) / int(whole))


def _countable(promise: P, data: BasketData) -> P:
    """The promise in numbers that the machine counts with: any number beyond all records and items will do as well."""
    most = max(len(data.items.baskets), len(data.items.baskets.vocabulary)) + 1
    given = {name: getattr(promise, name) for name in ("k", "p") if hasattr(promise, name)}
    return replace(promise, **{name: min(value, most) for name, value in given.items()})


def _local(data: BasketData, costs: PosedTree, found: LocalAnonymization) -> LocalRecoding:
    """What a local method found in the taxonomy's names."""
    indptr, kept = keep_where(found.indptr, found.nodes, ~found.is_suppressed)
    return data.local_recoding(found.part, *as_sets(indptr, costs.origin[kept]))


def _leaves(data: BasketData, costs: PosedTree) -> Sparse:
    """Record by record, what an attacker may know as leaves of the tree, in order."""
    return as_sets(*_in_leaves(data, costs))


def _in_leaves(data: BasketData, costs: PosedTree) -> Sparse:
    """The same, in no order."""
    indptr, items, leaf_of_item = data.attackable()
    return indptr, np.searchsorted(costs.origin, leaf_of_item).astype(np.int32)[items]


def _rows(data: BasketData, problem: Problem) -> Rows:
    from tacit.baskets.solvers.apriori_lm import Rows

    return Rows(*_leaves(data, problem), *data.sensitive())


def _suppress(problem: Problem, k: int, m: int | float, progress: Progress | None) -> Anonymization:
    """MM on the leaves of the taxonomy: the lowest cut, with the items that make it safe suppressed."""
    from tacit.baskets.solvers.lattice import Anonymization
    from tacit.baskets.solvers.suppression import suppress_moles

    tree = problem.tree
    indptr = np.concatenate(([0], np.cumsum(np.repeat(np.diff(problem.indptr), problem.weight))))
    rows = np.repeat(np.arange(problem.weight.size), problem.weight)
    lengths = np.diff(problem.indptr)[rows]
    items = problem.items[np.arange(indptr[-1]) + np.repeat(problem.indptr[rows] - indptr[:-1], lengths)]
    gone = suppress_moles(
        indptr, items, len(problem), k, m, item_loss=tree.generalize + tree.suppress, progress=progress
    )
    leaves = np.flatnonzero(tree.end == np.arange(len(problem)) + 1).astype(np.int32)
    lost = leaves[gone[leaves]]
    return Anonymization(leaves, lost, int(tree.suppress[lost].sum()))


def _coherent(
    data: BasketData,
    promise: Coherence,
    *,
    seed: int,
    progress: Progress,
    loss: str,
    item_weights: Mapping[str, float] | None = None,
) -> CutRecoding:
    """MM on the items as they are: a suppressed occurrence is lost by any loss, so that only weights matter."""
    from tacit.baskets.solvers.suppression import suppress_moles

    data = by_content(data)
    baskets, leaf, promise = data.items.baskets, data.leaf_of_item, _countable(promise, data)
    weight = np.ones(leaf.size, np.int64)
    if item_weights is not None:
        weight[leaf >= 0] = weights_of_items(data, item_weights)
    gone = suppress_moles(
        baskets.indptr, baskets.items, leaf.size, promise.k, promise.p, h=promise.h, private=leaf < 0,
        item_loss=np.bincount(baskets.items, minlength=leaf.size) * weight, progress=progress,
    )  # fmt: skip
    return data.recoding(data.taxonomy.leaves, leaf[gone])


def _in_sets(
    method: Callable[..., ItemGroups], data: BasketData, promise: KmAnonymity, file: str | None, progress: Progress
) -> CutRecoding:
    """COAT or PCTA, with the constraints of a file if there is one; items of two columns are never in one set."""
    from tacit.baskets.solvers.constraints import Constraints, read_constraints
    from tacit.baskets.solvers.merging import rarest_first

    data = by_content(data)
    indptr, items, leaf_of_item = data.attackable()
    baskets, order = rarest_first(indptr, items, leaf_of_item.size)
    labels = tuple(data.taxonomy.names[leaf] for leaf in leaf_of_item[order].tolist())
    constraints = Constraints(labels) if file is None else read_constraints(Path(file), labels)
    constraints = constraints.within(data.column_of_known()[order].tolist(), [c.name for c in data.items.columns])
    found = method(*baskets, len(labels), _countable(promise, data).k, promise.m, constraints, progress)
    return data.set_recoding(put_back(found.group, order))
