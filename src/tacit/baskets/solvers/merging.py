"""What COAT and PCTA share: constraint after constraint, items are merged into sets until it holds.

First the privacy constraints of the user's file; then all sets of one item, of two, ... of m items that somebody
holds. Those of i items are looked up in the recoding that is good for i − 1 (docs/methods/pcta.md says why).
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np

from tacit.arrays.encode import counted
from tacit.arrays.labels import places_in
from tacit.arrays.sparse import Sparse, as_sets, keep_where, sorted_sets, take_rows
from tacit.baskets.solvers._labelled import relabel
from tacit.baskets.solvers._merging import Clusters, repair
from tacit.baskets.solvers._rare_sets import rare_sets
from tacit.baskets.solvers.constraints import Constraints
from tacit.baskets.solvers.effort import UNLIMITED, Effort
from tacit.baskets.solvers.few import FewItems, are_few_items, holders
from tacit.baskets.solvers.item_groups import ItemGroups
from tacit.errors import InputError, PromiseError

Progress = Callable[[str], None]

_ONE_BY_ONE = 3  # sizes up to here are gone through even if m is so large that whole baskets would do
_MANY = 200_000  # unless a basket has more sets of that size, in the mean
_EFFORT = 10  # baskets looked at before rare sets are counted anew, in units of what counting takes


def merge_items(
    indptr: np.ndarray,
    items: np.ndarray,
    n_items: int,
    k: int,
    m: int | float,
    constraints: Constraints | None,
    progress: Progress | None,
    *,
    any_of_them: bool,
    people: np.ndarray | None = None,
    mass: np.ndarray | None = None,
    effort: Effort | None = None,
) -> ItemGroups:
    """Groups of items such that every set of up to m items, and every privacy constraint, has k people or none.

    `people` says how many have each basket; one has it, if left out. What nobody has is left out itself.
    `any_of_them`: a violated constraint is mended by the cheapest merge of any of its clusters; otherwise by that of
    the cluster that fewest people hold. `mass`, if given: what the occurrences of each item weigh; merges are chosen
    by what these lose, and not as the papers do. `effort` is what may be looked at.
    """
    constraints = constraints or Constraints(tuple(map(str, range(n_items))))
    if len(constraints.labels) != n_items:
        raise InputError(f"the constraints are about {len(constraints.labels)} items, the baskets about {n_items}")
    people = np.ones(indptr.size - 1, np.int64) if people is None else people
    if people.min(initial=1) < 1:  # kernels count on somebody in each basket: they would write behind an array's end
        some = np.flatnonzero(people > 0)
        (indptr, items), people = take_rows(indptr, items, some), people[some]
    _check_contradiction(indptr, items, people, k, constraints)
    if not constraints.privacy and effort is None and are_few_items(n_items, m, int(people.sum())):
        few = FewItems(holders(indptr, items, n_items, people), k, constraints, mass, any_of_them=any_of_them)
        cluster = few.merged(int(m))
    else:
        merging = _Merging(indptr, items, people, k, constraints, any_of_them, progress, mass, effort or Effort())
        cluster = merging.merged(m)
    groups = ItemGroups.from_clusters(cluster)
    _check_suppression(groups, np.bincount(items, minlength=n_items) > 0, constraints)
    return groups


def rarest_first(
    indptr: np.ndarray, items: np.ndarray, n_items: int, people: np.ndarray | None = None
) -> tuple[Sparse, np.ndarray]:
    """The baskets with their items numbered from the rarest on, equals as they were; and the item of each code.

    Ties go to the lowest code. A merge of rare items leaves frequent ones, which are worth more, for later.
    """
    order = np.argsort(counted(items, n_items, indptr, people), kind="stable")
    return (indptr, sorted_sets(indptr, places_in(order)[items])), order


class _Merging:
    """The recoding at hand, and the baskets as it publishes them: clusters get codes from 0 anew now and then."""

    def __init__(
        self,
        indptr: np.ndarray,
        items: np.ndarray,
        people: np.ndarray,
        k: int,
        constraints: Constraints,
        any_of_them: bool,
        progress: Progress | None,
        mass: np.ndarray | None,
        effort: Effort,
    ) -> None:
        self.effort = effort
        self.k, self.any_of_them, self.progress = k, any_of_them, progress
        self.constraints = constraints
        permit = constraints.permit()
        self.group = np.arange(permit.size, dtype=np.int32)  # of each item: the code of its cluster, or −1
        self.clusters = _clusters(
            indptr, items, people, np.ones(permit.size, np.int64), constraints.importance(), permit,
            np.empty(0, np.int64) if mass is None else mass.astype(np.int64),
        )  # fmt: skip

    def merged(self, m: int | float) -> np.ndarray:
        """The cluster of each item, −1 if it is not published."""
        self.hold_constraints()
        size = 1
        while size <= min(m, self.longest):
            if m >= self.longest and (size > _ONE_BY_ONE or self.sets_of(size) > _MANY):
                self.hold_baskets()
                break
            self.hold_all_of(size)
            size += 1
        self.hold_constraints()  # what nobody held at first, somebody may hold by now
        return self.group

    @property
    def longest(self) -> int:
        return int(np.diff(self.clusters.indptr).max(initial=0))

    def sets_of(self, size: int) -> float:
        """How many sets of this size a basket has, in the mean."""
        lengths, baskets = np.unique(np.diff(self.clusters.indptr), return_counts=True)
        sets = sum(comb(length, size) * n for length, n in zip(lengths.tolist(), baskets.tolist(), strict=True))
        return sets / max(int(baskets.sum()), 1)

    def hold_constraints(self) -> None:
        """Makes the privacy constraints of the user's file hold; merging may let somebody hold what nobody held."""
        members, ends = self.constraints.privacy_items()
        if not ends.size:
            return
        members = self.group[members]
        changes = -1
        while changes < self.clusters.clock[2]:
            changes = self.clusters.clock[2]
            self._hold(members, ends, np.ones_like(ends), "privacy constraints")
        self._compact()

    def hold_baskets(self) -> None:
        """Lets k people or more hold all of what any basket holds: k^m-anonymity for m = ∞."""
        clusters = self.clusters
        in_doubt = np.flatnonzero((np.diff(clusters.indptr) > 0) & (clusters.weight < self.k))
        indptr, members = take_rows(clusters.indptr, clusters.items, in_doubt)
        self._hold(members, indptr[1:], clusters.weight[in_doubt], "whole baskets")
        self._compact()

    def hold_all_of(self, size: int) -> None:
        """Makes all sets of this size hold, where all smaller ones do."""
        sets, people, looks = self._rare(size)
        while people.size:
            ends = np.arange(1, people.size + 1) * size
            left = self._hold(sets.ravel(), ends, people, f"sets of {size}", 1 + _EFFORT * looks)
            sets = self._compact()[sets[left]]
            sets, people, looks = self._still_rare(sets)

    def _hold(
        self, members: np.ndarray, ends: np.ndarray, people: np.ndarray, what: str, effort: int = UNLIMITED
    ) -> np.ndarray:
        """Mends constraints, each held by these many people at least, until all hold or the effort is spent.

        The numbers of those that are left.
        """
        heap, before = np.sort(people * ends.size + np.arange(ends.size)), int(self.clusters.clock[1])
        effort = min(effort, self.effort.left + 1)
        left = repair(members, ends, heap, heap.size, self.k, self.any_of_them, effort, self.clusters)
        self.effort.spend(int(self.clusters.clock[1]) - before)
        if self.progress:
            self.progress(f"{what}: {left:,} left to look at")
        return np.sort(heap[:left] % max(ends.size, 1))

    def _rare(self, size: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Sets of this size that fewer than k people hold, in order; how many do; and how many baskets that took."""
        indptr, items, weight = self.clusters[:3]
        found, people, looks = rare_sets(
            indptr, items, weight, self.clusters.cluster.size, self.k, size, self.effort.left, self.effort.space
        )
        self.effort.spend(looks)
        sets = found.reshape(-1, size)
        order = np.lexsort(sets.T[::-1])
        return sets[order], people[order], int(looks)

    def _still_rare(self, sets: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """The rare sets of now, each of which some of the given sets have become, in the order of those."""
        now, people, looks = self._rare(sets.shape[1])
        if not people.size:
            return now, people, looks
        keys = _keys(np.concatenate([np.sort(sets, axis=1), now]))
        become, first = np.unique(keys[: len(sets)], return_index=True)
        order = np.argsort(first[np.searchsorted(become, keys[len(sets) :])])
        return now[order], people[order], looks

    def _compact(self) -> np.ndarray:
        """Gives the clusters codes without gaps, in the same order, and merges baskets that are equal now.

        The new code of each old one, −1 if suppressed; −1 stays −1.
        """
        old = self.clusters
        standing = np.flatnonzero(old.cluster == np.arange(old.cluster.size))
        code = np.full(old.cluster.size + 1, -1, np.int32)
        code[standing] = np.arange(standing.size)
        code[:-1] = code[old.cluster]
        self.group = code[self.group]
        indptr, items = recoded(old.indptr, old.items, code)
        self.clusters = _clusters(
            indptr, items, old.weight, old.size[standing], old.importance[standing], old.permit[standing],
            old.mass[standing] if old.mass.size else old.mass,
        )  # fmt: skip
        return code


def recoded(indptr: np.ndarray, items: np.ndarray, code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The baskets with `code[x]` for item x, nothing for −1."""
    labels = code[items]
    return as_sets(*keep_where(indptr, labels, labels >= 0))


def _clusters(
    indptr: np.ndarray,
    items: np.ndarray,
    weight: np.ndarray,
    size: np.ndarray,
    importance: np.ndarray,
    permit: np.ndarray,
    mass: np.ndarray,
) -> Clusters:
    """Every item of the baskets as a cluster of its own; equal baskets are one."""
    n_items = size.size
    itself, nowhere = np.arange(n_items, dtype=np.int32), np.full(n_items, -1, np.int32)
    everyone = np.arange(weight.size, dtype=np.int32)
    indptr, items, weight = relabel(everyone, indptr, items, weight, itself, nowhere, itself, 0)
    basket = np.repeat(np.arange(weight.size, dtype=np.int32), np.diff(indptr))
    holders = np.zeros(n_items + 1, np.int64)
    np.cumsum(np.bincount(items, minlength=n_items), out=holders[1:])
    support = np.bincount(items, weight[basket], minlength=n_items).astype(np.int64)
    return Clusters(
        indptr=indptr, items=items, weight=weight, holders=holders, tids=basket[np.argsort(items, kind="stable")],
        cluster=itself, follower=nowhere, size=size, support=support, importance=importance,
        mass=mass, permit=permit, seen=np.zeros(weight.size, np.int64), met=np.zeros(n_items, np.int64),
        together=np.zeros(n_items, np.int64), touched=np.empty(n_items, np.int32), clock=np.zeros(3, np.int64),
    )  # fmt: skip


def _keys(rows: np.ndarray) -> np.ndarray:
    """A whole number for each row, the same for equal rows; a row with −1 at its start equals no row without."""
    keys = rows[:, 0].astype(np.int64)
    for place, column in enumerate(rows.T[1:]):
        if place:
            keys = np.unique(keys, return_inverse=True)[1]
        keys = keys << 32 | column
    return keys


def _check_contradiction(
    indptr: np.ndarray, items: np.ndarray, people: np.ndarray, k: int, constraints: Constraints
) -> None:
    """Refuses a privacy constraint that no merging allowed by the utility constraints can make hold, if no item may be
    suppressed."""
    occurring = np.unique(items).size
    if not constraints.privacy or constraints.utility is None or constraints.may_suppress(occurring) > 0:
        return
    permit = constraints.permit()
    widest = np.arange(permit.size, dtype=np.int32)  # every utility constraint as one set
    permitted = np.flatnonzero(permit >= 0)
    _, first, constraint = np.unique(permit[permitted], return_index=True, return_inverse=True)
    widest[permitted] = permitted[first[constraint]]

    indptr, items = recoded(indptr, items, widest)
    basket = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    members, ends = constraints.privacy_items()
    for place, constraint in enumerate(np.split(widest[members], ends[:-1]), start=1):
        wanted = np.unique(constraint)
        holds_all = np.bincount(basket[np.isin(items, wanted)], minlength=people.size) == wanted.size
        holders = int(people[holds_all].sum())
        if 0 < holders < k:
            raise InputError(
                f"privacy constraint {place} contradicts the utility constraints: with everything merged that they "
                f"allow, {holders} people hold it, k is {k}, and max_suppressed lets no item be left out",
                file=constraints.source,
                hint="Widen the utility constraints of its items, raise max_suppressed, or lower k.",
            )


def _check_suppression(groups: ItemGroups, occurs: np.ndarray, constraints: Constraints) -> None:
    """Refuses an outcome that suppresses more items than allowed."""
    count, occurring = int(np.count_nonzero((groups.group < 0) & occurs)), int(np.count_nonzero(occurs))
    if count > constraints.may_suppress(occurring):
        raise PromiseError(
            f"Within the utility constraints, {count:,} of {occurring:,} items had to be suppressed; max_suppressed = "
            f"{constraints.max_suppressed:g} allows {constraints.may_suppress(occurring):,}. With max_suppressed = "
            f"{_rounded_up(count / occurring):g} the promise is reached. Or widen the utility constraints, or lower k."
        )


def _rounded_up(share: float) -> float:
    return min(np.ceil(share * 1000) / 1000, 1.0)
