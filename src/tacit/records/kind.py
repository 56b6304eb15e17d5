"""Records as a kind of data: people with quasi-identifiers, perhaps with sensitive columns or baskets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.arrays.telling import notes_on_groups
from tacit.io import FileFormat
from tacit.job import Job
from tacit.job.checks import asked_of
from tacit.kinds import Encoded, Published
from tacit.records.applied import AppliedRecords
from tacit.records.applied import apply_records as apply
from tacit.records.checks import (
    check_identifiers,
    check_records,
    check_stars,
    notes_on_roles,
    notes_on_stars,
)
from tacit.records.data import RecordData, read_records, with_widths
from tacit.records.measures import measure_records
from tacit.records.publish import publish_records as publish
from tacit.records.report import record_sections, record_semantics
from tacit.release import Release
from tacit.report.blocks import Section
from tacit.taxonomy import Taxonomy
from tacit.taxonomy.nodes import first_few

__all__ = ["apply", "publish"]  # of the kind as they are

_NEARLY_ALL, _MANY = 0.95, 1 / 3
"""From which share on an attribute, and the items, tell nothing any more."""

SINGLE_VALUED: tuple[str, ...] = ("quasi", "sensitive")


def encode(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None) -> Encoded:
    check_records(table, job, output)
    data, notes = read_records(table, job, hierarchies, output)
    if output is not None:
        check_identifiers(data, job)
        check_stars(data, job)
    told = (*notes, *notes_on_roles(job), *notes_on_stars(data.attributes))
    return Encoded(data, told, with_widths(job.columns, data.attributes))


def judge(data: RecordData, applied: AppliedRecords, method: str) -> tuple[str, ...]:
    recoding = applied.recoding
    if recoding.n_clusters == 1 and len(data) > 1:
        return ("all records became one group: the quasi-identifiers tell no one from the others",)
    pairs = zip(data.sensitive, data.sensitive_columns, strict=False)
    numbers = [attribute for attribute, column in pairs if column.width is None and column.type != "category"]
    return tuple(note for each in numbers for note in notes_on_groups(each, recoding.group, recoding.n_clusters))


def measure(data: RecordData, applied: AppliedRecords, published: Published, job: Job) -> dict[str, Any]:
    return measure_records(data, applied, job.promise.parameters()["k"])


def rows(data: RecordData, original: np.ndarray) -> pa.Table:
    """Row numbers from 0."""
    return pa.table({"published": np.arange(original.size), "original": original})


def facts_for_words(data: RecordData) -> dict[str, Any]:
    """Whether some items of baskets are sensitive, which nobody who attacks knows; what columns ask otherwise."""
    columns = () if data.baskets is None else data.baskets.items.columns
    asked = [{"name": column.name, **found} for column in data.sensitive_columns if (found := asked_of(column))]
    return {"some_sensitive": any(column.sensitive_items for column in columns), "asked_by_column": asked}


def cost_in_words(utility: Mapping[str, Any], *, in_public: bool = False) -> str:
    items = f", in the baskets {utility['ncp_items']:.2%}" if "ncp_items" in utility else ""
    return (
        f"of the cells {utility['unchanged']:.1%} are as they were, {utility['generalized']:.1%} are a group, set or "
        f"range, {utility['suppressed']:.1%} tell nothing; counts by two values are {utility['count_error']:.0%} off; "
        f"NCP {utility['ncp']:.2%}{items}"
    )


def tells_nothing(utility: Mapping[str, Any]) -> tuple[str, ...]:
    suppressed = [name for name, share in utility["suppressed_by_attribute"].items() if share >= _NEARLY_ALL]
    told = []
    if suppressed:
        tell = "tells" if len(suppressed) == 1 else "tell"
        told.append(
            f"{first_few(suppressed)} {tell} nothing any more: nearly every record may have any value there is."
        )
    if (share := utility.get("nothing_told_items", 0)) >= _MANY:
        told.append(f"Many items tell nothing any more: {share:.0%} are taken out, or shown as all there are.")
    return tuple(told)


def sections(release: Release) -> Sequence[Section]:
    return record_sections(release)


def how_to_read(release: Release) -> Sequence[str]:
    return record_semantics(release)
