"""Whether values are rather words than names: what each of their words tells, known or not, added up over all values.

A list knows some words of categories and some names. Where it knows neither, spelling tells (`spelling.py`). No single
word decides: names of families are words of some language, and classes are called like people (`Igel`, `White`). But of
five values that somebody is called by, five are not spelled like words.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from tacit.init.classes import OF_PEOPLE
from tacit.init.evidence import Evidence
from tacit.init.explaining import AMONG_LOGINS, SINGLE, TOLD_IN_CLASSES, is_known_or_ordinary, words_of_all
from tacit.init.finding import MOST
from tacit.init.shapes import holds_digit, is_prose, tells_of_somebody
from tacit.init.spelling import like_a_name
from tacit.init.vocabulary import (
    common_words,
    is_doer,
    names_of_people,
    plain,
    small_words,
    towns,
    words_of_values,
)

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


def _odds_of_one(column: Evidence) -> float:
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


# Warrants that hang on the odds


def rather_words(column: Evidence) -> bool:
    """Values that many rows share, and that are far more likely to be words than names; less far under a header that
    names a property. What people write is made of words, too: it begins small, or has several."""
    of_people = column.topics & OF_PEOPLE
    is_type_of_them = of_people == {"person"} and column.topics & _CLASSES  # `customer type`
    if (of_people and not is_type_of_them) or is_doer(column.about):
        return False
    if not _are_shared(column) or _may_be_written(column):
        return False
    if any(plain(text) in AMONG_LOGINS for text in column.sample):
        return False
    is_told = bool(column.vouching & TOLD_IN_CLASSES)
    if column.share(_is_word_with_digits) > (_HALF if is_told else _SOME) or worded(column) < _HALF:
        return False
    if is_told:
        return odds_of_names(column) <= _LIKELY_BY_HEADER or _odds_of_one(column) <= _LIKELY_OF_ONE
    enough = _LIKELY_BY_HEADER if column.is_few and column.shared_by >= _OF_VERY_MANY else _LIKELY
    are_likely = odds_of_names(column) <= enough and _odds_of_one(column) <= _LIKELY_OF_ONE
    return are_likely and column.share(_holds_a_word) >= _KNOWN  # what is no name may still be no word


_KNOWN = 0.3
_OF_VERY_MANY = 200


def are_rather_words(column: Evidence) -> bool:
    """The same for items of sets, each of which stands once."""
    told = not column.topics & OF_PEOPLE and odds_of_names(column) <= _LIKELY and not column.share(tells_of_somebody)
    return told and _odds_of_one(column) <= _LIKELY_OF_ONE and column.word_count < _OF_A_PHRASE


_OF_A_PHRASE = 4
_CLASSES = frozenset(["category", "thing"])
_LIKELY, _LIKELY_OF_ONE, _LIKELY_BY_HEADER = -5.5, -0.8, -3.5
_HALF = 0.5
_SOME = 0.1
_MANY, _OF_MANY_ROWS = 60, 10


def _are_shared(column: Evidence) -> bool:
    """A dozen values of several rows each, or more that nearly all stand in many rows."""
    are_chosen = column.is_chosen and column.shared_by >= _OF_MANY_ROWS
    return are_chosen or (column.is_offered and column.distinct <= _MANY)


def _may_be_written(column: Evidence) -> bool:
    """Whether values may be what people wrote: several words that begin small, or sentences. Of what somebody is or has
    there are classes with long names, too, each of many rows."""
    if column.share(tells_of_somebody):
        return True
    is_place = "place" in column.topics and column.shared_by >= _OF_VERY_MANY  # `region` alone is a drawer
    is_told = is_place or column.vouching & _TOLD_AT_LENGTH
    if is_told and column.is_chosen and column.shared_by >= 2 * _OF_MANY_ROWS:
        return column.share(is_prose) >= 0.5
    is_typed = column.word_count >= SINGLE and column.begins_small > 1 - MOST
    return is_typed or column.share(is_prose) >= 1 - MOST


def _holds_a_word(text: str) -> bool:
    return any(_odds_of(plain(word)) == _A_WORD for word in _WRITTEN.findall(text) if len(word) > 2)


_TOLD_AT_LENGTH = frozenset(["place", "origin", "education", "job", "belief", "family", "result"])


def _is_word_with_digits(text: str) -> bool:
    """Letters and digits in one, as in logins and numbers of things."""
    return _MIXED.search(text) is not None


_MIXED = re.compile(r"[^\W\d_][_.-]?\d|\d[^\W\d_]{2}")


def letters_of_a_class(column: Evidence) -> bool:
    """A few capitals, each of many rows, under a header that says what they classify (`Familienstand`, `contract type`):
    initials stand under no such header."""
    says_what = (
        column.vouching & (TOLD_IN_CLASSES - {"place", "birthplace", "postcode"} | {"category"})
        or "thing" in column.topics
    )
    is_state = "category" in column.topics and _OF_A_STATE.search(column.name.lower()) is not None
    says_what = says_what or is_state
    if (
        not says_what
        or column.topics & (_WHO if is_state else _NO_CLASS)
        or is_doer(column.about)
        or len(column.name) <= _TOO_SHORT
    ):
        return False
    if column.share(lambda text: len(text) > _LETTERS and _odds_of(plain(text)) == _A_NAME):
        return False
    are_shared = column.is_few and column.distinct > 1 and int(column.counts.min()) >= _LEAST and column.shared_by >= 20
    return are_shared and column.share(lambda text: _CAPITALS.fullmatch(text) is not None) >= MOST


_WHO = OF_PEOPLE | {"named_thing"}
_OF_A_STATE = re.compile(r"status|statut|estado|stato|outcome|stage|mode")
_NO_CLASS = _WHO | {"conduct"}
_LETTERS = 3
_TOO_SHORT = 2
_LEAST = 5
_CAPITALS = re.compile(r"[A-Z]{1,2}\d?|[A-Z]{3,5}")


def places_by_header(column: Evidence) -> bool:
    """Places that no list has, each of many rows, under a header that says where: districts, villages, counties. People's
    names stand under such headers, too, and more of them are known, or are spelled like it."""
    is_place = bool(column.vouching & {"place", "birthplace"}) and not column.topics & OF_PEOPLE
    if not is_place or not _are_shared(column) or column.share(holds_digit) > _SOME or words_of_all(column):
        return False
    names = column.share(lambda text: any(_odds_of(word) == _A_NAME for word in map(plain, _WRITTEN.findall(text))))
    return names <= _FEW_NAMES and odds_of_names(column) < 0


_FEW_NAMES = 0.25


def coded_places(column: Evidence) -> bool:
    """Few codes of wards, centres of costs or grades, each of many rows: letters of several lengths, or one, with up to
    two digits. Codes for staff have two or three letters each, as their names have initials."""
    are_shared = column.distinct <= _MANY and column.distinct > 1 and column.shared_by >= 2 * _OF_MANY_ROWS
    if column.topics & _WHO - {"named_thing"} or is_doer(column.about) or not are_shared:
        return False
    found = [_CODED.fullmatch(text) for text in column.sample]
    stems = [each[1] for each in found if each is not None]
    are_initials = "place" not in column.topics and sum(map(_are_initials, stems)) > (1 - MOST) * len(stems)
    if len(stems) < MOST * len(found) or are_initials:
        return False
    come_back = len({*stems}) < len(stems)
    return come_back and any(each is not None and each[2] for each in found)


_CODED = re.compile(r"([A-Z]{1,6})[-_ ]?(\d{0,2})")


def _are_initials(stem: str) -> bool:
    return len(stem) == _INITIALS


_INITIALS = 2


def codes_of_lengths(column: Evidence) -> bool:
    """Few codes of capitals, each of many rows, of two to six letters: some longer than initials, some shorter than
    names, and none of them a name that is known: `PLUS`, `PLAI`, `PLS`."""
    if column.topics & OF_PEOPLE or is_doer(column.about) or not (column.is_chosen and column.distinct > 2):
        return False
    lengths = {len(text) for text in column.sample}
    if column.shared_by < 2 * _OF_MANY_ROWS or len(lengths) == 1 or max(lengths) <= _LETTERS:
        return False
    are_codes = column.share(lambda text: _CAPITAL_CODE.fullmatch(text) is not None) == 1
    are_codes = are_codes and column.share(lambda text: len(text) <= _LETTERS) >= _SHORT_ONES
    return are_codes and not column.share(lambda text: len(text) > _LETTERS and _odds_of(plain(text)) == _A_NAME)


_SHORT_ONES = 0.15
_CAPITAL_CODE = re.compile(r"[A-Z]{2,6}(?:[-+/_ ]?[A-Z0-9]{1,4})?")


def letters_under_a_property(column: Evidence) -> bool:
    """Single letters or signs under a header that names a property, each of many rows: codes of a list, such as that of
    ethnic groups."""
    is_told = column.vouching & (TOLD_IN_CLASSES - {"thing", "item"}) and not column.topics & OF_PEOPLE
    are_signs = column.digits[1] == 1 and column.share(str.isascii) == 1  # in some scripts, a letter is a name
    return bool(is_told) and are_signs and column.shared_by >= _OF_MANY_ROWS and not is_doer(column.about)
