"""What the columns of a table of persons seem to be: identifiers, quasi-identifiers, sensitive values."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacit.arrays.encode import is_list
from tacit.io.text import as_text

LOOKED_AT = 20_000
"""By so many rows it is judged what a column is."""
_MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")
_IDENTIFIER = re.compile(r"name$|^id$|_id$|[a-z]ID$|number$|_nbr$|ssn|passport|e-?mail|phone|address|insurance", re.I)
_SENSITIVE = re.compile(
    "disease|diagnos|illness|severity|salary|income|occupation|religion|politic|hiv|cancer|outcome|readmit|verdict",
    re.I,
)


class ColumnGuess(NamedTuple):
    """A role, the type of the values, and why."""

    name: str
    role: str
    type: str
    why: str
    distinct: int


def missing_markers(table: pa.Table) -> list[str]:
    """The usual ways to write "no value" that stand in the table."""
    found: set[str] = set()
    for column in table.columns:
        if not is_list(column.type) and not pa.types.is_integer(column.type):
            text = as_text(column)
            found.update(pc.unique(text.filter(pc.is_in(text, value_set=pa.array(_MISSING, text.type)))).to_pylist())
    return ["", *sorted(found - {""})]


def guess_columns(table: pa.Table, missing: Collection[str]) -> list[ColumnGuess]:
    """A guess for every column that holds one value a person."""
    head = table.slice(0, LOOKED_AT)
    return [_guess(name, head[name], missing) for name in head.column_names if not is_list(head[name].type)]


def _guess(name: str, column: pa.ChunkedArray, missing: Collection[str]) -> ColumnGuess:
    values = values_of(column, missing)
    distinct = pc.count_distinct(values).as_py()
    kind = "number" if len(values) and numbers_of(values) is not None else "category"
    unique = distinct > 0.9 * len(values) and len(values) >= 20
    if distinct > 0.5 * len(values) and _IDENTIFIER.search(name):
        role, why = "identifier", "named like one, and most people have another"
    elif unique and (kind == "category" or _counts_up(values)):
        role, why = "identifier", "nearly every person has another value"
    elif _SENSITIVE.search(name):
        role, why = "sensitive", "named like something to learn of a person"
    else:
        role, why = "quasi", "may be known of a person"
    return ColumnGuess(name, role, kind, why, distinct)


def _counts_up(values: pa.ChunkedArray) -> bool:
    """Whether whole numbers lie so close that they number the rows."""
    numbers = numbers_of(values)
    return numbers is not None and bool(np.all(numbers % 1 == 0)) and np.ptp(numbers) < 2 * numbers.size


def values_of(column: pa.ChunkedArray, missing: Collection[str]) -> pa.ChunkedArray:
    """The texts of a column, without those that mean "no value"."""
    text = as_text(column)
    return text.filter(pc.invert(pc.is_in(text, value_set=pa.array(sorted(missing), text.type)))).drop_null()


def numbers_of(values: pa.ChunkedArray) -> np.ndarray | None:
    """Texts as numbers; None if some are none."""
    try:
        return pc.cast(values, pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
