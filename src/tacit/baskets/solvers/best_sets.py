"""Cuts of a hierarchy or sets of items, whichever lose less.

Sets are found as COAT and PCTA find them, but merges are chosen by what their occurrences lose: a set of s items costs
each of them s − 1 others that it might be, and not 2^s. Where that is quick, COAT and PCTA have their turn as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tacit.arrays.encode import counted
from tacit.arrays.order import by_content, put_back
from tacit.arrays.sparse import Sparse, keep_where
from tacit.baskets.data import BasketData
from tacit.baskets.recoding import CutRecoding
from tacit.baskets.solvers._packing_kernels import pack
from tacit.baskets.solvers._rare_sets import rare_sets
from tacit.baskets.solvers.best import best, is_small, searched
from tacit.baskets.solvers.constraints import Constraints
from tacit.baskets.solvers.effort import Effort, Exhausted, Pace
from tacit.baskets.solvers.item_groups import ItemGroups
from tacit.baskets.solvers.kept import best_of_single_nodes
from tacit.baskets.solvers.lattice import Anonymization
from tacit.baskets.solvers.losses import LOSSES_OF_SETS, NodeLoss
from tacit.baskets.solvers.merging import Progress, merge_items
from tacit.baskets.solvers.posing import as_ncp, countable, in_names, posed_in_sets, with_bound
from tacit.baskets.solvers.problem import Problem, pose_baskets, weights_of_items
from tacit.baskets.solvers.thinning import are_many, thinned
from tacit.promises import KmAnonymity

_MOST = 400_000_000
"""Baskets that a search for sets may look at."""
_SPACE = 50_000_000
"""Items that rare sets may have, all together: some hundred million bytes."""
_QUICK = 30_000_000
"""If the searches so far looked at no more, COAT and PCTA are done as well."""
_MODEST = 150_000_000
"""If they looked at no more, sets of related items are looked for, too."""


class SetProblem(NamedTuple):
    """Different baskets whose items go from the rarest on, how many people have each, what each item's occurrences
    weigh, and what may be in one set."""

    baskets: Sparse
    people: np.ndarray
    mass: np.ndarray
    constraints: Constraints
    leaves: int
    """How many leaves there are, those that the data lacks included."""
    loss: str = "lm"
    related: Constraints | None = None
    """What may be in one set if sets are to lie in one top group of the hierarchy; None if it has no such groups."""

    def cost(self, found: ItemGroups) -> int:
        """What groups lose, in the unit of the cuts' costs."""
        loss = self.loss_of(np.append(found.sizes, 1))
        each = np.where(found.group < 0, loss.denominator, loss.numerator[found.group])
        return int(self.mass @ each)

    def loss_of(self, sizes: np.ndarray) -> NodeLoss:
        return LOSSES_OF_SETS[self.loss](sizes, self.leaves)


def cuts_or_sets(
    data: BasketData,
    promise: KmAnonymity,
    *,
    bound: bool,
    related: bool = False,
    seed: int | None = None,
    progress: Progress | None = None,
    loss: str = "lm",
    item_weights: Mapping[str, float] | None = None,
) -> CutRecoding:
    """The cut and suppression, or the sets, that lose least; with `bound` what any grouping of the items must lose.

    With `related` all items of a set are in one top group of the hierarchy. Nothing is random.
    """
    data, promise = by_content(data), countable(promise, data)
    problem = pose_baskets(data, loss, item_weights)
    posed, order = set_problem(data, loss, item_weights, related=related)
    sets = best_sets(posed, promise.k, promise.m, progress)
    cut = _cut_below(problem, promise, None if sets is None else posed.cost(sets), progress)
    if cut is not None:
        recoding = in_names(data, problem, cut)
    else:
        assert sets is not None
        recoding = data.set_recoding(put_back(sets.group, order), by_name=related)
    if not bound or loss != "lm" or item_weights is not None:
        return recoding
    return with_bound(recoding, least_cost(posed, promise.k, promise.m), problem, data)


