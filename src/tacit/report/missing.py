"""What a public note says about missing values: only what is published is named."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from tacit.report.markdown import code

if TYPE_CHECKING:
    from tacit.release import Release


def missing_in(release: Release, columns: Iterable[str]) -> str:
    """A sentence about what stands for a missing value in these published columns; empty if nothing is missing.

    >>> _sentence(["", "NA"]), _sentence(["?"]), _sentence([])
    ('An empty cell or `NA` is a missing value.', '`?` is a missing value.', '')
    """
    shown: set[str] = set()
    for name in columns:
        shown |= _shown(release.table[name], release.job.input.missing)
    return _sentence(sorted(shown))


def _shown(column: pa.ChunkedArray, markers: Collection[str]) -> set[str]:
    """The markers that occur."""
    found = {""} if column.null_count else set[str]()
    if pa.types.is_nested(column.type):
        return found
    texts = column.cast(pa.string())
    return found | set(pc.unique(texts.filter(pc.is_in(texts, pa.array(["", *markers])))).to_pylist())


def _sentence(markers: Iterable[str]) -> str:
    words = [code(marker) if marker else "an empty cell" for marker in markers]
    if not words:
        return ""
    line = f"{' or '.join(words)} is a missing value."
    return line[:1].upper() + line[1:]
