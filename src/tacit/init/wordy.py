"""Warrants by the odds: values that are far more likely to be words, or places, than names of people."""

from __future__ import annotations

import re

from tacit.init import shapes
from tacit.init.classes import OF_PEOPLE
from tacit.init.evidence import Evidence
from tacit.init.explaining import AMONG_LOGINS, SINGLE, TOLD_IN_CLASSES, words_of_all
from tacit.init.finding import MOST
from tacit.init.odds import holds_a_known_name, holds_a_word, odds_of_names, odds_of_one, worded
from tacit.init.shapes import holds_digit, is_prose, tells_of_somebody
from tacit.init.vocabulary import is_doer, plain


def rather_words(column: Evidence) -> bool:
    """Values that many rows share, and that are far more likely to be words than names; less far under a header that
    names a property. What people write is made of words, too: it begins small, or has several."""
    of_people = column.topics & OF_PEOPLE
    is_type_of_them = of_people == {"person"} and column.topics & _CLASSES  # `customer type`
    if (of_people and not is_type_of_them) or is_doer(column.about):
        return False
    if not _are_shared(column) or _may_be_written(column):
        return False
    if any(plain(text) in AMONG_LOGINS for text in column.sample) or column.share(shapes.is_firm) > _SOME:
        return False
    is_told = bool(column.vouching & TOLD_IN_CLASSES)
    is_open = not is_told and bool(words_of_all(column)) and odds_of_one(column) > _SURE
    if column.share(_is_initialled) > _HALF or is_open:
        return False
    if column.share(_is_word_with_digits) > (_HALF if is_told else _SOME) or worded(column) < _HALF:
        return False
    if column.share(holds_a_known_name) > _SOME_NAMES:
        return False
    if is_told:
        return odds_of_names(column) <= _LIKELY_BY_HEADER or odds_of_one(column) <= _LIKELY_OF_ONE
    enough = _LIKELY_BY_HEADER if column.is_few and column.shared_by >= _OF_VERY_MANY else _LIKELY
    are_likely = odds_of_names(column) <= enough and odds_of_one(column) <= _LIKELY_OF_ONE
    return are_likely and column.share(holds_a_word) >= _KNOWN  # what is no name may still be no word


_KNOWN = 0.3
_SOME_NAMES = 0.2
"""So many of the values hold a name that is nothing else: somebody's among words."""
_SURE = -1.5
"""Where all values have a word, as in `Studio Galamb`, it takes more to tell that the other one is none's name."""
_OF_VERY_MANY = 200


def are_rather_words(column: Evidence) -> bool:
    """The same for items of sets, each of which stands once."""
    told = not column.topics & OF_PEOPLE and odds_of_names(column) <= _LIKELY and not column.share(tells_of_somebody)
    return told and odds_of_one(column) <= _LIKELY_OF_ONE and column.word_count < _OF_A_PHRASE


_OF_A_PHRASE = 4
_CLASSES = frozenset(["category", "thing"])
_LIKELY, _LIKELY_OF_ONE, _LIKELY_BY_HEADER = -5.5, -0.8, -3.5
_HALF = 0.5
_SENTENCES = 0.3
_SOME = 0.1
_MANY, _OF_MANY_ROWS = 60, 10


def _are_shared(column: Evidence) -> bool:
    """A dozen values of several rows each, or more that nearly all stand in many rows."""
    are_chosen = column.is_chosen and column.shared_by >= _OF_MANY_ROWS
    if are_chosen or (column.is_offered and column.distinct <= _MANY):
        return True
    in_many_rows = column.counts[column.counts >= _OF_MANY_ROWS].sum() >= MOST * column.filled
    return bool(column.vouching & _TOLD_AT_LENGTH) and column.distinct <= _MANY and bool(in_many_rows)


def _may_be_written(column: Evidence) -> bool:
    """Whether values may be what people wrote: several words that begin small, or sentences. Of what somebody is or has
    there are classes with long names, too, each of many rows."""
    if column.share(tells_of_somebody) or column.share(shapes.ends_like_a_sentence) >= _SENTENCES:
        return True
    is_place = "place" in column.topics and column.shared_by >= _OF_VERY_MANY  # `region` alone is a drawer
    is_told = is_place or column.vouching & _TOLD_AT_LENGTH
    if is_told and column.shared_by >= 2 * _OF_MANY_ROWS:
        return column.share(is_prose) >= 0.5
    is_typed = column.word_count >= SINGLE and column.begins_small > 1 - MOST
    return is_typed or column.share(is_prose) >= 1 - MOST


_TOLD_AT_LENGTH = frozenset(["place", "origin", "education", "job", "belief", "family", "result"])


def _is_initialled(text: str) -> bool:
    """An initial before a word: `s. obermajer`."""
    return _INITIALLED.fullmatch(text) is not None


_INITIALLED = re.compile(r"(?:[^\W\d_][.] ?){1,2}[^\W\d_]{3,}|[^\W\d_]{3,},? [^\W\d_][.]?")


def _is_word_with_digits(text: str) -> bool:
    """Letters and digits in one, as in logins and numbers of things."""
    return _MIXED.search(text) is not None


_MIXED = re.compile(r"[^\W\d_][_.-]?\d|\d[^\W\d_]{2}")


def places_by_header(column: Evidence) -> bool:
    """Places that no list has, each of many rows, under a header that says where: districts, villages, counties. Names
    of people stand under such headers, too, and more of them are known, or are spelled like it."""
    is_place = bool(column.vouching & {"place", "birthplace"}) and not column.topics & OF_PEOPLE
    if not is_place or not _are_shared(column) or column.share(holds_digit) > _SOME or words_of_all(column):
        return False
    return column.share(holds_a_known_name) <= _FEW_NAMES and odds_of_names(column) < 0


_FEW_NAMES = 0.25