def names_or_sets(
    data: BasketData,
    promise: KmAnonymity,
    *,
    pace: Pace | None,
    seed: int | None = None,
    progress: Progress | None = None,
    loss: str = "lm",
    item_weights: Mapping[str, float] | None = None,
) -> CutRecoding:
    """Names of the hierarchy, or sets of items where these lose less; then it says what the names would have lost.

    Of many different baskets, names: so the same is decided on an engine, from which not all of them come here.
    With a `pace` for bounds names get one on any cut and suppression, sets one on any grouping of the items.
    """
    promise = countable(promise, data)
    problem = thinned(pose_baskets(data, loss, item_weights), promise.k, promise.m)
    cut = best(problem, promise.k, promise.m, progress, bound=pace)
    posed, order = set_problem(by_content(data), loss, item_weights)
    found = [] if are_many(posed.people.size) else list(_found(posed, promise.k, promise.m, progress))
    sets = _least(posed, found)
    is_ncp = loss == "lm" and item_weights is None
    if sets is None or cut.cost <= posed.cost(sets):
        named = in_names(data, problem, cut)
        return with_bound(named, cut.bound, problem, data) if is_ncp else named
    recoding = by_content(data).set_recoding(put_back(sets.group, order), by_name=True)
    if not is_ncp:
        return recoding
    related = _least(posed, [each for each in found if each.is_related])
    recoding = replace(
        recoding,
        in_names=as_ncp(cut.cost, problem, data),
        in_related_sets=None if related is None else as_ncp(posed.cost(related), problem, data),
    )
    bound = None if pace is None else least_cost(posed, promise.k, promise.m)
    return with_bound(recoding, bound, problem, data)


def set_problem(
    data: BasketData, loss: str = "lm", item_weights: Mapping[str, float] | None = None, *, related: bool = False
) -> tuple[SetProblem, np.ndarray]:
    """The problem, and which item of the data each of its items is."""
    baskets, people, order, constraints = posed_in_sets(data, related=related)
    mass = counted(baskets[1], order.size, baskets[0], people)
    if item_weights is not None:
        mass = mass * weights_of_items(data, item_weights)[order]
    groups = np.unique(data.top_group_of_known()).size
    narrower = posed_in_sets(data, related=True).constraints if not related and 1 < groups < order.size else None
    return SetProblem(baskets, people, mass, constraints, int(data.taxonomy.leaf_count[0]), loss, narrower), order


def best_sets(posed: SetProblem, k: int, m: int | float, progress: Progress | None = None) -> ItemGroups | None:
    """The sets that lose least of those that are found; None if each search would look at too many baskets."""
    return _least(posed, list(_found(posed, k, m, progress)))


class Found(NamedTuple):
    """What a search for sets found, and whether it looked for sets of related items only."""

    groups: ItemGroups
    is_related: bool


def _least(posed: SetProblem, found: list[Found]) -> ItemGroups | None:
    """The sets that lose least, the first of equals."""
    return min((each.groups for each in found), key=posed.cost, default=None)


def _found(posed: SetProblem, k: int, m: int | float, progress: Progress | None) -> Iterator[Found]:
    """Merges go one by one, and with fewer to choose from they may end better: related items are tried as well."""
    spent = 0
    ways = [
        (posed.mass, posed.constraints, _MOST),
        (None, posed.constraints, _QUICK),
        (posed.mass, posed.related, _MODEST),
        (None, posed.related, _QUICK),
    ]
    for mass, constraints, limit in ways:
        if constraints is None or spent > limit:
            continue
        for any_of_them in (True, False):
            effort = Effort(_MOST, space=_SPACE)
            with suppress(Exhausted):
                groups = merge_items(
                    *posed.baskets, posed.mass.size, k, m, constraints, progress,
                    any_of_them=any_of_them, people=posed.people, mass=mass, effort=effort,
                )  # fmt: skip
                yield Found(groups, constraints is posed.related)
            spent += effort.spent


def _cut_below(
    problem: Problem, promise: KmAnonymity, cost: int | None, progress: Progress | None
) -> Anonymization | None:
    """A cut and suppression that costs less than so much; None if none is found."""
    k, m = promise.k, promise.m
    if cost is not None and best_of_single_nodes(problem, k).cost >= cost:
        return None  # no cut costs less than the best one for m = 1
    found = best(problem, k, m) if is_small(problem) else searched(problem, k, m, progress, at_most=cost)
    return found if cost is None or found.cost < cost else None


def least_cost(posed: SetProblem, k: int, m: int | float) -> int:
    """What is lost at least, in whatever groups the items are published, and whichever are suppressed.

    Whoever is not published alone might be another item: a loss of 1 for each occurrence. A rare item cannot be alone,
    and of two that are rare together one cannot. Give each such pair a part of what its items weigh, no item more
    than it weighs: the parts add up to no more than what must be lost.
    """
    (indptr, items), mass = posed.baskets, posed.mass.astype(np.int64)
    is_rare = counted(items, mass.size, indptr, posed.people) < k
    least = int(mass[is_rare].sum())
    if m >= 2:
        kept = keep_where(indptr, items, ~is_rare[items])
        with suppress(Exhausted):
            pairs = rare_sets(*kept, posed.people, mass.size, k, 2, _MOST, _SPACE)[0]
            least += pack(pairs.reshape(-1, 2), mass.copy())
    return least * int(posed.loss_of(np.array([2])).numerator[0])
