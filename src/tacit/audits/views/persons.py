"""Whose record is whose in the original, and which published record it became: what persons are counted by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.audits._sets import Sets, sets_of
from tacit.audits.views.cells import read_cells
from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job.model import Column, Job
from tacit.job.places import place_of

_WHOLE = r"^[0-9]{1,18}$"


def telling_columns(job: Job) -> tuple[str, ...]:
    """The columns that say whose record it is, and that no published file of this job may have.

    Rating files and files in a long layout have fresh ids in the column of persons.
    """
    persons = () if has_fresh_ids(job) else job.columns_with("person")
    return (*job.never_published, *(column.name for column in persons))


def has_fresh_ids(job: Job) -> bool:
    """Whether the column of persons is published, with other ids."""
    return job.input.layout == "long" or job.promise.kind_of_data == "ratings"


def counts_persons(job: Job) -> bool:
    """Whether a record of the job may be one of several of a person or a household."""
    return job.input.layout == "wide" and bool(job.columns_with("person") or job.columns_with("household"))


def read_persons(table: pa.Table, job: Job) -> np.ndarray | None:
    """The household of each record or, if the job names none, the person (int64, as they first appear).

    None if each has one record: then records are persons.
    """
    if not counts_persons(job):
        return None
    person, household = (_ids(table, job, role) for role in ("person", "household"))
    if person is not None and household is not None:
        _, first, code = np.unique(person, return_index=True, return_inverse=True)
        if (household[first][code] != household).any():
            raise _wrong(household[first][code] != household, "persons are in two households", job, "household")
    ids = person if household is None else household
    assert ids is not None
    return None if np.unique(ids).size == ids.size else ids


def united(starts: np.ndarray, items: np.ndarray, persons: np.ndarray) -> Sets:
    """One basket a person, with all that the person's records hold; in the order of their first records."""
    _, first, code = np.unique(persons, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))
    return sets_of(np.repeat(place[code], np.diff(starts)), items, first.size)


def read_rows(table: pa.Table, shape: tuple[int, ...], source: str | Path) -> np.ndarray:
    """The original of each published record, from a table like `rows.csv`; of slices [slice, row].

    Every published record must be in it once. Whether every original one is, and whether it is true, is seen later.
    """
    names = ("slice", "published", "original") if len(shape) == 2 else ("published", "original")
    columns = {name: _numbers(table, name, source) for name in names}
    records = shape[-1]
    place = columns["published"] + (records * (columns["slice"] - 1) if len(shape) == 2 else 0)
    most = int(np.prod(shape))
    in_range = (columns["published"] < records) & (columns["original"] < records) & (place >= 0) & (place < most)
    if not in_range.all() or not np.array_equal(np.sort(place), np.arange(most)):
        raise InputError(
            f"this does not say of each of {records:,} published records which original one it is",
            file=source,
            hint="Give the `rows.csv` that was written with this very file: published,original, counted from 0.",
        )
    rows = np.empty(most, np.int64)
    rows[place] = columns["original"]
    return rows.reshape(shape)


def _ids(table: pa.Table, job: Job, role: str) -> np.ndarray | None:
    """The ids of the column with this role, which every record must have."""
    for column in job.columns_with(role):
        cells = read_cells(column.name, table[column.name], job.input.missing, job.input.source)
        if cells.missing >= 0:
            raise _wrong(cells.codes == cells.missing, f"records have no {role} id", job, role)
        return cells.codes.astype(np.int64)
    return None


def _wrong(where: np.ndarray, problem: str, job: Job, role: str) -> InputError:
    words, line = place_of(int(np.argmax(where)), job.input)
    column: Column = job.columns_with(role)[0]
    hint = f"Correct the {role}s, or take the records out."
    return InputError(f"{problem}{words}", file=job.input.source, line=line, column=column.name, hint=hint)


def _numbers(table: pa.Table, name: str, source: str | Path) -> np.ndarray:
    if name not in table.column_names:
        raise InputError("the file of rows has no such column", file=source, column=name)
    texts = as_text(table[name])
    if not pc.all(pc.fill_null(pc.match_substring_regex(texts, _WHOLE), False)).as_py() and len(texts):
        raise InputError("this must be numbers of records, counted from 0", file=source, column=name)
    return np.concatenate([np.empty(0, np.int64), *map(np.from_dlpack, pc.cast(texts, pa.int64()).chunks)])
