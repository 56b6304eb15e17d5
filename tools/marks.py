"""Generated parts of files that people write: what stands between two marks is made anew, the rest is left alone."""

from __future__ import annotations

import re

MARKS = {".md": ("<!-- {}:start -->", "<!-- {}:end -->"), ".py": ("# {}:start", "# {}:end")}
"""The marks around a part, by how the file's name ends."""


def renewed(text: str, suffix: str, parts: dict[str, str]) -> str:
    """The text with its parts as they should be; a part stands on lines of its own, or within a line.

    >>> renewed("a <!-- x:start -->old<!-- x:end --> b", ".md", {"x": "new"})
    'a <!-- x:start -->new<!-- x:end --> b'
    """
    for name, content in parts.items():
        start, end = (mark.format(name) for mark in MARKS[suffix])
        pattern = re.compile(rf"({re.escape(start)})(\n?)(.*?)([ \t]*{re.escape(end)})", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise ValueError(f"there must be one part between {start!r} and {end!r}")
        text = pattern.sub(lambda found, new=content: f"{found[1]}{found[2]}{new}{found[2]}{found[4]}", text)
    return text


def without(text: str) -> str:
    """The text without what is generated: what somebody wrote by hand."""
    return re.sub(r"<!-- ([\w-]+):start -->.*?<!-- \1:end -->", "", text, flags=re.DOTALL)
