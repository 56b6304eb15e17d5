"""Records as a kind of data: quasi-identifiers, perhaps sensitive columns, perhaps baskets; from tables to arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute, Spans, published, spans
from tacit.arrays.blocks import side_by_side, threads_for
from tacit.arrays.grid import width_in_job
from tacit.arrays.order import Content
from tacit.arrays.persons import read_persons
from tacit.arrays.reading import NotOfType, attribute_of, codes_beside, read_values, unreadable_groups, with_grid
from tacit.arrays.spellings import note_on_spellings
from tacit.arrays.telling import notes_on_sensitive
from tacit.baskets.checks import check_names
from tacit.baskets.data import (
    BasketData,
    notes_on_spellings,
    read_items,
    with_taxonomies,
    with_written_names,
)
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job import Column, Job
from tacit.job.places import place_of
from tacit.job.sources import read_trees, told_by_line
from tacit.records.asked import Asked, asked_of
from tacit.records.recoding import ClusterItems, ClusterValues, RecordRecoding
from tacit.taxonomy import NotLeaves, Taxonomy, read_hierarchy
from tacit.values.writing import SUPPRESSED


@dataclass(frozen=True, eq=False)
class RecordData:
    """Records ready for a method."""

    attributes: tuple[Attribute, ...]  # the quasi-identifiers
    sensitive: tuple[Attribute, ...]  # categories; a missing value is one, too
    baskets: BasketData | None = None  # with all set-valued columns
    markers: tuple[str, ...] = ("",)  # what means "no value"
    plain: tuple[pa.ChunkedArray, ...] = ()  # columns that are published as they are
    persons: np.ndarray | None = None  # int32: whose record each one is; None if everybody has one
    sensitive_columns: tuple[Column, ...] = ()  # what the job says of them, if the promise takes more of single ones

    def __len__(self) -> int:
        return len(self.attributes[0])

    def content(self) -> Content:
        """The values, the sensitive ones, all items, and what is published beside them."""
        columns = [attribute.content for attribute in (*self.attributes, *self.sensitive)]
        lists = None if self.baskets is None else self.baskets.content().lists
        whose = [] if self.persons is None else [(self.persons, int(self.persons.max(initial=0)) + 1)]
        return Content(len(self), [*columns, *whose], lists, codes_beside(self.plain))

    def at(self, order: np.ndarray) -> RecordData:
        """The records at these places, without what no method looks at."""
        return replace(
            self,
            attributes=tuple(attribute.at(order) for attribute in self.attributes),
            sensitive=tuple(attribute.at(order) for attribute in self.sensitive),
            baskets=None if self.baskets is None else self.baskets.at(order),
            plain=(),
            persons=None if self.persons is None else self.persons[order],
        )

    @cached_property
    def weights(self) -> np.ndarray:
        """Importance of each attribute, with a sum of 1; all are alike if none has any."""
        given = np.array([attribute.weight for attribute in self.attributes])
        return given / given.sum() if given.sum() > 0 else np.full(given.size, 1 / given.size)

    def asked(self, l: float) -> tuple[Asked, ...]:  # noqa: E741
        """What is asked of each sensitive column, where the promise asks for ℓ."""
        pairs = zip(self.sensitive, self.sensitive_columns, strict=True)
        return tuple(asked_of(attribute, column, l, self.markers) for attribute, column in pairs)

    def recoding(self, group: np.ndarray, items: ClusterItems | None = None) -> RecordRecoding:
        """The recoding that a partition means: `group` has the code of each record's cluster, from 0 without gaps."""
        group = np.ascontiguousarray(group, np.int32)
        n_clusters = int(group.max(initial=-1)) + 1

        def became(attribute: Attribute) -> tuple[Spans, ClusterValues]:
            spanned = spans(attribute, group, n_clusters)
            return spanned, ClusterValues(*published(attribute, spanned))

        found = side_by_side([partial(became, each) for each in self.attributes], threads=threads_for(len(group)))
        becomes = {each.name: values for each, (_, values) in zip(self.attributes, found, strict=True)}
        return RecordRecoding(group, becomes, items, spans=tuple(spanned for spanned, _ in found))


def read_records(
    table: pa.Table,
    job: Job,
    hierarchies: Mapping[str, Taxonomy],
    output: FileFormat | None,
    *,
    is_part: bool = False,
) -> tuple[RecordData, list[str]]:
    """The table as arrays, and what reading it had to decide; `is_part` if there are other records."""
    notes: list[str] = []
    attributes = []
    persons = read_persons(table, job)
    for column in job.columns_with("quasi"):
        tree, k = hierarchies.get(column.name), job.promise.parameters()["k"]
        attribute = ranged_attribute(table, job, column, tree, k, persons)
        attributes.append(attribute)
        notes += [f"hierarchy of {column.name!r}: {note}" for note in (attribute.tree.notes if attribute.tree else ())]
    columns = job.columns_with("sensitive")
    sensitive = tuple(sensitive_attribute(table, job, column, hierarchies) for column in columns)
    for attribute in sensitive if "sensitive" in job.promise.roles else ():
        notes += note_on_spellings(attribute.name, attribute.texts, attribute.missing) if attribute.fold else ()
    for attribute, column in zip(sensitive, columns, strict=True) if job.promise.by_column else ():
        notes += notes_on_sensitive(attribute, column)
    plain = tuple(table[column.name] for column in job.columns_with("plain"))
    asked = columns if job.promise.by_column else ()
    if not job.columns_with("items"):
        return RecordData(tuple(attributes), sensitive, None, job.input.missing, plain, persons, asked), notes
    items = read_items(table, job)
    given = {column.name: hierarchies[column.name] for column in items.columns if column.name in hierarchies}
    with told_by_line(items, table, job.input):
        trees = {**given, **read_trees(items)}
        written = trees if output is None else with_written_names(trees, table, job, output)
        check_names(items, written, job, is_part=is_part)
        baskets = with_taxonomies(items, written)
    notes += [f"hierarchy of {name!r}: {note}" for name, tree in trees.items() for note in tree.notes]
    notes += notes_on_spellings(items)
    return RecordData(tuple(attributes), sensitive, baskets, job.input.missing, plain, persons, asked), notes


