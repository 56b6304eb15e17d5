"""What a report and a public note say about records. Records first; the page draws them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays.attributes import Attribute, holds_star
from tacit.baskets.data import published_items
from tacit.baskets.distributions import basket_distributions, classes
from tacit.records.distributions import MISSING, value_distribution
from tacit.records.frontier_report import frontier_section
from tacit.records.measures import class_sizes
from tacit.report.blocks import Bars, Block, Chart, Folded, Grid, Section, Text, Words
from tacit.report.charts import histogram
from tacit.report.markdown import code, quotes_in_sets
from tacit.report.missing import missing_in
from tacit.report.ranges import ends_in_words, range_semantics
from tacit.report.samples import plain_columns, shown_cells
from tacit.values.reading import set_members
from tacit.values.writing import SUPPRESSED

if TYPE_CHECKING:
    from tacit.baskets.data import ItemColumns
    from tacit.job import Column
    from tacit.records.applied import AppliedRecords
    from tacit.records.data import RecordData
    from tacit.records.recoding import RecordRecoding
    from tacit.release import Release
    from tacit.taxonomy import Taxonomy

_BARS = 25
_NAMES = 12
_SAMPLES = 6
_CHARTS = 16
_LONGEST = 80
_NAMED = 200
_CLASSES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)


def record_sections(release: Release) -> list[Section]:
    """The sizes of the groups, what each attribute and the baskets became, and some records before and after."""
    data, recoding = release.before, release.recoding
    after = None if data.baskets is None else published_items(release.view.items)
    parts = [
        Section("Groups of records with equal quasi-identifiers", _groups(data, recoding, _k(release))),
        Section("Values, before and after", [*_values(data, release.applied)]),
    ]
    if recoding.curve:
        parts.insert(0, frontier_section(recoding.curve, recoding.six))
    if after is not None:
        items = [block for index in range(len(after.columns)) for block in _names(recoding, after, index)]
        both = basket_distributions(data.baskets.items.baskets, after.baskets)
        parts.append(Section("Baskets, before and after", [*both, *items]))
    return [*parts, Section("Some records, before and after", [_samples(release, after)])]


def _k(release: Release) -> int:
    return int(release.job.promise.parameters()["k"])


def _groups(data: RecordData, recoding: RecordRecoding, k: int) -> list[Block]:
    """How many records stand in a group of which size, before and after; and the groups of the release."""
    return [
        Text(str(recoding)),
        histogram(
            "How many records look alike", group_records(data, recoding, k), "size", "records",
            when="when", x_axis="records in the group", y_axis="records",
        ),
        _sizes(recoding, k),
    ]  # fmt: skip


def group_records(data: RecordData, recoding: RecordRecoding, k: int = 1) -> list[dict[str, Any]]:
    """Records by the size of their group, before and after: alone, in twos to fours, and so on; a class begins at k."""
    from tacit.arrays.order import joint_codes

    codes = [attribute.codes for attribute in data.attributes]
    alike, _ = joint_codes(codes, [len(attribute.texts) for attribute in data.attributes], len(data))
    before, after = np.bincount(alike), class_sizes(recoding)
    counted = classes(before, after, counts_itself=True, edge=k)
    return [{"size": each["size"], "records": each["count"], "when": each["when"]} for each in counted]


def _sizes(recoding: RecordRecoding, k: int) -> Bars:
    """How many groups there are of which size; the first ones have k records. Persons may be fewer than records."""
    sizes = class_sizes(recoding)
    bounds = [bound for bound in sorted({*_CLASSES, k}) if bound <= sizes.max(initial=1)]
    rows = []
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        here = (sizes >= low) & (sizes < (high or sizes.max(initial=1) + 1))
        if here.any():
            name = f"{low:,} or more" if high is None else f"{low:,} to {high - 1:,}" if high - low > 1 else f"{low:,}"
            rows.append((Words(name), int(here.sum()), int(sizes[here].sum())))
    return Bars(rows, ("records in the group", "groups", "records"), length=1)


def _values(data: RecordData, applied: AppliedRecords) -> Iterator[Block]:
    """A chart for each attribute, and its published values to open."""
    yield Text("After: a range, a set or a group counts as a part of each value that it may be, all as likely.")
    recoding, drawn = applied.recoding, zip(data.attributes, applied.spans, strict=True)
    charts: Iterator[Chart] = (value_distribution(*each, recoding) for each in islice(drawn, _CHARTS))
    yield from charts
    if len(data.attributes) > _CHARTS:
        yield Text(f"… and {len(data.attributes) - _CHARTS:,} more attributes, which are not drawn")
    for attribute in data.attributes:
        values = recoding.attributes[attribute.name]
        records = np.bincount(values.value, recoding.sizes, len(values.texts)).astype(np.int64)
        order = np.argsort(-records, kind="stable")[:_BARS].tolist()
        rows = [(_short(values.texts[i]), int(records[i])) for i in order]
        blocks: list[Block] = [Bars(rows, ("value", "records"), length=1)]
        if len(values.texts) > _BARS:
            blocks.append(Text(f"… and {len(values.texts) - _BARS:,} more"))
        ends = "" if attribute.numbers is None else f"; {ends_in_words(attribute)}"
        yield Folded(f"What is shown in {attribute.name}: {len(values.texts):,} different values{ends}", blocks)


def _names(recoding: RecordRecoding, after: ItemColumns, index: int) -> Iterator[Block]:
    """The published names of items in a column, the most frequent first."""
    rows = shown_names(recoding, after, index)
    yield Text(f"The most frequent names in {after.columns[index].name}:")
    yield Bars(rows[:_NAMES], ("name", "records", "stands for"), length=1)
    if len(rows) > _NAMES:
        yield Text(f"… and {len(rows) - _NAMES:,} more")


def shown_names(recoding: RecordRecoding, after: ItemColumns, column: int) -> list[tuple[str, int, int]]:
    """Published names of a column, the records that have each, and the leaves of the hierarchy that it stands for."""
    assert recoding.items is not None
    here = np.flatnonzero(recoding.items.column_of_name == column).tolist()
    leaves = {recoding.items.names[i]: int(recoding.items.leaves[i]) for i in here}
    records = np.bincount(after.baskets.items, minlength=len(after.baskets.vocabulary))
    names = [(after.baskets.vocabulary[i], int(records[i])) for i in np.flatnonzero(after.column_of == column).tolist()]
    frequent = sorted(names, key=lambda row: (-row[1], row[0]))
    return [(_short(name), count, leaves.get(name, 1)) for name, count in frequent]


def _samples(release: Release, after: ItemColumns | None) -> Grid:
    """The first records of the release, each as it was and as the file shows it."""
    data, attributes = release.before, (*release.before.attributes, *release.before.sensitive)
    before = None if data.baskets is None else data.baskets.items
    names, plain = [attribute.name for attribute in attributes], plain_columns(release)
    sets = [] if after is None else [column.name for column in after.columns]
    shown = {name: shown_cells(release, name, _SAMPLES) for name in (*names, *plain)}
    rows = []
    for now, was in enumerate(release.original[:_SAMPLES].tolist()):
        old = [_original(attribute, was) for attribute in attributes]
        new, same = [shown[name][now] for name in names], [shown[name][now] for name in plain]
        rows += [
            [Words("before"), *map(_short, old), *_baskets(before, was), *map(_short, same)],
            [Words("after"), *map(_short, new), *_baskets(after, now), *map(_short, same)],
        ]
    return Grid(rows, ["", *names, *sets, *plain], of_data=True)


def _original(attribute: Attribute, record: int) -> str:
    """The value of a record; empty for a missing one that is published as suppressed, by whatever it was written."""
    code = attribute.codes[record]
    text = attribute.texts[code]
    return "" if code == attribute.missing and text == SUPPRESSED else text


def _baskets(items: ItemColumns | None, row: int) -> list[str]:
    """What a record has in each set-valued column."""
    if items is None:
        return []
    baskets = items.baskets
    codes = baskets.items[baskets.indptr[row] : baskets.indptr[row + 1]].tolist()
    shown = [[baskets.vocabulary[i] for i in codes if items.column_of[i] == c] for c in range(len(items.columns))]
    return [_short(" ".join(names)) if names else Words("(empty)") for names in shown]


def _short(text: str) -> str:
    """A text that leaves room for others."""
    return (text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…") or Words(MISSING)


def record_semantics(release: Release) -> list[str]:
    """For the public note: how each column is to be read. No raw value."""
    data, job = release.before, release.job
    lines = [line for attribute in data.attributes for line in _meaning(release, attribute)]
    lines += [_unchanged(release, column) for column in job.columns_with("sensitive")]
    for column in job.columns_with("items"):
        lines.append(
            f"- {code(column.name)}: a set of items. A name such as `(B,D)`, or of a group of items, or of several "
            "groups, says that the person has at least one of them, and perhaps several. What a name stands for may "
            "differ between groups of records; an item that is not shown may have been taken out."
        )
        if column.sensitive_items:
            lines.append(
                f"  - Items declared sensitive are published as they are ({len(column.sensitive_items):,}). The "
                "promise takes for granted that nobody knows them of a person beforehand."
            )
    return [
        *lines,
        "",
        "Records with equal values in the columns that were generalized are alike on purpose: a generalized value is "
        "what all of them have in common. Other records may show the same original value in another way, or as it "
        "was, so that counting one published value does not count all people who have it: count every published value "
        "that may be it, each as the share of it that you assume.",
    ]


def _unchanged(release: Release, column: Column) -> str:
    """A sensitive column: its values are published, and only what is missing may be hidden."""
    line = f"- {code(column.name)}: as in the original"
    if column.missing == "suppress":
        attribute = next(one for one in release.before.sensitive if one.name == column.name)
        return f"{line}, except that a missing value is `{SUPPRESSED}`." if attribute.missing >= 0 else f"{line}."
    missing = missing_in(release, [column.name])
    return f"{line}.{' ' * bool(missing)}{missing}"


def _meaning(release: Release, attribute: Attribute) -> Iterator[str]:
    name, shown = code(attribute.name), release.recoding.attributes[attribute.name].texts
    marker = attribute.texts[attribute.missing] if attribute.missing >= 0 else None
    if attribute.tree is not None:
        yield f"- {name}: a value, or a group of its hierarchy, of which the person has exactly one value."
        groups = [*_groups_shown(attribute.tree, shown)]
        if groups:
            named = ", ".join(f"{code(group)} ({leaves:,})" for group, leaves in groups[:_NAMED])
            more = f", and {len(groups) - _NAMED:,} more" if len(groups) > _NAMED else ""
            yield f"  - Groups that are shown, each with the number of values that it stands for: {named}{more}."
    elif attribute.numbers is not None:
        yield f"- {name}: {' '.join(range_semantics(attribute, shown, release.job))}"
    else:
        yield (
            f"- {name}: a value, or a set such as `(B,D)`, of which the person has exactly one value."
            f"{quotes_in_sets(shown)}"
        )
        if marker == "" and any("" in set_members(text) for text in shown):
            yield "  - Nothing before a comma, as in `(,B)`, is a missing value: the person's may be missing."
    if "" in shown:
        yield "  - An empty cell says that the value is missing in the original, too."
    elif marker and marker != SUPPRESSED and any(marker in (text, *set_members(text)) for text in shown):
        yield f"  - {code(marker)} is a missing value: the value is missing in the original, too."
    if SUPPRESSED in shown and not _is_root(attribute):
        also = (
            ""
            if not holds_star(attribute)
            else (f" `{SUPPRESSED}` is a value of the original, too, and the file does not tell the two apart.")
        )
        yield f"  - `{SUPPRESSED}` stands for a value that is not shown; it may be any, or missing.{also}"


def _groups_shown(tree: Taxonomy, shown: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The groups of a hierarchy that a release shows, with the number of values below each; from the root down."""
    here = set(shown)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        if tree.names[node] in here:
            yield tree.names[node], int(tree.leaf_count[node])


def _is_root(attribute: Attribute) -> bool:
    return attribute.tree is not None and attribute.tree.names[0] == SUPPRESSED
