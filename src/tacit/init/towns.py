"""Whether values under a header of places, schools, trades or things are that, and not somebody's names.

The header says what they may be, and people's names stand under such headers, too: beside the wrong one, or because
farms, firms and practices are called like their owners. So values have to be known: as towns, or by words that nobody
is called. Names that no list has are neither, and most words of classes and most towns are one of them.
"""

from __future__ import annotations

from tacit.init.evidence import Evidence
from tacit.init.explaining import is_known_or_ordinary, is_known_word, words_of_all
from tacit.init.shapes import is_also_a_name, is_ordinal
from tacit.init.vocabulary import common_words, is_pieced, names_of_people, plain, small_words, towns, words_of


def are_known_as_such(column: Evidence, enough: float = 0.5) -> bool:
    """Whether enough values are towns or made of words that nobody is called, and few are names of people."""
    values, everywhere = list(zip(column.sample, column.words, strict=True)), words_of_all(column)
    unknown = [words for text, words in values if not is_told(text, everywhere)]
    told, called = len(values) - len(unknown), sum(map(_is_called, unknown))
    enough -= _OF_MANY_VALUES if len(values) >= _MANY else 0.0
    return told >= enough * len(values) and called <= _FEW_NAMES * told


_MANY = 30
_OF_MANY_VALUES = 0.15
"""Of many values it takes a smaller share: chance plays no part."""
_FEW_NAMES = 0.6
"""So many names for each known word are too many: towns and trades are names of families, too, but not mostly."""


def is_town(text: str) -> bool:
    """A town, perhaps with what it lies in or near: `Pirna`, `Frankfurt (Oder)`, `Midlothian, Scotland`."""
    return any(_plain_words(part) in towns() for part in (text, *text.replace("(", ",").replace("/", ",").split(",")))


def _plain_words(text: str) -> str:
    return " ".join("".join(sign if sign.isalpha() else " " for sign in plain(text)).split())


def is_told(text: str, everywhere: frozenset[str] = frozenset()) -> bool:
    """Whether a value is a town, or a step (`7th-8th`), or more of its words are known than not; those that all values
    have, as in `Lenz Family Practice`, tell nothing of one."""
    if all(map(is_ordinal, text.split("-"))):
        return True
    large = _large(words_of(text))
    large = [word for word in large if word not in everywhere] or large
    if not large:
        return False
    known = sum(map(_is_known, large))
    return 2 * known > len(large) or is_town(text)


def _is_known(word: str) -> bool:
    return word in common_words() or is_known_or_ordinary(word) or word in towns() or is_pieced(word)


def are_words_of_nobody(words: tuple[str, ...], everywhere: frozenset[str]) -> bool:
    """Whether more words of a value than not are words, and no names of people, too."""
    large = _large(words)
    large = [word for word in large if word not in everywhere] or large
    known = sum(word in common_words() or (is_known_word(word) and not is_also_a_name(word)) for word in large)
    return 2 * known > len(large) > 0


def _is_called(words: tuple[str, ...]) -> bool:
    """Whether a value holds somebody's name that is nothing else."""
    return any(word in names_of_people() and not is_known_or_ordinary(word) for word in _large(words))


def _large(words: tuple[str, ...]) -> list[str]:
    """Words that tell something: no digits, no small words, and single letters only where scripts have names of one."""
    told = (word for word in words if len(word) > 1 or not word.isascii())
    return [word for word in told if not word.isdigit() and word not in small_words()]
