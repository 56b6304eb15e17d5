"""What tacit says in English, in other languages: sentences of errors, verdicts, notes and reports.

Whoever says something says it in English, and knows nothing of languages. A catalogue has the sentences, with
`{names}` for what is filled in, and the same in the other language. What fills `{told}`, or a name that begins so, is
a sentence of the catalogue itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

_HOLE = re.compile(r"\\{(\w+)\\}")
_PLACE = re.compile(r"(?P<place>(?:[^:]|:(?! )){1,160}): (?P<rest>.+)", re.S)
_LINE_OR_COLUMN = re.compile(r"\b(?:line|column)\b")
_IN_PLACES = {"de": {"line": "Zeile", "column": "Spalte"}}
_NUMBER = re.compile(r"[-−]?\d{1,3}(?:,\d{3})*(?:\.\d+)?(?: ?%| [KMG]iB)?")
_COUNTS, _COUNT = ("count", "leaves"), "[0-9][0-9,]*"
ANYTHING, WITHIN_A_SENTENCE = ".+?", r"(?:(?!\. ).)+?"
_SWAPPED = str.maketrans(",.", ".,")


def _hole(found: re.Match[str], others: str) -> str:
    """What may fill a hole: a count is a number."""
    return f"(?P<{found[1]}>{_COUNT if found[1] in _COUNTS else others})"


class Phrases:
    """Sentences with holes in English, and the same in another language."""

    def __init__(self, known: Mapping[str, str], language: str, others: str = ANYTHING) -> None:
        """`others` is what may fill a hole that is no count."""
        self.language = language
        self.exact = {text: other for text, other in known.items() if "{" not in text}
        shapes = {text: _HOLE.sub(lambda found: _hole(found, others), re.escape(text)) for text in known if "{" in text}
        self.shaped = [(re.compile(shape, re.S), known[text]) for text, shape in shapes.items()]

    def __call__(self, text: str) -> str | None:
        """The other language's words; None where there are none."""
        if text in self.exact:
            return self.exact[text]
        for pattern, other in self.shaped:
            if match := pattern.fullmatch(text):
                filled = {name: self._filled(name, value) for name, value in match.groupdict().items()}
                if None not in filled.values():
                    return other.format(**filled)
        return None

    def _filled(self, name: str, value: str) -> str | None:
        """What stands in a hole: words that are told themselves, or what stays as it is but for how it is counted."""
        return sentence(value, self.language) if name.startswith("told") else _counted(value, self.language)


def catalogue(name: str) -> dict[str, str]:
    """What a file of this package has; nothing where there is no such file."""
    file = files("tacit.languages") / f"{name}.json"
    return dict(json.loads(file.read_text("utf-8"))) if file.is_file() else {}


@cache
def sentences(language: str) -> Phrases:
    """All sentences that somebody may say; where no code can be shown, as in a report, without its backticks."""
    said = catalogue(f"said-{language}")
    bare = {text.replace("`", ""): other.replace("`", "") for text, other in said.items() if "{" not in text}
    return Phrases(bare | said, language)


def teller(language: str) -> Callable[[str], str]:
    """What tells in a language what was said in English: errors, reasons, verdicts, notes, line by line.

    >>> teller("de")("data.csv, line 2: the data has no such column\\n  It has: 'a'.")
    "data.csv, Zeile 2: die Daten haben keine solche Spalte\\n  Es gibt: 'a'."
    """
    if language == "en":
        return str
    return lambda text: "\n".join(_line(each, language) if each.strip() else each for each in text.split("\n"))


def _line(text: str, language: str) -> str:
    """One line; what stands before a colon may be a place, such as a file and a line."""
    bare = text.strip()
    said = sentence(bare, language)
    if said is None and (parts := _PLACE.fullmatch(bare)) and (rest := sentence(parts["rest"], language)) is not None:
        words = _IN_PLACES.get(language, {})
        place = _LINE_OR_COLUMN.sub(lambda word: words.get(word[0], word[0]), parts["place"])
        said = f"{place}: {rest}"
    return text if said is None else text.replace(bare, said, 1)


def sentence(text: str, language: str) -> str | None:
    """One sentence of the catalogue, or what attackers are called; None where nobody has words for it."""
    said = sentences(language)(text)
    return _attacker(text, language) if said is None else said


def _attacker(text: str, language: str) -> str | None:
    """What attackers are called."""
    from tacit.report.attack_words import in_german

    return in_german(text) if language == "de" else None


def written(number: str, language: str) -> str:
    """A number as a language writes it: in German 8,000 would be eight. Other texts stay as they are.

    >>> written("8,000", "de"), written("99.5%", "de"), written("8,000", "en"), written("a,000", "de")
    ('8.000', '99,5\\xa0%', '8,000', 'a,000')
    """
    if language != "de" or not _NUMBER.fullmatch(number):
        return number
    return re.sub(r" ?%", "\N{NO-BREAK SPACE}%", number.translate(_SWAPPED))


def _counted(value: str, language: str) -> str:
    """Thousands and percents as the language writes them; other decimals stay as the job file has them."""
    return written(value, language) if "," in value or value.endswith("%") else value
