"""Some records as they are published, and what of that the promise is not about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from tacit.io.text import as_text

if TYPE_CHECKING:
    from tacit.release import Release


def shown_cells(release: Release, column: str, records: int) -> list[str]:
    """The first cells of a published column; one that is null is empty."""
    cells = release.table[column].slice(0, records)
    if pa.types.is_nested(cells.type):
        return [str(cell) for cell in cells.to_pylist()]
    return [cell or "" for cell in as_text(cells).to_pylist()]


def plain_columns(release: Release) -> list[str]:
    """The columns that are published as they are."""
    return [column.name for column in release.job.columns_with("plain") if column.name in release.table.column_names]
