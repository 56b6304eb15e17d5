"""Baskets as a kind of data: from a table to integer arrays with their taxonomy, and back to a table to publish."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacit.encode import Baskets, EncodeNotes, baskets_to_lists, baskets_to_strings, group_baskets, split_baskets
from tacit.errors import InputError, PromiseError
from tacit.job import Column, Job
from tacit.recoding import CutRecoding, ItemCut
from tacit.sparse import Sparse, as_sets, keep_where, side_by_side, take_rows
from tacit.taxonomy import Taxonomy

_TEXT_FORMATS = ("csv", "tsv", "dat")


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
        return [self.baskets.vocabulary[i] for i in np.flatnonzero(self.column_of == column)]


@dataclass(frozen=True, eq=False)
class BasketData:
    """Baskets ready for a method: every item that may be generalized is a leaf of the taxonomy.

    Declared sensitive items are no leaves: nobody who attacks knows them, and they are published as they are.
    """

    items: ItemColumns
    trees: tuple[Taxonomy, ...]  # one per column, without the sensitive items
    leaf_of_item: np.ndarray  # in `taxonomy`; −1 for a sensitive item

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The columns' trees, under one root if there are several."""
        if len(self.trees) == 1:
            return self.trees[0]
        return Taxonomy.join({c.name: tree for c, tree in zip(self.items.columns, self.trees, strict=True)})

    def attackable(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(indptr, items, leaf of each item) of what an attacker may know."""
        baskets, known = self.items.baskets, self.leaf_of_item >= 0
        if known.all():
            return baskets.indptr, baskets.items, self.leaf_of_item
        indptr, items = keep_where(baskets.indptr, baskets.items, known[baskets.items])
        return indptr, (np.cumsum(known) - 1).astype(np.int32)[items], self.leaf_of_item[known]

    def recoding(self, cut: np.ndarray, suppressed: np.ndarray) -> CutRecoding:
        """The recoding that a cut of `taxonomy` and the suppressed nodes of it mean for each column."""
        cuts, above = {}, _offsets(self.trees)
        if len(self.trees) > 1 and cut.size == 1:
            raise PromiseError("Nothing but the fact that a basket is not empty could be published; lower k or m.")
        gone = set(suppressed.tolist())
        for column, tree, offset in zip(self.items.columns, self.trees, above, strict=True):
            becomes: dict[str, str | None] = {}
            here = cut[(cut >= offset) & (cut < offset + len(tree))]
            for node in here.tolist():
                leaves = tree.leaves[np.searchsorted(tree.leaves, node - offset) :][: tree.leaf_count[node - offset]]
                name = None if node in gone else tree.names[node - offset]
                becomes.update(dict.fromkeys((tree.names[leaf] for leaf in leaves.tolist()), name))
            becomes.update({label: label for label in column.sensitive_items})
            names = tuple(tree.names[node - offset] for node in here.tolist() if node in gone)
            cuts[column.name] = ItemCut(becomes, names)
        return CutRecoding(cuts)


class Published(NamedTuple):
    """The table to publish, and for each of its records the number of the original one."""

    table: pa.Table
    original: np.ndarray


def read_items(table: pa.Table, job: Job) -> ItemColumns:
    """The baskets of a table, be it original or published."""
    columns = job.columns_with("items")
    for column in (*columns, *job.columns_with("person")):
        require_column(table, column.name, job)
    if job.input.layout == "long":
        person = table[job.columns_with("person")[0].name]
        baskets, persons = group_baskets(person, table[columns[0].name], job.input.missing)
        return ItemColumns(columns, baskets, np.zeros(len(baskets.vocabulary), np.int32), persons)
    parts = [
        split_baskets(table[column.name], separator=separator_of(column), missing=job.input.missing)
        for column in columns
    ]
    sizes = [len(part.vocabulary) for part in parts]
    indptr, items = side_by_side([(part.indptr, part.items) for part in parts], sizes)
    labels = tuple(label for part in parts for label in part.vocabulary)
    notes = sum((part.notes for part in parts), EncodeNotes())
    column_of = np.repeat(np.arange(len(parts), dtype=np.int32), sizes)
    return ItemColumns(columns, Baskets(indptr, items, labels, notes), column_of, None)


def together(one: ItemColumns, other: ItemColumns) -> ItemColumns:
    """The baskets of both, one after the other: what someone sees who holds two releases of different people."""
    number: dict[tuple[int, str], int] = {}
    codes = []
    for part in (one, other):
        labels = zip(part.column_of.tolist(), part.baskets.vocabulary, strict=True)
        joint = np.array([number.setdefault(label, len(number)) for label in labels], np.int32)
        codes.append(joint[part.baskets.items])
    indptr, items = as_sets(
        np.concatenate([one.baskets.indptr, one.baskets.indptr[-1] + other.baskets.indptr[1:]]), np.concatenate(codes)
    )
    column_of = np.array([column for column, _ in number], np.int32)
    return ItemColumns(one.columns, Baskets(indptr, items, tuple(label for _, label in number)), column_of, None)


def require_column(table: pa.Table, name: str, job: Job) -> None:
    if name not in table.column_names:
        raise InputError(
            "the data has no such column",
            file=job.input.source,
            column=name,
            hint=f"Its columns are: {', '.join(table.column_names)}. Is the delimiter right?",
        )


def separator_of(column: Column) -> str:
    return " " if column.separator is None else column.separator


def with_taxonomies(items: ItemColumns, hierarchies: Mapping[str, Taxonomy]) -> BasketData:
    """Baskets with the hierarchies of their columns; a column without one gets a root over its items."""
    trees: list[Taxonomy] = []
    leaf_of_label: dict[tuple[int, str], int] = {}
    for number, column in enumerate(items.columns):
        labels, secret = items.vocabulary(number), set(column.sensitive_items)
        _check_sensitive(column, labels)
        known = [label for label in labels if label not in secret]
        if column.name in hierarchies:
            tree = hierarchies[column.name]
            tree = tree.without_leaves([label for label in column.sensitive_items if _is_leaf(tree, label)])
        else:
            tree = Taxonomy.flat(known, root=_free_name(known))
        trees.append(tree)
        leaf_of_label.update(
            {(number, label): leaf for label, leaf in zip(known, tree.find_leaves(known), strict=True)}
        )
    above = _offsets(trees)
    leaf_of_item = [
        leaf_of_label.get((column, label), -above[column] - 1) + above[column]
        for column, label in zip(items.column_of.tolist(), items.baskets.vocabulary, strict=True)
    ]
    return BasketData(items, tuple(trees), np.array(leaf_of_item, np.int32))


def publish(
    items: ItemColumns, recoding: CutRecoding, table: pa.Table, job: Job, rng: np.random.Generator
) -> Published:
    """The recoded table, its records in random order."""
    order = rng.permutation(len(items.baskets))
    columns = {column.name: column for column in items.columns}
    recoded = {
        name: take_rows(*_recode(items, number, recoding.columns[name]), order) for number, name in enumerate(columns)
    }
    if items.persons is not None:
        return Published(_long_table(*recoded.popitem(), recoding, job), order)
    plain = {column.name for column in job.columns_with("plain")}
    arrays = {}
    for name in table.column_names:
        if name in columns:
            labels = recoding.columns[name].published
            if is_list(table[name].type) and not is_text(job.output.format):
                arrays[name] = baskets_to_lists(*recoded[name], labels)
            else:
                arrays[name] = baskets_to_strings(*recoded[name], labels, separator_of(columns[name]))
        elif name in plain:
            arrays[name] = table[name].take(pa.array(order))
    return Published(pa.table(arrays), order)


def is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def is_text(format: str | None) -> bool:
    """Whether files of this format have no lists."""
    return format is not None and format.removesuffix(".gz") in _TEXT_FORMATS


def with_readable_names(tree: Taxonomy, separator: str) -> Taxonomy:
    """The tree with names that a basket can hold: `_` stands for the separator in the names of inner nodes.

    If the separator is a blank (as in a .dat file) no white space of any kind is left in them.
    """
    pattern = r"\s+" if separator.isspace() else re.escape(separator)
    names, taken = list(tree.names), set(tree.names)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        readable = re.sub(pattern, "_", names[node])
        if readable != names[node]:
            names[node] = _free_name(taken, readable, "_")
            taken.add(names[node])
    return Taxonomy(tuple(names), tree.parent, tree.end, tree.notes)


def _free_name(taken: Sequence[str] | set[str], wanted: str = "*", mark: str = "*") -> str:
    while wanted in set(taken):
        wanted += mark
    return wanted


def _offsets(trees: Sequence[Taxonomy]) -> list[int]:
    """Where the nodes of each tree begin in the joined one, which has a root of its own if there are several."""
    sizes = [len(tree) for tree in trees]
    return [0] if len(trees) == 1 else [1 + sum(sizes[:i]) for i in range(len(sizes))]


def _is_leaf(tree: Taxonomy, label: str) -> bool:
    return label in tree.names and bool(tree.is_leaf[tree.node(label)])


def _check_sensitive(column: Column, labels: Sequence[str]) -> None:
    absent = sorted(set(column.sensitive_items) - set(labels))
    if absent:
        raise InputError(
            f"`sensitive` lists {', '.join(map(repr, absent))}, which no basket holds",
            column=column.name,
            hint="Correct the spelling, or take it out of the list.",
        )


def _recode(items: ItemColumns, column: int, cut: ItemCut) -> Sparse:
    """The baskets of one column as sorted sets of `cut.published`: their order tells nothing of the original items."""
    becomes = np.full(len(items.baskets.vocabulary), -1, np.int32)
    becomes[items.column_of == column] = cut.lookup(items.vocabulary(column))
    indptr, codes = items.baskets.indptr, becomes[items.baskets.items]
    return as_sets(*keep_where(indptr, codes, codes >= 0))


def _long_table(name: str, recoded: Sparse, recoding: CutRecoding, job: Job) -> pa.Table:
    """One row per person and published item, with fresh ids; whose basket is empty gets a row without an item."""
    indptr, codes = recoded
    lengths = np.diff(indptr)
    rows = np.maximum(lengths, 1)
    labels = pa.array([*recoding.columns[name].published, None], pa.string())
    shown = np.full(rows.sum(), len(labels) - 1)
    shown[np.arange(codes.size) + np.repeat(np.cumsum(rows) - rows - indptr[:-1], lengths)] = codes
    person = job.columns_with("person")[0].name
    return pa.table({person: np.repeat(np.arange(1, rows.size + 1), rows), name: labels.take(pa.array(shown))})
