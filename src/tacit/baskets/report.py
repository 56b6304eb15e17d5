"""What a report says about baskets. Records first; the page draws them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacit.baskets.cut_picture import cut_picture, cut_tree, has_cut
from tacit.baskets.data import published_items
from tacit.baskets.distributions import basket_distributions
from tacit.baskets.local_recodings import GroupRecoding, LocalRecoding
from tacit.baskets.recoding import CutRecoding, ItemCut
from tacit.report.blocks import Bars, Block, Folded, Grid, Section, Text, Words
from tacit.report.samples import plain_columns, shown_cells

if TYPE_CHECKING:
    from tacit.baskets.data import ItemColumns
    from tacit.baskets.recoding import BasketRecoding
    from tacit.release import Release

_SAMPLES = 8
_BARS = 25
_SUPPRESSED = 200


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
    before, after = release.before.items, published_items(release.view)
    shown = [
        Section(f"What is shown in {column.name}", [*_items(release, after, index)])
        for index, column in enumerate(after.columns)
    ]
    plain = plain_columns(release)
    beside = zip(*(shown_cells(release, name, _SAMPLES) for name in plain), strict=True) if plain else repeat(())
    rows = [(*pair, *cells) for pair, cells in zip(samples(before, after, release.original), beside, strict=False)]
    pairs = Grid(rows, ("before", "after", *(f"{name} (as it was)" for name in plain)))
    parts = [Section("Before and after", basket_distributions(before.baskets, after.baskets))]
    if isinstance(release.recoding, LocalRecoding | GroupRecoding):
        parts.append(Section("How the records were put together", _parts(release.recoding)))
    return [*shown, *parts, Section("Some records, before and after", [pairs])]


def shown_items(after: ItemColumns, recoding: BasketRecoding, column: int) -> list[ShownItem]:
    """The published names of a column, the most frequent first."""
    groups = recoding.groups(after.columns[column].name)
    stands_for = {name: len(leaves) for name, leaves in groups.items()}
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
    return ", ".join(baskets.vocabulary[code] for code in codes) or Words("(empty)")


def _items(release: Release, after: ItemColumns, index: int) -> Iterator[Block]:
    name = after.columns[index].name
    rows, suppressed = shown_items(after, release.recoding, index), release.recoding.suppressed(name)
    yield Text(release.recoding.summary(name))
    if isinstance(release.recoding, CutRecoding):
        yield Text(_of_the_data(release.before.items, release.recoding.columns[name], index))
    yield Bars(rows[:_BARS], ("name", "records", "stands for"), length=1)
    if len(rows) > _BARS:
        yield Text(f"… and {len(rows) - _BARS:,} more")
    yield from _cut(release, index, rows)
    if suppressed:
        more = ", …" * (len(suppressed) > _SUPPRESSED)
        names = Text(f"{', '.join(suppressed[:_SUPPRESSED])}{more}")
        yield Folded(f"Suppressed everywhere: {len(suppressed):,}", [names])


def _of_the_data(items: ItemColumns, cut: ItemCut, index: int) -> str:
    """How many items that somebody has are shown by their own name; a hierarchy may know more items."""
    held = [items.baskets.vocabulary[code] for code in np.unique(items.baskets.items[_here(items, index)]).tolist()]
    known = [label for label in held if label in cut.becomes]
    kept = sum(cut.becomes[label] == label for label in known)
    return f"Of the {len(known):,} items that occur, {kept:,} are shown by their own name."


def _here(items: ItemColumns, index: int) -> np.ndarray:
    """Which occurrences are of a column."""
    return items.column_of[items.baskets.items] == index


def _cut(release: Release, index: int, rows: list[ShownItem]) -> Iterator[Block]:
    """The hierarchy of a column with the cut through it, if there is one."""
    if isinstance(release.recoding, CutRecoding):
        tree, cut = release.before.trees[index], release.recoding.columns[release.before.items.columns[index].name]
        if has_cut(tree, cut):
            yield cut_picture(tree, cut)
            yield cut_tree(tree, cut, {row.name: row.records for row in rows})


def _parts(recoding: LocalRecoding | GroupRecoding) -> list[Block]:
    """How large the parts are that the records fall into."""
    sizes, counts = np.unique(recoding.sizes, return_counts=True)
    largest = np.argsort(-counts, kind="stable")[:_BARS]
    rows = [(int(sizes[i]), int(counts[i])) for i in np.sort(largest).tolist()]
    blocks: list[Block] = [Text(str(recoding)), Bars(rows, ("records in it", "how many such"), length=1)]
    if sizes.size > _BARS:
        blocks.append(Text(f"… the {_BARS} most frequent sizes of {sizes.size:,}"))
    return blocks
