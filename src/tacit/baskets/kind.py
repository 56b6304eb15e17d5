"""Baskets as a kind of data: purchases, diagnoses, page visits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tacit.baskets.checks import (
    advice_on_sets,
    check_names,
    check_outcome,
    notes_on,
    warnings_about,
)
from tacit.baskets.data import BasketData, notes_on_spellings, read_items, with_taxonomies, with_written_names
from tacit.baskets.measures import measure_baskets
from tacit.baskets.notes import basket_semantics
from tacit.baskets.persons import first_rows, notes_on_persons, rows_of_persons, united
from tacit.baskets.publish import group_column, publish_baskets
from tacit.baskets.recoding import Applied, BasketRecoding
from tacit.io import FileFormat
from tacit.job import Job
from tacit.job.checks import check_columns, check_output, check_sensitive_items
from tacit.job.sources import read_trees, told_by_line, told_by_name
from tacit.kinds import Encoded, Published
from tacit.methods import METHODS, Method
from tacit.release import Release
from tacit.shuffle import Shuffle
from tacit.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tacit.report.blocks import Section

_MOST = 0.5
"""Beyond which share the items of a release tell nothing any more."""

SINGLE_VALUED: tuple[str, ...] = ()


def encode(
    table: pa.Table,
    job: Job,
    hierarchies: Mapping[str, Taxonomy],
    output: FileFormat | None,
    weight: np.ndarray | None = None,
    *,
    is_part: bool = False,
) -> Encoded:
    """With `weight`, each row stands for so many people, who have equal ones; `is_part` if there are other rows."""
    check_columns(table, job)
    check_sensitive_items(job)
    if output is not None:
        check_output(table, job, output)
    items = read_items(table, job)
    if weight is not None:
        items = replace(items, baskets=replace(items.baskets, weight=weight))
    with told_by_line(items, table, job.input) if weight is None else told_by_name(job.input):
        trees = {**hierarchies, **read_trees(items)}
        written = trees if output is None else with_written_names(trees, table, job, output)
        check_names(items, written, job, is_part=is_part)
        data = with_taxonomies(items, written)
    data = replace(data, plain=tuple(table[column.name] for column in job.columns_with("plain")))
    data = united(data, table, job)
    notes = list(notes_on_persons(data))
    notes += notes_on(data.items, trees, needs_hierarchy=_needs_hierarchy(job))
    notes += notes_on_spellings(data.items)
    if job.promise.shows_groups:
        changes = job.input.is_dat and job.output.format is None
        as_csv = ", and as CSV because a .dat file has no room for it" if changes else ""
        notes.append(f"the file has a column {group_column(job)!r}, the groups' random numbers{as_csv}")
    return Encoded(data, tuple(notes))


def apply(data: BasketData, recoding: BasketRecoding) -> Applied:
    return recoding.applied(data.items)


def judge(data: BasketData, applied: Applied, method: str) -> tuple[str, ...]:
    check_outcome(data, applied, method)
    return (*warnings_about(data, applied), *advice_on_sets(data, applied))


def publish(
    data: BasketData, applied: Applied, table: pa.Table, job: Job, output: FileFormat, hidden: Shuffle
) -> Published:
    return publish_baskets(data.items, applied, first_rows(data, table), job, output, hidden)


def measure(data: BasketData, applied: Applied, published: Published, job: Job) -> dict[str, Any]:
    return measure_baskets(data.items, applied)


def rows(data: BasketData, original: np.ndarray) -> pa.Table:
    """Row numbers from 0, several for a person whose rows were united; or persons' ids in a long layout."""
    if data.person_of_row is not None:
        return rows_of_persons(data.person_of_row, original)
    persons, row = data.items.persons, np.arange(original.size)
    if persons is None:
        return pa.table({"published": row, "original": original})
    return pa.table({"published": row + 1, "original": persons.take(pa.array(original))})


def facts_for_words(data: BasketData) -> dict[str, Any]:
    """Whether some items are sensitive, which nobody who attacks knows."""
    return {"some_sensitive": any(column.sensitive_items for column in data.items.columns)}


def cost_in_words(utility: Mapping[str, Any], *, in_public: bool = False) -> str:
    if "moved" in utility:
        moved = f"{utility['moved']:.2%} of the occurrences in another record of their group"
        if in_public:  # one sensitive item in the file, and none moved: whose it is would be told
            moved = "sensitive ones in any record of their group"
        return f"all items by their own names, {moved}"
    return (
        f"of the occurrences {utility['unchanged']:.1%} are as they were, {utility['generalized']:.1%} generalized, "
        f"{utility['suppressed']:.1%} suppressed; counts of items are {utility['item_frequency_error']:.0%} off; "
        f"NCP {utility['ncp']:.2%}"
    )


def tells_nothing(utility: Mapping[str, Any]) -> tuple[str, ...]:
    share = utility["nothing_told"]
    if share <= _MOST:
        return ()
    return (f"Most items tell nothing any more: {share:.0%} are taken out, or shown as all there are.",)


def sections(release: Release) -> Sequence[Section]:
    from tacit.baskets.report import basket_sections

    return basket_sections(release)


def how_to_read(release: Release) -> Sequence[str]:
    return basket_semantics(release)


def _needs_hierarchy(job: Job) -> bool:
    """Whether the method generalizes along hierarchies, and cannot put items into sets instead."""
    method = _method(job)
    return method.uses_hierarchy and ("sets" not in method.options or job.method.options.get("sets") is False)


def _method(job: Job) -> Method:
    """The method that the job names, if it fits: an audit does not depend on it."""
    named = METHODS.get(job.method.name or "")
    fits = named is not None and job.promise.name in named.makes
    return named if named is not None and fits else METHODS[job.promise.default_method]
