"""What published values say, for measures, queries and reports; the grammar is in `tacit.values`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

import numpy as np

_MEMBER = re.compile(r'"([^"]*(?:""[^"]*)*)"|[^,"]*')
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_FIRST_DAY = date(1970, 1, 1).toordinal()


def range_ends(text: str) -> tuple[str, str] | None:
    """The texts of both ends of a range, empty where it is open; None for other values.

    >>> range_ends("[19:22]"), range_ends("[2001-01-05:2001-12-24]"), range_ends("19")
    (('19', '22'), ('2001-01-05', '2001-12-24'), None)
    >>> range_ends("[≤22]"), range_ends("[≥19]")
    (('', '22'), ('19', ''))
    """
    if not (text.startswith("[") and text.endswith("]")):
        return None
    if text[1] in "≤≥":
        return ("", text[2:-1]) if text[1] == "≤" else (text[2:-1], "")
    low, colon, high = text[1:-1].partition(":")
    return (low, high) if colon and ":" not in high else None


def set_members(text: str) -> tuple[str, ...]:
    """The values of a set; none for other values. A missing one is the empty text.

    >>> set_members('(,B,"a,b")'), set_members("B"), set_members("(B)")
    (('', 'B', 'a,b'), (), ())
    """
    if len(text) < 2 or text[0] != "(" or text[-1] != ")":
        return ()
    members, place, end = [], 1, len(text) - 1
    while place <= end:
        found = _MEMBER.match(text, place, end)
        assert found is not None  # nothing at all is a member, too
        members.append(found[0] if found[1] is None else found[1].replace('""', '"'))
        place = found.end() + 1
        if place <= end and text[place - 1] != ",":
            return ()
    return tuple(members) if len(members) > 1 else ()


def numbers_in(texts: Sequence[str], days: bool) -> np.ndarray:
    """Texts as numbers or as days since 1970; NaN for those that are none.

    >>> numbers_in(["1.5", "B"], days=False).tolist(), numbers_in(["1970-01-03"], days=True).tolist()
    ([1.5, nan], [2.0])
    """
    return np.array([_day(text) if days else _number(text) for text in texts], float)


def is_number(text: str) -> bool:
    """Whether a value is a number; dates and ranges are none."""
    return not np.isnan(_number(text))


def day_number(day: date) -> int:
    """The days since 1970."""
    return day.toordinal() - _FIRST_DAY


def _day(text: str) -> float:
    try:
        return day_number(date.fromisoformat(text)) if _DATE.fullmatch(text) else np.nan
    except ValueError:  # a 30th of February
        return np.nan


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
