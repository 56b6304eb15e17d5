"""Numbers and days as a country writes them: `1.234,5` and `5.3.24`. Searches know one spelling, `1234.5` and the like.

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
_TWO = "[0-9]{2}"
_PARTS = {"YYYY": "[0-9]{4}", "YY": _TWO, "MM": _TWO, "DD": _TWO, "M": "1?[0-9]", "D": "[1-3]?[0-9]"}
_TOKENS = re.compile("YYYY|YY|MM|DD|M|D")

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


def styled_text(text: str, name: str, job: Job) -> str:
    """A value of a column, or a range of values, in its style."""
    return str(styled_table(pa.table({name: [text]}), job)[name][0].as_py())


def _styled_columns(job: Job) -> list[Column]:
    return [column for column in job.columns if column.decimal == "," or column.thousands or column.date_format]


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
    made = _numbers(texts, column) if column.date_format is None else _days(texts, column)
    shape = _number_shape(column) if column.date_format is None else rf"^{_pattern(column.date_format)}$"
    absent, fits = _absent(texts, job), pc.fill_null(pc.match_substring_regex(texts, shape), False)
    wrong = texts.filter(pc.invert(pc.or_(absent, fits)))
    if len(wrong):
        _refuse(wrong, column, job, whole)
    return pc.if_else(pc.and_(fits, pc.invert(absent)), made, texts)


def _number_shape(column: Column) -> str:
    """What a number of the column looks like; with a sign between thousands, all have it that can."""
    if not column.thousands:
        return _COMMA_NUMBER
    sign, point = re.escape(column.thousands), re.escape(column.decimal or ".")
    return rf"^\s*[+-]?[0-9]{{1,3}}(?:{sign}[0-9]{{3}})*(?:{point}[0-9]*)?\s*$"


def _numbers(texts: Texts, column: Column) -> Texts:
    """Numbers without a sign between thousands, and with a point."""
    texts = pc.replace_substring(texts, column.thousands, "") if column.thousands else texts
    return pc.replace_substring(texts, ",", ".") if column.decimal == "," else texts


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
    point = column.decimal or "."
    number = f"number written as 1{column.thousands}234{point}5" if column.thousands else "number with a decimal comma"
    style = number if column.date_format is None else f"day written as {column.date_format}"
    raise InputError(
        f"{count:,} {'value is' if count == 1 else 'different values are'} no {style}{where.words}",
        file=job.input.source,
        line=where.line,
        column=column.name,
        hint='List what means "no value" under `missing` in [input], or correct decimal, thousands or date_format.',
    )


def _pattern(date_format: str) -> str:
    """What a day in this format looks like, with names for its parts."""
    escaped = re.sub(r"[. /-]", lambda sign: rf"\{sign[0]}" if sign[0] == "." else sign[0], date_format)
    return _TOKENS.sub(lambda token: f"(?P<{token[0][0].lower()}>{_PARTS[token[0]]})", escaped)


def _days(texts: Texts, column: Column) -> Texts:
    """Days as year, month and day; null for what is none."""
    parts = pc.extract_regex(texts, rf"^{_pattern(str(column.date_format))}$")
    year, month, day = (pc.struct_field(parts, name) for name in "ymd")
    if column.years is not None:
        century, first = divmod(column.years[0], 100)
        is_early = pc.greater_equal(year, pa.scalar(f"{first:02}", year.type))
        whole = [pa.scalar(f"{each:02}", year.type) for each in (century, century + 1)]
        year = pc.binary_join_element_wise(pc.if_else(is_early, *whole), year, pa.scalar("", year.type))
    padded = [pc.utf8_lpad(part, 2, "0") for part in (month, day)]
    return pc.binary_join_element_wise(year, *padded, pa.scalar("-", pa.large_string()))


def _styled(texts: Texts, *, column: Column, job: Job) -> Texts:
    """Plain numbers, days and ranges of them in the style of their column; all else stays."""
    shape = _PLAIN_NUMBERS if column.date_format is None else _PLAIN_DAYS
    changes = pc.and_(pc.match_substring_regex(texts, shape), pc.invert(_absent(texts, job)))
    if column.date_format is None and column.thousands:
        return pa.array([_grouped(text.as_py(), column) if change.as_py() else text.as_py()
                         for text, change in zip(texts, changes, strict=True)], texts.type)  # fmt: skip
    if column.date_format is None:
        return pc.if_else(changes, pc.replace_substring(texts, ".", ","), texts)
    parts = _TOKENS.findall(column.date_format)
    month, day = ("0?([0-9]+)" if letter in parts else "([0-9]{2})" for letter in "MD")
    written = _TOKENS.sub(lambda part: {"Y": r"\1", "M": r"\2", "D": r"\3"}[part[0][0]], column.date_format)
    year = "([0-9]{4})" if column.years is None else "[0-9]{2}([0-9]{2})"
    return pc.if_else(changes, pc.replace_substring_regex(texts, rf"{year}-{month}-{day}", written), texts)


def _grouped(text: str, column: Column) -> str:
    """A plain number, or a range of two, with its thousands apart."""

    def written(number: re.Match[str]) -> str:
        whole = f"{int(number[1]):,}".replace(",", str(column.thousands)).rjust(len(number[1]), "0")
        return whole + number[2].replace(".", column.decimal or ".")

    return re.sub(r"([0-9]+)(\.?[0-9]*)", written, text)
