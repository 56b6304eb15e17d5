"""Baskets as a kind of data: from a table to integer arrays with their taxonomy, and back to a table to publish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tacit.arrays.encode import Baskets, EncodeNotes, group_baskets, is_list, split_baskets
from tacit.arrays.labels import places_in
from tacit.arrays.order import Content, Lists
from tacit.arrays.reading import codes_beside
from tacit.arrays.sparse import Sparse, as_sets, keep_where, side_by_side, sorted_sets, take_all_rows
from tacit.arrays.spellings import all_spellings, first_spellings, note_on_items, note_on_undeclared
from tacit.baskets.local_recodings import LocalColumn, LocalRecoding
from tacit.baskets.recoding import CutRecoding, ItemCut
from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat
from tacit.job import BLANK, Column, Job
from tacit.job.checks import require_columns
from tacit.taxonomy import NotLeaves, Taxonomy
from tacit.taxonomy.nodes import ROOT, first_few, free_name
from tacit.values.writing import item_set_names, node_names

if TYPE_CHECKING:
    from tacit.audits.views.baskets import BasketView


@dataclass(frozen=True, eq=False)
class ItemColumns:
    """The set-valued columns of a table as one basket a person: item i stands in column `column_of[i]`.

    Several columns become one by keeping their items apart (Poulis et al. 2013, footnote 1).
    """

    columns: tuple[Column, ...]
    baskets: Baskets
    column_of: np.ndarray
    persons: pa.Array | None  # long layout: whose basket it is

    def vocabulary(self, column: int) -> list[str]:
        return [self.baskets.vocabulary[i] for i in np.flatnonzero(self.column_of == column).tolist()]

    def at(self, order: np.ndarray) -> ItemColumns:
        """The baskets at these places."""
        indptr, items = take_all_rows(self.baskets.indptr, [self.baskets.items], order)
        persons = None if self.persons is None else self.persons.take(pa.array(order))
        weight = None if self.baskets.weight is None else self.baskets.weight[order]
        return replace(self, baskets=replace(self.baskets, indptr=indptr, items=items, weight=weight), persons=persons)

    def in_order(self, order: np.ndarray) -> ItemColumns:
        """The same baskets with the items in this order, which keeps those of a column together."""
        if np.array_equal(order, np.arange(order.size)):
            return self
        items = sorted_sets(self.baskets.indptr, places_in(order)[self.baskets.items])
        labels = tuple(map(self.baskets.vocabulary.__getitem__, order.tolist()))
        baskets = replace(self.baskets, items=items, vocabulary=labels)
        return replace(self, baskets=baskets, column_of=self.column_of[order])


@dataclass(frozen=True, eq=False)
class Totals:
    """What all baskets come to, where those are left out that tell a search nothing new (solvers/thinning.py)."""

    records: int
    people: np.ndarray  # int64: how many hold each node of the taxonomy, or a leaf below it


@dataclass(frozen=True, eq=False)
class BasketData:
    """Baskets ready for a method: every item that may be generalized is a leaf of the taxonomy.

    Declared sensitive items are no leaves: nobody who attacks knows them, and they are published as they are.
    """

    items: ItemColumns
    trees: tuple[Taxonomy, ...]  # one per column, without the sensitive items
    leaf_of_item: np.ndarray  # in `taxonomy`; −1 for a sensitive item
    plain: tuple[pa.ChunkedArray, ...] = ()  # columns that are published as they are
    person_of_row: np.ndarray | None = None  # of each row of the table, where the rows of a person were united
    of_all: Totals | None = None  # where some baskets are left out; no item is sensitive then

    def __len__(self) -> int:
        return self.records

    @property
    def records(self) -> int:
        """How many people there are."""
        return self.items.baskets.records if self.of_all is None else self.of_all.records

    @property
    def occurrences(self) -> np.ndarray:
        """How many people have each item of the vocabulary."""
        return self.items.baskets.occurrences if self.of_all is None else self.of_all.people[self.leaf_of_item]

    def content(self) -> Content:
        """All items, and what is published beside them."""
        baskets = self.items.baskets
        lists = Lists(baskets.indptr, [(baskets.items, len(baskets.vocabulary))])
        return Content(len(baskets), lists=lists, beside=codes_beside(self.plain))

    def at(self, order: np.ndarray) -> BasketData:
        """The records at these places, without what no method looks at."""
        return replace(self, items=self.items.at(order), plain=(), person_of_row=None)

    @cached_property
    def spans(self) -> tuple[range, ...]:
        """The nodes of `taxonomy` that are each column's; none for a column without leaves."""
        return _spans(self.items, self.trees, self.leaf_of_item)

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The columns' trees, under one root if there are several."""
        if len(self.trees) == 1:
            return self.trees[0]
        placed = zip(self.items.columns, self.trees, self.spans, strict=True)
        return Taxonomy.join({column.name: tree for column, tree, span in placed if span})

    def attackable(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(indptr, items, leaf of each item) of what an attacker may know."""
        baskets, known = self.items.baskets, self.leaf_of_item >= 0
        if known.all():
            return baskets.indptr, baskets.items, self.leaf_of_item
        indptr, items = keep_where(baskets.indptr, baskets.items, known[baskets.items])
        return indptr, (np.cumsum(known) - 1).astype(np.int32)[items], self.leaf_of_item[known]

    def sensitive(self) -> Sparse:
        """(indptr, items) of the sensitive items, numbered from 0; all spellings of one are the first."""
        (indptr, items), is_sensitive = self.meant(), self.leaf_of_item < 0
        indptr, items = keep_where(indptr, items, is_sensitive[items])
        return indptr, (np.cumsum(is_sensitive) - 1).astype(np.int32)[items]

    def meant(self) -> Sparse:
        """(indptr, items) of all items; a sensitive one that is spelt in several ways is the first of them."""
        baskets, first = self.items.baskets, np.arange(self.leaf_of_item.size)
        for index, column in enumerate(self.items.columns):
            here = np.flatnonzero((self.items.column_of == index) & (self.leaf_of_item < 0))
            if column.fold and here.size:
                first[here] = here[first_spellings([baskets.vocabulary[item] for item in here.tolist()])]
        if np.array_equal(first, np.arange(first.size)):
            return baskets.indptr, baskets.items
        return as_sets(baskets.indptr, first.astype(np.int32)[baskets.items])

    def column_of_known(self) -> np.ndarray:
        """The index of the column of each item that an attacker may know."""
        return self.items.column_of[self.leaf_of_item >= 0]

    def top_group_of_known(self) -> np.ndarray:
        """The group of `taxonomy` that each item that an attacker may know is in, of those right below the columns'
        roots; a group that holds all of a column says nothing, so those below it are meant."""
        parent = self.taxonomy.parent.tolist()
        children = np.bincount(self.taxonomy.parent[1:], minlength=len(parent)).tolist()
        roots, top = {0, *(span.start for span in self.spans)}, [*range(len(parent))]
        for node in range(1, len(parent)):  # parents come first
            if parent[node] not in roots:
                top[node] = top[parent[node]]
            elif children[parent[node]] == 1 and children[node]:
                roots.add(node)
        return np.array(top, np.int64)[self.leaf_of_item[self.leaf_of_item >= 0]]

    def recoding(self, cut: np.ndarray, suppressed: np.ndarray) -> CutRecoding:
        """The recoding that a cut of `taxonomy` and the suppressed nodes of it mean for each column."""
        self._check_roots(cut)
        left_out = set(suppressed.tolist())
        cuts = {}
        for column, tree, span in zip(self.items.columns, self.trees, self.spans, strict=True):
            becomes: dict[str, str | None] = {}
            start = span.start
            here = cut[(cut >= start) & (cut < span.stop)]
            for node in (here - start).tolist():
                first = np.searchsorted(tree.leaves, node)
                name = None if node + start in left_out else tree.names[node]
                for leaf in tree.leaves[first : first + tree.leaf_count[node]].tolist():
                    becomes[tree.names[leaf]] = name
            names = tuple(tree.names[node - start] for node in here.tolist() if node in left_out)
            cuts[column.name] = ItemCut(becomes, names, {label: label for label in column.sensitive_items})
        return CutRecoding(cuts)

    def local_recoding(self, part: np.ndarray, indptr: np.ndarray, nodes: np.ndarray) -> LocalRecoding:
        """The recoding that records in parts mean; part i publishes nodes[indptr[i]:indptr[i + 1]] of `taxonomy`.

        Of several columns, the root above their own roots can be published in none: what is below it is suppressed.
        """
        if indptr.size == 2:
            self._check_roots(nodes)
        columns = {}
        for column, tree, span in zip(self.items.columns, self.trees, self.spans, strict=True):
            ends, here = keep_where(indptr, nodes - span.start, (nodes >= span.start) & (nodes < span.stop))
            labels = tuple(tree.names[leaf] for leaf in tree.leaves.tolist() if span)
            used = np.flatnonzero(np.bincount(here, minlength=len(tree)))
            inner = used[~tree.is_leaf[used]]
            first = np.searchsorted(tree.leaves, inner)
            below = zip(first.tolist(), (first + tree.leaf_count[inner]).tolist(), strict=True)
            groups = {tree.names[node]: labels[i:j] for node, (i, j) in zip(inner.tolist(), below, strict=True)}
            names = tuple(map(tree.names.__getitem__, here.tolist()))
            columns[column.name] = LocalColumn(
                labels, groups, tuple(names[i:j] for i, j in pairwise(ends.tolist())), column.sensitive_items
            )
        return LocalRecoding(part, columns)

    def _check_roots(self, cut: np.ndarray) -> None:
        """Refuses to publish the root above the columns' own for everybody."""
        if len(self.trees) > 1 and cut.tolist() == [0] and any(self.spans):
            raise PromiseError(
                "Nothing but whether a basket is empty could be published: one group of all items of all columns.\n"
                "  Weaker parameters could be reached, or the same for one column alone."
            )

    def set_recoding(self, group: np.ndarray, *, by_name: bool = False) -> CutRecoding:
        """The recoding that publishes the items with equal codes in `group` as a set, and those with −1 not at all.

        Items are those of `attackable`; leaves that the data lacks are left as they are. With `by_name` a set of all
        items of a group of the hierarchy is published by the group's name.
        """
        known = np.flatnonzero(self.leaf_of_item >= 0)
        cuts = {}
        for index, (column, tree, span) in enumerate(zip(self.items.columns, self.trees, self.spans, strict=True)):
            here = self.items.column_of[known] == index
            sets: dict[int, list[str]] = {}
            for item, of_group in zip(known[here].tolist(), group[here].tolist(), strict=True):
                sets.setdefault(of_group, []).append(self.items.baskets.vocabulary[item])
            suppressed = sets.pop(-1, [])
            leaves = [tree.names[leaf] for leaf in tree.leaves.tolist() if span]
            several = [sorted(items) for items in sets.values() if len(items) > 1]
            labels = {*leaves, *column.sensitive_items}
            names = item_set_names(several, labels, separator_of(column), taken=tree.names)
            if by_name:
                groups = _names_of_leaves(tree)
                names = [groups.get(frozenset(items), name) for items, name in zip(several, names, strict=True)]
            becomes: dict[str, str | None] = {leaf: leaf for leaf in leaves}
            for items, name in zip(several, names, strict=True):
                becomes |= dict.fromkeys(items, name)
            becomes |= dict.fromkeys(suppressed)
            cuts[column.name] = ItemCut(becomes, tuple(suppressed), {label: label for label in column.sensitive_items})
        return CutRecoding(cuts)


def _names_of_leaves(tree: Taxonomy) -> dict[frozenset[str], str]:
    """The name of the group that has exactly these leaves, the lowest one if there are several."""
    labels = [tree.names[leaf] for leaf in tree.leaves.tolist()]
    inner = np.flatnonzero(~tree.is_leaf)
    first = np.searchsorted(tree.leaves, inner)
    ends = zip(inner.tolist(), first.tolist(), (first + tree.leaf_count[inner]).tolist(), strict=True)
    return {frozenset(labels[start:stop]): tree.names[node] for node, start, stop in ends}


def read_items(table: pa.Table, job: Job, source: str | Path | None = None) -> ItemColumns:
    """The baskets of a table, be it original or published; `source` is what errors call it."""
    columns = job.columns_with("items")
    persons = job.columns_with("person") if job.input.layout == "long" else ()
    require_columns(table, (*columns, *persons), source or job.input.source)
    if persons:
        baskets, ids = group_baskets(table[persons[0].name], table[columns[0].name], job.input.missing)
        return _declared(ItemColumns(columns, baskets, np.zeros(len(baskets.vocabulary), np.int32), ids))
    parts = [
        split_baskets(table[column.name], separator=separator_of(column), missing=job.input.missing)
        for column in columns
    ]
    sizes = [len(part.vocabulary) for part in parts]
    indptr, items = side_by_side([(part.indptr, part.items) for part in parts], sizes)
    labels = tuple(label for part in parts for label in part.vocabulary)
    notes = sum((part.notes for part in parts), EncodeNotes())
    column_of = np.repeat(np.arange(len(parts), dtype=np.int32), sizes)
    return _declared(ItemColumns(columns, Baskets(indptr, items, labels, notes), column_of, None))


def _declared(items: ItemColumns) -> ItemColumns:
    """The same where a sensitive item is declared by any of its spellings."""
    columns = tuple(
        replace(column, sensitive_items=all_spellings(column.sensitive_items, items.vocabulary(index)))
        if column.fold and column.sensitive_items else column
        for index, column in enumerate(items.columns)
    )  # fmt: skip
    return replace(items, columns=columns)


def notes_on_spellings(items: ItemColumns) -> Iterator[str]:
    """Sensitive items that are spelt in several ways."""
    for index, column in enumerate(items.columns):
        labels, declared = items.vocabulary(index), set(column.sensitive_items)
        if column.fold:
            yield from note_on_items(column.name, [label for label in labels if label in declared])
        else:
            yield from note_on_undeclared(column.name, labels, declared)


def published_items(view: BasketView) -> ItemColumns:
    """Baskets of a published table as a method, or a report, takes them."""
    return ItemColumns(view.columns, Baskets(view.starts, view.items, view.labels), view.column_of, None)


def separator_of(column: Column) -> str:
    """What stands between two items of a text column."""
    return column.separator or BLANK


def with_taxonomies(items: ItemColumns, hierarchies: Mapping[str, Taxonomy]) -> BasketData:
    """Baskets with the hierarchies of their columns; a column without one gets a root over its items.

    The items of a column are numbered in the order of the leaves, sensitive ones behind them as the job lists them.
    """
    trees = []
    leaf_of_item = np.full(len(items.baskets.vocabulary), -1, np.int32)
    for index, column in enumerate(items.columns):
        here = np.flatnonzero(items.column_of == index)
        labels, sensitive = items.vocabulary(index), set(column.sensitive_items)
        known = [label for label in labels if label not in sensitive]
        is_known = np.array([label not in sensitive for label in labels], bool)
        if column.name in hierarchies:
            tree = _without_sensitive(hierarchies[column.name], column)
        else:
            tree = Taxonomy.flat(known, root=free_name(ROOT, {*labels, *sensitive}))
        try:
            leaf_of_item[here[is_known]] = tree.find_leaves(known)
        except NotLeaves as error:
            raise error.of(column.name) from None
        trees.append(tree)
    start_of_item = np.array([span.start for span in _spans(items, trees, leaf_of_item)], np.int32)[items.column_of]
    leaf_of_item = np.where(leaf_of_item < 0, -1, leaf_of_item + start_of_item)
    order = np.lexsort((_places_listed(items), leaf_of_item, leaf_of_item < 0, items.column_of))
    return BasketData(items.in_order(order), tuple(trees), leaf_of_item[order])


def joined_by(column: Column, table: pa.Table, output: FileFormat) -> str | None:
    """What stands between the items of a published basket; None if it is published as a list."""
    return None if is_list(table[column.name].type) and output.has_lists else separator_of(column)


def with_written_names(
    trees: Mapping[str, Taxonomy], table: pa.Table, job: Job, output: FileFormat
) -> dict[str, Taxonomy]:
    """The hierarchies with node names that the published file can hold."""
    written = dict(trees)
    if job.input.layout == "wide":
        for column in job.columns_with("items"):
            separator = joined_by(column, table, output)
            if column.name in trees and separator is not None:
                tree = trees[column.name]
                names = node_names(tree.names, tree.is_leaf.tolist(), separator, blanks=output.name != "dat")
                written[column.name] = tree if names is tree.names else replace(tree, names=names)
    return written


def _places_listed(items: ItemColumns) -> np.ndarray:
    """For each sensitive item its place in the job's list of them; 0 for the others."""
    place = np.zeros(len(items.baskets.vocabulary), np.int64)
    for index, column in enumerate(items.columns):
        listed = {label: at for at, label in enumerate(column.sensitive_items)}
        place[items.column_of == index] = [listed.get(label, 0) for label in items.vocabulary(index)]
    return place


def _without_sensitive(tree: Taxonomy, column: Column) -> Taxonomy:
    """The tree without the sensitive items, which need not stand in it."""
    if not column.sensitive_items:
        return tree
    present = [label for label in column.sensitive_items if label in tree.names]
    inner = [tree.names[node] for node in np.flatnonzero(~tree.is_leaf).tolist()]
    meant = all_spellings(column.sensitive_items, inner) if column.fold else column.sensitive_items
    groups = sorted(set(meant) & set(inner))
    if groups:
        raise InputError(
            f"`sensitive` lists {first_few(groups)}, which is the name of a group of the hierarchy",
            column=column.name,
            hint="Rename the group in the hierarchy: in the release, the two could not be told apart.",
        )
    return tree.without_leaves(present)


def _spans(items: ItemColumns, trees: Sequence[Taxonomy], leaf_of_item: np.ndarray) -> tuple[range, ...]:
    """Where the nodes of each tree are in the joined one, which has a root of its own if there are several.

    A root alone is in it only as an item of the data. Otherwise its column is empty and no leaf is known to it: joined,
    it would count as one.
    """
    held = set(items.column_of[leaf_of_item >= 0].tolist())
    sizes = [len(tree) if len(tree) > 1 or index in held else 0 for index, tree in enumerate(trees)]
    ends = accumulate(sizes, initial=0 if len(trees) == 1 else 1)
    return tuple(range(start, stop) for start, stop in pairwise(ends))
