"""What is checked before a search, and what the data's owner is told about the data and the outcome."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from tacit.arrays.spellings import plain
from tacit.baskets.data import BasketData, ItemColumns
from tacit.baskets.reach import reach_of_suppression
from tacit.baskets.recoding import Applied, CutRecoding
from tacit.errors import InputError, PromiseError
from tacit.job import Column, Job
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import first_few


def check_sensitive(columns: Sequence[Column], held: Collection[str], job: Job) -> None:
    """Refuses a misspelt sensitive item: one that is not among those that the data hold."""
    meant = {plain(label) for column in columns for label in column.sensitive_items if label in held}
    for column in columns:
        absent = [label for label in column.sensitive_items if label not in held]
        absent = [label for label in absent if not (column.fold and plain(label) in meant)]
        if absent:
            raise InputError(
                f"`sensitive` lists {first_few(absent)}, which no basket holds",
                file=job.file,
                column=column.name,
                hint="Correct the spelling, or take it out of the list.",
            )


def check_names(items: ItemColumns, trees: Mapping[str, Taxonomy], job: Job, *, is_part: bool = False) -> None:
    """Refuses names that would be misread: a misspelt sensitive item, a group that reads as "no value".

    A part of the data may lack sensitive items that others have.
    """
    if len(items.baskets) and not is_part:
        held = {label for index in range(len(items.columns)) for label in items.vocabulary(index)}
        check_sensitive(items.columns, held, job)
    for name, tree in trees.items():
        groups = {tree.names[node] for node in np.flatnonzero(~tree.is_leaf).tolist()}
        if unreadable := sorted(groups & set(job.input.missing)):
            raise InputError(
                f"the hierarchy has a group {first_few(unreadable)}, which means 'no value' in this job",
                file=job.file,
                column=name,
                hint="Rename the group, or take its name out of `missing` under [input].",
            )


def check_outcome(data: BasketData, applied: Applied, method: str) -> None:
    """A release of empty baskets keeps every promise, and is worth nothing."""
    codes = _codes_of(data.leaf_of_item >= 0, data, applied)
    if codes.size and codes.max() < 0:
        raise PromiseError(
            f"The method {method!r} would suppress every item, so that only empty baskets could be published.\n"
            f"  {reach_of_suppression(data, 'this promise by a method that generalizes')}."
        )


def notes_on(items: ItemColumns, trees: Mapping[str, Taxonomy], *, needs_hierarchy: bool = True) -> Iterator[str]:
    """What reading the data had to decide; `needs_hierarchy` if the method generalizes in no other way."""
    met, often = items.baskets.notes, items.baskets.weight is None  # else equal rows were read once
    if met.duplicates:
        count = f": {met.duplicates:,}" * often
        yield f"items that stood twice in their basket, counted once because a basket is a set{count}"
    if met.dropped:
        yield f"items left out because they mean 'no value'{f': {met.dropped:,}' * often}"
    for column in items.columns:
        if column.name in trees:
            yield from (f"hierarchy of {column.name!r}: {note}" for note in trees[column.name].notes)
        elif needs_hierarchy:
            yield (
                f"column {column.name!r} has no hierarchy, so its items can only be kept, suppressed, or all be "
                "merged; `tacit hierarchy build` makes one"
            )


def warnings_about(data: BasketData, applied: Applied) -> Iterator[str]:
    """What the data's owner should know before handing the release on."""
    if getattr(applied.recoding, "is_nested", False):
        yield (
            "the baskets hold too many rare sets of items to look at all of them: what is published of each basket is "
            "in those of k people, which keeps the promise for any m; shorter baskets, or a smaller m, may lose less"
        )
    for index, (tree, column) in enumerate(zip(data.trees, data.items.columns, strict=True)):
        codes = _codes_of((data.leaf_of_item >= 0) & (data.items.column_of == index), data, applied)
        if len(tree) == 1 or not codes.size or not 0 <= codes.min() == codes.max():
            continue
        root = tree.names[0]
        if applied.names[index][codes[0]] == root:
            yield f"all items of {column.name!r} became {root!r}: only empty baskets can be told from the others"


def advice_on_sets(data: BasketData, applied: Applied) -> Iterator[str]:
    """What names of the hierarchy would have lost, where sets of items are published in their place."""
    recoding = applied.recoding
    if not isinstance(recoding, CutRecoding) or recoding.in_names is None:
        return
    from tacit.baskets.measures import measure_loss
    from tacit.baskets.measures.shown import shown

    related = (
        ""
        if recoding.in_related_sets is None
        else "; of sets of items that lie together in it, such as (beer,wine), "
        f'{recoding.in_related_sets:.2%}: sets = "related"'
    )
    yield (
        f"sets of items cost {measure_loss(shown(data.items, applied))['ncp']:.2%} (NCP); the price of names of the "
        f"hierarchy alone is {recoding.in_names:.2%}: sets = false under [method]{related}"
    )


def _codes_of(is_wanted: np.ndarray, data: BasketData, applied: Applied) -> np.ndarray:
    """By which names the wanted items are published: the code of every occurrence of one."""
    return applied.code if is_wanted.all() else np.compress(is_wanted[data.items.baskets.items], applied.code)
