"""The words of the pages, in English as they stand in the code, and in other languages by a catalogue each."""

from __future__ import annotations

import json
import re
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


_HOLE = re.compile(r"\\{(\w+)\\}")
_PLACE = re.compile(r"(?P<place>(?:[^:]|:(?! )){1,160}): (?P<rest>.+)", re.S)
_LINE_OR_COLUMN = re.compile(r"\b(?:line|column)\b")
_IN_PLACES = {"de": {"line": "Zeile", "column": "Spalte"}}


@cache
def _patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What was said in English, with what it may be filled in with, and the same in this language."""
    file = files("tacit.web.words") / f"said-{language}.json"
    known = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    shapes = {text: _HOLE.sub(r"(?P<\1>.+?)", re.escape(text)) for text in known}
    return tuple((re.compile(shapes[text], re.S), other) for text, other in known.items())


def teller(language: str) -> Callable[[str], str]:
    """What tells in a language what was said in English by others than pages: errors, reasons, verdicts, line by line.

    >>> teller("de")("data.csv, line 2: the data has no such column\\n  It has: 'a'.")
    "data.csv, Zeile 2: die Daten haben keine solche Spalte\\n  Es gibt: 'a'."
    """
    if not _patterns(language):
        return str

    def one(text: str) -> str | None:
        found = ((pattern.fullmatch(text), other) for pattern, other in _patterns(language))
        match, other = next(((match, other) for match, other in found if match), (None, ""))
        if match is None:
            return _attacker(text, language)
        return other.format(**{name: _counted(value, language) for name, value in match.groupdict().items()})

    def line(text: str) -> str:
        bare = text.strip()
        said = one(bare)
        if said is None and (parts := _PLACE.fullmatch(bare)) and (rest := one(parts["rest"])) is not None:
            words = _IN_PLACES.get(language, {})
            place = _LINE_OR_COLUMN.sub(lambda word: words.get(word[0], word[0]), parts["place"])
            said = f"{place}: {rest}"
        return text if said is None else text.replace(bare, said, 1)

    return lambda text: "\n".join(line(each) if each.strip() else each for each in text.split("\n"))


_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})*(?:\.\d+)?(?: %| [KMG]iB)?")
_SWAPPED = str.maketrans(",.", ".,")


def written(number: str, language: str) -> str:
    """A number as a language writes it: in German 8,000 would be eight. Other texts stay as they are.

    >>> written("8,000", "de"), written("99.5 %", "de"), written("8,000", "en"), written("a,000", "de")
    ('8.000', '99,5 %', '8,000', 'a,000')
    """
    return number.translate(_SWAPPED) if language == "de" and _NUMBER.fullmatch(number) else number


def _counted(value: str, language: str) -> str:
    """Thousands as the language writes them; decimals stay as the job file has them."""
    return written(value, language) if "," in value else value


def _attacker(text: str, language: str) -> str | None:
    """What attackers and titles of promises are called."""
    from tacit.report.attack_words import in_german

    return in_german(text) if language == "de" else None


def chosen(cookie: str | None, accepted: str) -> str:
    """The language that somebody chose, or else the first that their browser asks for and we have.

    >>> chosen(None, "fr,de-AT;q=0.8,en;q=0.5"), chosen("en", "de"), chosen("xx", "")
    ('de', 'en', 'en')
    """
    if cookie in LANGUAGES:
        return str(cookie)
    asked = (part.split(";")[0].strip().lower().partition("-")[0] for part in accepted.split(","))
    return next((language for language in asked if language in LANGUAGES), "en")
