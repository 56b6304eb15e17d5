"""What a report and a public note say about a sliced table. Records first; the page draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.report.blocks import Bars, Block, Grid, Section, Text
from tacit.report.charts import heat_map
from tacit.report.markdown import code

if TYPE_CHECKING:
    from tacit.release import Release

_SAMPLES = 8
_MOST_IN_MAP = 60
_PAIRS = 15


def slice_sections(release: Release) -> list[Section]:
    """The columns and buckets, the correlations before and after, and the first rows of the release."""
    recoding, utility = release.recoding, release.utility
    sizes, times = np.unique(np.bincount(recoding.bucket), return_counts=True)
    rows = [(int(size), int(n)) for size, n in zip(sizes, times, strict=True)]
    columns = [(number + 1, ", ".join(names)) for number, names in enumerate(recoding.slices)]
    parts = [
        Section(
            "Which attributes stand together",
            [
                Grid(columns, ("slice", "attributes")),
                Text("Inside a bucket, only the attributes of one slice belong together."),
            ],
        ),
        Section("Buckets", [Text(str(recoding)), Bars(rows[:25], ("records in it", "how many such"), length=1)]),
    ]
    if "correlations_before" in utility:
        parts.append(Section("Correlations before and after", correlation_blocks(utility)))
    return [*parts, Section("The first rows of the release", [_sample(release)])]


def correlation_blocks(utility: dict[str, Any]) -> list[Block]:
    """A heat map of all pairs, and the pairs that lost most."""
    before, after = utility["correlations_before"], utility["correlations_after"]
    lost = sorted(before, key=lambda pair: after[pair] - before[pair])[:_PAIRS]
    rows = [(pair, round(before[pair], 3), round(after[pair], 3)) for pair in lost if before[pair] > after[pair]]
    blocks: list[Block] = [
        Text(
            f"Of the correlation of all pairs (mean-square contingency, 0 to 1), {utility['correlation_kept']:.1%} is "
            "still there in records that are drawn from the release."
        )
    ]
    records = heat_map_records(before, after)
    if len({record["one"] for record in records}) <= _MOST_IN_MAP:
        title = "Correlation of each pair: the original above the diagonal, the release below it"
        blocks.append(heat_map(title, records, "other", "one", "correlation"))
    if rows:
        blocks += [Text("The pairs that lost most:"), Grid(rows, ("pair", "original", "release"))]
    return blocks


def heat_map_records(before: dict[str, float], after: dict[str, float]) -> list[dict[str, Any]]:
    """One record for each cell of the map: above the diagonal the original, below it the release."""
    records = []
    for pair in before:
        one, other = pair.split(" × ", 1)
        records.append({"one": one, "other": other, "of": "original", "correlation": before[pair]})
        records.append({"one": other, "other": one, "of": "release", "correlation": after[pair]})
    return records


def slice_semantics(release: Release) -> list[str]:
    """For the public note: what the columns are, and how not to read them."""
    lines = ["- `bucket`: rows with the same number are one bucket; the numbers themselves mean nothing."]
    for number, names in enumerate(release.recoding.slices, start=1):
        headed = ", ".join(code(f"{number}.{name}") for name in names)
        lines.append(f"- {headed}: slice {number}")
    lines += [
        "",
        "A row of this file is no person. Inside a bucket, only the attributes of one slice belong together: each "
        "slice was put into a random order of its own. All values are true, and how often a combination of values of "
        "one slice occurs in a bucket is true, too.",
        "An attribute that stands in several slices is the same attribute: rows of the slices belong to each other "
        "only if they agree on it.",
    ]
    if release.recoding.regions:
        lines.append("A range `[19:22]`, a set `(B,D)`, the name of a group or `*` stands for one of several values.")
    return lines


def _sample(release: Release) -> Grid:
    head = release.table.column_names
    rows = [
        tuple("" if cell is None else cell for cell in row.values())
        for row in release.table.slice(0, _SAMPLES).to_pylist()
    ]
    return Grid(rows, head)
