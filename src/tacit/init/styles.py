"""How columns write numbers and days: with a decimal comma, with the day or the month first.

A style is told only if every value of the column is written in it: a job that names one refuses anything else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import product

from tacit.init.evidence import Evidence, Signs
from tacit.init.text import about, quoted
from tacit.job.model import FIRST_YEAR

_SHAPES = re.compile(r"(\d{1,4})([./ -]|)(\d{1,2})\2(\d{1,4})", re.ASCII)
_ORDERS = ("DMY", "MDY", "YMD")
_TWO, _ONE = "([0-9]{2})", "([1-9][0-9]?)"
_PARTS = {"YYYY": "([0-9]{4})", "YY": _TWO, "MM": _TWO, "DD": _TWO, "M": _ONE, "D": _ONE}
_ISO = "YYYY-MM-DD"
_MOST_DAYS = 100_000
"""More different days than these are none: two and a half centuries have fewer."""


@dataclass(frozen=True)
class Style:
    """What a job says of how a column writes its values; `either` are formats that cannot be told apart."""

    signs: Signs | None = None
    date_format: str | None = None
    first_year: int | None = None
    either: tuple[str, ...] = ()

    @property
    def type(self) -> str | None:
        return "number" if self.signs else "date" if self.date_format else None

    @property
    def lines(self) -> list[str]:
        """What stands in a job file."""
        if self.signs is not None:
            point, sign = self.signs
            lines = [f"decimal = {quoted(point)}"] if point != "." else []
            return [*lines, f"thousands = {quoted(sign)}"] if sign else lines
        lines = [f'date_format = "{self.date_format}"'] if self.date_format else []
        year = f"first_year = {self.first_year}"
        return [*lines, about(year, "years of two digits are those from here on")] if self.first_year else lines


PLAIN = Style()


def styles_of(columns: Collection[Evidence]) -> dict[str, Style]:
    """The style of each column. What is first in one column of days, day or month, is first in the others."""
    numbers, days = {}, {}
    for column in columns:
        if column.signs is not None:
            numbers[column.name] = Style(column.signs)
        elif formats := _formats(column):
            days[column.name] = formats
    first = {_order(formats[0]) for formats in days.values() if len(formats) == 1} & {"DMY", "MDY"}
    births = {column.name for column in columns if "birth" in column.topics}
    return numbers | {name: _chosen(formats, first, is_birth=name in births) for name, formats in days.items()}


def _chosen(formats: tuple[str, ...], first: set[str], *, is_birth: bool) -> Style:
    if len(formats) > 1 and len(first) == 1:
        formats = tuple(each for each in formats if _order(each) in first)
    if len(formats) > 1:
        return Style(either=formats)
    if formats[0] == _ISO:
        return PLAIN
    is_short = "YYYY" not in formats[0]
    return Style(date_format=formats[0], first_year=_first_year(is_birth=is_birth) if is_short else None)


def _first_year(*, is_birth: bool) -> int:
    """Of the hundred years that years of two digits are; nobody is born in years to come."""
    return _this_year() - 99 if is_birth else FIRST_YEAR


def _this_year() -> int:
    return date.today().year


def _formats(column: Evidence) -> tuple[str, ...]:
    """The formats that all values are days in, the more exact of two that tell the same; several if it is open which
    part is the day."""
    if not 0 < column.distinct <= _MOST_DAYS or (shape := _SHAPES.fullmatch(column.texts[0].as_py())) is None:
        return ()
    texts = column.texts.to_pylist()
    found: dict[str, str] = {}
    parts: dict[str, list[tuple[int, int]]] = {}
    for year, order, day, month in product(("YYYY", "YY"), _ORDERS, ("DD", "D"), ("MM", "M")):
        form = shape[2].join({"D": day, "M": month, "Y": year}[letter] for letter in order)
        if year == "YY" and (order == "YMD" or not shape[2]):  # too much else looks so
            continue
        if order not in found and (shape[2] or len(form) == 8) and (days := _days(texts, form)):
            found[order], parts[order] = form, days
    if len(found) < 2 or shape[2] == ".":  # nobody writes the month before a point
        return tuple(found.values())[:1]
    return _told_by_firsts(found, parts["DMY"])


def _told_by_firsts(found: Mapping[str, str], days: list[tuple[int, int]]) -> tuple[str, ...]:
    """Of days and months that may be either, ones throughout are the first of the month."""
    first, second = ({part[place] for part in days} for place in (0, 1))
    if first == {1} and len(second) > 1:
        return (found["DMY"],)
    if second == {1} and len(first) > 1:
        return (found["MDY"],)
    return tuple(found.values()) if first != second or len(first) > 1 else (found["DMY"],)


def _days(texts: list[str], form: str) -> list[tuple[int, int]] | None:
    """Day and month of each text; None if one is no day in this format."""
    names = re.findall("YYYY|YY|MM|DD|M|D", form)
    pattern = re.compile(re.sub("YYYY|YY|MM|DD|M|D", lambda part: _PARTS[part[0]], re.escape(form).replace("\\ ", " ")))
    found = []
    for text in texts:
        if (match := pattern.fullmatch(text)) is None:
            return None
        part = {name[0]: int(value) for name, value in zip(names, match.groups(), strict=True)}
        if "YYYY" not in names:
            part["Y"] = FIRST_YEAR + (part["Y"] - FIRST_YEAR) % 100
        try:
            date(part["Y"], part["M"], part["D"])
        except ValueError:
            return None
        if not 1850 <= part["Y"] <= 2150:
            return None
        found.append((part["D"], part["M"]))
    return found


def _order(form: str) -> str:
    return "".join(part[0] for part in re.findall("Y+|M+|D+", form))
