"""The transaction part: what the items of one cluster become, so that the promise holds in it.

k^m-anonymity is reached by AA, COAT or PCTA on the records of the cluster alone. What generalization cannot hide is
suppressed in the cluster. For ℓ, what says too much about a sensitive item is generalized further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from tacit.arrays.blocks import blocks
from tacit.arrays.order import put_back
from tacit.arrays.sparse import Sparse, as_sets, keep_where, take_rows
from tacit.records.measures.ul import ul_of_records
from tacit.records.solvers._cluster_kernels import first_unsafe
from tacit.records.solvers.clusters import bits_of
from tacit.records.solvers.problem import RecordProblem, Unions

if TYPE_CHECKING:
    from tacit.baskets.solvers.constraints import Constraints
    from tacit.baskets.solvers.lattice import Anonymization
    from tacit.baskets.solvers.problem import Problem

_LARGE, _TIMES_K, _OCCURRENCES = 1 / 8, 8, 50_000
"""Clusters with such a share of all records, and so many times k, get a thorough look in data of up to so many
occurrences of items: there what merging leads to is far from the best, and hangs on chance."""
_POWERS = 0.5, 1.5
"""How occurrences count instead in the choice of merges: 1 is what they lose; more spares frequent items."""
_UNIT = 16  # such a power is rounded to parts of this


class Part(NamedTuple):
    """What the items of a cluster become (see `PublishedItems`), and the sum of its records' UL."""

    items: np.ndarray
    becomes: np.ndarray
    ul: float


class Transformation(Protocol):
    """A way to generalize items."""

    by_tree: bool

    @property
    def ways(self) -> Sequence[Transformation]:
        """This way, and others that may lose less: to be tried where it matters."""

    def hide(self, baskets: Sparse, items: np.ndarray) -> np.ndarray:
        """What the items become so that k records or none hold any m of them; `baskets` has codes into `items`."""

    @property
    def unions(self) -> Unions:
        """Nodes that are published together, of all clusters so far."""

    def is_beyond_columns(self, becomes: np.ndarray) -> bool:
        """Whether something stands for items of several columns, which cannot be published."""

    def coarser(self, label: int, becomes: np.ndarray, items: np.ndarray) -> np.ndarray:
        """The same with one label generalized a step further, or suppressed where there is none."""

    def sizes(self, labels: np.ndarray, becomes: np.ndarray) -> np.ndarray:
        """How many items each label stands for."""

    @property
    def everything(self) -> int:
        """How many items a suppressed one may have been."""


