"""Records: what a stranger reads in a published table of people, and the original that it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
import pyarrow as pa

from tacit.arrays.blocks import all_side_by_side, threads_for
from tacit.audits.views import baskets
from tacit.audits.views.baskets import BasketOriginal, BasketView
from tacit.audits.views.beside import NOTHING, Beside
from tacit.audits.views.cells import Cells, read_cells, read_labels
from tacit.audits.views.columns import SUPPRESSED, KnownColumn, exact_column, read_column, with_numbers_once
from tacit.audits.views.persons import read_persons
from tacit.audits.views.spellings import as_one
from tacit.errors import InputError
from tacit.job.checks import check_asked, check_sensitive_items, require_columns
from tacit.job.model import Column, Job
from tacit.taxonomy import Taxonomy

_Column = TypeVar("_Column")


@dataclass(frozen=True, eq=False)
class RecordView:
    """A published table: values are labels, and no one knows what they stand for."""

    kind_of_data: ClassVar[str] = "records"
    records: int
    quasi: tuple[Cells, ...]
    shown: tuple[Cells, ...] = ()  # the sensitive columns that are in the file
    absent: tuple[str, ...] = ()  # those that the job declares, and that are not
    baskets: BasketView | None = None
    columns: tuple[Column, ...] = ()  # what the job says of the sensitive columns
    trees: Mapping[str, Taxonomy] = field(default_factory=dict)  # their hierarchies, where they are no files
    persons: np.ndarray | None = None  # int64: whose record each one is, if that is known and somebody has several
    times: np.ndarray | None = None  # int64: how many records each row stands for, if not for one
    alike: np.ndarray | None = None  # int64: how many persons the person of each row stands for, if not for one
    beside: Beside = NOTHING
    markers: tuple[str, ...] = ("",)  # what means "no value"
    of_all: Mapping[str, Mapping[str | None, int]] = field(default_factory=dict)
    """Of a file that this is a share of: how many records have each text of a sensitive column (None: no value)."""
    is_share: bool = False  # of a file, of which other shares may have values that none of these records has

    def __len__(self) -> int:
        return self.records

    @property
    def sensitive(self) -> tuple[Cells, ...]:
        """What an attacker wants to learn; refused where some of it is not in the file, or nothing is declared."""
        if self.absent:
            raise InputError("the promise is about this column, and the data lacks it", column=self.absent[0])
        if not self.shown:
            raise InputError("the promise is about sensitive columns, and none is declared")
        return self.shown

    @property
    def meant(self) -> tuple[Cells, ...]:
        """The same with one text for all spellings of a value, unless the job takes them apart."""
        apart = {column.name for column in self.columns if not column.fold}
        return tuple(cells if cells.name in apart else _meant(cells) for cells in self.sensitive)

    def some(self, rows: np.ndarray) -> RecordView:
        """These records alone; of a file without baskets."""
        quasi, shown = (
            tuple(replace(cells, codes=cells.codes[rows]) for cells in columns) for columns in (self.quasi, self.shown)
        )
        return replace(self, records=rows.size, quasi=quasi, shown=shown)

    @property
    def items(self) -> BasketView:
        """The baskets; refused where no column holds any."""
        if self.baskets is None:
            raise InputError("the promise is about baskets, and no column holds any")
        return self.baskets


@dataclass(frozen=True, eq=False)
class RecordOriginal:
    """The records that were published."""

    records: int
    quasi: tuple[KnownColumn, ...]
    sensitive: tuple[KnownColumn, ...]
    baskets: BasketOriginal | None
    trees: Mapping[str, Taxonomy] = field(default_factory=dict)  # hierarchies that are no files
    persons: np.ndarray | None = None  # int64: whose record each one is, if somebody has several

    def __len__(self) -> int:
        return self.records


def read_view(table: pa.Table, job: Job, source: str | Path | None) -> RecordView:
    """A published table, whoever made it; sensitive columns that the promise is not about may be left out."""
    _refuse_long(job)
    check_sensitive_items(job)
    check_asked(job)
    quasi, sensitive = job.columns_with("quasi"), job.columns_with("sensitive")
    absent: tuple[str, ...] = ()
    if "sensitive" not in job.promise.roles:
        absent = tuple(column.name for column in sensitive if column.name not in table.column_names)
        sensitive = tuple(column for column in sensitive if column.name in table.column_names)
    require_columns(table, (*quasi, *sensitive), source or job.input.source)
    held = None
    if job.columns_with("items"):
        held = baskets.read_items(table, job, source or job.input.source)
    return RecordView(
        table.num_rows,
        _each([partial(read_labels, column.name, table[column.name], source) for column in quasi], table),
        tuple(_sensitive(table, column, job, source) for column in sensitive),
        absent,
        held,
        sensitive,
        markers=job.input.missing,
    )


def read_original(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool) -> RecordOriginal:
    """The job's records; the hierarchy of a column is the one given, or the file that the job names."""
    _refuse_long(job)
    require_columns(table, job.columns, job.input.source)
    held = None
    if job.columns_with("items"):
        held = baskets.read_rows(table, job, hierarchies, is_local=is_local)
    return RecordOriginal(
        table.num_rows,
        _each([partial(read_column, table, job, column, hierarchies) for column in job.columns_with("quasi")], table),
        tuple(exact_column(table, job, column) for column in job.columns_with("sensitive")),
        held,
        hierarchies,
        read_persons(table, job),
    )


def _each(columns: Sequence[Callable[[], _Column]], table: pa.Table) -> tuple[_Column, ...]:
    """Columns, each of which is read by itself."""
    return tuple(all_side_by_side(columns, threads=threads_for(table.num_rows)))


def _sensitive(table: pa.Table, column: Column, job: Job, source: str | Path | None) -> Cells:
    """A sensitive column: all that means "no value" is one value, and so is a number in several spellings."""
    cells, _ = with_numbers_once(read_cells(column.name, table[column.name], markers_of(column, job), source), column)
    if column.missing == "suppress" and cells.missing >= 0:
        return Cells(cells.name, cells.codes, (*cells.texts[:-1], SUPPRESSED), cells.missing)
    return cells


def markers_of(column: Column, job: Job) -> tuple[str, ...]:
    """What means "no value" in a published sensitive column: where that is suppressed, the sign for it, too."""
    return (*job.input.missing, SUPPRESSED) if column.missing == "suppress" else tuple(job.input.missing)


def _meant(cells: Cells) -> Cells:
    return replace(cells, texts=[cells.texts[code] for code in as_one(cells.texts, cells.missing).tolist()])


def _refuse_long(job: Job) -> None:
    if job.input.layout == "long":
        raise InputError(
            f"the model {job.promise.name!r} needs one row per person, but the layout is long",
            file=job.file,
            hint='Bring the data to one row per person, with the items of a person in one cell: layout = "wide".',
        )
