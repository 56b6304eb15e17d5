"""What a report and a public note say about records. Records first; the page draws them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from tacit.relational.attributes import SUPPRESSED, Attribute
from tacit.report.blocks import Bars, Block, Grid, Section, Text
from tacit.report.markdown import code
from tacit.utility.records import class_sizes

if TYPE_CHECKING:
    from tacit.release import Release

_BARS = 25
_SAMPLES = 8
_CLASSES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000, 1_000_000)


def record_sections(release: Release) -> list[Section]:
    """The sizes of the groups, what each attribute became, and some records before and after."""
    shown = [
        Section(f"What is shown in {attribute.name}", [*_values(release, attribute)])
        for attribute in release.before.attributes
    ]
    return [
        Section("Groups of records with equal quasi-identifiers", [_sizes(release), Text(str(release.recoding))]),
        *shown,
        Section("Some records, before and after", [_samples(release)]),
    ]


def _sizes(release: Release) -> Bars:
    """How many groups there are of which size."""
    sizes = class_sizes(release.recoding)
    bounds = [bound for bound in _CLASSES if bound <= sizes.max(initial=1)]
    rows = []
    for low, high in zip(bounds, [*bounds[1:], None], strict=True):
        here = (sizes >= low) & (sizes < (high or sizes.max(initial=1) + 1))
        if here.any():
            name = f"{low:,} or more" if high is None else f"{low:,} to {high - 1:,}" if high - low > 1 else f"{low:,}"
            rows.append((name, int(here.sum()), int(sizes[here].sum())))
    return Bars(rows, ("records in the group", "groups", "records"), length=1)


def _values(release: Release, attribute: Attribute) -> Iterator[Block]:
    """The published values, the most frequent first."""
    values = release.recoding.attributes[attribute.name]
    records = np.bincount(values.value, release.recoding.sizes, len(values.texts)).astype(np.int64)
    order = np.argsort(-records, kind="stable")[:_BARS].tolist()
    yield Bars([(_text(values.texts[i]), int(records[i])) for i in order], ("value", "records"), length=1)
    if len(values.texts) > _BARS:
        yield Text(f"… and {len(values.texts) - _BARS:,} more")


def _samples(release: Release) -> Grid:
    """The first records of the release, each quasi-identifier as it was and as it is."""
    head = [attribute.name for attribute in release.before.attributes]
    rows = []
    for original in release.original[:_SAMPLES].tolist():
        cells = []
        for attribute in release.before.attributes:
            values = release.recoding.attributes[attribute.name]
            was = attribute.texts[attribute.codes[original]]
            now = values.texts[values.value[release.recoding.group[original]]]
            cells.append(_text(now) if was == now else f"{_text(was)} → {_text(now)}")
        rows.append(cells)
    return Grid(rows, head)


def _text(text: str) -> str:
    return text or "(missing)"


def record_semantics(release: Release) -> list[str]:
    """For the public note: how each column is to be read. No raw value."""
    data, job = release.before, release.job
    lines = [line for attribute in data.attributes for line in _meaning(release, attribute)]
    lines += [f"- {code(column.name)}: as in the original." for column in job.columns_with("sensitive")]
    for column in job.columns_with("items"):
        lines.append(
            f"- {code(column.name)}: a set of items. A name such as `(B,D)`, or of a group of items, says that the "
            "person has at least one of them, and perhaps several. What a name stands for may differ between groups "
            "of records; an item that is not shown may have been taken out."
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
        "what all of them have in common.",
    ]


def _meaning(release: Release, attribute: Attribute) -> Iterator[str]:
    name = code(attribute.name)
    if attribute.tree is not None:
        yield f"- {name}: a value, or a group of its hierarchy, of which the person has exactly one value."
    elif attribute.numbers is not None:
        yield f"- {name}: a value, or a range such as `[19:22]` that holds it; both ends belong to it."
    else:
        yield f"- {name}: a value, or a set such as `(B,D)`, of which the person has exactly one value."
    if SUPPRESSED in release.recoding.attributes[attribute.name].texts and not _is_root(attribute):
        yield f"  - `{SUPPRESSED}` stands for a value that is not shown."


def _is_root(attribute: Attribute) -> bool:
    return attribute.tree is not None and attribute.tree.names[0] == SUPPRESSED
