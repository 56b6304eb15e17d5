"""The parts of a report, to be shown on a page: what the report drew, in the same words and colours."""

from __future__ import annotations

import re
from pathlib import Path

_BODY = re.compile(r"<body>(.*)</body>", re.S)
_HEADING = re.compile(r"<h2>(.*?)</h2>", re.S)


def sections(file: Path) -> list[tuple[str, str]]:
    """Title and HTML of each section. A report is ours: its text was escaped when it was written."""
    body = _BODY.search(file.read_text("utf-8"))
    if body is None:
        return []
    _, *parts = _HEADING.split(body[1])
    return list(zip(parts[::2], parts[1::2], strict=True))
