"""Hierarchies for the columns of a first job file, and for `tacit hierarchy build`."""

from __future__ import annotations

import re
from calendar import monthrange
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
from tacit.init.shapes import day_of, is_day, is_time
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
    """Groups of a column's values: dates by month and year, times by hour, numbers by size, codes by how they begin."""
    labels = column.texts.to_pylist()
    if column.share(is_day) > 0.9 and (days := _days(labels)) is not None:
        return nested_groups(*days)
    if column.share(is_time) > 0.9:
        return nested_groups(*_hours(labels))
    low, high = column.digits
    if topic in ("postcode", "job", "health") and 2 < low <= high <= low + 2 and column.word_count < 1.5:
        return by_prefix(labels)
    return build(labels)


def _days(labels: list[str]) -> tuple[list[str], list[list[str]]] | None:
    """Dates in order, each with its month, year and decade; moments with their day and third of a month, too.

    None if some text is no date.
    """
    for month_first in (False, True):
        days = {label: day_of(label.strip(), month_first=month_first) for label in labels}
        known = {label: day for label, day in days.items() if day is not None}
        if len(known) == len(labels):
            ordered = sorted(labels, key=lambda label: (known[label], label))
            are_moments = len(set(known.values())) < len(labels)
            return ordered, [_periods(known[label], are_moments) for label in ordered]
    return None


def _periods(day: date, is_moment: bool) -> list[str]:
    """Month, year and decade; of a moment the day first, and the third of the month.

    >>> _periods(date(2024, 3, 15), True)
    ['2024-03-15', '2024-03-11 to 20', '2024-03', '2024', '2020s']
    >>> _periods(date(2024, 2, 28), True)[1]
    '2024-02-21 to 29'
    """
    later = [f"{day:%Y-%m}", f"{day:%Y}", f"{day.year // 10}0s"]
    third = ("01 to 10", "11 to 20", f"21 to {monthrange(day.year, day.month)[1]}")[min((day.day - 1) // 10, 2)]
    return [f"{day}", f"{day:%Y-%m}-{third}", *later] if is_moment else later


def _hours(labels: list[str]) -> tuple[list[str], list[list[str]]]:
    """Times of the day in order, each with its hour and its quarter of the day; other texts last."""
    hours = {label: int(found[0]) if (found := re.match(r"\d{1,2}", label.strip())) else 24 for label in labels}
    afternoon = [label for label in labels if re.search(r"(?i)p\.?m\.?$", label.strip()) and hours[label] < 12]
    hours |= {label: hours[label] + 12 for label in afternoon}
    ordered = sorted(labels, key=lambda label: (hours[label], label))
    return ordered, [_parts_of_the_day(hours[label]) for label in ordered]


def _parts_of_the_day(hour: int) -> list[str]:
    """The hour and the quarter of the day.

    >>> _parts_of_the_day(9)
    ['9-10 h', '6-12 h']
    """
    if hour >= 24:
        return ["other times", "other times of the day"]
    quarter = hour // 6 * 6
    return [f"{hour}-{hour + 1} h", f"{quarter}-{quarter + 6} h"]


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
