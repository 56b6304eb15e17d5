"""What a public note says about baskets: how each column is to be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays.encode import is_list
from tacit.baskets.data import separator_of
from tacit.baskets.publish import group_column
from tacit.report.markdown import code

if TYPE_CHECKING:
    from tacit.job import Column
    from tacit.release import Release

_NAMED = 200
_MEANING = {
    "cut": "An item is recoded the same way in every record, so counts of what is shown are true counts of the "
    "original data.\nA record that lost all its items is there as an empty one.",
    "local": "An item may be shown as itself in one record and as a group in another, so that a name is counted in "
    "fewer records than hold an item of it.\nEvery record is true: what it shows, the original record holds. A record "
    "that lost all its items is there as an empty one.",
    "groups": "Sensitive items stand beside items of other people of the same group: how often they occur in a group "
    "is true, in which of its records they stand is not. All other items are where they were.",
}


def basket_semantics(release: Release) -> list[str]:
    """For the public note: how each column of baskets is to be read."""
    lines = [line for index in range(len(release.before.items.columns)) for line in _column(release, index)]
    if release.job.promise.shows_groups:
        name = code(group_column(release.job))
        lines.append(f"- {name}: records with the same number are a group; the numbers themselves mean nothing.")
    return [*lines, "", _MEANING[_meaning(release)]]


def _meaning(release: Release) -> str:
    """How an item is recoded: everywhere alike, by record, or not at all but dealt out in groups."""
    kind = release.recoding.kind
    if kind == "parts":
        return "groups" if release.job.promise.shows_groups else "local"
    return kind


def _column(release: Release, index: int) -> Iterator[str]:
    recoding, column = release.recoding, release.before.items.columns[index]
    shown, some_lost = _shown(release, index)
    groups = sorted(shown & set(recoding.groups(column.name)))
    yield f"- {code(column.name)}: {_layout(release, column)}"
    if groups:
        stands_for = recoding.groups(column.name)
        named = ", ".join(f"{code(name)} ({len(stands_for[name]):,})" for name in groups[:_NAMED])
        more = f", and {len(groups) - _NAMED:,} more" if len(groups) > _NAMED else ""
        yield (
            f"  - Groups of items ({len(groups):,} of its {len(shown):,} names): a record that has one holds at "
            "least one item of the group, and may hold several. The number behind a group says how many items it "
            "stands for; which ones, its name tells or the hierarchy, which is no part of this file. They are: "
            f"{named}{more}."
        )
    if recoding.suppressed(column.name):
        yield "  - Some items were taken out wherever they stood; the file does not show them at all."
    elif some_lost:
        lost = "some of their items, or all" if release.job.method.options.get("reallocate") else "all their items"
        yield f"  - Some records lost {lost}; those items may stand in other records."
    if column.sensitive_items and not release.job.promise.shows_groups:
        yield (
            f"  - Items declared sensitive are published as they are ({len(column.sensitive_items):,}). The promise "
            "takes for granted that nobody knows them of a person beforehand."
        )


def _shown(release: Release, index: int) -> tuple[set[str], bool]:
    """The names that a column shows, and whether something of it is not shown."""
    before, applied = release.before.items, release.applied
    if release.recoding.kind == "parts":
        return set(release.recoding.shown[before.columns[index].name]), release.utility["suppressed"] > 0
    here = applied.code
    if len(before.columns) > 1:
        here = here[before.column_of[before.baskets.items] == index]
    occurs = np.bincount(here + 1, minlength=1) > 0  # the first: nothing is shown
    return {applied.names[index][i] for i in np.flatnonzero(occurs[1:]).tolist()}, bool(occurs[0])


def _layout(release: Release, column: Column) -> str:
    if release.job.input.layout == "long":
        return "one row per person and item; a person without items has a row with an empty cell."
    if is_list(release.table[column.name].type):
        return "a list of items; a record without items has an empty list."
    separator = separator_of(column)
    between = "one blank" if separator == " " else code(separator)
    return f"the items of a record, separated by {between}; empty if it has none."
