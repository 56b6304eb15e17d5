"""From a table and its recoding to the sliced table: buckets with random numbers, each slice permuted on its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tacit.arrays.attributes import Attribute
from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.io.spreadsheet import escape
from tacit.job import Column, Job
from tacit.job.checks import check_columns
from tacit.records.data import attribute_in
from tacit.sliced import BUCKET
from tacit.slices.data import PersonTable
from tacit.slices.recoding import SliceRecoding
from tacit.taxonomy import Taxonomy

_ROLES = ("quasi", "sensitive", "plain")


def read_people(
    table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], output: FileFormat | None
) -> PersonTable:
    """The columns of the job that are published, checked; plain ones are published, and known to nobody."""
    check_columns(table, job)
    columns = [column for column in job.columns if column.role in _ROLES]
    if output is not None and output.name == "dat":
        raise InputError(
            "a .dat file cannot hold a sliced table", file=job.file, hint='Set format = "csv" under [output].'
        )
    for column in columns:
        if column.missing == "suppress":
            raise InputError(
                'slicing changes no value, so that missing = "suppress" cannot be done',
                file=job.file,
                column=column.name,
                hint='Leave it out: a missing value is a value of its own (missing = "value").',
            )
    attributes = tuple(_read(table, column, job, hierarchies) for column in columns)
    if output is not None and output.delimited and job.output.escape_formulas:
        _check_escapes(attributes)
    return PersonTable(
        attributes,
        tuple(i for i, column in enumerate(columns) if column.role == "quasi"),
        tuple(i for i, column in enumerate(columns) if column.role == "sensitive"),
    )


def sliced_table(
    data: PersonTable, recoding: SliceRecoding, rng: np.random.Generator, *, escaped: bool = False
) -> tuple[pa.Table, np.ndarray]:
    """The table to publish, and for each slice and row the number of the original record."""
    number = (rng.permutation(recoding.buckets) + 1)[recoding.bucket] if len(data) else np.zeros(0, np.int64)
    arrays = {BUCKET: pa.array(np.sort(number))}
    original = np.empty((len(recoding.slices), len(data)), np.int64)
    region_of = {name: regions for regions in recoding.regions for name in regions.attributes}
    for place, names in enumerate(recoding.slices):
        original[place] = np.lexsort((rng.random(len(data)), number))
        for name in names:
            attribute = data.attributes[data.names.index(name)]
            codes, texts = attribute.codes, attribute.texts
            if name in region_of:
                regions = region_of[name]
                at = regions.attributes.index(name)
                codes, texts = regions.of_record, tuple(values[at] for values in regions.values)
            shown = [(escape(text) if escaped else text) or None for text in texts]
            arrays[f"{place + 1}.{name}"] = pa.array(shown, pa.string()).take(pa.array(codes[original[place]]))
    return pa.table(arrays), original


def unescaped(text: str) -> str:
    """The value that was written with an apostrophe in front because it looks like a formula."""
    return text[1:] if text.startswith("'") and escape(text[1:]) == text else text


def _read(table: pa.Table, column: Column, job: Job, hierarchies: Mapping[str, Taxonomy]) -> Attribute:
    """A sensitive or plain column is never generalized: a few cells that are no numbers make it one of categories."""
    tree = hierarchies.get(column.name)
    try:
        return attribute_in(table, job, column, tree)
    except InputError:
        if column.role == "quasi" or column.type is not None:
            raise
        return attribute_in(table, job, replace(column, type="category"), tree)


def _check_escapes(attributes: tuple[Attribute, ...]) -> None:
    for attribute in attributes:
        if any(unescaped(text) != text for text in attribute.texts):
            raise InputError(
                "a value starts with an apostrophe as if it were an escaped formula",
                column=attribute.name,
                hint="Rename the value, or leave output.escape_formulas out.",
            )
