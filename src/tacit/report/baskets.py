"""What a report and a public note say about baskets. Records first; the page draws them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.baskets import separator_of
from tacit.encode import is_list
from tacit.report.blocks import Bars, Block, Grid, Section, Text
from tacit.report.markdown import code
from tacit.utility.baskets import names_shown

if TYPE_CHECKING:
    from tacit.baskets import ItemColumns
    from tacit.job import Column
    from tacit.recoding import CutRecoding
    from tacit.release import Release

_SAMPLES = 8
_BARS = 25
_SUPPRESSED = 200
_NAMED = 200


class ShownItem(NamedTuple):
    """A published name, how many records have it, and how many leaves of the hierarchy it stands for."""

    name: str
    records: int
    stands_for: int


class Sample(NamedTuple):
    """A record before and after: for the data's owner only."""

    before: str
    after: str


def basket_sections(release: Release) -> list[Section]:
    """What is shown in each column, and some records before and after."""
    before, after = release.before.items, release.read(release.table)
    shown = [
        Section(f"What is shown in {column.name}", [*_items(release, after, number)])
        for number, column in enumerate(after.columns)
    ]
    pairs = Grid(samples(before, after, release.original), ("before", "after"))
    return [*shown, Section("Some records, before and after", [pairs])]


def shown_items(after: ItemColumns, recoding: CutRecoding, column: int) -> list[ShownItem]:
    """The published names of a column, the most frequent first."""
    stands_for = Counter(recoding.columns[after.columns[column].name].becomes.values())
    records = np.bincount(after.baskets.items, minlength=len(after.baskets.vocabulary))
    names = [(after.baskets.vocabulary[i], int(records[i])) for i in np.flatnonzero(after.column_of == column)]
    rows = [ShownItem(name, count, stands_for.get(name, 1)) for name, count in names]
    return sorted(rows, key=lambda row: (-row.records, row.name))


def samples(before: ItemColumns, after: ItemColumns, original: np.ndarray) -> list[Sample]:
    """The first records of the release."""
    return [Sample(_basket(before, was), _basket(after, now)) for now, was in enumerate(original[:_SAMPLES].tolist())]


def _basket(items: ItemColumns, row: int) -> str:
    baskets = items.baskets
    codes = baskets.items[baskets.indptr[row] : baskets.indptr[row + 1]].tolist()
    return ", ".join(baskets.vocabulary[code] for code in codes) or "(empty)"


def _items(release: Release, after: ItemColumns, number: int) -> Iterator[Block]:
    cut = release.recoding.columns[after.columns[number].name]
    rows = shown_items(after, release.recoding, number)
    yield Text(str(cut))
    yield Bars(rows[:_BARS], ("name", "records", "stands for"), length=1)
    if len(rows) > _BARS:
        yield Text(f"… and {len(rows) - _BARS:,} more")
    if cut.suppressed:
        more = ", …" * (len(cut.suppressed) > _SUPPRESSED)
        yield Text(f"Suppressed everywhere: {', '.join(cut.suppressed[:_SUPPRESSED])}{more}")


def basket_semantics(release: Release) -> list[str]:
    """For the public note: how each column of baskets is to be read."""
    lines = [line for number in range(len(release.before.items.columns)) for line in _column(release, number)]
    return [
        *lines,
        "",
        "An item is recoded the same way in every record, so counts of what is shown are true counts of the original "
        "data.\nA record that lost all its items is there as an empty one.",
    ]


def _column(release: Release, number: int) -> Iterator[str]:
    column = release.before.items.columns[number]
    cut = release.recoding.columns[column.name]
    shown = names_shown(release.before.items, release.recoding, number)
    groups = sorted(shown & cut.groups)
    yield f"- {code(column.name)}: {_layout(release, column)}"
    if groups:
        more = f", and {len(groups) - _NAMED:,} more" if len(groups) > _NAMED else ""
        yield (
            f"  - Groups of items ({len(groups):,} of its {len(shown):,} names): a record that has one holds at "
            "least one item of the group, and may hold several. They are: "
            f"{', '.join(map(code, groups[:_NAMED]))}{more}."
        )
    if cut.suppressed:
        yield "  - Some items were taken out wherever they stood; the file does not show them at all."
    if cut.sensitive:
        yield (
            f"  - Items declared sensitive are published as they are ({len(cut.sensitive):,}). The promise takes "
            "for granted that nobody knows them of a person beforehand."
        )


def _layout(release: Release, column: Column) -> str:
    if release.job.input.layout == "long":
        return "one row per person and item; a person without items has a row with an empty cell."
    if is_list(release.table[column.name].type):
        return "a list of items; a record without items has an empty list."
    separator = separator_of(column)
    between = "one blank" if separator == " " else code(separator)
    return f"the items of a record, separated by {between}; empty if it has none."
