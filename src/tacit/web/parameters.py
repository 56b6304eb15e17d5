"""Parameters of promises and options of methods as fields of a form, and back; all from the files that declare them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tacit.methods import METHODS, Option
from tacit.promises import MODELS

_RANGES: dict[str, tuple[float, float, float]] = {
    "k": (1, 50, 1), "m": (1, 5, 1), "l": (1.1, 10, 0.1), "t": (0.05, 1, 0.05), "eps": (0, 4, 0.5), "h": (0, 1, 0.05),
    "p": (1, 10, 1), "balance": (0, 1, 0.05), "delta": (0, 1, 0.05),
}  # fmt: skip
"""From where to where a slider goes, and in which steps; the field beside it takes any number."""
_TRIED = {
    "k": (2, 5, 10, 20), "m": (1, 2, 3), "l": (1.5, 2, 3, 4), "t": (0.1, 0.2, 0.3, 0.5), "eps": (0, 0.5, 1),
    "p": (2, 3, 4), "h": (0.5, 0.8, 1), "balance": (0.25, 0.5, 0.75), "delta": (0.25, 0.5, 0.75),
}  # fmt: skip
"""Values that an estimate and a comparison try, unless somebody says others."""


@dataclass(frozen=True)
class Field:
    """A value that somebody can choose."""

    key: str
    meaning: str
    shape: str
    """number, choice, flag or text."""
    value: Any
    wanted: str = ""
    choices: tuple[str, ...] = ()
    range: tuple[float, float, float] | None = None
    default: Any = None

    @property
    def on_slider(self) -> Any:
        """Where the slider stands: at an end, for a number beyond it."""
        if self.range is None or not isinstance(self.value, int | float):
            return self.range[1] if self.range else None
        return min(max(self.value, self.range[0]), self.range[1])


def parameter_fields(model: str, given: Mapping[str, Any]) -> list[Field]:
    """The parameters of a promise."""
    kind, made = MODELS[model], []
    for each in fields(kind):
        accepts = kind.accepts.get(each.name, "")
        choices = tuple(re.findall(r'`"([\w-]+)"`', accepts)) if "number" not in accepts else ()
        shape = "flag" if "`true`" in accepts else "choice" if choices else "number"
        value = given.get(each.name)
        made.append(
            Field(
                each.name,
                plain(kind.takes.get(each.name, each.name)),
                shape,
                value,
                plain(accepts),
                choices,
                _RANGES.get(each.name) if shape == "number" else None,
            )
        )
    return made


def option_fields(method: str, given: Mapping[str, Any]) -> list[Field]:
    """The options of a method."""
    return [
        _option(key, option, given.get(key)) for key, option in METHODS[method].options.items() if not option.is_path
    ]


def _option(key: str, option: Option, value: Any) -> Field:
    choices = tuple(option.wanted.removeprefix("one of ").split(", ")) if option.wanted.startswith("one of ") else ()
    shape = "flag" if option.wanted == "true or false" else "choice" if choices else "text"
    if key in _RANGES and shape == "text":
        shape = "number"
    shown = value if shape != "text" or value is None or isinstance(value, str) else json.dumps(value)
    span = _RANGES.get(key) if shape == "number" else None
    return Field(key, plain(option.meaning), shape, shown, option.wanted, choices, span, option.default)


def read_value(text: str) -> Any:
    """What somebody wrote in a field, as TOML has it: a number, true or false, a list, or else a text.

    >>> [read_value(text) for text in ("5", "0.5", "inf", "true", '[["a", "b"]]')]
    [5, 0.5, 'inf', True, [['a', 'b']]]
    """
    try:
        found = json.loads(text.strip())
    except (ValueError, RecursionError):
        return text.strip()
    return text.strip() if found is None or isinstance(found, dict | str) else found


def plain(text: str) -> str:
    """Words of the documentation without its signs."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace('"inf"', "inf")


def tried(key: str, value: Any) -> list[str]:
    """Values around the one that is chosen."""
    values = {
        *_TRIED.get(key, ()),
        *([value] if isinstance(value, int | float) and not isinstance(value, bool) else []),
    }
    return [f"{each:g}" for each in sorted(values)]
