"""Equal numbers in one spelling: who wrote `1.50` where others write `1.5` stands out by it.

Dates are written in one way only, and of columns that hold numbers by their type only zero has two: it may have a sign.
Text keeps its characters; `type = "category"` makes text of a column whose values all look like numbers.
"""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal

import numpy as np
import pyarrow as pa

from tacit.arrays.labels import as_numbers
from tacit.arrays.reading import different_values, is_text
from tacit.io.text import one_zero
from tacit.job import Column, Job

_ROLES = ("quasi", "sensitive", "plain", "rating")


def in_one_spelling(table: pa.Table, job: Job, in_trees: Collection[str]) -> pa.Table:
    """The table with equal numbers of a column written alike; those in hierarchies are names, and stay.

    >>> from pathlib import Path
    >>> from tacit.job import Input, Output
    >>> from tacit.promises import KAnonymity
    >>> job = Job(Input("x"), (Column("x", "plain"),), KAnonymity(2), Output(Path("out")))
    >>> in_one_spelling(pa.table({"x": ["1.50", "1.5", "2", "1.5", ""]}), job, ())["x"].to_pylist()
    ['1.5', '1.5', '2', '1.5', '']
    """
    for column in job.columns:
        if column.name not in table.column_names or column.role not in _ROLES:
            continue
        spelt = one_zero(table[column.name])
        if may_be_numbers(column, in_trees):
            nothing = {"", *job.input.missing}
            spelt = _spelt(spelt, nothing, blank_is_nothing=column.role == "rating")
        table = table.set_column(table.column_names.index(column.name), column.name, spelt)
    return table


def may_be_numbers(column: Column, in_trees: Collection[str]) -> bool:
    """Whether equal numbers of a column are to be written alike, if its values are numbers."""
    is_label = column.type in ("category", "date") or column.hierarchy is not None or column.name in in_trees
    return column.role in _ROLES and not is_label


def _spelt(column: pa.ChunkedArray, nothing: Collection[str], *, blank_is_nothing: bool) -> pa.ChunkedArray:
    if not is_text(column.type):
        return column
    values, codes = different_values(column)
    people = np.bincount(codes[codes >= 0], minlength=len(values))
    texts = spelled(values.to_pylist(), people, nothing, blank_is_nothing=blank_is_nothing)
    if texts is None:
        return column
    written = pa.array(texts, values.type)
    chunks, start = [], 0
    for chunk in column.chunks:
        part = codes[start : start + len(chunk)]
        chunks.append(written.take(pa.array(part, mask=part < 0)))
        start += len(chunk)
    spelt = pa.chunked_array(chunks, values.type)
    return spelt.dictionary_encode().cast(column.type) if pa.types.is_dictionary(column.type) else spelt


def spelled(
    texts: list[str | None], people: np.ndarray, nothing: Collection[str], *, blank_is_nothing: bool
) -> list[str | None] | None:
    """How each of some different texts is written, by how many people wrote it; None: all as they are."""
    known = {
        code: text
        for code, text in enumerate(texts)
        if text is not None and text not in nothing and not (blank_is_nothing and not text.strip())
    }
    _, numbers = as_numbers(pa.array(list(known.values()), pa.large_string()))
    if numbers is None or np.unique(numbers).size == numbers.size:
        return None
    best: dict[Decimal, str] = {}
    for code in sorted(known, key=lambda code: (-int(people[code]), len(known[code]), known[code])):
        best.setdefault(Decimal(known[code].strip()), known[code])
    return [best[Decimal(known[code].strip())] if code in known else text for code, text in enumerate(texts)]
