"""A job file as the pages write it."""

from __future__ import annotations

import re
from typing import Any

_INTRO = "# Made by `tacit serve`.\n# `tacit anonymize` makes the same of it.\n\n"
_LIST = re.compile(r"\[\n((?:    [^\n]*,\n)+)\]")
_WIDEST = 100


def as_text(tables: dict[str, Any]) -> str:
    """The tables as TOML; a short list stands on one line.

    >>> print(as_text({"input": {"missing": ["", "NA"]}}).removeprefix(_INTRO).strip())
    [input]
    missing = ["", "NA"]
    """
    import tomli_w

    return _INTRO + _LIST.sub(_on_one_line, tomli_w.dumps(tables))


def _on_one_line(found: re.Match[str]) -> str:
    line = f"[{' '.join(part.strip() for part in found[1].splitlines()).removesuffix(',')}]"
    return line if len(line) <= _WIDEST else found[0]
