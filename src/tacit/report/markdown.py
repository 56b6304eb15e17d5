"""Text for Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.values.reading import set_members


def code(text: str) -> str:
    """The text in Markdown's marks for code, on one line.

    The marks are longer than any run of backticks in the text, so that it cannot end them.

    >>> code("a`b"), code("milk"), code("``<b>")
    ('`` a`b ``', '`milk`', '``` ``<b> ```')
    """
    line = " ".join(text.split()) or repr(text)
    if "`" not in line:
        return f"`{line}`"
    marks = "`" * (max(map(len, re.findall("`+", line))) + 1)
    return f"{marks} {line} {marks}"


def quotes_in_sets(texts: Iterable[str]) -> str:
    """A sentence about quotes in published sets, after a blank; empty if no set has them.

    >>> quotes_in_sets(["(B,D)", "B"]), quotes_in_sets(['("a,b",c)'])[:40]
    ('', ' In a set, a value that holds a comma, a')
    """
    if not any('"' in text and set_members(text) for text in texts):
        return ""
    return (
        " In a set, a value that holds a comma, a bracket or a quote stands in quotes, as in CSV: "
        '`("a,b",c)` is a set of two.'
    )
