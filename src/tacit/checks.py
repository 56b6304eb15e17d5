"""What is checked before a search, and what the data's owner is told about the data and the outcome."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pyarrow as pa

from tacit.baskets import BasketData, ItemColumns, require_columns
from tacit.errors import InputError, PromiseError
from tacit.io import FileFormat
from tacit.job import Job
from tacit.recoding import CutRecoding
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import first_few


def check_columns(table: pa.Table, job: Job, protected: Collection[str] = ("items",)) -> None:
    """Refuses columns that the data lacks, and those that would be published without any protection.

    `protected` are the roles that the promise is about.
    """
    require_columns(table, job.columns, job.input.source)
    for column in job.columns:
        if column.role in ("quasi", "sensitive", "items", "rating") and column.role not in protected:
            raise InputError(
                f"the promise {job.promise.name!r} does not protect a column with the role {column.role!r}",
                file=job.file,
                column=column.name,
                hint='Leave the column out (it is not published then), or publish it as it is with role = "plain".',
            )
        if column.role == "plain" and job.input.layout == "long":
            raise InputError(
                "a long layout has one row per person and item, so a plain column cannot be published with it",
                file=job.file,
                column=column.name,
                hint="Leave the column out, or bring the data to one row per person.",
            )


def check_output(table: pa.Table, job: Job, output: FileFormat) -> None:
    """Refuses a format that cannot hold what is to be published."""
    for column in job.columns:
        published = column.role in ("items", "plain") or (column.role == "person" and job.input.layout == "long")
        if published and output.name == "dat" and column.name != "items":
            raise InputError(
                "a .dat file holds nothing but one column of baskets, named 'items'",
                file=job.file,
                column=column.name,
                hint='Write another format, such as format = "csv" under [output].',
            )
        if column.role == "plain" and pa.types.is_nested(table[column.name].type) and not output.has_lists:
            raise InputError(
                f"values of type {table[column.name].type} cannot be written as text",
                file=job.file,
                column=column.name,
                hint='Leave the column out, or write format = "parquet" under [output].',
            )


def check_names(items: ItemColumns, trees: Mapping[str, Taxonomy], job: Job) -> None:
    """Refuses names that would be misread: a misspelt sensitive item, a group that reads as "no value"."""
    held = {label for number in range(len(items.columns)) for label in items.vocabulary(number)}
    for column in items.columns:
        absent = [label for label in column.sensitive_items if label not in held]
        if absent and len(items.baskets):
            raise InputError(
                f"`sensitive` lists {first_few(absent)}, which no basket holds",
                file=job.file,
                column=column.name,
                hint="Correct the spelling, or take it out of the list.",
            )
    for name, tree in trees.items():
        groups = {tree.names[node] for node in np.flatnonzero(~tree.is_leaf).tolist()}
        if unreadable := sorted(groups & set(job.input.missing)):
            raise InputError(
                f"the hierarchy has a group {first_few(unreadable)}, which means 'no value' in this job",
                file=job.file,
                column=name,
                hint="Rename the group, or take its name out of `missing` under [input].",
            )


def check_reachable(data: BasketData, job: Job) -> None:
    """Fewer than k people with anything to publish cannot hide each other."""
    indptr, items, leaf_of_item = data.attackable()
    records, k = indptr.size - 1, job.promise.parameters()["k"]
    if records == 0 or (leaf_of_item.size == 0 and data.leaf_of_item.size > 0):
        return
    people = int(np.count_nonzero(np.diff(indptr)))
    have = "are not empty"
    if leaf_of_item.size < data.leaf_of_item.size:
        have = "hold an item that is not sensitive"
    if len(data.trees) > 1:  # one column can be published alone, all others suppressed
        have += " in the same column"
        column_of = data.items.column_of[data.leaf_of_item >= 0][items]
        row = np.repeat(np.arange(records), np.diff(indptr))
        held = (np.bincount(row[column_of == number], minlength=records) for number in range(len(data.trees)))
        people = max(int(np.count_nonzero(each)) for each in held)
    if people < k:
        reach = f"k = {people} could be reached" if people > 1 else "No k above 1 could be reached"
        raise PromiseError(
            f"k = {k}, but only {people:,} of {records:,} baskets {have}, so that only empty baskets could be "
            f"published.\n  {reach}; nothing was published."
        )


def check_outcome(items: ItemColumns, recoding: CutRecoding, method: str) -> None:
    """A release of empty baskets keeps every promise, and is worth nothing."""
    nodes = [
        cut.becomes[label]
        for number, cut in enumerate(recoding.columns.values())
        for label in items.vocabulary(number)
        if label in cut.becomes
    ]
    if nodes and set(nodes) == {None}:
        raise PromiseError(
            f"The method {method!r} would suppress every item, so that only empty baskets could be published.\n"
            "  A lower k or m could be reached, or this promise by a method that generalizes; nothing was published."
        )


def notes_on(items: ItemColumns, trees: Mapping[str, Taxonomy]) -> Iterator[str]:
    """What reading the data had to decide."""
    met = items.baskets.notes
    if met.duplicates:
        yield f"items that stood twice in their basket, counted once because a basket is a set: {met.duplicates:,}"
    if met.dropped:
        yield f"items left out because they mean 'no value': {met.dropped:,}"
    for column in items.columns:
        if column.name not in trees:
            yield (
                f"column {column.name!r} has no hierarchy, so its items can only be kept, suppressed, or all be "
                "merged; `tacit hierarchy build` makes one"
            )
        else:
            yield from (f"hierarchy of {column.name!r}: {note}" for note in trees[column.name].notes)


def warnings_about(data: BasketData, recoding: CutRecoding) -> Iterator[str]:
    """What the data's owner should know before handing the release on."""
    for tree, (name, cut) in zip(data.trees, recoding.columns.items(), strict=True):
        if len(tree) > 1 and set(cut.becomes.values()) == {tree.names[0]}:
            yield f"all items of {name!r} became {tree.names[0]!r}: only empty baskets can be told from the others"
