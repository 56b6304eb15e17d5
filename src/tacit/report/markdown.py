"""Text for Markdown files."""

from __future__ import annotations


def code(text: str) -> str:
    """The text in Markdown's marks for code, on one line.

    >>> code("a`b"), code("milk")
    ('`` a`b ``', '`milk`')
    """
    line = " ".join(text.split()) or repr(text)
    return f"`` {line} ``" if "`" in line else f"`{line}`"
