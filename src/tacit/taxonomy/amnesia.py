"""Hierarchies that Amnesia saved: some lines of `name`, `type` and `height`, then a parent a line and what it `has`.

Names there hold no blank. In a hierarchy of ranges the leaves are ranges, too, which no value of the data is: it is
refused, for numbers need no hierarchy.
"""

from __future__ import annotations

import re
from pathlib import Path

from tacit.errors import InputError
from tacit.taxonomy.cells import Row, text_of

_FIRST = ("distinct", "range")
_HAS = "has"
_HEAD = re.compile(r"(?:name|type|height)\b.*", re.IGNORECASE)


def read_amnesia(path: Path) -> list[Row] | None:
    """The rows of child and parent in a hierarchy of Amnesia; None if the file is something else."""
    lines = text_of(path).splitlines()
    filled = [line.strip() for line in lines if line.strip()][:4]
    if not filled or filled[0].lower() not in _FIRST or not any(line.lower().startswith("height") for line in filled):
        return None
    if filled[0].lower() == "range":
        raise InputError(
            "this is a hierarchy of ranges, whose leaves are no values",
            file=path,
            hint='Numbers need none: type = "number" makes ranges; or build one with `tacit hierarchy build`.',
        )
    rows: list[Row] = []
    in_head = True
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or (in_head and (words[0].lower() in _FIRST or _HEAD.fullmatch(line.strip()))):
            continue
        in_head = False
        if len(words) < 3 or words[1] != _HAS:
            hint = "Write PARENT has CHILD CHILD, as Amnesia does."
            raise InputError("this is not a line of an Amnesia hierarchy", file=path, line=number, hint=hint)
        rows += [Row(number, [child, words[0]]) for child in words[2:]]
    if not rows:
        raise InputError("the hierarchy is empty", file=path, hint="Save it again in Amnesia.")
    return rows
