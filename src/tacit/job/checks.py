"""What is checked of a job and its table, whatever the kind of data: columns, roles, the format of the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io import FileFormat
from tacit.job.model import Column, Job
from tacit.taxonomy.nodes import first_few

_CERTAINLY, _NEARLY_ALL = 50, 0.9
"""If of so many records nearly all have a value of their own, a column is an identifier."""
_PROTECTABLE = ("quasi", "sensitive", "items", "rating")


def require_columns(table: pa.Table, columns: Sequence[Column], source: str | Path) -> None:
    """Refuses a table that lacks one of the columns."""
    for column in columns:
        if column.name not in table.column_names:
            doubt = " Is the delimiter right?" if table.num_columns == 1 else ""
            raise InputError(
                "the data has no such column",
                file=source,
                column=column.name,
                hint=f"It has: {first_few(table.column_names, most=20)}.{doubt}",
            )


def check_columns(table: pa.Table, job: Job) -> None:
    """Refuses columns that the data lacks, and those that would be published without any protection."""
    require_columns(table, job.columns, job.input.source)
    protected = {*job.promise.protects, *(("items",) if job.input.layout == "long" else ())}
    for column in job.columns:
        if column.role in _PROTECTABLE and column.role not in protected:
            raise InputError(
                f"the promise {job.promise.name!r} does not protect a column with the role {column.role!r}",
                file=job.file,
                column=column.name,
                hint='Leave the column out (it is not published then), or publish it as it is with role = "plain".',
            )
        if column.role == "plain" and job.input.layout == "long":
            raise InputError(
                "a long layout has one row per person and item, so a plain column cannot be published with it",
                file=job.file,
                column=column.name,
                hint="Leave the column out, or bring the data to one row per person.",
            )


def check_sensitive_items(job: Job) -> None:
    """Refuses a promise about sensitive items for baskets of which none is declared sensitive."""
    if job.promise.about_sensitive_items and not any(column.sensitive_items for column in job.columns):
        raise InputError(
            f"the promise {job.promise.name!r} is about sensitive items, and none is declared",
            file=job.file,
            column=job.columns_with("items")[0].name,
            hint='List them at their column, such as sensitive = ["HIV"]; in Python: sensitive_items=["HIV"].',
        )


def check_output(table: pa.Table, job: Job, output: FileFormat) -> None:
    """Refuses a format that cannot hold what is to be published."""
    if output.name == "dat" and job.promise.shows_groups:
        raise InputError(
            "a .dat file holds nothing but baskets, so that the groups cannot be published in it",
            file=job.file,
            hint='Write another format, such as format = "csv" under [output].',
        )
    for column in job.columns:
        published = column.role in ("items", "plain") or (column.role == "person" and job.input.layout == "long")
        if published and output.name == "dat" and column.name != "items":
            raise InputError(
                "a .dat file holds nothing but one column of baskets, named 'items'",
                file=job.file,
                column=column.name,
                hint='Write another format, such as format = "csv" under [output].',
            )
        if column.role == "plain" and pa.types.is_nested(table[column.name].type) and not output.has_lists:
            raise InputError(
                f"values of type {table[column.name].type} cannot be written as text",
                file=job.file,
                column=column.name,
                hint='Leave the column out, or write format = "parquet" under [output].',
            )


def notes_on_plain(table: pa.Table, job: Job) -> Iterator[str]:
    """Warns of columns that nothing protects if they tell people apart."""
    for column in job.columns_with("plain"):
        values = table[column.name]
        if pa.types.is_nested(values.type) and not pa.types.is_dictionary(values.type):
            continue
        different = len(pc.unique(values))
        if identifies(len(values), different):
            yield (
                f"column {column.name!r} is plain, so that nothing protects it, and has {different:,} different values "
                f"in {len(values):,} records: it may tell who is who, whatever the promise"
            )


def identifies(records: int, different: int) -> bool:
    """Whether a column with so many different values tells people apart; of few records it may be chance."""
    return records >= _CERTAINLY and different > _NEARLY_ALL * records
