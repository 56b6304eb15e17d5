"""The words of the pages, in English as they stand in the code, and in other languages by a catalogue each.

What others than pages say (errors, verdicts, reports) is told by `tacit.languages`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files

LANGUAGES = {"en": "English", "de": "Deutsch"}
COOKIE = "tacit-language"


@cache
def catalogue(language: str) -> dict[str, str]:
    """What stands for the words of the code; of most of them, English ones stand for themselves."""
    text = (files("tacit.web.words") / f"{language}.json").read_text("utf-8")
    return dict(json.loads(text))


def translator(language: str) -> Callable[..., str]:
    """What says a sentence in a language; `{names}` in it are filled in. What has no translation stays English.

    >>> translator("de")("Roles"), translator("en")("{count} columns", count=3)
    ('Rollen', '3 columns')
    """
    known = catalogue(language)

    def say(text: str, **values: object) -> str:
        said = known.get(text, text)
        return said.format(**values) if values else said

    return say


def chosen(cookie: str | None, accepted: str) -> str:
    """The language that somebody chose, or else the first that their browser asks for and we have.

    >>> chosen(None, "fr,de-AT;q=0.8,en;q=0.5"), chosen("en", "de"), chosen("xx", "")
    ('de', 'en', 'en')
    """
    if cookie in LANGUAGES:
        return str(cookie)
    asked = (part.split(";")[0].strip().lower().partition("-")[0] for part in accepted.split(","))
    return next((language for language in asked if language in LANGUAGES), "en")
