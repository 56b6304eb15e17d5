"""Records as a kind of data: people with quasi-identifiers, perhaps with sensitive columns or baskets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.io import FileFormat
from tacit.job import Job
from tacit.kinds import Encoded, Published
from tacit.records.checks import (
    check_escapes,
    check_identifiers,
    check_reachable,
    check_records,
    check_stars,
    notes_on_roles,
    notes_on_stars,
)
from tacit.records.data import RecordData, published_table, read_records
from tacit.records.measures import measure_records
from tacit.records.recoding import RecordRecoding
from tacit.records.report import record_sections, record_semantics
from tacit.release import Release
from tacit.report.blocks import Section
from tacit.taxonomy import Taxonomy

__all__ = ["check_reachable"]  # of the kind as it is


def encode(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None) -> Encoded:
    check_records(table, job, output)
    data, notes = read_records(table, job, hierarchies, output)
    if output is not None:
        check_identifiers(data, job)
        check_stars(data, job)
    if output is not None and output.delimited and job.output.escape_formulas:
        check_escapes(data)
    return Encoded(data, (*notes, *notes_on_roles(job), *notes_on_stars(data.attributes)))


def judge(data: RecordData, recoding: RecordRecoding, method: str) -> tuple[str, ...]:
    if recoding.n_clusters == 1 and len(data) > 1:
        return ("all records became one group: the quasi-identifiers tell no one from the others",)
    return ()


def publish(
    data: RecordData,
    recoding: RecordRecoding,
    table: pa.Table,
    job: Job,
    output: FileFormat,
    rng: np.random.Generator,
) -> Published:
    order = rng.permutation(len(data))
    return Published(published_table(data, recoding, table, job, output, order), order)


def measure(data: RecordData, recoding: RecordRecoding, published: Published, job: Job) -> dict[str, Any]:
    return measure_records(data, recoding, job.promise.parameters()["k"])


def rows(data: RecordData, original: np.ndarray) -> pa.Table:
    """Row numbers from 0."""
    return pa.table({"published": np.arange(original.size), "original": original})


def cost_in_words(utility: Mapping[str, Any]) -> str:
    items = f"; in the baskets {utility['ncp_items']:.2%}" if "ncp_items" in utility else ""
    return (
        f"NCP {utility['ncp']:.2%}{items}; of the cells {utility['unchanged']:.1%} are as they were, "
        f"{utility['generalized']:.1%} generalized, {utility['suppressed']:.1%} suppressed"
    )


def sections(release: Release) -> Sequence[Section]:
    return record_sections(release)


def how_to_read(release: Release) -> Sequence[str]:
    return record_semantics(release)