def attribute_in(table: pa.Table, job: Job, column: Column, tree: Taxonomy | None) -> Attribute:
    """A column of the input as an attribute; what is wrong with it is told with the file, the line and the column."""
    try:
        values = read_values(table[column.name], job.input.missing)
        if column.hierarchy is not None:
            tree = read_hierarchy(column.hierarchy, set(values.known))
        if tree is not None and (groups := unreadable_groups(tree, job.input.missing)):
            raise InputError(
                f"the hierarchy has a group {groups}, which means 'no value' in this job",
                file=job.file,
                hint="Rename the group, or take its name out of `missing` under [input].",
            )
        return attribute_of(values, column, tree)
    except NotOfType as error:
        words, line = place_of(error.record, job.input)
        raise InputError(
            error.problem + words, file=job.input.source, line=line, column=column.name, hint=error.hint
        ) from None
    except NotLeaves as error:
        wrong = np.array([text in set(error.values) for text in values.texts], bool)
        words, line = place_of(int(np.argmax(wrong[values.codes])), job.input)
        raise error.of(column.name).at(words, file=job.input.source, line=line) from None
    except InputError as error:
        raise InputError(
            error.problem, file=error.file or job.input.source, line=error.line, column=column.name, hint=error.hint
        ) from None


def ranged_attribute(
    table: pa.Table, job: Job, column: Column, tree: Taxonomy | None, k: int, persons: np.ndarray | None = None
) -> Attribute:
    """A column of the input as an attribute that groups of k people at least are shown by."""
    attribute = attribute_in(table, job, column, tree)
    try:
        return with_grid(attribute, column, k, persons)
    except InputError as error:
        raise InputError(error.problem, file=job.file, column=column.name, hint=error.hint) from None


def with_widths(columns: Sequence[Column], attributes: Sequence[Attribute]) -> tuple[Column, ...]:
    """The job's columns with the width that was found where they leave it open."""
    grids = {attribute.name: attribute.grid for attribute in attributes}
    found = ((column, grids.get(column.name)) for column in columns)
    return tuple(column if grid is None else replace(column, round=width_in_job(grid)) for column, grid in found)


def sensitive_attribute(table: pa.Table, job: Job, column: Column, hierarchies: Mapping[str, Taxonomy]) -> Attribute:
    """A sensitive column: categories or, for a promise that measures distances, with its order or its hierarchy."""
    tree = hierarchies.get(column.name)
    is_in_tree = tree is not None or column.hierarchy is not None
    if not job.promise.measures_distances or column.distance == "equal":
        return _category(table, job, column)
    if column.distance == "hierarchical" and not is_in_tree:
        raise InputError(
            'distance is "hierarchical", but the column has no hierarchy',
            file=job.file,
            column=column.name,
            hint="Name its file, hierarchy = ..., or leave `distance` out.",
        )
    if column.distance == "ordered":
        if column.type == "category":
            raise InputError(
                'distance is "ordered", but its type is "category"',
                file=job.file,
                column=column.name,
                hint='Set type = "number" or "date", or leave `distance` out.',
            )
        found = attribute_in(table, job, replace(column, hierarchy=None), None)
        if found.numbers is None and len(found.texts) > (found.missing >= 0):
            raise InputError(
                'distance is "ordered", but the values are neither numbers nor dates',
                file=job.file,
                column=column.name,
                hint='Set distance = "equal", or correct the values.',
            )
        return found
    try:
        return attribute_in(table, job, column, tree)
    except InputError:
        if column.type is not None or is_in_tree:
            raise
        return _category(table, job, column)  # nearly all are numbers, but not all: they have no order


def _category(table: pa.Table, job: Job, column: Column) -> Attribute:
    """A column of the input by its exact texts, in their order."""
    found = attribute_in(table, job, replace(column, type="category", hierarchy=None), None)
    return replace(found, fold=column.fold and not job.promise.measures_distances)


def _labels(values: pa.ChunkedArray, column: Column, missing: tuple[str, ...], source: str | Path | None) -> Attribute:
    """A column by its exact texts; null is the empty text."""
    try:
        read = read_values(values, missing)
    except InputError as error:
        raise InputError(error.problem, file=source, column=column.name, hint=error.hint) from None
    texts = (*read.known, SUPPRESSED) if column.missing == "suppress" and read.missing >= 0 else read.texts
    return Attribute(column.name, read.codes, texts, read.missing)
