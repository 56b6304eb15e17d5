"""What a release shows of every original occurrence: the one form that all measures of baskets are computed from.

Whatever kind of recoding made the release (one cut everywhere, a cut per part of the records, sets of items, sensitive
items moved between records), it comes down to this: each occurrence of an item is published under a name, or not at
all, and each name stands for some items.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, repeat

import numpy as np

from tacit.arrays.sparse import Sparse, as_sets, keep_where, places_of_rows, take_rows
from tacit.baskets.data import ItemColumns
from tacit.baskets.recoding import Applied


@dataclass(frozen=True, eq=False)
class Shown:
    """Original occurrences, the name each is published by, and the items each name stands for.

    Names are codes from 0, one for one published text of a column, in whatever order. In a local recoding an
    item may be published by several names and names may overlap; two parts that publish the same node use the same
    name.
    """

    indptr: np.ndarray
    """int64: original basket i is items[indptr[i]:indptr[i + 1]]."""
    items: np.ndarray
    """int32: the item of each occurrence, ascending inside a basket, no item twice."""
    name: np.ndarray
    """int32: the name by which each occurrence is published; −1 if it is suppressed."""
    leaf_indptr: np.ndarray
    """int64: name n stands for the items leaf_items[leaf_indptr[n]:leaf_indptr[n + 1]] of the data."""
    leaf_items: np.ndarray
    """int32: items of the data, ascending for each name."""
    leaves: np.ndarray
    """int64: how many leaves each name stands for, those that the data lacks included; 1 for an item as it is."""
    all_leaves: int
    """How many leaves there are, those that the data lacks included; sensitive items are no leaves."""
    sensitive: np.ndarray
    """bool: for each item whether it is declared sensitive (published as it is, and not part of NCP's leaves)."""
    record: np.ndarray | None = None
    """int64: the record each occurrence is published in, where that is not its own (CAHD moves sensitive items)."""
    weight: np.ndarray | None = None
    """int64: how many people have each basket; None: one."""

    @property
    def n_items(self) -> int:
        return self.sensitive.size

    @property
    def n_names(self) -> int:
        return self.leaves.size

    @cached_property
    def moved(self) -> Shown:
        """The same with every occurrence in the record that it is published in."""
        if self.record is None:
            return self
        order = np.lexsort((self.items, self.record))
        lengths = np.bincount(self.record, minlength=self.indptr.size - 1)
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        return replace(self, indptr=indptr, items=self.items[order], name=self.name[order], record=None)

    @cached_property
    def names(self) -> Sparse:
        """The names that each record is published with, ascending, every name once."""
        moved = self.moved
        return as_sets(*keep_where(moved.indptr, moved.name, moved.name >= 0))

    def rows(self, rows: np.ndarray) -> Shown:
        """These records alone; only where no occurrence is moved."""
        indptr, places = places_of_rows(self.indptr, rows)
        part = replace(self, indptr=indptr, items=self.items[places], name=self.name[places], weight=None)
        vars(part)["names"] = take_rows(*self.names, rows)  # sooner than to sort them again
        return part


def shown(items: ItemColumns, applied: Applied) -> Shown:
    """What a recoding shows; the columns' leaves add up, as if they were one hierarchy."""
    recoding, baskets = applied.recoding, items.baskets
    n_items = len(baskets.vocabulary)
    sensitive = np.zeros(n_items, bool)
    leaves: list[int] = []
    members: list[int] = []
    for index, column in enumerate(items.columns):
        here = np.flatnonzero(items.column_of == index).tolist()
        item_of = {baskets.vocabulary[i]: i for i in here}
        wanted = set(column.sensitive_items)
        sensitive[here] = [baskets.vocabulary[i] in wanted for i in here]
        groups = recoding.groups(column.name)
        below = [groups.get(name, (name,)) for name in applied.names[index]]
        leaves.extend(map(len, below))
        members.extend(map(item_of.get, chain.from_iterable(below), repeat(-1)))
    bounds, held = np.cumsum([0, *leaves]), np.array(members, np.int32)
    return Shown(
        baskets.indptr,
        baskets.items,
        applied.code if len(items.columns) == 1 else _joint_names(items, applied),
        *as_sets(*keep_where(bounds, held, held >= 0)),
        np.array(leaves, np.int64),
        sum(recoding.leaves(items, index) for index in range(len(items.columns))),
        sensitive,
        applied.record,
        baskets.weight,
    )


def _joint_names(items: ItemColumns, applied: Applied) -> np.ndarray:
    """The name of each occurrence, those of a column coded after those of the columns before it."""
    start_of_column = np.cumsum([0, *map(len, applied.names)], dtype=np.int32)[:-1]
    return np.where(
        applied.code < 0, np.int32(-1), applied.code + start_of_column[items.column_of[items.baskets.items]]
    )
