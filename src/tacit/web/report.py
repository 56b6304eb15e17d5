"""The parts of a report, to be shown on a page: what the report drew, in the same words and colours."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from tacit.languages.reports import in_language

_BODY = re.compile(r"<body>(.*)</body>", re.S)
_SIDE_BY_SIDE = (", before and after", ", vorher und nachher")
_CHARTS = ("Values", "Baskets", "Issues", "Werte", "Körbe", "Fragen")
"""Records before and after stand first: they show best what was done."""
_VERDICT, _DOUBT = re.compile(r'<div class="verdict.*?</div>', re.S), re.compile("<strong>(.*?)</strong>", re.S)
_HEADING = re.compile(r"<h2>(.*?)</h2>", re.S)


def sections(file: Path, language: str) -> list[tuple[str, str]]:
    """Title and HTML of each section, in a language. A report is ours: its text was escaped when it was written.

    One that was written in another language than English stays in it.
    """
    body = _BODY.search(in_language(file.read_text("utf-8"), language))
    if body is None:
        return []
    _, *parts = _HEADING.split(body[1])
    found = list(zip(parts[::2], parts[1::2], strict=True))
    found.sort(key=lambda section: not section[0].endswith(_SIDE_BY_SIDE) or section[0].startswith(_CHARTS))
    return found


def doubts(file: Path) -> list[str]:
    """What a release that keeps its promise says too little about, as the report's verdict has it."""
    found = _VERDICT.search(file.read_text("utf-8"))
    return [unescape(doubt) for doubt in _DOUBT.findall(found[0])] if found else []
