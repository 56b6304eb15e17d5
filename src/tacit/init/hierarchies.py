"""Hierarchies for the columns of a first job file, and for `tacit hierarchy build`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays.encode import Baskets, is_list, split_baskets
from tacit.errors import InputError
from tacit.init.columns import look_at
from tacit.init.evidence import Evidence
from tacit.init.layout import find_separator, find_sets, no_sets
from tacit.init.shapes import day_of, is_day
from tacit.init.text import refuse_existing
from tacit.job import BLANK
from tacit.job.checks import what_it_has
from tacit.job.sources import read_file
from tacit.taxonomy import KINDS, Taxonomy, build, by_prefix, pick_kind, write_hierarchy
from tacit.taxonomy.draw import summary
from tacit.taxonomy.scales import nested_groups

_WHOLE_CELL = "\0"
"""A separator that no text holds: every cell is one item."""


def tree_of_column(column: Evidence, topic: str) -> Taxonomy:
    """Groups of a column's values: dates by month and year, numbers by size, codes by how they begin."""
    labels = column.texts.to_pylist()
    if column.share(is_day) > 0.9 and (days := _days(labels)) is not None:
        return nested_groups(*days)
    low, high = column.digits
    if topic in ("postcode", "job", "health") and 2 < low <= high <= low + 2 and column.word_count < 1.5:
        return by_prefix(labels)
    return build(labels)


def _days(labels: list[str]) -> tuple[list[str], list[list[str]]] | None:
    """Dates in order, each with its month, year and decade; None if some text is no date."""
    for month_first in (False, True):
        days = {label: day_of(label.strip(), month_first=month_first) for label in labels}
        known = {label: day for label, day in days.items() if day is not None}
        if len(known) == len(labels):
            ordered = sorted(labels, key=lambda label: (known[label], label))
            return ordered, [_periods(known[label]) for label in ordered]
    return None


def _periods(day: date) -> list[str]:
    """Month, year and decade."""
    return [f"{day:%Y-%m}", f"{day:%Y}", f"{day.year // 10}0s"]


def tree_of_items(
    baskets: Baskets, kind: str = "auto", options: Mapping[str, Any] | None = None
) -> tuple[Taxonomy, str]:
    """A hierarchy over items, and its kind."""
    labels, given = baskets.vocabulary, dict(options or {})
    kind = pick_kind(labels) if kind == "auto" else kind
    if kind in KINDS and "counts" in KINDS[kind][1]:
        given["counts"] = np.bincount(baskets.items, minlength=len(labels)).tolist()
    return build(labels, kind, **given), kind


def build_hierarchy(
    data: Path,
    output: Path,
    column: str | None,
    separator: str | None,
    kind: str,
    options: Mapping[str, Any],
    *,
    format: str | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Writes a hierarchy over the values of one column; tells what was made."""
    refuse_existing(output, force)
    table, found, _ = read_file(data, format=format)
    names = table.column_names
    if column is None and len(names) > 1:
        looked = look_at(table)
        sets = find_sets(table, looked.findings, looked.evidence)
        if not sets:
            raise no_sets(data)
        column, divided = next(iter(sets.items()))
        separator = separator or divided
    column = column or names[0]
    if column not in names:
        raise InputError(
            "the data has no such column", file=data, column=column, hint=what_it_has(table, [column], data)
        )
    if separator is None and not is_list(table[column].type):
        separator = find_separator(table[column]) or (BLANK if found.name == "dat" else _WHOLE_CELL)
    tree, kind = tree_of_items(split_baskets(table[column], separator=separator), kind, options)
    write_hierarchy(tree, output)
    return {"hierarchy": str(output), "column": column, "kind": kind, "shape": summary(tree)}
