"""Numbers and days as a country writes them: `1,5` and `5.3.2024`. Searches know one spelling, `1.5` and `2024-03-05`.

Cells are brought to it when a job's table is read, and back before anything is published. Both ways are exact: a text
that was not changed is published character by character. So a column has one style, and what is not in it is an error.
(The audits have a reader of their own: `tacit.audits.views.styles`.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacit.errors import InputError
from tacit.io.text import as_text
from tacit.job.model import Column, Job
from tacit.job.places import place_of

_COMMA_NUMBER = r"^\s*[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]{1,2})?\s*$"
_NUMBERS = r"[\s0-9.eE+-]+"
_PLAIN_NUMBERS = rf"^(?:{_NUMBERS}|\[{_NUMBERS}:{_NUMBERS}\]|\[[≤≥]{_NUMBERS}\])$"
_PLAIN_DAY = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
_PLAIN_DAYS = rf"^(?:{_PLAIN_DAY}|\[{_PLAIN_DAY}:{_PLAIN_DAY}\]|\[[≤≥]{_PLAIN_DAY}\])$"
_PARTS = {"YYYY": r"[0-9]{4}", "MM": r"[0-9]{2}", "DD": r"[0-9]{2}", "M": r"1?[0-9]", "D": r"[1-3]?[0-9]"}
_TOKENS = re.compile("YYYY|MM|DD|M|D")

Texts = Any  # pa.Array, of which a type checker knows nothing


def plain_table(table: pa.Table, job: Job, hierarchies: Collection[str] = ()) -> pa.Table:
    """The table with numbers and days in the one spelling; what is not in the style of its column is an error."""
    for column in _styled_columns(job):
        if column.name in hierarchies:
            hint = "Leave out decimal and date_format, or the hierarchy."
            raise InputError("the values of a hierarchy are names, not numbers or days", column=column.name, hint=hint)
        if column.name in table.column_names and _is_text(table[column.name].type):
            made = _changed(table[column.name], partial(_plain, column=column, job=job, whole=table[column.name]))
            table = table.set_column(table.column_names.index(column.name), column.name, made)
    return table


def styled_table(table: pa.Table, job: Job) -> pa.Table:
    """A published table in the style of the input; columns of slices are named `1.age`."""
    styles = {column.name: column for column in _styled_columns(job)}
    for place, name in enumerate(table.column_names) if styles else ():
        column = styles.get(name) or styles.get(re.sub(r"^[0-9]+\.", "", name))
        if column is not None and _is_text(table[name].type):
            table = table.set_column(place, name, _changed(table[name], partial(_styled, column=column, job=job)))
    return table


def _styled_columns(job: Job) -> list[Column]:
    return [column for column in job.columns if column.decimal == "," or column.date_format is not None]


def _is_text(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value))


def _changed(column: pa.ChunkedArray, change: Callable[[Texts], Texts]) -> pa.ChunkedArray:
    """The column with its texts changed, of a dictionary-encoded one the different texts."""
    chunks = []
    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            texts = change(as_text(chunk.dictionary)).cast(chunk.type.value_type)
            chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, texts))
        else:
            chunks.append(change(as_text(chunk)).cast(chunk.type))
    return pa.chunked_array(chunks, column.type)


def _plain(texts: Texts, *, column: Column, job: Job, whole: pa.ChunkedArray) -> Texts:
    """Texts of a column in the one spelling; what means "no value" stays as it is."""
    made = pc.replace_substring(texts, ",", ".") if column.date_format is None else _days(texts, column.date_format)
    shape = _COMMA_NUMBER if column.date_format is None else rf"^{_pattern(column.date_format)}$"
    absent, fits = _absent(texts, job), pc.fill_null(pc.match_substring_regex(texts, shape), False)
    wrong = texts.filter(pc.invert(pc.or_(absent, fits)))
    if len(wrong):
        _refuse(wrong, column, job, whole)
    return pc.if_else(pc.and_(fits, pc.invert(absent)), made, texts)


def _absent(texts: Texts, job: Job) -> pa.BooleanArray:
    """Which texts mean "no value"."""
    markers = pa.array(sorted({"", *job.input.missing}), pa.large_string())
    return pc.or_(pc.is_null(texts), pc.is_in(texts, value_set=markers))


def _refuse(wrong: Texts, column: Column, job: Job, whole: pa.ChunkedArray) -> None:
    """Raises an error for texts that are not in the style of their column, if some record has one."""
    is_wrong = pc.is_in(as_text(whole), value_set=wrong)
    row = pc.index(is_wrong, True).as_py()
    if row < 0:
        return  # categories that no record has
    where, count = place_of(row, job.input), len(pc.unique(whole.filter(is_wrong)))
    style = "number with a decimal comma" if column.date_format is None else f"day written as {column.date_format}"
    raise InputError(
        f"{count:,} {'value is' if count == 1 else 'different values are'} no {style}{where.words}",
        file=job.input.source,
        line=where.line,
        column=column.name,
        hint='List what means "no value" under `missing` in [input], or correct decimal or date_format of the column.',
    )


def _pattern(date_format: str) -> str:
    """What a day in this format looks like, with names for its parts."""
    escaped = re.sub(r"[. /-]", lambda sign: rf"\{sign[0]}" if sign[0] == "." else sign[0], date_format)
    return _TOKENS.sub(lambda token: f"(?P<{token[0][0].lower()}>{_PARTS[token[0]]})", escaped)


def _days(texts: Texts, date_format: str) -> Texts:
    """Days as year, month and day; null for what is none."""
    parts = pc.extract_regex(texts, rf"^{_pattern(date_format)}$")
    year, month, day = (pc.struct_field(parts, name) for name in "ymd")
    padded = [pc.utf8_lpad(part, 2, "0") for part in (month, day)]
    return pc.binary_join_element_wise(year, *padded, pa.scalar("-", pa.large_string()))


def _styled(texts: Texts, *, column: Column, job: Job) -> Texts:
    """Plain numbers, days and ranges of them in the style of their column; all else stays."""
    shape = _PLAIN_NUMBERS if column.date_format is None else _PLAIN_DAYS
    changes = pc.and_(pc.match_substring_regex(texts, shape), pc.invert(_absent(texts, job)))
    if column.date_format is None:
        return pc.if_else(changes, pc.replace_substring(texts, ".", ","), texts)
    parts = _TOKENS.findall(column.date_format)
    month, day = ("0?([0-9]+)" if letter in parts else "([0-9]{2})" for letter in "MD")
    written = _TOKENS.sub(lambda part: {"Y": r"\1", "M": r"\2", "D": r"\3"}[part[0][0]], column.date_format)
    return pc.if_else(changes, pc.replace_substring_regex(texts, rf"([0-9]{{4}})-{month}-{day}", written), texts)