class Parts:
    """The transaction part of clusters of a problem."""

    def __init__(self, problem: RecordProblem, how: Transformation) -> None:
        self.problem, self.how = problem, how

    @property
    def asks_more(self) -> bool:
        """Whether the promise asks for more than k records for everything that is shown."""
        return self.problem.bound > 1 or self.problem.persons is not None

    @property
    def is_thorough(self) -> bool:
        """Whether more than one thing is tried where clusters are large."""
        return len(self.how.ways) > 1 and self.problem.items.size <= _OCCURRENCES

    def is_large(self, sizes: np.ndarray | int) -> np.ndarray:
        """Whether clusters of so many records get a thorough look."""
        if not self.is_thorough:
            return np.zeros_like(sizes, bool)
        return np.greater_equal(sizes, max(_LARGE * len(self.problem), _TIMES_K * self.problem.promise.k))

    def lost(self, becomes: np.ndarray) -> np.ndarray:
        """NCP of each item of a cluster: (leaves − 1) ÷ (all leaves − 1), 1 if suppressed."""
        sizes = self.how.sizes(np.maximum(becomes, 0), becomes)
        return np.where(becomes < 0, 1.0, (sizes - 1) / max(self.how.everything - 1, 1))

    def of(self, rows: np.ndarray) -> Part:
        """What the items of these records become."""
        items, becomes, baskets = self.hidden(rows)
        return Part(items, becomes, self._ul(baskets, becomes))

    def all_hidden(self, clusters: Sequence[np.ndarray]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The items of each cluster, and what each of them becomes."""
        at_once = isinstance(self.how, BySets) and self.how.at_once and not self.asks_more
        known = self.how.hidden_at_once(clusters) if at_once else {}  # type: ignore[attr-defined]
        for index, rows in enumerate(clusters):
            is_known = index in known and not self.is_large(rows.size)
            yield known[index] if is_known else self.hidden(rows)[:2]

    def hidden(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, Sparse]:
        """The same without UL: the items, what each becomes, and the baskets as codes of these items."""
        problem = self.problem
        rows, person = self._by_person(rows)
        indptr, held = take_rows(problem.indptr, problem.items, rows)
        if not held.size:
            return held, held, (indptr, held)
        items, codes = np.unique(held, return_inverse=True)
        baskets = indptr, codes.astype(np.int32)
        if np.count_nonzero(np.diff(indptr)) < problem.promise.k:
            return items, np.full(items.size, -1, np.int32), baskets
        ways = self.how.ways if self.is_large(rows.size) else (self.how,)
        found = [Parts(problem, way)._generalized(baskets, items, rows, person) for way in ways]
        return items, min(found, key=lambda becomes: float(self.lost(becomes)[codes].sum())), baskets

    def _generalized(self, baskets: Sparse, items: np.ndarray, rows: np.ndarray, person: np.ndarray) -> np.ndarray:
        becomes = self._within_columns(baskets, items)
        if self.problem.bound == 1 and not person.size:
            return becomes
        return self._made_safe(baskets, items, becomes, rows, person)

    def _by_person(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The records person by person, and whose each one is; nothing of that if each is a person's only one here."""
        persons = self.problem.persons
        if persons is None or np.unique(persons[rows]).size == rows.size:
            return rows, np.zeros(0, np.int32)
        rows = rows[np.argsort(persons[rows], kind="stable")]
        return rows, persons[rows]

    def _within_columns(self, baskets: Sparse, items: np.ndarray) -> np.ndarray:
        """What the items become; if nothing but a node above several columns would do, the rarest column goes."""
        if self.problem.n_columns == 1:
            return self.how.hide(baskets, items)
        column = self.problem.column_of_item[items]
        becomes, left = np.full(items.size, -1, np.int32), np.ones(items.size, bool)
        while left.any():
            indptr, codes = keep_where(*baskets, left[baskets[1]])
            if np.count_nonzero(np.diff(indptr)) < self.problem.promise.k:
                return becomes
            kept = np.flatnonzero(left)
            found = self.how.hide((indptr, (np.cumsum(left) - 1).astype(np.int32)[codes]), items[kept])
            columns = np.unique(column[kept])
            if columns.size == 1 or not self.how.is_beyond_columns(found):
                becomes[kept] = found
                return becomes
            occurrences = np.bincount(column[codes], minlength=int(columns[-1]) + 1)
            left &= column != columns[occurrences[columns].argmin()]
        return becomes

    def _made_safe(
        self, baskets: Sparse, items: np.ndarray, becomes: np.ndarray, rows: np.ndarray, person: np.ndarray
    ) -> np.ndarray:
        """Generalizes what fewer than k people hold, or what says more than 1/ℓ about a sensitive item.

        The rarest label of it goes first. Where each record is a person's only one, k people hold everything already.
        """
        promise, bound = self.problem.promise, self.problem.bound
        sensitive_bits = self._sensitive_bits(rows, person)
        if not sensitive_bits.size and not person.size:
            return becomes
        while True:
            published = becomes[baskets[1]]
            indptr, shown = as_sets(*keep_where(baskets[0], published, published >= 0))
            labels, codes = np.unique(shown, return_inverse=True)
            bits = _as_bits(indptr, codes, labels.size)
            for size in range(1, int(min(promise.m, np.diff(indptr).max(initial=0))) + 1):
                itemset = _unsafe_set(bits, sensitive_bits, person, size, promise.k, bound)
                if itemset is not None:
                    rarest = itemset[np.bincount(codes)[itemset].argmin()]
                    becomes = self.how.coarser(int(labels[rarest]), becomes, items)
                    break
            else:
                return becomes

    def _sensitive_bits(self, rows: np.ndarray, person: np.ndarray) -> np.ndarray:
        """For each sensitive item the records that hold it, and all others of the same persons."""
        indptr, sensitive = take_rows(self.problem.sensitive_indptr, self.problem.sensitive, rows)
        if self.problem.bound == 1:
            return np.zeros((0, (rows.size + 63) // 64), np.uint64)
        present, codes = np.unique(sensitive, return_inverse=True)
        if not person.size:
            return _as_bits(indptr, codes, present.size)
        has = np.zeros((present.size, int(person.max()) + 1), bool)
        has[codes, np.repeat(person, np.diff(indptr))] = True
        item, record = np.nonzero(has[:, person])
        return bits_of(item, record, (present.size, rows.size))

    def _ul(self, baskets: Sparse, becomes: np.ndarray) -> float:
        """The sum over records; what was suppressed counts as one item that may be anything."""
        indptr, shown = as_sets(baskets[0], np.append(becomes, -1)[baskets[1]].astype(np.int32) + 1)
        labels = np.unique(shown)
        size = np.where(labels > 0, self.how.sizes(labels - 1, becomes), self.how.everything)
        return float(ul_of_records(indptr, size[np.searchsorted(labels, shown)]).sum())


def _unsafe_set(
    bits: np.ndarray, sensitive_bits: np.ndarray, person: np.ndarray, size: int, k: int, bound: Fraction
) -> np.ndarray | None:
    """The first set of so many labels that fewer than k people hold, or with a sensitive item in more than 1/bound."""
    sensitive = np.concatenate((np.bitwise_or.reduce(sensitive_bits, axis=0, keepdims=True), sensitive_bits))
    itemset, at = np.full(size, -1), np.zeros(1, np.int64)
    held = np.zeros((size + 1, bits.shape[1]), np.uint64)
    held[0] = ~held[0]
    for steps in blocks():
        if first_unsafe(steps, at, bits, sensitive, person, k, bound.numerator, bound.denominator, held, itemset):
            return itemset
        if at[0] < 0:
            break
    return None


def _as_bits(indptr: np.ndarray, codes: np.ndarray, n_labels: int) -> np.ndarray:
    """For each label the records that hold it, a bit each."""
    record = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    return bits_of(codes, record, (n_labels, indptr.size - 1))


class ByTree:
    """AA along the hierarchy; where that ends at the root, which tells nothing, generalization with suppression."""

    by_tree = True

    @property
    def ways(self) -> Sequence[Transformation]:
        return (self,)

    def __init__(self, problem: RecordProblem) -> None:
        from tacit.baskets.solvers.problem import pose

        assert problem.tree is not None and problem.leaf_of_item is not None
        self.tree, self.own_leaf, self.promise = problem.tree, problem.leaf_of_item, problem.promise
        self.posed = pose(problem.tree, problem.indptr, problem.items, problem.leaf_of_item)
        self.leaf = np.searchsorted(self.posed.origin, problem.leaf_of_item).astype(np.int32)
        tops = np.append(0, np.flatnonzero(self.tree.parent == 0)) if problem.n_columns > 1 else np.zeros(1, np.int64)
        self.top = tops[np.searchsorted(tops, problem.leaf_of_item, side="right") - 1].astype(np.int32)

    def hide(self, baskets: Sparse, items: np.ndarray) -> np.ndarray:
        from tacit.baskets.solvers.local import problem_of_part

        leaves = self.leaf[items]
        found = self.cut(problem_of_part(self.posed, baskets[0], leaves[baskets[1]]))
        node = found.cut[np.searchsorted(found.cut, leaves, side="right") - 1]
        becomes = np.where(np.isin(node, found.suppressed), -1, self.posed.origin[node]).astype(np.int32)
        tops = np.unique(self.top[items])
        return np.where(becomes == 0, tops[0], becomes) if tops.size == 1 else becomes

    def cut(self, part: Problem) -> Anonymization:
        """The nodes of a cluster, and which of them are suppressed."""
        from tacit.baskets.solvers.apriori import apriori
        from tacit.baskets.solvers.hghs import mhghs

        found = apriori(part, self.promise.k, self.promise.m)
        return mhghs(part, self.promise.k, self.promise.m) if found.cut.size == 1 and len(self.posed) > 1 else found

    @property
    def unions(self) -> Unions:
        return ()

    def is_beyond_columns(self, becomes: np.ndarray) -> bool:
        return bool((becomes == 0).any())

    def coarser(self, label: int, becomes: np.ndarray, items: np.ndarray) -> np.ndarray:
        leaves, above = self.tree.leaf_count, int(self.tree.parent[label])
        while above > 0 and leaves[above] == leaves[label]:
            above = int(self.tree.parent[above])
        if above <= 0 or leaves[above] == leaves[0]:
            return np.where(becomes == label, -1, becomes)
        return np.where((self.own_leaf[items] >= above) & (self.own_leaf[items] < self.tree.end[above]), above, becomes)

    def sizes(self, labels: np.ndarray, becomes: np.ndarray) -> np.ndarray:
        return self.tree.leaf_count[labels]

    @property
    def everything(self) -> int:
        return int(self.tree.leaf_count[0])


class BySets:
    """Sets of items of the cluster, with no hierarchy: COAT, PCTA, or COAT with merges chosen by what is lost."""

    by_tree = False
    unions: Unions = ()

    def __init__(self, problem: RecordProblem, method: str, power: float = 1) -> None:
        self.problem, self.promise, self.power = problem, problem.promise, power
        self.any_of_them, self.by_loss = method == "pcta", method == "sets"

    @cached_property
    def ways(self) -> Sequence[Transformation]:
        if not self.by_loss or self.power != 1:
            return (self,)
        return (self, *(BySets(self.problem, "sets", power) for power in _POWERS), BySets(self.problem, "coat"))

    @property
    def at_once(self) -> bool:
        """Whether many clusters of few records can be judged at once."""
        return not self.any_of_them and self.problem.n_columns == 1 and self.power == 1

    def losses_at_once(self, clusters: Sequence[np.ndarray]) -> np.ndarray:
        """What the items of clusters of few records lose; −1 where there are too many."""
        from tacit.records.solvers.sets import losses

        baskets, everything = (self.problem.indptr, self.problem.items), max(self.everything - 1, 1)
        return losses(baskets, clusters, self.promise.k, self.promise.m, everything, by_loss=self.by_loss)

    def hidden_at_once(self, clusters: Sequence[np.ndarray]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """The items of clusters of few records, and what each becomes."""
        from tacit.records.solvers.sets import hidden

        baskets = self.problem.indptr, self.problem.items
        return hidden(baskets, clusters, self.promise.k, self.promise.m, by_loss=self.by_loss)

    def hide(self, baskets: Sparse, items: np.ndarray) -> np.ndarray:
        found = None if self.any_of_them else self._in_bits(baskets, items)
        return self._in_lists(baskets, items) if found is None else found

    def _in_bits(self, baskets: Sparse, items: np.ndarray) -> np.ndarray | None:
        """None where lists are better: there are very many items, or sets of three items have to be looked at."""
        from tacit.records.solvers.sets import laid_out, merged

        layout = laid_out(baskets, np.zeros(baskets[0].size - 1, np.int64), 1)
        if not layout.is_little:
            return None
        mass = self._mass(layout.often) if self.by_loss else np.zeros(0, np.int64)
        column = self.problem.column_of_item[items[layout.item]].astype(np.int32)
        sets, are_right = merged(layout, np.zeros(1, np.int64), self.promise.k, self.promise.m, mass, column)
        return _lowest(put_back(sets.label, layout.item), items) if are_right.all() else None

    def _in_lists(self, baskets: Sparse, items: np.ndarray) -> np.ndarray:
        from tacit.baskets.solvers.merging import merge_items, rarest_first

        rarest_baskets, order = rarest_first(*baskets, items.size)
        apart = columns_apart(self.problem.column_of_item[items[order]])
        found = merge_items(
            *rarest_baskets, items.size, self.promise.k, self.promise.m, apart, None,
            any_of_them=self.any_of_them,
            mass=self._mass(np.bincount(rarest_baskets[1], minlength=items.size)) if self.by_loss else None,
        )  # fmt: skip
        return _lowest(put_back(found.group, order), items)

    def _mass(self, often: np.ndarray) -> np.ndarray:
        """What the occurrences of each item weigh."""
        return often if self.power == 1 else np.round(_UNIT * often**self.power).astype(np.int64)

    def is_beyond_columns(self, becomes: np.ndarray) -> bool:
        return False

    def coarser(self, label: int, becomes: np.ndarray, items: np.ndarray) -> np.ndarray:
        others, sizes = np.unique(becomes[(becomes >= 0) & (becomes != label)], return_counts=True)
        column = self.problem.column_of_item
        near = column[others] == column[label]
        if not near.any():
            return np.where(becomes == label, -1, becomes)
        partner = others[near][sizes[near].argmin()]
        return np.where((becomes == label) | (becomes == partner), min(label, int(partner)), becomes)

    def sizes(self, labels: np.ndarray, becomes: np.ndarray) -> np.ndarray:
        counts = np.bincount(becomes[becomes >= 0], minlength=int(labels.max(initial=0)) + 1)
        return counts[np.maximum(labels, 0)]

    @cached_property
    def everything(self) -> int:
        return max(self.problem.n_items, 1)


def columns_apart(column: np.ndarray) -> Constraints | None:
    """Items, or labels, of different columns are not published together; None if all are of one."""
    from tacit.baskets.solvers.constraints import Constraints

    columns = np.unique(column)
    if columns.size == 1:
        return None
    labels = tuple(map(str, range(column.size)))
    apart = (frozenset(map(str, np.flatnonzero(column == each).tolist())) for each in columns)
    return Constraints(labels, utility=tuple(apart))


def _lowest(group: np.ndarray, items: np.ndarray) -> np.ndarray:
    """For each item the lowest one of its group; −1 if it is in none."""
    becomes = np.full(items.size, -1, np.int32)
    kept = np.flatnonzero(group >= 0)
    _, first, inverse = np.unique(group[kept], return_index=True, return_inverse=True)
    becomes[kept] = items[kept[first]][inverse]
    return becomes


def _nodes_together(problem: RecordProblem) -> Transformation:
    from tacit.records.solvers.together import NodesTogether

    return NodesTogether(problem)


TRANSFORMATIONS: dict[str, Callable[[RecordProblem], Transformation]] = {
    "apriori": ByTree,
    "nodes": _nodes_together,
    "sets": lambda problem: BySets(problem, "sets"),
    "coat": lambda problem: BySets(problem, "coat"),
    "pcta": lambda problem: BySets(problem, "pcta"),
}
