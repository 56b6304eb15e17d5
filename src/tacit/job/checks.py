"""What is checked of a job and its table, whatever the kind of data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from tacit.errors import InputError
from tacit.job.model import Column, Job
from tacit.taxonomy.nodes import first_few


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


def check_sensitive_items(job: Job) -> None:
    """Refuses a promise about sensitive items for baskets of which none is declared sensitive."""
    if job.promise.about_sensitive_items and not any(column.sensitive_items for column in job.columns):
        raise InputError(
            f"the promise {job.promise.name!r} is about sensitive items, and none is declared",
            file=job.file,
            column=job.columns_with("items")[0].name,
            hint='List them at their column, such as sensitive = ["HIV"]; in Python: sensitive_items=["HIV"].',
        )
