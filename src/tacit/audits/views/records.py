"""Records: what a stranger reads in a published table of people, and the original that it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pyarrow as pa

from tacit.audits.views import baskets
from tacit.audits.views.baskets import BasketOriginal, BasketView
from tacit.audits.views.cells import Cells, read_cells, read_labels
from tacit.audits.views.columns import SUPPRESSED, KnownColumn, exact_column, read_column
from tacit.errors import InputError
from tacit.job.checks import check_sensitive_items, require_columns
from tacit.job.model import Column, Job
from tacit.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class RecordView:
    """A published table: values are labels, and no one knows what they stand for."""

    kind_of_data: ClassVar[str] = "records"
    records: int
    quasi: tuple[Cells, ...]
    shown: tuple[Cells, ...] = ()  # the sensitive columns that are in the file
    absent: tuple[str, ...] = ()  # those that the job declares, and that are not
    baskets: BasketView | None = None
    identifiers: tuple[str, ...] = ()  # columns of the file that say whose record it is
    columns: tuple[Column, ...] = ()  # what the job says of the sensitive columns
    trees: Mapping[str, Taxonomy] = field(default_factory=dict)  # their hierarchies, where they are no files

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

    def __len__(self) -> int:
        return self.records


def read_view(table: pa.Table, job: Job, source: str | Path | None) -> RecordView:
    """A published table, whoever made it; sensitive columns that the promise is not about may be left out."""
    _refuse_long(job)
    check_sensitive_items(job)
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
        tuple(read_labels(column.name, table[column.name], source) for column in quasi),
        tuple(_sensitive(table, column, job, source) for column in sensitive),
        absent,
        held,
        tuple(column.name for column in job.columns_with("identifier") if column.name in table.column_names),
        sensitive,
    )


def read_original(table: pa.Table, job: Job, hierarchies: Mapping[str, Taxonomy], *, is_local: bool) -> RecordOriginal:
    """The job's records; the hierarchy of a column is the one given, or the file that the job names."""
    _refuse_long(job)
    require_columns(table, job.columns, job.input.source)
    held = None
    if job.columns_with("items"):
        held = baskets.read_original(table, job, hierarchies, is_local=is_local)
    return RecordOriginal(
        table.num_rows,
        tuple(read_column(table, job, column, hierarchies) for column in job.columns_with("quasi")),
        tuple(exact_column(table, job, column) for column in job.columns_with("sensitive")),
        held,
        hierarchies,
    )


def _sensitive(table: pa.Table, column: Column, job: Job, source: str | Path | None) -> Cells:
    """A sensitive column: all that means "no value" is one value."""
    cells = read_cells(column.name, table[column.name], job.input.missing, source)
    if column.missing == "suppress" and cells.missing >= 0:
        return Cells(cells.name, cells.codes, (*cells.texts[:-1], SUPPRESSED), cells.missing)
    return cells


def _refuse_long(job: Job) -> None:
    if job.input.layout == "long":
        raise InputError(
            f"the model {job.promise.name!r} needs one row per person, but the layout is long",
            file=job.file,
            hint='Bring the data to one row per person, with the items of a person in one cell: layout = "wide".',
        )
