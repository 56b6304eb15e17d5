"""Whether values are rather words than names: what each of their words tells, known or not, added up over all values.

A list knows some words of categories and some names. Where it knows neither, spelling tells (`spelling.py`). No single
word decides: names of families are words of some language, and classes are called like people (`Igel`, `White`). But of
five values that somebody is called by, five are not spelled like words.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from tacit.init.evidence import Evidence
from tacit.init.explaining import is_known_or_ordinary, words_of_all
from tacit.init.spelling import like_a_name
from tacit.init.vocabulary import common_words, names_of_people, plain, small_words, towns, words_of_values

_A_WORD, _EITHER, _A_TOWN, _A_NAME = -3.0, -0.5, -1.0, 2.5
"""Logarithms of odds: how much more often names of people are such a word than values of a category are."""
_FOREIGN = 1.0
"""Of a word in another script, which no list has."""
_MOST = 3.0
_COUNTED = 10
"""More values than these tell no more: they are of one language, and right or wrong together."""
_WRITTEN = re.compile(r"[^\W\d_]+")


def odds_of_names(column: Evidence) -> float:
    """How the odds stand that values are names, as a logarithm: below 0 they are rather words; 0 if none has a word."""
    everywhere = words_of_all(column)
    told = [each for text in column.sample if (each := _told_by(text, everywhere)) is not None]
    return float(np.mean(told)) * min(len(told), _COUNTED) if told else 0.0


def odds_of_one(column: Evidence) -> float:
    """The same for one value, in the mean."""
    return odds_of_names(column) / min(max(column.distinct, 1), _COUNTED)


def worded(column: Evidence) -> float:
    """The share of values with a word of three letters or more."""
    return column.share(lambda text: _told_by(text, frozenset()) is not None)


def _told_by(text: str, everywhere: frozenset[str]) -> float | None:
    """What the words of a value tell, between what they tell together and what the one most like a name tells."""
    words = [plain(word) for word in _WRITTEN.findall(text)]
    words = [word for word in words if word not in everywhere] or words
    odds = [_odds_of(word) for word in words if (len(word) > 2 or not word.isascii()) and word not in small_words()]
    return (float(np.mean(odds)) + max(odds)) / 2 if odds else None


@cache
def _odds_of(word: str) -> float:
    is_word = word in common_words() or word in words_of_values() or is_known_or_ordinary(word)
    is_name = word in names_of_people()
    if is_word or is_name:
        return _EITHER if is_word and is_name else _A_WORD if is_word else _A_NAME
    if word in towns():
        return _A_TOWN
    return float(np.clip(like_a_name(word), -_MOST, _MOST)) if word.isascii() else _FOREIGN


def holds_a_word(text: str) -> bool:
    """Whether a word of a value is known, and nobody's name."""
    return any(_odds_of(plain(word)) == _A_WORD for word in _WRITTEN.findall(text) if len(word) > 2)


def holds_a_known_name(text: str) -> bool:
    """Whether a word of a value is somebody's name, and known as nothing else."""
    return any(_odds_of(plain(word)) == _A_NAME for word in _WRITTEN.findall(text))
