"""Cells as a country writes numbers and days, `1,5` and `5.3.2024`, in the spelling that the audits read.

By code of its own. No two texts of a column become one: whoever published `1.5` where numbers have a comma published
another text than `1,5`, and people can tell the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

import numpy as np
import pyarrow as pa

from tacit.audits.values import ANYTHING, ends_of, number_of
from tacit.audits.views.cells import different_values
from tacit.io.text import as_text
from tacit.job.model import Column, Job

_OTHER = "≠"
"""Before a text that is no number or day in the style of its column, and would be read as one."""
_RANGE_END = re.compile(r"[^\[\]:≤≥]+")


def in_one_spelling(table: pa.Table, job: Job) -> pa.Table:
    """The table with its numbers and days as `1.5` and `2024-03-05`; columns of slices are named `1.age`."""
    for name, column in _styled(table, job):
        _, codes, texts = _respelled(table[name], column, job)
        indices = pa.array(codes, mask=codes < 0)
        spelt = pa.chunked_array([pa.array(texts, pa.string()).take(indices)])
        table = table.set_column(table.column_names.index(name), name, spelt)
    return table


def as_written(table: pa.Table, job: Job) -> dict[str, dict[str, str]]:
    """Of each column with numbers and days in a style: what the file has in place of texts in the one spelling."""
    found = {}
    for name, column in _styled(table, job):
        values, _, texts = _respelled(table[name], column, job)
        found[name] = {new: old for new, old in zip(texts, values, strict=True) if new != old}
    return found


def _styled(table: pa.Table, job: Job) -> Iterator[tuple[str, Column]]:
    styles = {
        column.name: column
        for column in job.columns
        if column.decimal == "," or column.thousands is not None or column.date_format
    }
    for name in table.column_names if styles else ():
        column = styles.get(name) or styles.get(name.partition(".")[2])
        kind = table[name].type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if column is not None and (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            yield name, column


def _respelled(cells: pa.ChunkedArray, column: Column, job: Job) -> tuple[list[str], np.ndarray, list[str]]:
    """The different texts of a column, which one each cell has, and the texts in the one spelling."""
    values, codes = different_values(cells)
    kept = {"", ANYTHING, *job.input.missing}
    read = _reader_of_numbers(column) if column.date_format is None else _reader_of_days(column)
    written = as_text(values).to_pylist()
    return written, codes, [text if text in kept or text is None else spelled(text, read) for text in written]


def spelled(text: str, read: Callable[[str], str | None]) -> str:
    """A text in the one spelling: a number or day, or a range of two.

    >>> [spelled(text, _number) for text in ("1,50", "[1,5:2]", "[≥1,5]", "1.5", "[1.5:2]", "B")]
    ['1.50', '[1.5:2]', '[≥1.5]', '≠1.5', '≠[1.5:2]', 'B']
    """
    single, ends = read(text), ends_of(text)
    if single is not None:
        return single
    told = [end for end in ends or () if end is not None]
    if told and all(read(end) is not None for end in told):
        return _RANGE_END.sub(lambda end: str(read(end[0])), text)
    looks_plain = number_of(text) is not None or any(number_of(end) is not None for end in told)
    return _OTHER + text if looks_plain or text.startswith(_OTHER) else text


def _number(text: str) -> str | None:
    return None if "." in text or number_of(text.replace(",", ".")) is None or _is_day(text) else text.replace(",", ".")


def _reader_of_numbers(column: Column) -> Callable[[str], str | None]:
    """What reads a number of the column; with a sign between thousands, every three digits must have it."""
    if column.thousands is None:
        return _number
    point = "," if column.decimal == "," else "."
    sign = column.thousands

    def read(text: str) -> str | None:
        whole, _, rest = text.strip().lstrip("+-").partition(point)
        first, *others = whole.split(sign)
        digits = [first, *others, *([rest] if rest else [])]
        if not all(part.isascii() and part.isdigit() for part in digits):
            return None
        if len(first) > 3 or any(len(part) != 3 for part in others):
            return None
        plain = text.replace(sign, "").replace(point, ".")
        return plain if number_of(plain) is not None else None

    return read


def _is_day(text: str) -> bool:
    return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None


def _reader_of_days(column: Column) -> Callable[[str], str | None]:
    """What reads a day of the column, with or without zeros in front as its format has them."""
    date_format, years = str(column.date_format), column.years
    two, one = "[0-9]{2}", "[1-9][0-9]?"
    digits = {"YYYY": "[0-9]{4}", "YY": two, "MM": two, "DD": two, "M": one, "D": one}
    order = re.findall("YYYY|YY|MM|DD|M|D", date_format)
    signs = re.split("YYYY|YY|MM|DD|M|D", date_format)
    pattern = re.escape(signs[0]) + "".join(
        f"({digits[part]}){re.escape(sign)}" for part, sign in zip(order, signs[1:], strict=True)
    )

    def read(text: str) -> str | None:
        found = re.fullmatch(pattern, text)
        if found is None:
            return None
        part = {name[0]: int(value) for name, value in zip(order, found.groups(), strict=True)}
        if years is not None:  # the one of these hundred years that ends so
            part["Y"] = years[0] + (part["Y"] - years[0]) % 100
        try:
            return date(part["Y"], part["M"], part["D"]).isoformat()
        except ValueError:  # no such day
            return None

    return read
