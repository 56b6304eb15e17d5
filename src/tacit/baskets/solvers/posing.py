"""From baskets and a promise to the problem that a search gets, and from what it finds to a recoding in names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from tacit.arrays.encode import counted
from tacit.arrays.order import by_content, put_back
from tacit.arrays.sparse import Sparse, as_sets, keep_where
from tacit.baskets.data import BasketData
from tacit.baskets.local_recodings import LocalRecoding
from tacit.baskets.recoding import CutRecoding
from tacit.baskets.solvers.problem import PosedTree, Problem, merged, pose_baskets, weights_of_items
from tacit.promises import Promise

if TYPE_CHECKING:
    from tacit.baskets.solvers.apriori_lm import Rows
    from tacit.baskets.solvers.constraints import Constraints
    from tacit.baskets.solvers.item_groups import ItemGroups
    from tacit.baskets.solvers.lattice import Anonymization
    from tacit.baskets.solvers.local import LocalAnonymization
    from tacit.promises import Coherence, KmAnonymity, LmDiversity

Progress = Callable[[str], None]
Solver = Callable[..., "Anonymization"]
P = TypeVar("P", bound=Promise)


def solved(
    solver: Solver,
    data: BasketData,
    promise: KmAnonymity,
    *,
    seed: int | None = None,
    progress: Progress | None = None,
    loss: str = "lm",
    item_weights: Mapping[str, float] | None = None,
) -> CutRecoding:
    """Poses the problem, lets the solver solve it, and says the outcome in the taxonomy's names; nothing is random."""
    from tacit.baskets.solvers.thinning import thinned

    promise = countable(promise, data)
    problem = thinned(pose_baskets(data, loss, item_weights), promise.k, promise.m)
    found = solver(problem, promise.k, promise.m, progress)
    recoding = in_names(data, problem, found)
    is_ncp = loss == "lm" and item_weights is None
    return with_bound(recoding, found.bound, problem, data) if is_ncp else recoding


def with_bound(recoding: CutRecoding, bound: int | None, problem: Problem, data: BasketData) -> CutRecoding:
    """The same with a bound on costs as one on NCP."""
    if bound is None:
        return recoding
    return replace(recoding, lower_bound=as_ncp(bound, problem, data))


def as_ncp(cost: int, problem: Problem, data: BasketData) -> float:
    """A cost as a share: NCP is the mean over all occurrences, the problem knows only those that are not sensitive."""
    whole = max(problem.unit, 1) * max(int(data.occurrences.sum()), 1)
    return int(cost) * int(problem.occurrences[0]) / int(whole)


def solved_with_sensitive(
    solver: Solver,
    data: BasketData,
    promise: LmDiversity,
    *,
    seed: int | None = None,
    progress: Progress | None = None,
    loss: str = "lm",
    item_weights: Mapping[str, float] | None = None,
) -> CutRecoding:
    """The same for a promise about sensitive items: the solver gets the records one by one."""
    problem = pose_baskets(data, loss, item_weights)
    return in_names(data, problem, solver(rows_of(by_content(data), problem), problem, promise.l, promise.m, progress))


def in_names(data: BasketData, problem: Problem, found: Anonymization) -> CutRecoding:
    recoding = data.recoding(problem.origin[found.cut], problem.origin[found.suppressed])
    return replace(recoding, is_nested=found.is_nested)


def posed(
    data: BasketData, *, loss: str = "lm", item_weights: Mapping[str, float] | None = None, seed: int | None = None
) -> Problem:
    """The problem by the options of a method; where nothing is random, the seed is not used."""
    return pose_baskets(data, loss, item_weights)


def countable(promise: P, data: BasketData) -> P:
    """The promise in numbers that the machine counts with: any number beyond all records and items will do as well."""
    most = max(data.records, len(data.items.baskets.vocabulary)) + 1
    given = {name: getattr(promise, name) for name in ("k", "p") if hasattr(promise, name)}
    return replace(promise, **{name: min(value, most) for name, value in given.items()})


def local_recoding(data: BasketData, costs: PosedTree, found: LocalAnonymization) -> LocalRecoding:
    """What a local method found in the taxonomy's names."""
    indptr, kept = keep_where(found.indptr, found.nodes, ~found.is_suppressed)
    return data.local_recoding(found.part, *as_sets(indptr, costs.origin[kept]))


def leaves_of(data: BasketData, costs: PosedTree) -> Sparse:
    """Record by record, what an attacker may know as leaves of the tree, in order."""
    return as_sets(*leaves_in_no_order(data, costs))


def leaves_in_no_order(data: BasketData, costs: PosedTree) -> Sparse:
    """The same, in no order."""
    indptr, items, leaf_of_item = data.attackable()
    return indptr, np.searchsorted(costs.origin, leaf_of_item).astype(np.int32)[items]


def rows_of(data: BasketData, problem: Problem) -> Rows:
    from tacit.baskets.solvers.apriori_lm import Rows

    return Rows(*leaves_of(data, problem), *data.sensitive(), data.items.baskets.people)


def without_moles(
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
    (indptr, items), leaf, promise = data.meant(), data.leaf_of_item, countable(promise, data)
    weight, people = np.ones(leaf.size, np.int64), data.items.baskets.weight
    if item_weights is not None:
        weight[leaf >= 0] = weights_of_items(data, item_weights)
    is_suppressed = suppress_moles(
        indptr, items, leaf.size, promise.k, promise.p, h=promise.h, is_sensitive=leaf < 0, people=people,
        item_loss=counted(items, leaf.size, indptr, people) * weight, progress=progress,
    )  # fmt: skip
    return data.recoding(data.taxonomy.leaves, leaf[is_suppressed])


def in_sets(
    method: Callable[..., ItemGroups], data: BasketData, promise: KmAnonymity, file: str | None, progress: Progress
) -> CutRecoding:
    """COAT or PCTA, with the constraints of a file if there is one; items of two columns are never in one set."""
    data = by_content(data)
    posed = posed_in_sets(data, file)
    k, m = countable(promise, data).k, promise.m
    found = method(*posed.baskets, posed.order.size, k, m, posed.constraints, progress, posed.people)
    return data.set_recoding(put_back(found.group, posed.order))


class PosedSets(NamedTuple):
    """The different baskets with their items from the rarest on, and how many people have each."""

    baskets: Sparse
    people: np.ndarray
    order: np.ndarray  # which item of the data each of its items is
    constraints: Constraints  # what may be in one set


def posed_in_sets(data: BasketData, file: str | None = None, *, related: bool = False) -> PosedSets:
    """What a search for sets of items looks at.

    With `related` items of two top groups of the hierarchy are never in one.
    """
    from tacit.baskets.solvers.constraints import Constraints, read_constraints
    from tacit.baskets.solvers.merging import rarest_first

    indptr, items, leaf_of_item = data.attackable()
    itself = np.arange(leaf_of_item.size, dtype=np.int32)
    indptr, items, people = merged(indptr, items, data.items.baskets.people, itself)
    baskets, order = rarest_first(indptr, items, leaf_of_item.size, people)
    labels = tuple(data.taxonomy.names[leaf] for leaf in leaf_of_item[order].tolist())
    constraints = Constraints(labels) if file is None else read_constraints(Path(file), labels)
    if related:
        constraints = constraints.within(data.top_group_of_known()[order].tolist(), data.taxonomy.names)
    else:
        names = [column.name for column in data.items.columns]
        constraints = constraints.within(data.column_of_known()[order].tolist(), names)
    return PosedSets(baskets, people, order, constraints)
