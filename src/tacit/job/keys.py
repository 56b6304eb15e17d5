"""What each key of a job file takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tacit.job.model import BLANK, FORMATS, ROLE_KEYS


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


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_scale(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and value[0] < value[1]


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _text(example: str) -> Key:
    return Key(_is_text, "a text in quotes", f'"{example}"')


def choice(*choices: str) -> Key:
    wanted = f"one of {', '.join(choices)}"
    return Key(lambda value: value in choices, wanted, f'"{choices[0]}"', choices=choices)


FLAG = Key(lambda value: isinstance(value, bool), "true or false", "true")
_FORMAT = choice(*FORMATS, *(f"{name}.gz" for name in FORMATS))
INPUT = {
    "source": _text("visits.csv"),
    "query": _text("select * from visits"),
    "table": _text("visits"),
    "format": _FORMAT,
    "delimiter": Key(lambda value: _is_text(value) and len(value) == 1, "one character in quotes", '";"'),
    "layout": choice("wide", "long"),
    "missing": Key(_are_texts, "a list of texts", '["", "NA"]', tuple),
}
COLUMN = {
    "role": choice(*ROLE_KEYS),
    "type": choice("number", "category", "date"),
    "weight": Key(lambda value: _is_number(value) and value >= 0, "a number of at least 0", "1.0", float),
    "missing": choice("value", "suppress"),
    "hierarchy": _text("products.csv"),
    "separator": _text(BLANK),
    "sensitive": Key(_are_texts, "a list of items", '["G", "H"]', tuple),
    "scale": Key(_is_scale, "the lowest and the highest rating", "[1, 5]", tuple),
    "distance": choice("equal", "ordered", "hierarchical"),
    "step": Key(lambda value: _is_number(value) and value >= 0, "a number above 0, or 0 for a scale without any", "1"),
}
METHOD = {
    "name": _text("best"),
    "seed": Key(lambda value: type(value) is int and value >= 0, "a whole number of at least 0", "7"),
}
OUTPUT = {"directory": _text("out"), "format": _FORMAT, "escape_formulas": FLAG}
