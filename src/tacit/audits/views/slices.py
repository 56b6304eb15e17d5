"""Sliced tables: what a stranger reads in one, and the people whose records were sliced."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacit.audits.views.beside import NOTHING, Beside
from tacit.audits.views.cells import read_cells
from tacit.audits.views.columns import KnownColumn, exact_column, read_column, with_numbers_once
from tacit.audits.views.persons import read_persons
from tacit.audits.views.spellings import as_one
from tacit.errors import InputError
from tacit.job.checks import require_columns
from tacit.job.model import Job
from tacit.taxonomy import Taxonomy

BUCKET = "bucket"
_NO_SLICE = "A sliced table has a column `bucket` and columns headed `1.age`: number of the slice, dot, attribute."
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
"""Of a slice. Another way to write it, such as `01`, could be a second column of the same slice."""


@dataclass(frozen=True, eq=False)
class SliceView:
    """The rows of each slice with the bucket that they are in. A missing value is the empty text."""

    kind_of_data: ClassVar[str] = "slices"
    slices: tuple[tuple[str, ...], ...]  # the attributes of each
    bucket: np.ndarray  # int32 per row
    buckets: tuple[str, ...]  # their names
    codes: tuple[tuple[np.ndarray, ...], ...]  # of each slice, of each of its attributes: int32 per row
    texts: Mapping[str, tuple[str, ...]]  # of each attribute: what its codes stand for, the same in all slices
    known: tuple[str, ...]  # the attributes that an attacker knows
    sensitive: tuple[str, ...]  # those that an attacker wants to learn
    apart: tuple[str, ...] = ()  # sensitive ones of which every spelling is a value of its own
    persons: np.ndarray | None = None  # int64: whose the rows of the first slice are, if somebody has several records
    beside: Beside = NOTHING

    def __len__(self) -> int:
        return len(self.bucket)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Each attribute once, in the order of the slices."""
        return tuple(dict.fromkeys(name for one in self.slices for name in one))

    def readings(self) -> list[SliceView]:
        """What to take for one value: all spellings of a sensitive one, unless the job takes them apart.

        Slices that such a value links are joined by its spelling, too, which may tell more.
        """
        links = any(sum(name in one for one in self.slices) > 1 for name in self.sensitive)
        return [self._meant(), self] if links else [self._meant()]

    def _meant(self) -> SliceView:
        """The same with one value for all spellings."""
        one = {name: as_one(self.texts[name]) for name in self.sensitive if name not in self.apart}
        codes = [
            tuple(one[name][each] if name in one else each for name, each in zip(names, columns, strict=True))
            for names, columns in zip(self.slices, self.codes, strict=True)
        ]
        return replace(self, codes=tuple(codes))

    def column(self, index: int, name: str) -> np.ndarray:
        """The codes of an attribute in a slice."""
        return self.codes[index][self.slices[index].index(name)]


@dataclass(frozen=True, eq=False)
class SliceOriginal:
    """The people whose records were sliced: quasi-identifiers with their meaning, other columns as they are."""

    columns: tuple[KnownColumn, ...]
    known: tuple[str, ...]  # what an attacker knows
    persons: np.ndarray | None = None  # int64: whose record each one is, if somebody has several

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def people(self) -> tuple[KnownColumn, ...]:
        """What an attacker knows of each person."""
        return tuple(column for column in self.columns if column.name in self.known)

    def column(self, name: str) -> KnownColumn:
        return self.columns[self.names.index(name)]


def read_view(table: pa.Table, job: Job, source: str | Path | None) -> SliceView:
    """A sliced table, which must have all attributes that the promise is about."""
    names = _slices_in(table, source)
    code_of: dict[str, dict[str, int]] = {name: {} for one in names.values() for name in one}
    sensitive = {column.name: column for column in job.columns_with("sensitive")}
    codes = []
    for number, attributes in names.items():
        columns = []
        for name in attributes:
            heading = f"{number}.{name}"
            cells = read_cells(heading, table[heading], job.input.missing, source)
            if name in sensitive:  # a number in several spellings is one value
                cells, _ = with_numbers_once(cells, sensitive[name])
            texts = cells.texts if cells.missing < 0 else (*cells.texts[:-1], "")
            shared = code_of[name]
            columns.append(np.array([shared.setdefault(text, len(shared)) for text in texts], np.int32)[cells.codes])
        codes.append(tuple(columns))
    bucket = read_cells(BUCKET, table[BUCKET], (), source)
    view = SliceView(
        tuple(map(tuple, names.values())),
        bucket.codes,
        tuple(bucket.texts),
        tuple(codes),
        {name: tuple(shared) for name, shared in code_of.items()},
        _named(job, "quasi"),
        _named(job, "sensitive"),
        tuple(column.name for column in job.columns_with("sensitive") if not column.fold),
    )
    for name in (*view.known, *view.sensitive):
        if name not in view.attributes:
            raise InputError(
                "no slice of the table has this attribute",
                file=source,
                column=name,
                hint=f"Its slices have: {', '.join(view.attributes)}.",
            )
    return view


def read_original(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool) -> SliceOriginal:
    """The columns of the job that are published; plain ones, too, which are known to nobody."""
    require_columns(table, job.columns, job.input.source)
    columns = tuple(
        read_column(table, job, column, hierarchies) if column.role == "quasi" else exact_column(table, job, column)
        for column in job.columns
        if column.role in ("quasi", "sensitive", "plain")
    )
    return SliceOriginal(columns, _named(job, "quasi"), read_persons(table, job))


def _named(job: Job, role: str) -> tuple[str, ...]:
    return tuple(column.name for column in job.columns_with(role))


def _slices_in(table: pa.Table, source: str | Path | None) -> dict[int, list[str]]:
    """The attributes of each slice by its number."""
    if BUCKET not in table.column_names:
        raise InputError("the table has no column 'bucket'", file=source, hint=_NO_SLICE)
    found: dict[int, list[str]] = {}
    for name in table.column_names:
        if name == BUCKET:
            continue
        number, dot, attribute = name.partition(".")
        if not (_NUMBER.fullmatch(number) and dot and attribute):
            raise InputError("the column belongs to no slice", file=source, column=name, hint=_NO_SLICE)
        found.setdefault(int(number), []).append(attribute)
    if not found:
        raise InputError("the table has no slice", file=source, hint=_NO_SLICE)
    return dict(sorted(found.items()))
