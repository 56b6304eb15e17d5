"""What each key of a job file takes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from tacit.job.model import BLANK, FORMATS, NEVER_WRITTEN, PACKABLE, ROLE_KEYS
from tacit.promises.base import is_number

_DAY = re.compile("YYYY|YY|MM|DD|M|D")
THOUSANDS = (".", ",", " ", "'", "’", "\u00a0", "\u202f")


@dataclass(frozen=True)
class Key:
    """What a key takes: a test, the same in words, an example, and how a Job holds the value."""

    fits: Callable[[Any], bool]
    wanted: str
    example: str
    held: Callable[[Any], Any] = lambda value: value
    choices: tuple[str, ...] = ()


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value


def _is_scale(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_number, value)) and value[0] <= value[1]


def _is_day(value: Any) -> bool:
    if isinstance(value, str):
        with suppress(ValueError):
            return re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII) is not None and bool(date.fromisoformat(value))
    return isinstance(value, date) and not isinstance(value, datetime)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def is_encoding(name: object) -> bool:
    """Whether text files can be in an encoding of this name.

    >>> [is_encoding(name) for name in ("cp1252", "UTF-16", "latin1", "rot13", "unicode_escape", "none")]
    [True, True, True, False, False, False]
    """
    signs = 'a1,;|\t"\r\n'
    try:
        found = codecs.lookup(str(name)).name
        return not re.search("escape|idna|punycode|utf-7", found) and signs.encode(found).decode(found) == signs
    except (LookupError, ValueError):
        return False


def is_date_format(text: object) -> bool:
    """Whether this says how days are written: day, month and year, with signs between that no range has.

    >>> [is_date_format(text) for text in ("D.M.YYYY", "MM/DD/YYYY", "YYYYMMDD", "D.M.YY", "DMYYYY", "D:M:YYYY", 3)]
    [True, True, True, True, False, False, False]
    """
    if not isinstance(text, str):
        return False
    parts, signs = _DAY.findall(text), _DAY.split(text)
    one_digit = any(len(part) == 1 for part in parts)
    divided = all(set(sign) <= set(". /-") and (sign or not one_digit) for sign in signs[1:-1])
    return sorted(part[0] for part in parts) == ["D", "M", "Y"] and divided and not signs[0] + signs[-1]


def _text(example: str) -> Key:
    return Key(_is_text, "a text in quotes", f'"{example}"')


def choice(*choices: str) -> Key:
    wanted = f"one of {', '.join(choices)}"
    return Key(lambda value: value in choices, wanted, f'"{choices[0]}"', choices=choices)


FLAG = Key(lambda value: isinstance(value, bool), "true or false", "true")
_LIMIT = Key(
    lambda value: is_number(value) or _is_day(value),
    "a number, or a date such as 2024-03-05",
    "90",
    lambda value: value.isoformat() if isinstance(value, date) else value,
)
_PACKED = tuple(f"{name}.gz" for name in PACKABLE)
_FORMAT = choice(*FORMATS, *_PACKED)
_OUTPUT_FORMAT = choice(*(name for name in FORMATS if name not in NEVER_WRITTEN), *_PACKED)
INPUT = {
    "source": _text("visits.csv"),
    "query": _text("select * from visits"),
    "table": _text("visits"),
    "format": _FORMAT,
    "delimiter": Key(lambda value: _is_text(value) and len(value) == 1, "one character in quotes", '";"'),
    "encoding": Key(is_encoding, "the name of an encoding", '"cp1252"'),
    "layout": choice("wide", "long"),
    "missing": Key(_are_texts, "a list of texts", '["", "NA"]', tuple),
    "population": Key(lambda value: is_number(value) and value >= 1, "a number of people", "83_000_000"),
}
JOIN = {
    **{key: INPUT[key] for key in ("source", "query", "table", "format", "delimiter", "encoding")},
    "key": _text("patient"),
    "on": _text("patient_id"),
    "items": _text("code"),
    "name": _text("diagnoses"),
    "columns": Key(lambda value: _are_texts(value) and bool(value), "a list of columns", '["income"]', tuple),
}
COLUMN = {
    "role": choice(*ROLE_KEYS),
    "type": choice("number", "category", "date"),
    "weight": Key(lambda value: is_number(value) and value >= 0, "a number of at least 0", "1.0", float),
    "missing": choice("value", "suppress"),
    "hierarchy": _text("products.csv"),
    "separator": _text(BLANK),
    "sensitive": Key(_are_texts, "a list of items", '["G", "H"]', tuple),
    "scale": Key(_is_scale, "the lowest and the highest rating", "[1, 5]", tuple),
    "distance": choice("equal", "ordered", "hierarchical"),
    "decimal": choice(",", "."),
    "thousands": choice(*THOUSANDS),
    "date_format": Key(is_date_format, "a format of days from D or DD, M or MM, and YYYY or YY", '"D.M.YYYY"'),
    "first_year": Key(
        lambda value: type(value) is int and 1 <= value <= 9900, "the first of the hundred years that YY can be", "1930"
    ),
    "round": Key(
        lambda value: value == "exact" or (is_number(value) and value > 0), 'a number above 0, or "exact"', "5"
    ),
    "top": _LIMIT,
    "bottom": _LIMIT,
    "fold": FLAG,
    "l": Key(lambda value: is_number(value) and value > 1, "a number above 1", "3"),
    "harmless": Key(_are_texts, "a list of values", '["none", "not measured"]', tuple),
    "width": Key(lambda value: is_number(value) and value > 0, "a number above 0", "1000"),
    "step": Key(lambda value: is_number(value) and value >= 0, "a number above 0, or 0 for a scale without any", "1"),
}
METHOD = {
    "name": _text("best"),
    "seed": Key(lambda value: type(value) is int and value >= 0, "a whole number of at least 0", "7"),
}
LANGUAGES = ("en", "de")
RELEASE = {
    "title": _text("Visits 2026"),
    "operator": _text("Clinic of X"),
    "recipient": _text("University of Y"),
    "purpose": _text("Research on Z"),
    "legal_basis": _text("Art. 6(1)(e) GDPR"),
    "review": _text("2027-06-30"),
    "threshold": Key(lambda value: is_number(value) and 0 < value <= 1, "a risk of at most 1", "0.05", float),
    "language": choice(*LANGUAGES),
}
ENGINES = ("local", "spark", "sail")
ENGINE = {
    "name": choice(*ENGINES),
    "remote": Key(
        lambda value: _is_text(value) and value.startswith("sc://"),
        "an address that begins with sc://",
        '"sc://host:15002"',
    ),
    "master": _text("local-cluster[2,1,2048]"),
    "key": _text("id"),
}
OUTPUT = {
    "directory": _text("out"),
    "format": _OUTPUT_FORMAT,
    "escape_formulas": FLAG,
    "database": _text("sqlite:///shop.db"),
    "table": _text("visits_public"),
}
