"""The public note in another language: Markdown that was written in English, with our sentences replaced.

A name or a value of the data stands in Markdown's marks for code, and is never looked at. A paragraph is told whole if
the catalogue has it, else sentence by sentence. What nobody translated stays English; `untold` lists it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from tacit.languages import WITHIN_A_SENTENCE, Phrases, catalogue

_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_MASKED = re.compile("`(\\d+)`")
_BLOCK = re.compile(r"(?P<mark>#+ |\s*- |)(?P<text>.*)", re.S)
_BETWEEN = re.compile(r"(?<=\.) (?=[A-Z`'])")
_TOGETHER = re.compile(r"of this file and (the (?:[\d,]+ )?earlier ones?) together")
_Told = Callable[[str], str | None]


def note_in_language(markdown: str, language: str) -> str:
    """A whole note.

    >>> note_in_language("## The promise\\n\\n- `The promise`: as in the original.\\n", "de")
    '## Das Versprechen\\n\\n- `The promise`: wie im Original.\\n'
    """
    if language == "en":
        return markdown
    return "\n".join(_in_language(block, language, []) for block in _blocks(markdown))


def untold(markdown: str, language: str) -> list[str]:
    """The sentences of a note that have no translation; the title, which is the name of a file, has none."""
    left: list[str] = []
    for block in _blocks(markdown):
        _in_language(block, language, left)
    return left


def _blocks(markdown: str) -> Iterator[str]:
    """Headings, items of lists, empty lines, and paragraphs, each of them on one line."""
    paragraph: list[str] = []
    for line in markdown.split("\n"):
        if line and not line.lstrip().startswith(("- ", "#")):
            paragraph.append(line)
            continue
        if paragraph:
            yield " ".join(paragraph)
            paragraph = []
        yield line
    if paragraph:
        yield " ".join(paragraph)


def _in_language(block: str, language: str, left: list[str]) -> str:
    found = _BLOCK.fullmatch(block)
    assert found is not None
    if not found["text"] or found["mark"] == "# ":
        return block
    whole = _told(found["text"], language)
    if whole is not None:
        return f"{found['mark']}{whole}"
    code = [match[0] for match in _CODE.finditer(found["text"])]
    numbers = iter(range(len(code)))
    masked = _CODE.sub(lambda _: f"`{next(numbers)}`", found["text"])
    said = _paragraph(masked, partial(_told, language=language), left)
    return f"{found['mark']}{_MASKED.sub(lambda match: code[int(match[1])], said)}"


def _paragraph(text: str, told: _Told, left: list[str]) -> str:
    whole = told(text)
    if whole is not None:
        return whole
    parts = []
    for each in _BETWEEN.split(text):
        said = told(each)
        if said is None:
            left.append(each)
        parts.append(each if said is None else said)
    return " ".join(parts)


def _told(text: str, language: str) -> str | None:
    """A sentence; one about this file and earlier ones is one about this file, with other words for it."""
    together = _TOGETHER.search(text)
    if together is None:
        return _phrases(language)(text)
    alone, files = _told(text.replace(together[0], "of this file"), language), _phrases(language)(together[1])
    here = _phrases(language)("this file")
    return alone.replace(str(here), str(files)) if alone and files and here and here in alone else None


@cache
def _phrases(language: str) -> Phrases:
    known = {**catalogue(f"said-{language}"), **catalogue(f"note-{language}")}
    return Phrases(known, language, WITHIN_A_SENTENCE)
