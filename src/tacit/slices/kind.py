"""Sliced tables as a kind of data: people with quasi-identifiers and sensitive columns, published in slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.arrays.spellings import note_on_spellings
from tacit.arrays.telling import notes_on_sensitive
from tacit.io import FileFormat
from tacit.job import Job
from tacit.kinds import Encoded, Published
from tacit.records.checks import notes_on_stars
from tacit.records.data import with_widths
from tacit.release import Release
from tacit.report.blocks import Section
from tacit.shuffle import Shuffle
from tacit.slices.applied import AppliedSlices
from tacit.slices.applied import apply_slices as apply
from tacit.slices.data import PersonTable, read_people
from tacit.slices.measures import measure_slices
from tacit.slices.publish import sliced_table
from tacit.slices.reach import check_persons
from tacit.slices.report import slice_sections, slice_semantics
from tacit.taxonomy import Taxonomy

__all__ = ["apply"]  # of the kind as it is

SINGLE_VALUED: tuple[str, ...] = ()


def encode(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None) -> Encoded:
    data = read_people(table, job, hierarchies, output)
    trees = [(attribute.name, attribute.tree) for attribute in data.attributes if attribute.tree is not None]
    notes = [f"hierarchy of {name!r}: {note}" for name, tree in trees for note in tree.notes]
    for attribute in data.attributes:
        notes += note_on_spellings(attribute.name, attribute.texts, attribute.missing) if attribute.fold else ()
    for column in job.columns_with("sensitive"):
        notes += notes_on_sensitive(next(one for one in data.attributes if one.name == column.name), column)
    if "generalize_k" in job.method.options:
        notes += notes_on_stars(data.attributes)
    return Encoded(data, tuple(notes), with_widths(job.columns, data.attributes))


def judge(data: PersonTable, applied: AppliedSlices, method: str) -> tuple[str, ...]:
    notes, recoding = [], applied.recoding
    check_persons(data, recoding)
    asked, columns = recoding.columns_asked, len(recoding.slices)
    if asked is not None and asked != columns:
        why = "attributes that would give a sensitive value away, and domains, have columns of their own"
        if asked > columns:
            why = f"there are {len(data.attributes):,} attributes" + ", some alike" * (columns < len(data.attributes))
        notes.append(f"method.columns is {asked:,}, but the number of columns is {columns:,}: {why}")
    if recoding.buckets == 1 and len(data) > 1:
        notes.append("all records became one bucket: what is in different slices is shown as if it were independent")
    return tuple(notes)


def publish(
    data: PersonTable, applied: AppliedSlices, table: pa.Table, job: Job, output: FileFormat, hidden: Shuffle
) -> Published:
    return sliced_table(applied, hidden)


def measure(data: PersonTable, applied: AppliedSlices, published: Published, job: Job) -> dict[str, Any]:
    return measure_slices(data, applied, published.original, job.method.seed or 0)


def rows(data: PersonTable, original: np.ndarray) -> pa.Table:
    """For every slice: row numbers from 0."""
    slices, n = original.shape
    return pa.table(
        {
            "slice": np.repeat(np.arange(1, slices + 1), n),
            "published": np.tile(np.arange(n), slices),
            "original": original.ravel(),
        }
    )


def facts_for_words(data: Any) -> dict[str, Any]:
    """The words of these promises are the same for all data."""
    return {}


def cost_in_words(utility: Mapping[str, Any], *, in_public: bool = False) -> str:
    sizes = utility["bucket_sizes"]
    kept = f"; {utility['correlation_kept']:.1%} of the correlation is kept" if "correlation_kept" in utility else ""
    error = f", counting queries are {utility['are']:.1%} off" if "are" in utility else ""
    if in_public:  # both compare with the original: of small files they say which linking of the slices it was
        kept = error = ""
    changed = f"; of the values themselves {utility['ncp']:.2%} is lost (NCP)" if utility["ncp"] else ""
    return (
        f"{utility['columns']} slices in {utility['buckets']:,} buckets of {sizes['mean']:.1f} records each: what "
        f"stands in different slices belongs together no more{kept}{error}{changed}"
    )


def tells_nothing(utility: Mapping[str, Any]) -> tuple[str, ...]:
    if utility["buckets"] == 1 < min(utility["columns"], utility["records"]):
        return ("The slices tell nothing of each other any more: all records are one bucket.",)
    return ()


def sections(release: Release) -> Sequence[Section]:
    return slice_sections(release)


def how_to_read(release: Release) -> Sequence[str]:
    return slice_semantics(release)
