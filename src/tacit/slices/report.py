"""What a report and a public note say about a sliced table. Records first; the page draws them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays.attributes import holds_star
from tacit.report.blocks import Bars, Block, Grid, Number, Section, Text
from tacit.report.charts import heat_map
from tacit.report.markdown import code, quotes_in_sets
from tacit.report.missing import missing_in
from tacit.report.ranges import ends_in_words, example_of_days, has_dates, range_semantics
from tacit.values.writing import SUPPRESSED

if TYPE_CHECKING:
    from tacit.arrays.attributes import Attribute
    from tacit.release import Release
    from tacit.slices.recoding import SliceRecoding

_SAMPLES = 8
_MOST_IN_MAP = 60
_PAIRS = 10
_BARS = 25


def slice_sections(release: Release) -> list[Section]:
    """The columns and buckets, the correlations before and after, and a bucket before and after."""
    recoding, utility = release.recoding, release.utility
    columns = [(str(index), ", ".join(names)) for index, names in enumerate(recoding.slices, start=1)]
    parts = [
        Section(
            "Which attributes stand together",
            [
                Grid(columns, ("slice", "attributes")),
                Text("Inside a bucket, only the attributes of one slice belong together."),
            ],
        ),
        Section("Buckets", [*_buckets(recoding), *_ends(release)]),
    ]
    if "correlations_before" in utility:
        parts.append(Section("Correlations before and after", correlation_blocks(utility, release.before.names)))
    return [*parts, Section("One bucket, before and after", [*_sample(release)])]


def _buckets(recoding: SliceRecoding) -> Iterator[Block]:
    """How large they are, and what stays as it was."""
    sizes, times = np.unique(np.bincount(recoding.bucket), return_counts=True)
    largest = np.sort(np.argsort(-times, kind="stable")[:_BARS])
    yield Bars([(int(sizes[i]), int(times[i])) for i in largest], ("records in it", "how many such"), length=1)
    if sizes.size > _BARS:
        yield Text(f"… the {_BARS} most frequent sizes of {sizes.size:,}")
    if not recoding.regions:
        yield Text("No value was changed: every attribute, and every slice, is distributed as it was in the original.")
        return
    rows = [(", ".join(one.attributes), len(set(one.values))) for one in recoding.regions]
    yield Text("These attributes were generalized, those of a row together:")
    yield Grid(rows, ("attributes", "different values shown"))


def _ends(release: Release) -> Iterator[Block]:
    return (Text(f"In {attribute.name}, {ends_in_words(attribute)}.") for attribute in _ranged(release))


def correlation_blocks(utility: dict[str, Any], names: Sequence[str]) -> list[Block]:
    """A heat map of all pairs of these attributes, and the pairs that lost most.

    Of many attributes the map shows those that are linked most.
    """
    before, after = utility["correlations_before"], utility["correlations_after"]
    weakened = sorted(before, key=lambda pair: after[pair] - before[pair])[:_PAIRS]
    rows = [
        (pair, *(Number(f"{part[pair]:.3f}") for part in (before, after)))
        for pair in weakened
        if before[pair] > after[pair]
    ]
    blocks: list[Block] = [
        Text(
            f"Of the correlation of all pairs (mean-square contingency, 0 to 1), {utility['correlation_kept']:.1%} is "
            "still there in records that are drawn from the release."
        )
    ]
    pairs = dict(zip(combinations(names, 2), zip(before.values(), after.values(), strict=True), strict=True))
    title = "Correlation of each pair: the original above the diagonal, the release below it"
    blocks.append(heat_map(title, heat_map_records(pairs), "other", "one", "correlation"))
    if len(names) > _MOST_IN_MAP:
        blocks.append(Text(f"Shown are the {_MOST_IN_MAP} of {len(names):,} attributes that are linked most."))
    if rows:
        blocks += [Text("The pairs that lost most:"), Grid(rows, ("pair", "original", "release"))]
    return blocks


def heat_map_records(pairs: Mapping[tuple[str, str], tuple[float, float]]) -> list[dict[str, Any]]:
    """One record for each cell of the map: above the diagonal the original, below it the release."""
    linked: dict[str, float] = {}
    for pair, (before, _) in pairs.items():
        linked |= {name: linked.get(name, 0.0) + before for name in pair}
    shown = set(sorted(linked, key=lambda name: -linked[name])[:_MOST_IN_MAP])
    records = []
    for (one, other), (before, after) in pairs.items():
        if one in shown and other in shown:
            records.append({"one": one, "other": other, "of": "original", "correlation": before})
            records.append({"one": other, "other": one, "of": "release", "correlation": after})
    return records


_DAYS = "[2024-03-04:2024-03-25]"


def slice_semantics(release: Release) -> list[str]:
    """For the public note: what the columns are, and how not to read them."""
    lines = ["- `bucket`: rows with the same number are one bucket; the numbers themselves mean nothing."]
    for index, names in enumerate(release.recoding.slices, start=1):
        headed = ", ".join(code(f"{index}.{name}") for name in names)
        missing = missing_in(release, [f"{index}.{name}" for name in names])
        lines.append(f"- {headed}: slice {index}.{' ' * bool(missing)}{missing}")
    lines += [
        "",
        "A row of this file is no person. Inside a bucket, only the attributes of one slice belong together: each "
        "slice was put into a random order of its own. All values are true, and how often a combination of values of "
        "one slice occurs in a bucket is true, too.",
        "To count people by attributes of several slices, take the share of the rows of each slice that fit, bucket by "
        "bucket, and multiply the shares and the size of the bucket; the sum over all buckets is an estimate.",
        "An attribute that stands in several slices is the same attribute: rows of the slices belong to each other "
        "only if they agree on it.",
    ]
    if release.recoding.regions:
        shown = (text for region in release.recoding.regions for values in region.values for text in values)
        days = next((example_of_days(each, release.job) for each in _ranged(release) if has_dates(each)), _DAYS)
        lines.append(
            f"A range `[15:25]` or `{days}`, a set `(B,D)`, the name of a group or `*` stands for one "
            f"of several values.{quotes_in_sets(shown)}"
        )
        for attribute in _ranged(release):
            texts = {text for region in release.recoding.regions for values in region.values for text in values}
            lines.append(f"- {code(attribute.name)}: {' '.join(range_semantics(attribute, texts, release.job))}")
        if any(map(holds_star, release.before.attributes)):
            lines.append(f"`{SUPPRESSED}` is a value of the original, too; the file does not tell the two apart.")
    return lines


def _ranged(release: Release) -> list[Attribute]:
    """The attributes that became ranges."""
    generalized = {name for region in release.recoding.regions for name in region.attributes}
    return [one for one in release.before.attributes if one.numbers is not None and one.name in generalized]


def _sample(release: Release) -> Iterator[Block]:
    """The records of the first bucket, as they were and as they are published."""
    data, table = release.before, release.table
    if not table.num_rows:
        yield Text("There is no record.")
        return
    rows = min(_SAMPLES, int(np.count_nonzero(table["bucket"].to_numpy() == table["bucket"][0].as_py())))
    people = np.sort(release.original[0][:rows]).tolist()
    yield Text("Before, a row is a person:")
    yield Grid(
        [[one.texts[one.codes[person]] for one in data.attributes] for person in people], data.names, of_data=True
    )
    yield Text("After, each slice has an order of its own; who is who is not told:")
    after = table.slice(0, rows).to_pylist()
    yield Grid(
        [["" if cell is None else str(cell) for cell in row.values()] for row in after],
        table.column_names,
        of_data=True,
    )
